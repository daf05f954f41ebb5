# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings run``."""

import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

import tidings
from tidings.cli.options import (
    CsvFile,
    EventFile,
    JsonFile,
    MachineOption,
    PerfettoFile,
    Profile,
    ReportFile,
    at_least,
    choice,
    numbers,
)
from tidings.cli.output import console, do_all, write_results
from tidings.errors import UserError
from tidings.report import compare, summary
from tidings.runtime.mistakes import CHECKS
from tidings.runtime.result import Run
from tidings.runtime.run import COLLECTIVES, COMPUTE, FIDELITIES, IDEAL, collectives_of

#: Value of --collectives: two runs.
BOTH = "both"


def run_command(
    program: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM",
            help="The MPI program and its arguments, passed on untouched. Other programs for further ranks follow "
            "behind a colon: -n 1 ./first : -n 3 ./second.",
        ),
    ],
    ranks: Annotated[int, typer.Option("--ranks", "-n", "-np", metavar="N", help="Number of ranks.")],
    machine: MachineOption,
    fidelity: Annotated[
        str,
        typer.Option(
            **choice(FIDELITIES),
            help="How the machine is simulated: by the cycle model, or by the SystemVerilog itself, which is compiled "
            "once a machine and slower. Virtual times are the same.",
        ),
    ] = "cycle",
    rtl_nodes: Annotated[
        str | None,
        typer.Option(
            metavar="K,...", help="At fidelity cycle: simulate these routers by the SystemVerilog.", show_default=False
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            **at_least(1),
            show_default=False,
            help="Simulate the machine in N threads; results do not depend on it. It pays if links have many "
            "cycles, routers are many and cores are free. Without it, one for every 32 routers, if there are cores.",
        ),
    ] = None,
    asked_collectives: Annotated[
        str | None,
        typer.Option(
            "--collectives",
            **choice((*COLLECTIVES, IDEAL, BOTH)),
            show_default=False,
            help="Let the engines carry out collectives, or the library by messages between ranks; or run both ways, "
            "and print them side by side. Ideal ones, which no machine has, take no time. Without it, hardware, or "
            "software with a profile.",
        ),
    ] = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLLECTIVE=NAME,...",
            help="Use an algorithm of the library, as in allreduce=ring; by the engine if it can. `tidings algorithms` "
            "lists them.",
            show_default=False,
        ),
    ] = None,
    algorithm_table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Choose algorithms by this table, and by the built-in one if it says nothing (tidings algorithms "
            "--table prints that).",
            show_default=False,
        ),
    ] = None,
    profile: Profile = None,
    compute: Annotated[
        str,
        typer.Option(
            **choice(COMPUTE),
            help="What computation between calls costs: nothing, so that two runs are equal to the picosecond, "
            "or the CPU time measured here times the machine's compute_scale.",
        ),
    ] = "none",
    rank_map: Annotated[
        str | None,
        typer.Option(
            "--map",
            metavar="FILE|round-robin|reverse|random:SEED",
            help="Where ranks sit on the whole machine: on each router in turn, from the last slot down, in slots that "
            "are drawn, or by a file with a line ROUTER or ROUTER.SLOT per rank. Without it, ranks fill the smallest "
            "part of the machine that holds them, router by router.",
            show_default=False,
        ),
    ] = None,
    debug_rank: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Run rank K in gdb, which has the terminal. The other ranks wait for it; --wall-limit does not count.",
            show_default=False,
        ),
    ] = None,
    debugger: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help='Use another debugger, which the program comes behind: "gdb --batch -x FILE --args", or valgrind.',
            show_default=False,
        ),
    ] = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
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
    wall_limit: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="End the run with an error after S seconds of wall time, and say which call each rank is in.",
            show_default=False,
        ),
    ] = None,
    label: Annotated[bool, typer.Option("--label", help="Begin each line that a rank prints with the rank.")] = False,
    output_folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write what each rank prints to files of this folder: rank-K.out and rank-K.err.",
            show_default=False,
        ),
    ] = None,
    mistakes: Annotated[
        str,
        typer.Option(
            "--check",
            **choice(CHECKS),
            help="Look for mistakes with MPI that would go unseen: requests and objects that are never freed, messages "
            "that nobody receives, other datatypes at sender and receiver, buffers that are changed while in use. Show "
            "them, or also fail.",
        ),
    ] = "off",
    event_file: EventFile = None,
    report_file: ReportFile = None,
    perfetto: PerfettoFile = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no table.")] = False,
) -> None:
    """Run an MPI program on a machine, one process per rank, in virtual time.

    What the program writes goes where it would go anyway; the table at the end goes to standard error. The exit status
    is the program's.

    For example:

    tidings run -n 8 -m spirit ./hello

    tidings run -n 16 -m crossbar --collectives software --json run.json ./solver --size 100

    tidings run -n 16 -m spirit --algorithm allreduce=ring --algorithm bcast=chain ./solver

    tidings run -n 4 -m mesh8x8 --rtl-nodes 0,3 --wave run.fst ./hello

    tidings run -n 64 -m spirit --threads 2 ./solver

    tidings run -m spirit --label -n 1 ./manager : -n 7 ./worker

    tidings run -n 8 -m spirit --report solver.html ./solver

    tidings run -n 8 -m spirit --collectives both ./solver

    tidings run -n 49 -m tilepro64-2013 --profile nocmsg ./solver

    tidings run -n 8 -m mesh8x8 --map round-robin ./solver

    tidings run -n 8 -m spirit --debug-rank 3 ./solver    (in gdb: break main, run, bt)

    tidings run -n 8 -m spirit --check warn ./solver    (compile with -g, to see file and line)
    """
    first, *others = _programs(program)
    collectives = collectives_of(asked_collectives, profile)
    kinds = COLLECTIVES if collectives == BOTH else (collectives,)
    if len(kinds) > 1 and (perfetto is not None or event_file is not None or csv_file is not None):
        message = f"--collectives {BOTH} is two runs: leave out --events, --perfetto and --csv, or make the runs apart"
        raise UserError(message)
    results: dict[str, Run] = {}
    with _events_of(event_file, kinds, wanted=report_file is not None or perfetto is not None) as events:
        for kind in kinds:
            results[kind] = result = tidings.run(
                first,
                machine=machine,
                ranks=ranks,
                fidelity=fidelity,
                rtl_nodes=numbers("--rtl-nodes", rtl_nodes),
                threads=threads,
                collectives=kind,
                algorithms=_algorithms(algorithm or []),
                algorithm_table=algorithm_table,
                profile=profile,
                compute=compute,
                map=rank_map,
                debug_rank=debug_rank,
                debugger=shlex.split(debugger or ""),
                wave_file=wave_file,
                wave_node=wave_node,
                time_limit=time_limit,
                wall_limit=wall_limit,
                other_programs=[_ranks_and_program(words) for words in others],
                label=label,
                output_folder=output_folder,
                mistakes=mistakes,
                progress=None if quiet else sys.stderr,
                event_file=events.get(kind),
                check=False,
            )
            if result.error:
                print(f"tidings: error: {result.error}", file=sys.stderr)
            for mistake in result.mistakes:
                print(f"tidings: {'error' if mistakes == 'error' else 'warning'}: {mistake}", file=sys.stderr)
            if not quiet:
                console(stderr=True).print(summary.as_table(result.job, result.report))
        figures = {kind: result.as_json() for kind, result in results.items()}
        if collectives == BOTH and not quiet:
            rows = compare.differences(*figures.values())
            console(stderr=True).print("", compare.as_table(rows, COLLECTIVES))

        def write_pages() -> None:
            if error := next((result.event_error for result in results.values() if result.event_error), ""):
                raise UserError(error)
            if report_file is not None:
                tidings.write_report(list(events.values()), report_file)

        def write_trace() -> None:
            if perfetto is not None and not results[collectives].event_error:
                tidings.write_perfetto(events[collectives], perfetto)

        values = figures if collectives == BOTH else figures[collectives]
        do_all(
            lambda: write_results(json_file, values, csv_file, lambda: results[collectives].operations.reset_index()),
            write_pages,
            write_trace,
        )
    raise typer.Exit(next((result.exit_status for result in results.values() if result.exit_status), 0))


@contextmanager
def _events_of(path: Path | None, kinds: Sequence[str], *, wanted: bool) -> Iterator[dict[str, Path]]:
    """Give the files in which the events of runs are stored: one that is kept, some that are not, or none."""
    if path is not None:
        yield {kinds[0]: path}
    elif not wanted:
        yield {}
    else:
        with tempfile.TemporaryDirectory(prefix="tidings-") as folder:
            yield {kind: Path(folder) / f"{kind}.events" for kind in kinds}


def _programs(words: list[str]) -> list[list[str]]:
    """Take the words of several programs apart, which have colons between them."""
    programs: list[list[str]] = [[]]
    for word in words:
        if word == ":":
            programs.append([])
        else:
            programs[-1].append(word)
    if not programs[0]:
        message = "a program is missing before the first colon"
        raise UserError(message)
    return programs


def _ranks_and_program(words: list[str]) -> tuple[list[str], int]:
    """Read what follows a colon."""
    match words:
        case ["-n" | "-np" | "--ranks", count, _, *_] if count.isdecimal():
            return words[2:], int(count)
    message = f"after a colon come the number of ranks and a program, as in : -n 3 ./second; here: {' '.join(words)}"
    raise UserError(message)


def _algorithms(texts: list[str]) -> dict[str, str]:
    """Read ``COLLECTIVE=NAME`` with commas between them; the library checks the names."""
    chosen: dict[str, str] = {}
    for choice_text in ",".join(texts).split(",") if texts else []:
        collective, equals, name = choice_text.partition("=")
        if not equals:
            message = f"--algorithm {choice_text}: write it as allreduce=ring"
            raise UserError(message)
        if chosen.setdefault(collective, name) != name:
            message = f"--algorithm: two algorithms for {collective}: {chosen[collective]} and {name}"
            raise UserError(message)
    return chosen
