# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench traffic``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.cli.options import CsvFile, JsonFile, MachineOption, at_least, choice, numbers, written_folder
from tidings.cli.output import console_beside, write_results
from tidings.errors import UserError
from tidings.traffic import study
from tidings.traffic.measurement import PATTERNS, as_json, parse_loads, parse_size


def bench_traffic(
    machine: MachineOption,
    pattern: Annotated[
        str, typer.Option(**choice(PATTERNS) | {"metavar": "NAME"}, help=f"Who sends to whom: {', '.join(PATTERNS)}.")
    ] = "uniform",
    load: Annotated[
        str | None,
        typer.Option(
            metavar="F[,F...]|FIRST:LAST:STEP",
            help="Offered load in flits per endpoint per cycle. Without it, the curve up to saturation and beyond.",
            show_default=False,
        ),
    ] = None,
    packet: Annotated[int, typer.Option(metavar="FLITS", **at_least(1), help="Length of a packet.")] = 1,
    size: Annotated[
        str | None,
        typer.Option(metavar="8x8", help="Routers in each dimension, instead of the machine's.", show_default=False),
    ] = None,
    topology: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="How routers are joined, instead of the machine's.", show_default=False),
    ] = None,
    slots: Annotated[
        int | None,
        typer.Option(
            metavar="N", **at_least(1), help="Endpoints per router, instead of the machine's.", show_default=False
        ),
    ] = None,
    vcs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Virtual channels of a link: 1 to 4; 2 or 4 on wrapped dimensions. Without it, the fewest.",
            show_default=False,
        ),
    ] = None,
    buffer: Annotated[
        int | None,
        typer.Option(
            metavar="FLITS",
            **at_least(1),
            help="Buffer of a virtual channel, instead of the machine's.",
            show_default=False,
        ),
    ] = None,
    latency: Annotated[
        int | None,
        typer.Option(
            metavar="CYCLES", **at_least(1), help="Latency of a link, instead of the machine's.", show_default=False
        ),
    ] = None,
    hot: Annotated[
        str | None,
        typer.Option(metavar="K,...", help="Hot endpoints. Without it, the router in the middle.", show_default=False),
    ] = None,
    hot_share: Annotated[
        float, typer.Option(metavar="F", help="Share of the packets that go to them; unbalanced: to the sender.")
    ] = 0.1,
    burst: Annotated[
        int,
        typer.Option(
            metavar="N", **at_least(1), help="Packets that an endpoint creates at once, all for one destination."
        ),
    ] = 1,
    seed: Annotated[int, typer.Option(metavar="N", **at_least(0), help="Start of the random numbers.")] = 1,
    threads: Annotated[
        int,
        typer.Option(
            metavar="N",
            **at_least(1),
            help="Simulate the network in N threads; results do not depend on it. It pays if links have many cycles, "
            "packets are short, routers are many and cores are free.",
        ),
    ] = 1,
    warmup: Annotated[int, typer.Option(metavar="CYCLES", **at_least(0), help="Cycles before the measurement.")] = 5000,
    measure: Annotated[
        int, typer.Option(metavar="CYCLES", **at_least(1), help="Cycles whose packets are measured.")
    ] = 20000,
    drain: Annotated[
        int, typer.Option(metavar="CYCLES", **at_least(0), help="Most cycles until they have all arrived.")
    ] = 200_000,
    saturation: Annotated[
        bool | None,
        typer.Option(
            "--saturation/--no-saturation",
            help="Find the load up to which the machine keeps up. Without it, if --load is not a single number.",
            show_default=False,
        ),
    ] = None,
    exchange: Annotated[
        bool, typer.Option("--exchange", help="Time one packet from everyone to everyone else, all at once, instead.")
    ] = False,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
    out: Annotated[Path | None, written_folder("traffic.json, curve.csv, links.csv, curve.svg and links.svg")] = None,
) -> None:
    """Send synthetic traffic through a machine: latency and throughput of its network, without slots and programs.

    Every endpoint creates packets at random, whatever becomes of them. Packets created after the warm-up are measured,
    from creation, time in the source's queue included, to the arrival of the tail; the run lasts until all of them have
    arrived. A load is saturated if more and more packets wait. Beside it stand the bounds of the routes, and the
    latency of a packet that is alone in the machine.

    For example:

    tidings bench traffic -m mesh8x8 --packet 8 --out mesh8x8

    tidings bench traffic -m mesh8x8 --load 0.1 --pattern transpose --json transpose.json

    tidings bench traffic -m mesh8x8 --topology torus --size 4x4x4 --load 0.05:0.5:0.05

    tidings bench traffic -m mesh8x8 --packet 4 --exchange

    tidings bench traffic -m spirit --size 8x8x8 --packet 8 --threads 2 --csv curve.csv
    """
    if exchange and (csv_file is not None or out is not None):
        message = "--exchange gives three figures and no curve: use --json"
        raise UserError(message)
    changes = {
        "topology.kind": topology,
        "topology.size": None if size is None else parse_size(size),
        "topology.slots": slots,
        "router.buffer_flits": buffer,
        "link.latency_cycles": latency,
    }
    found = tidings.bench_traffic(
        tidings.machine(machine, {key: value for key, value in changes.items() if value is not None}),
        pattern=pattern,
        loads=None if load is None else parse_loads(load),
        packet_flits=packet,
        burst_packets=burst,
        vcs=vcs,
        hot_endpoints=numbers("--hot", hot),
        hot_share=hot_share,
        seed=seed,
        threads=threads,
        warmup_cycles=warmup,
        measure_cycles=measure,
        drain_cycles=drain,
        saturation=saturation,
        exchange=exchange,
        progress=sys.stderr,
    )
    console = console_beside(json_file, csv_file)
    for part in study.tables(found):
        console.print(part)
    write_results(json_file, as_json(found), csv_file, lambda: found.curve)
    if out is not None and found.points:
        study.write_folder(found, out)
