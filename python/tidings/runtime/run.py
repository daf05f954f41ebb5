# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Runs of programs on machines: checks of what was asked for, and the call into the simulator."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TextIO

from tidings import _core
from tidings.errors import UserError
from tidings.files import check_writable, reason_of
from tidings.layout import RANK_LIBRARY, rank_library_folder
from tidings.machines.configuration import configuration
from tidings.machines.file import Machine
from tidings.runtime import threads
from tidings.runtime.mistakes import CHECKS, source_of
from tidings.runtime.outputs import rank_outputs
from tidings.runtime.panel import progress_on
from tidings.runtime.placement import places_of
from tidings.runtime.program import (
    MPICH_LIBRARY,
    check_program,
    is_for_mpich,
    library_of_classes,
    missing_functions,
    sanitizer_runtimes,
)

#: Fidelities that can be asked for: the cycle model, or the SystemVerilog itself. Both give the same virtual times.
FIDELITIES = ("cycle", "rtl")
#: Who carries out collectives: the engines, or the library by messages.
COLLECTIVES = ("hardware", "software")
#: Collectives that no machine has: they take no time, but that ranks wait for each other.
IDEAL = "ideal"
#: In these, a rank waits for those only whose data it needs.
_IDEAL_ALGORITHMS = {"bcast": "star", "reduce": "serial", "gather": "linear", "scatter": "linear"}
#: What a rank's own computation costs, by the name that a user gives.
COMPUTE = {compute.name.lower(): compute for compute in _core.Compute}

#: The debugger of --debug-rank, with what goes in front of the program.
GDB = ("gdb", "--quiet", "--args")

#: Names the library that mpi4py loads.
_MPI4PY_LIBRARY = "MPI4PY_LIBMPI"
#: Seconds of the search for a schedule of an all-to-all that has not been looked for before.
_SCHEDULE_SECONDS = 20.0
#: Set for tests: nodes are compiled in a fraction of the time, since runs of tests are short.
_QUICK_NODES = "TIDINGS_QUICK_NODES"
#: Missing functions that a message names before it counts the others.
_NAMED = 5


@dataclass(frozen=True)
class Job:
    """A run as a user asks for it."""

    program: list[str]
    ranks: int
    machine: Machine
    fidelity: str = "cycle"
    threads: int | None = None  #: that simulate the machine; None: as many as pay
    rtl_nodes: tuple[int, ...] = ()  #: routers that are SystemVerilog at fidelity `cycle`
    collectives: str = "hardware"
    algorithms: dict[str, str] = field(default_factory=dict)  #: by collective
    algorithm_table: Path | None = None
    compute: str = "none"
    wave_file: Path | None = None
    wave_node: int | None = None
    time_limit_seconds: float | None = None
    wall_limit_seconds: float | None = None
    event_file: Path | None = None  #: in which what happens is stored
    environment: dict[str, str] = field(default_factory=dict)
    other_programs: tuple[tuple[list[str], int], ...] = ()  #: of the last ranks, and how many execute each
    label: bool = False  #: each line that is printed begins with its rank
    output_folder: Path | None = None  #: of files that hold what each rank prints
    mistakes: str = "off"  #: whether the program's mistakes are looked for, and what becomes of them
    map: "str | PathLike[str] | Sequence[str] | None" = None  #: where ranks sit, as `places_of` reads it
    debug_rank: int | None = None  #: rank that runs in a debugger
    debugger: tuple[str, ...] = ()  #: the debugger and its options; what the program's name comes behind
    profile: str | None = None  #: of the machine: a library that the run's costs and algorithms are those of

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The slot of each rank, counted over the routers of `network`."""
        return tuple(range(self.ranks)) if self.map is None else places_of(self.machine, self.ranks, self.map)

    @property
    def network(self) -> _core.Topology:
        """The routers that are simulated: all if there is a map, else the smallest part that holds the ranks."""
        return self.machine.network(self.ranks if self.map is None else None)

    @property
    def programs(self) -> list[tuple[list[str], int]]:
        """The programs with their arguments, and how many ranks execute each."""
        others = sum(ranks for _, ranks in self.other_programs)
        return [(self.program, self.ranks - others), *self.other_programs]


def collectives_of(asked: str | None, profile: str | None) -> str:
    """Return what carries out collectives: the engines if nothing is asked for, or messages with a profile.

    Raises
    ------
    UserError
        If the engines are asked for with a profile, which has none.
    """
    if profile is not None and asked not in (None, "software", IDEAL):
        _reject(f"collectives {asked!r}: profile {profile} has none by the engines; leave one of the two out")
    return asked or ("hardware" if profile is None else "software")


def check(job: Job) -> None:
    """Check everything that can be checked before any work is done.

    Raises
    ------
    UserError
        Saying what is wrong and what to do.
    """
    for what, name, known in (
        ("fidelity", job.fidelity, FIDELITIES),
        ("collectives", job.collectives, (*COLLECTIVES, IDEAL)),
        ("compute", job.compute, COMPUTE),
        ("check", job.mistakes, CHECKS),
    ):
        if name not in known:
            _reject(f"{what} {name!r} is not available; available: {', '.join(known)}")
    if job.profile is not None:
        job.machine.profile(job.profile)  # refuses one that the machine does not have
    _check_algorithms(job)
    _check_ranks(job)
    _ = job.places  # refuses a map that cannot be
    _check_engines(job)
    _check_rtl_nodes(job)
    _check_threads(job)
    for words, _ in job.programs:
        check_program(words[0])
    if job.mistakes != "off" and len({is_for_mpich(words[0]) for words, _ in job.programs}) > 1:
        _reject("--check is for programs of one ABI, and some of these are for MPICH's: compile them with tidings cc")
    if _class_libraries(job) and not all(is_for_mpich(words[0]) for words, _ in job.programs):
        _reject("a program with MPICH's classes of C++ runs with none of another ABI: compile these with MPICH, too")
    _check_debugger(job)
    if job.label and job.output_folder is not None:
        _reject("--label is for lines that are shown, --output-folder sends them to files: leave one of the two out")
    if job.wave_file is not None:
        check_writable("--wave", job.wave_file)
    if job.event_file is not None:
        check_writable("--events", job.event_file)
    _check_waves(job)
    for option, seconds in (("--time-limit", job.time_limit_seconds), ("--wall-limit", job.wall_limit_seconds)):
        if seconds is not None and not 0 < seconds <= 1e6:
            _reject(f"{option} {seconds:g} must be more than 0 and at most 1,000,000 seconds")


def execute(job: Job, progress: TextIO | None, findings: Path | None = None) -> _core.RunReport:
    """Run a program to its end.

    Parameters
    ----------
    job : Job
        What to run; `check` has accepted it.
    progress : TextIO or None
        Where to say how far a long run has come.
    findings : Path, optional
        File that mistakes of the program are appended to; without it, none are looked for.
    """
    options = _core.RunOptions()
    options.debugged_rank = job.debug_rank
    for words, ranks, number in _started(job):
        options.add_program(words, ranks, number)
    for words, _ in job.programs:
        if progress is not None and (missing := missing_functions(words[0])):
            print(f"tidings: {_about_missing(words[0], missing)}", file=progress, flush=True)
    options.machine = configuration(job.machine, job.profile)
    options.places = [] if job.map is None else list(job.places)
    if job.fidelity == "rtl" or job.rtl_nodes:
        waves = job.wave_file is not None
        options.node_library = str(compiled_node(job.machine, waves=waves, progress=progress))
        options.rtl_nodes = list(job.rtl_nodes)
    options.threads = threads_of(job)[0]
    options.rank_library = str(rank_library_folder() / RANK_LIBRARY)
    options.library_directory = str(rank_library_folder())
    options.environment = (
        _mpi4py_environment()
        | job.environment
        | _algorithm_environment(job)
        | _library_environment(job, findings)
        | _schedule_environment(job)
    )
    options.compute = COMPUTE[job.compute]
    options.hardware_collectives = job.collectives == "hardware"
    # A profile without engines for collectives names what its library has of the machine.
    options.named_switches = job.profile is not None and job.collectives == "software"
    options.ideal_collectives = job.collectives == IDEAL
    options.wave_file = str(job.wave_file or "")
    options.wave_node = job.wave_node
    # Nobody knows how long a person looks at a program that stands still.
    options.wall_limit_seconds = 0 if job.debug_rank is not None else job.wall_limit_seconds or 0
    options.time_limit_ps = round((job.time_limit_seconds or 0) * 1e12)
    options.event_file = str(job.event_file or "")
    shown = None if progress is None or job.debug_rank is not None else progress_on(progress)
    options.progress = None if shown is None else shown.show
    options.source = source_of
    try:
        with rank_outputs(job.ranks, label=job.label, folder=job.output_folder) as outputs:
            for standard_output, standard_error in outputs:
                options.add_output(standard_output, standard_error)
            return _core.run(options)
    except OSError as error:  # of the system: limits of memory, processes or files
        message = f"the run could not be started: {reason_of(error)}"
        raise UserError(message) from error
    finally:
        if shown is not None:
            shown.close()


def _started(job: Job) -> Iterator[tuple[list[str], int, int]]:
    """Yield what ranks execute, with the program's number: the programs, and at one rank the debugger with its own."""
    first = 0
    for number, (words, ranks) in enumerate(job.programs):
        before = -1 if job.debug_rank is None else job.debug_rank - first
        first += ranks
        if not 0 <= before < ranks:
            yield words, ranks, number
            continue
        if before > 0:
            yield words, before, number
        # A debugger does not look for programs in all places that a shell does.
        yield [*job.debugger, shutil.which(words[0]) or words[0], *words[1:]], 1, number
        if ranks - before > 1:
            yield words, ranks - before - 1, number


def _about_missing(program: str, missing: list[str]) -> str:
    """Say which functions a program names that would end its run."""
    names = ", ".join(missing[:_NAMED]) + (f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else "")
    return f"{program} names functions that this MPI lacks; the run ends if one is called: {names}"


def threads_of(job: Job) -> tuple[int, str]:
    """Return the threads that simulate a run's machine, and why they are fewer than were asked for, if they are."""
    config = configuration(job.machine)
    if job.threads is not None:
        return threads.of_machine(job.machine, config, job.network.routers, job.threads)
    if job.fidelity != "cycle" or job.rtl_nodes or job.wave_file is not None:
        return 1, ""
    return threads.that_pay(config, job.network.routers), ""


def compiled_node(machine: Machine, *, waves: bool, progress: TextIO | None) -> Path:
    """Find the compiled node of a machine, or compile it, which takes a minute and is said on ``progress``."""
    from tidings.build.verilated_node import Variant, node_library

    def say(text: str) -> None:
        if progress is not None:
            print(f"tidings: {text}", file=progress, flush=True)

    return node_library(machine, Variant(waves=waves, quick=_QUICK_NODES in os.environ), say=say)


def _algorithm_environment(job: Job) -> dict[str, str]:
    """Return the variables that tell the library which algorithms a run uses."""
    variables = {}
    profile = {} if job.profile is None else job.machine.profile(job.profile).algorithms
    algorithms = (_IDEAL_ALGORITHMS if job.collectives == IDEAL else profile) | dict(job.algorithms)
    if algorithms:
        variables[_core.ALGORITHM_CHOICES_VARIABLE] = _choices(algorithms)
    if job.algorithm_table is not None:
        variables[_core.ALGORITHM_TABLE_VARIABLE] = str(job.algorithm_table.absolute())
    return variables


def _schedule_environment(job: Job) -> dict[str, str]:
    """Return the variable that names the schedule of all-to-alls, if the machine has switches for it."""
    if not job.machine.alltoall.slots or job.collectives != "hardware":
        return {}
    from tidings.analyze.word_schedules import NoScheduleError, kept_starts, switches_of

    grid = switches_of(job.machine, job.ranks)
    try:
        starts = kept_starts(grid, _SCHEDULE_SECONDS)
    except NoScheduleError:
        return {}
    return {_core.WORD_SCHEDULE_VARIABLE: f"{'x'.join(map(str, grid.size))}:{starts}"}


def _mpi4py_environment() -> dict[str, str]:
    """Return the variable by which mpi4py's released wheel finds the library and no MPICH that is beside it."""
    if _MPI4PY_LIBRARY in os.environ:
        return {}
    return {_MPI4PY_LIBRARY: str(rank_library_folder() / MPICH_LIBRARY)}


def _library_environment(job: Job, findings: Path | None) -> dict[str, str]:
    """Return the variables by which sanitizers and the checker are loaded, and by which that knows its file.

    The user's library with MPICH's classes of C++ is loaded in the place of ours, which is empty.
    """
    libraries, variables = [*sanitizer_runtimes(), *_class_libraries(job)], {}
    if findings is not None:
        checker = str(rank_library_folder() / "libtidings_check.so")
        variables[_core.CHECK_FILE_VARIABLE] = str(findings)
        if is_for_mpich(job.program[0]) or _has_mpi4py_for_mpich(job):
            variables[_core.CHECK_LIBRARY_VARIABLE] = checker
        else:
            libraries.append(checker)
    return variables | _preloading(job, libraries)


def _class_libraries(job: Job) -> list[str]:
    found = {library_of_classes(words[0]) for words, _ in job.programs}
    return sorted(each for each in found if each is not None)


def _preloading(job: Job, libraries: list[str]) -> dict[str, str]:
    """Return the variable by which libraries come before those that a program loads."""
    if not libraries:
        return {}
    preloaded = (os.environ | job.environment).get("LD_PRELOAD", "")
    return {"LD_PRELOAD": ":".join(filter(None, (*libraries, preloaded)))}


def _has_mpi4py_for_mpich(job: Job) -> bool:
    """Ask a Python interpreter whether its mpi4py is the released wheel, which loads MPI in MPICH's ABI by itself."""
    program = shutil.which(job.program[0])
    if program is None or not Path(program).name.startswith("python"):
        return False
    command = [
        program,
        "-c",
        "import importlib.util as util; print(*util.find_spec('mpi4py').submodule_search_locations)",
    ]
    asked = subprocess.run(
        command, env=os.environ | job.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    return asked.returncode == 0 and any(Path(asked.stdout.strip()).glob("MPI.mpich.*"))


def _choices(algorithms: Mapping[str, str]) -> str:
    return ",".join(f"{collective}={algorithm}" for collective, algorithm in algorithms.items())


def _check_algorithms(job: Job) -> None:
    """Let the library read what it will be told."""
    try:
        _core.check_algorithm_choices(_choices(job.algorithms))
    except ValueError as error:
        raise UserError(f"--algorithm: {error}") from error
    if job.algorithm_table is None:
        return
    try:
        text = job.algorithm_table.read_text(encoding="utf-8")
        _core.check_algorithm_table(text, str(job.algorithm_table))
    except OSError as error:
        raise UserError(f"--algorithm-table {job.algorithm_table}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"--algorithm-table {job.algorithm_table}: it is not text in UTF-8") from error
    except ValueError as error:
        raise UserError(f"--algorithm-table: {error}") from error


def _check_ranks(job: Job) -> None:
    machine = job.machine
    for _, ranks in job.programs:
        if ranks < 1:
            _reject(f"{ranks} ranks: a run needs at least one (-n 1)")
    if job.ranks > machine.slots:
        _reject(
            f"{job.ranks} ranks do not fit on {machine.name}, which has {machine.slots} slots: "
            f"use -n {machine.slots} or less, a larger machine, or more slots per router (topology.slots in its file), "
            "because a slot holds one rank"
        )


def _check_engines(job: Job) -> None:
    without = [slot for slot in range(job.machine.topology.slots) if slot not in job.machine.mpe.slots]
    if without:
        _reject(
            f"slot {without[0]} of a router has no mpe, and MPI_Init meets in the engines: "
            f"add it to mpe.slots in the file of {job.machine.name}"
        )


def _check_rtl_nodes(job: Job) -> None:
    if not job.rtl_nodes:
        return
    if job.fidelity == "rtl":
        _reject("--rtl-nodes chooses nodes at --fidelity cycle; at --fidelity rtl all are: leave one of the two out")
    for node in job.rtl_nodes:
        _check_router("--rtl-nodes", node, job)


def _check_threads(job: Job) -> None:
    if (job.threads or 1) > 1 and (job.fidelity == "rtl" or job.rtl_nodes or job.machine.link.reliable):
        _reject("--threads is for the cycle model: leave it out with --fidelity rtl, --rtl-nodes and reliable links")


def _check_debugger(job: Job) -> None:
    if job.debug_rank is None:
        if job.debugger:
            _reject("--debugger is for the rank that --debug-rank names: give both")
        return
    if not 0 <= job.debug_rank < job.ranks:
        ranks = "rank 0 only" if job.ranks == 1 else f"ranks 0 to {job.ranks - 1}"
        _reject(f"--debug-rank {job.debug_rank}: the run has {ranks}")
    if job.label or job.output_folder is not None:
        _reject("--debug-rank: the debugger has the terminal, so leave out --label and --output-folder")
    if shutil.which(job.debugger[0]) is None:
        _reject(f"--debug-rank: {job.debugger[0]} is not on PATH; install it, or name another one with --debugger")
    if job.debugger == GDB and not os.isatty(0):
        _reject(
            f"--debug-rank: {job.debugger[0]} reads commands from a terminal, and standard input is none; "
            'for a script, --debugger "gdb --batch -x FILE --args"'
        )


def _check_waves(job: Job) -> None:
    if job.wave_file is None:
        if job.wave_node is not None:
            _reject("--wave-node chooses what --wave writes: give both")
        return
    if job.fidelity == "cycle" and not job.rtl_nodes:
        _reject(
            "--wave writes signals of SystemVerilog nodes, and at --fidelity cycle there are none: "
            "add --fidelity rtl, or --rtl-nodes 0 for the nodes to look into"
        )
    if job.wave_node is None:
        return
    _check_router("--wave-node", job.wave_node, job)
    if job.rtl_nodes and job.wave_node not in job.rtl_nodes:
        _reject(f"--wave-node {job.wave_node} is not among --rtl-nodes, and only they have waveforms")


def _check_router(option: str, node: int, job: Job) -> None:
    routers = job.network.routers
    if not 0 <= node < routers:
        used = "router 0 only" if routers == 1 else f"routers 0 to {routers - 1}"
        ranks = f"{job.ranks} rank{'s' * (job.ranks != 1)}"
        _reject(f"{option} {node}: a run of {ranks} on {job.machine.name} uses {used}")


def _reject(message: str) -> None:
    raise UserError(message)
