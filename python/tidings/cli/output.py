# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Where commands print and write to."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import TextType

from tidings.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

#: The name of standard output among files.
STANDARD_OUTPUT = Path("-")


#: Width of what goes to a file or a pipe: lines are as long as they are.
_UNLIMITED = 10_000
#: Columns of text are wrapped down to this width; those of numbers and names never.
_NARROWEST_TEXT = 24
_GAP = 2


class _Console(Console):
    """Prints tables without cutting them: if one is too wide, columns go into a second table below."""

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print objects, each as a paragraph or a table of its own."""
        for part in objects or ("",):
            if isinstance(part, Group):
                self.print(*part.renderables, **settings)
            elif isinstance(part, Table):
                for table, width in _split(part, self):
                    self._print_whole(table, width)
            else:
                super().print(part, **{"soft_wrap": not self.is_terminal, **settings})

    def _print_whole(self, table: Table, width: int) -> None:
        with self.capture() as captured:
            super().print(table, width=max(width, self.width), crop=False, no_wrap=False)
        lines = captured.get().splitlines()
        self.file.write("".join((line if self.is_terminal else line.rstrip()) + "\n" for line in lines))


def _split(table: Table, console: Console) -> Iterator[tuple[Table, int]]:
    """Yield a table, or several with the same first columns if it is too wide, and the width that each needs."""
    widths = [_least_width(column, console) for column in table.columns]
    keys = 1
    while keys < len(table.columns) - 1 and table.columns[keys].justify == "left" and table.columns[keys].no_wrap:
        keys += 1
    key_width = sum(width + _GAP for width in widths[:keys])
    blocks: list[list[int]] = [[]]
    left = console.width - key_width
    for number in range(keys, len(widths)):
        if blocks[-1] and widths[number] > left:
            blocks.append([])
            left = console.width - key_width
        blocks[-1].append(number)
        left -= widths[number] + _GAP
    for block in blocks:
        chosen = [*range(keys), *block]
        whole = table if len(blocks) == 1 else _part(table, chosen, table.title if block is blocks[0] else None)
        yield whole, sum(widths[number] + _GAP for number in chosen)


def _least_width(column: Column, console: Console) -> int:
    cells = [column.header, *column.cells]
    widest = max(Measurement.get(console, console.options.update(width=_UNLIMITED), cell).maximum for cell in cells)
    return widest if column.no_wrap else min(widest, _NARROWEST_TEXT)


def _part(table: Table, numbers: list[int], title: TextType | None) -> Table:
    """Return some columns of a table."""
    columns = [table.columns[number] for number in numbers]
    part = Table(
        title=title,
        title_justify=table.title_justify,
        title_style=table.title_style,
        box=table.box,
        pad_edge=table.pad_edge,
        show_header=table.show_header,
    )
    for column in columns:
        part.add_column(column.header, justify=column.justify, style=column.style, no_wrap=column.no_wrap)
    for cells in zip(*(column.cells for column in columns), strict=True):
        part.add_row(*cells)
    return part


def console(*, stderr: bool = False) -> Console:
    """Return a console that cuts nothing; its width is that of the terminal, or what COLUMNS says."""
    told = (sys.stderr if stderr else sys.stdout).isatty() or "COLUMNS" in os.environ
    return _Console(stderr=stderr, width=None if told else _UNLIMITED, highlight=False, markup=False)


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: 1 route, 2,048 routes."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def console_beside(*files: Path | None) -> Console:
    """Return the console for tables: on standard error if a file has taken standard output."""
    return console(stderr=STANDARD_OUTPUT in files)


def write_json(path: Path | None, values: object) -> None:
    """Write values as JSON, if a file is asked for."""
    if path is not None:
        _write(path, json.dumps(values, indent=2) + "\n")


def do_all(*works: Callable[[], None]) -> None:
    """Do each piece of work whatever becomes of the others, and then raise what the first that failed has raised."""
    failures: list[UserError] = []
    for work in works:
        try:
            work()
        except UserError as failure:
            failures.append(failure)
    for other in failures[1:]:
        print(f"tidings: error: {other}", file=sys.stderr)
    if failures:
        raise failures[0]


def write_text(path: Path, text: str) -> None:
    """Write a text to a file; - is standard output."""
    _write(path, text)


class HasFrame(Protocol):
    """Results that are a data frame as well."""

    @property
    def frame(self) -> "pd.DataFrame":
        """The data frame."""


def write_results(
    json_file: Path | None,
    values: object,
    csv_file: Path | None,
    results: "HasFrame | Callable[[], pd.DataFrame]",
) -> None:
    """Write results as JSON and as CSV, if files are asked for; one that cannot be written leaves the other alone."""

    def as_csv() -> None:
        if csv_file is not None:
            frame = results() if callable(results) else results.frame
            _write(csv_file, frame.to_csv(index=False))

    do_all(lambda: write_json(json_file, values), as_csv)


def _write(path: Path, text: str) -> None:
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise UserError(message) from error
