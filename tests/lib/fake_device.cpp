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
#include "slot_regs.h"

namespace tidings::fake {
namespace {

constexpr unsigned kSecondsToHang = 10;
constexpr std::uint32_t kMostRanks = 32;
constexpr std::uint32_t kLinks = 8;
constexpr std::uint32_t kContexts = 8;
constexpr std::uint32_t kExchangeWords = 64;
constexpr std::uint32_t kRegions = 16;
constexpr std::uint32_t kCommandDepth = 8;
constexpr std::uint32_t kMpeDepth = 2;
constexpr std::uint32_t kStreamWords = 1U << 16;
constexpr std::uint32_t kLogEntries = 256;
constexpr std::uint32_t kSlotsPerNode = 3;  ///< so that nodes and slots of endpoints both vary

enum Nack : std::uint32_t { kNotRegistered = 1, kBounds = 2, kRights = 3, kQueueFull = 4, kCommandOverflow = 15 };

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
  std::array<std::uint32_t, sizeof(slot_regs_t) / 4> registers{};
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
  bool hardware = false;
  tidings_grid grid{};
  std::uint32_t slots_per_node = kSlotsPerNode;
  std::size_t memory_bytes = 0;
  std::uint32_t log_entries = 0;
  std::array<LogEntry, kLogEntries> log{};
  std::array<tidings_endpoint, kMostRanks> endpoints{};
  std::array<Slot, kMostRanks> slots;
};

/// The simulated machine of the current test, and which rank this process is.
Shared* shared = nullptr;
std::byte* memories = nullptr;
std::uint32_t me = 0;
std::uint64_t reads = 0;
std::uint64_t writes = 0;
std::array<char, 32> operation_name{};
int depth = 0;

class Lock {
 public:
  Lock() { pthread_mutex_lock(&shared->mutex); }
  ~Lock() { pthread_mutex_unlock(&shared->mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

std::uint32_t& reg(Slot& slot, std::size_t offset) { return slot.registers[offset / 4]; }
#define REG(slot, member) reg(slot, offsetof(slot_regs_t, member))
#define FIELD(name, word) (((word) & SLOT_REGS__##name##_bm) >> SLOT_REGS__##name##_bp)

std::byte* memory(std::uint32_t rank) { return memories + rank * shared->memory_bytes; }

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes != 0) std::memmove(to, from, bytes);
}

std::uint32_t rank_at(std::uint32_t node, std::uint32_t slot) { return node * shared->slots_per_node + slot; }

void refuse(Slot& slot, std::uint32_t code, std::uint32_t target) {
  slot.sticky |= TIDINGS_IRQ_ERROR;
  if (REG(slot, rma_error) == 0) {
    const tidings_endpoint& endpoint = shared->endpoints[target];
    REG(slot, rma_error) = code | (std::uint32_t{endpoint.node} << 4) | (std::uint32_t{endpoint.slot} << 16);
  }
}

/// Why the target does not allow the access; 0 where it does.
std::uint32_t refusal(std::uint32_t target, std::uint32_t region, std::uint32_t offset, std::uint32_t bytes,
                      std::uint32_t right) {
  Slot& slot = shared->slots[target];
  const std::size_t row = offsetof(slot_regs_t, region) + region * sizeof(slot_regs__region__stride10_t);
  const std::uint32_t rights = reg(slot, row + 8);
  if (region >= kRegions || (rights & SLOT_REGS__REGION__RIGHTS__VALID_bm) == 0) return kNotRegistered;
  if (std::uint64_t{offset} + bytes > reg(slot, row + 4)) return kBounds;
  if ((rights & right) == 0) return kRights;
  return 0;
}

std::byte* region_memory(std::uint32_t target, std::uint32_t region, std::uint32_t offset) {
  const std::size_t row = offsetof(slot_regs_t, region) + region * sizeof(slot_regs__region__stride10_t);
  return memory(target) + reg(shared->slots[target], row) + offset;
}

void run_command(Slot& slot, const RmaCommand& c) {
  const std::uint32_t remote = c.remote;
  const std::uint32_t target = rank_at(FIELD(RMA_REMOTE__NODE, remote), FIELD(RMA_REMOTE__SLOT, remote));
  const std::uint32_t region = FIELD(RMA_REMOTE__REGION, remote);
  const std::uint32_t bytes = c.length;
  const std::uint32_t offset = c.offset;
  std::byte* const local = memory(me) + c.local;
  Slot& other = shared->slots[target];
  switch (FIELD(RMA_COMMAND__OPERATION, c.command)) {
    case 0: {
      const std::uint32_t log2 = FIELD(QUEUE_SIZE__LOG2_SLOTS, REG(other, queue_size));
      const auto waiting = static_cast<std::uint16_t>(REG(other, queue_tail) - REG(other, queue_head));
      if (FIELD(QUEUE_SIZE__VALID, REG(other, queue_size)) == 0 || waiting >= 1U << log2) {
        refuse(slot, kQueueFull, target);
        break;
      }
      const std::uint32_t index = REG(other, queue_tail) & ((1U << log2) - 1);
      std::byte* const entry = memory(target) + REG(other, queue_base) + index * TIDINGS_QUEUE_SLOT_BYTES;
      const tidings_endpoint& mine = shared->endpoints[me];
      const std::uint32_t origin = (std::uint32_t{mine.slot} << 28) | (std::uint32_t{mine.node} << 16) | bytes;
      std::memcpy(entry, &origin, sizeof origin);
      copy_bytes(entry + 8, local, bytes);
      REG(other, queue_tail) = (REG(other, queue_tail) + 1) & 0xffff;
      break;
    }
    case 1:
      if (const std::uint32_t code = refusal(target, region, offset, bytes, SLOT_REGS__REGION__RIGHTS__WRITE_bm)) {
        refuse(slot, code, target);
      } else {
        copy_bytes(region_memory(target, region, offset), local, bytes);
      }
      break;
    default:
      if (const std::uint32_t code = refusal(target, region, offset, bytes, SLOT_REGS__REGION__RIGHTS__READ_bm)) {
        refuse(slot, code, target);
      } else {
        copy_bytes(local, region_memory(target, region, offset), bytes);
      }
      break;
  }
  ++REG(slot, rma_completed);
  if (FIELD(RMA_COMMAND__NOTIFY, c.command) != 0) slot.sticky |= TIDINGS_IRQ_RMA_DONE;
}

void queue_command(Slot& slot, std::uint32_t command) {
  if (slot.commands_queued == kCommandDepth) {
    REG(slot, rma_error) = kCommandOverflow;
    slot.sticky |= TIDINGS_IRQ_ERROR;
    return;
  }
  slot.commands[slot.commands_queued++] = {REG(slot, rma_local), REG(slot, rma_remote), REG(slot, rma_offset),
                                           REG(slot, rma_length), command};
}

/// Run the waiting commands of this rank.
void run_commands(Slot& slot) {
  for (std::uint32_t i = 0; i < slot.commands_queued; ++i) run_command(slot, slot.commands[i]);
  if (slot.commands_queued == 0) return;
  slot.commands_queued = 0;
  pthread_cond_broadcast(&shared->changed);
}

template <class T>
T combine_one(std::uint32_t combine, T a, T b) {
  if (combine == TIDINGS_MIN) return std::min(a, b);
  if (combine == TIDINGS_MAX) return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    if (combine == TIDINGS_SUM) return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    if (combine == TIDINGS_AND) return a & b;
    if (combine == TIDINGS_OR) return a | b;
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

std::uint32_t words_of(const Collective& c) {
  const std::uint32_t element = FIELD(MPE_COMMAND__ELEMENT, c.command);
  switch (FIELD(MPE_COMMAND__OPERATION, c.command)) {
    case TIDINGS_BARRIER:
      return 0;
    case TIDINGS_BROADCAST:
      return c.count;
    default:
      return element == TIDINGS_INT64 || element == TIDINGS_DOUBLE ? 2 * c.count : c.count;
  }
}

/// Row of the table of links, and place of the link's stream.
std::uint32_t row(const Collective& c, std::uint32_t link) {
  return FIELD(MPE_COMMAND__CONTEXT_ID, c.command) * kLinks + link;
}

/// The stream at the neighbour that a link leads to.
Stream& stream_behind(std::uint32_t rank, const Collective& c, std::uint32_t link) {
  const std::uint32_t there = reg(shared->slots[rank], offsetof(slot_regs_t, mpe_link) + 4 * row(c, link));
  Slot& neighbour = shared->slots[rank_at(FIELD(MPE_LINK__NODE, there), FIELD(MPE_LINK__SLOT, there))];
  return neighbour.streams[row(c, FIELD(MPE_LINK__PEER_LINK, there))];
}

void send_stream(std::uint32_t rank, const Collective& c, std::uint32_t link, const std::vector<std::uint32_t>& data) {
  Stream& stream = stream_behind(rank, c, link);
  stream.push(c.descriptor);
  for (const std::uint32_t word : data) stream.push(word);
}

/// The descriptor at the head of a link's stream is there and is ours.
bool joined(Slot& slot, const Collective& c, std::uint32_t link) {
  const Stream& stream = slot.streams[row(c, link)];
  if (stream.size() == 0) return false;
  if (stream.front() == c.descriptor) return stream.size() > words_of(c);
  if (REG(slot, mpe_error) == 0) {
    REG(slot, mpe_error) = SLOT_REGS__MPE_ERROR__MISMATCH_bm | (link << SLOT_REGS__MPE_ERROR__LINK_bp) |
                           FIELD(MPE_COMMAND__CONTEXT_ID, c.command) << SLOT_REGS__MPE_ERROR__CONTEXT_ID_bp;
    REG(slot, mpe_received) = stream.front();
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
  const std::uint32_t combine = FIELD(MPE_COMMAND__COMBINE, c.command);
  switch (FIELD(MPE_COMMAND__ELEMENT, c.command)) {
    case TIDINGS_INT32:
      combine_all<std::int32_t>(combine, into, from);
      break;
    case TIDINGS_INT64:
      combine_all<std::int64_t>(combine, into, from);
      break;
    case TIDINGS_FLOAT:
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
  ++REG(slot, mpe_completed);
  slot.sticky |= TIDINGS_IRQ_MPE_DONE;
}

/// Link of a round of an exchange; kLinks behind the last.
std::uint32_t round_link(const Collective& c, std::uint32_t round) {
  const std::uint32_t links = FIELD(MPE_COMMAND__CHILDREN, c.command);
  const std::uint32_t swap = FIELD(MPE_COMMAND__SWAP, c.command);
  for (std::uint32_t place = 0; place < kLinks; ++place) {
    const std::uint32_t link = place ^ (swap >> place / 2 & 1U);
    if ((links >> link & 1U) != 0 && round-- == 0) return link;
  }
  return kLinks;
}

/// One step of an exchange. What has been combined so far is at the destination.
bool step_exchange(std::uint32_t rank, Slot& slot, Collective& c) {
  std::vector<std::uint32_t> data(words_of(c));
  const std::size_t bytes = std::size_t{4} * data.size();
  auto* const mine = reinterpret_cast<std::byte*>(data.data());
  if (c.rounds_done == 0 && !c.sent) std::memmove(memory(rank) + c.destination, memory(rank) + c.source, bytes);
  const std::uint32_t link = round_link(c, c.rounds_done);
  if (link == kLinks) {
    complete(slot);
    return true;
  }
  copy_bytes(mine, memory(rank) + c.destination, bytes);
  if (!c.sent) {
    if (stream_behind(rank, c, link).room() <= data.size()) return false;
    send_stream(rank, c, link, data);
    c.sent = true;
    return true;
  }
  if (!joined(slot, c, link)) return false;
  combine_words(c, data, take(slot, c, link));
  copy_bytes(memory(rank) + c.destination, mine, bytes);
  ++c.rounds_done;
  c.sent = false;
  return true;
}

/// One step of the oldest collective of a slot. @return false where it cannot go on.
bool step_collective(std::uint32_t rank) {
  Slot& slot = shared->slots[rank];
  if (slot.collectives_queued == 0) return false;
  Collective& c = slot.collectives[0];
  if (FIELD(MPE_COMMAND__EXCHANGE, c.command) != 0) return step_exchange(rank, slot, c);
  const std::uint32_t operation = FIELD(MPE_COMMAND__OPERATION, c.command);
  const std::uint32_t parent = FIELD(MPE_COMMAND__PARENT, c.command);
  const std::uint32_t children = FIELD(MPE_COMMAND__CHILDREN, c.command);
  const bool root = parent == 15;
  const bool goes_up = operation != TIDINGS_BROADCAST;
  const bool goes_down = operation != TIDINGS_REDUCE;
  const std::size_t bytes = std::size_t{4} * words_of(c);
  for (std::uint32_t link = 0; link < kLinks; ++link) {
    const bool may_send = (children >> link & 1U) != 0 || link == parent;
    if (may_send && stream_behind(rank, c, link).room() <= words_of(c)) return false;
  }
  std::vector<std::uint32_t> data(words_of(c));

  if (!c.up_done) {
    if (goes_up) {
      for (std::uint32_t link = 0; link < kLinks; ++link) {
        if ((children >> link & 1U) != 0 && !joined(slot, c, link)) return false;
      }
    }
    if (goes_up || root) copy_bytes(reinterpret_cast<std::byte*>(data.data()), memory(rank) + c.source, bytes);
    for (std::uint32_t link = 0; goes_up && link < kLinks; ++link) {
      if ((children >> link & 1U) == 0) continue;
      combine_words(c, data, take(slot, c, link));
    }
    if (goes_up && !root) send_stream(rank, c, parent, data);
    c.up_done = true;
    if (goes_down && !root) return true;
  } else {
    if (!joined(slot, c, parent)) return false;
    data = take(slot, c, parent);
  }
  if (goes_down) {
    for (std::uint32_t link = 0; link < kLinks; ++link) {
      if ((children >> link & 1U) != 0) send_stream(rank, c, link, data);
    }
  }
  const bool stores = operation == TIDINGS_ALLREDUCE || (operation == TIDINGS_REDUCE && root) ||
                      (operation == TIDINGS_BROADCAST && !root);
  if (stores) copy_bytes(memory(rank) + c.destination, reinterpret_cast<const std::byte*>(data.data()), bytes);
  complete(slot);
  return true;
}

void run_collectives() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t rank = 0; rank < shared->ranks; ++rank) moved = step_collective(rank) || moved;
  }
}

std::uint32_t irq_status(Slot& slot) {
  std::uint32_t status = slot.sticky | TIDINGS_IRQ_RMA_IDLE;
  if (REG(slot, queue_tail) != REG(slot, queue_head)) status |= TIDINGS_IRQ_MESSAGE;
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

void meet() { pthread_barrier_wait(&shared->barrier); }

std::uint64_t bus_reads() { return reads; }

std::uint64_t bus_writes() { return writes; }

Result run_ranks(std::uint32_t ranks, const Options& options, const std::function<void(std::uint32_t)>& body) {
  if (ranks > kMostRanks) throw std::invalid_argument("fake device: too many ranks: " + std::to_string(ranks));
  const Mapping state(sizeof(Shared));
  const Mapping node_memory(ranks * options.memory_bytes);
  shared = new (state.get()) Shared;
  memories = static_cast<std::byte*>(node_memory.get());
  shared->ranks = ranks;
  shared->hardware = options.hardware_collectives;
  shared->memory_bytes = options.memory_bytes;
  shared->grid = options.grid;
  if (options.grid.dimensions != 0) shared->slots_per_node = 1;
  for (std::uint32_t i = 0; i < ranks; ++i) {
    shared->endpoints[i] = {static_cast<std::uint16_t>(i / shared->slots_per_node),
                            static_cast<std::uint8_t>(i % shared->slots_per_node)};
    Slot& slot = shared->slots[i];
    REG(slot, id) = SLOT_REGS__ID__MAGIC_reset;
    REG(slot, mpe_sizes) = kContexts | 1U << SLOT_REGS__MPE_SIZES__COMBINE_PORTS_bp |
                           kExchangeWords << SLOT_REGS__MPE_SIZES__PACKET_WORDS_bp |
                           1U << SLOT_REGS__MPE_SIZES__WIDE_ELEMENTS_bp;
    REG(slot, sizes) = kRegions | (kLinks << SLOT_REGS__SIZES__LINKS_bp) |
                       (kCommandDepth << SLOT_REGS__SIZES__COMMAND_DEPTH_bp) |
                       (64U << SLOT_REGS__SIZES__MESSAGE_WORDS_bp);
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
    result.operations.push_back({entry.name, entry.path, entry.reason});
  }
  shared = nullptr;
  memories = nullptr;
  return result;
}

}  // namespace tidings::fake

using namespace tidings::fake;

int tidings_device_open(tidings_device_info* info) {
  if (shared == nullptr) return -1;
  info->rank = me;
  info->ranks = shared->ranks;
  info->endpoints = shared->endpoints.data();
  info->grid = shared->grid;
  info->memory = memory(me);
  info->memory_bytes = shared->memory_bytes;
  info->hardware_collectives = shared->hardware;
  info->machine = "fake";
  return 0;
}

void tidings_device_close() {
  const Lock lock;
  run_commands(shared->slots[me]);
}

std::uint32_t tidings_bus_read(std::uint32_t address) {
  const Lock lock;
  ++reads;
  Slot& slot = shared->slots[me];
  // Whoever asks how far the commands are hears of it only the next time.
  const std::uint32_t completed = REG(slot, rma_completed);
  run_commands(slot);
  if (address == offsetof(slot_regs_t, rma_completed)) return completed;
  return address == offsetof(slot_regs_t, irq_status) ? irq_status(slot) : reg(slot, address);
}

void tidings_bus_write(std::uint32_t address, std::uint32_t value) {
  const Lock lock;
  ++writes;
  Slot& slot = shared->slots[me];
  switch (address) {
    case offsetof(slot_regs_t, irq_status):
      slot.sticky &= ~(value & (TIDINGS_IRQ_RMA_DONE | TIDINGS_IRQ_MPE_DONE | TIDINGS_IRQ_ERROR));
      break;
    case offsetof(slot_regs_t, rma_error):
      REG(slot, rma_error) = 0;
      break;
    case offsetof(slot_regs_t, rma_command):
      queue_command(slot, value);
      break;
    case offsetof(slot_regs_t, mpe_command):
      if (slot.collectives_queued == kMpeDepth) {
        REG(slot, mpe_error) = SLOT_REGS__MPE_ERROR__OVERFLOW_bm;
        slot.sticky |= TIDINGS_IRQ_ERROR;
        break;
      }
      slot.collectives[slot.collectives_queued++] = {REG(slot, mpe_source),
                                                     REG(slot, mpe_destination),
                                                     REG(slot, mpe_count),
                                                     REG(slot, mpe_descriptor),
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

void tidings_wait_interrupt() {
  {
    const Lock lock;
    Slot& slot = shared->slots[me];
    run_commands(slot);
    while ((irq_status(slot) & REG(slot, irq_enable)) == 0 && !shared->ended) {
      pthread_cond_wait(&shared->changed, &shared->mutex);
    }
    if (!shared->ended) return;
  }
  leave(0);
}

void tidings_copy(void* destination, const void* source, std::size_t bytes) {
  copy_bytes(static_cast<std::byte*>(destination), static_cast<const std::byte*>(source), bytes);
}

std::uint64_t tidings_clock_ns() { return 0; }

void tidings_work(enum tidings_work, std::uint64_t) {}

void tidings_operation_begin(const tidings_operation* operation) {
  if (depth++ == 0) std::snprintf(operation_name.data(), operation_name.size(), "%s", operation->name);
}

void tidings_operation_end(tidings_path path, const char* reason) {
  if (--depth != 0 || me != 0 || shared->log_entries == kLogEntries) return;
  LogEntry& entry = shared->log[shared->log_entries++];
  std::snprintf(entry.name, sizeof entry.name, "%s", operation_name.data());
  std::snprintf(entry.reason, sizeof entry.reason, "%s", reason == nullptr ? "" : reason);
  entry.path = path;
}

void tidings_operation_bytes(std::uint64_t) {}

void tidings_waiting_for(const char*, const std::uint32_t*, std::uint32_t) {}

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
