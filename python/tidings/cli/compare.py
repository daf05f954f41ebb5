# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings compare``."""

from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.cli.options import CsvFile, JsonFile
from tidings.cli.output import console_beside, write_results
from tidings.report import compare


def compare_command(
    first: Annotated[Path, typer.Argument(metavar="A.json", help="Figures of a run: tidings run --json.")],
    second: Annotated[Path, typer.Argument(metavar="B.json", help="Figures of another run.")],
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print the figures of two runs side by side, and the second's in units of the first's.

    For example:

    tidings run -n 8 -m spirit --json engines.json ./solver

    tidings run -n 8 -m spirit --collectives software --json messages.json ./solver

    tidings compare engines.json messages.json
    """
    rows = tidings.compare(first, second)
    console_beside(json_file, csv_file).print(compare.as_table(rows, (first.stem, second.stem)))
    write_results(json_file, rows.as_json(), csv_file, rows)
