# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How much wall time runs of programs take: a message, a collective, the start of a rank."""

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rich.table import Table

from tidings.bench.other_build import FIRST, command_of
from tidings.errors import UserError
from tidings.machines.file import find_machine
from tidings.report.progress import saying

_KIB_PER_MIB = 1024


@dataclass(frozen=True)
class Pattern:
    """What a program does, and how fast that should be.

    Attributes
    ----------
    name : str
        What ``programs.c`` calls it.
    ranks : int
        Ranks that run, one per router.
    size : tuple of int
        Routers in each dimension of a torus with the links and engines of `spirit`.
    times : int
        Repetitions within one run.
    events : int
        What is counted in one repetition.
    unit : str
        Of the measured value: ``s`` per run, ``us`` or ``MiB`` per event, or ``1/s`` events.
    target : float
        The value to reach, in that unit; 0 without one.
    meaning : str
        In words.
    before : float
        The value of the build of `FIRST`, measured on the computer of which the targets are; 0 if it was not.
    """

    name: str
    ranks: int
    size: tuple[int, ...]
    times: int
    events: int
    unit: str
    target: float
    meaning: str
    before: float = 0

    @property
    def target_ratio(self) -> float | None:
        """How much better than the build of `FIRST` the target is, as a factor; None if it is not known."""
        if not self.before or not self.target:
            return None
        return self.target / self.before if self.unit in _RATES else self.before / self.target


#: Units of which more is better.
_RATES = {"1/s"}
_SPIRIT = (4, 4, 4)
#: What is measured.
PATTERNS = (
    Pattern("start", 64, _SPIRIT, 1, 1, "s", 0.15, "start and end of 64 ranks", 0.4),
    Pattern("round-trip", 2, _SPIRIT, 5000, 1, "us", 15, "8 bytes there and back", 32),
    Pattern("round-trip", 64, _SPIRIT, 5000, 1, "us", 20, "8 bytes there and back, 62 ranks wait", 62),
    Pattern("alltoall", 64, _SPIRIT, 5, 64 * 63, "1/s", 100_000, "messages of all-to-alls of 64 bytes", 24_000),
    Pattern("barrier", 64, _SPIRIT, 200, 1, "us", 0, "a barrier of the engines"),
    Pattern("allreduce", 64, _SPIRIT, 20, 1, "s", 5, "20 sums each of 8 bytes to 64 KiB", 29),
    Pattern("allgather", 4, _SPIRIT, 1, 1, "s", 10, "an all-gather of 177 MB", 99),
    Pattern("sort", 64, _SPIRIT, 10, 1, "s", 2.5, "10 steps of an integer sort, 4,096 keys per rank", 3.8),
    Pattern("clustering", 64, _SPIRIT, 24, 1, "s", 0.8, "24 steps of the k-means example's communication", 1.7),
    Pattern("halo", 64, _SPIRIT, 100, 1, "s", 0, "100 steps with four neighbours, a sum in every fourth"),
    Pattern("memory", 64, _SPIRIT, 1, 1, "MiB", 6, "memory of a rank after an all-to-all"),
    Pattern("barrier", 256, (8, 8, 4), 100, 1, "s", 0, "100 barriers, with the start"),
    Pattern("barrier", 1024, (16, 8, 8), 100, 1, "s", 60, "100 barriers, with the start"),
)
#: Processor time below this tells nothing about what adds to it.
_LEAST_SECONDS = 0.2
#: What storing events may add to the processor time of a run.
_MOST_COST = 0.2
#: Units of a whole run, with the start of its ranks.
_WHOLE = {"s", "MiB"}


@dataclass(frozen=True)
class Measured:
    """One pattern as it was measured.

    Attributes
    ----------
    pattern, meaning : str
        What the program does.
    ranks : int
        Its ranks.
    value : float
        The best of all measurements.
    unit : str
        Of `value` and `target`.
    target : float or None
        What is aimed at.
    other : float or None
        The value of the other build, if there is one.
    ratio : float or None
        How much better than the other build, as a factor.
    target_ratio : float or None
        The same of the target and the build of `FIRST`, on the computer of which the targets are.
    cost : float or None
        Runs that store their events, against runs that do not: the share of processor time that this adds. The start of
        the ranks counts in neither; None if the rest is too short to tell.
    note : str
        Why the other build has no value, as it said so itself.
    """

    pattern: str
    meaning: str
    ranks: int
    value: float
    unit: str
    target: float | None
    other: float | None = None
    ratio: float | None = None
    target_ratio: float | None = None
    cost: float | None = None
    note: str = ""


class _RunError(UserError):
    """A build could not compile or run a program."""

    def __init__(self, command: str, stderr: str) -> None:
        super().__init__(f"{command} failed:\n{stderr}")
        self.reason = stderr.partition("\n")[0].removeprefix("tidings: error: ")


class _Build:
    """A build of Tidings, the programs compiled with it, and what runs without work cost."""

    def __init__(self, command: Sequence[str], spirit: Path, folder: Path, *, events: bool = False) -> None:
        self._command = list(command)
        self._spirit = spirit
        self._more = ["--events", str(folder / "run.events")] if events else []
        self._folder = folder
        self._program = folder / "programs"
        self._idle: dict[tuple[int, ...], tuple[float, float]] = {}
        self._least: dict[Pattern, float] = {}
        folder.mkdir()
        self._tidings("cc", "-O2", "-o", str(self._program), str(Path(__file__).parent / "programs.c"))

    def value(self, pattern: Pattern) -> float:
        """Run a pattern once and return its value."""
        seconds, processor, printed = self._run(pattern, pattern.times)
        self._least[pattern] = min(processor, self._least.get(pattern, processor))
        if pattern.unit == "MiB":
            return int(printed) / _KIB_PER_MIB
        if pattern.unit in _WHOLE:
            return seconds
        work = max(seconds - self._nothing(pattern)[0], 1e-9) / (pattern.times * pattern.events)
        return 1 / work if pattern.unit in _RATES else work * 1e6

    def processor_seconds(self, pattern: Pattern) -> float:
        """Return the processor time of the pattern's best run beyond that of one without work."""
        return self._least[pattern] - self._nothing(pattern)[1]

    def _nothing(self, pattern: Pattern) -> tuple[float, float]:
        """Return wall and processor time of runs without work, the best of each."""
        key = (pattern.ranks, *pattern.size)
        if key not in self._idle:
            walls, processors, _ = zip(*(self._run(pattern, 0) for _ in range(3)), strict=True)
            self._idle[key] = min(walls), min(processors)
        return self._idle[key]

    def _run(self, pattern: Pattern, times: int) -> tuple[float, float, str]:
        """Return wall and processor time of a run in seconds, and what it printed."""
        file = self._folder / "run.json"
        ranks, machine = str(pattern.ranks), str(self._machine(pattern.size))
        options = ["-n", ranks, "-m", machine, "--compute", "none", "--json", str(file), *self._more]
        before = os.times()
        printed = self._tidings("run", *options, str(self._program), pattern.name, str(times))
        after = os.times()
        processor = sum(getattr(after, part) - getattr(before, part) for part in ("children_user", "children_system"))
        return float(json.loads(file.read_text(encoding="utf-8"))["wall_seconds"]), processor, printed

    def _machine(self, size: tuple[int, ...]) -> Path:
        """Return the file of `spirit` with another size."""
        file = self._folder / ("x".join(map(str, size)) + ".toml")
        if not file.exists():
            text = self._spirit.read_text(encoding="utf-8")
            file.write_text(text.replace(str(list(_SPIRIT)), str(list(size))), encoding="utf-8")
        return file

    def _tidings(self, *arguments: str) -> str:
        line = [*self._command, *arguments]
        ended = subprocess.run(line, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise _RunError(" ".join(line), ended.stderr.strip())
        return ended.stdout


def measure(
    names: Sequence[str],
    most_ranks: int,
    against: Path | None,
    repeats: int,
    progress: TextIO | None,
    *,
    events: bool = False,
) -> Iterator[Measured]:
    """Measure patterns, in this build and perhaps another one in turn.

    Parameters
    ----------
    names : sequence of str
        Patterns to measure; all if empty.
    most_ranks : int
        Patterns of more ranks are left out.
    against : Path or None
        A checkout in which ``make`` has built Tidings.
    repeats : int
        Measurements of each build; the best is kept.
    progress : text stream or None
        Where to say what is measured.
    events : bool
        Compare runs that store their events with runs that do not, which are the other build then.

    Raises
    ------
    UserError
        If a name is not known, the other checkout is not built, there is no C compiler, or a run of this build fails.
    """
    known = sorted({pattern.name for pattern in PATTERNS})
    for name in names:
        if name not in known:
            message = f"there is no pattern {name!r}; there are {', '.join(known)}"
            raise UserError(message)
    chosen = [one for one in PATTERNS if one.ranks <= most_ranks and (not names or one.name in names)]
    with tempfile.TemporaryDirectory(prefix="tidings-") as name, saying(progress) as say:
        own = [sys.executable, "-c", "from tidings.cli import main; main()"]
        spirit = find_machine("spirit")
        here = _Build(own, spirit, Path(name) / "here", events=events)
        other = _Build(own, spirit, Path(name) / "other") if events else None
        if against is not None:
            # Its own file: keys of machine files change.
            other = _Build([str(command_of(against))], against / "machines" / "spirit.toml", Path(name) / "other")
        for pattern in chosen:
            measured = _measured(pattern, here, other, repeats, say)
            yield dataclasses.replace(measured, cost=_cost(pattern, here, other)) if events and other else measured


def _cost(pattern: Pattern, here: _Build, other: _Build) -> float | None:
    without = other.processor_seconds(pattern)
    return here.processor_seconds(pattern) / without - 1 if without > _LEAST_SECONDS else None


def _measured(
    pattern: Pattern, here: _Build, other: _Build | None, repeats: int, say: Callable[[str], None]
) -> Measured:
    """Measure one pattern in turn."""
    better = max if pattern.unit in _RATES else min
    values: list[float] = []
    others: list[float] = []
    note = ""
    for repeat in range(repeats):
        say(f"{pattern.meaning}, {pattern.ranks} ranks, {repeat + 1} of {repeats}")
        if other is not None and not note:
            try:
                others.append(other.value(pattern))
            except _RunError as error:  # an older build lacks functions that younger patterns use
                note = error.reason
        values.append(here.value(pattern))
    best = better(values)
    measured = Measured(
        pattern.name,
        pattern.meaning,
        pattern.ranks,
        best,
        pattern.unit,
        pattern.target or None,
        target_ratio=pattern.target_ratio,
        note=note,
    )
    if not others:
        return measured
    ratio = best / max(others) if pattern.unit in _RATES else min(others) / best
    return dataclasses.replace(measured, other=better(others), ratio=ratio)


def as_table(rows: Sequence[Measured]) -> Table:
    """Return the measurements as a table."""
    compared = any(row.ratio is not None for row in rows)
    table = Table(title="Wall time of programs", title_justify="left", box=None, pad_edge=False)
    table.add_column("pattern")
    for heading in ("ranks", *(["other"] if compared else []), "measured", "unit", "target"):
        table.add_column(heading, justify="left" if heading == "unit" else "right", no_wrap=True)
    costs = any(row.cost is not None for row in rows)
    if compared:
        table.add_column("ratio", justify="right", no_wrap=True)
    if compared and not costs:
        table.add_column(f"target to {FIRST}", justify="right", no_wrap=True)
    if costs:
        table.add_column(f"processor time (at most +{_MOST_COST:.0%})", justify="right", no_wrap=True)
    notes = [f"{row.meaning}: the other build has no value, as it said: {row.note}" for row in rows if row.note]
    if notes:
        table.caption, table.caption_justify = "\n".join(notes), "left"
    for row in rows:
        cells = [row.meaning, f"{row.ranks:,}", *([_number(row.other)] if compared else []), _number(row.value)]
        cells += [row.unit, _number(row.target)]
        if compared:
            ratios = (row.ratio,) if costs else (row.ratio, row.target_ratio)
            cells += ["" if ratio is None else f"{ratio:.2f}" for ratio in ratios]
        if costs:
            cells.append("" if row.cost is None else f"{row.cost:+.0%}")
        table.add_row(*cells)
    return table


def _number(value: float | None) -> str:
    """Three digits are as many as a wall time has."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
