# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings report``."""

from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.cli.options import report_page


def report_command(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Files of events that tidings run --events has written.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE.html",
            parser=report_page("--out"),
            help="Write the page here.",
        ),
    ],
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
    """
    tidings.write_report(runs, output, title=title, pictures=picture or ())
