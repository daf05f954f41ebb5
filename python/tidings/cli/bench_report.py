# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench report``."""

import sys
from typing import Annotated

import typer

import tidings
from tidings.bench import pages
from tidings.cli.options import CsvFile, JsonFile, Repeat, at_least
from tidings.cli.output import console_beside, write_results


def bench_report(
    steps: Annotated[
        int, typer.Option(metavar="N", **at_least(1), help="Steps of the program, each of about a thousand events.")
    ] = 100,
    repeat: Repeat = 3,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print how long the report of a run of 64 ranks takes to be written, opened and moved about in.

    The page is opened in a real browser without a window; the best of all repetitions counts.

    For example:

    tidings bench report

    tidings bench report --steps 1000 --repeat 1 --json page.json
    """
    rows = tidings.bench_report(steps=steps, repeat=repeat, progress=sys.stderr)
    console_beside(json_file, csv_file).print(pages.as_table(rows))
    write_results(json_file, rows.as_json(), csv_file, rows)
