# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench collectives``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.cli.fidelity import Fidelity
from tidings.cli.options import (
    CsvFile,
    JsonFile,
    MachineOption,
    at_least,
    choice,
    names,
    numbers,
    written_folder,
)
from tidings.cli.output import console_beside, write_results
from tidings.collectives import study, view
from tidings.collectives.measurement import ALL_WORDS, ELEMENTS, OPERATIONS, as_json
from tidings.errors import UserError


def bench_collectives(
    machine: MachineOption = "spirit",
    nodes: Annotated[
        str | None,
        typer.Option(
            "--nodes", "-n", metavar="N,...", help="Numbers of nodes. Without it, 2, 4, ... 64.", show_default=False
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            metavar="M,...", help="Words of a vector. Without it, 8, 256, 4096 and 65536.", show_default=False
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Vectors of 8, 16, ... 1048576 words (long).")] = False,
    operation: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help=f"{', '.join(OPERATIONS)}. Without it, all.", show_default=False),
    ] = None,
    tree: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help=f"{', '.join(study.NAMES)}. Without it, {', '.join(study.USUAL_NAMES)}.",
            show_default=False,
        ),
    ] = None,
    stream: Annotated[
        int, typer.Option(metavar="COUNT", **at_least(1), help="COUNT vectors one after the other: the sustained rate.")
    ] = 1,
    element: Annotated[str, typer.Option(**choice(ELEMENTS), help="What reductions sum.")] = "double",
    fidelity: Fidelity = "cycle",
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
    out: Annotated[
        Path | None, written_folder("collectives.json, collectives.csv and a plot per operation as SVG")
    ] = None,
) -> None:
    """Print how many cycles collectives take in the engines, without ranks and software, beside the best possible.

    Cycles are counted from the register write that starts the engines, on all nodes in the same cycle, to the
    completion of the last one; every node's memory is compared with what must be there. The bound is that of the
    machine: the way to the farthest node, sums on it, and a word per cycle. The second bound is that of the tree.
    docs/collectives.md explains trees and bounds.

    For example:

    tidings bench collectives -m spirit --out build/collectives

    tidings bench collectives -m spirit -n 64 --words 4096 --operation broadcast,reduce --tree gray,chain

    tidings bench collectives -m spirit -n 64 --words 4096 --stream 16

    tidings bench collectives -m mesh8x8 -n 16,64 --tree dimension --all --json mesh.json
    """
    if everything and words is not None:
        message = "--all is all numbers of words: leave --words out"
        raise UserError(message)
    found = tidings.bench_collectives(
        machine,
        operations=names(operation),
        trees=names(tree),
        nodes=numbers("--nodes", nodes),
        words=ALL_WORDS if everything else numbers("--words", words),
        vectors=stream,
        element=element,
        fidelity=fidelity,
        progress=sys.stderr,
    )
    console = console_beside(json_file, csv_file)
    for part in view.tables(found):
        console.print(part)
    write_results(json_file, as_json(found), csv_file, found)
    if out is not None:
        study.write_folder(found, out)
