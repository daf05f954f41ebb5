# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench library``."""

from typing import Annotated

import typer

import tidings
from tidings.bench import library
from tidings.cli.options import CsvFile, JsonFile
from tidings.cli.output import console_beside, write_csv, write_json


def bench_library(
    machine: Annotated[
        str, typer.Option("--machine", "-m", metavar="MACHINE", help="Machine that the program runs on.")
    ] = "spirit",
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Count the instructions that calls of the MPI library execute, with valgrind's callgrind.

    Two ranks make each call a few times, and then once while it is counted: x86-64 instructions of the library and
    the driver, and of the C library below them. Bus accesses and waits are the platform's, and stand beside.

    For example:

    tidings bench library --json library.json
    """
    costs = tidings.bench_library(machine)
    console_beside(json_file, csv_file).print(library.as_table(costs))
    write_json(json_file, costs.as_json())
    write_csv(csv_file, costs)
