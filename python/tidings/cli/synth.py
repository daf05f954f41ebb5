# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings synth``."""

from typing import Annotated

import typer

import tidings
from tidings.cli.options import CsvFile, JsonFile, at_least, choice
from tidings.cli.output import console_beside, write_results
from tidings.errors import UserError
from tidings.synth import silicon, synthesis
from tidings.synth.synthesis import FAMILIES


def synth_command(
    design: Annotated[
        str | None,
        typer.Argument(metavar="MODULE|MACHINE", help="A module of rtl/, or a machine, which stands for its node."),
    ] = None,
    targets: Annotated[
        list[str],
        typer.Option("--target", "-t", **choice(FAMILIES), help="Family of FPGAs; may be given again."),
    ] = ["ecp5"],  # noqa: B006
    parameters: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-P", metavar="NAME=VALUE", help="A parameter of the module; may be given again."),
    ] = None,
    parts: Annotated[
        list[str] | None,
        typer.Option(
            "--part", metavar="MODULE", help="Map this module in it once for all its instances; may be given again."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", **at_least(1), help="Where place and route starts (ECP5).")] = 1,
    seeds: Annotated[
        int,
        typer.Option(
            metavar="N", **at_least(1), help="Place and route from N seeds, --seed and those after it: the median Fmax."
        ),
    ] = 1,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
    table: Annotated[
        str | None,
        typer.Option("--table", **choice(silicon.TABLES), help="Print a table of docs/silicon.md, as Markdown."),
    ] = None,
) -> None:
    """Print what a module or the node of a machine costs on an FPGA, and on ECP5 how fast it runs.

    LUTs, flip-flops, block RAMs (18 Kbit) and DSPs after synthesis; on ECP5 also Fmax after place and route on the
    fastest speed grade, from register to register with a register at every port. Results are kept and found again as
    long as sources and tools are the same. Without -P, router is one of 5 ports, 1 virtual channel and 8 flits per
    buffer; other modules have the defaults of their source.

    For example:

    tidings synth router

    tidings synth router -P NumClasses=2 -P BufferFlits=16 --target xc7

    tidings synth router --seeds 9

    tidings synth crosspoint_router -P NumSlots=16 --part voq_port --part crosspoint_output

    tidings synth spirit --target ecp5 --target xc4v --json spirit.json

    tidings synth --table ecp5
    """
    if table is not None:
        print(silicon.table(table))
        return
    if design is None:
        message = "name a module or a machine, as in: tidings synth router"
        raise UserError(message)
    given = synthesis.parse_parameters(parameters or [])
    results = tidings.synthesize(design, targets, parameters=given, parts=parts or (), seed=seed, seeds=seeds)
    console = console_beside(json_file, csv_file)
    console.print(synthesis.as_table(results))
    if used := results[0].parameters:
        console.print(f"{results[0].module} with " + ", ".join(f"{key}={value}" for key, value in used.items()))
    write_results(
        json_file,
        results.as_json(),
        csv_file,
        lambda: results.frame.drop(columns=["parameters", "cells", "critical_path"]),
    )
