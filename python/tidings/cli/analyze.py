# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings analyze``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.analyze import contention, view
from tidings.analyze.word_schedules import LIMIT_SECONDS
from tidings.cli.options import MACHINE_VARIABLE, CsvFile, JsonFile, at_least, written_file
from tidings.cli.output import console_beside, write_results, write_text
from tidings.errors import UserError
from tidings.report.frames import values_of

#: Sides of the square meshes whose schedules are listed.
_SIDES = range(2, 17)


def analyze_command(
    collective: Annotated[str, typer.Argument(metavar="COLLECTIVE", help="As `tidings algorithms` lists them.")],
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            "-m",
            metavar="MACHINE",
            envvar=MACHINE_VARIABLE,
            help="Name of a shipped machine, or path of a file.",
            show_default=False,
        ),
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option("-n", metavar="N", **at_least(1), help="Ranks. Without it, all slots.", show_default=False),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Show the steps of this algorithm. Without it, compare all.", show_default=False
        ),
    ] = None,
    words: Annotated[int, typer.Option(metavar="M", **at_least(0), help="Words of the vector or of one block.")] = 1,
    limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, max=1e6, help="Processor time for the search of one schedule of words."),
    ] = LIMIT_SECONDS,
    rectangles: Annotated[
        bool, typer.Option("--rectangles", help="List schedules of words on all meshes, not only on squares.")
    ] = False,
    tori: Annotated[
        bool, typer.Option("--tori", help="List schedules of words on rings and square tori, not on meshes.")
    ] = False,
    svg: Annotated[
        Path | None,
        written_file("--svg", metavar="FILE.svg", text="Draw the machine with the links of each step, animated."),
    ] = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Show where the messages of a collective meet: loads and conflicts of links in each step, and the bound.

    The schedules are the library's. A step is over when all its messages have arrived; messages that only
    synchronize take no step.

    `alltoall --algorithm scheduled` without a machine lists schedules for switches that forward words in an order,
    on meshes of 2x2 to 16x16 routers. Those that are found are kept. With `--rectangles`, sides have all
    lengths from 1 to 16; meshes turned by 90 degrees are alike. With `--tori`, the routers are rings and tori
    of these sides. A mesh whose search takes longer than `--limit` has one that takes a little longer than
    the bound.

    For example:

    tidings analyze alltoall -m mesh8x8

    tidings analyze alltoall -m mesh8x8 --algorithm rounds-latin --svg rounds.svg
    """
    out = console_beside(json_file, csv_file, svg)
    if machine is None:
        if (collective, algorithm) != ("alltoall", contention.SCHEDULED):
            raise UserError("which machine? -m names it, as in tidings analyze alltoall -m mesh8x8")
        meshes = [(side, side) for side in _SIDES]
        if rectangles:
            meshes = [(width, height) for width in _SIDES for height in range(1, width + 1)]
        if tori:
            meshes = [(side, 1) for side in _SIDES[1:]] + [(side, side) for side in _SIDES[1:]]
        lengths = tidings.word_schedules(meshes, closed=tori, limit=limit, progress=sys.stderr)
        out.print(view.lengths(lengths, closed=tori))
        write_results(json_file, lengths.as_json(), csv_file, lengths)
        return
    if algorithm is None:
        if svg is not None:
            raise UserError("--svg draws the steps of one algorithm: name it with --algorithm")
        found, left_out = tidings.compare_algorithms(collective, machine=machine, ranks=ranks, words=words)
        out.print(view.comparison(collective, found, left_out))
        write_results(json_file, found.as_json(), csv_file, found)
        return
    analysis = tidings.analyze_collective(collective, algorithm, machine=machine, ranks=ranks, words=words, limit=limit)
    for part in view.details(analysis):
        out.print(part)
    values = values_of(contention.summary(analysis)) | {"loads": analysis.steps.as_json()}
    write_results(json_file, values, csv_file, analysis.steps)
    if svg is not None:
        from tidings.analyze import picture

        write_text(svg, picture.svg(analysis))
