// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/benchmark/rma_benchmark.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "generated/engines.h"
#include "generated/registers.h"
#include "sim/benchmark/slot_commands.h"
#include "sim/cycle/name_table.h"
#include "sim/machine/machine.h"

namespace tidings {
namespace {

/// Cycle of the first command. Tables have been loaded by then, and its operands written.
constexpr Cycle kBegin{128};
constexpr std::uint32_t kWordBytes = 4;
/// Of the registration table: all memory, and one that is registered and deregistered.
constexpr std::uint32_t kRegion = 0, kOtherRegion = 1;
/// What a plan may take at most: cycles, and cycles per word that moves anywhere.
constexpr std::uint64_t kPatience = 20'000, kPatiencePerWord = 64;
constexpr std::uint32_t kUntouched = 0xa5a5'a5a5;

/// A word of a rank's memory before anything moves; differs from rank to rank and from word to word.
std::uint32_t word_of(std::uint32_t rank, std::uint32_t index) { return (rank + 1) << 24 ^ (index + 1) * 0x9e37'79b1U; }

std::uint32_t mpe_command_of(const CollectivePlan& plan, const CollectiveWay& way) {
  const registers::MpeCommand command{.operation = static_cast<std::uint32_t>(tidings_pkg::Collective::kBarrier),
                                      .element = 0,
                                      .parent = plan.exchange ? 0 : way.parent,
                                      .children = way.children,
                                      .exchange = plan.exchange,
                                      .swap = way.swap};
  return command.encode();
}

/// What a processor tells its engine to do: register writes, of which the last one starts it.
struct Order {
  struct Write {
    std::uint16_t address;
    std::uint32_t data;
  };
  std::vector<Write> operands;
  Write command{};
  bool is_rma = true;
};

/// A processor that takes no time. It writes operands that differ from what it wrote last, and asks its engine how far
/// it is in every cycle in which it has nothing to write.
class Processor {
 public:
  Processor(Machine& machine, Endpoint endpoint)
      : machine_(machine), endpoint_(endpoint), depth_(machine.config().node.rma_command_depth) {}

  void add(Order order) { orders_.push_back(std::move(order)); }
  /// @param at_once its engine waits for what is under way, not the processor.
  void meet_by(Order::Write write, bool at_once = false) {
    meeting_ = write;
    at_once_ = at_once;
  }

  /// Writes the operands of the first order. @return how many there are.
  std::uint32_t prepare() {
    if (orders_.empty()) return 0;
    for (const Order::Write& operand : orders_.front().operands) change(Cycle{0}, operand);
    return static_cast<std::uint32_t>(orders_.front().operands.size());
  }

  void answer(const CompletedRead& read) {
    const std::uint16_t asked = asked_.front();
    asked_.pop_front();
    if (asked == registers::RmaCompleted::kAddress) completed_ = read.data;
    if (asked == registers::RmaUnacknowledged::kAddress) acknowledged_ = read.data == 0;
  }

  /// What it does in a cycle, of which it has all answers.
  void act(Cycle now) {
    if (now < free_) return;
    if (!orders_.empty()) {
      if (issued_ - completed_ < depth_) return issue(now);
      return ask(now, registers::RmaCompleted::kAddress);
    }
    if (at_once_) return meet(now);
    if (completed_ != issued_) return ask(now, registers::RmaCompleted::kAddress);
    if (!acknowledged_) return ask(now, registers::RmaUnacknowledged::kAddress);
    meet(now);
  }

  [[nodiscard]] bool quiet() const { return quiet_; }
  [[nodiscard]] Endpoint endpoint() const { return endpoint_; }

 private:
  void meet(Cycle now) {
    quiet_ = true;
    if (meeting_) change(now, *std::exchange(meeting_, std::nullopt));
  }

  void issue(Cycle now) {
    const Order order = std::move(orders_.front());
    orders_.pop_front();
    free_ = now;
    for (const Order::Write& operand : order.operands) {
      if (change(now, operand)) ++free_;
    }
    machine_.bus_write(endpoint_, now, order.command.address, order.command.data);
    ++free_;
    if (!order.is_rma) return;
    ++issued_;
    acknowledged_ = false;
  }

  void ask(Cycle now, std::uint16_t address) {
    asked_.push_back(address);
    machine_.bus_read(endpoint_, now, address);
    free_ = now + 1;
  }

  /// @return whether the register held something else.
  bool change(Cycle at, const Order::Write& write) {
    const auto known = std::ranges::find(written_, write.address, &Order::Write::address);
    if (known != written_.end()) {
      if (known->data == write.data) return false;
      known->data = write.data;
    } else {
      written_.push_back(write);
    }
    machine_.bus_write(endpoint_, at, write.address, write.data);
    return true;
  }

  Machine& machine_;
  Endpoint endpoint_;
  std::uint32_t depth_;
  std::deque<Order> orders_;
  std::optional<Order::Write> meeting_;
  bool at_once_ = false;
  std::vector<Order::Write> written_;
  std::deque<std::uint16_t> asked_;
  Cycle free_{};                 ///< when it can access the next register
  std::uint32_t issued_ = 0;     ///< commands
  std::uint32_t completed_ = 0;  ///< as last read
  bool acknowledged_ = true;     ///< likewise: every PUT
  bool quiet_ = false;
};

class RmaRun {
 public:
  RmaRun(const MachineConfig& config, const FabricFactory& factory, const RmaPlan& plan)
      : plan_(plan),
        blocks_(plan.pattern == RmaPattern::kExchange ? plan.ranks : plan.blocks),
        memory_words_(2 * std::max(1U, blocks_ * plan.words)),
        machine_(config, plan.ranks, factory),
        memory_(std::size_t{plan.ranks} * memory_words_) {
    for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
      const std::span<std::uint32_t> words =
          std::span(memory_).subspan(std::size_t{rank} * memory_words_, memory_words_);
      for (std::uint32_t index = 0; index < memory_words_; ++index) {
        words[index] = index < memory_words_ / 2 ? word_of(rank, index) : kUntouched;
      }
      const Endpoint endpoint = machine_.topology().endpoint(rank);
      machine_.attach_memory(endpoint, std::as_writable_bytes(words));
      SlotCommands(machine_, endpoint).register_region(Cycle{0}, kRegion, 0, kWordBytes * memory_words_, true, true);
      processors_.emplace_back(machine_, endpoint);
    }
    expected_ = memory_;
    set_barrier();
    set_orders();
  }

  RmaTimes run() {
    RmaTimes times;
    for (Processor& processor : processors_) {
      times.operand_writes = std::max(times.operand_writes, processor.prepare());
    }
    const std::uint64_t patience = kPatience + kPatiencePerWord * plan_.ranks * memory_words_;
    // What they do first needs no answer, and a machine without anything to come would never get there.
    for (Processor& processor : processors_) processor.act(kBegin);
    while (machine_.now().value <= kBegin.value + patience) {
      const Cycle now = machine_.now();
      count_writes(now, times);
      if (now > kBegin) {
        for (Processor& processor : processors_) processor.act(now);
        if (is_over()) {
          times.met = now - kBegin;
          return times;
        }
      }
      const RunResult result = machine_.run_until(now + 1);
      for (const CompletedRead& read : result.reads) processors_[rank_of(read.endpoint)].answer(read);
      if (result.quiescent) break;
    }
    throw std::runtime_error("it never ends: " + unfinished());
  }

  void check() const {
    for (std::size_t place = 0; place < memory_.size(); ++place) {
      if (memory_[place] == expected_[place]) continue;
      throw std::runtime_error("wrong word at rank " + std::to_string(place / memory_words_) + ", address " +
                               std::to_string(kWordBytes * (place % memory_words_)) + ": expected " +
                               std::to_string(expected_[place]) + ", got " + std::to_string(memory_[place]));
    }
  }

 private:
  [[nodiscard]] std::uint32_t rank_of(Endpoint endpoint) const { return machine_.topology().number(endpoint); }

  void set_barrier() {
    for (std::uint32_t rank = 0; rank < plan_.ranks; ++rank) {
      SlotCommands commands(machine_, processors_[rank].endpoint());
      if (plan_.barrier == RmaBarrier::kEngine) {
        commands.enable_interrupts(Cycle{0},
                                   registers::IrqStatus{.done = engine_bit(tidings_pkg::Engine::kMpe)}.encode());
        processors_[rank].meet_by({registers::MpeCommand::kAddress,
                                   mpe_command_of(plan_.engine_barrier, plan_.engine_barrier.ways.at(rank))});
      } else if (plan_.barrier == RmaBarrier::kWires) {
        join_wires(rank, commands);
      }
    }
    if (plan_.barrier != RmaBarrier::kEngine) return;
    for (const CollectiveLink& link : plan_.engine_barrier.links) {
      SlotCommands(machine_, processors_.at(link.rank).endpoint())
          .tree_link(Cycle{0}, link.number, processors_.at(link.neighbour).endpoint(), link.peer_number, link.direct);
    }
  }

  void join_wires(std::uint32_t rank, SlotCommands& commands) {
    // A hub is at a single router; between routers the wires join slots 0.
    const Topology& topology = machine_.topology();
    const std::uint32_t slot = topology.number(processors_[rank].endpoint()) % topology.slots();
    if (plan_.wire_mates.size() != plan_.ranks || (machine_.config().node.barrier_slots >> slot & 1U) == 0) {
      throw std::invalid_argument("the ranks have no wires for barriers");
    }
    commands.enable_interrupts(Cycle{0},
                               registers::IrqStatus{.waiting = engine_bit(tidings_pkg::Engine::kBarrier)}.encode());
    commands.join_barrier(Cycle{0}, 0, plan_.wire_mates[rank]);
    commands.enable_barriers(Cycle{0}, 1);
    const registers::BarrierArrive arrive{.groups = 1, .quiet = 1};
    processors_[rank].meet_by({registers::BarrierArrive::kAddress, arrive.encode()}, /*at_once=*/true);
  }

  void set_orders() {
    const std::uint32_t half = memory_words_ / 2;
    switch (plan_.pattern) {
      case RmaPattern::kNothing:
        break;
      case RmaPattern::kPut:
      case RmaPattern::kPutRow:
        for (std::uint32_t block = 0; block < blocks_; ++block) {
          move(rma_pkg::RmaOperation::kPut, 0, 1, block * plan_.words, half + block * plan_.words);
        }
        break;
      case RmaPattern::kPutInline:
        for (std::uint32_t block = 0; block < blocks_; ++block) put_inline(block, half + block);
        break;
      case RmaPattern::kGet:
        move(rma_pkg::RmaOperation::kGet, 0, 1, 0, half);
        break;
      case RmaPattern::kExchange:
        for (std::uint32_t rank = 0; rank < plan_.ranks; ++rank) {
          for (std::uint32_t step = 0; step < plan_.ranks; ++step) {
            const std::uint32_t to = (rank + step) % plan_.ranks;
            move(rma_pkg::RmaOperation::kPut, rank, to, to * plan_.words, half + rank * plan_.words);
          }
        }
        break;
      case RmaPattern::kRegistration:
        order_registration(true);
        break;
      case RmaPattern::kDeregistration:
        order_registration(false);
        break;
      case RmaPattern::kAdd:
        for (std::uint32_t block = 0; block < blocks_; ++block) add(block, half);
        break;
    }
  }

  /// Have rank 0 write a word of its own to one of rank 1, from the command. @param from, to in words.
  void put_inline(std::uint32_t from, std::uint32_t to) {
    registers::RmaCommand command = command_of(rma_pkg::RmaOperation::kPut);
    command.inline_data = true;
    order_move(command, 0, 1, memory_[from], to, kWordBytes);
    expected_[std::size_t{memory_words_} + to] = memory_[from];
  }

  /// Have rank 0 add a word of its own to one of rank 1, and get the old value in its place. @param from, to in words.
  void add(std::uint32_t from, std::uint32_t to) {
    using tidings_pkg::AtomicLength;
    order_move(command_of(rma_pkg::RmaOperation::kAtomic), 0, 1, kWordBytes * from, to,
               AtomicLength{.operation = tidings_pkg::Atomic::kAdd, .bytes = kWordBytes}.encode());
    std::uint32_t& sum = expected_[std::size_t{memory_words_} + to];
    expected_[from] = std::exchange(sum, sum + memory_[from]);
  }

  void order_registration(bool valid) {
    Order order;
    order.is_rma = false;
    order.operands = {{registers::RmaRegionBase::at(kOtherRegion), kWordBytes},
                      {registers::RmaRegionLength::at(kOtherRegion), kWordBytes}};
    order.command = {registers::RmaRegionRights::at(kOtherRegion),
                     registers::RmaRegionRights{.valid = valid, .read = valid, .write = valid}.encode()};
    processors_[0].add(order);
  }

  /// Have a rank move a block between itself and another one. @param from, to places in memory, in words.
  void move(rma_pkg::RmaOperation operation, std::uint32_t rank, std::uint32_t other, std::uint32_t from,
            std::uint32_t to) {
    const bool put = operation == rma_pkg::RmaOperation::kPut;
    order_move(command_of(operation), rank, other, kWordBytes * (put ? from : to), put ? to : from,
               kWordBytes * plan_.words);
    const std::size_t source = std::size_t{put ? rank : other} * memory_words_ + from;
    const std::size_t destination = std::size_t{put ? other : rank} * memory_words_ + to;
    std::copy_n(memory_.begin() + static_cast<std::ptrdiff_t>(source), plan_.words,
                expected_.begin() + static_cast<std::ptrdiff_t>(destination));
  }

  [[nodiscard]] static registers::RmaCommand command_of(rma_pkg::RmaOperation operation) {
    return {.operation = static_cast<std::uint32_t>(operation)};
  }

  /// @param remote place in memory, in words. @param local, length as the engine's registers have them.
  void order_move(const registers::RmaCommand& command, std::uint32_t rank, std::uint32_t other, std::uint32_t local,
                  std::uint32_t remote, std::uint32_t length) {
    const Endpoint endpoint = processors_.at(other).endpoint();
    const registers::RmaRemote where{.node = endpoint.node.value, .slot = endpoint.slot.value, .region = kRegion};
    Order order;
    order.operands = {{registers::RmaLocalAddress::kAddress, local},
                      {registers::RmaRemote::kAddress, where.encode()},
                      {registers::RmaOffset::kAddress, kWordBytes * remote},
                      {registers::RmaLength::kAddress, length}};
    order.command = {registers::RmaCommand::kAddress, command.encode()};
    processors_[rank].add(order);
  }

  void count_writes(Cycle now, RmaTimes& times) {
    for (const Processor& processor : processors_) {
      const std::uint32_t number = rank_of(processor.endpoint());
      const std::uint32_t slots = machine_.topology().slots();
      const NodeOutputs& outputs = machine_.outputs(NodeIndex{number / slots});
      if (!outputs.slots[number % slots].memory_write_valid) continue;
      if (times.memory_writes++ == 0) times.first_write = now - kBegin;
      times.last_write = now - kBegin;
    }
  }

  [[nodiscard]] bool is_finished(const Processor& processor) const {
    return processor.quiet() && (plan_.barrier == RmaBarrier::kNone || machine_.interrupt(processor.endpoint()));
  }

  [[nodiscard]] bool is_over() const {
    return std::ranges::all_of(processors_, [this](const Processor& processor) { return is_finished(processor); });
  }

  [[nodiscard]] std::string unfinished() const {
    std::string ranks;
    for (std::uint32_t rank = 0; rank < plan_.ranks; ++rank) {
      const Processor& processor = processors_[rank];
      if (is_finished(processor)) continue;
      ranks += (ranks.empty() ? "rank " : ", rank ") + std::to_string(rank) +
               (processor.quiet() ? " waits for the others" : " has commands under way");
    }
    return ranks;
  }

  const RmaPlan& plan_;
  std::uint32_t blocks_;        ///< of a rank's sources
  std::uint32_t memory_words_;  ///< of a rank: its sources, and as many words that others write to
  Machine machine_;
  std::vector<std::uint32_t> memory_;  ///< of all ranks
  std::vector<std::uint32_t> expected_;
  std::deque<Processor> processors_;
};

}  // namespace

RmaTimes benchmark_rma(const MachineConfig& config, const FabricFactory& factory, const RmaPlan& plan) {
  if (plan.ranks < 2) throw std::invalid_argument("at least 2 ranks are needed");
  if (plan.words == 0 || plan.blocks == 0) throw std::invalid_argument("a block has at least 1 word, a row 1 block");
  if (plan.barrier == RmaBarrier::kEngine && plan.engine_barrier.ways.size() != plan.ranks) {
    throw std::invalid_argument("the engines' barrier is of other ranks");
  }
  if (plan.pattern == RmaPattern::kPutInline && plan.words != 1) throw std::invalid_argument("a command has one word");
  if (plan.pattern == RmaPattern::kAdd && config.node.rma_atomics == 0) {
    throw std::invalid_argument("the engines have no atomic accesses");
  }
  RmaRun run(config, factory, plan);
  const RmaTimes times = run.run();
  run.check();
  return times;
}

NameTimes benchmark_names() {
  constexpr std::uint32_t kNames = 32, kBase = 64;
  cycle::NameTable table(kNames);
  const auto cycles = [&](const cycle::NameCommand* command) {
    std::uint32_t count = 0;
    do {
      table.clock(count == 0 ? command : nullptr, {});
      ++count;
    } while (table.busy());
    if (command != nullptr && !table.result().found) throw std::runtime_error("the registration table found nothing");
    return count;
  };
  cycle::NameCommand command{.readable = true, .writable = true, .base = kBase, .length = kWordBytes};
  NameTimes times;
  times.nothing = cycles(nullptr);
  command.operation = cycle::NameOperation::kRegister;
  times.registration = cycles(&command);
  times.by_number = 1;  // the cycle in which it is asked for
  for (; table.row(table.result().number).base != kBase; table.clock(nullptr, {})) ++times.by_number;
  command.operation = cycle::NameOperation::kLookup;
  times.by_address = cycles(&command);
  command.operation = cycle::NameOperation::kDeregister;
  times.deregistration = cycles(&command);
  return times;
}

}  // namespace tidings
