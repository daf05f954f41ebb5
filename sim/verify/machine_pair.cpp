// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/machine_pair.h"

#include <algorithm>
#include <array>
#include <random>
#include <span>

#include "generated/engines.h"
#include "generated/registers.h"
#include "generated/tidings_pkg.h"
#include "sim/verify/lockstep_node.h"

namespace tidings::verify {
namespace {

constexpr std::size_t kMemoryBytes = 16384;

std::uint32_t slots_of(const MachineConfig& config) { return Topology(config.topology).endpoints(); }

std::string plural(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

MachinePair::MachinePair(const MachineConfig& config, const FabricFactory& expected, const FabricFactory& got,
                         const Options& options)
    : options_(options),
      expected_(config, slots_of(config), expected),
      got_(config, slots_of(config), got),
      slots_(slots_of(config)),
      expected_memory_(slots_ * kMemoryBytes),
      asked_(slots_),
      answers_(slots_),
      collectives_(slots_),
      lines_(slots_),
      links_(expected_.topology().nodes()) {
  for (std::vector<Begun>& channels : links_)
    channels.resize(std::size_t{expected_.topology().ports()} * tidings_pkg::kMaxVcs);
  std::minstd_rand random(options.seed);
  for (std::byte& byte : expected_memory_) byte = static_cast<std::byte>(random() >> 8);
  got_memory_ = expected_memory_;
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    const Endpoint endpoint = expected_.topology().endpoint(slot);
    const std::size_t first = slot * kMemoryBytes;
    expected_.attach_memory(endpoint, std::span(expected_memory_).subspan(first, kMemoryBytes));
    got_.attach_memory(endpoint, std::span(got_memory_).subspan(first, kMemoryBytes));
  }
}

void MachinePair::run(const std::vector<Operation>& script, Cycle last) {
  last_ = last;
  for (const Operation& operation : script) {
    if (operation.settle) settle();
    for (const Access& access : operation.accesses) apply(access);
    static_cast<void>(advance(operation.advance));
    if (expected_.now() >= last_) return;
  }
  settle();
  if (!options_.compares) return;
  check_complete();
  compare_memories();
}

void MachinePair::report(Compared& compared) const {
  const MachineCounters counters = expected_.counters();
  compared.cycles += counters.cycles_stepped;
  compared.flit_hops += counters.flit_hops;
  compared.bus_reads += reads_;
  compared.interrupts += interrupts_;
  compared.memory_words += memory_words_;
  compared.headers = headers_;
  compared.accesses = accesses_;
}

void MachinePair::apply(const Access& access) {
  if (access.rank >= slots_) {
    throw std::invalid_argument("rank " + std::to_string(access.rank) + " in a machine of " + std::to_string(slots_));
  }
  const Cycle at = expected_.now() + access.delay;
  const Endpoint endpoint = expected_.topology().endpoint(access.rank);
  if (access.write) {
    if (access.address == registers::MpeCommand::kAddress) ++collectives_[access.rank];
    accesses_.push_back({.write = true, .address = access.address, .data = access.data});
    expected_.bus_write(endpoint, at, access.address, access.data);
    got_.bus_write(endpoint, at, access.address, access.data);
  } else {
    asked_[access.rank].push_back(access.address);
    expected_.bus_read(endpoint, at, access.address);
    got_.bus_read(endpoint, at, access.address);
  }
}

void MachinePair::settle() {
  if (advance(options_.patience) || expected_.now() >= last_) return;
  NodeIndex first{0};
  std::string busy;
  for (std::uint32_t n = expected_.topology().nodes(); n-- > 0;) {
    if (!expected_.outputs(NodeIndex{n}).busy) continue;
    first = NodeIndex{n};
    busy = " " + std::to_string(n) + busy;
  }
  NodeIndex of_commands{0};
  const std::string waiting = describe_waiting(100, of_commands);
  if (busy.empty()) first = of_commands;
  throw Stuck(StopKind::kBusy, first,
              "the machine has not come to rest in " + plural(options_.patience, "cycle") + "; busy nodes:" +
                  (busy.empty() ? " none" : busy) + (waiting.empty() ? "; no command waits" : "; " + waiting));
}

bool MachinePair::advance(std::uint64_t cycles) {
  const Cycle end = std::min(Cycle{expected_.now().value + cycles}, last_);
  while (expected_.now() < end) {
    // Nodes differ in the step that leads to the next cycle.
    as_wholes_ = false;
    compared_ = expected_.now() + 1;
    const RunResult expected = expected_.run_until(expected_.now() + 1);
    as_wholes_ = true;
    const RunResult got = got_.run_until(got_.now() + 1);
    compared_ = expected_.now();
    if (options_.compares) {
      const Topology& topology = expected_.topology();
      if (expected_.now() != got_.now()) {
        throw Divergence(NodeIndex{0}, "machine", "cycle", expected_.now().value, got_.now().value);
      }
      for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
        compare(NodeIndex{node}, expected_.outputs(NodeIndex{node}), got_.outputs(NodeIndex{node}));
        see_packets(NodeIndex{node});
      }
      if (expected.quiescent != got.quiescent) {
        throw Divergence(NodeIndex{0}, "machine", "at rest", expected.quiescent, got.quiescent);
      }
    }
    compare_reads(expected, got);
    count_interrupts();
    if (expected.quiescent) return true;
  }
  return false;
}

void MachinePair::compare_reads(const RunResult& expected, const RunResult& got) {
  if (options_.compares && expected.reads.size() != got.reads.size()) {
    throw Divergence(NodeIndex{0}, "machine", "bus reads", expected.reads.size(), got.reads.size());
  }
  for (std::size_t i = 0; i < expected.reads.size(); ++i) {
    const CompletedRead& read = expected.reads[i];
    const std::uint32_t rank = expected_.topology().number(read.endpoint);
    const NodeIndex node{rank / expected_.topology().slots()};
    if (options_.compares && !(read == got.reads[i])) {
      throw Divergence(node, "bus", "read", read.data, got.reads[i].data);
    }
    ++reads_;
    answers_[rank].push_back(read.data);
    accesses_.push_back({.write = false, .address = asked_[rank].front(), .data = read.data});
    const bool consumes = asked_[rank].front() == registers::RmaQueueTail::kAddress;
    asked_[rank].pop_front();
    if (consumes)
      apply({.rank = rank, .delay = 0, .write = true, .address = registers::RmaQueueHead::kAddress, .data = read.data});
  }
}

void MachinePair::count_interrupts() {
  for (std::uint32_t rank = 0; rank < slots_; ++rank) {
    const bool high = expected_.interrupt(expected_.topology().endpoint(rank));
    if (high && !lines_[rank]) ++interrupts_;
    lines_[rank] = high;
  }
}

void MachinePair::see_packets(NodeIndex node) {
  const std::vector<PortOutput>& ports = expected_.outputs(node).ports;
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (!ports[p].flit_valid) continue;
    const Flit& flit = ports[p].flit;
    Begun& packet = links_[node.value][p * tidings_pkg::kMaxVcs + flit.vc];
    if (!packet.inside) {
      const auto header = tidings_pkg::Header0::decode(flit.data);
      const bool neighbour = header.kind == tidings_pkg::Kind::kNeighbour;
      packet = {.first = flit.data,
                .inside = !flit.last,
                .of_node = neighbour || header.src_node == expected_.topology().id(node)};
      if (flit.last && packet.of_node) headers_.emplace_back(flit.data, std::nullopt);
      continue;
    }
    if (packet.of_node) headers_.emplace_back(packet.first, flit.data);
    packet.of_node = false;
    packet.inside = !flit.last;
  }
}

void MachinePair::compare_memories() {
  for (std::size_t i = 0; i < expected_memory_.size(); ++i) {
    if (expected_memory_[i] == got_memory_[i]) continue;
    const auto rank = static_cast<std::uint32_t>(i / kMemoryBytes);
    throw Divergence(NodeIndex{rank / expected_.topology().slots()},
                     "memory of slot " + std::to_string(rank % expected_.topology().slots()),
                     "byte " + std::to_string(i % kMemoryBytes), std::to_integer<std::uint64_t>(expected_memory_[i]),
                     std::to_integer<std::uint64_t>(got_memory_[i]));
  }
  memory_words_ += expected_memory_.size() / 4;
}

void MachinePair::check_complete() {
  NodeIndex node{0};
  const std::string waiting = describe_waiting(options_.patience, node);
  if (!waiting.empty()) throw Stuck(StopKind::kWaiting, node, "nothing moves any more, and commands wait: " + waiting);
}

std::string MachinePair::describe_waiting(std::uint64_t patience, NodeIndex& node) {
  constexpr std::array<std::uint16_t, 4> kAsked{registers::IrqStatus::kAddress, registers::RmaUnacknowledged::kAddress,
                                                registers::MpeCompleted::kAddress, registers::MpeError::kAddress};
  for (std::vector<std::uint32_t>& answers : answers_) answers.clear();
  // Answers to what the script has asked come first.
  std::vector<std::size_t> earlier;
  for (std::uint32_t rank = 0; rank < slots_; ++rank) {
    earlier.push_back(asked_[rank].size());
    for (const std::uint16_t address : kAsked) apply({.rank = rank, .address = address});
  }
  static_cast<void>(advance(patience));
  std::string text;
  for (std::uint32_t rank = slots_; rank-- > 0;) {
    std::string waits;
    if (answers_[rank].size() < earlier[rank] + kAsked.size()) {
      waits = " bus reads without an answer,";
    } else {
      const std::span answers = std::span(answers_[rank]).subspan(earlier[rank]);
      if ((registers::IrqStatus::decode(answers[0]).idle & engine_bit(tidings_pkg::Engine::kRma)) == 0)
        waits = " rma is not idle,";
      if (answers[1] != 0) waits += " " + plural(answers[1], "PUT") + " not acknowledged,";
      // An engine that has met a mismatch stops; one whose queue overflowed drops commands.
      if (answers[3] == 0 && answers[2] != collectives_[rank]) {
        waits += " " + std::to_string(answers[2]) + " of " + plural(collectives_[rank], "collective") + " complete,";
      }
    }
    if (waits.empty()) continue;
    waits.back() = ';';
    node = NodeIndex{rank / expected_.topology().slots()};
    text = " rank " + std::to_string(rank) + ":" + waits + text;
  }
  return text.empty() ? text : text.substr(1, text.size() - 2);
}

}  // namespace tidings::verify
