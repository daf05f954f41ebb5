// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>

#include "sim/benchmark/alltoall_benchmark.h"
#include "sim/benchmark/collective_benchmark.h"
#include "sim/benchmark/link_benchmark.h"
#include "sim/benchmark/machine_benchmark.h"
#include "sim/benchmark/rma_benchmark.h"
#include "sim/python/bindings.h"
#include "sim/python/fidelity.h"

namespace nb = nanobind;

namespace tidings {
namespace {

/// Every slot of the whole machine is busy.
BenchmarkResult benchmark(const MachineConfig& config, const std::string& node_library, BenchmarkLoad load,
                          std::uint64_t cycles, std::uint32_t threads) {
  validate(config);
  const Topology whole(config.topology);
  const Fidelity fidelity = choose_fidelity(config, node_library, {}, threads);
  const nb::gil_scoped_release release;
  Machine machine(config, whole.endpoints(), fidelity.fabric);
  return benchmark_machine(machine, load, cycles);
}

/// Without the interpreter lock, which is taken now and then to say how far it is, and for Ctrl-C.
CollectiveTimes collective(const MachineConfig& config, const std::string& node_library, const CollectivePlan& given,
                           const std::optional<nb::typed<nb::callable, void(std::uint64_t)>>& progress) {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{500};
  CollectivePlan plan = given;
  plan.progress = [&progress, said = Clock::now()](std::uint64_t cycle) mutable {
    if (Clock::now() - said < kPatience) return;
    said = Clock::now();
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress) (*progress)(cycle);
  };
  const Fidelity fidelity = choose_fidelity(config, node_library, {}, 1);
  const nb::gil_scoped_release release;
  return benchmark_collective(config, fidelity.fabric, plan);
}

RmaTimes rma(const MachineConfig& config, const std::string& node_library, const RmaPlan& plan) {
  validate(config);
  const Fidelity fidelity = choose_fidelity(config, node_library, {}, 1);
  const nb::gil_scoped_release release;
  return benchmark_rma(config, fidelity.fabric, plan);
}

void bind_rma(nb::module_& module) {
  nb::enum_<RmaPattern>(module, "RmaPattern", "What ranks do before the barrier.")
      .value("NOTHING", RmaPattern::kNothing)
      .value("PUT", RmaPattern::kPut, "Rank 0 PUTs a block into rank 1's memory.")
      .value("PUT_INLINE", RmaPattern::kPutInline, "Rank 0 PUTs `blocks` words that are in its commands.")
      .value("GET", RmaPattern::kGet, "Rank 0 GETs a block out of rank 1's memory.")
      .value("PUT_ROW", RmaPattern::kPutRow, "Rank 0 PUTs a block after the other into rank 1's memory.")
      .value("EXCHANGE", RmaPattern::kExchange, "Each rank PUTs a block of its own into every rank's memory.")
      .value("REGISTRATION", RmaPattern::kRegistration, "Rank 0 registers a region.")
      .value("DEREGISTRATION", RmaPattern::kDeregistration, "Rank 0 deregisters it.")
      .value("ADD", RmaPattern::kAdd, "Rank 0 adds to a word of rank 1 and gets the old value, `blocks` times.");
  nb::enum_<RmaBarrier>(module, "RmaBarrier", "How ranks meet afterwards.")
      .value("NONE", RmaBarrier::kNone)
      .value("ENGINE", RmaBarrier::kEngine, "By the engine mpe.")
      .value("WIRES", RmaBarrier::kWires, "By the engine barrier, over wires.");
  nb::class_<RmaPlan>(module, "RmaPlan", "Commands of the engine rma, and a barrier behind them.")
      .def(nb::init<>())
      .def_rw("pattern", &RmaPlan::pattern)
      .def_rw("ranks", &RmaPlan::ranks)
      .def_rw("words", &RmaPlan::words, "Of a block.")
      .def_rw("blocks", &RmaPlan::blocks, "Of a row.")
      .def_rw("barrier", &RmaPlan::barrier)
      .def_rw("engine_barrier", &RmaPlan::engine_barrier, "Links and ways of the engine mpe.")
      .def_rw("wire_mates", &RmaPlan::wire_mates, "Of each rank, for the engine barrier.");
  nb::class_<RmaTimes>(module, "RmaTimes", "Cycles from the one in which rank 0's first command is on its bus.")
      .def_ro("first_write", &RmaTimes::first_write, "To the first memory write.")
      .def_ro("last_write", &RmaTimes::last_write, "To the last one.")
      .def_ro("met", &RmaTimes::met, "To the one in which the last rank sees that all have met.")
      .def_ro("memory_writes", &RmaTimes::memory_writes, "Of all ranks.")
      .def_ro("operand_writes", &RmaTimes::operand_writes, "Register writes before the first command.");
  module.def(
      "benchmark_rma", &rma, nb::arg("machine"), nb::arg("node_library"), nb::arg("plan"),
      R"(Carry a plan out, with processors that take no time, and compare every rank's memory with what must be there.

The interpreter lock is released.

Raises
------
ValueError
    Where the plan is not possible.
RuntimeError
    Where it never ends, or a word is wrong; it says which and where.
)");
  nb::class_<NameTimes>(module, "NameTimes", "Cycles for which each operation occupies the registration table.")
      .def_ro("nothing", &NameTimes::nothing, "No command.")
      .def_ro("by_number", &NameTimes::by_number, "The row of a number.")
      .def_ro("by_address", &NameTimes::by_address, "The number of a region.")
      .def_ro("registration", &NameTimes::registration, "Of a region.")
      .def_ro("deregistration", &NameTimes::deregistration, "Of a region.");
  module.def("benchmark_names", &benchmark_names,
             R"(Let the twin of name_table carry each operation out.

Raises
------
RuntimeError
    If it does not find what it has been told.
)");
}

std::uint64_t wires(const MachineConfig& config, const std::string& node_library,
                    const std::vector<std::uint64_t>& mates) {
  const Fidelity fidelity = choose_fidelity(config, node_library, {}, 1);
  const nb::gil_scoped_release release;
  return benchmark_wires(config, fidelity.fabric, mates);
}

std::uint64_t alltoall(const MachineConfig& config, const std::string& node_library,
                       const std::vector<AlltoallOrders>& programs, std::uint32_t words,
                       const std::optional<SwitchCollective>& other) {
  const Fidelity fidelity = choose_fidelity(config, node_library, {}, 1);
  const nb::gil_scoped_release release;
  return benchmark_alltoall(config, fidelity.fabric, programs, words, other);
}

void bind_collectives(nb::module_& module) {
  nb::enum_<tidings_pkg::Collective>(module, "CollectiveOperation")
      .value("BARRIER", tidings_pkg::Collective::kBarrier)
      .value("BROADCAST", tidings_pkg::Collective::kBroadcast)
      .value("REDUCE", tidings_pkg::Collective::kReduce)
      .value("ALLREDUCE", tidings_pkg::Collective::kAllreduce);
  nb::enum_<tidings_pkg::Element>(module, "ElementType", "What a reduction sums.")
      .value("INT32", tidings_pkg::Element::kInt32)
      .value("INT64", tidings_pkg::Element::kInt64)
      .value("FLOAT", tidings_pkg::Element::kFloat)
      .value("DOUBLE", tidings_pkg::Element::kDouble);
  nb::class_<CollectiveLink>(module, "CollectiveLink", R"(One of a rank's links in the engine.

The peer's number is that of the link that leads back. The neighbour of a direct link is behind the network port of
the link's number, both in slot 0.
)")
      .def(nb::init<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, bool>(), nb::arg("rank"),
           nb::arg("number"), nb::arg("neighbour"), nb::arg("peer_number"), nb::arg("direct"));
  nb::class_<CollectiveWay>(
      module, "CollectiveWay",
      R"(Which of its links a rank uses: the one towards the root, and those away from it, one bit each.

In an exchange all are those away from the root, in rising order but for the pairs of links in ``swap``.
)")
      .def(nb::init<std::uint32_t, std::uint32_t, std::uint32_t>(), nb::arg("parent"), nb::arg("children"),
           nb::arg("swap") = 0)
      .def_ro_static("NO_PARENT", &CollectiveWay::kNoParent, "Parent of the root.");
  nb::class_<CollectivePlan>(module, "CollectivePlan",
                             "A stream of equal collectives, of all ranks. Lists are read and set as a whole.")
      .def(nb::init<>())
      .def_rw("operation", &CollectivePlan::operation)
      .def_rw("exchange", &CollectivePlan::exchange, "In rounds over all links of a way, not over a tree.")
      .def_rw("element", &CollectivePlan::element)
      .def_rw("root", &CollectivePlan::root)
      .def_rw("count", &CollectivePlan::count, "Elements of a vector, or words of a broadcast.")
      .def_rw("vectors", &CollectivePlan::vectors)
      .def_rw("ways", &CollectivePlan::ways, "By rank.")
      .def_rw("links", &CollectivePlan::links);
  nb::class_<CollectiveTimes>(module, "CollectiveTimes")
      .def_ro("done", &CollectiveTimes::done,
              "Cycles from the write of the first command to the last engine's completion; one entry a vector.")
      .def_ro("flit_hops", &CollectiveTimes::flit_hops, "Flits that entered a link.");
  module.def("benchmark_collective", &collective, nb::arg("machine"), nb::arg("node_library"), nb::arg("plan"),
             nb::arg("progress") = nb::none(),
             R"(Carry a plan out and compare every node's memory with what must be there.

``progress`` is called about every half second with the cycle. The interpreter lock is released.

Raises
------
ValueError
    Where the plan is not possible.
RuntimeError
    Where an engine never ends, or a result is wrong; it says which and where.
)");
  nb::class_<SwitchCollective>(module, "SwitchCollective", R"(What static switches carry out other than an all-to-all.

With ``element`` words are summed, and ``summands`` and ``outputs`` say of each rank which inputs and outputs of its
switch have part in that, a bit each. ``root`` is that of a broadcast, a scatter, a gather or a reduce. With
``scatters`` the root has a block for each rank, and with ``gathers`` a block comes from each rank.
)")
      .def(nb::init<>())
      .def_rw("root", &SwitchCollective::root)
      .def_rw("scatters", &SwitchCollective::scatters)
      .def_rw("gathers", &SwitchCollective::gathers)
      .def_rw("element", &SwitchCollective::element)
      .def_rw("summands", &SwitchCollective::summands)
      .def_rw("outputs", &SwitchCollective::outputs);
  module.def(
      "benchmark_alltoall", &alltoall, nb::arg("machine"), nb::arg("node_library"), nb::arg("programs"),
      nb::arg("words"), nb::arg("other") = nb::none(),
      R"(Let all ranks start an all-to-all over static switches in one cycle, check every word, and return the cycles to
the last interrupt; ``other`` is what it is if it is another collective.

``programs`` has the orders of each rank, as ``word_program`` and its relatives return them; ``words`` are those
of a block.

Raises
------
RuntimeError
    Where it never ends, or a word is wrong; it says which and where.
)");
  module.def("benchmark_wires", &wires, nb::arg("machine"), nb::arg("node_library"), nb::arg("mates"),
             R"(Let all ranks arrive at a barrier over wires in one cycle, and return the cycles to the last interrupt.

``mates`` has the directions of each rank in which there are others, as ``wire_mates`` returns them.

Raises
------
ValueError
    Where there are fewer than two ranks.
RuntimeError
    Where a rank is never released.
)");
}

}  // namespace

void bind_benchmark(nb::module_& module) {
  bind_collectives(module);
  bind_rma(module);
  nb::enum_<BenchmarkLoad>(module, "BenchmarkLoad", "What all slots do, all the time.")
      .value("NEIGHBOUR", BenchmarkLoad::kNeighbour, "PUTs of 4 KiB to the next rank.")
      .value("UNIFORM", BenchmarkLoad::kUniform, "PUTs of 1 KiB to random ranks.")
      .value("ALLREDUCE", BenchmarkLoad::kAllreduce, "Sums of 512 doubles over a binary tree.");
  nb::class_<BenchmarkResult>(module, "BenchmarkResult", "How fast a machine was simulated.")
      .def_ro("cycles", &BenchmarkResult::cycles)
      .def_ro("node_evaluations", &BenchmarkResult::node_evaluations)
      .def_ro("flit_hops", &BenchmarkResult::flit_hops, "Flits that entered a link.")
      .def_ro("seconds", &BenchmarkResult::seconds, "Wall time.");
  nb::class_<LinkBenchmarkResult>(module, "LinkBenchmarkResult", "What bit errors cost on a link that loses nothing.")
      .def_ro("cycles", &LinkBenchmarkResult::cycles)
      .def_ro("flits", &LinkBenchmarkResult::flits, "Delivered, both directions.")
      .def_ro("mean_latency", &LinkBenchmarkResult::mean_latency,
              "Cycles from the sender's output to the receiver's input.")
      .def_ro("longest_latency", &LinkBenchmarkResult::longest_latency)
      .def_ro("damaged_frames", &LinkBenchmarkResult::damaged_frames)
      .def_ro("resent_frames", &LinkBenchmarkResult::resent_frames);
  module.def("benchmark_link", &benchmark_link, nb::arg("latency"), nb::arg("buffer_flits"), nb::arg("bit_error_rate"),
             nb::arg("load"), nb::arg("cycles"), nb::arg("seed"),
             R"(Let two routers send flits to each other over one link.

Raises
------
RuntimeError
    Where the errors kill the link.
)");
  module.def("benchmark", &benchmark, nb::arg("machine"), nb::arg("node_library"), nb::arg("load"), nb::arg("cycles"),
             nb::arg("threads") = 1,
             R"(Step the whole machine through ``cycles`` cycles while every slot is busy, after some to warm up.

Without a compiled node, all nodes are the cycle model.

Raises
------
ValueError
    For a machine that cannot be built.
RuntimeError
    Where the compiled node cannot be loaded.
)");
}

}  // namespace tidings
