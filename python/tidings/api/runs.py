# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Runs of programs, and what became of them."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tidings.api.machines import machine_of
from tidings.errors import RunError, UserError

if TYPE_CHECKING:
    from tidings.api.types import MachineLike, Words
    from tidings.report.compare import Difference
    from tidings.report.events import Events
    from tidings.report.frames import Rows
    from tidings.report.whatif import Gain
    from tidings.runtime.result import Run
    from tidings.runtime.run import Job
    from tidings.runtime.sweep import Sweep


def compile_program(
    sources: "Words",
    output: "PathLike[str] | str",
    *,
    language: str = "c",
    options: Sequence[str] = ("-O2",),
) -> Path:
    """Compile an MPI program, as ``tidings cc`` and ``tidings c++`` do.

    Parameters
    ----------
    sources : path or sequence of paths
        The sources.
    output : path
        The program.
    language : str
        ``c``, ``c++`` or ``fortran``.
    options : sequence of str
        Options of the compiler.

    Returns
    -------
    Path
        The program, absolute, so that `run` finds it from any folder.

    Raises
    ------
    UserError
        If the compiler fails; what it says goes to standard error.
    """
    from tidings.build import compiler

    files = [sources] if isinstance(sources, (str, PathLike)) else sources
    if language not in compiler.LANGUAGES:
        raise UserError(f"there is no language {language!r}; there are {', '.join(compiler.LANGUAGES)}")
    status = compiler.run(language, [*options, *(fspath(file) for file in files), "-o", fspath(output)])
    if status:
        raise UserError(f"the compiler ended with status {status}")
    return Path(output).resolve()


def run(
    program: "Words",
    *,
    machine: "MachineLike",
    ranks: int,
    fidelity: str = "cycle",
    rtl_nodes: Iterable[int] = (),
    threads: int | None = None,
    collectives: str | None = None,
    algorithms: Mapping[str, str] | None = None,
    algorithm_table: "PathLike[str] | str | None" = None,
    compute: str = "none",
    map: "str | PathLike[str] | Sequence[str] | None" = None,  # noqa: A002 (as the option is called)
    debug_rank: int | None = None,
    debugger: "Words" = (),
    profile: str | None = None,
    wave_file: "PathLike[str] | str | None" = None,
    wave_node: int | None = None,
    time_limit: float | None = None,
    wall_limit: float | None = None,
    event_file: "PathLike[str] | str | None" = None,
    environment: Mapping[str, str] | None = None,
    other_programs: "Iterable[tuple[Words, int]]" = (),
    label: bool = False,
    output_folder: "PathLike[str] | str | None" = None,
    mistakes: str = "off",
    capture: bool = False,
    progress: TextIO | None = None,
    check: bool = True,
) -> "Run":
    """Run an MPI program on a machine, one process per rank, in virtual time.

    Parameters
    ----------
    program : str, path, or sequence of these
        The program, or the program and its arguments.
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    ranks : int
        Number of ranks that execute the program.
    fidelity : str
        ``cycle``: the cycle model; ``rtl``: the SystemVerilog itself.
    rtl_nodes : iterable of int
        At fidelity ``cycle``: routers that are simulated by the SystemVerilog.
    threads : int, optional
        Threads that simulate the machine; results do not depend on it. Without it, one for every 32 routers, if there
        are cores.
    collectives : str, optional
        ``hardware``: the engines carry out collectives; ``software``: the library does, by messages; ``ideal``: they
        take no time, which no machine can do. Without it, ``hardware``, or ``software`` with a profile.
    algorithms : dict, optional
        Algorithms by collective, as in ``{"allreduce": "ring"}``; others are chosen by the table.
    algorithm_table : str or path, optional
        File of a table of algorithms, which comes before the built-in one.
    compute : str
        What computation between calls costs. ``none``: nothing; ``measured``: its CPU time, scaled.
    map : str, path or sequence of str, optional
        Where ranks sit on the whole machine: ``round-robin``, ``reverse``, ``random:SEED``, a file with a line
        ``ROUTER`` or ``ROUTER.SLOT`` per rank, or such lines. Without it, ranks fill the smallest part that holds them.
    debug_rank : int, optional
        The rank that runs in a debugger, which has the terminal; the other ranks wait for it.
    debugger : str, or sequence of str
        The debugger and its options, which the program comes behind: ``gdb --args`` if nothing is given.
    profile : str, optional
        One of the machine's profiles: another library, with its costs and algorithms. It has no engines, so its
        collectives go by messages unless they are ``ideal``, and ``hardware`` is an error.
    wave_file : str or path, optional
        FST file for the waveforms of SystemVerilog nodes.
    wave_node : int, optional
        The only router whose waveforms are written.
    time_limit : float, optional
        Virtual time in seconds after which the run ends with an error.
    wall_limit : float, optional
        Wall time in seconds after which the run ends with an error that says what each rank was doing.
    event_file : str or path, optional
        File in which the events of the run are stored, for `load_events` and `report`.
    environment : dict, optional
        Variables that are added to the environment of the ranks.
    other_programs : iterable of pairs, optional
        Programs as above, each with the number of ranks that execute it: the ranks after those of ``program``.
    label : bool
        Begin each line that a rank prints with the rank.
    output_folder : str or path, optional
        Write what each rank prints to files ``rank-K.out`` and ``rank-K.err`` of this folder.
    mistakes : str
        Mistakes with MPI that would go unseen: ``off``, they are not looked for; ``warn``: the result has them;
        ``error``: so, and the program fails if there are any.
    capture : bool
        Keep what the ranks print as ``stdout`` and ``stderr`` of the result.
    progress : text stream, optional
        Where to say how far a long run is.
    check : bool
        Raise `RunError` if the program fails.

    Raises
    ------
    UserError
        If there can be no such run.
    RunError
        If the program fails.

    Examples
    --------
    >>> result = tidings.run("./hello", machine="spirit", ranks=8)  # doctest: +SKIP
    >>> result.operations[["calls", "mean_ps"]]  # doctest: +SKIP
    """
    job = _job(
        program,
        machine=machine,
        ranks=ranks,
        fidelity=fidelity,
        rtl_nodes=rtl_nodes,
        threads=threads,
        collectives=collectives,
        algorithms=algorithms,
        algorithm_table=algorithm_table,
        compute=compute,
        map=map,
        debug_rank=debug_rank,
        debugger=debugger,
        profile=profile,
        wave_file=wave_file,
        wave_node=wave_node,
        time_limit=time_limit,
        wall_limit=wall_limit,
        event_file=event_file,
        environment=environment,
        other_programs=other_programs,
        label=label,
        output_folder=output_folder,
        mistakes=mistakes,
    )
    return _execute(job, capture=capture, progress=progress, check=check)


def _job(
    program: "Words",
    *,
    machine: "MachineLike",
    ranks: int,
    rtl_nodes: Iterable[int] = (),
    algorithms: Mapping[str, str] | None = None,
    algorithm_table: "PathLike[str] | str | None" = None,
    wave_file: "PathLike[str] | str | None" = None,
    time_limit: float | None = None,
    wall_limit: float | None = None,
    event_file: "PathLike[str] | str | None" = None,
    environment: Mapping[str, str] | None = None,
    other_programs: "Iterable[tuple[Words, int]]" = (),
    output_folder: "PathLike[str] | str | None" = None,
    debug_rank: int | None = None,
    debugger: "Words" = (),
    profile: str | None = None,
    **values: Any,
) -> "Job":
    """Return a run that can be made."""
    from tidings.runtime import run as runs

    values["collectives"] = runs.collectives_of(values.get("collectives"), profile)
    others = tuple((_words(other), count) for other, count in other_programs)
    job = runs.Job(
        program=_words(program),
        ranks=ranks + sum(count for _, count in others),
        other_programs=others,
        output_folder=None if output_folder is None else Path(output_folder),
        machine=machine_of(machine),
        rtl_nodes=tuple(sorted(set(rtl_nodes))),
        algorithms=dict(algorithms or {}),
        algorithm_table=None if algorithm_table is None else Path(algorithm_table),
        wave_file=None if wave_file is None else Path(wave_file),
        time_limit_seconds=time_limit,
        wall_limit_seconds=wall_limit,
        event_file=None if event_file is None else Path(event_file),
        environment=dict(environment or {}),
        debug_rank=debug_rank,
        debugger=tuple(_words(debugger)) or (() if debug_rank is None else runs.GDB),
        profile=profile,
        **values,
    )
    runs.check(job)
    return job


def _words(program: "Words") -> list[str]:
    words = [program] if isinstance(program, (str, PathLike)) else program
    return [fspath(word) for word in words]


def _execute(job: "Job", *, capture: bool = False, progress: TextIO | None = None, check: bool = True) -> "Run":
    """Run what `_job` has made."""
    from tidings.runtime import run as runs
    from tidings.runtime.capture import captured
    from tidings.runtime.mistakes import findings, read_mistakes
    from tidings.runtime.result import Run

    stdout: str | None = None
    stderr: str | None = None
    with findings(wanted=job.mistakes != "off") as found:
        if capture:
            with captured() as printed:
                report = runs.execute(job, None, found)
            stdout, stderr = printed.stdout, printed.stderr
        else:
            report = runs.execute(job, progress, found)
        mistakes = [] if found is None else read_mistakes(found)
    event_error = report.event_error
    if job.event_file is not None and not event_error:
        from tidings.report import record

        event_error = record.seal(job.event_file, record.of_run(job, report))
    result = Run(job, report, stdout, stderr, event_error, mistakes)
    if check and (result.exit_status or result.error or event_error):
        raise RunError(result)
    return result


def load_events(file: "PathLike[str] | str") -> "Events":
    """Return what happened in a run, as data frames.

    Parameters
    ----------
    file : path
        What ``event_file`` of `run` or ``tidings run --events`` named.

    Raises
    ------
    UserError
        If it is not such a file.

    Examples
    --------
    >>> tidings.run("./solver", machine="spirit", ranks=8, event_file="solver.events")  # doctest: +SKIP
    >>> tidings.load_events("solver.events").messages.groupby("sender")["bytes"].sum()  # doctest: +SKIP
    """
    from tidings.report import events

    return events.load(Path(file))


def write_report(
    files: "Words",
    output: "PathLike[str] | str",
    *,
    title: str = "",
    pictures: Sequence["PathLike[str] | str"] = (),
) -> None:
    """Write a page that shows where the time of a run went, or of several runs side by side.

    The page needs no network and no other file.

    Parameters
    ----------
    files : path or sequence of paths
        Files of events, as for `load_events`. Runs are called by the names of their files.
    output : path
        The HTML file.
    title : str
        Title of the page; what the first run says of itself if not given.
    pictures : sequence of paths
        Pictures that are shown with the summary, called by the names of their files.

    Raises
    ------
    UserError
        If a file cannot be read or written.
    """
    from tidings.report import check_plotly, events, page

    check_plotly()
    paths = [Path(files)] if isinstance(files, (str, PathLike)) else [Path(file) for file in files]
    runs = [(path.stem, events.load(path)) for path in paths]
    page.write(runs, Path(output), title, [(Path(picture).stem, Path(picture)) for picture in pictures])


def write_perfetto(file: "PathLike[str] | str", output: "PathLike[str] | str") -> None:
    """Write a run as a trace for Perfetto: tracks of ranks, engines, routers and links, and flows of messages.

    Parameters
    ----------
    file : path
        The run's file of events, as for `load_events`.
    output : path
        The trace, in Perfetto's own format.

    Raises
    ------
    UserError
        If the file cannot be read, or the trace not written.
    """
    from tidings.report import events, perfetto

    perfetto.write(events.load(Path(file)), Path(output))


def whatif(
    program: "Words",
    *,
    machine: "MachineLike",
    ranks: int,
    changes: Sequence[str] = (),
    progress: TextIO | None = None,
    **options: Any,
) -> "Rows[Gain]":
    """Run a program on a machine, and then with one thing better at a time, to see what the run gains.

    Parameters
    ----------
    program : str, path, or sequence of these
        The program, or the program and its arguments. What it prints is left out.
    machine : Machine, str or path
        The machine as it is.
    ranks : int
        Number of ranks.
    changes : sequence of str
        ``links``, ``latency``, ``ports``, ``software``, ``collectives``, ``ideal``; all if not given.
    progress : text stream, optional
        Where to say which run is next.
    **options
        Those of `run`.

    Raises
    ------
    UserError
        If there can be no such run.
    RunError
        If the program fails.
    """
    from tidings.report import whatif as question

    def made(job: "Job") -> "Run":
        if progress is not None:
            profile = "" if job.profile is None else f", profile {job.profile}"
            print(f"tidings: {job.machine.name}, {job.collectives} collectives{profile}", file=progress, flush=True)
        return _execute(job, capture=True)

    return question.answers(_job(program, machine=machine, ranks=ranks, **options), changes, made)


def compare(first: "PathLike[str] | str", second: "PathLike[str] | str") -> "Rows[Difference]":
    """Return the figures of two runs side by side.

    Parameters
    ----------
    first, second : path
        What ``tidings run --json`` has written.

    Raises
    ------
    UserError
        If a file is not of a run.
    """
    from tidings.report import compare as comparison

    return comparison.differences(comparison.read(Path(first)), comparison.read(Path(second)))


def sweep(
    program: "Words",
    *,
    machine: object,
    ranks: object,
    vary: Mapping[str, Sequence[object]] | None = None,
    progress: TextIO | None = None,
    **options: Any,
) -> "Sweep":
    """Run a program with every combination of values.

    Parameters
    ----------
    program : str, path, or sequence of these
        The program, or the program and its arguments.
    machine : Machine, str, path, or list of these
        The machine, or several machines.
    ranks : int, or list of int
        Number of ranks, or several numbers.
    vary : dict, optional
        Values by the keys of machine files, as in ``{"link.latency_cycles": [10, 40, 80]}``.
    progress : text stream, optional
        Where to say which run is next.
    **options
        Those of `run`. A list, tuple or range stands for several values, each of which is run.

    Returns
    -------
    Sweep
        All runs; its ``frame`` has a row per run.

    Raises
    ------
    UserError
        If there can be no such run; nothing has been run then.
    RunError
        If the program fails, unless ``check=False``.

    Examples
    --------
    >>> found = tidings.sweep("./solver", machine="spirit", ranks=[8, 16, 32],
    ...                       collectives=["hardware", "software"])  # doctest: +SKIP
    >>> found.frame.pivot(index="ranks", columns="collectives", values="elapsed_ps")  # doctest: +SKIP
    """
    from tidings.runtime.sweep import Sweep, combinations

    shared = {key: options.pop(key) for key in ("environment", "rtl_nodes") if key in options}
    how = {key: options.pop(key) for key in ("capture", "check") if key in options}
    changes = dict(vary or {})
    # All runs are checked before the first one begins, which may take hours.
    wanted = []
    for values in combinations({"machine": machine, "ranks": ranks, **options, **changes}):
        changed = machine_of(values["machine"], {key: values[key] for key in changes})
        plain = {key: value for key, value in values.items() if key not in changes}
        wanted.append((values | {"machine": changed.name}, _job(program, **(plain | shared | {"machine": changed}))))
    runs = []
    for values, job in wanted:
        if progress is not None:
            print("tidings: " + ", ".join(f"{key} {value}" for key, value in values.items()), file=progress, flush=True)
        runs.append((values, _execute(job, **how)))
    return Sweep(tuple(runs))
