# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench library``."""

from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.bench import core_counts, library
from tidings.cli.options import CsvFile, JsonFile
from tidings.cli.output import console_beside, write_results
from tidings.errors import UserError


def bench_library(
    machine: Annotated[
        str, typer.Option("--machine", "-m", metavar="MACHINE", help="Machine that the program runs on.")
    ] = "spirit",
    image: Annotated[
        Path | None,
        typer.Option(metavar="IMAGE", help="Count on an emulated soft core; make rv32-counted builds the image."),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="With --image: machines charge from now on what has been counted.")
    ] = False,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Count the instructions that calls of the MPI library execute.

    Two ranks make each call a few times, and then once while it is counted. Without an image, valgrind's callgrind
    counts x86-64 instructions of the library and the driver, and of the C library below them. Bus accesses and waits
    are the platform's, and stand beside. With an image, a RISC-V core of 32 bits is emulated for each rank, and what
    machines charge for a call stands beside.

    For example:

    tidings bench library --json library.json
    """
    if image is not None:
        on_core = tidings.bench_soft_core(image, machine, update=update)
        console_beside(json_file, csv_file).print(core_counts.as_table(on_core))
        write_results(json_file, on_core.as_json(), csv_file, on_core)
        return
    if update:
        message = "--update needs --image: machines charge instructions of a soft core"
        raise UserError(message)
    costs = tidings.bench_library(machine)
    console_beside(json_file, csv_file).print(library.as_table(costs))
    write_results(json_file, costs.as_json(), csv_file, costs)
