# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench links``."""

from typing import Annotated

import typer

import tidings
from tidings.bench import links
from tidings.cli.options import CsvFile, JsonFile, at_least
from tidings.cli.output import console_beside, write_results


def bench_links(
    machine: Annotated[
        str, typer.Option("--machine", "-m", metavar="MACHINE", help="Machine whose links and buffers are taken.")
    ] = "spirit",
    cycles: Annotated[int, typer.Option(metavar="C", **at_least(1), help="Fabric cycles per line.")] = 200_000,
    seed: Annotated[int, typer.Option(metavar="N", **at_least(0), help="Seed of traffic and errors.")] = 1,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print what bit errors cost on a link that loses nothing: throughput, latency, frames sent again.

    Two routers send to each other over one link, at full load and at a tenth of it. Throughput is in flits per cycle
    and direction, latency in cycles from output to input.

    For example:

    tidings bench links -m spirit --json links.json
    """
    costs = tidings.bench_links(machine, cycles=cycles, seed=seed)
    console_beside(json_file, csv_file).print(links.as_table(costs))
    write_results(json_file, costs.as_json(), csv_file, costs)
