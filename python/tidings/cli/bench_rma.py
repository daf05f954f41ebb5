# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench rma``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.cli.fidelity import Fidelity
from tidings.cli.options import CsvFile, JsonFile, MachineOption, at_least, numbers, written_folder
from tidings.cli.output import console_beside, write_results
from tidings.rma import study, view
from tidings.rma.measurement import as_json


def bench_rma(
    machine: MachineOption = "crossbar",
    slots: Annotated[
        str | None,
        typer.Option(
            "--slots",
            "-n",
            metavar="P,...",
            help="Slots of barriers and total exchanges. Without it, 2, 4, ... 32.",
            show_default=False,
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(metavar="N,...", help="Words of a PUT or GET. Without it, the paper's.", show_default=False),
    ] = None,
    exchange: Annotated[
        str | None,
        typer.Option(
            metavar="H,...", help="Words of a block of total exchanges. Without it, 1, 2, ... 1024.", show_default=False
        ),
    ] = None,
    memory_latency: Annotated[
        int | None,
        typer.Option(
            metavar="CYCLES",
            **at_least(1),
            help="Latency of node memory, instead of the machine's. The paper's is 1.",
            show_default=False,
        ),
    ] = None,
    fidelity: Fidelity = "cycle",
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
    out: Annotated[Path | None, written_folder("rma.json, rma.csv and exchange.svg")] = None,
) -> None:
    """Print how many cycles PUTs, GETs and barriers take in the engines, without software, beside Ziavras 2006.

    Cycles are counted from the register write of the command: of PUT, GET and fetch-and-add to the last memory write,
    of the others until all slots have met. Every word of every memory is compared with what must be there. The floor
    is what registered module boundaries and a flit per cycle allow, the target what Tidings wants to need at most.
    docs/rma.md explains both.

    For example:

    tidings bench rma --memory-latency 1 --out build/rma

    tidings bench rma -m mesh8x8 -n 2,16 --words 1,62 --exchange 1,1024

    tidings bench rma -n 2 --exchange 1,16 --fidelity rtl --csv -
    """
    changes = {} if memory_latency is None else {"memory.latency_cycles": memory_latency}
    found = tidings.bench_rma(
        tidings.machine(machine, changes),
        slots=numbers("--slots", slots),
        words=numbers("--words", words),
        exchange=numbers("--exchange", exchange),
        fidelity=fidelity,
        progress=sys.stderr,
    )
    console = console_beside(json_file, csv_file)
    for part in view.tables(found):
        console.print(part)
    write_results(json_file, as_json(found), csv_file, found)
    if out is not None:
        study.write_folder(found, out)
