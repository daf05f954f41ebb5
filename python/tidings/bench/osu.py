# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Tables as the OSU micro-benchmarks print them, by a program of our own, with what the machine could do at best."""

import csv
import dataclasses
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tidings import _core
from tidings.build import compiler
from tidings.collectives.measurement import HEADER_WORDS, LINKS, PACKET_WORDS
from tidings.errors import UserError
from tidings.machines.configuration import configuration
from tidings.machines.file import Machine
from tidings.report.progress import saying
from tidings.runtime.capture import captured
from tidings.runtime.run import Job, check, collectives_of, execute

#: Ranks, bytes and repetitions that are measured without being asked for. Two runs give equal figures, and repetitions
#: differ little, so few are enough.
RANKS, MOST_BYTES, ITERATIONS = 8, 1 << 16, 4
_LARGEST = 1 << 28
_WORD_BYTES = 4
#: Marks a benchmark that has no sizes.
_NOTHING = -1
#: Units of rates, of which more is better.
_RATES = ("MB/s", "1/s")


@dataclass(frozen=True)
class Benchmark:
    """What the program can measure.

    Attributes
    ----------
    name : str
        As OSU's programs are called, without ``osu_``.
    family : str
        ``point-to-point``, ``collective``, ``nonblocking collective`` or ``one-sided``.
    unit : str
        Of its values: ``us``, ``MB/s`` or ``1/s``, messages per second.
    least, most : int
        Bytes that make sense; `most` is 0 if there is no limit, and negative if there are no bytes.
    """

    name: str
    family: str
    unit: str
    least: int
    most: int

    @property
    def collective(self) -> str:
        """The library's name of the collective; empty for other benchmarks."""
        name = {"collective": self.name, "nonblocking collective": self.name[1:]}.get(self.family, "")
        return name.removesuffix("_block")


@dataclass(frozen=True)
class Figure:
    """One benchmark with one number of bytes.

    Attributes
    ----------
    benchmark, family, unit : str
        As in `Benchmark`.
    ranks : int
        That took part; benchmarks of two ranks leave the others idle.
    bytes : int
        Of a message, a vector, or the block of each rank.
    value : float
        What was measured; of a collective the average over the ranks, as OSU has it.
    least, most : float or None
        Of a collective: of any rank.
    together : float or None
        Of a nonblocking collective: with a computation between its start and its end that is as long as `value` is at
        the slowest rank.
    overlap : float or None
        Of a nonblocking collective: percent of as long a computation that cost no time.
    bound : float or None
        The best that links and routers allow, in the same unit; None if nothing is known.
    """

    benchmark: str
    family: str
    unit: str
    ranks: int
    bytes: int
    value: float
    least: float | None
    most: float | None
    together: float | None
    overlap: float | None
    bound: float | None

    @property
    def of_bound(self) -> float | None:
        """How far from the bound it is: times for a time, the share reached for a rate."""
        return None if not self.bound else self.value / self.bound


@dataclass(frozen=True)
class Plan:
    """Measurements as a user asks for them; what is empty is chosen."""

    machine: Machine
    benchmarks: tuple[str, ...] = ()
    ranks: int | None = None
    bytes: tuple[int, int] = (1, MOST_BYTES)
    iterations: int = ITERATIONS
    fidelity: str = "cycle"
    collectives: str | None = None
    profile: str | None = None


def measure(plan: Plan, progress: TextIO | None) -> Iterator[Figure]:
    """Measure what was asked for, benchmark by benchmark.

    Raises
    ------
    UserError
        If there is no such benchmark, the ranks do not fit, there is no C compiler, or a run fails.
    """
    first, last = plan.bytes
    if not 1 <= first <= last <= _LARGEST:
        message = f"--bytes {first}:{last}: messages have 1 to {_LARGEST:,} bytes, the least first"
        raise UserError(message)
    ranks = min(RANKS, plan.machine.slots) if plan.ranks is None else plan.ranks
    if ranks < 2:
        message = f"{ranks} ranks: messages need two"
        raise UserError(message)
    with tempfile.TemporaryDirectory(prefix="tidings-") as folder, saying(progress) as say:
        program = _compiled(Path(folder))
        known = _benchmarks(program)
        chosen = _chosen(known, plan.benchmarks)
        job = Job(
            [str(program)],
            ranks,
            plan.machine,
            fidelity=plan.fidelity,
            collectives=collectives_of(plan.collectives, plan.profile),
            profile=plan.profile,
        )
        check(job)
        bound = partial(bound_of, plan.machine, ranks, _placement(plan.machine, ranks))
        for benchmark in chosen:
            say(f"{benchmark.name}, {ranks} ranks")
            yield from _figures(job, benchmark, plan, bound)


def _compiled(folder: Path) -> Path:
    program = folder / "osu"
    status = compiler.run("c", ["-O2", "-o", str(program), str(Path(__file__).parent / "osu.c")])
    if status != 0:
        message = f"the program was not compiled: the compiler ended with status {status}"
        raise UserError(message)
    return program


def _benchmarks(program: Path) -> list[Benchmark]:
    """Ask the program what it can measure, which needs no run."""
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return [Benchmark(name, family, unit, int(least), int(most)) for name, family, unit, least, most in _rows(listed)]


def _rows(text: str) -> Iterator[list[str]]:
    return csv.reader(text.splitlines())


def _chosen(known: Sequence[Benchmark], names: Sequence[str]) -> list[Benchmark]:
    """Choose benchmarks by their names, or by those of families."""
    for name in names:
        if not any(name in (one.name, one.family) for one in known):
            families = ", ".join(dict.fromkeys(one.family for one in known))
            names_of_all = ", ".join(one.name for one in known)
            message = f"there is no benchmark {name!r}; there are {names_of_all}; or all of a family: {families}"
            raise UserError(message)
    return [one for one in known if not names or one.name in names or one.family in names]


def _figures(
    job: Job, benchmark: Benchmark, plan: Plan, bound: Callable[[Benchmark, int], float | None]
) -> Iterator[Figure]:
    first, last = plan.bytes
    if benchmark.most == _NOTHING:
        first = last = 0
    else:
        first, last = max(first, benchmark.least), min(last, benchmark.most or last)
        if benchmark.most and benchmark.most == benchmark.least:
            first = last = benchmark.most
    words = [*job.program, benchmark.name, str(first), str(last), str(plan.iterations)]
    with captured() as printed:
        report = execute(dataclasses.replace(job, program=words), None)
    if report.exit_status or report.error:
        message = f"{benchmark.name} failed: {report.error or printed.stderr.strip()}"
        raise UserError(message)
    collective = bool(benchmark.collective)
    nonblocking = benchmark.family.startswith("nonblocking")
    for size, value, least, most, together, overlap in _rows(printed.stdout):
        yield Figure(
            benchmark=benchmark.name,
            family=benchmark.family,
            unit=benchmark.unit,
            ranks=job.ranks,
            bytes=int(size),
            value=float(value),
            least=float(least) if collective else None,
            most=float(most) if collective else None,
            together=float(together) if nonblocking else None,
            overlap=float(overlap) if nonblocking else None,
            bound=bound(benchmark, int(size)),
        )


def _placement(machine: Machine, ranks: int) -> _core.Placement | None:
    """Return where the ranks are; nothing for a graph, of which no bounds are known."""
    if machine.topology.kind == "graph":
        return None
    return _core.placement(configuration(machine), ranks, LINKS)


def bound_of(
    machine: Machine, ranks: int, placement: _core.Placement | None, benchmark: Benchmark, size: int
) -> float | None:
    """Return the best that links and routers allow, without software.

    A way takes the cycles of its hops, and a link or a slot carries a word per cycle. A full packet has header words.

    Parameters
    ----------
    ranks : int
        That take part.
    placement : Placement or None
        Where the ranks are; None if no bound is known.
    size : int
        Bytes, as in `Figure`.
    """
    if placement is None:
        return None
    words = -(-size // _WORD_BYTES)
    clock = float(machine.fabric.clock_MHz)
    if benchmark.collective:
        family = "alltoall" if benchmark.collective.startswith("alltoall") else benchmark.collective.removesuffix("v")
        cycles = _core.least_cycles(placement, family, words, hop=machine.hop_cycles, adder=1, exchanges=True)
        return float(cycles) / clock
    if benchmark.unit == "1/s":
        packets = max(1, -(-words // PACKET_WORDS))
        return (ranks // 2) * clock * 1e6 / (words + packets * HEADER_WORDS)
    if benchmark.unit == "MB/s":
        ways = 2 if benchmark.name.startswith("bi") else 1
        return ways * _WORD_BYTES * clock * PACKET_WORDS / (PACKET_WORDS + HEADER_WORDS)
    pair = _core.placement(configuration(machine), 2, LINKS)
    there = _core.least_cycles(pair, "bcast", words, hop=machine.hop_cycles, adder=0)
    back = _core.least_cycles(pair, "bcast", 1, hop=machine.hop_cycles, adder=0)
    # An access is complete when its origin knows so.
    return float(there + (back if benchmark.family == "one-sided" else 0)) / clock


def as_tables(figures: Sequence[Figure], machine: Machine) -> Group:
    """Return a table for each benchmark."""
    tables: list[RenderableType] = []
    for name in dict.fromkeys(figure.benchmark for figure in figures):
        rows = [figure for figure in figures if figure.benchmark == name]
        one = rows[0]
        title = f"{one.benchmark} ({one.family}), {one.ranks} ranks on {machine.name}, {one.unit}"
        tables += [Text(title), _table(rows), Text()]
    return Group(*tables)


def _table(rows: list[Figure]) -> Table:
    one = rows[0]
    table = Table(box=None, pad_edge=False)
    value = "average" if one.most is not None else "measured"
    columns: list[tuple[str, Callable[[Figure], float | None], int]] = [(value, lambda row: row.value, 2)]
    if one.most is not None:
        columns += [("least", lambda row: row.least, 2), ("most", lambda row: row.most, 2)]
    if one.overlap is not None:
        columns.append(("with computing", lambda row: row.together, 2))
        columns.append(("overlap %", lambda row: row.overlap, 0))
    if one.bound is not None:
        rate = one.unit in _RATES
        # Links need some nanoseconds, so a bound in microseconds has more digits than what software adds to it.
        columns.append(("bound", lambda row: row.bound, 2 if rate else 4))
        if rate:
            columns.append(("% of bound", lambda row: 100 * (row.of_bound or 0), 1))
        else:
            columns.append(("times bound", lambda row: row.of_bound, 1))
    for heading in ("bytes", *(heading for heading, _, _ in columns)):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(f"{row.bytes:,}", *(_number(get(row), digits) for _, get, digits in columns))
    return table


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:,.{digits}f}"
