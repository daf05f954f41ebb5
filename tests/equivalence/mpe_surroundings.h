// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_surroundings.h
/// Random surroundings of one message passing engine: software, neighbours, network and memory.
#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "sim/cycle/mpe_pkg.h"
#include "sim/traffic/random.h"
#include "tests/equivalence/mpe_library.h"

namespace tidings::test {

/// What collectives may look like.
struct MpeTraffic {
  std::uint32_t most_elements = 40;
  bool exchanges = false;              ///< among the collectives
  bool only_sums = false;              ///< reduces of floating-point elements without end, never held up
  std::uint32_t mismatch_percent = 0;  ///< of streams that begin with a wrong descriptor
};

/// What the engine was seen to do with direct links.
struct MpeDirectTraffic {
  std::uint32_t packets_for_several = 0;  ///< neighbour packets for two ports or more
  std::uint32_t mixed_trees = 0;          ///< streams to children with direct links and to others
};

/// Feeds an engine with what real surroundings could bring, and keeps to the protocol: words only within credits,
/// credits only for words that were sent, memory answers in order. Rates change from one stretch of time to the next,
/// and each can be zero for a while.
class MpeSurroundings {
 public:
  MpeSurroundings(const cycle::MpeParameters& parameters, const MpeTraffic& traffic, std::uint32_t seed);

  [[nodiscard]] cycle::MpeLinks links() const { return links_; }
  [[nodiscard]] const MpeDirectTraffic& direct_traffic() const { return direct_traffic_; }
  /// The inputs of a cycle in which the engine shows these outputs.
  cycle::MpeInputs inputs(const MpeOutputs& outputs);
  /// Takes note of what left the engine at the edge.
  void after_edge(const MpeOutputs& outputs, const cycle::MpeInputs& inputs);

 private:
  enum Rate : std::uint8_t {
    kCommand,
    kWord,
    kCredit,
    kRequest,
    kReply,
    kRead,
    kAnswer,
    kWrite,
    kTap,
    kLane,
    kLinks,
    kRates
  };

  /// One neighbour in one context, as it sees the link.
  struct Neighbour {
    std::deque<std::uint32_t> to_send;
    std::uint32_t room = 0;   ///< words that the engine has room for
    std::uint32_t taken = 0;  ///< words of the engine that no credit has been sent for
  };

  /// A packet that a neighbour is sending to a tap.
  struct OpenPacket {
    cycle::MpeInfo link;
    std::uint32_t left = 0;
  };

  /// Where a packet has got to: of one header word and a payload, or of two.
  struct Packet {
    unsigned words = 0;
    std::uint32_t header0 = 0;
    std::uint32_t header1 = 0;
  };

  std::uint32_t draw(std::uint32_t below) { return random_.below(below); }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.next()); }
  bool chance(std::uint32_t percent) { return draw(100) < percent; }
  bool now(Rate rate) { return chance(rates_[rate]); }
  void new_rates();
  cycle::MpeCommand draw_command();
  void begin(const cycle::MpeCommand& command);
  void add_element(std::vector<std::uint32_t>& words, cycle::Element element);
  void send(unsigned link, const cycle::MpeCommand& command, std::uint32_t elements);
  /// Place of a link of a context in links_ and neighbours_.
  static std::size_t place(cycle::MpeInfo info) { return std::size_t{info.context_id} * cycle::kMaxLinks + info.link; }
  Neighbour& neighbour(cycle::MpeInfo info) { return neighbours_[place(info)]; }
  /// A neighbour packet has begun: words are on their way to the neighbours that it names.
  void begin_direct(std::uint32_t header);
  /// Our end of a link, given the neighbour's.
  cycle::MpeInfo link_of(std::uint32_t header1) const;
  cycle::MpeInfo draw_link();
  /// The links from `first` on, round all contexts.
  cycle::MpeInfo next_link(cycle::MpeInfo link) const;

  cycle::MpeParameters parameters_;
  MpeTraffic traffic_;
  MpeDirectTraffic direct_traffic_;
  traffic::Random random_;
  std::array<std::uint32_t, kRates> rates_{};
  std::uint32_t stretch_ = 0;  ///< cycles until rates change
  std::array<cycle::MpeLink, std::size_t{cycle::kMaxContexts} * cycle::kMaxLinks> links_;
  std::array<Neighbour, std::size_t{cycle::kMaxContexts} * cycle::kMaxLinks> neighbours_;
  std::unordered_map<std::uint32_t, std::uint32_t> memory_;
  std::deque<std::uint32_t> reads_;                ///< addresses
  std::array<OpenPacket, cycle::kMaxLinks> open_;  ///< at each port
  Packet lane_;
  Packet request_;
  Packet reply_;
};

}  // namespace tidings::test
