# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What is printed of PUTs, GETs and barriers."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from tidings.rma.measurement import Result, Study

_HEADINGS = ("slots", "words", "barrier", "value", "published", "floor", "target", "ratio", "us", "us/word")


def _number(value: float | None, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.{digits}f}"


def _cells(result: Result) -> tuple[str, ...]:
    return (
        str(result.slots),
        f"{result.words:,}" if result.words else "",
        result.barrier,
        *(_number(value, 3) for value in (result.value, result.published, result.floor, result.target)),
        "" if result.ratio is None else f"{result.ratio:.2f}",
        "" if result.us is None else f"{result.us:.3f}",
        "" if result.us_per_word is None else f"{result.us_per_word:.3f}",
    )


def tables(study: Study) -> Iterator[RenderableType]:
    """Yield a table of everything, and what could not be measured."""
    machine = study.machine
    yield (
        f"{machine.name}: {machine.shape}, {machine.fabric.clock_MHz:g} MHz, memory of "
        f"{machine.memory.latency_cycles} cycles, fidelity {study.fidelity}; cycles, cycles per word, flits per cycle"
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("what")
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading == "barrier" else "right")
    last = ""
    for result in study.results:
        table.add_row(result.what if result.what != last else "", *_cells(result))
        last = result.what
    yield table
    for what, reason in study.left_out:
        yield f"left out: {what}: {reason}"
