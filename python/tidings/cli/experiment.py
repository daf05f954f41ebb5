# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings experiment``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.cli.options import CsvFile, JsonFile, choice, written_file
from tidings.cli.output import console_beside, write_results, write_text
from tidings.errors import UserError
from tidings.experiment import paper as papers
from tidings.experiment import view

#: In place of a paper's name.
_LIST = "list"


def experiment_command(
    paper: Annotated[str, typer.Argument(metavar="list|PAPER", help="List the papers, or compare with one.")],
    table: Annotated[
        str | None, typer.Option(metavar="N", help="Only this table, such as 4.1.", show_default=False)
    ] = None,
    figure: Annotated[
        str | None, typer.Option(metavar="N", help="Only this figure, such as 4.1.", show_default=False)
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--class", **choice(papers.CLASSES), help="Only values of this class.", show_default=False),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All values, which is what no option means too.")] = False,
    long: Annotated[bool, typer.Option("--long", help="Compute also those values of ours that take long.")] = False,
    html: Annotated[Path | None, written_file("--html", metavar="FILE.html", text="Write one page.")] = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Compare what a paper publishes with what Tidings computes or simulates.

    Each published value is reproduced, explained (ours differs, and why), lost in the text, or not yet compared.

    For example:

    tidings experiment list

    tidings experiment yagna2013 --html yagna2013.html

    tidings experiment yagna2013 --figure 4.12 --long
    """
    out = console_beside(json_file, csv_file, html)
    if paper == _LIST:
        found = papers.papers()
        out.print(view.papers(found))
        return
    if sum((table is not None, figure is not None, everything)) > 1:
        raise UserError("--table, --figure and --all exclude one another")
    only = f"Table {table}" if table is not None else f"Figure {figure}" if figure is not None else None
    rows = tidings.compare_with_paper(paper, only, kind=kind, long=long, progress=sys.stderr)
    out.print(view.table(rows))
    out.print("", view.totals(rows))
    write_results(json_file, rows.as_json(), csv_file, rows)
    if html is not None:
        write_text(html, view.page(papers.paper(paper), rows))
