# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The command ``tidings``."""

import dataclasses
import json
import os
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from tidings import __version__, compiler, doctor, machine_view
from tidings.errors import UserError
from tidings.machine_file import Machine, find_machine, load_machine, warnings_of

if TYPE_CHECKING:
    from tidings import verify_case

app = typer.Typer(
    name="tidings",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
machine_app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(machine_app, name="machine", help="List, show and check machines.")
bench_app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(bench_app, name="bench", help="Measure, and print what was measured.")

#: Wrapped compilers take every option for themselves, and `-h` may be one of theirs.
_PASS_EVERYTHING = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": ["--help"]}

CompilerArguments = Annotated[
    list[str] | None, typer.Argument(help="Arguments of the compiler, untouched.", show_default=False)
]
MachineArgument = Annotated[
    str, typer.Argument(metavar="MACHINE", help="Name of a shipped machine, or path of a file.")
]


class Collectives(StrEnum):
    """Who carries out collective operations."""

    hardware = "hardware"
    software = "software"


class Fidelity(StrEnum):
    """How a machine is simulated."""

    cycle = "cycle"
    rtl = "rtl"


class Compute(StrEnum):
    """What a rank's own computation costs."""

    none = "none"
    measured = "measured"


class Element(StrEnum):
    """What a reduction sums."""

    int32 = "int32"
    int64 = "int64"
    float = "float"
    double = "double"


class Family(StrEnum):
    """A family of FPGAs."""

    ecp5 = "ecp5"
    xc7 = "xc7"
    xc4v = "xc4v"
    xc2v = "xc2v"


class TrafficPattern(StrEnum):
    """Who sends to whom."""

    uniform = "uniform"
    transpose = "transpose"
    bit_complement = "bit-complement"
    hotspot = "hotspot"
    neighbour = "neighbour"
    tornado = "tornado"
    alltoall = "alltoall"


def _console(*, stderr: bool = False) -> Console:
    """Return a console that is wide enough for tables where no terminal says how wide it is."""
    told = (sys.stderr if stderr else sys.stdout).isatty() or "COLUMNS" in os.environ
    return Console(stderr=stderr, width=None if told else 120, highlight=False)


def _numbers(option: str, text: str | None) -> tuple[int, ...]:
    """Read numbers with commas between them, each once and in rising order."""
    if text is None:
        return ()
    try:
        return tuple(sorted({int(number) for number in text.split(",")}))
    except ValueError:
        message = f"{option} {text}: give numbers with commas between them, such as 0,5"
        raise UserError(message) from None


def _names(text: str | None) -> tuple[str, ...]:
    """Read names with commas between them, each once."""
    return () if text is None else tuple(dict.fromkeys(text.split(",")))


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tidings {__version__}")
        raise typer.Exit


@app.callback()
def tidings(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Run unmodified MPI programs on simulated message-passing hardware.

    [bold]Examples[/bold]

    tidings cc -O2 hello.c -o hello

    tidings run -n 8 -m spirit ./hello

    tidings machine list
    """


@app.command(
    "run",
    no_args_is_help=True,
    context_settings={"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]},
)
def run_command(
    program: Annotated[
        list[str],
        typer.Argument(metavar="PROGRAM", help="The MPI program and its arguments, passed on untouched."),
    ],
    ranks: Annotated[int, typer.Option("--ranks", "-n", metavar="N", help="Number of ranks.")],
    machine: Annotated[
        str, typer.Option("--machine", "-m", metavar="MACHINE", help="Name of a shipped machine, or path of a file.")
    ],
    fidelity: Annotated[
        Fidelity,
        typer.Option(
            help="How the machine is simulated: by the cycle model, or by the SystemVerilog itself, which is compiled "
            "once a machine and slower. Virtual times are the same."
        ),
    ] = Fidelity.cycle,
    rtl_nodes: Annotated[
        str | None,
        typer.Option(
            metavar="K,...", help="At fidelity cycle: simulate these routers by the SystemVerilog.", show_default=False
        ),
    ] = None,
    threads: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Simulate the machine in so many threads; results do not depend on it. It pays where links have many "
            "cycles, routers are many and cores are free.",
        ),
    ] = 1,
    collectives: Annotated[
        Collectives,
        typer.Option(help="Let the engines carry out collectives, or the library by messages between ranks."),
    ] = Collectives.hardware,
    compute: Annotated[
        Compute,
        typer.Option(
            help="What computation between calls costs: nothing, so that two runs are equal to the picosecond, "
            "or the CPU time measured here times the machine's compute_scale."
        ),
    ] = Compute.none,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything that was found to a JSON file.")
    ] = None,
    wave_file: Annotated[
        Path | None, typer.Option("--wave", metavar="FILE.fst", help="Write waveforms of SystemVerilog nodes (slower).")
    ] = None,
    wave_node: Annotated[
        int | None, typer.Option(metavar="K", help="Write the waveforms of router K only.", show_default=False)
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="End the run with an error after S seconds of virtual time.", show_default=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no table.")] = False,
) -> None:
    """Run an MPI program on a machine, one process a rank, in virtual time.

    What the program writes goes where it would go anyway; the table at the end goes to standard error. The exit status
    is the program's.

    [bold]Examples[/bold]

    tidings run -n 8 -m spirit ./hello

    tidings run -n 16 -m crossbar --collectives software --json run.json ./solver --size 100

    tidings run -n 4 -m mesh8x8 --rtl-nodes 0,3 --wave run.fst ./hello

    tidings run -n 64 -m spirit --threads 2 ./solver
    """
    description = load_machine(find_machine(machine))
    # Imported here, so that every other command works where the simulator does not: `doctor` above all.
    from tidings import report, run

    request = run.Request(
        program=program,
        ranks=ranks,
        machine=description,
        fidelity=fidelity.value,
        rtl_nodes=_numbers("--rtl-nodes", rtl_nodes),
        threads=threads,
        hardware_collectives=collectives is Collectives.hardware,
        measured_compute=compute is Compute.measured,
        json_file=json_file,
        wave_file=wave_file,
        wave_node=wave_node,
        time_limit_seconds=time_limit,
    )
    run.check(request)
    result = run.execute(request, None if quiet else sys.stderr)
    if json_file is not None:
        json_file.write_text(json.dumps(report.as_json(request, result), indent=2) + "\n", encoding="utf-8")
    if result.error:
        print(f"tidings: error: {result.error}", file=sys.stderr)
    if not quiet:
        _console(stderr=True).print(report.as_table(request, result))
    raise typer.Exit(result.exit_status)


@machine_app.command("list")
def machine_list() -> None:
    """List the machines that come with Tidings.

    [bold]Example[/bold]

    tidings machine list
    """
    _console().print(machine_view.catalogue())


@machine_app.command("show")
def machine_show(machine: MachineArgument) -> None:
    """Print everything about a machine: its file's values with their units, and what follows from them.

    [bold]Examples[/bold]

    tidings machine show spirit

    tidings machine show ./mine.toml
    """
    console = _console()
    for part in machine_view.details(load_machine(find_machine(machine))):
        console.print(part)


@machine_app.command("check")
def machine_check(
    machine: Annotated[
        str | None,
        typer.Argument(metavar="MACHINE", help="Name of a shipped machine, or path of a file.", show_default=False),
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option("--ranks", "-n", metavar="N", min=1, help="Cut the machine as a run of N ranks does."),
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
        typer.Option(metavar="RULE", help="Leave a rule of static routes out: what if? turns, order or room."),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the proof as JSON: every channel with its number, and all dependencies."
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures as JSON; - is standard output.")
    ] = None,
    random: Annotated[
        int | None,
        typer.Option("--random", metavar="COUNT", min=1, help="Check so many machines that are drawn from a seed."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of --random.")] = 1,
) -> None:
    """Check a machine file: its values, and that its network cannot deadlock.

    The channel dependency graph is built from the routers' own routing, for every pair of routers. The exit status is 0
    where the machine can be used.

    [bold]Examples[/bold]

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
        status = _check_random_machines(random or 0, seed, json_file)
    else:
        status = _check_machine(find_machine(machine), ranks, no_dateline, routes, without, proof, json_file)
    raise typer.Exit(status)


def _check_machine(
    path: Path,
    ranks: int | None,
    no_dateline: bool,
    routes: Path | None,
    without: str | None,
    proof: Path | None,
    json_file: Path | None,
) -> int:
    from tidings import deadlock

    loaded = load_machine(path)
    for warning in warnings_of(loaded):
        print(f"warning: {path}: {warning}", file=sys.stderr)
    if without is not None and without not in deadlock.RULES:
        message = f"--without: there is no rule {without!r} of static routes; choose {', '.join(deadlock.RULES)}"
        raise UserError(message)
    given = None if routes is None else deadlock.load_routes(routes)
    result = deadlock.check_channels(loaded, ranks, dateline=not no_dateline, routes=given, without=without)
    if proof is not None:
        deadlock.write_proof(proof, loaded, ranks)
    out = sys.stdout if json_file != Path("-") else sys.stderr
    print(f"{path}: {loaded.name} is a usable machine of {loaded.slots} slots", file=out)
    print(
        f"channel dependency graph: {result.channels:,} channels, {result.dependencies:,} dependencies, "
        f"{result.routes:,} routes of at most {result.longest_route} hops, all shortest",
        file=out,
    )
    if loaded.router.routes:
        trees = "trees of all kinds at once" if given is None else f"{len(given):,} entries of {routes}"
        print(f"static routes: {trees}" + (f", without the rule of {without}" if without else ""), file=out)
    if result.acyclic:
        print(f"free of deadlock: no cycle; the longest chain has {result.longest_chain:,} channels", file=out)
    else:
        print("CAN DEADLOCK: each of these channels can wait for the next, and the last for the first:", file=out)
        for channel in result.cycle:
            print(f"  {channel}", file=out)
    if json_file is not None:
        figures = {"machine": loaded.name, "dateline": not no_dateline, "without": without, "acyclic": result.acyclic}
        _write_json(json_file, figures | dataclasses.asdict(result))
    return 0 if result.acyclic else 1


def _write_json(path: Path, figures: Mapping[str, object]) -> None:
    """Write figures to a file, or to standard output where the path is -."""
    text = json.dumps(figures, indent=2) + "\n"
    if path == Path("-"):
        sys.stdout.write(text)
    else:
        path.write_text(text, encoding="utf-8")


def _check_random_machines(count: int, seed: int, json_file: Path | None) -> int:
    from tidings import deadlock

    console = Console(stderr=True)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(f"{count:,} machines, seed {seed}", total=count)
        result = deadlock.check_random(count, seed, lambda done: progress.update(task, completed=done))
    out = sys.stdout if json_file != Path("-") else sys.stderr
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
    if json_file is not None:
        figures = {"machines": result.machines, "seed": seed, "channels": result.channels}
        figures |= {"dependencies": result.dependencies, "rejected": len(result.cyclic)}
        _write_json(json_file, figures)
    return 1 if result.cyclic else 0


@bench_app.command("simulator")
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
    fidelity: Annotated[
        Fidelity, typer.Option(help="How machines are simulated: by the cycle model or by the SystemVerilog itself.")
    ] = Fidelity.cycle,
    cycles: Annotated[
        int | None,
        typer.Option(
            metavar="C",
            min=1,
            help="Fabric cycles a load. Without it, what takes about a second a network, and 5000 of a machine.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Compare 1 to N threads, by the cycle model: two networks with long links and the machines.",
            show_default=False,
        ),
    ] = None,
    repeat: Annotated[
        int, typer.Option(metavar="K", min=1, help="With --threads: measure each K times and take the best.")
    ] = 3,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to a JSON file.")
    ] = None,
) -> None:
    """Print how fast machines are simulated: no processes, no idle time to jump over.

    Networks carry uniform random traffic between endpoints that only send and receive: meshes of 1 virtual channel, a
    torus of 2, buffers of 8 flits, by the cycle model. Machines have all their engines at work, every slot all the
    time: PUTs of 4 KiB to the next rank, PUTs of 1 KiB to random ranks, sums of 512 doubles.

    With --threads, each is simulated in 1, 2, ... N threads, and the ratio is that of speeds, to one thread. Networks
    are then tori with links of 80 cycles and buffers of 256 flits: threads pay where links have many cycles and each
    thread has a core of its own.

    [bold]Examples[/bold]

    tidings bench simulator

    tidings bench simulator -m spirit -m mesh8x8 --fidelity rtl --cycles 20000 --json speeds.json

    tidings bench simulator --threads 4 --json threads.json

    tidings bench simulator --threads 2 -m spirit --cycles 50000 --repeat 10
    """
    descriptions = [load_machine(find_machine(machine)) for machine in machines or ["spirit"]]
    if threads is not None and fidelity is not Fidelity.cycle:
        raise UserError("--threads is for the cycle model: leave --fidelity rtl out")
    from tidings import bench

    speeds: list[bench.Speed] = []
    with _console(stderr=True).status("") as status:
        if threads is not None:
            if not machines:
                speeds.extend(bench.network_scaling(threads, cycles, repeat, status.update))
            for machine in descriptions:
                speeds.extend(bench.machine_scaling(machine, threads, cycles or 20_000, repeat, status.update))
            descriptions = []
        elif not machines and fidelity is Fidelity.cycle:
            speeds.extend(bench.network_speeds(cycles, status.update))
        for machine in descriptions:
            status.update(machine.name)
            speeds.extend(bench.machine_speeds(machine, fidelity.value, cycles or 5000, sys.stderr))
    if json_file is not None:
        json_file.write_text(json.dumps(bench.as_json(speeds), indent=2) + "\n", encoding="utf-8")
    _console().print(bench.as_table(speeds))
    for remark in bench.remarks(speeds):
        _console().print(remark, soft_wrap=True)


@bench_app.command("links")
def bench_links(
    machine: Annotated[
        str, typer.Option("--machine", "-m", metavar="MACHINE", help="Machine whose links and buffers are taken.")
    ] = "spirit",
    cycles: Annotated[int, typer.Option(metavar="C", min=1, help="Fabric cycles a line.")] = 200_000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of traffic and errors.")] = 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to a JSON file.")
    ] = None,
) -> None:
    """Print what bit errors cost on a link that loses nothing: throughput, latency, frames sent again.

    Two routers send to each other over one link, at full load and at a tenth of it. Throughput is in flits a cycle and
    direction, latency in cycles from output to input.

    [bold]Example[/bold]

    tidings bench links -m spirit --json links.json
    """
    description = load_machine(find_machine(machine))
    from tidings import bench_links

    costs = list(bench_links.link_costs(description, cycles, seed))
    if json_file is not None:
        json_file.write_text(json.dumps([dataclasses.asdict(cost) for cost in costs], indent=2) + "\n", "utf-8")
    _console().print(bench_links.as_table(costs))


@bench_app.command("collectives")
def bench_collectives(
    machine: Annotated[
        str, typer.Option("--machine", "-m", metavar="MACHINE", help="Name of a shipped machine, or path of a file.")
    ] = "spirit",
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
        typer.Option(
            metavar="NAME,...", help="barrier, broadcast, reduce, allreduce. Without it, all.", show_default=False
        ),
    ] = None,
    tree: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="gray, dimension, binomial, binary, chain, star, exchange; 3-ary to 7-ary. Without it, all but these.",
            show_default=False,
        ),
    ] = None,
    stream: Annotated[
        int, typer.Option(metavar="COUNT", min=1, help="So many vectors one after the other: the sustained rate.")
    ] = 1,
    element: Annotated[Element, typer.Option(help="What reductions sum.")] = Element.double,
    fidelity: Annotated[
        Fidelity, typer.Option(help="How the machine is simulated: by the cycle model or by the SystemVerilog itself.")
    ] = Fidelity.cycle,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything that was found to a JSON file.")
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write a line a collective to a CSV file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write everything into a folder: collectives.json, collectives.csv, and a plot an operation as SVG.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print how many cycles collectives take in the engines, without ranks and software, beside the best possible.

    Cycles are counted from the register write that starts the engines, on all nodes in the same cycle, to the
    completion of the last one; every node's memory is compared with what must be there. The bound is that of the
    machine: the way to the farthest node, sums on it, and a word a cycle. The second bound is that of the tree.
    docs/collectives.md explains trees and bounds.

    [bold]Examples[/bold]

    tidings bench collectives -m spirit --out build/collectives

    tidings bench collectives -m spirit -n 64 --words 4096 --operation broadcast,reduce --tree gray,chain

    tidings bench collectives -m spirit -n 64 --words 4096 --stream 16

    tidings bench collectives -m mesh8x8 -n 16,64 --tree dimension --all --json mesh.json
    """
    description = load_machine(find_machine(machine))
    from tidings import collectives_run, collectives_view

    request = collectives_run.Request(
        machine=description,
        operations=_names(operation),
        trees=_names(tree),
        nodes=_numbers("--nodes", nodes),
        words=_numbers("--words", words),
        everything=everything,
        vectors=stream,
        element=element.value,
        fidelity=fidelity.value,
        json_file=json_file,
        csv_file=csv_file,
        folder=out,
    )
    collectives_run.check(request)
    study = collectives_run.execute(request)
    collectives_run.write(request, study)
    for part in collectives_view.tables(study):
        _console().print(part)


@bench_app.command("traffic")
def bench_traffic(
    machine: Annotated[
        str, typer.Option("--machine", "-m", metavar="MACHINE", help="Name of a shipped machine, or path of a file.")
    ],
    pattern: Annotated[TrafficPattern, typer.Option(help="Who sends to whom.")] = TrafficPattern.uniform,
    load: Annotated[
        str | None,
        typer.Option(
            metavar="F[,F...]|FIRST:LAST:STEP",
            help="Offered load in flits an endpoint a cycle. Without it, the whole curve up to saturation and beyond.",
            show_default=False,
        ),
    ] = None,
    packet: Annotated[int, typer.Option(metavar="FLITS", min=1, help="Length of a packet.")] = 1,
    size: Annotated[
        str | None,
        typer.Option(metavar="8x8", help="Routers in each dimension, instead of the machine's.", show_default=False),
    ] = None,
    topology: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help="torus, mesh, ring or crossbar, instead of the machine's.", show_default=False
        ),
    ] = None,
    slots: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Endpoints a router, instead of the machine's.", show_default=False),
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
            metavar="FLITS", min=1, help="Buffer of a virtual channel, instead of the machine's.", show_default=False
        ),
    ] = None,
    latency: Annotated[
        int | None,
        typer.Option(metavar="CYCLES", min=1, help="Latency of a link, instead of the machine's.", show_default=False),
    ] = None,
    hot: Annotated[
        str | None,
        typer.Option(metavar="K,...", help="Hot endpoints. Without it, the router in the middle.", show_default=False),
    ] = None,
    hot_share: Annotated[float, typer.Option(metavar="F", help="Share of the packets that go to them.")] = 0.1,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Start of the random numbers.")] = 1,
    threads: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Simulate the network in so many threads; results do not depend on it. It pays where links have many "
            "cycles, routers are many and cores are free.",
        ),
    ] = 1,
    warmup: Annotated[int, typer.Option(metavar="CYCLES", min=0, help="Cycles before the measurement.")] = 5000,
    measure: Annotated[int, typer.Option(metavar="CYCLES", min=1, help="Cycles whose packets are measured.")] = 20000,
    drain: Annotated[
        int, typer.Option(metavar="CYCLES", min=0, help="Most cycles until they have all arrived.")
    ] = 200_000,
    saturation: Annotated[
        bool | None,
        typer.Option(
            "--saturation/--no-saturation",
            help="Find the load up to which the machine keeps up. Without it, where --load is not a single number.",
            show_default=False,
        ),
    ] = None,
    exchange: Annotated[
        bool, typer.Option("--exchange", help="Time one packet from everyone to everyone else, all at once, instead.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything that was found to a JSON file.")
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the latency-load curve to a CSV file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write everything into a folder: traffic.json, curve.csv, links.csv, curve.svg and links.svg.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Send synthetic traffic through a machine: latency and throughput of its network, without slots and programs.

    Every endpoint creates packets at random, whatever becomes of them. Packets created after the warm-up are measured,
    from creation, time in the source's queue included, to the arrival of the tail; the run lasts until all of them have
    arrived. A load is saturated where more and more packets wait. Beside it stand the bounds of the routes, and the
    latency of a packet that is alone in the machine.

    [bold]Examples[/bold]

    tidings bench traffic -m mesh8x8 --packet 8 --out mesh8x8

    tidings bench traffic -m mesh8x8 --load 0.1 --pattern transpose --json transpose.json

    tidings bench traffic -m mesh8x8 --topology torus --size 4x4x4 --load 0.05:0.5:0.05

    tidings bench traffic -m mesh8x8 --packet 4 --exchange

    tidings bench traffic -m spirit --size 8x8x8 --packet 8 --threads 2 --csv curve.csv
    """
    from tidings import traffic, traffic_run

    changes = traffic.Changes(
        topology=topology,
        size=None if size is None else traffic.parse_size(size),
        slots=slots,
        buffer_flits=buffer,
        link_latency_cycles=latency,
    )
    request = traffic_run.Request(
        traffic=traffic.Traffic(
            machine=changes.apply(load_machine(find_machine(machine))),
            vcs=vcs,
            pattern=pattern.value,
            hot_endpoints=_numbers("--hot", hot),
            hot_share=hot_share,
            packet_flits=packet,
            seed=seed,
            threads=threads,
            warmup_cycles=warmup,
            measure_cycles=measure,
            drain_cycles=drain,
        ),
        loads=None if load is None else traffic.parse_loads(load),
        saturation=saturation,
        exchange=exchange,
        json_file=json_file,
        csv_file=csv_file,
        folder=out,
    )
    traffic_run.check(request)
    study = traffic_run.execute(request)
    traffic_run.write(request, study)
    for part in traffic_run.tables(study):
        _console().print(part)


@app.command("verify")
def verify_command(
    machine: Annotated[
        str | None, typer.Option("--machine", "-m", help="A machine, as it is. Without it machines are drawn.")
    ] = None,
    count: Annotated[int, typer.Option("--random", min=1, help="Machines to draw, or scripts on the one named.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Of machines and traffic.")] = 1,
    hops: Annotated[
        int | None,
        typer.Option(min=0, help="Flit-hops to compare, at least; 1,000,000 if not given.", show_default=False),
    ] = None,
    kinds: Annotated[int, typer.Option("--node-kinds", min=1, help="Sets of node parameters to compile.")] = 3,
    shrink_seconds: Annotated[float, typer.Option(min=0, help="Time for making a failure smaller.")] = 60.0,
    out: Annotated[Path, typer.Option(help="Where a failure is written to; its waveforms go beside it.")] = Path(
        "tidings-verify.json"
    ),
    waves: Annotated[
        bool,
        typer.Option("--waves/--no-waves", help="Waveforms of a failure; its node is compiled once more for them."),
    ] = True,
    replay: Annotated[Path | None, typer.Option(help="Run such a failure again.", show_default=False)] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the result; - is standard output.", show_default=False)
    ] = None,
) -> None:
    """Compare the RTL and the cycle model in every cycle.

    Draws machines and traffic, gives both sides the same, and compares every bus read, interrupt, flit and credit in
    every cycle, and memory in the end. A difference, or a machine that does not come to its end, is made small and
    written to a file, with the waveforms of both sides beside it. Exit status 1 says that there was one.

    [bold]Examples[/bold]

    tidings verify

    tidings verify --random 100 --seed 7 --node-kinds 10 --json verified.json

    tidings verify -m spirit --random 3

    tidings verify --replay tidings-verify.json
    """
    import random

    from tidings import verify, verify_case, verify_shrink

    if replay is not None:
        failure = verify_case.compare(verify_case.read(replay), _quick_node)
        print(failure.finding if failure else "no difference")
        if failure is not None and waves:
            _write_waves(failure, replay)
        raise typer.Exit(1 if failure else 0)
    rng = random.Random(seed)  # noqa: S311 (not for secrets)
    chosen = [load_machine(find_machine(machine))] if machine else verify.draw_kinds(rng, kinds)
    linked = any(description.topology.size for description in chosen)
    if hops and not linked:
        message = f"{chosen[0].name} is a crossbar, which has no links and so no flit-hops: leave --hops out"
        raise UserError(message)
    if not out.parent.is_dir():
        message = f"--out {out}: the folder {out.parent} does not exist"
        raise UserError(message)
    for description in chosen:
        _quick_node(description)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("comparing", total=count)
        totals, failure = verify.run(
            chosen,
            _quick_node,
            count=count,
            seed=seed,
            hops=(verify.HOPS if hops is None else hops) if linked else 0,
            progress=lambda done, flits: progress.update(
                task, completed=done, description=f"{done} machines, {flits:,} flit-hops"
            ),
            vary_machines=machine is None,
        )
    if json_file != Path("-"):
        _console().print(verify.as_table(totals, chosen))
    missing = verify.missing(totals, chosen)
    figures: dict[str, object] = {**vars(totals), "seen": dict(totals.seen), "missing": missing}
    if failure is not None:
        print(f"failure: {failure.finding}\nmaking it smaller, {shrink_seconds:g} s at most", file=sys.stderr)
        small = verify_shrink.shrink(failure, lambda case: verify_case.compare(case, _quick_node), shrink_seconds)
        verify_case.write(out, small.case)
        print(
            f"smallest: {small.finding}\n{small.case.size}; before: {failure.case.size}\n"
            f"written to {out}; run it again with: tidings verify --replay {out}",
            file=sys.stderr,
        )
        figures["failure"] = {"kind": type(small.finding).__name__.lower(), **dataclasses.asdict(small.finding)}
        if waves:
            figures["waves"] = [str(path) for path in _write_waves(small, out)]
    elif missing:
        print(f"equal; not seen in so few machines (--random): {', '.join(missing)}", file=sys.stderr)
    if json_file is not None:
        _write_json(json_file, figures)
    raise typer.Exit(1 if failure is not None else 0)


def _quick_node(machine: Machine) -> Path:
    """Return the compiled node of a machine for a comparison."""
    from tidings import verilated_node

    return verilated_node.node_library(machine, verilated_node.Variant(quick=True))


def _write_waves(failure: "verify_case.Failure", base: Path) -> tuple[Path, Path]:
    """Write the waveforms of a failure beside its file, and say where they are."""
    from tidings import verify_waves, verilated_node

    print("running it again for waveforms (--no-waves leaves them out)", file=sys.stderr)
    variant = verilated_node.Variant(quick=True, waves=True)
    rtl, cycle = verify_waves.record(failure, lambda machine: verilated_node.node_library(machine, variant), base)
    finding = failure.finding
    begin = verify_waves.time_of(failure.case, finding.cycle)
    print(
        f"waveforms of node {finding.node}: {rtl} (RTL) and {cycle} (cycle model); "
        f"cycle {finding.cycle} begins at {begin} ps",
        file=sys.stderr,
    )
    return rtl, cycle


@app.command("synth", no_args_is_help=True)
def synth_command(
    design: Annotated[
        str | None,
        typer.Argument(metavar="MODULE|MACHINE", help="A module of rtl/, or a machine, which stands for its node."),
    ] = None,
    targets: Annotated[
        list[Family],
        typer.Option("--target", "-t", metavar="FAMILY", help="ecp5, xc7, xc4v, xc2v; may be given again."),
    ] = [Family.ecp5],  # noqa: B006
    parameters: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-P", metavar="NAME=VALUE", help="A parameter of the module; may be given again."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=1, help="Where place and route starts (ECP5).")] = 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything that was found to a JSON file.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--table", metavar="FILE.md", help="Make the tables of a page anew, such as docs/silicon.md."),
    ] = None,
) -> None:
    """Print what a module or the node of a machine costs on an FPGA, and on ECP5 how fast it runs.

    LUTs, flip-flops, block RAMs (18 Kbit) and DSPs after synthesis; on ECP5 also Fmax after place and route on the
    fastest speed grade, from register to register with a register at every port. Results are kept and found again as
    long as sources and tools are the same. Without -P, router is one of 5 ports, 1 virtual channel and 8 flits a
    buffer; other modules have the defaults of their source.

    [bold]Examples[/bold]

    tidings synth router

    tidings synth router -P NumClasses=2 -P BufferFlits=16 --target xc7

    tidings synth spirit --target ecp5 --target xc4v --json spirit.json

    tidings synth --table docs/silicon.md
    """
    from tidings import silicon, synth

    if page is not None:
        silicon.update(page)
        return
    if design is None:
        message = "name a module or a machine, as in: tidings synth router"
        raise UserError(message)
    found = synth.find_design(design, synth.parse_parameters(parameters or []))
    results = [synth.synthesize(found, target.value, seed=seed) for target in targets]
    if json_file is not None:
        json_file.write_text(json.dumps([dataclasses.asdict(result) for result in results], indent=2) + "\n", "utf-8")
    _console().print(synth.as_table(results))
    if found.parameters:
        print(f"{found.module} with " + ", ".join(f"{key}={value}" for key, value in found.parameters.items()))


@app.command("doctor")
def doctor_command() -> None:
    """Look for everything that Tidings needs and say what is missing. The exit status is 0 where nothing is.

    [bold]Example[/bold]

    tidings doctor
    """
    findings = doctor.examine()
    _console().print(doctor.table(findings))
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


@app.command("cc", context_settings=_PASS_EVERYTHING)
def cc_command(arguments: CompilerArguments = None) -> None:
    """Compile or link a C program against MPI: the C compiler with the right options added.

    The compiler is cc, or what the environment variable CC names. The program is an ordinary one for the MPI standard
    ABI: it runs with `tidings run`, and under any MPI whose libmpi_abi.so.1 comes first in LD_LIBRARY_PATH.

    [bold]Examples[/bold]

    tidings cc -O2 hello.c -o hello

    tidings cc -show    (print the command instead of running it)
    """
    raise typer.Exit(compiler.run("cc", arguments or []))


@app.command("cxx", context_settings=_PASS_EVERYTHING)
def cxx_command(arguments: CompilerArguments = None) -> None:
    """Compile or link a C++ program against MPI: the C++ compiler with the right options added.

    The compiler is c++, or what the environment variable CXX names.

    [bold]Example[/bold]

    tidings cxx -O2 -std=c++20 hello.cpp -o hello
    """
    raise typer.Exit(compiler.run("cxx", arguments or []))


def main() -> None:
    """Run the command line; problems that a user can solve end with one plain message and status 2."""
    try:
        app()
    except UserError as problem:
        print(f"tidings: error: {problem}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
