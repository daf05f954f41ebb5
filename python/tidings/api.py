# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The functions of the package: what the command line does, for programs and notebooks.

Modules are imported when a function needs them: ``import tidings`` is quick, and works where the simulator does not.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from tidings.errors import RunError, UserError

if TYPE_CHECKING:
    import pandas as pd

    from tidings.analyze.contention import Analysis, Summary
    from tidings.analyze.deadlock import ChannelCheck, RandomCheck, StaticEntry
    from tidings.analyze.word_schedules import Length
    from tidings.bench.core_counts import CoreCost
    from tidings.bench.library import CallCost
    from tidings.bench.links import LinkCost
    from tidings.bench.osu import Figure
    from tidings.bench.pages import PageFigure
    from tidings.bench.programs import Measured
    from tidings.bench.simulator import Speed
    from tidings.collectives.measurement import Study as CollectivesStudy
    from tidings.experiment.paper import Compared
    from tidings.machines.file import Machine
    from tidings.report.compare import Difference
    from tidings.report.events import Events
    from tidings.report.frames import Rows
    from tidings.report.whatif import Gain
    from tidings.runtime.result import Run
    from tidings.runtime.run import Job
    from tidings.runtime.sweep import Sweep
    from tidings.synth.synthesis import Result as SynthesisResult
    from tidings.traffic.measurement import Study as TrafficStudy
    from tidings.verify.session import Verification

    #: A machine, the name of a shipped one, or the path of a machine file.
    MachineLike: TypeAlias = Machine | str | PathLike[str]
    #: One path or word, or several.
    Words: TypeAlias = str | PathLike[str] | Sequence[str | PathLike[str]]


def machine(machine: "MachineLike", changes: Mapping[str, object] | None = None) -> "Machine":
    """Return a machine, on request with other values than its file has.

    Parameters
    ----------
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    changes : dict, optional
        Values by the keys of machine files, as in ``{"link.latency_cycles": 40, "topology.size": [8, 8]}``.

    Raises
    ------
    UserError
        If there is no such machine, or its file or the changes are not valid.
    """
    from tidings.machines.change import changed
    from tidings.machines.file import Machine, find_machine, load_machine

    found = machine if isinstance(machine, Machine) else load_machine(find_machine(fspath(machine)))
    return changed(found, changes or {})


def list_machines() -> "pd.DataFrame":
    """Return the machines that come with Tidings: name, slots, routers, topology and summary."""
    from tidings.machines.view import catalogue_rows
    from tidings.report.frames import frame_of

    return frame_of(catalogue_rows(), "machine")


def list_algorithms() -> "pd.DataFrame":
    """Return the algorithms of the library's collectives: what carries them out, what they need, and what they do."""
    from tidings.collectives.view import algorithm_rows
    from tidings.report.frames import frame_of

    return frame_of(algorithm_rows())


def analyze_collective(
    collective: str,
    algorithm: str,
    *,
    machine: "MachineLike",
    ranks: int | None = None,
    words: int = 1,
    limit: float | None = None,
) -> "Analysis":
    """Return where the messages of a collective meet: links and conflicts of each step, and the bound.

    Parameters
    ----------
    collective, algorithm : str
        As `list_algorithms` names them; or ``alltoall`` and ``scheduled``, words that switches forward in an order.
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    ranks : int, optional
        Ranks; all slots if not given.
    words : int
        Words of the vector or of one block.
    limit : float, optional
        Seconds of the search for a schedule of words, by default `tidings.analyze.word_schedules.LIMIT_SECONDS`.

    Raises
    ------
    UserError
        If there is no such algorithm, or the ranks cannot have it.
    """
    from tidings.analyze import contention

    found = _machine(machine)
    return contention.analyze(found, collective, algorithm, ranks or found.slots, words, limit)


def compare_algorithms(
    collective: str, *, machine: "MachineLike", ranks: int | None = None, words: int = 1
) -> "tuple[Rows[Summary], dict[str, str]]":
    """Return a line for each algorithm of a collective, as `analyze_collective` finds it, and why others are left out.

    Parameters
    ----------
    collective : str
        As `list_algorithms` names it.
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    ranks : int, optional
        Ranks; all slots if not given.
    words : int
        Words of the vector or of one block.

    Raises
    ------
    UserError
        If there is no such collective.
    """
    from tidings.analyze import contention

    found = _machine(machine)
    return contention.compare(found, collective, ranks or found.slots, words)


def compare_with_paper(name: str, place: str | None = None, *, kind: str | None = None) -> "Rows[Compared]":
    """Return the values that a paper publishes beside ours, each with a verdict.

    Parameters
    ----------
    name : str
        A paper, as ``tidings experiment list`` names it.
    place : str, optional
        Only one table, figure or section, such as ``Table 4.1``.
    kind : str, optional
        Only values of a class: ``computed``, ``measured``, ``resource`` or ``lost``.

    Raises
    ------
    UserError
        If there is no such paper, or it has no such values.
    """
    from tidings.experiment import paper

    return paper.compare(paper.paper(name), place, kind)


def word_schedules(
    meshes: Iterable[tuple[int, int]], *, limit: float | None = None, progress: TextIO | None = None
) -> "Rows[Length]":
    """Return how long all-to-alls of single words take in which no two words meet, beside the bound.

    Parameters
    ----------
    meshes : iterable of pairs
        Routers in x and in y.
    limit : float, optional
        Seconds of the search for one mesh, by default `tidings.analyze.word_schedules.LIMIT_SECONDS`. A mesh without a
        schedule says why.
    progress : text stream, optional
        Where to say which mesh is next.
    """
    from tidings.analyze import word_schedules as schedules
    from tidings.report.frames import Rows

    def found(width: int, height: int) -> "Length":
        if progress is not None:
            print(f"tidings: {width}x{height}", file=progress, flush=True)
        return schedules.length(width, height, schedules.LIMIT_SECONDS if limit is None else limit)

    return Rows(found(width, height) for width, height in meshes)


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
        ``c`` or ``c++``.
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
        raise UserError(f"there is no language {language!r}; there are {' and '.join(compiler.LANGUAGES)}")
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
    threads: int = 1,
    collectives: str = "hardware",
    algorithms: Mapping[str, str] | None = None,
    algorithm_table: "PathLike[str] | str | None" = None,
    compute: str = "none",
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
    threads : int
        Threads that simulate the machine; results do not depend on it.
    collectives : str
        ``hardware``: the engines carry out collectives; ``software``: the library does, by messages; ``ideal``: they
        take no time, which no machine can do.
    algorithms : dict, optional
        Algorithms by collective, as in ``{"allreduce": "ring"}``; others are chosen by the table.
    algorithm_table : str or path, optional
        File of a table of algorithms, which comes before the built-in one.
    compute : str
        What computation between calls costs. ``none``: nothing; ``measured``: its CPU time, scaled.
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
    **values: Any,
) -> "Job":
    """Return a run that can be made."""
    from tidings.runtime import run as runs

    others = tuple((_words(other), count) for other, count in other_programs)
    job = runs.Job(
        program=_words(program),
        ranks=ranks + sum(count for _, count in others),
        other_programs=others,
        output_folder=None if output_folder is None else Path(output_folder),
        machine=_machine(machine),
        rtl_nodes=tuple(sorted(set(rtl_nodes))),
        algorithms=dict(algorithms or {}),
        algorithm_table=None if algorithm_table is None else Path(algorithm_table),
        wave_file=None if wave_file is None else Path(wave_file),
        time_limit_seconds=time_limit,
        wall_limit_seconds=wall_limit,
        event_file=None if event_file is None else Path(event_file),
        environment=dict(environment or {}),
        **values,
    )
    runs.check(job)
    return job


def _words(program: "Words") -> list[str]:
    words = [program] if isinstance(program, (str, PathLike)) else program
    return [fspath(word) for word in words]


def _execute(job: "Job", *, capture: bool = False, progress: TextIO | None = None, check: bool = True) -> "Run":
    """Run what `_request` has made."""
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
            print(f"tidings: {job.machine.name}, {job.collectives} collectives", file=progress, flush=True)
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
        changed = _machine(values["machine"], {key: values[key] for key in changes})
        plain = {key: value for key, value in values.items() if key not in changes}
        wanted.append((values | {"machine": changed.name}, _job(program, **(plain | shared | {"machine": changed}))))
    runs = []
    for values, job in wanted:
        if progress is not None:
            print("tidings: " + ", ".join(f"{key} {value}" for key, value in values.items()), file=progress, flush=True)
        runs.append((values, _execute(job, **how)))
    return Sweep(tuple(runs))


def check_machine(
    machine: "MachineLike",
    ranks: int | None = None,
    *,
    dateline: bool = True,
    routes: "Sequence[StaticEntry] | None" = None,
    without: str | None = None,
) -> "ChannelCheck":
    """Check that the network of a machine cannot deadlock, from its channel dependency graph.

    Parameters
    ----------
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    ranks : int, optional
        Cut the machine as a run of that number of ranks does.
    dateline : bool
        False leaves the dateline channels of wrap-around links out.
    routes : sequence of StaticEntry, optional
        Static routes to check; trees of all kinds at once if not given.
    without : str, optional
        A rule of static routes that is left out: ``turns``, ``order`` or ``room``.

    Raises
    ------
    UserError
        If there is no such machine.
    """
    from tidings.analyze import deadlock

    return deadlock.check_channels(_machine(machine), ranks, dateline=dateline, routes=routes, without=without)


def check_random_machines(count: int, seed: int = 1) -> "RandomCheck":
    """Check machines that are drawn from a seed as `check_machine` does."""
    from tidings.analyze import deadlock

    return deadlock.check_random(count, seed, lambda _: None)


def verify_machines(
    machine: "MachineLike | None" = None,
    *,
    count: int = 30,
    seed: int = 1,
    hops: int | None = None,
    node_kinds: int = 3,
    progress: TextIO | None = None,
) -> "Verification":
    """Compare the RTL and the cycle model in every cycle, on machines and traffic that are drawn from a seed.

    Parameters
    ----------
    machine : Machine, str or path, optional
        A machine, as it is; without, machines are drawn.
    count : int
        Machines to draw, or scripts on the one that is given.
    seed : int
        Of machines and traffic.
    hops : int, optional
        Flit-hops to compare, at least; a million if not given.
    node_kinds : int
        Sets of node parameters to compile, each of which takes half a minute.
    progress : text stream, optional
        Where to say how far the work is.

    Returns
    -------
    Verification
        Whether both were ``equal``, the first ``failure``, and what was seen.

    Raises
    ------
    UserError
        If there is no such comparison.
    """
    from tidings.verify import session

    chosen = None if machine is None else _machine(machine)
    return session.verify(chosen, count=count, seed=seed, hops=hops, node_kinds=node_kinds, progress=progress)


def bench_simulator(
    machines: "Sequence[MachineLike] | None" = None,
    *,
    fidelity: str = "cycle",
    cycles: int | None = None,
    threads: int | None = None,
    against: "str | PathLike[str] | None" = None,
    repeat: int = 3,
    progress: TextIO | None = None,
) -> "Rows[Speed]":
    """Measure how fast machines are simulated, without ranks and without idle time.

    Parameters
    ----------
    machines : sequence of Machine, str or path, optional
        Machines to simulate; four networks and ``spirit`` if not given.
    fidelity : str
        ``cycle`` or ``rtl``.
    cycles : int, optional
        Fabric cycles per load; what takes about a second if not given.
    threads : int, optional
        Compare 1 to N threads, by the cycle model.
    against : path, optional
        Another checkout in which ``make`` has built Tidings: both builds are measured in turn, and the ratio is that of
        speeds, to the other build. Machines are then given by name or path.
    repeat : int
        With ``threads`` or ``against``: each is measured this number of times, and the best is kept.
    progress : text stream, optional
        Where to say what is measured.

    Raises
    ------
    UserError
        If the request makes no sense, or the other checkout is not built.
    """
    from tidings.bench import simulator
    from tidings.report.frames import Rows

    if against is not None:
        if threads is not None:
            message = "threads and builds are compared one at a time: leave --threads or --against out"
            raise UserError(message)
        names = [fspath(name) for name in machines or () if isinstance(name, str | PathLike)]
        if len(names) != len(machines or ()):
            message = "with another checkout, machines are given by name or path"
            raise UserError(message)
        compared = simulator.speeds_against(Path(against), names, fidelity, cycles, repeat, progress)
        return Rows(compared)
    chosen = None if not machines else [_machine(one) for one in machines]
    return Rows(simulator.speeds(chosen, fidelity, cycles, threads, repeat, progress))


def bench_library(machine: "MachineLike" = "spirit") -> "Rows[CallCost]":
    """Count the instructions that calls of the MPI library execute.

    Parameters
    ----------
    machine : Machine, str or path
        Where the program that makes the calls runs, with two ranks.

    Raises
    ------
    UserError
        If there is no valgrind or no C compiler.
    """
    from tidings.bench import library
    from tidings.report.frames import Rows

    return Rows(library.call_costs(_machine(machine)))


def bench_soft_core(
    image: "str | PathLike[str]", machine: "MachineLike" = "spirit", *, update: bool = False
) -> "Rows[CoreCost]":
    """Count what calls of the MPI library execute on an emulated soft core, beside what machines charge for them.

    Parameters
    ----------
    image : str or path
        ``tidings_rv32_counted``, which ``make rv32-counted`` builds.
    machine : Machine, str or path
        Where it runs, with two ranks.
    update : bool
        The machines charge from now on what has been counted.

    Raises
    ------
    UserError
        If there is no such image, or it does not run.
    """
    from tidings.bench import core_counts
    from tidings.report.frames import Rows

    costs = core_counts.core_costs(Path(image), _machine(machine))
    if update:
        core_counts.update(costs)
        costs = [cost.charged_anew() for cost in costs]
    return Rows(costs)


def bench_programs(
    patterns: Sequence[str] = (),
    *,
    most_ranks: int = 1024,
    against: "str | PathLike[str] | None" = None,
    repeat: int = 3,
    events: bool = False,
    progress: TextIO | None = None,
) -> "Rows[Measured]":
    """Measure how much wall time programs take.

    Parameters
    ----------
    patterns : sequence of str
        What the programs do; all patterns if empty.
    most_ranks : int
        Patterns of more ranks are left out.
    against : path, optional
        Another checkout in which ``make`` has built Tidings: both builds are measured in turn.
    repeat : int
        Measurements of each build; the best is kept.
    events : bool
        Compare runs that store their events with runs that do not.
    progress : text stream, optional
        Where to say what is measured.

    Raises
    ------
    UserError
        If a pattern is not known, the other checkout is not built, there is no C compiler, or a run fails.
    """
    from tidings.bench import programs
    from tidings.report.frames import Rows

    other = None if against is None else Path(against)
    return Rows(programs.measure(patterns, most_ranks, other, repeat, progress, events=events))


def bench_osu(
    machine: "MachineLike" = "spirit",
    *,
    benchmarks: Sequence[str] = (),
    ranks: int | None = None,
    least_bytes: int = 1,
    most_bytes: int = 1 << 16,
    iterations: int = 4,
    collectives: str = "hardware",
    fidelity: str = "cycle",
    progress: TextIO | None = None,
) -> "Rows[Figure]":
    """Measure what OSU's micro-benchmarks measure, in virtual time, beside what the machine could do at best.

    Parameters
    ----------
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    benchmarks : sequence of str
        Names such as ``latency``, ``bw``, ``allreduce``, ``iallreduce`` and ``put_latency``, or families; all if empty.
    ranks : int, optional
        Ranks; 8 or all slots if not given.
    least_bytes, most_bytes : int
        Sizes, from the least doubled up to the most.
    iterations : int
        Repetitions of each measurement.
    collectives : str
        ``hardware``, ``software`` or ``ideal``, as in `run`.
    fidelity : str
        ``cycle`` or ``rtl``.
    progress : text stream, optional
        Where to say what is measured.

    Raises
    ------
    UserError
        If there is no such benchmark, the ranks do not fit, there is no C compiler, or a run fails.
    """
    from tidings.bench import osu
    from tidings.report.frames import Rows

    plan = osu.Plan(
        machine=_machine(machine),
        benchmarks=tuple(benchmarks),
        ranks=ranks,
        bytes=(least_bytes, most_bytes),
        iterations=iterations,
        fidelity=fidelity,
        collectives=collectives,
    )
    return Rows(osu.measure(plan, progress))


def bench_report(*, steps: int = 100, repeat: int = 3, progress: TextIO | None = None) -> "Rows[PageFigure]":
    """Measure how long the report of a run of 64 ranks takes to be written, opened and moved about in.

    Parameters
    ----------
    steps : int
        Steps of the program that is run: each has about a thousand events.
    repeat : int
        How often the page is opened; the best is kept.
    progress : text stream, optional
        Where to say what is measured.

    Raises
    ------
    UserError
        If there is no browser, or no C compiler.
    """
    from tidings.bench import pages
    from tidings.report.frames import Rows

    return Rows(pages.measure(steps, repeat, progress))


def bench_links(machine: "MachineLike" = "spirit", *, cycles: int = 200_000, seed: int = 1) -> "Rows[LinkCost]":
    """Measure what bit errors cost on a link that loses nothing.

    Parameters
    ----------
    machine : Machine, str or path
        Its link latency and buffers are taken.
    cycles : int
        Fabric cycles per bit error rate and load.
    seed : int
        Seed of traffic and errors.

    Raises
    ------
    UserError
        If the machine has no links.
    """
    from tidings.bench import links
    from tidings.report.frames import Rows

    return Rows(links.link_costs(_machine(machine), cycles, seed))


def bench_collectives(
    machine: "MachineLike" = "spirit",
    *,
    operations: Sequence[str] = (),
    trees: Sequence[str] = (),
    nodes: Sequence[int] = (),
    words: Sequence[int] = (),
    vectors: int = 1,
    element: str = "double",
    fidelity: str = "cycle",
    progress: TextIO | None = None,
) -> "CollectivesStudy":
    """Measure how many cycles collectives take in the engines, without ranks and software.

    Parameters
    ----------
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    operations : sequence of str
        Collectives to measure; all if not given.
    trees : sequence of str
        Trees to measure; all if not given.
    nodes : sequence of int
        Numbers of nodes; powers of two up to 64 if not given.
    words : sequence of int
        Words of a vector; 8, 256, 4096 and 65536 if not given.
    vectors : int
        Vectors one after the other, which give the sustained rate.
    element : str
        What reductions sum.
    fidelity : str
        ``cycle`` or ``rtl``.
    progress : text stream, optional
        Where to say how far the work is.

    Returns
    -------
    Study
        Its ``frame`` has a row per collective.

    Raises
    ------
    UserError
        If there is no such measurement.
    """
    from tidings.collectives import study

    plan = study.Plan(
        machine=_machine(machine),
        operations=tuple(operations),
        trees=tuple(trees),
        nodes=tuple(nodes),
        words=tuple(words),
        vectors=vectors,
        element=element,
        fidelity=fidelity,
    )
    study.check(plan)
    return study.execute(plan, progress)


def bench_traffic(
    machine: "MachineLike",
    *,
    pattern: str = "uniform",
    loads: Sequence[float] | None = None,
    packet_flits: int = 1,
    burst_packets: int = 1,
    vcs: int | None = None,
    hot_endpoints: Sequence[int] = (),
    hot_share: float = 0.1,
    seed: int = 1,
    threads: int = 1,
    warmup_cycles: int = 5000,
    measure_cycles: int = 20_000,
    drain_cycles: int = 200_000,
    saturation: bool | None = None,
    exchange: bool = False,
    progress: TextIO | None = None,
) -> "TrafficStudy":
    """Send synthetic traffic through a machine's network and measure latency and throughput.

    Parameters
    ----------
    machine : Machine, str or path
        A machine; ``tidings.machine(name, changes)`` makes one with another topology, size or buffers.
    pattern : str
        Who sends to whom.
    loads : sequence of float, optional
        Offered loads in flits per endpoint and cycle; the whole curve if not given.
    packet_flits : int
        Length of a packet.
    burst_packets : int
        Packets that an endpoint creates at once, all for one destination.
    vcs : int, optional
        Virtual channels of a link; the fewest if not given.
    hot_endpoints : sequence of int
        Endpoints that pattern ``hotspot`` prefers; the router in the middle if not given.
    hot_share : float
        Share of the packets that go to them.
    seed : int
        Seed of the random numbers.
    threads : int
        Threads that simulate the network; results do not depend on it.
    warmup_cycles : int
        Cycles before the measurement.
    measure_cycles : int
        Cycles whose packets are measured.
    drain_cycles : int
        Cycles after which packets that are still on their way are given up.
    saturation : bool, optional
        Find the load up to which the machine keeps up; if not given, unless there is a single load.
    exchange : bool
        Time one packet from everyone to everyone else instead.
    progress : text stream, optional
        Where to say how far the work is.

    Returns
    -------
    Study
        Its ``curve`` has a row per load, its ``links`` a row per load and link.

    Raises
    ------
    UserError
        If there is no such traffic.
    """
    from tidings.traffic import study
    from tidings.traffic.measurement import Traffic

    plan = study.Plan(
        traffic=Traffic(
            machine=_machine(machine),
            vcs=vcs,
            pattern=pattern,
            hot_endpoints=tuple(hot_endpoints),
            hot_share=hot_share,
            packet_flits=packet_flits,
            burst_packets=burst_packets,
            seed=seed,
            threads=threads,
            warmup_cycles=warmup_cycles,
            measure_cycles=measure_cycles,
            drain_cycles=drain_cycles,
        ),
        loads=None if loads is None else list(loads),
        saturation=saturation,
        exchange=exchange,
    )
    study.check(plan)
    return study.execute(plan, progress)


def synthesize(
    design: str,
    targets: Sequence[str] = ("ecp5",),
    *,
    parameters: Mapping[str, int] | None = None,
    seed: int = 1,
    progress: TextIO | None = sys.stderr,
) -> "Rows[SynthesisResult]":
    """Synthesize a module or the node of a machine: what it costs on FPGAs, and on ECP5 how fast it runs.

    Parameters
    ----------
    design : str
        A module of the RTL, or a machine, which stands for its node.
    targets : sequence of str
        Families of FPGAs: ecp5, xc7, xc4v, xc2v.
    parameters : dict, optional
        Parameters of the module by name.
    seed : int
        Where place and route starts (ECP5).
    progress : text stream, optional
        Where to say what takes long.

    Raises
    ------
    UserError
        If there is no such design or target, or a tool fails.
    """
    from tidings.report.frames import Rows
    from tidings.synth import synthesis

    def say(text: str) -> None:
        if progress is not None:
            print(f"tidings: {text}", file=progress, flush=True)

    found = synthesis.find_design(design, parameters or {})
    return Rows(synthesis.synthesize(found, target, seed=seed, say=say) for target in targets)


def _machine(given: "MachineLike", changes: Mapping[str, object] | None = None) -> "Machine":
    return machine(given, changes)
