# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings machine check``."""

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

import tidings
from tidings.analyze import deadlock
from tidings.cli.options import CsvFile, JsonFile, at_least, choice, written_file
from tidings.cli.output import STANDARD_OUTPUT, counted, write_json, write_results
from tidings.errors import UserError
from tidings.machines.file import find_machine, load_machine, warnings_of
from tidings.report.frames import frame_of

if TYPE_CHECKING:
    import pandas as pd


def machine_check(
    machine: Annotated[
        str | None,
        typer.Argument(metavar="MACHINE", help="Name of a shipped machine, or path of a file.", show_default=False),
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option("--ranks", "-n", metavar="N", **at_least(1), help="Cut the machine as a run of N ranks does."),
    ] = None,
    no_dateline: Annotated[
        bool, typer.Option("--no-dateline", help="Leave the dateline channels of wrap-around links out: what if?")
    ] = False,
    routes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Static routes to check, as TOML; without, trees of all kinds at once.",
        ),
    ] = None,
    without: Annotated[
        str | None,
        typer.Option(**choice(deadlock.RULES), help="Leave a rule of static routes out: what if?", show_default=False),
    ] = None,
    proof: Annotated[
        Path | None,
        written_file("--proof", text="Write the proof as JSON: every channel with its number, and all dependencies."),
    ] = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
    random: Annotated[
        int | None,
        typer.Option("--random", metavar="COUNT", **at_least(1), help="Check COUNT random machines."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", **at_least(0), help="Seed of --random.")] = 1,
) -> None:
    """Check a machine file: its values, and that its network cannot deadlock.

    The channel dependency graph is built from the routers' own routing, for every pair of routers. The exit status is 0
    if the machine can be used, 1 if it can deadlock and 2 if its file is wrong.

    For example:

    tidings machine check ./mine.toml

    tidings machine check spirit --proof spirit-proof.json

    tidings machine check spirit --no-dateline    (shows the cycle that the dateline channels break)

    tidings machine check spirit --without room    (shows how two trees could wait for each other)

    tidings machine check --random 1000 --seed 7
    """
    if (machine is None) == (random is None):
        message = "name a machine, or give --random COUNT (one of the two)"
        raise UserError(message)
    if machine is None:
        status = _check_random_machines(random or 0, seed, json_file, csv_file)
    else:
        status = _check_machine(find_machine(machine), ranks, no_dateline, routes, without, proof, json_file, csv_file)
    raise typer.Exit(status)


def _check_machine(
    path: Path,
    ranks: int | None,
    no_dateline: bool,
    routes: Path | None,
    without: str | None,
    proof: Path | None,
    json_file: Path | None,
    csv_file: Path | None,
) -> int:
    loaded = load_machine(path)
    for warning in warnings_of(loaded):
        print(f"warning: {path}: {warning}", file=sys.stderr)
    given = None if routes is None else deadlock.load_routes(routes)
    result = tidings.check_machine(loaded, ranks, dateline=not no_dateline, routes=given, without=without)
    if proof is not None:
        write_json(proof, deadlock.proof(loaded, ranks))
    out = sys.stdout if STANDARD_OUTPUT not in (json_file, csv_file) else sys.stderr
    verdict = "can be used" if result.acyclic else "CANNOT BE USED"
    print(f"{path}: {loaded.name}, a machine of {counted(loaded.slots, 'slot')}, {verdict}", file=out)
    print(
        f"channel dependency graph: {counted(result.channels, 'channel')}, "
        f"{counted(result.dependencies, 'dependency', 'dependencies')}, {counted(result.routes, 'route')} "
        f"of at most {counted(result.longest_route, 'hop')}"
        + ("" if loaded.topology.kind == "graph" else ", all shortest"),
        file=out,
    )
    if loaded.router.routes:
        entries = "" if given is None else counted(len(given), "entry", "entries")
        trees = "trees of all kinds at once" if given is None else f"{entries} of {routes}"
        print(f"static routes: {trees}" + (f", without the rule of {without}" if without else ""), file=out)
    if result.acyclic:
        chain = counted(result.longest_chain, "channel")
        print(f"free of deadlock: no cycle; the longest chain has {chain}", file=out)
        if loaded.stream.network == "own":
            print(
                "network of stream: one channel, in which packets wait for room; it is free of deadlock if all senders "
                f"to a slot together have {loaded.stream.store_words} credits at most. "
                "With more, software that sends before it reads can make it stand still",
                file=out,
            )
    else:
        print("CAN DEADLOCK: each of these channels can wait for the next, and the last for the first:", file=out)
        for channel in result.cycle:
            print(f"  {channel}", file=out)
    figures = {"machine": loaded.name, "dateline": not no_dateline, "without": without, "acyclic": result.acyclic}
    figures |= dataclasses.asdict(result)
    write_results(json_file, figures, csv_file, lambda: _frame(figures))
    return 0 if result.acyclic else 1


def _frame(figures: Mapping[str, Any]) -> "pd.DataFrame":
    """Return the figures as a table of one line; channels of a cycle have semicolons between them."""
    cycle = figures.get("cycle", ())
    return frame_of([{**figures, "cycle": "; ".join(map(str, cycle))}])


def _check_random_machines(count: int, seed: int, json_file: Path | None, csv_file: Path | None) -> int:
    console = Console(stderr=True)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(f"{count:,} machines, seed {seed}", total=count)
        result = deadlock.check_random(count, seed, lambda done: progress.update(task, completed=done))
    out = sys.stdout if STANDARD_OUTPUT not in (json_file, csv_file) else sys.stderr
    print(
        f"{result.machines:,} random machines (seed {seed}), {result.channels:,} channels, "
        f"{result.dependencies:,} dependencies: {result.machines - len(result.cyclic):,} free of deadlock, "
        f"{len(result.cyclic):,} rejected",
        file=out,
    )
    for machine, check in result.cyclic:
        print(f"rejected: {machine.topology}", file=out)
        for channel in check.cycle:
            print(f"  {channel}", file=out)
    figures = {"machines": result.machines, "seed": seed, "channels": result.channels}
    figures |= {"dependencies": result.dependencies, "rejected": len(result.cyclic)}
    write_results(json_file, figures, csv_file, lambda: _frame(figures))
    return 1 if result.cyclic else 0
