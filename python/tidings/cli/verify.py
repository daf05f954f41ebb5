# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings verify``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.cli.options import CsvFile, JsonFile, at_least, written_file
from tidings.cli.output import console_beside, write_results
from tidings.verify import campaign, comparison, session
from tidings.verify.waves import time_of


def verify_command(
    machine: Annotated[
        str | None, typer.Option("--machine", "-m", help="A machine, as it is. Without it machines are drawn.")
    ] = None,
    count: Annotated[
        int, typer.Option("--random", **at_least(1), help="Machines to draw, or scripts on the one named.")
    ] = 30,
    seed: Annotated[int, typer.Option(**at_least(0), help="Of machines and traffic.")] = 1,
    hops: Annotated[
        int | None,
        typer.Option(**at_least(0), help="Flit-hops to compare, at least; 1,000,000 if not given.", show_default=False),
    ] = None,
    kinds: Annotated[int, typer.Option("--node-kinds", **at_least(1), help="Sets of node parameters to compile.")] = 3,
    shrink_seconds: Annotated[float, typer.Option(min=0, help="Time for making a failure smaller.")] = 60.0,
    out: Annotated[
        Path,
        written_file("--out", text="Where a failure is written to; its waveforms go beside it.", default=True),
    ] = Path("tidings-verify.json"),
    waves: Annotated[
        bool,
        typer.Option("--waves/--no-waves", help="Waveforms of a failure; its node is compiled once more for them."),
    ] = True,
    replay: Annotated[Path | None, typer.Option(help="Run such a failure again.", show_default=False)] = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Compare the RTL and the cycle model in every cycle.

    Draws machines and traffic, gives both sides the same, and compares every bus read, interrupt, flit and credit in
    every cycle, and memory in the end. A difference, or a machine that does not come to its end, is made small and
    written to a file, with the waveforms of both sides beside it. Exit status 1 says that there was one.

    For example:

    tidings verify

    tidings verify --random 100 --seed 7 --node-kinds 10 --json verified.json

    tidings verify -m spirit --random 3

    tidings verify --replay tidings-verify.json
    """
    if replay is not None:
        failure = session.replay(replay)
        print(failure.finding if failure else "no difference")
        if failure is not None and waves:
            _write_waves(failure, replay)
        raise typer.Exit(1 if failure else 0)
    found = tidings.verify_machines(machine, count=count, seed=seed, hops=hops, node_kinds=kinds, progress=sys.stderr)
    console_beside(json_file, csv_file).print(campaign.as_table(found.totals, found.machines))
    files: tuple[Path, ...] = ()
    if found.failure is not None:
        before = found.failure
        print(f"failure: {before.finding}\nmaking it smaller, {shrink_seconds:g} s at most", file=sys.stderr)
        found = found.shrunk(shrink_seconds)
        small = found.failure or before
        comparison.write(out, small.case)
        print(
            f"smallest: {small.finding}\n{small.case.size}; before: {before.case.size}\n"
            f"written to {out}; run it again with: tidings verify --replay {out}",
            file=sys.stderr,
        )
        if waves:
            files = _write_waves(small, out)
    elif found.missing:
        print(f"equal; not seen in so few machines (--random): {', '.join(found.missing)}", file=sys.stderr)
    write_results(
        json_file, found.as_json() | ({"waves": [str(path) for path in files]} if files else {}), csv_file, found
    )
    raise typer.Exit(0 if found.equal else 1)


def _write_waves(failure: comparison.Failure, base: Path) -> tuple[Path, Path]:
    """Write the waveforms of a failure beside its file, and say where they are."""
    print("running it again for waveforms (--no-waves leaves them out)", file=sys.stderr)
    rtl, cycle = session.record_waves(failure, base)
    finding = failure.finding
    print(
        f"waveforms of node {finding.node}: {rtl} (RTL) and {cycle} (cycle model); "
        f"cycle {finding.cycle} begins at {time_of(failure.case, finding.cycle)} ps",
        file=sys.stderr,
    )
    return rtl, cycle
