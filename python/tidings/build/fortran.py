# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""MPI's modules for a Fortran compiler, which reads no other compiler's: made once and kept."""

import subprocess
from pathlib import Path

from tidings.build import cache
from tidings.errors import UserError
from tidings.layout import share_folder

#: The modules, in the order in which they are compiled.
_MODULES = ("mpi_types", "mpi", "mpi_f08")
_ARCHIVE = "tidings_mpi_modules"


def compile_options(compiler: list[str]) -> list[str]:
    """Return the options that a Fortran compiler needs beside those for C.

    Parameters
    ----------
    compiler : list of str
        Its command, with options of the user.

    Raises
    ------
    UserError
        If there is no such compiler, or it cannot make the modules.
    """
    options = [f"-I{module_folder(compiler)}"]
    # With mpif.h, one program sends arrays of many types through the same subroutine.
    return [*options, "-fallow-argument-mismatch"] if _is_gnu(_version(compiler)) else options


def link_options(compiler: list[str]) -> list[str]:
    """Return the libraries that a Fortran program needs before that of C."""
    return [f"-L{module_folder(compiler)}", f"-l{_ARCHIVE}", "-ltidings_fortran"]


def module_folder(compiler: list[str]) -> Path:
    """Return the folder of a compiler's modules, making them first if they are not there.

    Raises
    ------
    UserError
        If there is no such compiler, or it cannot make them.
    """
    sources = share_folder() / "fortran"
    key = cache.key([*compiler, _version(compiler)], sources, ["*.f90"])
    return cache.kept(f"fortran-{key}", lambda scratch: _make(scratch, compiler, sources))


def _make(scratch: Path, compiler: list[str], sources: Path) -> Path:
    folder = scratch / "modules"
    folder.mkdir()
    for name in _MODULES:
        _run([*compiler, "-c", "-fPIC", str(sources / f"{name}.f90")], folder)
    _run(["ar", "rcs", f"lib{_ARCHIVE}.a", *(f"{name}.o" for name in _MODULES)], folder)
    return folder


def _version(compiler: list[str]) -> str:
    """Return what a compiler says that it is."""
    return _run([*compiler, "--version"], Path()).partition("\n")[0]


def _is_gnu(version: str) -> bool:
    return version.startswith("GNU Fortran")


def _run(command: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        message = (
            f"cannot run {command[0]!r}, which is needed for Fortran: {error.strerror}; install gfortran "
            "(Debian and Ubuntu: apt-get install gfortran), or name another compiler in FC"
        )
        raise UserError(message) from error
    if done.returncode != 0:
        message = f"{command[0]!r} cannot make MPI's modules for Fortran:\n{done.stderr or done.stdout}"
        raise UserError(message)
    return done.stdout
