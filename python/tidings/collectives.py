# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Collectives in the engines: what they take, what is possible at best, and what others have published."""

import csv
import dataclasses
import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from tidings import _core, published, trees
from tidings.errors import UserError
from tidings.machine_file import Machine
from tidings.run import configuration
from tidings.trees import Box, Cube, ImpossibleError, Tree

EXCHANGE = "exchange"
OPERATIONS = ("barrier", "broadcast", "reduce", "allreduce")
#: Elements that a reduction sums; the adder's cycles and the words of each.
ELEMENTS = {"int32": (1, 1), "int64": (1, 2), "float": (4, 1), "double": (4, 2)}
#: Payload of a full packet, and its header: of a packet to any slot, and of one over a direct link.
PACKET_WORDS, HEADER_WORDS, DIRECT_HEADER_WORDS = 64, 2, 1
#: Sizes that are measured without being asked for, and all.
WORDS = (8, 256, 4096, 65536)
ALL_WORDS = tuple(1 << bit for bit in range(3, 21))
NODES = (2, 4, 8, 16, 32, 64)
#: Vectors of a stream in which the first is left out of the rate.
FEWEST_VECTORS = 2

#: Called with what is being done and the share of it that is done, 0 to 1.
Progress = Callable[[str, float], None]


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


def cases(
    operations: tuple[str, ...], names: tuple[str, ...], nodes: tuple[int, ...], words: tuple[int, ...], vectors: int
) -> Iterator[Case]:
    """Yield all combinations; barriers have no words."""
    for operation in operations:
        for count in nodes:
            for size in (0,) if operation == "barrier" else words:
                for name in names:
                    yield Case(operation, name, count, size, vectors)


def bounds_of(case: Case, shape: Tree | Cube, element: str) -> Bound:
    """Compute what is possible at best: L cycles a hop, A a sum, and a word a cycle.

    Parameters
    ----------
    shape : Tree or Cube
        The case's tree.
    element : str
        What reductions sum: one of `ELEMENTS`.
    """
    box, stream = shape.box, max(case.words - 1, 0)
    adder = ELEMENTS[element][0] if case.operation in ("reduce", "allreduce") else 0
    sums = adder * math.ceil(math.log2(box.ranks))  # as many operands are summed in so many steps
    if isinstance(shape, Cube):
        machine = box.diameter + sums + stream
        return Bound(machine, max(machine, shape.way(adder) + stream))
    there = box.eccentricity()
    down, up = shape.longest_way(), shape.longest_way(adder)
    match case.operation:
        case "barrier":
            machine, tree = box.diameter, 2 * down
        case "broadcast":
            machine, tree = there + stream, down + stream
        case "reduce":
            machine, tree = there + sums + stream, up + stream
        case _:
            machine, tree = 2 * there + sums + stream, up + down + stream
    return Bound(machine, max(machine, tree))


def shape_of(case: Case, machine: Machine, element: str) -> Tree | Cube:
    """Build the case's tree.

    Raises
    ------
    ImpossibleError
        Where the engine cannot do it.
    """
    if case.operation in ("reduce", "allreduce") and case.words % ELEMENTS[element][1]:
        raise ImpossibleError(f"{case.words} words are no whole number of elements of type {element}")
    if case.operation in ("reduce", "allreduce") and ELEMENTS[element][1] > 1 and not machine.mpe.wide_elements:
        raise ImpossibleError(f"the engine has no {element}: mpe.wide_elements is false (--element float is possible)")
    box = Box.of(machine, case.nodes)
    if case.tree != EXCHANGE:
        return trees.tree(box, case.tree)
    if case.operation not in ("barrier", "allreduce"):
        raise ImpossibleError("barriers and allreduces only")
    if case.words > PACKET_WORDS:
        raise ImpossibleError(f"at most {PACKET_WORDS} words")
    return trees.cube(box)


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
        Where the engine cannot do it.
    RuntimeError
        Where a result is wrong or an engine does not come to an end.
    """
    shape = shape_of(case, machine, element)
    bound = bounds_of(case, shape, element)
    times = _core.benchmark_collective(configuration(machine), library, plan_of(case, shape, element), progress)
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
        longest_edge_hops=shape.longest_edge,
        cycles=cycles,
        bound=bound.machine,
        tree_bound=bound.tree,
        us=cycles / machine.fabric.clock_MHz,
        vector_cycles=vector_cycles,
        words_per_cycle=rate,
        rate_share=None if rate is None else rate / link_rate(shape, machine),
        published=known.value if known else None,
        source=known.source if known else "",
        flit_hops=times.flit_hops,
    )


def link_rate(shape: Tree | Cube, machine: Machine) -> float:
    """Return the payload words that a link carries in a cycle at best: a flit a cycle, less headers of full packets."""
    direct = machine.mpe.direct_links and all(link.direct for link in shape.links)
    return PACKET_WORDS / (PACKET_WORDS + (DIRECT_HEADER_WORDS if direct else HEADER_WORDS))


def study_of(wanted: list[Case], machine: Machine, element: str, library: str, progress: Progress) -> Study:
    """Measure all cases that are possible.

    Raises
    ------
    UserError
        Where a result is wrong or an engine does not come to an end; says of which case.
    """
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
        except ImpossibleError as reason:
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


def check_nodes(machine: Machine, nodes: tuple[int, ...]) -> None:
    """Check numbers of nodes.

    Raises
    ------
    UserError
        Where the machine has not so many, or there are fewer than two.
    """
    for count in nodes:
        if not 2 <= count <= machine.slots:
            raise UserError(f"--nodes {count}: {machine.name} holds 2 to {machine.slots}")


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
        "results": [
            dataclasses.asdict(result) | {"ratio": result.ratio, "mbps": result.mbps} for result in study.results
        ],
        "left_out": [dataclasses.asdict(case) | {"reason": reason} for case, reason in study.left_out],
    }


def write_results(study: Study, stream: TextIO) -> None:
    """Write a line a collective as CSV; empty where there is no figure."""
    names = [field.name for field in dataclasses.fields(Result)]
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*names, "ratio", "mbps"])
    for result in study.results:
        writer.writerow([*(getattr(result, name) for name in names), f"{result.ratio:.4f}", result.mbps])


def plan_of(case: Case, shape: Tree | Cube, element: str) -> _core.CollectivePlan:
    """Return the simulator's description of a case."""
    plan = _core.CollectivePlan()
    plan.operation = _core.CollectiveOperation[case.operation.upper()]
    plan.root = trees.ROOT
    plan.vectors = case.vectors
    plan.count = case.words
    if case.operation in ("reduce", "allreduce"):
        plan.element = _core.ElementType[element.upper()]
        plan.count = case.words // ELEMENTS[element][1]
    plan.links = [
        _core.CollectiveLink(link.rank, link.number, link.neighbour, link.peer_number, link.direct)
        for link in shape.links
    ]
    if isinstance(shape, Cube):
        plan.exchange = True
        plan.ways = [
            _core.CollectiveWay(trees.NO_PARENT, mask, swap)
            for mask, swap in zip(shape.masks, shape.swaps, strict=True)
        ]
    else:
        plan.ways = [
            _core.CollectiveWay(shape.parent_link(rank), shape.child_links(rank)) for rank in range(shape.box.ranks)
        ]
    return plan
