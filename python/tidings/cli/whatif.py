# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings whatif``."""

import sys
from typing import Annotated

import typer

import tidings
from tidings.cli.options import CsvFile, JsonFile, MachineOption, Profile, choice, names
from tidings.cli.output import console_beside, write_results
from tidings.report import whatif
from tidings.runtime.run import COLLECTIVES, COMPUTE


def whatif_command(
    program: Annotated[
        list[str], typer.Argument(metavar="PROGRAM", help="The MPI program and its arguments, passed on untouched.")
    ],
    ranks: Annotated[int, typer.Option("--ranks", "-n", metavar="N", help="Number of ranks.")],
    machine: MachineOption,
    change: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help=f"What to change: {', '.join(whatif.QUESTIONS)}; all without it."),
    ] = None,
    collectives: Annotated[
        str | None,
        typer.Option(
            **choice(COLLECTIVES),
            show_default=False,
            help="Who carries out collectives on the machine as it is. Without it, hardware, or software with a "
            "profile.",
        ),
    ] = None,
    profile: Profile = None,
    compute: Annotated[
        str, typer.Option(**choice(COMPUTE), help="What computation between calls costs, as for tidings run.")
    ] = "none",
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print what a run would gain on a better machine: each line is a run of its own.

    What the program prints is left out.

    For example:

    tidings whatif -n 8 -m spirit ./solver

    tidings whatif -n 64 -m spirit --change latency,software --json gains.json ./solver

    tidings whatif -n 16 -m tilepro64-2013 --profile nocmsg ./solver
    """
    rows = tidings.whatif(
        program,
        machine=machine,
        ranks=ranks,
        changes=names(change),
        collectives=collectives,
        profile=profile,
        compute=compute,
        progress=sys.stderr,
    )
    console_beside(json_file, csv_file).print(whatif.as_table(rows))
    write_results(json_file, rows.as_json(), csv_file, rows)
