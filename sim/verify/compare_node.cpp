// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/compare_node.h"

#include <memory>
#include <stdexcept>

#include "sim/cycle/node.h"
#include "sim/machine/clock.h"
#include "sim/rtl/verilated_node.h"
#include "sim/verify/lockstep_node.h"
#include "sim/verify/neighbours.h"

namespace tidings::verify {
namespace {

/// Packets come in the cycles of the run; then those under way end, however many wait for one port.
constexpr std::uint64_t kPatience = 200'000;
bool goes_on(const NodeRun& run, std::uint64_t cycle, const NodeOutputs& outputs, const Neighbours& neighbours) {
  if (cycle < run.cycles) return true;
  return (outputs.busy || !neighbours.at_rest()) && cycle < run.cycles + kPatience;
}

NodeInputs no_inputs(const Topology& topology) {
  return {.ports = std::vector<PortInput>(topology.ports()), .slots = std::vector<SlotInput>(topology.slots())};
}

}  // namespace

Compared compare_nodes(const MachineConfig& config, const NodeFactory& expected, const NodeFactory& got,
                       const NodeRun& run, std::vector<std::uint32_t>& begun) {
  Compared compared;
  const Topology topology(config.topology);
  const NodeIndex index{run.node % topology.nodes()};
  Neighbours neighbours(node_parameters(config), topology, index, run.seed, run.packets);
  NodeInputs inputs = no_inputs(topology);
  std::vector<bool> lines(topology.slots());
  std::uint64_t showing = 0;  // the cycle whose outputs are compared
  try {
    const std::unique_ptr<Node> pair = lockstep_factory(expected, got)(index, topology.place(index));
    const NodeOutputs& outputs = pair->outputs();
    for (; goes_on(run, compared.cycles, outputs, neighbours); ++compared.cycles) {
      showing = compared.cycles + 1;
      neighbours.drive(outputs, inputs, compared.cycles >= run.cycles);
      pair->step(inputs);
      for (const PortOutput& port : outputs.ports) compared.flit_hops += port.flit_valid ? 1 : 0;
      for (std::size_t s = 0; s < lines.size(); ++s) {
        compared.bus_reads += outputs.slots[s].bus_read_valid ? 1 : 0;
        compared.interrupts += outputs.slots[s].interrupt && !lines[s] ? 1 : 0;
        lines[s] = outputs.slots[s].interrupt;
      }
    }
    if (outputs.busy || !neighbours.at_rest()) {
      compared.stop = {StopKind::kBusy, showing, index.value,
                       "packets are left over in the node " + std::to_string(kPatience) + " cycles after the last one"};
    }
  } catch (const Divergence& divergence) {
    compared.difference = {.cycle = showing,
                           .node = divergence.node().value,
                           .place = divergence.place(),
                           .field = divergence.field(),
                           .expected = divergence.expected(),
                           .got = divergence.got(),
                           .of_fabric = false};
  } catch (const std::runtime_error& error) {  // an assertion of the RTL
    compared.stop = {StopKind::kFailed, showing, index.value, error.what()};
  }
  begun = neighbours.begun();
  compared.headers = neighbours.headers();
  compared.accesses = neighbours.accesses();
  compared.packets.assign(neighbours.counts().begin(), neighbours.counts().end());
  return compared;
}

Compared compare_node(const MachineConfig& config, const std::string& library, const NodeRun& run,
                      std::vector<std::uint32_t>& begun) {
  const NodeParameters parameters = node_parameters(config);
  return compare_nodes(config, VerilatedSession::load(library, parameters)->factory(),
                       cycle::cycle_node_factory(parameters), run, begun);
}

PortWaves record_node(const MachineConfig& config, const std::string& library, const NodeRun& run,
                      WaveRequest request) {
  const NodeParameters parameters = node_parameters(config);
  const Topology topology(config.topology);
  const NodeIndex index{run.node % topology.nodes()};
  request.node = index.value;
  const Clock clock(config.fabric.clock_khz);
  const std::shared_ptr<VerilatedSession> session = VerilatedSession::load(library, parameters);
  const std::unique_ptr<Node> rtl = session->factory()(index, topology.place(index));
  const std::unique_ptr<Node> twin = cycle::cycle_node_factory(parameters)(index, topology.place(index));
  Neighbours neighbours(parameters, topology, index, run.seed, run.packets);
  RtlRecorder rtl_recorder(session, clock, topology, request);
  PortRecorder ports(
      clock, topology, request, [&](const NodeInputs& inputs) { twin->step(inputs); },
      [&]() -> const NodeOutputs& { return twin->outputs(); });
  // Observers are shown the inputs of a whole machine.
  std::vector<NodeInputs> inputs(topology.nodes(), no_inputs(topology));
  try {
    for (std::uint64_t cycle = 0; cycle < request.last && goes_on(run, cycle, rtl->outputs(), neighbours); ++cycle) {
      neighbours.drive(rtl->outputs(), inputs[index.value], cycle >= run.cycles);
      rtl_recorder.before_edge(Cycle{cycle}, inputs);
      ports.before_edge(Cycle{cycle}, inputs);
      rtl->step(inputs[index.value]);
      rtl_recorder.after_edge(Cycle{cycle + 1});
      ports.after_edge(Cycle{cycle + 1});
    }
  } catch (const std::runtime_error&) {  // what the failure was: the waveforms lead to it
  }
  return ports.waves();
}

}  // namespace tidings::verify
