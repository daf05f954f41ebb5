// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/python/bindings.h"
#include "sim/python/fidelity.h"
#include "sim/python/os_text.h"
#include "sim/rtl/verilated_node.h"
#include "sim/runtime/channel.h"
#include "sim/runtime/guarded_command.h"
#include "sim/runtime/runtime.h"

namespace nb = nanobind;

namespace tidings {
namespace {

/// RunOptions with what Python can name instead of what C++ would be handed.
struct PythonOptions {
  RunOptions options;
  std::string node_library;
  std::vector<std::uint32_t> rtl_nodes;
  std::uint32_t threads = 1;
  std::string wave_file;
  std::optional<std::uint32_t> wave_node;
  std::optional<nb::typed<nb::callable, void(Progress)>> progress;
  std::optional<nb::typed<nb::callable, OsText(OsText)>> source;
};

RunReport run_with(const PythonOptions& given) {
  RunOptions options = given.options;
  const Fidelity fidelity = choose_fidelity(options.machine, given.node_library, given.rtl_nodes, given.threads);
  options.fabric = fidelity.whole ? fidelity.whole : fidelity.fabric;
  if (fidelity.whole) options.parts = fidelity.fabric;
  if (!given.wave_file.empty()) {
    if (!fidelity.session) throw std::invalid_argument("waveforms are of Verilated nodes, and there are none");
    std::optional<NodeIndex> node;
    if (given.wave_node) node = NodeIndex{*given.wave_node};
    options.observer = [&fidelity, &given, node](const Machine& machine) {
      return std::make_unique<WaveRecorder>(fidelity.session, machine, given.wave_file, node);
    };
  }
  if (given.progress) {
    options.progress = [&given](const Progress& progress) {
      const nb::gil_scoped_acquire lock;
      (*given.progress)(progress);
    };
  }
  if (given.source) {
    options.source = [&given](const std::string& place) -> std::string {
      const nb::gil_scoped_acquire lock;
      return nb::cast<OsText>((*given.source)(OsText(place)));
    };
  }
  const nb::gil_scoped_release release;
  return run(options);
}

/// What a rank has written may be anything: bytes that are not UTF-8 are shown as escapes.
nb::str text(const std::string& bytes) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

/// A field of the options that C++ has too.
template <typename Value>
auto getter(Value RunOptions::* member) {
  return [member](PythonOptions& self) -> Value& { return self.options.*member; };
}

template <typename Value>
auto setter(Value RunOptions::* member) {
  return [member](PythonOptions& self, const Value& value) { self.options.*member = value; };
}

void bind_options(nb::module_& module) {
  nb::enum_<Compute>(module, "Compute", "What a rank's own computation costs in virtual time.")
      .value("NONE", Compute::kNone, "Nothing: two runs of one program are equal to the picosecond.")
      .value("MEASURED", Compute::kMeasured,
             "The CPU time of the rank's main thread times ``ProcessorConfig.compute_scale``.");
  nb::class_<Progress>(module, "Progress", "How far a run has come.")
      .def_prop_ro(
          "virtual_ps", [](const Progress& self) { return self.virtual_time.value; }, "Virtual time of the machine.")
      .def_ro("cycles", &Progress::cycles, "Cycles that were simulated so far.")
      .def_ro("cycles_per_second", &Progress::cycles_per_second,
              "Cycles simulated in each second of wall time since the last call.")
      .def_ro("link_load", &Progress::link_load,
              "Share of the cycles since the last call in which a link carried a flit, of all links.")
      .def_ro("slowest_rank", &Progress::slowest_rank, "The rank that is least far; -1 if all have ended.")
      .def_prop_ro(
          "slowest_call", [](const Progress& self) { return text(self.slowest_call); },
          "The call that it is in; empty outside any.")
      .def_prop_ro(
          "slowest_ps", [](const Progress& self) { return self.slowest_for.value; },
          "How long it has been there, in picoseconds of virtual time.");
  nb::class_<PythonOptions>(module, "RunOptions", "What to run, and on what.")
      .def(nb::init<>())
      .def(
          "add_program",
          [](PythonOptions& self, const std::vector<OsText>& words, std::uint32_t ranks, std::uint32_t number) {
            self.options.programs.push_back({.words = {words.begin(), words.end()}, .ranks = ranks, .number = number});
          },
          nb::arg("words"), nb::arg("ranks"), nb::arg("number"),
          "The next ranks execute a program, given with its arguments; it is looked up in ``PATH`` if its name has no "
          "slash. They are told its number.")
      .def(
          "add_output",
          [](PythonOptions& self, int standard_output, int standard_error) {
            self.options.outputs.push_back({.standard_output = standard_output, .standard_error = standard_error});
          },
          nb::arg("standard_output"), nb::arg("standard_error"),
          "The next rank prints to these descriptors. Ranks print where this process does if none has any.")
      .def_prop_rw("places", getter(&RunOptions::places), setter(&RunOptions::places),
                   "Slot of each rank, counted over the whole machine. Empty: the machine is cut to what the ranks "
                   "need, and they fill it in order. Read and set as a whole.")
      .def_prop_rw("machine", getter(&RunOptions::machine), setter(&RunOptions::machine),
                   nb::rv_policy::reference_internal)
      .def_rw("node_library", &PythonOptions::node_library,
              "Shared object of the compiled node that fits the machine; empty if all nodes are the cycle model.")
      .def_rw("rtl_nodes", &PythonOptions::rtl_nodes,
              "Routers that are the compiled node; empty for all, if there is one. Read and set as a whole.")
      .def_rw("threads", &PythonOptions::threads,
              "Threads that the machine is simulated in, if all nodes are the cycle model; at least 1.")
      .def_prop_rw("rank_library", getter(&RunOptions::rank_library), setter(&RunOptions::rank_library),
                   "Path of ``libtidings_rank.so``.")
      .def_prop_rw("library_directory", getter(&RunOptions::library_directory), setter(&RunOptions::library_directory),
                   "Directory of the message passing library; put first in each rank's ``LD_LIBRARY_PATH``. Empty "
                   "leaves that alone.")
      .def_prop_rw("environment", getter(&RunOptions::environment), setter(&RunOptions::environment),
                   "Added to each rank's environment. Read and set as a whole.")
      .def_prop_rw("compute", getter(&RunOptions::compute), setter(&RunOptions::compute))
      .def_prop_rw("hardware_collectives", getter(&RunOptions::hardware_collectives),
                   setter(&RunOptions::hardware_collectives))
      .def_prop_rw("named_switches", getter(&RunOptions::named_switches), setter(&RunOptions::named_switches),
                   "Without hardware_collectives, static switches carry out collectives that name them.")
      .def_prop_rw("ideal_collectives", getter(&RunOptions::ideal_collectives), setter(&RunOptions::ideal_collectives),
                   "Collectives take no time.")
      .def_rw("wave_file", &PythonOptions::wave_file, "FST file for waveforms of compiled nodes; empty for none.")
      .def_rw("wave_node", &PythonOptions::wave_node, nb::arg().none(),
              "The only router to write; None for all that are compiled nodes.")
      .def_prop_rw(
          "time_limit_ps", [](const PythonOptions& self) { return self.options.time_limit.value; },
          [](PythonOptions& self, std::uint64_t value) { self.options.time_limit = Picoseconds{value}; },
          "Virtual time at which the run is ended with an error; 0 for none.")
      .def_prop_rw(
          "wall_limit_seconds", [](const PythonOptions& self) { return self.options.wall_limit.count(); },
          [](PythonOptions& self, double value) { self.options.wall_limit = std::chrono::duration<double>(value); },
          "Wall time at which the run is ended with an error; 0 for none.")
      .def_prop_rw(
          "event_file", [](const PythonOptions& self) { return OsText(self.options.event_file); },
          [](PythonOptions& self, const OsText& value) { self.options.event_file = value; },
          "File in which the events of the run are stored; empty for none.")
      .def_prop_rw(
          "debugged_rank", [](const PythonOptions& self) { return self.options.debugged_rank; },
          [](PythonOptions& self, std::optional<std::uint32_t> value) { self.options.debugged_rank = value; },
          nb::arg().none(),
          "The rank that reads from standard input, instead of rank 0, and has the terminal if there is one; None for "
          "none.")
      .def_rw(
          "progress", &PythonOptions::progress, nb::arg().none(),
          "Called about every half second of wall time. An exception it raises ends the run and comes out of ``run``.")
      .def_rw(
          "source", &PythonOptions::source, nb::arg().none(),
          "Finds file and line, as a text, of a place in a program: its file, a tab and where in it the place is. An "
          "empty text says that they are not known. None: errors name no lines.");
}

nb::typed<nb::dict, nb::str, nb::int_> counted(const std::map<std::string, std::uint64_t>& texts) {
  nb::dict result;
  for (const auto& [words, calls] : texts) result[text(words)] = calls;
  return result;
}

void bind_report(nb::module_& module) {
  nb::class_<OperationStatistics>(module, "OperationStatistics", "One operation of the library. Times are virtual.")
      .def_prop_ro("name", [](const OperationStatistics& self) { return text(self.name); })
      .def_ro("calls", &OperationStatistics::calls)
      .def_ro("bytes", &OperationStatistics::bytes)
      .def_ro("min_ps", &OperationStatistics::min_ps)
      .def_prop_ro("mean_ps", &OperationStatistics::mean_ps)
      .def_ro("max_ps", &OperationStatistics::max_ps)
      .def_ro("total_ps", &OperationStatistics::total_ps)
      .def_ro("hardware", &OperationStatistics::hardware, "Calls that the engine carried out.")
      .def_ro("software", &OperationStatistics::software,
              "Collective calls carried out by messages, as the user asked.")
      .def_ro("fallback", &OperationStatistics::fallback, "Calls for which the engine was asked but could not.")
      .def_prop_ro(
          "fallback_reasons", [](const OperationStatistics& self) { return counted(self.fallback_reasons); },
          "Reason and the calls it explains.")
      .def_prop_ro(
          "notes", [](const OperationStatistics& self) { return counted(self.notes); },
          "Note of the library, as on an algorithm that was named and not used, and the calls it is about.");
  nb::class_<RankReport>(module, "RankReport")
      .def_ro("rank", &RankReport::rank)
      .def_ro("elapsed_ps", &RankReport::elapsed_ps, "Local time when the rank ended.")
      .def_ro("communication_ps", &RankReport::communication_ps, "Time inside library operations.")
      .def_prop_ro("compute_ps", &RankReport::compute_ps, "The rest.")
      .def_ro("operations", &RankReport::operations, "By name.");
  nb::class_<RunReport>(module, "RunReport", "What came of a run.")
      .def_ro("exit_status", &RunReport::exit_status, "0 to 255, as in the table of the page about virtual time.")
      .def_prop_ro(
          "error", [](const RunReport& self) { return text(self.error); },
          "Why the run failed, in whole lines without a final newline; empty if it did not.")
      .def_prop_ro(
          "event_error", [](const RunReport& self) { return text(self.event_error); },
          "Why the file of events is not complete; empty if it is.")
      .def_prop_ro("elapsed_ps", &RunReport::elapsed_ps, "Virtual time of the whole run: the latest rank's end.")
      .def_prop_ro("operations", &RunReport::operations, "All ranks together, by name.")
      .def_ro("ranks", &RunReport::ranks)
      .def_prop_ro("communication_share", &RunReport::communication_share,
                   "Share of the ranks' time inside library operations, 0 to 1.")
      .def_prop_ro(
          "simulated_cycles", [](const RunReport& self) { return self.machine.cycles_stepped; },
          "Cycles in which at least one node was evaluated.")
      .def_prop_ro(
          "skipped_cycles", [](const RunReport& self) { return self.machine.cycles_skipped; },
          "Idle cycles that were jumped over.")
      .def_prop_ro("node_evaluations", [](const RunReport& self) { return self.machine.node_evaluations; })
      .def_prop_ro(
          "flit_hops", [](const RunReport& self) { return self.machine.flit_hops; }, "Flits that entered a link.")
      .def_ro("wall_seconds", &RunReport::wall_seconds);
}

/// A command's status as Python's subprocess has it: negative numbers are signals.
std::optional<int> wait_for(GuardedCommand& command, double seconds) {
  const nb::gil_scoped_release release;
  const std::optional<ProcessEnd> end = command.wait(std::chrono::milliseconds(std::llround(seconds * 1000)));
  if (!end) return std::nullopt;
  return end->by_signal ? -end->value : end->value;
}

void start_command(GuardedCommand* self, const std::vector<OsText>& arguments,
                   const std::map<OsText, OsText>& environment, const OsText& folder, int output) {
  new (self)
      GuardedCommand({arguments.begin(), arguments.end()}, {environment.begin(), environment.end()}, folder, output);
}

void bind_guarded_command(nb::module_& module) {
  nb::class_<GuardedCommand>(
      module, "GuardedCommand",
      "A command that ends with this object, together with all that it has started, and if this process is killed.")
      .def("__init__", &start_command, nb::arg("arguments"), nb::arg("environment"), nb::arg("folder"),
           nb::arg("output"), "Start it; ``output`` is the descriptor of its standard output and error.")
      .def("stop", &GuardedCommand::stop, nb::call_guard<nb::gil_scoped_release>(),
           "End it, with all that it has started.")
      .def("wait", &wait_for, nb::arg("seconds"),
           "Return its exit status, or the negated signal that ended it; None if it has not ended by then.");
}

}  // namespace

void bind_run(nb::module_& module) {
  module.attr("WORD_SCHEDULE_VARIABLE") = TIDINGS_WORD_SCHEDULE_VARIABLE;
  bind_options(module);
  bind_report(module);
  bind_guarded_command(module);
  module.def("run", &run_with, nb::arg("options"), R"(Run a program to its end.

Ctrl-C, SIGTERM and SIGHUP end the ranks and give ``exit_status`` 128 + signal. The interpreter lock is released.

Raises
------
ValueError
    For a machine that cannot be built.
OSError
    Where the program is missing or cannot be executed; nothing has been started then.
RuntimeError
    Where the compiled node cannot be loaded.
)");
}

}  // namespace tidings
