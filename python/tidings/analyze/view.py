# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What is printed of the links of collectives."""

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table

from tidings.analyze.contention import Analysis, Summary
from tidings.analyze.word_schedules import Length
from tidings.report.frames import Rows

#: Steps that are printed; a file has all of them.
_MOST_STEPS = 24


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    return table


def comparison(collective: str, found: Rows[Summary], left_out: Mapping[str, str]) -> Group:
    """Return the algorithms of a collective, and why others are left out."""
    table = _table(
        collective,
        "steps",
        "messages",
        "in conflict",
        "on one link",
        "to synchronize",
        "cycles",
        "bound",
        "ratio",
    )
    for one in found:
        table.add_row(
            one.algorithm,
            f"{one.steps:,}",
            f"{one.messages:,}",
            f"{one.conflicting_steps:,}" if one.conflicting_steps else "none",
            f"{one.most_messages:,}",
            f"{one.synchronizing:,}",
            f"{one.cycles:,}",
            f"{one.bound:,}",
            f"{one.ratio:.2f}",
        )
    parts: list[RenderableType] = [table]
    parts += [f"left out: {reason}" for reason in left_out.values()]
    return Group(*parts)


def details(analysis: Analysis) -> Iterator[RenderableType]:
    """Yield the steps of an algorithm, and what follows from them."""
    table = _table(
        "step", "messages", "links shared", "most on a link", "link's words", "slot's words", "longest way", "cycles"
    )
    for step in analysis.steps[:_MOST_STEPS]:
        table.add_row(
            str(step.step + 1),
            f"{step.messages:,}",
            f"{step.conflicts:,}",
            f"{step.most_messages:,}",
            f"{step.link_words:,}",
            f"{step.port_words:,}",
            f"{step.longest_way:,}",
            f"{step.cycles:,}",
        )
    yield table
    hidden = len(analysis.steps) - _MOST_STEPS
    if hidden > 0:
        yield f"and {hidden:,} more steps, which --csv and --json write"
    yield ""
    total = len(analysis.steps)
    shared = analysis.conflicting_steps
    yield (
        f"no two of {analysis.messages:,} messages share a link in any of {total:,} steps"
        if shared == 0
        else f"messages share a link in {shared:,} of {total:,} steps: up to {analysis.most_messages:,} of them"
    )
    yield f"{analysis.cycles:,} cycles, bound {analysis.bound:,}: {analysis.ratio:.2f} times"
    if analysis.note:
        yield analysis.note


def lengths(found: Rows[Length], *, closed: bool) -> Table:
    """Return a table of schedules of words, on tori with the cycles that none does without."""
    kind, least = ("torus", ("least",)) if closed else ("mesh", ())
    table = _table(kind, "bound", *least, "cycles", "beyond", "cycles per further word", "seconds")
    for one in found:
        known = one.missing or "", "", "", ""
        if one.cycles is not None:
            known = f"{one.cycles:,}", f"+{one.beyond}", f"{one.period:,}", f"{one.seconds:.2f}"
        bounds = [one.bound, one.least] if closed else [one.bound]
        table.add_row(f"{one.width}x{one.height}", *(f"{bound:,}" for bound in bounds), *known)
    return table
