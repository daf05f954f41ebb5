// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The router's twin with one message class, as synthetic traffic uses it, and the Verilated router agree on every
// output in every cycle. Nodes, which have two classes, are compared in node_test.cpp.
#include "sim/cycle/router.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "generated/tidings_pkg.h"
#include "sim/machine/topology.h"
#include "sim/verify/packets.h"
#include "sim/verify/port_credits.h"
#include "tests/equivalence/router_library.h"

namespace tidings::test {
namespace {

const RouterLibrary& load(const std::string& name) {
  const std::string path = std::string(TIDINGS_ENGINE_LIBRARIES) + "/router_" + name + ".so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays until the process ends
  void* const symbol = handle == nullptr ? nullptr : dlsym(handle, kRouterLibrarySymbol);
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return *reinterpret_cast<const RouterLibrary* (*)()>(symbol)();
}

/// The RTL's router and its twin, with the same inputs.
class RouterPair {
 public:
  RouterPair(const RouterLibrary& library, const NodePlace& place, int seed)
      : library_(library),
        rtl_(create(library, place, seed), library.destroy),
        twin_(library.parameters, {place}),
        lane_(2 * library.parameters.dims + library.parameters.num_slots),
        ports_(lane_ + 2 * library.parameters.dims + 1) {}

  /// Before the first cycle: a static route.
  void write_route(const tidings_pkg::RouteWrite& write) {
    library_.write_route(rtl_.get(), write.encode());
    twin_.routes(0).write(1, write);
  }

  /// What both show in this cycle: network ports, slots, taps, lane. Called once a cycle: what the twin shows has left
  /// it.
  const std::vector<PortOutput>& outputs() {
    const bool busy = library_.outputs(rtl_.get(), ports_.data());
    std::vector<PortOutput> twin(ports_.size());
    const cycle::RouterNumbers& numbers = twin_.plan().numbers;
    const auto flit = [&](std::uint32_t channel, const cycle::BufferedWord& word) {
      return Flit{.vc = static_cast<std::uint8_t>(numbers.vc(channel)), .last = word.last, .data = word.data};
    };
    twin_.send(
        [&](std::uint32_t channel, const cycle::BufferedWord& word) {
          twin[numbers.port(channel)].flit_valid = true;
          twin[numbers.port(channel)].flit = flit(channel, word);
        },
        [&](std::uint32_t channel) {
          const unsigned port = numbers.port(channel);
          twin[port == lane_ ? twin.size() - 1 : port].credits |= static_cast<std::uint8_t>(1U << numbers.vc(channel));
        },
        [&](std::uint32_t channel, const cycle::BufferedWord& word) {
          twin[lane_ + numbers.port(channel)].flit_valid = true;
          twin[lane_ + numbers.port(channel)].flit = flit(channel, word);
        });
    const bool twin_busy = twin_.active(0);
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      if (ports_[p] == twin[p]) continue;
      throw std::runtime_error("cycle " + std::to_string(cycle_) + ", port " + std::to_string(p) + ": expected " +
                               describe(ports_[p]) + ", got " + describe(twin[p]));
    }
    if (library_.refused(rtl_.get()) != !twin_.refusing().empty()) {
      throw std::runtime_error("cycle " + std::to_string(cycle_) + ": the packets that are refused differ");
    }
    if (busy != twin_busy) throw std::runtime_error("cycle " + std::to_string(cycle_) + ": busy differs");
    return ports_;
  }

  void step(const std::vector<PortInput>& inputs) {
    if (const char* error = library_.step(rtl_.get(), inputs.data())) throw std::runtime_error(error);
    if (std::ranges::any_of(inputs, [](const PortInput& port) { return port.flit_valid; })) twin_.activate(0);
    if (inputs[lane_].flit_valid) twin_.take_from_lane(0, word_of(inputs[lane_].flit));
    for (unsigned p = 0; p < lane_; ++p) {
      // As in machines: words from slots and links go on if they can.
      if (inputs[p].flit_valid) twin_.take(twin_.channel(0, p, inputs[p].flit.vc), word_of(inputs[p].flit));
      for (unsigned rest = inputs[p].credits; rest != 0; rest &= rest - 1) {
        twin_.credit(twin_.channel(0, p, static_cast<unsigned>(std::countr_zero(rest))));
      }
    }
    ++cycle_;
  }

 private:
  static RouterInstance* create(const RouterLibrary& library, const NodePlace& place, int seed) {
    std::array<std::uint16_t, kMaxDims> radix{};
    std::array<bool, kMaxDims> wrap{};
    std::copy(place.radix.begin(), place.radix.end(), radix.begin());
    std::copy(place.wrap.begin(), place.wrap.end(), wrap.begin());
    return library.create(place.node_id, radix.data(), wrap.data(), seed);
  }

  static cycle::BufferedWord word_of(const Flit& flit) { return {.data = flit.data, .last = flit.last}; }

  static std::string describe(const PortOutput& output) {
    const std::string credits = "credits " + std::to_string(output.credits);
    if (!output.flit_valid) return credits;
    return credits + " and flit " + std::to_string(output.flit.data) + " on channel " + std::to_string(output.flit.vc) +
           (output.flit.last ? ", last" : "");
  }

  const RouterLibrary& library_;
  std::unique_ptr<RouterInstance, void (*)(RouterInstance*)> rtl_;
  cycle::Routers twin_;
  unsigned lane_;  ///< number of the lane among inputs, and of the first tap among outputs
  std::vector<PortOutput> ports_;
  std::uint64_t cycle_ = 0;
};

/// What is around a router: packets of `tidings verify` on all ports and the lane, credits that come back at once or
/// are held.
class Surroundings {
 public:
  Surroundings(const NodeParameters& parameters, const Topology& topology, NodeIndex node, std::uint32_t seed)
      : packets_(with_endless_buffers(parameters), topology, node, seed),
        network_ports_(topology.ports()),
        routes_(parameters.num_routes),
        static_flits_(cycle::static_flits(parameters)),
        random_(seed, 0),
        lane_({.credits = verify::PortCredits(1, parameters.direct_links != 0 ? parameters.slot_buffer_flits : 0),
               .channels = {}}) {
    for (unsigned p = 0; p < network_ports_ + parameters.num_slots; ++p) {
      const bool slot = p >= network_ports_;
      const unsigned channels = slot ? parameters.num_classes : packets_.channels();
      const std::uint32_t room = slot ? parameters.slot_buffer_flits : parameters.buffer_flits;
      ports_.push_back({.credits = verify::PortCredits(channels, room), .channels = {}});
    }
  }

  /// The inputs of the cycle with these outputs.
  std::vector<PortInput> drive(const std::vector<PortOutput>& outputs) {
    std::vector<PortInput> inputs(ports_.size() + 1);
    for (unsigned p = 0; p < ports_.size(); ++p) {
      Port& port = ports_[p];
      if (outputs[p].flit_valid) ++passed_;
      inputs[p].credits = port.credits.give(outputs[p], random_, false);
      const auto vc = static_cast<std::uint8_t>(random_.below(port.credits.channels()));
      if (random_.below(3) != 0) {
        send(port, vc, inputs[p], [&](std::uint32_t earlier) {
          if (p < network_ports_) return packets_.from_link(packets_.number(p, vc, earlier)).words;
          if (routes_ != 0 && vc == 0 && random_.below(2) == 0) return static_packet();
          return packets_.from_slot(SlotId{static_cast<std::uint8_t>(p - network_ports_)}, vc, earlier).words;
        });
      }
      port.credits.take(outputs[p].credits);
    }
    for (unsigned p = 0; p < network_ports_; ++p) tapped_ += outputs[ports_.size() + p].flit_valid ? 1 : 0;
    if (random_.below(3) != 0) {
      send(lane_, 0, inputs.back(), [&](std::uint32_t earlier) { return packets_.from_lane(earlier).words; });
    }
    lane_.credits.take(outputs.back().credits);
    return inputs;
  }

  /// Flits that have left the router.
  [[nodiscard]] std::uint64_t passed() const { return passed_; }
  /// Flits of neighbour packets that have come in from neighbours.
  [[nodiscard]] std::uint64_t tapped() const { return tapped_; }

 private:
  struct Channel {
    std::deque<std::uint32_t> packet;  ///< the rest of the packet that is being sent
    std::uint32_t packets = 0;         ///< so far
  };
  struct Port {
    verify::PortCredits credits;
    std::array<Channel, tidings_pkg::kMaxVcs> channels{};
  };

  /// The engine behind the taps takes all that comes.
  static NodeParameters with_endless_buffers(NodeParameters parameters) {
    parameters.mpe_buffer_words = std::numeric_limits<std::uint32_t>::max();
    return parameters;
  }

  /// Along a static route, or one that there is not.
  std::deque<std::uint32_t> static_packet() {
    const tidings_pkg::Header0 header{.kind = tidings_pkg::Kind::kStaticMessage,
                                      .dst_node = NodeId{static_cast<std::uint16_t>(random_.below(routes_ + 1))}};
    std::deque<std::uint32_t> words{header.encode()};
    for (std::uint32_t rest = random_.below(static_flits_); rest != 0; --rest) {
      words.push_back(static_cast<std::uint32_t>(random_.next()));
    }
    return words;
  }

  template <class Draw>
  static void send(Port& port, std::uint8_t vc, PortInput& input, Draw draw) {
    if (!port.credits.take_room(vc)) return;
    Channel& channel = port.channels[vc];
    if (channel.packet.empty()) channel.packet = draw(channel.packets++);
    input.flit_valid = true;
    input.flit = {.vc = vc, .last = channel.packet.size() == 1, .data = channel.packet.front()};
    channel.packet.pop_front();
  }

  verify::Packets packets_;
  unsigned network_ports_;
  std::uint32_t routes_;
  std::uint32_t static_flits_;
  traffic::Random random_;
  std::vector<Port> ports_;
  Port lane_;
  std::uint64_t passed_ = 0;
  std::uint64_t tapped_ = 0;
};

/// Runs a router at every place of a machine, a single router under several seeds.
void compare(const std::string& library_name, const Topology& topology) {
  constexpr std::uint32_t kCycles = 4000, kFewestSeeds = 4;
  const RouterLibrary& library = load(library_name);
  for (std::uint32_t seed = 1; seed <= std::max(topology.nodes(), kFewestSeeds); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const NodeIndex node{(seed - 1) % topology.nodes()};
    RouterPair router(library, topology.place(node), static_cast<int>(seed));
    // Routes lead to any slots, the first one to none.
    traffic::Random random(seed, 1);
    for (std::uint32_t route = 0; topology.ports() == 0 && route < library.parameters.num_routes; ++route) {
      // Each group of slots by itself, if a write does not name them all.
      for (std::uint32_t slot = 0; slot < library.parameters.num_slots; slot += kMaxSlots) {
        const std::uint32_t group = slot / kMaxSlots;
        const std::uint32_t slots = std::min(library.parameters.num_slots - slot, kMaxSlots);
        const std::uint32_t ports = (route == 0 ? 0 : random.below(1U << slots)) | group << kMaxSlots;
        router.write_route({.route = static_cast<std::uint8_t>(route), .entry = {.switched = false, .ports = ports}});
      }
    }
    Surroundings around(library.parameters, topology, node, seed);
    for (std::uint32_t cycle = 0; cycle < kCycles; ++cycle) {
      ASSERT_NO_THROW(router.step(around.drive(router.outputs())));
    }
    EXPECT_GT(around.passed(), kCycles / 4);
    if (library.parameters.direct_links != 0) {
      EXPECT_GT(around.tapped(), kCycles / 32);
    }
  }
}

TEST(RouterTwin, WithOneClassHasTheOutputsOfTheRtlOnAMesh) {
  compare("mesh", Topology({.kind = TopologyKind::kMesh, .size = {3, 2}, .slots = 1}));
}

TEST(RouterTwin, WithACyclePerTurnHasTheOutputsOfTheRtlOnAMesh) {
  compare("turns", Topology({.kind = TopologyKind::kMesh, .size = {3, 3}, .slots = 1}));
}

TEST(RouterTwin, WithOneClassAndDirectLinksHasTheOutputsOfTheRtlOnATorus) {
  compare("torus", Topology({.kind = TopologyKind::kTorus, .size = {4, 2}, .slots = 2}));
}

TEST(RouterTwin, WithAPipelineAndACyclePerTurnHasTheOutputsOfTheRtlOnATorus) {
  compare("pipeline", Topology({.kind = TopologyKind::kTorus, .size = {4, 3}, .slots = 2}));
}

Topology crossbar(std::uint32_t slots) {
  return Topology({.kind = TopologyKind::kCrossbar, .size = {}, .slots = slots});
}

TEST(CrosspointRouterTwin, WithOneClassHasTheOutputsOfTheRtl) { compare("crosspoint", crossbar(5)); }

TEST(CrosspointRouterTwin, WithTightQueuesHasTheOutputsOfTheRtl) { compare("crosspoint_tight", crossbar(3)); }

TEST(CrosspointRouterTwin, WithManySlotsHasTheOutputsOfTheRtl) { compare("crosspoint_many", crossbar(20)); }

TEST(CrosspointRouterTwin, WithStaticRoutesHasTheOutputsOfTheRtl) { compare("crosspoint_routes", crossbar(4)); }

TEST(CrosspointRouterTwin, WithRoutesToGroupsOfSlotsHasTheOutputsOfTheRtl) {
  compare("crosspoint_route_groups", crossbar(18));
}

TEST(CrosspointRouterTwin, WithTheFullestFirstHasTheOutputsOfTheRtl) { compare("crosspoint_fullest", crossbar(4)); }

}  // namespace
}  // namespace tidings::test
