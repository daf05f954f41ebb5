# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench osu``."""

import sys
from typing import Annotated

import typer

import tidings
from tidings.bench import osu
from tidings.cli.fidelity import Fidelity
from tidings.cli.options import CsvFile, JsonFile, MachineOption, Profile, at_least, choice, names
from tidings.cli.output import console_beside, write_results
from tidings.errors import UserError
from tidings.machines.file import find_machine, load_machine
from tidings.runtime.run import COLLECTIVES, IDEAL


def bench_osu(
    machine: MachineOption = "spirit",
    ranks: Annotated[
        int | None,
        typer.Option(
            "--ranks",
            "-n",
            metavar="N",
            help=f"Number of ranks. Without it, {osu.RANKS}, or all slots if there are fewer.",
            show_default=False,
        ),
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Benchmarks, or families of them: point-to-point, collective, nonblocking collective, one-sided. "
            "Without it, all.",
            show_default=False,
        ),
    ] = None,
    sizes: Annotated[
        str,
        typer.Option(
            "--bytes", metavar="FIRST:LAST", help="Least and most bytes of a message, a vector, or the block of a rank."
        ),
    ] = f"1:{osu.MOST_BYTES}",
    iterations: Annotated[
        int, typer.Option(metavar="COUNT", **at_least(1), help="Repetitions of each, after one that does not count.")
    ] = osu.ITERATIONS,
    collectives: Annotated[
        str | None,
        typer.Option(
            **choice((*COLLECTIVES, IDEAL)),
            show_default=False,
            help="What carries out collectives, as in tidings run. Without it, hardware, or software with a profile.",
        ),
    ] = None,
    profile: Profile = None,
    fidelity: Fidelity = "cycle",
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print latency, bandwidth, message rate and the times of collectives and one-sided accesses in virtual time.

    Benchmarks have the names that OSU's have, and measure the same: MPI is in every figure. Beside them stands what
    links and routers allow at best, without any software. docs/osu.md explains the columns.

    For example:

    tidings bench osu -m spirit --benchmark latency,bw,bibw

    tidings bench osu -m spirit -n 64 --benchmark allreduce,iallreduce --bytes 4:4096

    tidings bench osu -m mesh8x8 -n 16 --benchmark one-sided --csv rma.csv

    tidings bench osu -m spirit -n 16 --benchmark collective --collectives software --json software.json

    tidings bench osu -m tilepro64-2013 -n 16 --benchmark latency,barrier --profile nocmsg
    """
    first, colon, last = sizes.partition(":")
    if not (colon and first.isdecimal() and last.isdecimal()):
        message = f"--bytes {sizes}: write it as 1:65536"
        raise UserError(message)
    rows = tidings.bench_osu(
        machine,
        benchmarks=names(benchmark),
        ranks=ranks,
        least_bytes=int(first),
        most_bytes=int(last),
        iterations=iterations,
        collectives=collectives,
        profile=profile,
        fidelity=fidelity,
        progress=sys.stderr,
    )
    console_beside(json_file, csv_file).print(osu.as_tables(rows, load_machine(find_machine(machine))))
    write_results(json_file, rows.as_json(), csv_file, rows)
