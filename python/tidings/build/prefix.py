# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""A folder that looks like an installed MPI, for build systems that search for one.

It holds ``bin`` with the wrappers by their usual names, ``include``, ``lib``, and files for pkg-config.
"""

import shlex
import sys
from pathlib import Path

from tidings import __version__
from tidings.build import cache, compiler
from tidings.errors import UserError
from tidings.layout import include_folder, library_folder

#: Programs of the folder ``bin``: the command that each is.
PROGRAMS = {
    **{"mpicc": "cc", "mpicxx": "c++", "mpic++": "c++", "mpifort": "fc", "mpif90": "fc", "mpif77": "fc"},
    **{"mpiexec": "run", "mpirun": "run"},
}
#: What each of them executes. Messages about its options begin with the command's own name.
_MAIN = "import sys; from tidings.cli import main; sys.argv[0] = 'tidings'; main()"
#: Names by which pkg-config finds an MPI, and their languages.
_PACKAGES = {"mpi": "c", "mpi-c": "c", "mpi-cxx": "c++", "mpi-fort": "fortran"}


def mpi_prefix() -> Path:
    """Return the folder, making it first if it is not there.

    Raises
    ------
    UserError
        If the store of such files cannot be used.
    """
    files = _programs() | _package_files()
    links = {"include": include_folder(), "lib": library_folder()}
    return cache.kept(
        f"mpi-{cache.key([*files.items(), *links.items()])}", lambda scratch: _make(scratch, files, links)
    )


def _make(scratch: Path, files: dict[str, str], links: dict[str, Path]) -> Path:
    folder = scratch / "mpi"
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.parent.name == "bin":
            path.chmod(0o755)
    for name, target in links.items():
        (folder / name).symlink_to(target)
    return folder


def _programs() -> dict[str, str]:
    # pip names another place for packages in the environment while it builds one, so -E ignores such variables.
    start = shlex.join([sys.executable, "-E", "-P", "-c", _MAIN])
    return {f"bin/{name}": f'#!/bin/sh\nexec {start} {command} "$@"\n' for name, command in PROGRAMS.items()}


def _package_files() -> dict[str, str]:
    return {
        f"share/pkgconfig/{package}.pc": text
        for package, language in _PACKAGES.items()
        if (text := _package(language)) is not None
    }


def _package(language: str) -> str | None:
    """Return what pkg-config is told; nothing for Fortran on a system without a compiler for it."""
    try:
        compiling, linking = compiler.compile_options(language), compiler.link_options(language)
    except UserError:
        if language == "fortran":
            return None
        raise
    return (
        f"Name: Tidings\nDescription: The MPI library of Tidings\nVersion: {__version__}\n"
        f"Cflags: {shlex.join(compiling)}\nLibs: {shlex.join(linking)}\n"
    )
