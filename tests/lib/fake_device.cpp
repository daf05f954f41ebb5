// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "fake_device.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "driver.h"
#include "generated/built_node.h"
#include "generated/registers.h"
#include "generated/rma_pkg.h"
#include "generated/tidings_pkg.h"
#include "threads.h"

namespace tidings::fake {
namespace {

constexpr unsigned kSecondsToHang = 300;  ///< no loaded machine is as slow: no test asserts a time
constexpr std::uint32_t kMostSlots = 32;  ///< of all ranks
constexpr std::uint32_t kLinks = TIDINGS_MPE_LINKS;
constexpr std::uint32_t kContexts = TIDINGS_MPE_CONTEXTS;
constexpr std::uint32_t kExchangeWords = 64;
constexpr std::uint32_t kRegions = TIDINGS_RMA_REGIONS;
constexpr std::uint32_t kCommandDepth = kBuiltNode.rma_command_depth;
constexpr std::uint32_t kMpeDepth = 2;
constexpr std::uint32_t kStreamWords = 1U << 16;
constexpr std::uint32_t kLogEntries = 256;
constexpr std::uint32_t kSlotsPerNode = 3;  ///< so that nodes and slots of endpoints both vary

using tidings_pkg::Nack;

/// Words on their way along one link of the tree.
struct Stream {
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::array<std::uint32_t, kStreamWords> words{};

  [[nodiscard]] std::uint32_t size() const { return tail - head; }
  [[nodiscard]] std::uint32_t front() const { return words[head % kStreamWords]; }
  [[nodiscard]] std::uint32_t room() const { return kStreamWords - size(); }
  void push(std::uint32_t word) { words[tail++ % kStreamWords] = word; }
  std::uint32_t pop() { return words[head++ % kStreamWords]; }
};

struct Collective {
  std::uint32_t source, destination, count, descriptor, command;
  bool up_done;
  std::uint32_t rounds_done;  ///< of an exchange
  bool sent;                  ///< in this round
};

struct RmaCommand {
  std::uint32_t local, remote, offset, length, command;
};

struct Slot {
  std::array<std::uint32_t, (1U << tidings_pkg::kBusAddressWidth) / 4> words{};
  std::uint32_t sticky = 0;                                     ///< irq_status
  std::array<Stream, std::size_t{kContexts} * kLinks> streams;  ///< as the links in mpe_link
  std::array<RmaCommand, kCommandDepth> commands{};
  std::uint32_t commands_queued = 0;
  std::array<Collective, kMpeDepth> collectives{};
  std::uint32_t collectives_queued = 0;
};

struct LogEntry {
  char name[32];
  char reason[96];
  char note[128];
  int path;
};

struct Shared {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_barrier_t barrier;
  bool ended = false;
  int failure_code = 0;
  char failure[1024] = {};
  std::uint32_t ranks = 0;
  std::uint32_t slots_per_rank = 1;
  bool hardware = false;
  tidings_grid grid{};
  std::uint32_t slots_per_node = kSlotsPerNode;
  std::size_t memory_bytes = 0;
  std::uint32_t log_entries = 0;
  std::array<LogEntry, kLogEntries> log{};
  std::array<tidings_endpoint, kMostSlots> endpoints{};
  std::array<Slot, kMostSlots> slots;
};

/// The simulated machine of the current test, and which rank this process is.
Shared* shared = nullptr;
std::byte* memories = nullptr;
std::uint32_t me = 0;
std::uint64_t reads = 0;
bool woken = false;  ///< another thread of this rank ends the wait
std::uint64_t writes = 0;

std::uint32_t slots_in_use() { return shared->ranks * shared->slots_per_rank; }

class Lock {
 public:
  Lock() { pthread_mutex_lock(&shared->mutex); }
  ~Lock() { pthread_mutex_unlock(&shared->mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

std::uint32_t& reg(Slot& slot, std::size_t address) { return slot.words[address / 4]; }
/// The word of a register.
template <class Register>
std::uint32_t& reg(Slot& slot) {
  return reg(slot, Register::kAddress);
}
/// The fields of a register.
template <class Register>
Register fields(Slot& slot) {
  return Register::decode(reg<Register>(slot));
}

std::byte* memory(std::uint32_t slot) { return memories + slot * shared->memory_bytes; }

std::uint32_t index_of(const Slot& slot) { return static_cast<std::uint32_t>(&slot - shared->slots.data()); }

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes != 0) std::memmove(to, from, bytes);
}

std::uint32_t slot_at(std::uint32_t node, std::uint32_t slot) { return node * shared->slots_per_node + slot; }

void refuse(Slot& slot, Nack code, std::uint32_t target) {
  slot.sticky |= TIDINGS_IRQ_ERROR;
  if (reg<registers::RmaError>(slot) == 0) {
    const tidings_endpoint& endpoint = shared->endpoints[target];
    reg<registers::RmaError>(slot) =
        registers::RmaError{.code = static_cast<std::uint32_t>(code), .node = endpoint.node, .slot = endpoint.slot}
            .encode();
  }
}

/// Why the target does not allow the access.
Nack refusal(std::uint32_t target, std::uint32_t region, std::uint32_t offset, std::uint32_t bytes,
             bool registers::RmaRegionRights::* right) {
  if (region >= kRegions) return Nack::kNotRegistered;
  Slot& slot = shared->slots[target];
  const auto rights = registers::RmaRegionRights::decode(reg(slot, registers::RmaRegionRights::at(region)));
  if (!rights.valid) return Nack::kNotRegistered;
  if (std::uint64_t{offset} + bytes > reg(slot, registers::RmaRegionLength::at(region))) return Nack::kBounds;
  return rights.*right ? Nack::kNone : Nack::kRights;
}

std::byte* region_memory(std::uint32_t target, std::uint32_t region, std::uint32_t offset) {
  return memory(target) + reg(shared->slots[target], registers::RmaRegionBase::at(region)) + offset;
}

void run_command(Slot& slot, const RmaCommand& c) {
  const auto remote = registers::RmaRemote::decode(c.remote);
  const auto command = registers::RmaCommand::decode(c.command);
  const std::uint32_t target = slot_at(remote.node, remote.slot);
  const std::uint32_t region = remote.region;
  const std::uint32_t bytes = c.length;
  const std::uint32_t offset = c.offset;
  std::byte* const local = memory(index_of(slot)) + c.local;
  Slot& other = shared->slots[target];
  switch (static_cast<rma_pkg::RmaOperation>(command.operation)) {
    case rma_pkg::RmaOperation::kMessage: {
      const std::uint32_t log2 = fields<registers::RmaQueueSize>(other).log2_slots;
      const auto waiting =
          static_cast<std::uint16_t>(reg<registers::RmaQueueTail>(other) - reg<registers::RmaQueueHead>(other));
      if (!fields<registers::RmaQueueSize>(other).valid || waiting >= 1U << log2) {
        refuse(slot, Nack::kQueueFull, target);
        break;
      }
      const std::uint32_t index = reg<registers::RmaQueueTail>(other) & ((1U << log2) - 1);
      std::byte* const entry = memory(target) + reg<registers::RmaQueueBase>(other) + index * TIDINGS_QUEUE_SLOT_BYTES;
      const tidings_endpoint& mine = shared->endpoints[index_of(slot)];
      const std::uint32_t origin =
          tidings_pkg::Header1{
              .src_slot = SlotId{mine.slot}, .info = mine.node, .length = static_cast<std::uint16_t>(bytes)}
              .encode();
      std::memcpy(entry, &origin, sizeof origin);
      copy_bytes(entry + 8, local, bytes);
      reg<registers::RmaQueueTail>(other) =
          registers::RmaQueueTail{.count = reg<registers::RmaQueueTail>(other) + 1}.encode();
      break;
    }
    case rma_pkg::RmaOperation::kPut:
      if (const Nack code = refusal(target, region, offset, bytes, &registers::RmaRegionRights::write);
          code != Nack::kNone) {
        refuse(slot, code, target);
      } else {
        const auto* const word = reinterpret_cast<const std::byte*>(&c.local);
        copy_bytes(region_memory(target, region, offset), command.inline_data ? word : local, bytes);
      }
      break;
    default:
      if (const Nack code = refusal(target, region, offset, bytes, &registers::RmaRegionRights::read);
          code != Nack::kNone) {
        refuse(slot, code, target);
      } else {
        copy_bytes(local, region_memory(target, region, offset), bytes);
      }
      break;
  }
  ++reg<registers::RmaCompleted>(slot);
  if (command.notify) slot.sticky |= TIDINGS_IRQ_RMA_DONE;
}

void queue_command(Slot& slot, std::uint32_t command) {
  if (slot.commands_queued == kCommandDepth) {
    reg<registers::RmaError>(slot) = registers::RmaError{.code = static_cast<std::uint32_t>(Nack::kOverflow)}.encode();
    slot.sticky |= TIDINGS_IRQ_ERROR;
    return;
  }
  slot.commands[slot.commands_queued++] = {reg<registers::RmaLocalAddress>(slot), reg<registers::RmaRemote>(slot),
                                           reg<registers::RmaOffset>(slot), reg<registers::RmaLength>(slot), command};
}

/// Run the waiting commands of a slot.
void run_commands(Slot& slot) {
  for (std::uint32_t i = 0; i < slot.commands_queued; ++i) run_command(slot, slot.commands[i]);
  if (slot.commands_queued == 0) return;
  slot.commands_queued = 0;
  pthread_cond_broadcast(&shared->changed);
}

template <class T>
T combine_one(std::uint32_t combine, T a, T b) {
  if (combine == TIDINGS_COMBINE_MIN) return std::min(a, b);
  if (combine == TIDINGS_COMBINE_MAX) return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    if (combine == TIDINGS_COMBINE_SUM) return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    if (combine == TIDINGS_COMBINE_AND) return a & b;
    if (combine == TIDINGS_COMBINE_OR) return a | b;
    return a ^ b;
  } else {
    return a + b;
  }
}

template <class T>
void combine_all(std::uint32_t combine, std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  for (std::size_t i = 0; i + sizeof(T) / 4 <= into.size(); i += sizeof(T) / 4) {
    T a;
    T b;
    std::memcpy(&a, &into[i], sizeof a);
    std::memcpy(&b, &from[i], sizeof b);
    const T c = combine_one(combine, a, b);
    std::memcpy(&into[i], &c, sizeof c);
  }
}

registers::MpeCommand fields_of(const Collective& c) { return registers::MpeCommand::decode(c.command); }

std::uint32_t words_of(const Collective& c) {
  const std::uint32_t element = fields_of(c).element;
  switch (fields_of(c).operation) {
    case TIDINGS_COLLECTIVE_BARRIER:
      return 0;
    case TIDINGS_COLLECTIVE_BROADCAST:
      return c.count;
    default:
      return element == TIDINGS_ELEMENT_INT64 || element == TIDINGS_ELEMENT_DOUBLE ? 2 * c.count : c.count;
  }
}

/// Row of the table of links, and place of the link's stream.
std::uint32_t row(const Collective& c, std::uint32_t link) { return fields_of(c).context_id * kLinks + link; }

/// The stream at the neighbour that a link leads to.
Stream& stream_behind(std::uint32_t at, const Collective& c, std::uint32_t link) {
  const auto there =
      registers::MpeLink::decode(reg(shared->slots[at], registers::MpeLink::at(fields_of(c).context_id, link)));
  return shared->slots[slot_at(there.node, there.slot)].streams[row(c, there.peer_link)];
}

void send_stream(std::uint32_t at, const Collective& c, std::uint32_t link, const std::vector<std::uint32_t>& data) {
  Stream& stream = stream_behind(at, c, link);
  stream.push(c.descriptor);
  for (const std::uint32_t word : data) stream.push(word);
}

/// The descriptor at the head of a link's stream is there and is ours.
bool joined(Slot& slot, const Collective& c, std::uint32_t link) {
  const Stream& stream = slot.streams[row(c, link)];
  if (stream.size() == 0) return false;
  if (stream.front() == c.descriptor) return stream.size() > words_of(c);
  if (reg<registers::MpeError>(slot) == 0) {
    reg<registers::MpeError>(slot) =
        registers::MpeError{.mismatch = true, .link = link, .context_id = fields_of(c).context_id}.encode();
    reg<registers::MpeReceived>(slot) = stream.front();
    slot.sticky |= TIDINGS_IRQ_ERROR;
  }
  return false;
}

std::vector<std::uint32_t> take(Slot& slot, const Collective& c, std::uint32_t link) {
  Stream& stream = slot.streams[row(c, link)];
  stream.pop();
  std::vector<std::uint32_t> data(words_of(c));
  for (std::uint32_t& word : data) word = stream.pop();
  return data;
}

void combine_words(const Collective& c, std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  const std::uint32_t combine = fields_of(c).combine;
  switch (fields_of(c).element) {
    case TIDINGS_ELEMENT_INT32:
      combine_all<std::int32_t>(combine, into, from);
      break;
    case TIDINGS_ELEMENT_INT64:
      combine_all<std::int64_t>(combine, into, from);
      break;
    case TIDINGS_ELEMENT_FLOAT:
      combine_all<float>(combine, into, from);
      break;
    default:
      combine_all<double>(combine, into, from);
      break;
  }
}

void complete(Slot& slot) {
  slot.collectives[0] = slot.collectives[1];
  --slot.collectives_queued;
  ++reg<registers::MpeCompleted>(slot);
  slot.sticky |= TIDINGS_IRQ_MPE_DONE;
}

/// Link of a round of an exchange; kLinks behind the last.
std::uint32_t round_link(const Collective& c, std::uint32_t round) {
  const std::uint32_t links = fields_of(c).children;
  const std::uint32_t swap = fields_of(c).swap;
  for (std::uint32_t place = 0; place < kLinks; ++place) {
    const std::uint32_t link = place ^ (swap >> place / 2 & 1U);
    if ((links >> link & 1U) != 0 && round-- == 0) return link;
  }
  return kLinks;
}

/// One step of an exchange. What has been combined so far is at the destination.
bool step_exchange(std::uint32_t at, Slot& slot, Collective& c) {
  std::vector<std::uint32_t> data(words_of(c));
  const std::size_t bytes = std::size_t{4} * data.size();
  auto* const mine = reinterpret_cast<std::byte*>(data.data());
  if (c.rounds_done == 0 && !c.sent) std::memmove(memory(at) + c.destination, memory(at) + c.source, bytes);
  const std::uint32_t link = round_link(c, c.rounds_done);
  if (link == kLinks) {
    complete(slot);
    return true;
  }
  copy_bytes(mine, memory(at) + c.destination, bytes);
  if (!c.sent) {
    if (stream_behind(at, c, link).room() <= data.size()) return false;
    send_stream(at, c, link, data);
    c.sent = true;
    return true;
  }
  if (!joined(slot, c, link)) return false;
  combine_words(c, data, take(slot, c, link));
  copy_bytes(memory(at) + c.destination, mine, bytes);
  ++c.rounds_done;
  c.sent = false;
  return true;
}

/// One step of the oldest collective of a slot. @return false if it cannot go on.
bool step_collective(std::uint32_t at) {
  Slot& slot = shared->slots[at];
  if (slot.collectives_queued == 0) return false;
  Collective& c = slot.collectives[0];
  if (fields_of(c).exchange) return step_exchange(at, slot, c);
  const std::uint32_t operation = fields_of(c).operation;
  const std::uint32_t parent = fields_of(c).parent;
  const std::uint32_t children = fields_of(c).children;
  const bool root = parent == 15;
  const bool goes_up = operation != TIDINGS_COLLECTIVE_BROADCAST;
  const bool goes_down = operation != TIDINGS_COLLECTIVE_REDUCE;
  const std::size_t bytes = std::size_t{4} * words_of(c);
  for (std::uint32_t link = 0; link < kLinks; ++link) {
    const bool may_send = (children >> link & 1U) != 0 || link == parent;
    if (may_send && stream_behind(at, c, link).room() <= words_of(c)) return false;
  }
  std::vector<std::uint32_t> data(words_of(c));

  if (!c.up_done) {
    if (goes_up) {
      for (std::uint32_t link = 0; link < kLinks; ++link) {
        if ((children >> link & 1U) != 0 && !joined(slot, c, link)) return false;
      }
    }
    if (goes_up || root) copy_bytes(reinterpret_cast<std::byte*>(data.data()), memory(at) + c.source, bytes);
    for (std::uint32_t link = 0; goes_up && link < kLinks; ++link) {
      if ((children >> link & 1U) == 0) continue;
      combine_words(c, data, take(slot, c, link));
    }
    if (goes_up && !root) send_stream(at, c, parent, data);
    c.up_done = true;
    if (goes_down && !root) return true;
  } else {
    if (!joined(slot, c, parent)) return false;
    data = take(slot, c, parent);
  }
  if (goes_down) {
    for (std::uint32_t link = 0; link < kLinks; ++link) {
      if ((children >> link & 1U) != 0) send_stream(at, c, link, data);
    }
  }
  const bool stores = operation == TIDINGS_COLLECTIVE_ALLREDUCE || (operation == TIDINGS_COLLECTIVE_REDUCE && root) ||
                      (operation == TIDINGS_COLLECTIVE_BROADCAST && !root);
  if (stores) copy_bytes(memory(at) + c.destination, reinterpret_cast<const std::byte*>(data.data()), bytes);
  complete(slot);
  return true;
}

void run_collectives() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t slot = 0; slot < slots_in_use(); ++slot) moved = step_collective(slot) || moved;
  }
}

std::uint32_t irq_status(Slot& slot) {
  std::uint32_t status = slot.sticky | TIDINGS_IRQ_RMA_IDLE;
  if (reg<registers::RmaQueueTail>(slot) != reg<registers::RmaQueueHead>(slot)) status |= TIDINGS_IRQ_MESSAGE;
  return status;
}

[[noreturn]] void leave(int status) {
  std::fflush(nullptr);
  _exit(status);
}

/// Memory that forked processes share.
class Mapping {
 public:
  explicit Mapping(std::size_t bytes)
      : bytes_(bytes), address_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (address_ == MAP_FAILED) throw std::runtime_error("fake device: no memory to share");
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(address_, bytes_); }
  [[nodiscard]] void* get() const { return address_; }

 private:
  std::size_t bytes_;
  void* address_;
};

int run_one(std::uint32_t rank, const std::function<void(std::uint32_t)>& body) {
  me = rank;
  alarm(kSecondsToHang);
  try {
    body(rank);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "rank " << rank << ": " << error.what();
  }
  return testing::Test::HasFailure() ? 1 : 0;
}

}  // namespace

void log_operation(const char* name, int path, const char* reason, const char* note) {
  if (me != 0 || shared == nullptr || shared->log_entries == kLogEntries) return;
  LogEntry& entry = shared->log[shared->log_entries++];
  std::snprintf(entry.name, sizeof entry.name, "%s", name);
  std::snprintf(entry.reason, sizeof entry.reason, "%s", reason == nullptr ? "" : reason);
  std::snprintf(entry.note, sizeof entry.note, "%s", note == nullptr ? "" : note);
  entry.path = path;
}

void meet() { pthread_barrier_wait(&shared->barrier); }

std::uint64_t bus_reads() { return reads; }

std::uint64_t bus_writes() { return writes; }

Result run_ranks(std::uint32_t ranks, const Options& options, const std::function<void(std::uint32_t)>& body) {
  const std::uint32_t slots = ranks * options.slots;
  if (slots > kMostSlots) throw std::invalid_argument("fake device: too many slots: " + std::to_string(slots));
  const Mapping state(sizeof(Shared));
  const Mapping node_memory(slots * options.memory_bytes);
  shared = new (state.get()) Shared;
  memories = static_cast<std::byte*>(node_memory.get());
  shared->ranks = ranks;
  shared->slots_per_rank = options.slots;
  shared->hardware = options.hardware_collectives;
  shared->memory_bytes = options.memory_bytes;
  shared->grid = options.grid;
  if (options.grid.dimensions != 0) shared->slots_per_node = 1;
  for (std::uint32_t i = 0; i < slots; ++i) {
    shared->endpoints[i] = {static_cast<std::uint16_t>(i / shared->slots_per_node),
                            static_cast<std::uint8_t>(i % shared->slots_per_node)};
    Slot& slot = shared->slots[i];
    reg<registers::Id>(slot) = registers::Id::kReset;
    reg<registers::MpeSizes>(slot) = registers::MpeSizes{.contexts = kContexts,
                                                         .combine_ports = 1,
                                                         .packet_words = kExchangeWords,
                                                         .wide_elements = true,
                                                         .links = kLinks}
                                         .encode();
    reg<registers::RmaSizes>(slot) =
        registers::RmaSizes{
            .regions = kRegions, .command_depth = kCommandDepth, .message_words = TIDINGS_QUEUE_SLOT_BYTES / 4}
            .encode();
  }
  pthread_mutexattr_t mutex_attributes;
  pthread_mutexattr_init(&mutex_attributes);
  pthread_mutexattr_setpshared(&mutex_attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &mutex_attributes);
  pthread_condattr_t cond_attributes;
  pthread_condattr_init(&cond_attributes);
  pthread_condattr_setpshared(&cond_attributes, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->changed, &cond_attributes);

  pthread_barrierattr_t barrier_attributes;
  pthread_barrierattr_init(&barrier_attributes);
  pthread_barrierattr_setpshared(&barrier_attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &barrier_attributes, ranks);

  std::fflush(nullptr);
  std::vector<pid_t> processes;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const pid_t process = fork();
    if (process < 0) throw std::runtime_error("fake device: cannot fork");
    if (process == 0) leave(run_one(rank, body));
    processes.push_back(process);
  }
  Result result;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    int status = 0;
    while (waitpid(processes[rank], &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) result.bad_ranks.push_back(rank);
  }
  result.failure = shared->failure;
  result.failure_code = shared->failure_code;
  for (std::uint32_t i = 0; i < shared->log_entries; ++i) {
    const LogEntry& entry = shared->log[i];
    result.operations.push_back({entry.name, entry.path, entry.reason, entry.note});
  }
  shared = nullptr;
  memories = nullptr;
  return result;
}

}  // namespace tidings::fake

using namespace tidings::fake;
namespace registers = tidings::registers;

struct tidings_bus {
  bool open = false;
};

/// One for each slot of this process.
static std::array<tidings_bus, kMostSlots> buses;

static Slot& slot_of(const tidings_bus* bus) {
  return shared->slots[me * shared->slots_per_rank + static_cast<std::uint32_t>(bus - buses.data())];
}

const char* tidings_platform_read(tidings_platform* platform) {
  if (shared == nullptr) return "runs outside a test";
  platform->rank = me;
  platform->ranks = shared->ranks;
  platform->slots = shared->slots_per_rank;
  platform->endpoints = shared->endpoints.data();
  platform->grid = shared->grid;
  platform->hardware_collectives = shared->hardware;
  platform->machine = "fake";
  return nullptr;
}

tidings_bus* tidings_bus_open(std::uint32_t slot) {
  if (shared == nullptr || slot >= shared->slots_per_rank) return nullptr;
  buses[slot].open = true;
  return &buses[slot];
}

void tidings_bus_close(tidings_bus* bus) {
  const Lock lock;
  bus->open = false;
  run_commands(slot_of(bus));
}

std::uint32_t tidings_bus_reach(tidings_bus* bus, const void* base, std::size_t bytes, std::uint32_t spare) {
  std::memcpy(static_cast<std::byte*>(tidings_bus_memory(bus).base) + spare, base, bytes);
  return spare;
}

void tidings_bus_reached(tidings_bus* bus, void* base, std::size_t bytes, std::uint32_t address) {
  std::memcpy(base, static_cast<std::byte*>(tidings_bus_memory(bus).base) + address, bytes);
}

tidings_memory tidings_bus_memory(tidings_bus* bus) { return {memory(index_of(slot_of(bus))), shared->memory_bytes}; }

std::uint32_t tidings_bus_read(tidings_bus* bus, std::uint32_t address) {
  const Lock lock;
  ++reads;
  Slot& slot = slot_of(bus);
  // Whoever asks how far the commands are hears of it only the next time.
  const std::uint32_t completed = reg<registers::RmaCompleted>(slot);
  run_commands(slot);
  if (address == registers::RmaCompleted::kAddress) return completed;
  return address == registers::IrqStatus::kAddress ? irq_status(slot) : reg(slot, address);
}

void tidings_bus_write(tidings_bus* bus, std::uint32_t address, std::uint32_t value) {
  const Lock lock;
  ++writes;
  Slot& slot = slot_of(bus);
  switch (address) {
    case registers::IrqStatus::kAddress:
      slot.sticky &= ~(value & (TIDINGS_IRQ_RMA_DONE | TIDINGS_IRQ_MPE_DONE | TIDINGS_IRQ_ERROR));
      break;
    case registers::RmaError::kAddress:
      reg<registers::RmaError>(slot) = 0;
      break;
    case registers::RmaCommand::kAddress:
      queue_command(slot, value);
      break;
    case registers::MpeCommand::kAddress:
      if (slot.collectives_queued == kMpeDepth) {
        reg<registers::MpeError>(slot) = registers::MpeError{.overflow = true}.encode();
        slot.sticky |= TIDINGS_IRQ_ERROR;
        break;
      }
      slot.collectives[slot.collectives_queued++] = {reg<registers::MpeSource>(slot),
                                                     reg<registers::MpeDestination>(slot),
                                                     reg<registers::MpeCount>(slot),
                                                     reg<registers::MpeDescriptor>(slot),
                                                     value,
                                                     false,
                                                     0,
                                                     false};
      run_collectives();
      break;
    default:
      reg(slot, address) = value;
      break;
  }
  pthread_cond_broadcast(&shared->changed);
}

void tidings_bus_wait(tidings_bus* bus) {
  {
    const Lock lock;
    Slot& slot = slot_of(bus);
    run_commands(slot);
    while ((irq_status(slot) & reg<registers::IrqEnable>(slot)) == 0 && !shared->ended && !woken) {
      pthread_cond_wait(&shared->changed, &shared->mutex);
    }
    if (!shared->ended) return;
  }
  leave(0);
}

std::uint64_t tidings_clock_ns() { return 0; }

bool tidings_word_schedule(std::uint32_t, std::uint32_t, std::uint32_t, std::uint16_t*) { return false; }
// Time is real here: nothing stands still while other threads of a rank go on.
void tidings_threads_begin() {}
void tidings_threads_settle(const std::uint32_t*, std::uint32_t) {}
void tidings_threads_tell(const std::uint32_t*) {}
void tidings_threads_wake() {
  const Lock lock;
  woken = true;
  pthread_cond_broadcast(&shared->changed);
}
void tidings_threads_depart() {
  const Lock lock;
  woken = false;
}
void* tidings_threads_leave() { return nullptr; }
void tidings_threads_return(void*) {}

void tidings_fail(int code, const char* message) {
  {
    const Lock lock;
    if (!shared->ended) {
      shared->ended = true;
      shared->failure_code = code;
      std::snprintf(shared->failure, sizeof shared->failure, "rank %u: %s", me, message);
    }
    pthread_cond_broadcast(&shared->changed);
  }
  leave(0);
}
