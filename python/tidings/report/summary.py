# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What a run reports: a table for people and JSON for programs."""

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tidings import _core
from tidings.runtime.placement import name_of
from tidings.runtime.run import Job, threads_of


def as_json(job: Job, report: _core.RunReport) -> dict[str, Any]:
    """Return everything that a run found, ready for JSON.

    Two runs of one program with ``--compute none`` give the same but for ``wall_seconds``, and ``threads`` where they
    were others. Times are picoseconds of virtual time.
    """
    slots = job.machine.topology.slots
    return {
        "ranks": job.ranks,
        "machine": job.machine.name,
        "fidelity": job.fidelity,
        "rtl_nodes": list(job.rtl_nodes),
        "threads": threads_of(job)[0],
        "collectives": job.collectives,
        "algorithms": job.algorithms,
        "profile": job.profile,
        "compute": job.compute,
        "map": None if job.map is None else name_of(job.map),
        "program": job.program,
        "other_programs": [{"program": words, "ranks": ranks} for words, ranks in job.other_programs],
        "exit_status": report.exit_status,
        "error": report.error,
        "elapsed_ps": report.elapsed_ps,
        "communication_share": report.communication_share,
        "compute_share": 1.0 - report.communication_share,
        "operations": {operation.name: operation_values(operation) for operation in report.operations},
        "per_rank": [
            {
                "rank": rank.rank,
                "router": place // slots,
                "slot": place % slots,
                "elapsed_ps": rank.elapsed_ps,
                "communication_ps": rank.communication_ps,
                "compute_ps": rank.compute_ps,
            }
            for rank, place in zip(report.ranks, job.places, strict=True)
        ],
        "simulated_cycles": report.simulated_cycles,
        "skipped_cycles": report.skipped_cycles,
        "node_evaluations": report.node_evaluations,
        "flit_hops": report.flit_hops,
        "wall_seconds": report.wall_seconds,
    }


def as_table(job: Job, report: _core.RunReport) -> RenderableType:
    """Return the table that a run ends with."""
    time, rest = headline(job, report).split(" of ", 1)
    first = Text.assemble((time, "bold"), f" of {rest}")
    share = report.communication_share
    speed = report.simulated_cycles / report.wall_seconds if report.wall_seconds > 0 else 0.0
    lines = Text(
        f"communication {share:.1%} of the ranks' time, compute {1 - share:.1%}\n"
        f"{report.simulated_cycles:,} cycles simulated in {report.wall_seconds:.2f} s ({speed:,.0f} cycles/s), "
        f"{report.skipped_cycles:,} idle cycles skipped{_threads(job)}"
    )
    parts: list[RenderableType] = ["", first]
    if report.operations:
        parts.append(_operations_table(report.operations))
        parts.extend(_explanations(report.operations))
    return Group(*parts, lines)


def headline(job: Job, report: _core.RunReport) -> str:
    """Say in one line how long a run took, and on what."""
    return (
        f"{format_time(report.elapsed_ps)} of virtual time: {job.ranks} rank{'s' * (job.ranks != 1)} "
        f"on {job.machine.name}{_map(job)}, fidelity {job.fidelity}{_mixed(job)}, {job.collectives} collectives"
        + ("" if job.profile is None else f", profile {job.profile}")
    )


def _threads(job: Job) -> str:
    """Say how many threads simulated the machine, if the user asked for several."""
    if job.threads in {None, 1}:
        return ""
    used, reason = threads_of(job)
    return f"\nsimulated in {used} thread{'s' * (used > 1)}" + (f", because {reason}" if reason else "")


def format_time(picoseconds: float) -> str:
    """Write a time with a unit that keeps it readable."""
    for unit, scale in (("s", 1e12), ("ms", 1e9), ("us", 1e6)):
        if picoseconds >= scale:
            return f"{picoseconds / scale:.3f} {unit}"
    return f"{picoseconds / 1e3:.3f} ns"


def _map(job: Job) -> str:
    """Say where ranks sit, if the user chose that."""
    return "" if job.map is None else f", map {name_of(job.map)}"


def _mixed(job: Job) -> str:
    """Say which nodes are not of the run's fidelity."""
    if not job.rtl_nodes:
        return ""
    return f" with rtl node{'s' * (len(job.rtl_nodes) > 1)} {', '.join(map(str, job.rtl_nodes))}"


def operation_values(operation: _core.OperationStatistics) -> dict[str, Any]:
    """Return what is known of an operation, but for its name."""
    return {
        "calls": operation.calls,
        "bytes": operation.bytes,
        "min_ps": operation.min_ps,
        "mean_ps": operation.mean_ps,
        "max_ps": operation.max_ps,
        "total_ps": operation.total_ps,
        "hardware": operation.hardware,
        "software": operation.software,
        "fallback": operation.fallback,
        "fallback_reasons": dict(sorted(operation.fallback_reasons.items())),
        "notes": dict(sorted(operation.notes.items())),
    }


def _operations_table(operations: list[_core.OperationStatistics]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("operation", no_wrap=True)
    for column in ("calls", "bytes", "min", "mean", "max", "engine", "software"):
        table.add_column(column, justify="right", no_wrap=True)
    for operation in operations:
        by_engine, by_messages = operation.hardware, operation.software + operation.fallback
        is_collective = by_engine + by_messages > 0
        table.add_row(
            operation.name,
            f"{operation.calls:,}",
            f"{operation.bytes:,}",
            *(format_time(time) for time in (operation.min_ps, operation.mean_ps, operation.max_ps)),
            f"{by_engine:,}" if is_collective else "",
            f"{by_messages:,}" if is_collective else "",
        )
    return table


def _explanations(operations: list[_core.OperationStatistics]) -> list[RenderableType]:
    """Say why the engine did not do what it was asked for, and what the library notes."""
    lines: list[RenderableType] = []
    for operation in operations:
        for reason, calls in sorted(operation.fallback_reasons.items()):
            lines.append(Text(f"{operation.name}: {calls:,} in software, because {reason}"))
        for note, calls in sorted(operation.notes.items()):
            lines.append(Text(f"{operation.name}: {calls:,} call{'s' * (calls > 1)}: {note}"))
    return lines
