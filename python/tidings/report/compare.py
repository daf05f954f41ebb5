# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Figures of two runs side by side."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from tidings.errors import UserError
from tidings.report.frames import Rows
from tidings.report.summary import format_time

#: Figures of a run that are compared: their keys in its JSON, and what they are called.
_FIGURES = (
    ("elapsed_ps", "virtual time"),
    ("communication_share", "share of communication"),
    ("flit_hops", "flits over links"),
    ("simulated_cycles", "cycles simulated"),
)


@dataclass(frozen=True)
class Difference:
    """A figure of two runs.

    Attributes
    ----------
    figure : str
        What it is; of operations the mean time of a call.
    first, second : float
        The figure of each run; 0 if a run does not have it. Times are picoseconds.
    calls_first, calls_second : int
        Calls of an operation; 0 for other figures.
    """

    figure: str
    first: float
    second: float
    calls_first: int = 0
    calls_second: int = 0

    @property
    def ratio(self) -> float:
        """The second figure, in units of the first; 0 if there is no first."""
        return self.second / self.first if self.first else 0.0


def read(path: Path) -> dict[str, Any]:
    """Read what ``tidings run --json`` has written.

    Raises
    ------
    UserError
        If the file is not such a file.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise UserError(message) from error
    except ValueError as error:
        message = f"{path} is not JSON: {error}"
        raise UserError(message) from error
    missing = [key for key, _ in (*_FIGURES, ("operations", "")) if not isinstance(values, dict) or key not in values]
    if missing:
        message = f"{path} is not of tidings run --json: {missing[0]} is missing"
        raise UserError(message)
    return dict(values)


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> Rows[Difference]:
    """Return all figures of two runs, as their JSON has them."""
    return Rows(_differences(first, second))


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[Difference]:
    for key, name in _FIGURES:
        yield Difference(name, first[key], second[key])
    nothing = {"mean_ps": 0, "calls": 0}
    for name in sorted({*first["operations"], *second["operations"]}):
        one, other = (run["operations"].get(name, nothing) for run in (first, second))
        yield Difference(name, one["mean_ps"], other["mean_ps"], one["calls"], other["calls"])


def as_table(rows: Rows[Difference], names: tuple[str, str]) -> Table:
    """Return both runs side by side."""
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    for column in (*names, "ratio", "calls"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        calls = (
            f"{row.calls_first:,}"
            if row.calls_first == row.calls_second
            else f"{row.calls_first:,} / {row.calls_second:,}"
        )
        table.add_row(
            row.figure + (", mean" if row.calls_first or row.calls_second else ""),
            _shown(row, row.first),
            _shown(row, row.second),
            f"{row.ratio:.3f}" if row.first and row.second else "",
            calls if row.calls_first or row.calls_second else "",
        )
    return table


def _shown(row: Difference, value: float) -> str:
    if row.calls_first or row.calls_second or row.figure == "virtual time":
        return format_time(value) if value else ""
    return f"{value:.1%}" if isinstance(value, float) else f"{value:,}"
