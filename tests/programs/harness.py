# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds the test programs and runs them under MPICH and on Tidings machines."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.programs import command_server

from tidings.machines.file import find_machine, load_machine
from tidings.runtime.run import compiled_node

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "programs"
KERNELS = ROOT / "examples" / "kernels"
KMEANS = ROOT / "examples" / "kmeans" / "kmeans.c"
DIGITS = ROOT / "examples" / "data" / "digits.csv"

#: The programs of this folder, by name.
PROGRAMS = sorted(path.stem for path in HERE.glob("*.c"))
#: Folders of more programs, by what they are about.
AREAS = (
    "applications",
    "collectives",
    "communicators",
    "datatypes",
    "files",
    "messages",
    "objects",
    "threads",
    "topologies",
    "windows",
)
#: The programs of those folders, in C and C++, by the names of folder and program.
AREA_PROGRAMS = sorted(f"{path.parent.name}/{path.stem}" for area in AREAS for path in (HERE / area).glob("*.c*"))
MACHINES = ("spirit", "mesh8x8", "crossbar")
#: Machines that are no grids.
GRAPHS = ("fat-tree", "dragonfly", "star")
COLLECTIVES = ("hardware", "software")

_FLAGS = ("-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", f"-I{HERE}")
_STANDARDS = {".c": "-std=gnu11", ".cpp": "-std=gnu++20"}

#: No run here takes longer in wall time, not even on a loaded machine: beyond it something hangs.
PATIENCE_SECONDS = 240
#: How often MPICH may hang: when sessions are made on two cores, 16 of its ranks do so in one run of 20.
_ATTEMPTS = 3


@dataclass(frozen=True)
class Outcome:
    """What a program left behind."""

    status: int
    stdout: str
    stderr: str


def source_of(name: str) -> Path:
    """Path of a test program's source."""
    classes = HERE / f"{name}.cpp"
    return classes if classes.exists() else HERE / f"{name}.c"


def functions_called(source: Path) -> set[str]:
    """MPI functions that a file calls."""
    return set(re.findall(r"\b(MPIX?_[A-Z][a-z]?\w*)\s*\(", source.read_text()))


def build(source: Path, flags: Sequence[str] = (), compiler: Sequence[str] = ()) -> Path:
    """Compile a program, unless its very text has been compiled before; unasked, with its language's compiler."""
    compiler = compiler or ("tidings", "c++" if source.suffix == ".cpp" else "cc")
    openmp = ("-fopenmp",) if "#pragma omp" in source.read_text() else ()
    flags = (*_FLAGS, _STANDARDS[source.suffix], *openmp, *flags)
    inputs = [source, *sorted({*HERE.glob("*.h"), *source.parent.glob("*.h")})]
    recipe = "\0".join([*compiler, *flags, *(path.read_text() for path in inputs)])
    binary = BUILD / "bin" / f"{source.stem}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    with _locked(binary):
        if not binary.exists():
            command = [_tool(compiler[0]), *compiler[1:], str(source), *flags, "-lm", "-o", f"{binary}.new"]
            if compiler[0] == "tidings":
                done = command_server.run(command, os.environ, PATIENCE_SECONDS)
                assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr}"
            else:
                subprocess.run(command, check=True, timeout=PATIENCE_SECONDS)
            Path(f"{binary}.new").rename(binary)
    return binary


def run_mpich(binary: Path, ranks: int, arguments: Sequence[str] = ()) -> Outcome:
    """Run a program under MPICH's ``mpiexec``, or return what it did when it was run before.

    A run that hangs is repeated, with a warning: what MPICH's waiting ranks do on few cores is not what is tested.
    """
    key = hashlib.sha256(binary.read_bytes() + "\0".join(arguments).encode()).hexdigest()[:16]
    kept = BUILD / "mpich" / f"{binary.name}-{key}-{ranks}.json"
    with _locked(kept):
        if not kept.exists():
            mpiexec = _tool("mpiexec")
            # The program names our library as its own; where to look first is the launcher's to say.
            environment = os.environ | {"LD_LIBRARY_PATH": str(Path(mpiexec).parents[1] / "lib")}
            # Its transport writes of network interfaces that a container has not, and to standard output.
            environment["UCX_LOG_LEVEL"] = "fatal"
            command = [mpiexec, "-n", str(ranks), str(binary), *arguments]
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    outcome = _run(command, environment, PATIENCE_SECONDS / _ATTEMPTS)
                    break
                except subprocess.TimeoutExpired:
                    if attempt == _ATTEMPTS:
                        raise
                    warnings.warn(f"MPICH hung and is tried again: {shlex.join(command)}", stacklevel=2)
            kept.write_text(json.dumps(outcome.__dict__))
        return Outcome(**json.loads(kept.read_text()))


def tidings_command(
    program: Sequence[str | Path], ranks: int, machine: str = "crossbar", options: Sequence[str] = ()
) -> list[str]:
    """Return the command line of a run with ``--compute none``."""
    run = [_tool("tidings"), "run", "-n", str(ranks), "-m", machine, "--compute", "none", *options]
    return [*run, *(str(word) for word in program)]


def run_tidings(
    program: Sequence[str | Path], ranks: int, machine: str = "crossbar", options: Sequence[str] = ()
) -> Outcome:
    """Run a program on a machine, at fidelity ``cycle`` where the options name no other."""
    if "rtl" in options or "--rtl-nodes" in options:
        # What compiling takes says nothing about the run, and a run that is ended while it compiles begins anew.
        compiled_node(load_machine(find_machine(machine)), waves=False, progress=None)
    done = command_server.run(tidings_command(program, ranks, machine, options), os.environ, PATIENCE_SECONDS)
    return Outcome(done.returncode, done.stdout, done.stderr)


def _run(command: list[str], environment: dict[str, str], patience: float) -> Outcome:
    # A session of its own: where a run hangs, all of its ranks are ended with it.
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
    return Outcome(process.returncode, stdout, stderr)


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Let one process at a time make a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{file}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _tool(name: str) -> str:
    """Find a command beside the running interpreter, as in an environment that is not activated, or on PATH."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is neither beside {sys.executable} nor on PATH")
    return found
