# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Collectives in the engines: what they take, what is possible at best, and what others have published."""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidings import _core
from tidings.analyze import word_schedules
from tidings.collectives import published
from tidings.errors import UserError
from tidings.machines.configuration import configuration
from tidings.machines.file import Machine
from tidings.report.frames import Rows, values_of
from tidings.report.progress import Progress

if TYPE_CHECKING:
    import pandas as pd

#: Links that a context of the engine has.
LINKS = 8
ROOT = 0
#: What engines of trees carry out; and what static switches alone do, with blocks of ranks.
TREE_OPERATIONS = tuple(operation.name.lower() for operation in _core.CollectiveOperation)
ALLTOALL = "alltoall"
REDUCE_SCATTER = "reduce_scatter"
BLOCK_OPERATIONS = (ALLTOALL, "gather", "scatter", "allgather", REDUCE_SCATTER)
OPERATIONS = (*TREE_OPERATIONS, *BLOCK_OPERATIONS)
#: What the library calls the engines' operations.
COLLECTIVES = {"barrier": "barrier", "broadcast": "bcast", "reduce": "reduce", "allreduce": "allreduce"}
#: Elements that a reduction sums; the adder's cycles and the words of each.
ELEMENTS = {"int32": (1, 1), "int64": (1, 2), "float": (4, 1), "double": (4, 2)}
#: Payload of a full packet, and its header: of a packet to any slot, and of one over a direct link.
PACKET_WORDS, HEADER_WORDS, DIRECT_HEADER_WORDS = 64, 2, 1
#: Sizes that are measured without being asked for, and all.
WORDS = (8, 256, 4096, 65536)
ALL_WORDS = tuple(1 << bit for bit in range(3, 21))
NODES = (2, 4, 8, 16, 32, 64)
#: The barrier over wires, in place of a tree.
WIRES = "wires"
#: The static switches, in place of a tree; words of a rank's block that are measured without being asked for.
SWITCHES = "switches"
BLOCK_WORDS = (1, 8, 64)
#: Cycles beyond the bound that are aimed at for blocks: command, memory of 8 cycles, the schedule, the last write.
BLOCK_CYCLES = 20
#: What is aimed at on meshes: that much of the tight bound, and cycles for command, memory and the last write.
TARGET_SHARE, TARGET_CYCLES = 1.05, 24
#: Cycles beyond the bound that are aimed at for the barrier over wires: registers at both ends, and a margin.
WIRES_CYCLES = 8
#: Vectors of a stream in which the first is left out of the rate.
FEWEST_VECTORS = 2


@dataclass(frozen=True)
class Case:
    """One collective."""

    operation: str
    tree: str
    nodes: int
    words: int  #: of a vector; 0 for a barrier
    vectors: int = 1


@dataclass(frozen=True)
class Bound:
    """The cycles that are possible at best."""

    machine: int  #: by any tree
    tree: int  #: by this one
    tight: int | None = None  #: with one stream a link, on a mesh; none elsewhere, or if no such bound is known
    target: int | None = None  #: what is aimed at there


@dataclass(frozen=True)
class Result:
    """What came of one collective, or of a stream of equal ones."""

    operation: str
    tree: str
    nodes: int
    words: int
    vectors: int
    longest_edge_hops: int  #: of the tree's edges
    cycles: int  #: from the write of the first command to the completion of the last engine
    bound: int  #: cycles that are possible at best, by any tree; of one vector
    tree_bound: int  #: cycles that are possible at best by this tree; of one vector
    tight_bound: int | None  #: cycles that are possible at best with one stream a link, on a mesh; of one vector
    target: int | None  #: cycles that are aimed at there
    us: float  #: the cycles at the machine's clock
    vector_cycles: float | None  #: between completions of vectors of a stream
    words_per_cycle: float | None  #: of a stream, after its first vector
    rate_share: float | None  #: of the words that a link carries beside the headers of full packets
    published: float | None  #: microseconds; Mbit/s of a stream
    source: str  #: of the published figure
    flit_hops: int

    @property
    def ratio(self) -> float:
        """How many times the bound it takes."""
        return self.cycles / self.bound

    @property
    def within_target(self) -> bool | None:
        """Whether it takes no longer than what is aimed at; none if nothing is."""
        return None if self.target is None else self.cycles <= self.target

    @property
    def mbps(self) -> float | None:
        """Return the bandwidth of a stream in Mbit/s."""
        return None if self.words_per_cycle is None else self.words_per_cycle * 32 * self.cycles / self.us


@dataclass
class Study:
    """What was measured, and what could not be."""

    machine: Machine
    element: str
    results: list[Result] = dataclasses.field(default_factory=list)
    left_out: list[tuple[Case, str]] = dataclasses.field(default_factory=list)  #: with the reason

    @property
    def frame(self) -> "pd.DataFrame":
        """A row per collective; empty if there is no figure."""
        return Rows(self.results).frame

    def _repr_html_(self) -> str:
        return self.frame.to_html()


def cases(
    operations: tuple[str, ...], names: tuple[str, ...], nodes: tuple[int, ...], words: tuple[int, ...], vectors: int
) -> Iterator[Case]:
    """Yield all combinations; barriers have no words, reductions no wires, blocks of ranks no trees."""
    beside = {WIRES: ("barrier",), SWITCHES: ("broadcast", "reduce", "allreduce", *BLOCK_OPERATIONS)}
    for operation in operations:
        usual = BLOCK_WORDS if operation in BLOCK_OPERATIONS else WORDS
        for count in nodes:
            for size in (0,) if operation == "barrier" else words or usual:
                for name in names:
                    if operation in beside.get(name, TREE_OPERATIONS) and not (name == SWITCHES and vectors > 1):
                        yield Case(operation, name, count, size, vectors)


def forks(machine: Machine) -> bool:
    """Whether engines send to all children at once and combine them in one pass: else the library keeps to `ROOT`."""
    mpe = machine.mpe
    at_once = mpe.direct_links and mpe.fan_out == "multicast" and machine.router.buffer_flits > PACKET_WORDS
    return bool(at_once and mpe.combine_ports >= 2 * len(machine.topology.size))


@dataclass(frozen=True)
class Wired:
    """A shape of the library, as the engines of a run's ranks carry it out."""

    placement: _core.Placement
    shape: _core.Shape
    wiring: _core.Wiring
    root: int
    ways: list[_core.GroupWay]

    @classmethod
    def of(cls, machine: Machine, ranks: int, name: str, *, rooted: bool = True) -> "Wired":
        """Wire a shape by its name: from `ROOT`, or from the library's root of a collective that has none.

        Raises
        ------
        ImpossibleError
            If there is no such shape in the machine, or it needs more links than an engine has.
        """
        placement = _core.placement(configuration(machine), ranks, LINKS)
        shape = _core.shape(name)
        wiring = _core.wire(placement, shape)
        chosen = not rooted and shape.is_tree and forks(machine)
        root = _core.best_root(placement, shape) if chosen else ROOT
        return cls(placement, shape, wiring, root, _core.ways(placement, shape, wiring, root))


def bounds_of(case: Case, wired: Wired, machine: Machine, element: str) -> Bound:
    """Compute what is possible at best: cycles of a hop, of a sum, and a word per cycle.

    Parameters
    ----------
    wired : Wired
        The case's tree.
    element : str
        What reductions sum: one of `ELEMENTS`.
    """
    adder = ELEMENTS[element][0]
    least = functools.partial(
        _core.least_cycles,
        wired.placement,
        COLLECTIVES[case.operation],
        case.words,
        hop=machine.hop_cycles,
    )
    tight = None
    if machine.topology.kind == "mesh" and machine.topology.slots == 1 and case.operation != "barrier":
        tight = tight_bound(case, wired.placement, machine, element)
    return Bound(
        least(adder=adder, exchanges=not wired.shape.is_tree),
        least(adder=adder, shape=wired.shape),
        tight,
        None if tight is None else target_of(tight),
    )


def tight_bound(case: Case, placement: _core.Placement, machine: Machine, element: str) -> int:
    """Return the cycles that are possible on a mesh with one stream per link, to which every node adds its own.

    A sum of two words leaves a node when both have come, the low one first; a sum of whole numbers leaves word by
    word. If two members are farthest from the one in the middle, as on a side with an odd number of routers, what
    comes from both meets in the same cycle, at the latest in the middle, and one of them passes an adder more.
    """
    adder, words = ELEMENTS[element]
    pairing = words - 1 if adder > 1 else 0
    name = COLLECTIVES[case.operation]
    tight = _core.least_cycles(placement, name, case.words, hop=machine.hop_cycles, adder=0)
    if case.operation != "broadcast":
        there = (tight - case.words + 1) // (2 if case.operation == "allreduce" else 1)
        sums = there // machine.hop_cycles
        if case.operation == "allreduce" and has_two_farthest(placement):
            sums += 1
        tight += sums * (adder + pairing)
    return tight


def scattered_bounds(case: Case, placement: _core.Placement, machine: Machine, element: str) -> tuple[int, int]:
    """Return the cycles that are possible of a reduce-scatter: by any trees, and with one stream per link.

    By any trees, a slot gives the network a word of each block, its own among them, and each passes an adder. And the
    word of the farthest rank passes an adder in every router on its way, which adds its own.

    With one stream per link, all blocks are added up on their way to one rank, the best one, and its own comes last.
    """
    adder, words = ELEMENTS[element]
    per_sum = adder + (words - 1 if adder > 1 else 0)
    members = range(len(placement))
    ways = [[placement.hops(one, other) for other in members] for one in members]
    farthest = max(max(each) for each in ways)
    per_hop = machine.hop_cycles + per_sum
    given = case.nodes * case.words - 1
    any_trees = max(given + per_sum, farthest * per_hop + case.words - 1)
    one_stream = given + min(max(each) for each in ways) * per_hop
    return any_trees, one_stream + (per_sum if has_two_farthest(placement) else 0)


def has_two_farthest(placement: _core.Placement) -> bool:
    """Return whether two members or more are farthest from each member in the middle."""
    members = range(len(placement))
    ways = [[placement.hops(one, other) for other in members] for one in members]
    radius = min(max(each) for each in ways)
    return all(each.count(radius) > 1 for each in ways if max(each) == radius)


def target_of(tight: int) -> int:
    """Return the cycles that are aimed at on a mesh, of those that are possible with one stream a link."""
    return math.floor(TARGET_SHARE * tight + TARGET_CYCLES)


def wired_of(case: Case, machine: Machine, element: str) -> Wired:
    """Wire the case's tree.

    Raises
    ------
    ImpossibleError
        If the engine cannot do it.
    """
    if case.operation in ("reduce", "allreduce") and case.words % ELEMENTS[element][1]:
        raise _core.ImpossibleError(f"{case.words} words are no whole number of elements of type {element}")
    if case.operation in ("reduce", "allreduce") and ELEMENTS[element][1] > 1 and not machine.mpe.wide_elements:
        raise _core.ImpossibleError(
            f"the engine has no {element}: mpe.wide_elements is false (--element float is possible)"
        )
    if not _core.shape(case.tree).is_tree:
        if case.operation not in ("barrier", "allreduce"):
            raise _core.ImpossibleError("barriers and allreduces only")
        if case.words > PACKET_WORDS:
            raise _core.ImpossibleError(f"at most {PACKET_WORDS} words")
    return Wired.of(machine, case.nodes, case.tree, rooted=case.operation in ("broadcast", "reduce"))


def measure(
    case: Case, machine: Machine, element: str, library: str, progress: Callable[[int], None] | None = None
) -> Result:
    """Let the engines carry out a collective, and check every node's memory.

    Parameters
    ----------
    library : str
        Of the compiled node; empty for the cycle model.
    progress : callable, optional
        Called with the cycle now and then.

    Raises
    ------
    ImpossibleError
        If the engine cannot do it.
    RuntimeError
        If a result is wrong or an engine does not come to an end.
    """
    if case.tree == WIRES:
        return measure_wires(case, machine, library)
    if case.tree == SWITCHES:
        return measure_switches(case, machine, element, library)
    wired = wired_of(case, machine, element)
    bound = bounds_of(case, wired, machine, element)
    times = _core.benchmark_collective(configuration(machine), library, plan_of(case, wired, element), progress)
    cycles = times.done[-1]
    vector_cycles = rate = None
    if case.vectors >= FEWEST_VECTORS:
        vector_cycles = (times.done[-1] - times.done[0]) / (case.vectors - 1)
        rate = case.words / vector_cycles
        known = published.bandwidth_mbps(machine.name, case.operation, case.tree, case.nodes)
    else:
        known = published.latency_us(machine.name, case.operation, case.tree, case.nodes, case.words)
    return Result(
        operation=case.operation,
        tree=case.tree,
        nodes=case.nodes,
        words=case.words,
        vectors=case.vectors,
        longest_edge_hops=wired.wiring.longest_link(wired.placement),
        cycles=cycles,
        bound=bound.machine,
        tree_bound=bound.tree,
        tight_bound=bound.tight,
        target=bound.target if case.vectors < FEWEST_VECTORS else None,
        us=cycles / machine.fabric.clock_MHz,
        vector_cycles=vector_cycles,
        words_per_cycle=rate,
        rate_share=None if rate is None else rate / link_rate(wired, machine),
        published=known.value if known else None,
        source=known.source if known else "",
        flit_hops=times.flit_hops,
    )


def mates_of(machine: Machine, placement: _core.Placement) -> list[int]:
    """Return for each member in which directions wires join it with others, one bit each.

    Raises
    ------
    ImpossibleError
        If slots have no engine for barriers over wires, or the members fill no rectangle of routers.
    """
    routers = math.prod(machine.topology.size)
    used = range(len(placement) if routers == 1 else 1)
    if not set(used) <= set(machine.barrier.slots):
        raise _core.ImpossibleError("the machine has no barrier engine")
    mates = [found for member in range(len(placement)) if (found := _core.wire_mates(placement, member)) is not None]
    if len(mates) < len(placement):
        raise _core.ImpossibleError("the ranks do not fill a rectangle of routers, one each")
    return mates


def measure_wires(case: Case, machine: Machine, library: str) -> Result:
    """Let all nodes arrive at a barrier of the engine `barrier`, in the same cycle.

    Raises
    ------
    ImpossibleError
        If the machine has no such engine, or the nodes fill no rectangle of routers.
    RuntimeError
        If a node is never released.
    """
    placement = _core.placement(configuration(machine), case.nodes, LINKS)
    mates = mates_of(machine, placement)
    cycles = _core.benchmark_wires(configuration(machine), library, mates)
    bound = _core.least_cycles(placement, COLLECTIVES[case.operation], 0, hop=machine.hop_cycles, adder=0)
    return _beside_packets(case, machine, cycles, bound, bound + WIRES_CYCLES)


def _beside_packets(case: Case, machine: Machine, cycles: int, bound: int, target: int) -> Result:
    """Return the result of a collective over wires of its own, which has no packets and no tree."""
    return Result(
        operation=case.operation,
        tree=case.tree,
        nodes=case.nodes,
        words=case.words,
        vectors=case.vectors,
        longest_edge_hops=1,
        cycles=cycles,
        bound=bound,
        tree_bound=bound,
        tight_bound=bound,
        target=target,
        us=cycles / machine.fabric.clock_MHz,
        vector_cycles=None,
        words_per_cycle=None,
        rate_share=None,
        published=None,
        source="",
        flit_hops=0,
    )


def measure_switches(case: Case, machine: Machine, element: str, library: str) -> Result:
    """Let all nodes start a collective of the engine `alltoall`, in the same cycle.

    Raises
    ------
    ImpossibleError
        If the machine has no such engine, the nodes fill no box of routers, or no schedule is known for it.
    RuntimeError
        If it never ends, or a word is wrong.
    """
    if not machine.alltoall.slots:
        raise _core.ImpossibleError(f"the machine has no engine for {case.operation}s over static switches")
    grid = word_schedules.switches_of(machine, case.nodes)
    if grid.nodes != case.nodes:
        shape = "box" if len(machine.topology.size) > 2 else "rectangle"
        raise _core.ImpossibleError(f"the ranks do not fill a {shape} of routers, one each")
    if case.operation == "broadcast":
        programs = [_core.broadcast_program(grid.size, ROOT, node) for node in range(case.nodes)]
        placement = _core.placement(configuration(machine), case.nodes, LINKS)
        bound = _core.least_cycles(placement, "bcast", case.words, hop=machine.hop_cycles, adder=0)
        other = _core.SwitchCollective()
        other.root = ROOT
        cycles = _core.benchmark_alltoall(configuration(machine), library, programs, case.words, other)
        return _beside_packets(case, machine, cycles, bound, target_of(bound))
    if case.operation not in BLOCK_OPERATIONS or case.operation == REDUCE_SCATTER:
        return _measure_sums(case, machine, element, library, grid.size)
    # Words that cross the busiest link or slot port, for each word of a block.
    words = _core.word_schedule_bound(grid) if case.operation == ALLTOALL else case.nodes - 1
    if words > machine.alltoall.period_words:
        raise _core.ImpossibleError(
            f"orders have at most alltoall.period_words = {machine.alltoall.period_words} words"
        )
    if case.operation == ALLTOALL:
        programs, blocks = _alltoall_programs(grid), None
    else:
        programs, blocks = _block_programs(case.operation, grid.size)
    cycles = _core.benchmark_alltoall(configuration(machine), library, programs, case.words, blocks)
    bound = words * case.words
    return _beside_packets(case, machine, cycles, bound, bound + BLOCK_CYCLES)


def _alltoall_programs(grid: _core.SwitchGrid) -> list[list[list[int]]]:
    """Return the orders of all nodes for an all-to-all."""
    try:
        schedule = word_schedules.schedule(grid)
    except word_schedules.NoScheduleError as reason:
        raise _core.ImpossibleError(f"schedule of words: {reason}") from reason
    return [_core.word_program(schedule, node) for node in range(grid.nodes)]


def _block_programs(operation: str, size: Sequence[int]) -> tuple[list[list[list[int]]], _core.SwitchCollective]:
    """Return the orders of all nodes for a gather, a scatter or an allgather, and what it is."""
    nodes = range(math.prod(size))
    blocks = _core.SwitchCollective()
    blocks.gathers = operation != "scatter"
    blocks.scatters = operation == "scatter"
    if operation == "allgather":
        return [_core.allgather_program(size, node) for node in nodes], blocks
    blocks.root = ROOT
    program = _core.scatter_program if blocks.scatters else _core.gather_program
    return [program(size, ROOT, node) for node in nodes], blocks


def _measure_sums(case: Case, machine: Machine, element: str, library: str, size: Sequence[int]) -> Result:
    """Let all nodes of a box start a reduction over static switches, in the same cycle."""
    if case.words % ELEMENTS[element][1]:
        raise _core.ImpossibleError(f"{case.words} words are no whole number of elements of type {element}")
    if _core.most_summands(size) > machine.alltoall.adders + 1:
        raise _core.ImpossibleError(f"the switches have too few adders: alltoall.adders = {machine.alltoall.adders}")
    # Every rank gets the sums of all blocks, and keeps its own.
    to_all = case.operation in ("allreduce", REDUCE_SCATTER)
    words = case.words * (case.nodes if case.operation == REDUCE_SCATTER else 1)
    root = _core.central_root(size) if to_all else ROOT
    programs = [_core.reduction_program(size, root, node, to_all) for node in range(case.nodes)]
    other = _core.SwitchCollective()
    other.root = None if to_all else root
    other.element = _core.ElementType[element.upper()]
    other.summands = [summands for _, summands, _ in programs]
    other.outputs = [outputs for _, _, outputs in programs]
    orders = [orders for orders, _, _ in programs]
    cycles = _core.benchmark_alltoall(configuration(machine), library, orders, words, other)
    placement = _core.placement(configuration(machine), case.nodes, LINKS)
    if case.operation == REDUCE_SCATTER:
        bound, tight = scattered_bounds(case, placement, machine, element)
        result = _beside_packets(case, machine, cycles, bound, target_of(tight))
        return dataclasses.replace(result, tree_bound=tight, tight_bound=tight)
    tight = tight_bound(case, placement, machine, element)
    return _beside_packets(case, machine, cycles, tight, target_of(tight))


def link_rate(wired: Wired, machine: Machine) -> float:
    """Return the payload words per cycle that a link carries at best: one flit, less headers of full packets."""
    direct = machine.mpe.direct_links and wired.wiring.neighbours
    return PACKET_WORDS / (PACKET_WORDS + (DIRECT_HEADER_WORDS if direct else HEADER_WORDS))


def study_of(wanted: list[Case], machine: Machine, element: str, library: str, progress: Progress) -> Study:
    """Measure all cases that are possible.

    Raises
    ------
    UserError
        If the machine is a graph, a result is wrong or an engine does not come to an end; says of which case.
    """
    if machine.topology.kind == "graph":
        raise UserError(
            f"{machine.name} is a graph, and bounds of collectives are known of grids: name another machine"
        )
    study = Study(machine, element)
    # Progress is in words that nodes take; a link's latency stands for what a short vector costs.
    work = [case.nodes * (case.words + machine.hop_cycles) * case.vectors for case in wanted]
    done = 0
    for case, share in zip(wanted, work, strict=True):
        what, far = _name_of(case), done / sum(work)
        say = functools.partial(_say, progress, what, far)
        say(0)
        try:
            study.results.append(measure(case, machine, element, library, say))
        except _core.ImpossibleError as reason:
            study.left_out.append((case, str(reason)))
        except RuntimeError as error:
            raise UserError(f"{what}: {error}") from error
        done += share
    return study


def _name_of(case: Case) -> str:
    words = f", {case.words:,} words" if case.words else ""
    return f"{case.operation}, {case.tree}, {case.nodes} nodes{words}"


def _say(progress: Progress, what: str, share: float, cycle: int) -> None:
    progress(f"{what}, cycle {cycle:,}" if cycle else what, share)


def check_nodes(machine: Machine, nodes: tuple[int, ...], option: str = "--nodes") -> None:
    """Check numbers of nodes, which are said to be of an option.

    Raises
    ------
    UserError
        If the machine has fewer, or there are fewer than two.
    """
    for count in nodes:
        if not 2 <= count <= machine.slots:
            raise UserError(f"{option} {count}: {machine.name} holds 2 to {machine.slots}")


def as_json(study: Study) -> dict[str, Any]:
    """Return everything as JSON's values."""
    machine = study.machine
    return {
        "machine": {
            "name": machine.name,
            "topology": machine.topology.kind,
            "size": list(machine.topology.size),
            "slots": machine.topology.slots,
            "link_latency_cycles": machine.link.latency_cycles,
            "hop_cycles": machine.hop_cycles,
            "clock_MHz": machine.fabric.clock_MHz,
            "combine_ports": machine.mpe.combine_ports,
            "mpe_buffer_words": machine.mpe.buffer_words,
            "direct_links": machine.mpe.direct_links,
            "fan_out": machine.mpe.fan_out,
            "forward_words": machine.mpe.forward_words,
            "wide_elements": machine.mpe.wide_elements,
        },
        "element": study.element,
        "adder_cycles": ELEMENTS[study.element][0],
        "results": [values_of(result) for result in study.results],
        "left_out": [dataclasses.asdict(case) | {"reason": reason} for case, reason in study.left_out],
    }


def plan_of(case: Case, wired: Wired, element: str) -> _core.CollectivePlan:
    """Return the simulator's description of a case."""
    plan = _core.CollectivePlan()
    plan.operation = _core.CollectiveOperation[case.operation.upper()]
    plan.root = wired.root
    plan.vectors = case.vectors
    plan.count = case.words
    if case.operation in ("reduce", "allreduce"):
        plan.element = _core.ElementType[element.upper()]
        plan.count = case.words // ELEMENTS[element][1]
    plan.exchange = not wired.shape.is_tree
    plan.links = [
        _core.CollectiveLink(rank, link.number, link.neighbour, link.peer_number, link.direct)
        for rank, links in enumerate(wired.wiring.links)
        for link in links
    ]
    plan.ways = [_core.CollectiveWay(way.parent, way.children, way.swap) for way in wired.ways]
    return plan
