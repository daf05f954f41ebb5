# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings report``."""

from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.cli.options import PerfettoFile, choice, written_file
from tidings.errors import UserError
from tidings.report import TABLE_KINDS, check_plotly


def report_command(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Files of events that tidings run --events has written.")
    ],
    output: Annotated[
        Path | None,
        written_file("--out", "-o", metavar="FILE.html", text="Write the page here.", needs=check_plotly),
    ] = None,
    perfetto: PerfettoFile = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--tables",
            metavar="FOLDER",
            help="Write calls, messages, waits and links of one run as files into this folder.",
            show_default=False,
        ),
    ] = None,
    table_kind: Annotated[str, typer.Option("--format", **choice(TABLE_KINDS), help="What --tables writes.")] = "csv",
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the page.", show_default=False)] = "",
    picture: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Show a picture with the summary; may be given again.", show_default=False),
    ] = None,
) -> None:
    """Write a page that shows where the time of a run went, or of several runs side by side.

    For example:

    tidings run -n 8 -m spirit --events a.events ./solver

    tidings report a.events --out a.html

    tidings report a.events b.events --out both.html

    tidings report a.events --perfetto a.pftrace --tables a --format parquet
    """
    if output is None and perfetto is None and folder is None:
        message = "say what to write: --out FILE.html, --perfetto FILE or --tables FOLDER"
        raise UserError(message)
    if len(runs) > 1 and (perfetto is not None or folder is not None):
        message = "--perfetto and --tables write one run; these are several: name one"
        raise UserError(message)
    if output is not None:
        tidings.write_report(runs, output, title=title, pictures=picture or ())
    if perfetto is not None:
        tidings.write_perfetto(runs[0], perfetto)
    if folder is not None:
        tidings.load_events(runs[0]).write_tables(folder, table_kind)
