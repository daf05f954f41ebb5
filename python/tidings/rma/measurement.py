# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""PUTs, GETs, atomic accesses and barriers: cycles in the engines, the best possible, and what was published."""

import contextlib
import functools
import statistics
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tidings import _core
from tidings.collectives import measurement as collectives
from tidings.errors import UserError
from tidings.experiment.paper import paper
from tidings.machines.configuration import configuration
from tidings.machines.file import Machine
from tidings.report.frames import Rows, values_of
from tidings.report.progress import Progress

if TYPE_CHECKING:
    import pandas as pd

PAPER = "ziavras2006"
#: Words of a block, and of the blocks of a total exchange, that the paper has.
WORDS = (1, 2, 4, 8, 16, 30)
EXCHANGE_WORDS = tuple(1 << bit for bit in range(11))
SLOTS = (2, 4, 8, 16, 32)
#: PUTs of one word in a row: the first ones find an idle engine, so there are many more than its queue holds.
ROW_BLOCKS = 200
MOST_WORDS = 1 << 16
#: Words of a packet with which the floor is computed: the header's share is small.
FLOOR_PACKET_WORDS = 256
#: Two module boundaries to the router and to the slot behind it, and one to the memory port behind that.
_FIRST_FLIT_CYCLES = 3
_WIRED_BARRIER_CYCLES = 3
#: What a fit of two figures needs.
_FEWEST_SIZES = 2


@dataclass(frozen=True)
class Result:
    """What was measured, or follows from it."""

    what: str  #: such as ``PUT`` or ``total exchange``
    slots: int
    words: int  #: of a block; 0 if there is none
    barrier: str  #: how the slots meet: ``exchange`` or ``wires``; empty if they do not
    value: float
    unit: str  #: ``cycles``, ``cycles/word`` or ``flits/cycle``
    us: float | None  #: the value at the machine's clock, in microseconds, or in microseconds per word; None for flits
    published: float | None  #: cycles, or cycles per word, of two slots
    source: str  #: of the published value
    floor: float | None  #: what registered module boundaries and a flit per cycle allow
    target: float | None  #: what Tidings wants to need at most

    @property
    def ratio(self) -> float | None:
        """How many times the floor it is."""
        return None if self.floor is None else self.value / self.floor

    @property
    def us_per_word(self) -> float | None:
        """Microseconds per word of a total exchange: the paper's g."""
        return self.us / (self.slots * self.words) if self.us and self.what == "total exchange" else None


@dataclass
class Study:
    """What was measured, and what could not be."""

    machine: Machine
    fidelity: str
    results: list[Result] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)  #: what, and the reason

    @property
    def frame(self) -> "pd.DataFrame":
        """A row per result."""
        return Rows(self.results).frame

    def _repr_html_(self) -> str:
        return self.frame.to_html()


@functools.cache
def published() -> dict[tuple[str, str, str], float]:
    """Return what the paper prints: values by place, by what they are, and by their unit."""
    values = paper(PAPER).values
    return {(one.place, one.what, one.unit): one.value for one in values if one.value is not None}


@functools.cache
def _targets() -> tuple[dict[str, Any], ...]:
    text = (files("tidings.rma") / "targets.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["target"])


def target_of(what: str, slots: int, words: int) -> float | None:
    """Return the target of a measurement; None if there is none."""
    for target in _targets():
        if (target["what"], target.get("slots", slots), target.get("words", words)) == (what, slots, words):
            return float(target["value"] + target.get("per_word", 0) * slots * words)
    return None


# ---------------------------------------------------------------- the floor


def put_floor(words: int, hop_cycles: int) -> int:
    """Return the least cycles from a PUT's command to the last memory write: a flit of header, then the words.

    Parameters
    ----------
    words : int
        Of the PUT.
    hop_cycles : int
        Of all links on the way.
    """
    return _FIRST_FLIT_CYCLES + words + hop_cycles


def get_floor(words: int, hop_cycles: int, memory_cycles: int) -> int:
    """Return the least cycles from a GET's command to the last memory write.

    A request of two flits, the memory's latency, and a reply with a flit of header.
    """
    request = _FIRST_FLIT_CYCLES + 1 + hop_cycles
    # The header of the reply leaves while memory is read: its first word follows at once if latency is one cycle.
    return request + memory_cycles + _FIRST_FLIT_CYCLES - 1 + words + hop_cycles


def barrier_floor(distance: int, link_cycles: int) -> int:
    """Return the least cycles of a barrier over wires: to a hub and back, or over the longest way between two slots."""
    return _WIRED_BARRIER_CYCLES - 1 + max(1, distance * link_cycles)


def exchange_floor(slots: int, words: int, hop_cycles: int, barrier: int) -> int:
    """Return the least cycles of a total exchange: every slot sends a flit per cycle, and a barrier follows."""
    flits = slots * (words + -(-words // FLOOR_PACKET_WORDS))
    return _FIRST_FLIT_CYCLES + flits - 1 + hop_cycles + barrier


# ---------------------------------------------------------------- measurements


def _published_row(when: str, what: str, words: int) -> str:
    """Return the paper's row of a PUT or GET from memory: its PUT of one word is none, and has it in the command."""
    return "" if (what, words) == ("PUT", 1) else f"{when}: {what}, {words}"


@dataclass(frozen=True)
class Meeting:
    """How slots meet, and how far they are from one another."""

    name: str
    kind: _core.RmaBarrier
    plan: _core.CollectivePlan  #: of the engine `mpe`
    mates: list[int]  #: over wires; empty if the slots meet otherwise
    distance: int  #: links of the longest way between two slots
    neighbour: int  #: links between the first two


def meetings_of(machine: Machine, slots: int) -> list[Meeting]:
    """Return how slots can meet, the fastest way last.

    Raises
    ------
    ImpossibleError
        If the engine has no barrier for them.
    """
    placement = _core.placement(configuration(machine), slots, collectives.LINKS)
    distance = max(placement.hops(one, other) for one in range(slots) for other in range(slots))
    neighbour = placement.hops(0, 1)
    case = collectives.Case("barrier", "exchange", slots, 0)
    plan = collectives.plan_of(case, collectives.wired_of(case, machine, "int32"), "int32")
    found = [Meeting("exchange", _core.RmaBarrier.ENGINE, plan, [], distance, neighbour)]
    with contextlib.suppress(_core.ImpossibleError):
        mates = collectives.mates_of(machine, placement)
        found.append(Meeting(collectives.WIRES, _core.RmaBarrier.WIRES, plan, mates, distance, neighbour))
    return found


class Bench:
    """Measures on one machine.

    Parameters
    ----------
    machine : Machine
        Whose engines are measured.
    library : str
        Of the compiled node; empty for the cycle model.
    """

    def __init__(self, machine: Machine, library: str = "") -> None:
        self.machine = machine
        self._library = library
        self._configuration = configuration(machine)
        self._one_router = all(routers == 1 for routers in machine.topology.size)  #: what targets are of

    def times(
        self, pattern: _core.RmaPattern, slots: int, words: int = 1, blocks: int = 1, meeting: Meeting | None = None
    ) -> _core.RmaTimes:
        """Let the engines carry out a pattern, and check every memory.

        Raises
        ------
        RuntimeError
            If a word is wrong, or it does not come to an end.
        """
        plan = _core.RmaPlan()
        plan.pattern, plan.ranks, plan.words, plan.blocks = pattern, slots, words, blocks
        if meeting is not None:
            plan.barrier, plan.engine_barrier, plan.wire_mates = meeting.kind, meeting.plan, meeting.mates
        return _core.benchmark_rma(self._configuration, self._library, plan)

    def hop_cycles(self, hops: int) -> int:
        """Return the cycles of all links on a way."""
        return hops * self.machine.hop_cycles

    def barrier_floor(self, meeting: Meeting) -> int:
        """Return the least cycles of a barrier."""
        return barrier_floor(meeting.distance, self.machine.link_cycles[0])

    def result(
        self,
        what: str,
        slots: int,
        words: int,
        value: float,
        *,
        barrier: str = "",
        place: str = "",
        row: str = "",
        floor: float | None = None,
        unit: str = "cycles",
        known: float | None = None,
    ) -> Result:
        """Return a row, with the published value that stands at a place of the paper, if the row is of two slots."""
        if known is None and slots == SLOTS[0]:
            known = published().get((place, row, "cycles"))
        return Result(
            what=what,
            slots=slots,
            words=words,
            barrier=barrier,
            value=value,
            unit=unit,
            us=value / self.machine.fabric.clock_MHz,
            published=known,
            source=f"Ziavras 2006, {place}" if known is not None else "",
            floor=floor,
            target=target_of(what, slots, words) if self._one_router else None,
        )

    # ------------------------------------------------------------ rows

    def moves(self, words: Sequence[int]) -> Iterator[Result]:
        """Yield PUTs and GETs between two slots, alone and with a barrier behind them."""
        meeting = meetings_of(self.machine, SLOTS[0])[-1]
        way = self.hop_cycles(meeting.neighbour)
        memory = self.machine.memory.latency_cycles
        for what, pattern in (("PUT", _core.RmaPattern.PUT), ("GET", _core.RmaPattern.GET)):
            for count in words:
                times = self.times(pattern, SLOTS[0], count)
                floor = put_floor(count, way) if what == "PUT" else get_floor(count, way, memory)
                row = _published_row("without barrier", what, count)
                yield self.result(what, 2, count, times.last_write, place="Table 8", row=row, floor=floor)
        for what, pattern in (("PUT", _core.RmaPattern.PUT), ("GET", _core.RmaPattern.GET)):
            for count in words:
                times = self.times(pattern, SLOTS[0], count, meeting=meeting)
                alone = put_floor(count, way) if what == "PUT" else get_floor(count, way, memory)
                # The barrier may begin in the cycle after the last write.
                floor = alone + 1 + self.barrier_floor(meeting)
                row = _published_row("to barrier", what, count)
                yield self.result(
                    f"{what} and barrier",
                    2,
                    count,
                    times.met,
                    barrier=meeting.name,
                    place="Table 8",
                    row=row,
                    floor=floor,
                )

    def inline_puts(self) -> Iterator[Result]:
        """Yield an inline PUT, alone and with a barrier behind it."""
        meeting = meetings_of(self.machine, SLOTS[0])[-1]
        floor = put_floor(1, self.hop_cycles(meeting.neighbour))
        times = self.times(_core.RmaPattern.PUT_INLINE, SLOTS[0])
        row = "without barrier: PUT, 1"
        yield self.result("inline PUT", 2, 1, times.last_write, place="Table 8", row=row, floor=floor)
        times = self.times(_core.RmaPattern.PUT_INLINE, SLOTS[0], meeting=meeting)
        yield self.result(
            "inline PUT and barrier",
            2,
            1,
            times.met,
            barrier=meeting.name,
            place="Table 8",
            row="to barrier: PUT, 1",
            floor=floor + 1 + self.barrier_floor(meeting),
        )

    def rows(self) -> Iterator[Result]:
        """Yield the cycles between two PUTs of one word that is in memory, and of one that is in the command."""
        patterns = {"PUT in a row": _core.RmaPattern.PUT_ROW, "inline PUT in a row": _core.RmaPattern.PUT_INLINE}
        for what, pattern in patterns.items():
            times = self.times(pattern, SLOTS[0], blocks=ROW_BLOCKS)
            between = (times.last_write - times.first_write) / (ROW_BLOCKS - 1)
            # A packet of a header and a word is two flits.
            yield self.result(what, 2, 1, between, floor=2)

    def adds(self) -> Iterator[Result]:
        """Yield a fetch-and-add of one word, and the cycles between two of them to the same word."""
        meeting = meetings_of(self.machine, SLOTS[0])[-1]
        memory = self.machine.memory.latency_cycles
        alone = self.times(_core.RmaPattern.ADD, SLOTS[0]).last_write
        # The old value needs no operand: it can come as soon as that of a GET.
        floor = get_floor(1, self.hop_cycles(meeting.neighbour), memory)
        yield self.result("fetch-and-add", 2, 1, alone, floor=floor)
        row = self.times(_core.RmaPattern.ADD, SLOTS[0], blocks=ROW_BLOCKS).last_write
        # A request is two flits, as that of a GET, and the operand.
        yield self.result("fetch-and-add in a row", 2, 1, (row - alone) / (ROW_BLOCKS - 1), floor=3)

    def barriers(self, slots: Sequence[int]) -> Iterator[Result]:
        """Yield barriers of each number of slots, in each way that the machine has."""
        for count in slots:
            for meeting in meetings_of(self.machine, count):
                times = self.times(_core.RmaPattern.NOTHING, count, meeting=meeting)
                yield self.result(
                    "barrier",
                    count,
                    0,
                    times.met,
                    barrier=meeting.name,
                    place="Table 7",
                    row="to barrier: cycles, Barrier",
                    floor=self.barrier_floor(meeting),
                )

    def registrations(self) -> Iterator[Result]:
        """Yield a registration and a deregistration with a barrier behind them."""
        meeting = meetings_of(self.machine, SLOTS[0])[-1]
        for what, pattern in (
            ("Registration", _core.RmaPattern.REGISTRATION),
            ("Deregistration", _core.RmaPattern.DEREGISTRATION),
        ):
            times = self.times(pattern, SLOTS[0], meeting=meeting)
            yield self.result(
                f"{what} and barrier",
                2,
                0,
                times.met,
                barrier=meeting.name,
                place="Table 7",
                row=f"to barrier: cycles, {what}",
                floor=1 + self.barrier_floor(meeting),
            )

    def exchange(self, slots: int, words: Sequence[int]) -> Iterator[Result]:
        """Yield total exchanges with a barrier behind them, and what L and g of them are."""
        meeting = meetings_of(self.machine, slots)[-1]
        found: dict[int, float] = {}
        floors: dict[int, float] = {}
        for count in words:
            found[count] = self.times(_core.RmaPattern.EXCHANGE, slots, count, meeting=meeting).met
            way = self.hop_cycles(meeting.distance)
            floors[count] = exchange_floor(slots, count, way, self.barrier_floor(meeting))
            yield self.result(
                "total exchange",
                slots,
                count,
                found[count],
                barrier=meeting.name,
                place="Table 9",
                row=f"total exchange: cycles, {count}",
                floor=floors[count],
            )
        printed = {count: published().get(("Table 9", f"total exchange: cycles, {count}", "cycles")) for count in found}
        theirs = {count: value for count, value in printed.items() if value is not None}
        for what, unit, law in _LAWS:
            if (value := law(slots, found)) is not None:
                known = law(slots, theirs) if slots == SLOTS[0] and theirs.keys() == found.keys() else None
                yield self.result(
                    what,
                    slots,
                    0,
                    value,
                    unit=unit,
                    barrier=meeting.name,
                    place="computed from Table 9",
                    floor=law(slots, floors),
                    known=known,
                )


# ---------------------------------------------------------------- L and g (section 4.3.2)


def latency(_slots: int, times: dict[int, float]) -> float | None:
    """Return L: a total exchange of one word, less a cycle."""
    return times[1] - 1 if 1 in times else None


def gap(slots: int, times: dict[int, float]) -> float | None:
    """Return g: cycles per word of the largest total exchange."""
    words = max(times, default=0)
    return times[words] / (slots * words) if words else None


def slope(slots: int, times: dict[int, float]) -> float | None:
    """Return the cycles per word between the two largest total exchanges."""
    if len(times) < _FEWEST_SIZES:
        return None
    less, most = sorted(times)[-2:]
    return (times[most] - times[less]) / (slots * (most - less))


def fitted_latency(slots: int, times: dict[int, float]) -> float | None:
    """Return L of the line L + g p H that is nearest to all total exchanges, by least squares."""
    return _line(slots, times).intercept if len(times) >= _FEWEST_SIZES else None


def fitted_gap(slots: int, times: dict[int, float]) -> float | None:
    """Return g of this line."""
    return _line(slots, times).slope if len(times) >= _FEWEST_SIZES else None


def _line(slots: int, times: dict[int, float]) -> statistics.LinearRegression:
    return statistics.linear_regression([slots * words for words in times], list(times.values()))


_LAWS: tuple[tuple[str, str, Callable[[int, dict[int, float]], float | None]], ...] = (
    ("L", "cycles", latency),
    ("g", "cycles/word", gap),
    ("slope", "cycles/word", slope),
    ("L, fitted", "cycles", fitted_latency),
    ("g, fitted", "cycles/word", fitted_gap),
)


def study_of(
    bench: Bench, study: Study, slots: Sequence[int], words: Sequence[int], exchange: Sequence[int], progress: Progress
) -> Study:
    """Measure everything that the machine can do.

    Raises
    ------
    UserError
        If a word is wrong or the engines do not come to an end; says of which measurement.
    """
    parts: list[tuple[str, Callable[[], Iterator[Result]]]] = [
        ("PUT and GET", lambda: bench.moves(words)),
        ("inline PUT", bench.inline_puts),
        ("PUT in a row", bench.rows),
        *([("fetch-and-add", bench.adds)] if bench.machine.rma.atomics else []),
        ("registration", bench.registrations),
        *((f"barrier of {count} slots", functools.partial(bench.barriers, [count])) for count in slots),
        *((f"total exchange of {count} slots", functools.partial(bench.exchange, count, exchange)) for count in slots),
    ]
    for number, (name, measure) in enumerate(parts):
        progress(name, number / len(parts))
        try:
            study.results.extend(measure())
        except _core.ImpossibleError as reason:
            study.left_out.append((name, str(reason)))
        except RuntimeError as error:
            raise UserError(f"{name}: {error}") from error
    return study


def as_json(study: Study) -> dict[str, Any]:
    """Return everything as JSON's values."""
    machine = study.machine
    return {
        "machine": {
            "name": machine.name,
            "clock_MHz": machine.fabric.clock_MHz,
            "memory_latency_cycles": machine.memory.latency_cycles,
            "hop_cycles": machine.hop_cycles,
        },
        "fidelity": study.fidelity,
        "results": [values_of(result) for result in study.results],
        "left_out": [{"what": what, "reason": reason} for what, reason in study.left_out],
    }
