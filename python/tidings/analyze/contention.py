# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Where the messages of a collective meet: the library's schedules on a machine's routes, step by step."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from tidings import _core
from tidings.analyze import word_schedules
from tidings.collectives.measurement import LINKS
from tidings.errors import UserError
from tidings.machines.configuration import configuration
from tidings.machines.file import Machine
from tidings.report.frames import Rows

#: The algorithm that no messages carry out: words that switches forward in an order.
SCHEDULED = "scheduled"
#: Dimensions of a grid that has one, at most.
_DIMENSIONS = 3


@dataclass(frozen=True)
class Step:
    """Messages that are under way at the same time."""

    step: int
    messages: int
    conflicts: int  #: links that more than one message takes
    most_messages: int  #: on one link
    link_words: int  #: on the link that has most
    port_words: int  #: into or out of the slot that has most
    longest_way: int  #: cycles of latency
    cycles: int  #: at least


@dataclass(frozen=True)
class Analysis:
    """What an algorithm of a collective puts on the links of a machine."""

    collective: str
    algorithm: str
    machine: Machine = field(repr=False)
    ranks: int
    words: int  #: of the vector or of one block
    steps: Rows[Step] = field(repr=False)
    links: tuple[tuple[_core.LinkLoad, ...], ...] = field(repr=False)  #: that carry messages, by step
    synchronizing: int  #: messages without data between the steps
    cycles: int  #: of all steps
    bound: int  #: cycles that no algorithm can do without
    note: str = ""  #: what else is to be said

    @property
    def messages(self) -> int:
        """Messages of all steps."""
        return sum(step.messages for step in self.steps)

    @property
    def conflicting_steps(self) -> int:
        """Steps in which two messages share a link."""
        return sum(step.conflicts > 0 for step in self.steps)

    @property
    def most_messages(self) -> int:
        """Messages that share one link in one step."""
        return max((step.most_messages for step in self.steps), default=0)

    @property
    def ratio(self) -> float:
        """Cycles over the bound."""
        return self.cycles / self.bound if self.bound else 1.0


@dataclass(frozen=True)
class Summary:
    """A line of the table of algorithms."""

    algorithm: str
    steps: int
    messages: int
    conflicting_steps: int
    most_messages: int
    synchronizing: int
    cycles: int
    bound: int
    ratio: float


def algorithms(collective: str) -> list[str]:
    """Return the names of a collective's algorithms.

    Raises
    ------
    UserError
        If there is no such collective.
    """
    known = {one.collective: None for one in _core.algorithms()}
    if collective not in known:
        raise UserError(f"no collective {collective!r}; there are {', '.join(known)}")
    found = [one.name for one in _core.algorithms() if one.collective == collective]
    return [*found, SCHEDULED] if collective == "alltoall" else found


def analyze(
    machine: Machine, collective: str, algorithm: str, ranks: int, words: int, limit: float | None = None
) -> Analysis:
    """Follow the messages of an algorithm.

    Parameters
    ----------
    machine : Machine
        The machine; it is cut to the box that holds the ranks.
    collective, algorithm : str
        As `tidings algorithms` lists them, or ``scheduled`` for an all-to-all.
    ranks, words : int
        Ranks, and words of the vector or of one block.
    limit : float, optional
        Seconds of the search for a schedule of words.

    Raises
    ------
    UserError
        If there is no such algorithm, or the ranks cannot have it.
    """
    known = algorithms(collective)
    if algorithm not in known:
        raise UserError(f"no algorithm {algorithm!r} for {collective}; there are {', '.join(known)}")
    _check_ranks(machine, ranks)
    if collective == "barrier":
        words = 0
    config = configuration(machine)
    placement = _core.placement(config, ranks, LINKS)
    bound = _core.least_cycles(placement, collective, words, hop=machine.hop_cycles, adder=0)
    if algorithm == SCHEDULED:
        return _scheduled(machine, collective, ranks, words, bound, limit)
    (found,) = (one for one in _core.algorithms() if (one.collective, one.name) == (collective, algorithm))
    try:
        steps = found.steps(placement)
    except _core.ImpossibleError as problem:
        raise UserError(f"{algorithm} for {collective} on {ranks} ranks of {machine.name}: {problem}") from problem
    flows = [
        (step, sender, receiver, max(1, -(-blocks * words // ranks) if found.cut else blocks * words))
        for step, sender, receiver, blocks in steps.messages
    ]
    loads = _core.step_loads(config, ranks, flows)
    rows = Rows(Step(**{name: getattr(load, name) for name in Step.__dataclass_fields__}) for load in loads)
    links = tuple(tuple(load.links) for load in loads)
    cycles = sum(row.cycles for row in rows)
    return Analysis(collective, algorithm, machine, ranks, words, rows, links, steps.synchronizing, cycles, bound)


def _check_ranks(machine: Machine, ranks: int) -> None:
    if not 1 <= ranks <= machine.slots:
        raise UserError(f"{machine.name} has {machine.slots} slots: no {ranks} ranks")


def _scheduled(machine: Machine, collective: str, ranks: int, words: int, bound: int, limit: float | None) -> Analysis:
    """Take every cycle of a schedule of words as a step; blocks of more words repeat it."""
    topology = _core.Topology(machine.topology.configuration(), ranks)
    grid = machine.topology.kind in ("mesh", "torus", "ring")
    if not grid or len(topology.size) > _DIMENSIONS or topology.slots != 1 or topology.routers != ranks or ranks < 2:
        raise UserError(
            f"{SCHEDULED} is for a rank on each router of a mesh, torus or ring of up to {_DIMENSIONS} dimensions, "
            f"which {ranks} ranks of {machine.name} are not"
        )
    switches = word_schedules.switch_grid(topology.size, topology.wraps, machine.link.latency_cycles)
    least = _core.word_schedule_least(switches, words)
    room = machine.alltoall.buffer_words
    if switches.hop >= room:
        raise UserError(
            f"{SCHEDULED} is for links of less than {room} cycles, because inputs of switches have room for {room} "
            f"words (alltoall.buffer_words); those of {machine.name} take {switches.hop}, and with more room no "
            f"schedule would take less than {least:,} cycles"
        )
    try:
        schedule = word_schedules.schedule(switches, word_schedules.LIMIT_SECONDS if limit is None else limit)
    except word_schedules.NoScheduleError as problem:
        raise UserError(f"a schedule for {ranks} routers: {problem}") from problem
    flows: list[list[tuple[int, int, int, int]]] = [[] for _ in range(schedule.cycles)]
    entering, leaving = [0] * schedule.cycles, [0] * schedule.cycles
    for sender in range(ranks):
        for receiver in range(ranks):
            if sender == receiver:
                continue
            start = schedule.start[sender * ranks + receiver]
            entering[start] += 1
            cycle = start + 1
            for here, there in itertools.pairwise(switches.way(sender, receiver)):
                flows[cycle].append((cycle, here, there, 1))
                cycle += switches.hop
            leaving[cycle] += 1
    config = configuration(machine)
    loads = {load.step: load for load in _core.step_loads(config, ranks, [one for cycle in flows for one in cycle])}

    def step(cycle: int) -> Step:
        load = loads.get(cycle)
        port_words = int(entering[cycle] + leaving[cycle] > 0)  # at one node; the checker counts
        if load is None:
            return Step(cycle, entering[cycle], 0, 0, 0, port_words, 0, 1)
        return Step(
            cycle, entering[cycle], load.conflicts, load.most_messages, load.link_words, port_words, load.longest_way, 1
        )

    rows = Rows(step(cycle) for cycle in range(schedule.cycles))
    links = tuple(tuple(loads[cycle].links) if cycle in loads else () for cycle in range(schedule.cycles))
    total = schedule.cycles + max(0, words - 1) * schedule.period
    note = (
        f"no schedule takes less than {least:,} cycles: of each word of a block, "
        f"{_core.word_schedule_link(switches):,} cross the busiest link and {ranks - 1:,} each slot; each further word "
        f"takes {schedule.period:,} cycles, and at least {_core.word_schedule_period(switches):,}"
    )
    return Analysis(collective, SCHEDULED, machine, ranks, words, rows, links, 0, total, bound, note)


def summary(analysis: Analysis) -> Summary:
    """Return the line of an analysis in the table of algorithms."""
    return Summary(
        analysis.algorithm,
        len(analysis.steps),
        analysis.messages,
        analysis.conflicting_steps,
        analysis.most_messages,
        analysis.synchronizing,
        analysis.cycles,
        analysis.bound,
        round(analysis.ratio, 3),
    )


def compare(machine: Machine, collective: str, ranks: int, words: int) -> tuple[Rows[Summary], dict[str, str]]:
    """Return a line for each algorithm of a collective, and why the others are left out."""
    _check_ranks(machine, ranks)
    left_out: dict[str, str] = {}

    def lines() -> Iterator[Summary]:
        for name in algorithms(collective):
            try:
                yield summary(analyze(machine, collective, name, ranks, words))
            except UserError as problem:
                left_out[name] = str(problem)

    return Rows(lines()), left_out
