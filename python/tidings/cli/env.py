# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings env``."""

import os
import shlex
from typing import Annotated

import typer

from tidings.build.prefix import mpi_prefix
from tidings.cli.options import MACHINE_VARIABLE
from tidings.machines.file import find_machine, load_machine


def env_command(
    machine: Annotated[
        str | None,
        typer.Option(
            "--machine",
            "-m",
            metavar="MACHINE",
            help="Machine that `tidings run` and `mpiexec` use if none is named.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print shell commands after which build systems find this MPI by its usual names.

    They put mpicc, mpicxx, mpifort, mpiexec and mpirun first in PATH, and set MPI_HOME and PKG_CONFIG_PATH, so that
    configure scripts, CMake's FindMPI and pkg-config find them. `mpiexec` is `tidings run`.

    For example:

    source <(tidings env -m spirit)

    ./configure && make && mpiexec -n 8 ./solver

    cmake -B build && cmake --build build && ctest --test-dir build
    """
    found = None if machine is None else find_machine(machine)
    if found is not None:
        load_machine(found)  # a file that is wrong is found now
    prefix = mpi_prefix()
    _prepend("PATH", prefix / "bin")
    _prepend("PKG_CONFIG_PATH", prefix / "share/pkgconfig")
    _export("MPI_HOME", str(prefix))
    if found is not None:
        _export(MACHINE_VARIABLE, str(found.absolute()))


def _prepend(variable: str, folder: os.PathLike[str]) -> None:
    """Print what puts a folder before those of a variable, whatever its value is when the line is carried out."""
    print(f'export {variable}={shlex.quote(os.fspath(folder))}"${{{variable}:+:${variable}}}"')


def _export(variable: str, value: str) -> None:
    print(f"export {variable}={shlex.quote(value)}")
