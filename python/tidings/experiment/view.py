# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How published values beside ours are shown: a table, and a page."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from rich.table import Table

from tidings.experiment.paper import DIFFERS, EXPLAINED, LOST, NOT_YET, REPRODUCED, Compared, Paper

_COLOURS = {REPRODUCED: "#d8efdc", EXPLAINED: "#fdf0cf", DIFFERS: "#f8d7d2", LOST: "#e6e9ec", NOT_YET: "#e3ecf7"}
_HEADINGS = ("place", "value", "published", "ours", "bound", "unit", "class", "verdict", "reason")


def number(value: float | None) -> str:
    """Return a number as people write it."""
    return "" if value is None else f"{value:,.10g}"


def _cells(row: Compared) -> tuple[str, ...]:
    numbers = (number(row.published), number(row.ours), number(row.bound))
    return (row.place, row.what, *numbers, row.unit, row.kind, row.verdict, row.reason)


def papers(found: Sequence[Paper]) -> Table:
    """Return a table of papers."""
    table = Table(box=None, pad_edge=False)
    for heading in ("paper", "values", "title"):
        table.add_column(heading)
    for one in found:
        table.add_row(one.name, f"{len(one.values):,}", one.title)
    return table


def table(rows: Sequence[Compared]) -> Table:
    """Return published values beside ours."""
    made = Table(box=None, pad_edge=False)
    for heading in _HEADINGS:
        made.add_column(heading, justify="right" if heading in ("published", "ours", "bound") else "left")
    for row in rows:
        made.add_row(*_cells(row))
    return made


def totals(rows: Sequence[Compared]) -> str:
    """Return how many values have which verdict."""
    counts = Counter(row.verdict for row in rows)
    return ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in _COLOURS if counts[verdict])


def page(paper: Paper, rows: Sequence[Compared]) -> str:
    """Return an HTML page that needs no other file."""
    lines = []
    for row in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row))
        lines.append(f"<tr style='background:{_COLOURS[row.verdict]}'>{cells}</tr>")
    headings = "".join(f"<th>{heading}</th>" for heading in _HEADINGS)
    return (
        f"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{escape(paper.name)}</title>\n"
        "<style>body{font:14px sans-serif;margin:2em;color:#1b2733}table{border-collapse:collapse}"
        "td,th{padding:3px 8px;text-align:left;border-bottom:1px solid #fff;vertical-align:top}"
        "td:nth-child(n+3):nth-child(-n+5){text-align:right}</style></head>\n"
        f"<body><h1>{escape(paper.name)}</h1><p>{escape(paper.title)}</p><p>{escape(totals(rows))}</p>\n"
        f"<table><thead><tr>{headings}</tr></thead><tbody>\n" + "\n".join(lines) + "\n</tbody></table></body></html>\n"
    )
