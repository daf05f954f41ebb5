// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/benchmark/alltoall_benchmark.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "generated/engines.h"
#include "generated/registers.h"
#include "sim/benchmark/slot_commands.h"
#include "sim/machine/machine.h"
#include "sim/machine/network_ports.h"

namespace tidings {
namespace {

/// Loading the longest program takes fewer.
constexpr std::uint64_t kBegin = 4096;
constexpr std::uint64_t kReport = 1'000'000;
constexpr std::uint32_t kWordBytes = 4, kNothing = ~0U;

/// The words of an element that is a whole number.
std::uint32_t word_of(tidings_pkg::Element element, std::uint32_t number, bool high) {
  std::uint64_t bits = number;
  if (element == tidings_pkg::Element::kFloat) bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (element == tidings_pkg::Element::kDouble) bits = std::bit_cast<std::uint64_t>(static_cast<double>(number));
  return static_cast<std::uint32_t>(high ? bits >> 32 : bits);
}

/// Memories of all ranks: blocks to send, then blocks to receive. There is one of each if nobody has more.
class Blocks {
 public:
  Blocks(std::uint32_t ranks, std::uint32_t words, const std::optional<SwitchCollective>& other)
      : ranks_(ranks),
        blocks_(!other || other->scatters || other->gathers ? ranks : 1),
        words_(words),
        other_(other.value_or(SwitchCollective{
            .root = {}, .scatters = true, .gathers = true, .element = {}, .summands = {}, .outputs = {}})),
        memory_(std::size_t{2} * ranks * blocks_ * words) {
    std::ranges::fill(memory_, kNothing);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (std::uint32_t i = 0; i < blocks_ * words; ++i) of(rank)[i] = content(rank, i);
    }
  }

  [[nodiscard]] std::uint32_t bytes() const { return blocks_ * words_ * kWordBytes; }
  [[nodiscard]] std::span<std::uint32_t> of(std::uint32_t rank) {
    const std::size_t size = std::size_t{2} * blocks_ * words_;
    return std::span(memory_).subspan(rank * size, size);
  }
  void check(std::uint32_t rank) {
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      for (std::uint32_t word = 0; word < words_; ++word) {
        const std::uint32_t expected = result(rank, block, word);
        const std::uint32_t got = of(rank)[(blocks_ + block) * words_ + word];
        if (got == expected) continue;
        throw std::runtime_error("rank " + std::to_string(rank) + ", word " + std::to_string(word) + " of block " +
                                 std::to_string(block) + " is " + std::to_string(got) + ", not " +
                                 std::to_string(expected));
      }
    }
  }

 private:
  /// What comes to a word of a rank's block.
  [[nodiscard]] std::uint32_t result(std::uint32_t rank, std::uint32_t block, std::uint32_t word) const {
    if (other_.element) {
      if (other_.root && rank != *other_.root) return kNothing;
      std::uint32_t sum = 0;
      for (std::uint32_t from = 0; from < ranks_; ++from) sum += number(from, word);
      return word_of(*other_.element, sum, is_high(word));
    }
    if (!other_.gathers && block != 0) return kNothing;
    if (other_.gathers && other_.root && rank != *other_.root) return kNothing;
    const std::uint32_t from = other_.gathers ? block : other_.root.value();
    return from == rank ? kNothing : content(from, other_.scatters ? rank * words_ + word : word);
  }
  /// Different for every word of the machine, if there are no elements.
  [[nodiscard]] std::uint32_t content(std::uint32_t rank, std::uint32_t word) const {
    if (other_.element) return word_of(*other_.element, number(rank, word), is_high(word));
    return rank * blocks_ * words_ + word;
  }
  /// The element that a word is of: sums of all ranks are exact.
  [[nodiscard]] std::uint32_t number(std::uint32_t rank, std::uint32_t word) const {
    constexpr std::uint32_t kElements = 4099;
    return rank * 7 + (word >> (is_wide() ? 1 : 0)) % kElements;
  }
  [[nodiscard]] bool is_wide() const { return tidings_pkg::is_wide(*other_.element); }
  [[nodiscard]] bool is_high(std::uint32_t word) const { return is_wide() && word % 2 != 0; }

  std::uint32_t ranks_;
  std::uint32_t blocks_;
  std::uint32_t words_;
  SwitchCollective other_;
  std::vector<std::uint32_t> memory_;
};

void load(Machine& machine, Endpoint endpoint, std::uint32_t ports, const AlltoallOrders& orders) {
  const auto write = [&](std::uint16_t address, std::uint32_t data) {
    machine.bus_write(endpoint, Cycle{0}, address, data);
  };
  for (std::uint32_t order = 0; order < orders.size(); ++order) {
    const std::vector<std::uint8_t>& entries = orders[order];
    const bool moves = order < 2 * tidings_pkg::kSwitchSides;
    const std::uint32_t side = order % tidings_pkg::kSwitchSides;
    if (moves && side >= ports && side != tidings_pkg::kSwitchPorts) continue;
    const bool sets = order < tidings_pkg::kSwitchSides;
    const std::uint32_t width = moves && !(sets && ports > 4) ? 4 : 8;
    const std::uint32_t per_word = tidings_pkg::kWordWidth / width;
    write(registers::AlltoallPlace::kAddress, registers::AlltoallPlace{.row = 0, .order = order}.encode());
    for (std::size_t first = 0; first < entries.size(); first += per_word) {
      std::uint32_t word = 0;
      for (std::size_t i = first; i < std::min<std::size_t>(first + per_word, entries.size()); ++i) {
        word |= std::uint32_t{entries[i]} << (i - first) * width;
      }
      write(registers::AlltoallEntries::kAddress, word);
    }
    write(registers::AlltoallLength::at(order), static_cast<std::uint32_t>(entries.size()));
  }
}

}  // namespace

std::uint64_t benchmark_alltoall(const MachineConfig& config, const FabricFactory& factory,
                                 const std::vector<AlltoallOrders>& programs, std::uint32_t words,
                                 const std::optional<SwitchCollective>& other) {
  constexpr std::uint32_t kDone = registers::IrqStatus{.done = engine_bit(tidings_pkg::Engine::kAlltoall)}.encode();
  const auto ranks = static_cast<std::uint32_t>(programs.size());
  Machine machine(config, ranks, factory);
  Blocks blocks(ranks, words, other);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const Endpoint endpoint = machine.topology().endpoint(rank);
    machine.attach_memory(endpoint, std::as_writable_bytes(blocks.of(rank)));
    SlotCommands(machine, endpoint).enable_interrupts(Cycle{0}, kDone);
    load(machine, endpoint, switch_ports(node_parameters(config)), programs[rank]);
    if (other && other->element) {
      const registers::AlltoallSums sum{.summands = other->summands.at(rank),
                                        .outputs = other->outputs.at(rank),
                                        .element = static_cast<std::uint32_t>(*other->element),
                                        .combine = static_cast<std::uint32_t>(tidings_pkg::Combine::kSum)};
      machine.bus_write(endpoint, Cycle{0}, registers::AlltoallSums::kAddress, sum.encode());
    }
    // The last of the three is the one that starts.
    machine.bus_write(endpoint, Cycle{kBegin - 2}, registers::AlltoallSource::kAddress, 0);
    machine.bus_write(endpoint, Cycle{kBegin - 1}, registers::AlltoallDestination::kAddress, blocks.bytes());
    machine.bus_write(endpoint, Cycle{kBegin}, registers::AlltoallStart::kAddress, words);
    machine.watch(endpoint, Cycle{0});
  }
  for (std::uint32_t done = 0; done < ranks;) {
    const RunResult result = machine.run_until(machine.now() + kReport);
    done += static_cast<std::uint32_t>(result.interrupts.size());
    if (result.quiescent && done < ranks) {
      throw std::runtime_error("it never ends at " + std::to_string(ranks - done) + " ranks");
    }
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) blocks.check(rank);
  return machine.now() - Cycle{kBegin};
}

}  // namespace tidings
