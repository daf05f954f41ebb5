# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The same run on machines that are better in one respect, and what it gains."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rich.table import Table

from tidings.errors import UserError
from tidings.machines.change import changed
from tidings.machines.file import Machine, MachineFileError
from tidings.report.frames import Rows
from tidings.report.summary import format_time
from tidings.runtime.result import Run
from tidings.runtime.run import COLLECTIVES, IDEAL, Job


@dataclass(frozen=True)
class Gain:
    """A change, and what the run makes of it.

    Attributes
    ----------
    change : str
        Name of the change; empty for the machine as it is.
    summary : str
        What is better.
    values : str
        Keys of the machine file, or options, with the values that make the change.
    elapsed_ps : int
        Virtual time of the run; 0 if there is no such machine.
    gain : float
        How many times as fast the run is as on the machine as it is.
    communication_share : float
        Share of the ranks' time inside MPI.
    note : str
        Why there is no such run; empty if there is one.
    """

    change: str
    summary: str
    values: str
    elapsed_ps: int
    gain: float
    communication_share: float
    note: str = ""


@dataclass(frozen=True)
class Question:
    """A respect in which a run could have it better.

    `ask` gives the values of the machine file that change; `other` another kind of collectives than the run's, or
    nothing if there is no other.
    """

    name: str
    summary: str
    ask: Callable[[Job], dict[str, object]] = lambda _: {}
    other: Callable[[Job], str | None] | None = None


def _links(job: Job) -> dict[str, object]:
    """Everything that takes time keeps it, but for what moves a word per cycle.

    A port of a router hands its link a word per cycle, so a faster link needs a faster router.
    """
    machine = job.machine
    return {
        "fabric.clock_MHz": 2 * machine.fabric.clock_MHz,
        "memory.latency_cycles": 2 * machine.memory.latency_cycles,
        **_if_linked(machine, {"link.latency_cycles": 2 * machine.link.latency_cycles}),
        # Buffers cover the round trip of credits, which has twice as many cycles.
        "router.buffer_flits": 2 * machine.router.buffer_flits,
    }


def _latency(job: Job) -> dict[str, object]:
    machine = job.machine
    return _if_linked(machine, {"link.latency_cycles": max(1, machine.link.latency_cycles // 2)})


def _ports(job: Job) -> dict[str, object]:
    return {"mpe.combine_ports": job.machine.mpe.combine_ports + 1}


def _software(job: Job) -> dict[str, object]:
    tables: dict[str, Mapping[str, float]] = {"processor": vars(job.machine.processor)}
    if job.profile is not None:
        tables[f"software.{job.profile}.costs"] = job.machine.profile(job.profile).costs
    costs = [(f"{table}.{name}", value) for table, values in tables.items() for name, value in values.items()]
    return {key: value / 2 for key, value in costs if key.endswith(_COST)}


def _other_collectives(job: Job) -> str | None:
    return next(name for name in COLLECTIVES if name != job.collectives) if job.profile is None else None


def _if_linked(machine: Machine, values: dict[str, object]) -> dict[str, object]:
    return values if machine.ports else {}


#: How names of software costs end.
_COST = "_ns"
#: What can be asked, by name.
QUESTIONS = {
    question.name: question
    for question in (
        Question("links", "links twice as fast, with routers and engines that keep up; latencies as they are", _links),
        Question("latency", "links of half the latency", _latency),
        Question("ports", "one more combine port", _ports),
        Question("software", "software costs halved", _software),
        Question(
            "collectives",
            "the other way to carry out collectives",
            other=_other_collectives,
        ),
        Question("ideal", "collectives that take no time: ranks wait for each other only", other=lambda _: IDEAL),
    )
}


def answers(job: Job, wanted: Iterable[str], run: Callable[[Job], Run]) -> Rows[Gain]:
    """Make all runs.

    Parameters
    ----------
    job : Job
        The run as it is.
    wanted : iterable of str
        Names of `QUESTIONS`.
    run : callable
        Makes a run.

    Raises
    ------
    UserError
        If there is no such question.
    """
    questions = list(wanted) or list(QUESTIONS)
    for name in questions:
        if name not in QUESTIONS:
            message = f"there is no change {name!r}; there are: {', '.join(QUESTIONS)}"
            raise UserError(message)
    base = run(job)
    rows = [Gain("", "the machine as it is", "", base.elapsed_ps, 1.0, base.communication_share)]
    rows.extend(_answer(job, QUESTIONS[name], base, run) for name in questions)
    return Rows(rows)


def _answer(job: Job, question: Question, base: Run, run: Callable[[Job], Run]) -> Gain:
    values = question.ask(job)
    if question.other is not None:
        other = question.other(job)
        if other is None:
            none = f"profile {job.profile} has none by the engines"
            return Gain(question.name, question.summary, "", 0, 0.0, 0.0, none)
        asked = dataclasses.replace(job, collectives=other)
        text = f"--collectives {other}"
    else:
        text = _described(values)
        if not values:
            return Gain(question.name, question.summary, "", 0, 0.0, 0.0, f"{job.machine.name} has no links")
        try:
            asked = dataclasses.replace(job, machine=changed(job.machine, values))
        except MachineFileError as error:
            return Gain(question.name, question.summary, text, 0, 0.0, 0.0, error.problems[0].text)
    result = run(asked)
    gain = base.elapsed_ps / max(result.elapsed_ps, 1)
    return Gain(question.name, question.summary, text, result.elapsed_ps, gain, result.communication_share)


def _described(values: Mapping[str, object]) -> str:
    """Return the values that change; costs, which are many and all halved, by their tables."""
    tables = dict.fromkeys(key.rpartition(".")[0] for key in values if key.endswith(_COST))
    named = [f"{key} = {value}" for key, value in values.items() if not key.endswith(_COST)]
    return ", ".join(named + [f"{table}.*{_COST} / 2" for table in tables])


def as_table(rows: Rows[Gain]) -> Table:
    """Return the table of gains, the largest first."""
    table = Table(box=None, pad_edge=False)
    table.add_column("change", no_wrap=True)
    for column in ("virtual time", "times as fast", "in MPI"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("what is better")
    for row in sorted(rows, key=lambda row: (row.change != "", -row.gain)):
        figures = (
            (format_time(row.elapsed_ps), f"{row.gain:.3f}", f"{row.communication_share:.1%}")
            if not row.note
            else ("",) * 3
        )
        what = row.summary + (f" ({row.values})" if row.values else "") + (f": {row.note}" if row.note else "")
        table.add_row(row.change or "(none)", *figures, what)
    return table
