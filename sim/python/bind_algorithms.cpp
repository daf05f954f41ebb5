// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// The library's algorithms of collectives, as the library itself uses them.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "check/variable.h"
#include "coll/block_program.h"
#include "coll/estimate.h"
#include "coll/selection.h"
#include "coll/steps.h"
#include "coll/wire_group.h"
#include "coll/wiring.h"
#include "coll/word_program.h"
#include "coll/word_schedule.h"
#include "coll/word_schedule_check.h"
#include "coll/word_way.h"
#include "sim/machine/topology.h"
#include "sim/python/bindings.h"
#include "sim/runtime/runtime.h"

namespace nb = nanobind;

namespace tidings {
namespace {

/// Where the ranks of a run are.
Placement placement_of(const MachineConfig& machine, std::uint32_t ranks, std::uint32_t links) {
  const Topology topology(machine.topology, ranks);
  std::vector<tidings_endpoint> members;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const Endpoint endpoint = topology.endpoint(rank);
    members.push_back({endpoint.node.value, static_cast<std::uint8_t>(endpoint.slot.value)});
  }
  return {Grid(grid_of(topology)), std::move(members), links};
}

const Shape& shape_named(const std::string& name) {
  if (const Shape* const shape = find_shape(name); shape != nullptr) return *shape;
  std::string known;
  for (const Shape& shape : shapes()) known += (known.empty() ? "" : ", ") + std::string(shape.name);
  throw std::invalid_argument("no tree '" + name + "'; there are " + known);
}

std::vector<std::optional<Member>> parents_of(const Placement& placement, const Shape& shape, Member root) {
  if (!shape.is_tree()) throw std::invalid_argument(std::string(shape.name) + " is not a tree");
  std::vector<std::optional<Member>> parents;
  for (const Member parent : shape.parents(placement, root)) {
    parents.push_back(parent == kNobody ? std::nullopt : std::optional(parent));
  }
  return parents;
}

/// Most hops between two members that a link joins.
std::uint32_t longest_link(const Wiring& wiring, const Placement& placement) {
  std::uint32_t most = 0;
  for (Member member = 0; member < placement.size(); ++member) {
    for (const GroupLink& link : wiring.links[member]) most = std::max(most, placement.hops(member, link.neighbour));
  }
  return most;
}

void bind_shapes(nb::module_& module) {
  nb::exception<Impossible>(module, "ImpossibleError");
  nb::class_<Placement>(module, "Placement", "Where the ranks of a run sit in a machine.")
      .def("__len__", &Placement::size)
      .def(
          "coordinates",
          [](const Placement& placement, Member member) {
            std::vector<std::uint32_t> all;
            for (std::uint32_t d = 0; d < placement.grid().dimensions(); ++d) {
              all.push_back(placement.coordinate(member, d));
            }
            return all;
          },
          nb::arg("member"), "Return where a member's router is.")
      .def("hops", &Placement::hops, nb::arg("origin"), nb::arg("target"),
           "Return the links on the way from one member to another.");
  nb::class_<Shape>(module, "Shape", "How the members of a group are joined: a tree, or an exchange in rounds.")
      .def_ro("name", &Shape::name)
      .def_ro("meaning", &Shape::meaning, "The parent of a node.")
      .def_ro("where", &Shape::where, "Which groups have it.")
      .def_ro("usual", &Shape::usual, "Measured without being asked for by name.")
      .def_prop_ro("is_tree", &Shape::is_tree);
  nb::class_<GroupLink>(module, "GroupLink", "A link of one member's engine.")
      .def_ro("number", &GroupLink::number)
      .def_ro("neighbour", &GroupLink::neighbour)
      .def_ro("peer_number", &GroupLink::peer_number, "Of the neighbour's link that leads back.")
      .def_ro("direct", &GroupLink::direct, "The neighbour is behind the router's port of this number.");
  nb::class_<GroupWay>(module, "GroupWay", "Which of its links a member uses.")
      .def_ro_static("NO_PARENT", &GroupWay::kNoParent)
      .def_ro("parent", &GroupWay::parent)
      .def_ro("children", &GroupWay::children)
      .def_ro("swap", &GroupWay::swap);
  nb::class_<Wiring>(module, "Wiring", "The links of all members.")
      .def_ro("links", &Wiring::links, "By member.")
      .def_ro("neighbours", &Wiring::neighbours, "They are the routers' ports.")
      .def("longest_link", &longest_link, nb::arg("placement"), "Return the most hops between two joined members.");
  module.def("placement", &placement_of, nb::arg("machine"), nb::arg("ranks"), nb::arg("links"),
             "Place the ranks of a run; each engine has the given number of links.");
  module.def("shapes", [] { return std::vector<Shape>(shapes().begin(), shapes().end()); }, "Return all shapes.");
  module.def("shape", &shape_named, nb::arg("name"), nb::rv_policy::copy,
             R"(Find a shape by its name.

Raises
------
ValueError
    Naming all, if there is none.)");
  module.def("parents", &parents_of, nb::arg("placement"), nb::arg("shape"), nb::arg("root") = 0,
             "Return the parent of each member in a tree; None at the root.");
  module.def("wire_mates", &wire_mates, nb::arg("placement"), nb::arg("member"),
             "Return in which directions a member has others, one bit each; None where they fill no rectangle.");
  module.def("best_root", &best_root, nb::arg("placement"), nb::arg("tree"),
             "Return the root of a tree for what has none: an allreduce or a barrier.");
  module.def("wire", &wire, nb::arg("placement"), nb::arg("shape"),
             R"(Give the edges of a shape links of the engines.

Raises
------
ImpossibleError
    Where the group has no such shape, or the engines have too few links for it.)");
  module.def("ways", &ways, nb::arg("placement"), nb::arg("shape"), nb::arg("wiring"), nb::arg("root") = 0,
             "Return which of its links each member uses.");
}

}  // namespace

namespace {

/// Step, rank that sends, rank that receives, blocks.
using StepTuple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

void bind_steps(nb::module_& module) {
  nb::class_<Steps>(module, "Steps", "The schedules of all ranks as steps, in which messages are under way together.")
      .def_prop_ro(
          "messages",
          [](const Steps& steps) {
            std::vector<StepTuple> all;
            all.reserve(steps.messages.size());
            for (const StepMessage& one : steps.messages) all.emplace_back(one.step, one.from, one.to, one.blocks);
            return all;
          },
          "By step: step, rank that sends, rank that receives, blocks.")
      .def_ro("number", &Steps::number)
      .def_ro("synchronizing", &Steps::synchronizing, "Messages without blocks beside others, which take no step.");
}

/// Ends at a signal, or with the best schedule so far when the time is over: processor time, so that other programs do
/// not change what is found.
WordSchedule find_word_schedule_within(const SwitchGrid& grid, std::uint32_t effort, double seconds) {
  const auto processor_seconds = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  constexpr std::uint32_t kBetween = 256;  // words: some milliseconds
  const double begin = processor_seconds();
  std::uint32_t placed = 0;
  bool over = seconds <= 0;
  return find_word_schedule(grid, effort, [&] {
    if (++placed % kBetween != 0) return !over;
    const nb::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    over = over || processor_seconds() - begin > seconds;
    return !over;
  });
}

void bind_switch_grid(nb::module_& module) {
  nb::class_<SwitchGrid>(module, "SwitchGrid", R"(Routers of static switches, in up to three dimensions.

Parameters
----------
size
    Routers in each dimension, x first.
rings
    Dimensions that are closed to a ring, a bit each.
hop
    Cycles of a link.)")
      .def(
          "__init__",
          [](SwitchGrid* self, const std::vector<std::uint32_t>& size, std::uint32_t rings, std::uint32_t hop) {
            SwitchGrid grid{.rings = rings, .hop = hop};
            if (size.empty() || size.size() > grid.size.size() || std::ranges::count(size, 0U) != 0 || hop == 0) {
              throw std::invalid_argument("static switches are joined along one to three dimensions");
            }
            std::ranges::copy(size, grid.size.begin());
            new (self) SwitchGrid(grid);
          },
          nb::arg("size"), nb::arg("rings") = 0, nb::arg("hop") = 1)
      .def_prop_ro("nodes", &SwitchGrid::nodes)
      .def_ro("size", &SwitchGrid::size)
      .def_ro("rings", &SwitchGrid::rings)
      .def_ro("hop", &SwitchGrid::hop)
      .def("ring", &SwitchGrid::ring, nb::arg("dimension"), "Return whether a dimension is closed.")
      .def(
          "way",
          [](const SwitchGrid& grid, std::uint32_t from, std::uint32_t to) {
            std::vector<std::uint32_t> nodes{from};
            while (nodes.back() != to) {
              nodes.push_back(grid.behind(nodes.back(), word_port(grid, from, to, nodes.back())));
            }
            return nodes;
          },
          nb::arg("sender"), nb::arg("receiver"), "Return the nodes on a word's way, both ends included.");
}

void bind_word_schedules(nb::module_& module) {
  nb::class_<WordSchedule>(module, "WordSchedule",
                           "An all-to-all of single words on a grid, in which no two words meet.")
      .def(
          "__init__",
          [](WordSchedule* self, const SwitchGrid& grid, std::uint32_t period, std::uint32_t cycles,
             std::vector<std::uint32_t> start) {
            new (self) WordSchedule{.width = grid.size[0],
                                    .height = grid.size[1],
                                    .period = period,
                                    .cycles = cycles,
                                    .start = std::move(start),
                                    .depth = grid.size[2],
                                    .rings = grid.rings,
                                    .hop = grid.hop};
          },
          nb::arg("grid"), nb::arg("period"), nb::arg("cycles"), nb::arg("start"))
      .def_prop_ro("grid", &WordSchedule::grid)
      .def_ro("width", &WordSchedule::width)
      .def_ro("height", &WordSchedule::height)
      .def_ro("period", &WordSchedule::period, "Cycles after which each word's successor may follow it.")
      .def_ro("cycles", &WordSchedule::cycles, "From the first word that enters to the last that leaves.")
      .def_ro("start", &WordSchedule::start, "The cycle in which a word enters, by sender * nodes + receiver.");
  module.def("word_schedule_bound", nb::overload_cast<const SwitchGrid&>(&word_schedule_bound), nb::arg("grid"),
             "Return the words that cross the busiest link or port.");
  module.def("word_schedule_link", &word_schedule_link, nb::arg("grid"),
             "Return the words that cross the busiest link.");
  module.def("word_schedule_period", &word_schedule_period, nb::arg("grid"),
             "Return the cycles of each further word of a block that no schedule does without.");
  module.def("word_schedule_least", &word_schedule_least, nb::arg("grid"), nb::arg("words"),
             "Return the cycles that no schedule does without, for blocks of N words.");
  module.def("find_word_schedule", &find_word_schedule_within, nb::arg("grid"), nb::arg("effort"), nb::arg("seconds"),
             nb::call_guard<nb::gil_scoped_release>(),
             R"(Search for a schedule of words.

Parameters
----------
grid
    Routers; x is travelled first.
effort
    Words that are placed before a length is given up on 256 nodes; more on fewer.
seconds
    Processor time after which the search ends with the best schedule so far.

Raises
------
ValueError
    If there are less than two or more than 256 nodes, or no schedule was found.)");
  module.def(
      "word_program",
      [](const WordSchedule& schedule, std::uint32_t node) {
        const WordProgram program = word_program(schedule, node);
        return std::vector<std::vector<std::uint8_t>>(program.begin(), program.end());
      },
      nb::arg("schedule"), nb::arg("node"), "Return the orders of a node's engine ``alltoall``, by their numbers.");
  module.def(
      "broadcast_program",
      [](const SwitchSize& size, std::uint32_t root, std::uint32_t node) {
        const WordProgram program = broadcast_program(size, root, node);
        return std::vector<std::vector<std::uint8_t>>(program.begin(), program.end());
      },
      nb::arg("size"), nb::arg("root"), nb::arg("node"),
      "Return the orders of a node's engine ``alltoall`` for a broadcast, by their numbers.");
  module.def(
      "reduction_program",
      [](const SwitchSize& size, std::uint32_t root, std::uint32_t node, bool all) {
        const WordProgram program = reduction_program(size, root, node, all);
        return std::tuple(std::vector<std::vector<std::uint8_t>>(program.begin(), program.end()),
                          std::uint32_t{program.summands}, std::uint32_t{program.outputs});
      },
      nb::arg("size"), nb::arg("root"), nb::arg("node"), nb::arg("all"),
      "Return the orders of a node's engine ``alltoall`` for a reduction, by their numbers; the inputs of its switch "
      "whose "
      "words it combines, and the outputs that sums leave by, a bit each. ``all``: all get the result.");
  const auto orders = [](const WordProgram& program) {
    return std::vector<std::vector<std::uint8_t>>(program.begin(), program.end());
  };
  for (const auto& [name, of, what] :
       {std::tuple{"gather_program", &gather_program,
                   "Return the orders of a node's engine ``alltoall`` for a gather, by their numbers."},
        {"scatter_program", &scatter_program,
         "Return the orders of a node's engine ``alltoall`` for a scatter, by their numbers."}}) {
    module.def(
        name,
        [of, orders](const SwitchSize& size, std::uint32_t root, std::uint32_t node) {
          return orders(of(size, root, node));
        },
        nb::arg("size"), nb::arg("root"), nb::arg("node"), what);
  }
  module.def(
      "allgather_program",
      [orders](const SwitchSize& size, std::uint32_t node) { return orders(allgather_program(size, node)); },
      nb::arg("size"), nb::arg("node"),
      "Return the orders of a node's engine ``alltoall`` for an allgather, by their numbers.");
  module.def("most_summands", &most_summands, nb::arg("size"),
             "Return the most words that one router combines in a reduction.");
  module.def("central_root", &central_root, nb::arg("size"), "Return the root of reductions whose result all get.");
  module.def("quick_word_schedule", nb::overload_cast<const SwitchGrid&>(&quick_word_schedule), nb::arg("grid"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Return a schedule at once, which takes a little longer than the bound.");
  module.def("word_schedule_mistake", &word_schedule_mistake, nb::arg("schedule"), nb::arg("repetitions"),
             nb::arg("room"), nb::call_guard<nb::gil_scoped_release>(),
             R"(Check a schedule of words with code that the search does not have.

Parameters
----------
repetitions
    Words of a block.
room
    Words that an input of a switch can hold.

Returns
-------
str
    The first mistake: a word that is late, two that meet, an order that does not repeat, switches that can wait for
    one another in a circle. Empty if there is none.)");
}

}  // namespace

void bind_algorithms(nb::module_& module) {
  bind_shapes(module);
  bind_steps(module);
  bind_switch_grid(module);
  bind_word_schedules(module);
  nb::class_<Algorithm>(module, "Algorithm", "One way to carry a collective out.")
      .def_prop_ro("collective", [](const Algorithm& algorithm) { return family_name(algorithm.collective); })
      .def_ro("name", &Algorithm::name)
      .def_ro("meaning", &Algorithm::meaning)
      .def_prop_ro("in_engine", [](const Algorithm& algorithm) { return algorithm.shape != nullptr; })
      .def_prop_ro(
          "requirements",
          [](const Algorithm& algorithm) {
            std::vector<std::string> all;
            if (algorithm.needs.commutative) all.emplace_back("commutative operation");
            if (algorithm.needs.equal_blocks) all.emplace_back("equal blocks");
            if (algorithm.needs.element_per_rank) all.emplace_back("an element per rank");
            if (algorithm.needs.rectangle) all.emplace_back("a rectangle of routers");
            return all;
          },
          "What a call must be like if messages carry it out.")
      .def_prop_ro(
          "cut", [](const Algorithm& algorithm) { return algorithm.cut == Cut::PerRank; },
          "A vector is cut into a block for each rank.")
      .def("steps", &steps_of, nb::arg("placement"), nb::arg("root") = 0, nb::call_guard<nb::gil_scoped_release>(),
           "Return what the ranks send to one another if messages carry it out.")
      .def(
          "message_time",
          [](const Algorithm& algorithm, const Placement& placement, std::uint64_t bytes, double send, double receive,
             double hop, double byte, double combine_byte, int root) {
            return message_time(algorithm, placement, root, bytes, {send, receive, hop, byte, combine_byte});
          },
          nb::arg("placement"), nb::arg("bytes"), nb::kw_only(), nb::arg("send") = 0.0, nb::arg("receive") = 0.0,
          nb::arg("hop") = 0.0, nb::arg("byte") = 0.0, nb::arg("combine_byte") = 0.0, nb::arg("root") = 0,
          "Return when the last rank is done if messages carry it out and no link is shared, in the unit of the "
          "costs.");
  module.def(
      "algorithms", [] { return std::vector<Algorithm>(algorithms().begin(), algorithms().end()); },
      "Return the library's algorithms of all collectives.");
  module.def(
      "least_cycles",
      [](const Placement& placement, const std::string& collective, std::uint64_t words, std::uint64_t hop,
         std::uint64_t adder, const Shape* shape, bool exchanges) {
        const EngineCosts costs{.hop = hop, .adder = adder};
        const Collective family = family_named(collective);
        return shape == nullptr ? least_cycles(placement, family, words, costs, exchanges)
                                : least_cycles(placement, family, words, costs, *shape);
      },
      nb::arg("placement"), nb::arg("collective"), nb::arg("words"), nb::kw_only(), nb::arg("hop"), nb::arg("adder"),
      nb::arg("shape").none() = nb::none(), nb::arg("exchanges") = false,
      "Return the cycles that the engines take at least: by a shape, or by any (in rounds of exchange, or by a root).");
  module.attr("ALGORITHM_CHOICES_VARIABLE") = kChoicesVariable;
  module.attr("CHECK_FILE_VARIABLE") = check::kFileVariable;
  module.attr("CHECK_LIBRARY_VARIABLE") = check::kLibraryVariable;
  module.attr("ALGORITHM_TABLE_VARIABLE") = kTableVariable;
  module.attr("BUILT_IN_ALGORITHM_TABLE") = Selection::built_in_table();
  module.def(
      "check_algorithm_table",
      [](const std::string& text, const std::string& source) {
        static_cast<void>(Selection::built_in().with_table(text, source));
      },
      nb::arg("text"), nb::arg("source"),
      R"(Read a table of algorithms as the library does.

Raises
------
ValueError
    With the line, what is wrong there, and what there is.)");
  module.def(
      "check_algorithm_choices",
      [](const std::string& choices) { static_cast<void>(Selection::built_in().with_choices(choices)); },
      nb::arg("choices"),
      R"(Read choices such as ``allreduce=ring,bcast=chain`` as the library does.

Raises
------
ValueError
    With what is wrong, and what there is.)");
}

}  // namespace tidings
