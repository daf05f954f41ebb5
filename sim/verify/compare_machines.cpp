// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/compare_machines.h"

#include <memory>
#include <optional>
#include <stdexcept>

#include "sim/cycle/machine_fabric.h"
#include "sim/cycle/node.h"
#include "sim/cycle/reliable_links.h"
#include "sim/machine/clock.h"
#include "sim/rtl/verilated_node.h"
#include "sim/verify/lockstep_node.h"

namespace tidings::verify {
namespace {

Difference difference_of(Cycle cycle, const Divergence& divergence, bool of_fabric) {
  return {.cycle = cycle.value,
          .node = divergence.node().value,
          .place = divergence.place(),
          .field = divergence.field(),
          .expected = divergence.expected(),
          .got = divergence.got(),
          .of_fabric = of_fabric};
}

/// The links between nodes of RTL are twins: nodes do not contain their ends.
FabricFactory fabric_of_rtl(const NodeFactory& nodes) {
  return fabric_of(nodes, NodeFabric::Stepping::kActiveNodes, cycle::links_factory());
}

}  // namespace

Compared compare_fabrics(const MachineConfig& config, const FabricFactory& expected, const FabricFactory& got,
                         const MachinePair::Options& options, const std::vector<Operation>& script) {
  Compared compared;
  std::optional<MachinePair> pair;
  const auto stop = [&](StopKind kind, NodeIndex node, const std::string& reason) {
    return Stop{.kind = kind, .cycle = pair ? pair->compared().value : 0, .node = node.value, .reason = reason};
  };
  try {
    pair.emplace(config, expected, got, options);
    pair->run(script);
  } catch (const Divergence& divergence) {
    compared.difference =
        difference_of(pair ? pair->compared() : Cycle{0}, divergence, pair.has_value() && pair->as_wholes());
  } catch (const Stuck& stuck) {
    compared.stop = stop(stuck.kind(), stuck.node(), stuck.what());
  } catch (const std::runtime_error& error) {  // an assertion of the RTL, an engine outside its memory, a dead link
    compared.stop = stop(StopKind::kFailed, NodeIndex{0}, error.what());
  }
  if (pair) pair->report(compared);
  return compared;
}

Compared compare_machines(const MachineConfig& config, const std::string& library, std::uint32_t seed,
                          const std::vector<Operation>& script) {
  const NodeParameters parameters = node_parameters(config);
  const NodeFactory nodes =
      lockstep_factory(VerilatedSession::load(library, parameters)->factory(), cycle::cycle_node_factory(parameters));
  return compare_fabrics(config, fabric_of_rtl(nodes), cycle::machine_fabric_factory(), {.seed = seed}, script);
}

PortWaves record_machines(const MachineConfig& config, const std::string& library, std::uint32_t seed,
                          const std::vector<Operation>& script, const WaveRequest& request) {
  const NodeParameters parameters = node_parameters(config);
  const std::shared_ptr<VerilatedSession> session = VerilatedSession::load(library, parameters);
  MachinePair pair(config, fabric_of_rtl(session->factory()), cycle::machine_fabric_factory(),
                   {.seed = seed, .compares = false});
  const Clock clock(config.fabric.clock_khz);
  const Topology& topology = pair.expected().topology();
  const NodeIndex node{request.node};

  RtlRecorder rtl(session, clock, topology, request);
  if (request.of_fabric) {
    PortRecorder ports(
        clock, topology, request, [](const NodeInputs&) {},
        [&]() -> const NodeOutputs& { return pair.got().outputs(node); });
    pair.expected().observe(&rtl);
    pair.got().observe(&ports);
    try {
      pair.run(script, Cycle{request.last});
    } catch (const std::runtime_error&) {  // what the failure was: the waveforms lead to it
    }
    return ports.waves();
  }
  const std::unique_ptr<Node> twin = cycle::cycle_node_factory(parameters)(node, topology.place(node));
  PortRecorder ports(
      clock, topology, request, [&](const NodeInputs& inputs) { twin->step(inputs); },
      [&]() -> const NodeOutputs& { return twin->outputs(); });
  Observers both({&rtl, &ports});
  pair.expected().observe(&both);
  try {
    pair.run(script, Cycle{request.last});
  } catch (const std::runtime_error&) {  // likewise
  }
  return ports.waves();
}

}  // namespace tidings::verify
