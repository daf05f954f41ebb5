# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The tables of ``docs/silicon.md``: which designs they show, and how they are written into the page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tidings.errors import UserError
from tidings.synth import FAMILIES, Result, find_design, synthesize


@dataclass(frozen=True)
class Row:
    """A design of the tables, and what the reader is told that it is."""

    label: str
    design: str
    parameters: dict[str, int]


#: What a router may have beside the plain one, as the tables show it.
_ROUTERS: tuple[tuple[str, dict[str, int]], ...] = (
    ("", {}),
    (", pipeline", {"Pipeline": 1}),
    (", 16 routes", {"NumRoutes": 16}),
    (", 16 routes, pipeline", {"NumRoutes": 16, "Pipeline": 1}),
    (", 16 routes, pipeline, direct links", {"NumRoutes": 16, "Pipeline": 1, "DirectLinks": 1}),
)

#: Designs that are shown for every target.
ROWS = (
    *(Row(f"`router`, 1 class{what}", "router", parameters) for what, parameters in _ROUTERS),
    *(Row(f"`router`, 2 classes{what}", "router", {"NumClasses": 2} | parameters) for what, parameters in _ROUTERS),
    Row("`reliable_link`, window of 64 frames", "reliable_link", {}),
    Row("`rma`", "rma", {}),
)

#: Gao 2013, Table 5.4, "Resource utilization of hardware MPE", on a Virtex-4 FX60.
GAO_TABLE_5_4 = {"LUTs": 2843, "flip-flops": 1283, "block RAMs": 16, "DSPs": 4}


def update(page: Path) -> None:
    """Make the tables of a page anew; synthesizes what is not in the cache, which takes some minutes.

    Parameters
    ----------
    page : Path
        Markdown with ``<!-- begin NAME -->`` and ``<!-- end NAME -->`` around each table.

    Raises
    ------
    UserError
        If the page cannot be read or has no place for a table.
    """
    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        message = f"{page} cannot be read: {error.strerror}"
        raise UserError(message) from error
    places = re.findall(r"<!-- begin ([\w-]+) -->", text)
    known = {*FAMILIES, "gao"}
    if not places or not known.issuperset(places):
        message = (
            f"{page} needs places for tables, <!-- begin NAME --> to <!-- end NAME -->: {', '.join(sorted(known))}"
        )
        raise UserError(message)
    for place in places:
        table = "\n".join(_gao() if place == "gao" else _areas(place))
        begin, end = f"<!-- begin {place} -->\n", f"<!-- end {place} -->"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}{table}\n{end}{after}"
        page.write_text(text, encoding="utf-8")


def _areas(target: str) -> Iterator[str]:
    """Yield the table of a target."""
    fmax = target == "ecp5"
    yield "| | LUTs | flip-flops | block RAMs | DSPs |" + (" Fmax |" if fmax else "")
    yield "|---|---:|---:|---:|---:|" + ("---:|" if fmax else "")
    for row in ROWS:
        result = synthesize(find_design(row.design, row.parameters), target)
        yield f"| {row.label} | {_counts(result)} |" + (f" {result.fmax_MHz:.1f} MHz |" if fmax else "")


def _gao() -> Iterator[str]:
    """Yield the table that compares the collective engine with Gao's."""
    ours = synthesize(find_design("mpe", {}), "xc4v")
    yield "| Virtex-4 | LUTs | flip-flops | block RAMs | DSPs |"
    yield "|---|---:|---:|---:|---:|"
    yield f"| Gao 2013, Table 5.4 | {' | '.join(f'{count:,}' for count in GAO_TABLE_5_4.values())} |"
    yield f"| `mpe` | {_counts(ours)} |"


def _counts(result: Result) -> str:
    return f"{result.luts:,} | {result.flip_flops:,} | {result.block_rams:,} | {result.dsps:,}"
