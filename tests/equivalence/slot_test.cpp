// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/slot.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "generated/registers.h"
#include "generated/rma_pkg.h"
#include "sim/cycle/mpe_pkg.h"
#include "sim/machine/network_ports.h"
#include "sim/traffic/random.h"
#include "sim/verify/software.h"
#include "tests/equivalence/slot_library.h"

namespace tidings::test {
namespace {

using cycle::Kind;
using cycle::Slot;
using cycle::SlotParameters;

constexpr unsigned kClasses = 2;
constexpr std::uint32_t kMemoryBytes = 1U << 16;
/// Of the router that static routes are written to, which is not there.
constexpr std::uint32_t kPorts = 8;

const SlotLibrary& load(const std::string& name) {
  const std::string path = std::string(TIDINGS_ENGINE_LIBRARIES) + "/slot_" + name + ".so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays until the process ends
  void* const symbol = handle == nullptr ? nullptr : dlsym(handle, kSlotLibrarySymbol);
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return *reinterpret_cast<const SlotLibrary* (*)()>(symbol)();
}

/// What a run has covered.
struct Covered {
  std::uint32_t messages = 0;
  std::uint32_t completed = 0;
  std::uint32_t collectives = 0;
  std::uint32_t interrupts = 0;
  std::uint32_t calm_cycles = 0;
  std::uint32_t forked = 0;                ///< neighbour packets over the port
  std::uint32_t lane = 0;                  ///< neighbour packets over the lane
  std::uint32_t strange = 0;               ///< requests for an engine that the slot has not
  std::uint32_t refused = 0;               ///< refusals of packets that no engine takes
  std::uint32_t words = 0;                 ///< read from receive queues of `stream`
  std::uint32_t stream_errors = 0;         ///< as software reads them, other than none
  std::uint32_t barriers = 0;              ///< that software has seen complete
  std::uint32_t barrier_errors = 0;        ///< as software reads them, other than none
  std::uint32_t names = 0;                 ///< that software has seen found, given or freed
  std::uint32_t most_names = 0;            ///< the largest of these
  std::uint32_t names_lost = 0;            ///< times that software has seen a command lost
  std::uint32_t atomics = 0;               ///< atomic accesses that come to a slot
  std::uint32_t alltoalls = 0;             ///< that software has seen complete
  std::uint32_t alltoall_errors = 0;       ///< as software reads them, other than none
  std::uint32_t switched = 0;              ///< words that have left a static switch over a link
  std::array<std::uint32_t, 16> errors{};  ///< by code, as software reads them
};

/// The RTL's slot and its twin, with the same inputs.
class SlotPair {
 public:
  SlotPair(const SlotLibrary& library, const SlotParameters& parameters, NodeId node, SlotId slot, int seed)
      : library_(library),
        rtl_(library.create(node.value, slot.value, seed), library.destroy),
        twin_(parameters, node, slot) {}

  /// The outputs of this cycle. @throws std::runtime_error where they differ.
  const SlotView& outputs() {
    library_.outputs(rtl_.get(), &view_);
    compare("flit_valid", view_.port.flit_valid, twin_.port().flit_valid);
    compare("flit.data", view_.port.flit.data, twin_.port().flit.data);
    compare("flit.vc", view_.port.flit.vc, twin_.port().flit.vc);
    compare("flit.last", view_.port.flit.last, twin_.port().flit.last);
    compare("credits", view_.port.credits, twin_.port().credits);
    const SlotOutput& rtl = view_.slot;
    const SlotOutput& twin = twin_.outputs();
    compare("bus_read_valid", rtl.bus_read_valid, twin.bus_read_valid);
    compare("bus_read_data", rtl.bus_read_data, twin.bus_read_data);
    compare("interrupt", rtl.interrupt, twin.interrupt);
    compare("memory_read_valid", rtl.memory_read_valid, twin.memory_read_valid);
    compare("memory_read_address", rtl.memory_read_address, twin.memory_read_address);
    compare("memory_write_valid", rtl.memory_write_valid, twin.memory_write_valid);
    compare("memory_write.address", rtl.memory_write.address, twin.memory_write.address);
    compare("memory_write.strobe", rtl.memory_write.strobe, twin.memory_write.strobe);
    compare("memory_write.data", rtl.memory_write.data, twin.memory_write.data);
    compare("lane_valid", view_.lane_valid, twin_.lane().has_value());
    const Flit lane = twin_.lane().value_or(Flit{});
    compare("lane.data", view_.lane.data, lane.data);
    compare("lane.vc", view_.lane.vc, lane.vc);
    compare("lane.last", view_.lane.last, lane.last);
    compare("tokens", view_.tokens, twin_.tokens());
    for (unsigned p = 0; p < view_.links.size(); ++p) {
      const SideLink link = twin_.link(p);
      compare("link.word.valid", view_.links[p].word.valid, link.word.valid);
      compare("link.word.data", view_.links[p].word.data, link.word.data);
      compare("link.word.credit", view_.links[p].word.credit, link.word.credit);
      compare("link.stream.valid", view_.links[p].stream.valid, link.stream.valid);
      compare("link.stream.data", view_.links[p].stream.data, link.stream.data);
      compare("link.stream.last", view_.links[p].stream.last, link.stream.last);
      compare("link.stream.credit", view_.links[p].stream.credit, link.stream.credit);
    }
    compare("busy", view_.busy, twin_.busy());
    return view_;
  }

  void step(const PortInput& port, const SlotInput& slot, const SlotDirect& direct) {
    const char* const error = library_.step(rtl_.get(), &port, &slot, &direct);
    if (error != nullptr) throw std::runtime_error(error);
    std::uint8_t switched = 0;
    for (unsigned p = 0; p < direct.links.size(); ++p) {
      switched |= static_cast<std::uint8_t>((direct.links[p] != SideLink{} ? 1U : 0U) << p);
    }
    twin_.clock(port, slot, {.write_taken = true, .refused = false},
                {.tapped = direct.tapped,
                 .lane_credit = direct.lane_credit,
                 .tokens = direct.tokens,
                 .switched = switched,
                 .taps = direct.taps,
                 .links = direct.links});
    ++cycle_;
  }

 private:
  void compare(const char* field, std::uint32_t rtl, std::uint32_t twin) const {
    if (rtl == twin) return;
    throw std::runtime_error("cycle " + std::to_string(cycle_) + ": " + field + " is " + std::to_string(rtl) +
                             " in the RTL and " + std::to_string(twin) + " in its twin");
  }

  const SlotLibrary& library_;
  std::unique_ptr<SlotInstance, void (*)(SlotInstance*)> rtl_;
  Slot twin_;
  SlotView view_;
  std::uint32_t cycle_ = 0;
};

/// A chain of slots behind a switch and direct links with random delays, each with a memory and software of random
/// accesses.
class Fabric {
 public:
  Fabric(const SlotLibrary& library, const SlotParameters& parameters, unsigned slots, std::uint32_t seed)
      : seed_(seed),
        random_(seed, 0),
        parameters_(parameters),
        software_(parameters.node, nodes_of(slots), kPorts, {.gets = true, .neighbours = {}, .log2_queue = 2}),
        ends_(slots) {
    for (unsigned i = 0; i < slots; ++i) {
      ends_[i].pair =
          std::make_unique<SlotPair>(library, parameters, node_of(i), slot_of(i), static_cast<int>(seed + i));
      ends_[i].room.fill(parameters.node.slot_buffer_flits);
      set_up(i);
    }
  }

  void cycle(Covered& covered) {
    if (stretch_-- == 0) new_rates();
    for (End& end : ends_) {
      end.port = {};
      end.inputs = {};
      end.direct = {};
      if (has(cycle::Engine::kBarrier) && chance(rates_[kDeliver])) end.direct.tokens = word() & word();
      answer(end);  // memory takes at least a cycle
      take_outputs(end, covered);
      if (has(cycle::Engine::kAlltoall)) drive_links(end);
    }
    send_strange(covered);
    for (unsigned i = 0; i < ends_.size(); ++i) {
      deliver(i, covered);
      deliver_neighbours(i);
      drive_bus(i);
    }
    for (End& end : ends_) {
      leave(end);
      give_credits(end);
      end.pair->step(end.port, end.inputs, end.direct);
    }
  }

 private:
  enum Rate : std::uint8_t { kBus, kDeliver, kAnswer, kRates };

  struct Source {
    std::deque<Flit> flits;
    bool bound = false;   ///< between head and tail, as seen by the switch
    bool leaves = false;  ///< between head and tail, along a static route
    unsigned destination = 0;
  };

  /// Links of the chain: to the next slot, and to the one before. Each is the other one from its other end.
  static constexpr unsigned kLinks = 2;
  /// Where neighbour packets come from.
  enum Way : std::uint8_t { kPort, kLane, kWays };

  /// One slot and what is around it.
  struct End {
    std::unique_ptr<SlotPair> pair;
    PortInput port;
    SlotInput inputs;
    SlotDirect direct;
    std::array<std::deque<Flit>, kWays> neighbours;  ///< of the neighbour packet that is coming
    std::array<std::uint32_t, kWays> owed{};         ///< credits for such flits
    std::array<std::deque<Flit>, kLinks> links;      ///< what goes to the slot's neighbours
    bool inside = false;                             ///< between head and tail of another request
    std::array<Source, kClasses> sources;
    std::array<std::uint32_t, kClasses> room{};  ///< of the slot's receivers
    std::array<int, kClasses> owner{-1, -1};     ///< whose packet is under way to this slot
    unsigned request_word = 0;                   ///< place of the next one in its packet
    Kind request_kind = Kind::kMessage;
    std::deque<std::uint32_t> reads;
    std::unordered_map<std::uint32_t, std::uint32_t> memory;
    std::array<std::uint32_t, tidings_pkg::kSwitchPorts> link_sent{};  ///< words in the static switch's buffers
    std::array<std::uint32_t, tidings_pkg::kSwitchPorts> link_owed{};  ///< credits for words from it
    std::deque<BusRequest> script;
    std::deque<std::uint16_t> asked;  ///< addresses of reads without an answer
    std::uint32_t collectives_started = 0;
    std::uint32_t collectives_completed = 0;
  };

  static NodeId node_of(unsigned i) { return {static_cast<std::uint16_t>(0x123 + 0x101 * (i / 2))}; }
  static SlotId slot_of(unsigned i) { return {static_cast<std::uint8_t>(i % 2 == 0 ? 3 : 12)}; }
  static std::vector<NodeId> nodes_of(unsigned slots) {
    std::vector<NodeId> nodes;
    for (unsigned i = 0; i < slots; i += 2) nodes.push_back(node_of(i));
    return nodes;
  }
  [[nodiscard]] bool has(cycle::Engine engine) const { return (parameters_.engines & engine_bit(engine)) != 0; }
  std::uint32_t draw(std::uint32_t below) { return random_.below(below); }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.next()); }
  bool chance(std::uint32_t percent) { return draw(100) < percent; }

  void new_rates() {
    constexpr std::array<std::uint32_t, 4> kChoices{3, 30, 80, 100};
    for (std::uint32_t& rate : rates_) rate = kChoices[draw(kChoices.size())];
    stretch_ = 50 + draw(500);
    quiet_ = chance(20);
  }

  /// Words and credits for the static switch.
  void drive_links(End& end) {
    for (unsigned p = 0; p < switch_ports(parameters_.node); ++p) {
      SwitchLink& link = end.direct.links[p].word;
      link.credit = end.link_owed[p] != 0 && chance(rates_[kAnswer]);
      if (link.credit) --end.link_owed[p];
      link.valid = end.link_sent[p] < parameters_.node.alltoall_buffer_words && chance(rates_[kDeliver]);
      if (!link.valid) continue;
      ++end.link_sent[p];
      link.data = word();
    }
  }

  /// A slot that a router does not have stands for its first one.
  unsigned destination(std::uint32_t header0) const {
    const auto header = cycle::Header0::decode(header0);
    std::optional<unsigned> first;
    for (unsigned i = 0; i < ends_.size(); ++i) {
      if (node_of(i) != header.dst_node) continue;
      if (slot_of(i) == header.dst_slot) return i;
      if (!first) first = i;
    }
    if (!first) throw std::runtime_error("packet to nowhere: header " + std::to_string(header0));
    return *first;
  }

  void take_outputs(End& end, Covered& covered) {
    const SlotView& view = end.pair->outputs();
    if (view.port.flit_valid && take_flit(end, view.port.flit)) ++covered.forked;
    const bool acknowledges = cycle::kind_of(view.port.flit.data) == Kind::kPutAck;  // or a word that looks like it
    if (view.port.flit_valid && view.port.flit.vc == 1 && view.port.flit.last && !acknowledges) {
      const auto info = rma_pkg::NackInfo::decode(cycle::Header1::decode(view.port.flit.data).info);
      const std::deque<Flit>& flits = end.sources[1].flits;
      const bool nack = flits.size() > 1 && cycle::kind_of(flits[flits.size() - 2].data) == Kind::kNack;
      covered.refused += nack && info.code == cycle::Nack::kBadPacket ? 1 : 0;
    }
    if (view.lane_valid && take_neighbour(end, kLane, view.lane)) ++covered.lane;
    for (unsigned c = 0; c < kClasses; ++c) end.room[c] += view.port.credits >> c & 1U;
    for (unsigned p = 0; p < view.links.size(); ++p) {
      end.link_sent[p] -= view.links[p].word.credit ? 1 : 0;
      end.link_owed[p] += view.links[p].word.valid ? 1 : 0;
      covered.switched += view.links[p].word.valid ? 1 : 0;
    }
    if (view.slot.memory_read_valid) end.reads.push_back(view.slot.memory_read_address);
    if (view.slot.memory_write_valid) {
      const MemoryWrite& write = view.slot.memory_write;
      std::uint32_t& word = at(end, write.address);
      for (unsigned b = 0; b < 4; ++b) {
        const std::uint32_t mask = 0xffU << (8 * b);
        if ((write.strobe >> b & 1U) != 0) word = (word & ~mask) | (write.data & mask);
      }
    }
    if (view.slot.bus_read_valid) {
      const std::uint32_t data = view.slot.bus_read_data;
      const std::uint16_t address = end.asked.front();
      end.asked.pop_front();
      if (address == registers::MpeCompleted::kAddress) {
        covered.collectives += data - end.collectives_completed;
        end.collectives_completed = data;
      }
      if (address == registers::BarrierStatus::kAddress) {
        covered.barriers += registers::BarrierStatus::decode(data).done != 0 ? 1 : 0;
      }
      if (address == registers::AlltoallError::kAddress) covered.alltoall_errors |= data;
      if (address == registers::IrqStatus::kAddress) {
        covered.alltoalls +=
            registers::IrqStatus::decode(data).done >> static_cast<unsigned>(cycle::Engine::kAlltoall) & 1U;
      }
      if (address == registers::BarrierError::kAddress) covered.barrier_errors |= data;
      if (address == registers::RmaNameResult::kAddress) {
        const auto result = registers::RmaNameResult::decode(data);
        covered.names += result.found;
        covered.most_names = std::max(covered.most_names, result.index);
        covered.names_lost += result.lost;
      }
      if (registers::StreamReceive::holds(address)) covered.words += data != 0 ? 1 : 0;
      if (address == registers::StreamError::kAddress) covered.stream_errors |= data;
      if (address == registers::RmaCompleted::kAddress) covered.completed = std::max(covered.completed, data);
      if (address == registers::RmaQueueTail::kAddress) {
        write(end, registers::RmaQueueHead::kAddress, data);
        covered.messages = std::max(covered.messages, data);
      }
      if (address == registers::RmaError::kAddress) ++covered.errors[registers::RmaError::decode(data).code];
    }
    covered.interrupts += view.slot.interrupt ? 1 : 0;
    covered.calm_cycles += view.busy ? 0 : 1;
  }

  /// @return whether it is the end of a neighbour packet.
  bool take_flit(End& end, const Flit& flit) {
    if (flit.vc == 0) {
      const bool head = !end.inside && end.neighbours[kPort].empty();
      if (head ? cycle::kind_of(flit.data) == Kind::kNeighbour : !end.inside) {
        return take_neighbour(end, kPort, flit);
      }
      end.inside = !flit.last;
    }
    end.sources.at(flit.vc).flits.push_back(flit);
    return false;
  }

  /// What comes over port and lane must not mix.
  bool take_neighbour(End& end, Way way, const Flit& flit) {
    std::deque<Flit>& packet = end.neighbours[way];
    packet.push_back(flit);
    ++end.owed[way];
    if (!flit.last) return false;
    const std::uint32_t ports = cycle::NeighbourHeader::decode(packet.front().data).ports;
    if (ports == 0 || ports >> kLinks != 0 || (way == kLane && std::popcount(ports) != 1)) {
      throw std::runtime_error("neighbour packet to ports " + std::to_string(ports));
    }
    for (unsigned l = 0; l < kLinks; ++l) {
      if ((ports >> l & 1U) != 0) end.links[l].insert(end.links[l].end(), packet.begin(), packet.end());
    }
    packet.clear();
    return true;
  }

  void deliver_neighbours(unsigned to) {
    for (unsigned l = 0; l < kLinks; ++l) {
      const unsigned from = l == 0 ? to + 1 : to - 1;
      if (from >= ends_.size() || !chance(rates_[kDeliver])) continue;
      std::deque<Flit>& link = ends_[from].links[l ^ 1U];
      if (link.empty()) continue;
      ends_[to].direct.tapped |= static_cast<std::uint8_t>(1U << l);
      ends_[to].direct.taps[l] = link.front();
      link.pop_front();
    }
  }

  static bool is_static(const Source& source) { return cycle::is_static(cycle::kind_of(source.flits.front().data)); }

  /// There is nobody at the end of a static route.
  static void leave(End& end) {
    for (unsigned c = 0; c < kClasses; ++c) {
      Source& source = end.sources[c];
      const auto credit = static_cast<std::uint8_t>(1U << c);
      if (source.flits.empty() || source.bound || (end.port.credits & credit) != 0) continue;
      if (!source.leaves && !is_static(source)) continue;
      source.leaves = !source.flits.front().last;
      source.flits.pop_front();
      end.port.credits |= credit;
    }
  }

  /// Those that nothing else gives in this cycle.
  void give_credits(End& end) {
    if (end.owed[kPort] != 0 && (end.port.credits & 1U) == 0 && chance(rates_[kDeliver])) {
      --end.owed[kPort];
      end.port.credits |= 1U;
    }
    if (end.owed[kLane] != 0 && chance(rates_[kDeliver])) {
      --end.owed[kLane];
      end.direct.lane_credit = true;
    }
  }

  std::uint32_t& at(End& end, std::uint32_t address) {
    const auto [entry, created] = end.memory.try_emplace(address & ~3U, 0);
    if (created) entry->second = word();
    return entry->second;
  }

  /// At most one flit to a slot; a packet is not broken by another of its class.
  void deliver(unsigned to, Covered& covered) {
    End& end = ends_[to];
    if (!chance(rates_[kDeliver])) return;
    // Slots, and behind them the stranger.
    const auto choices = static_cast<unsigned>(kClasses * (ends_.size() + 1));
    const unsigned first = draw(choices);
    for (unsigned n = 0; n < choices; ++n) {
      const unsigned choice = (first + n) % choices;
      const unsigned c = choice % kClasses;
      const unsigned from = choice / kClasses;
      const bool strange = from == ends_.size();
      Source& source = strange ? strange_[c] : ends_[from].sources[c];
      if (source.flits.empty() || end.room[c] == 0) continue;
      if (!source.bound) {
        if (source.leaves || (!strange && is_static(source))) continue;
        source.destination = destination(source.flits.front().data);
        if (source.destination != to || end.owner[c] != -1) continue;
        end.owner[c] = static_cast<int>(from);
      }
      if (end.owner[c] != static_cast<int>(from)) continue;
      end.port.flit_valid = true;
      end.port.flit = source.flits.front();
      source.flits.pop_front();
      source.bound = !end.port.flit.last;
      if (!source.bound) end.owner[c] = -1;
      --end.room[c];
      if (c == 0) {
        const bool second = end.request_word++ == 1;
        if (end.request_word == 1) end.request_kind = cycle::kind_of(end.port.flit.data);
        const auto header1 = cycle::Header1::decode(end.port.flit.data);
        const bool atomic = end.request_kind == Kind::kGet && tidings_pkg::GetInfo::decode(header1.info).atomic;
        covered.atomics += second && atomic ? 1 : 0;
        if (end.port.flit.last) end.request_word = 0;
      }
      if (!strange) ends_[from].port.credits |= static_cast<std::uint8_t>(1U << c);
      return;
    }
  }

  /// A packet for an engine that the slots have not, as if from one of them.
  void send_strange(Covered& covered) {
    const unsigned c = draw(kClasses);
    if (has(cycle::Engine::kMpe) || quiet_ || !strange_[c].flits.empty() || !chance(1)) return;
    const unsigned from = draw(static_cast<std::uint32_t>(ends_.size()));
    const unsigned to = draw(static_cast<std::uint32_t>(ends_.size()));
    const bool credit = c != 0;
    const Kind stream = chance(50) ? Kind::kStream : Kind::kStaticStream;
    const cycle::Header0 header0{.kind = credit ? Kind::kCredit : stream,
                                 .dst_slot = slot_of(to),
                                 .dst_node = node_of(to),
                                 .src_node = node_of(from)};
    const std::uint32_t words = credit ? 0 : draw(6);
    const cycle::Header1 header1{.src_slot = slot_of(from), .info = 0, .length = static_cast<std::uint16_t>(words)};
    std::vector<std::uint32_t> packet{header0.encode(), header1.encode()};
    for (std::uint32_t n = 0; n < words; ++n) packet.push_back(word());
    for (std::size_t word = 0; word < packet.size(); ++word) {
      strange_[c].flits.push_back(
          {.vc = static_cast<std::uint8_t>(c), .last = word + 1 == packet.size(), .data = packet[word]});
    }
    covered.strange += credit ? 0 : 1;
  }

  void answer(End& end) {
    if (end.reads.empty() || !chance(rates_[kAnswer])) return;
    end.inputs.memory_data_valid = true;
    end.inputs.memory_data = at(end, end.reads.front());
    end.reads.pop_front();
  }

  void write(End& end, std::uint16_t address, std::uint32_t data) { end.script.push_back({true, address, data}); }

  void drive_bus(unsigned i) {
    End& end = ends_[i];
    if (end.script.empty() && !quiet_) extend(i);
    if (end.script.empty() || !chance(rates_[kBus])) return;
    end.inputs.bus_valid = true;
    end.inputs.bus = end.script.front();
    end.script.pop_front();
    if (!end.inputs.bus.write) end.asked.push_back(end.inputs.bus.address);
  }

  void set_up(unsigned i) {
    End& end = ends_[i];
    // A chain, in two contexts: link 0 leads to the next slot, link 1 to the one before, directly in one of them.
    for (unsigned context = 0; context < 2; ++context) {
      const bool direct = parameters_.direct_links != 0 && context == 0;
      if (i + 1 < ends_.size()) write(end, registers::MpeLink::at(context, 0), link_to(i + 1, 1, direct));
      if (i > 0) write(end, registers::MpeLink::at(context, 1), link_to(i - 1, 0, direct));
    }
    const std::vector<BusRequest> accesses = software_.set_up(random_);
    end.script.insert(end.script.end(), accesses.begin(), accesses.end());
  }

  static std::uint32_t link_to(unsigned i, std::uint32_t peer_link, bool direct) {
    return registers::MpeLink{
        .node = node_of(i).value, .slot = slot_of(i).value, .peer_link = peer_link, .direct = direct}
        .encode();
  }

  /// What software does next: a collective that fits those of the other slots, or anything else.
  void extend(unsigned i) {
    if (chance(8)) {
      start_collective(i);
      return;
    }
    if (chance(4)) {
      reach_beyond(i);
      return;
    }
    const std::vector<BusRequest> accesses = software_.draw(random_);
    ends_[i].script.insert(ends_[i].script.end(), accesses.begin(), accesses.end());
  }

  /// A GET from behind a region's end: software draws few in regions that are registered.
  void reach_beyond(unsigned i) {
    End& end = ends_[i];
    const unsigned peer = draw(static_cast<std::uint32_t>(ends_.size()));
    const registers::RmaRemote remote{
        .node = node_of(peer).value, .slot = slot_of(peer).value, .region = verify::Software::kMemoryRegion};
    write(end, registers::RmaRemote::kAddress, remote.encode());
    write(end, registers::RmaOffset::kAddress, verify::Software::kRegionBytes);
    write(end, registers::RmaLength::kAddress, sizeof(std::uint32_t));
    const registers::RmaCommand command{.operation = static_cast<std::uint32_t>(rma_pkg::RmaOperation::kGet)};
    write(end, registers::RmaCommand::kAddress, command.encode());
  }

  /// The same collectives on all slots, each after the one before is known to be complete.
  void start_collective(unsigned i) {
    End& end = ends_[i];
    end.script.push_back({false, registers::MpeCompleted::kAddress, 0});
    if (end.collectives_started > end.collectives_completed) return;
    traffic::Random same(seed_, ++end.collectives_started);
    const std::uint32_t count = same.below(60);
    registers::MpeCommand command = verify::draw_mpe_command(same, parameters_.node, false);
    const bool last = i + 1 == ends_.size();
    write(end, registers::MpeSource::kAddress, draw(kMemoryBytes) & ~7U);
    write(end, registers::MpeDestination::kAddress, draw(kMemoryBytes) & ~7U);
    write(end, registers::MpeCount::kAddress, count);
    write(end, registers::MpeDescriptor::kAddress, end.collectives_started);
    command.parent = i == 0 ? mpe_pkg::kNoLink : 1U;
    command.children = last ? 0U : 1U;
    command.context_id = same.below(2);
    write(end, registers::MpeCommand::kAddress, command.encode());
  }

  std::uint32_t seed_;
  traffic::Random random_;
  SlotParameters parameters_;
  verify::Software software_;
  std::vector<End> ends_;
  std::array<Source, kClasses> strange_;
  std::array<std::uint32_t, kRates> rates_{};
  std::uint32_t stretch_ = 0;
  bool quiet_ = false;
};

class SlotEquivalence : public testing::TestWithParam<std::string> {};

TEST_P(SlotEquivalence, SlotsOfARandomFabric) {
  constexpr std::uint32_t kRuns = 60, kCycles = 8000;
  const SlotLibrary& library = load(GetParam());
  const SlotParameters parameters{
      .node = library.node, .direct_links = library.direct_links, .engines = engines_at(library.node, 0)};
  Covered covered;
  for (std::uint32_t seed = 1; seed <= kRuns; ++seed) {
    Fabric fabric(library, parameters, 1 + seed % 4, seed * 100);
    ASSERT_NO_THROW({
      for (std::uint32_t cycle = 0; cycle < kCycles; ++cycle) fabric.cycle(covered);
    }) << "seed "
       << seed;
  }
  EXPECT_GT(covered.messages, 10U);
  EXPECT_GT(covered.completed, 50U);
  if ((engines_at(library.node, 0) & engine_bit(cycle::Engine::kMpe)) != 0) {
    EXPECT_GT(covered.collectives, 100U);
  } else {
    EXPECT_EQ(covered.collectives, 0U);
    EXPECT_GT(covered.strange, 100U);
    EXPECT_GT(covered.refused, covered.strange / 4);
  }
  if ((engines_at(library.node, 0) & engine_bit(cycle::Engine::kStream)) != 0) {
    EXPECT_GT(covered.words, 2'000U);
    EXPECT_EQ(covered.stream_errors, (registers::StreamError{.overflow = true, .refused = true}.encode()));
  }
  if ((engines_at(library.node, 0) & engine_bit(cycle::Engine::kBarrier)) != 0) {
    EXPECT_GT(covered.barriers, 2'000U);
    // What a hub says to a slot that waits for nothing is not an error.
    const bool between_routers = library.node.dims != 0;
    EXPECT_EQ(covered.barrier_errors, (registers::BarrierError{.stray = between_routers, .refused = true}.encode()));
  }
  if (library.node.rma_names != 0) {
    EXPECT_GT(covered.names, 2'000U);
    EXPECT_GT(covered.most_names, 128U);
    EXPECT_GT(covered.names_lost, 100U);
  }
  EXPECT_GE(covered.atomics, library.node.rma_atomics != 0 ? 500U : 0U);
  if ((engines_at(library.node, 0) & engine_bit(cycle::Engine::kAlltoall)) != 0) {
    // A program of one entry per order moves few words.
    const bool fixed_routes = library.node.alltoall_period_words == 1;
    EXPECT_GT(covered.alltoalls, fixed_routes ? 200U : 1'000U);
    EXPECT_GT(covered.switched, fixed_routes ? 50U : 10'000U);
    EXPECT_EQ(covered.alltoall_errors, registers::AlltoallError{.refused = true}.encode());
  }
  EXPECT_GT(covered.interrupts, 1000U);
  EXPECT_GT(covered.calm_cycles, 1000U);
  if (parameters.direct_links != 0) {
    EXPECT_GT(covered.forked, 100U);
    EXPECT_GT(covered.lane, 100U);
  }
  for (const unsigned code : {1U, 2U, 3U, 4U, 5U, 15U}) EXPECT_GT(covered.errors[code], 0U) << "code " << code;
}

INSTANTIATE_TEST_SUITE_P(Parameters, SlotEquivalence,
                         testing::Values("default", "small", "no_mpe", "stream", "barrier", "hub", "alltoall",
                                         "alltoall_six"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tidings::test
