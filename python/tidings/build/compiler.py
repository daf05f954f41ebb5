# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Compiler wrappers: the system's compiler with the options that an MPI program needs."""

import os
import shlex
import subprocess
import sys

from tidings.layout import include_folder, library_folder

_COMPILERS = {"cc": ("CC", "cc"), "cxx": ("CXX", "c++")}
_NO_LINK = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}


def command(language: str, arguments: list[str]) -> list[str]:
    """Return the compiler's command line.

    Parameters
    ----------
    language : str
        ``cc`` or ``cxx``.
    arguments : list of str
        What the user gave.
    """
    variable, default = _COMPILERS[language]
    line = [*shlex.split(os.environ.get(variable) or default), f"-I{include_folder()}", *arguments]
    if not _NO_LINK.intersection(arguments):
        folder = library_folder()
        line += [f"-L{folder}", f"-Wl,-rpath,{folder}", "-Wl,--enable-new-dtags", "-l:libmpi_abi.so.1"]
    return line


def run(language: str, arguments: list[str]) -> int:
    """Run the compiler, or print its command line for ``-show``; returns the exit status."""
    if "-show" in arguments:
        print(shlex.join(command(language, [argument for argument in arguments if argument != "-show"])))
        return 0
    line = command(language, arguments)
    try:
        return subprocess.run(line, check=False).returncode
    except OSError as error:
        print(f"tidings: error: cannot run the compiler {line[0]!r}: {error.strerror}", file=sys.stderr)
        return 127
