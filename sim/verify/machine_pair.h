// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file machine_pair.h
/// Two machines that must be equal, with the same software.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/verify/compared.h"

namespace tidings::verify {

/// One access to the registers of a rank's slot.
struct Access {
  std::uint32_t rank = 0;
  std::uint32_t delay = 0;  ///< cycles from the start of its operation
  bool write = false;
  std::uint16_t address = 0;
  std::uint32_t data = 0;
};

/// What software does at one time. The answer to a read of queue_tail is written to queue_head: messages are consumed.
struct Operation {
  bool settle = false;        ///< begins when nothing is under way any more
  std::uint32_t advance = 0;  ///< cycles until the next operation
  std::vector<Access> accesses;
};

/// Both machines are the same, and do not come to their end.
class Stuck : public std::runtime_error {
 public:
  Stuck(StopKind kind, NodeIndex node, const std::string& reason)
      : std::runtime_error(reason), kind_(kind), node_(node) {}
  [[nodiscard]] StopKind kind() const { return kind_; }
  [[nodiscard]] NodeIndex node() const { return node_; }  ///< the first that is concerned

 private:
  StopKind kind_;
  NodeIndex node_;
};

/// Advances two machines cycle by cycle and compares all that shows.
class MachinePair {
 public:
  struct Options {
    std::uint32_t seed = 1;           ///< of the memories' contents
    std::uint64_t patience = 200000;  ///< cycles in which everything must have come to rest
    bool compares = true;             ///< otherwise they just run
  };

  MachinePair(const MachineConfig& config, const FabricFactory& expected, const FabricFactory& got,
              const Options& options);

  /// Runs a script, until `last` at most; where it gets to its end, all commands must be complete.
  /// @throws Divergence, Stuck, and what the machines throw.
  void run(const std::vector<Operation>& script, Cycle last = Cycle::max());

  [[nodiscard]] Machine& expected() { return expected_; }
  [[nodiscard]] Machine& got() { return got_; }
  /// The cycle whose outputs were compared last, or could not be.
  [[nodiscard]] Cycle compared() const { return compared_; }
  /// What is compared is the machines as wholes, not nodes with the same inputs.
  [[nodiscard]] bool as_wholes() const { return as_wholes_; }
  /// Adds what has been compared so far.
  void report(Compared& compared) const;

 private:
  void apply(const Access& access);
  void settle();
  /// @return whether nothing is left to happen.
  bool advance(std::uint64_t cycles);
  void compare_reads(const RunResult& expected, const RunResult& got);
  void count_interrupts();
  /// Keeps the first two words of packets that a node sends over a link.
  void see_packets(NodeIndex node);
  void compare_memories();
  /// @throws Stuck if commands wait.
  void check_complete();
  /// Reads registers and says which commands of which ranks wait. @param node set to that of the first one.
  std::string describe_waiting(std::uint64_t patience, NodeIndex& node);

  Options options_;
  Machine expected_;
  Machine got_;
  std::uint32_t slots_;
  std::vector<std::byte> expected_memory_;
  std::vector<std::byte> got_memory_;
  std::vector<std::deque<std::uint16_t>> asked_;     ///< a slot: addresses of reads without an answer
  std::vector<std::vector<std::uint32_t>> answers_;  ///< a slot: of reads since this was cleared
  std::vector<std::uint32_t> collectives_;           ///< a slot: commands of mpe
  std::vector<bool> lines_;                          ///< a slot: its interrupt line
  Cycle last_ = Cycle::max();
  Cycle compared_;
  bool as_wholes_ = false;
  std::uint64_t reads_ = 0;
  std::uint64_t interrupts_ = 0;
  std::uint64_t memory_words_ = 0;
  /// A packet on a link, after its first word.
  struct Begun {
    std::uint32_t first = 0;
    bool inside = false;
    bool of_node = false;  ///< this is the first link of its way
  };
  std::vector<std::vector<Begun>> links_;  ///< a node: its network ports, each with all channels
  std::vector<PacketHeader> headers_;
  std::vector<RegisterAccess> accesses_;
};

}  // namespace tidings::verify
