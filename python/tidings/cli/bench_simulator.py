# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench simulator``."""

import sys
from typing import Annotated

import typer

import tidings
from tidings.bench import simulator
from tidings.cli.fidelity import Fidelity
from tidings.cli.options import Against, CsvFile, JsonFile, Repeat, at_least
from tidings.cli.output import console_beside, write_results


def bench_simulator(
    machines: Annotated[
        list[str] | None,
        typer.Option(
            "--machine",
            "-m",
            metavar="MACHINE",
            help="Machine to simulate; may be given again. Without it, four networks and spirit.",
            show_default=False,
        ),
    ] = None,
    fidelity: Fidelity = "cycle",
    cycles: Annotated[
        int | None,
        typer.Option(
            metavar="C",
            **at_least(1),
            help="Fabric cycles per load. Without it, about a second per network, and 5000 cycles per machine.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            **at_least(1),
            help="Compare 1 to N threads, by the cycle model: two networks with long links and the machines.",
            show_default=False,
        ),
    ] = None,
    against: Against = None,
    repeat: Repeat = 3,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print how fast machines are simulated: no processes, no idle time to jump over.

    Networks carry uniform random traffic between endpoints that only send and receive: meshes of 1 virtual channel, a
    torus of 2, buffers of 8 flits, by the cycle model. Machines have all their engines at work, every slot all the
    time: PUTs of 4 KiB to the next rank, PUTs of 1 KiB to random ranks, sums of 512 doubles.

    Each is measured once, or --repeat times with --threads or --against. Two networks have targets, which are those of
    another computer. With --against, the last column says how much better a target is than the commit with which it
    was set: that holds on any computer.

    With --threads, each is simulated in 1, 2, ... N threads, and the ratio is that of speeds, to one thread. Networks
    are then tori with links of 80 cycles and buffers of 256 flits: threads pay if links have many cycles and each
    thread has a core of its own.

    For example:

    tidings bench simulator

    tidings bench simulator -m spirit -m mesh8x8 --fidelity rtl --cycles 20000 --json speeds.json

    tidings bench simulator --threads 4 --json threads.json

    tidings bench simulator --threads 2 -m spirit --cycles 50000 --repeat 10

    tidings bench simulator --against ../tidings-before --repeat 5
    """
    speeds = tidings.bench_simulator(
        machines,
        fidelity=fidelity,
        cycles=cycles,
        threads=threads,
        against=against,
        repeat=repeat,
        progress=sys.stderr,
    )
    out = console_beside(json_file, csv_file)
    out.print(simulator.as_table(speeds))
    for remark in simulator.remarks(speeds):
        out.print(remark, soft_wrap=True)
    write_results(json_file, speeds.as_json(), csv_file, speeds)
