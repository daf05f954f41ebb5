# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings algorithms``."""

from typing import Annotated

import typer

import tidings
from tidings import _core
from tidings.cli.options import CsvFile, JsonFile
from tidings.cli.output import console_beside, write_results
from tidings.collectives import view


def algorithms_command(
    table: Annotated[
        bool, typer.Option("--table", help="Print the built-in table that chooses among them, and nothing else.")
    ] = False,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """List the algorithms of the library's collectives.

    A program uses those that the built-in table chooses, or that `tidings run --algorithm` or a communicator's info
    key tidings_algorithms names.

    For example:

    tidings algorithms

    tidings algorithms --table > my.table
    """
    if table:
        print(_core.BUILT_IN_ALGORITHM_TABLE, end="")
        return
    found = tidings.list_algorithms()
    console_beside(json_file, csv_file).print(view.algorithms())
    write_results(json_file, found.to_dict("records"), csv_file, lambda: found)
