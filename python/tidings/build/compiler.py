# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Compiler wrappers: the system's compiler with the options that an MPI program needs."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tidings.build import fortran
from tidings.errors import UserError
from tidings.layout import include_folder, library_folder

#: Languages: the environment variable that names a compiler, and the compiler if it is not set.
LANGUAGES = {"c": ("CC", "cc"), "c++": ("CXX", "c++"), "fortran": ("FC", "gfortran")}
_NO_LINK = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}
#: Names of compiler wrappers, ours and those of other MPI libraries. CC names one if a program is built with CC=mpicc.
_WRAPPER = re.compile(r"tidings|mpi(cc|CC|cxx|c\+\+|gcc|g\+\+|fort|f77|f90)")
#: Set while a wrapper runs a compiler. A wrapper that finds it was called by itself, and uses the default compiler.
_INSIDE = "TIDINGS_COMPILER_RUNS"


def compile_options(language: str) -> list[str]:
    """Return the options that compile an MPI program.

    Raises
    ------
    UserError
        If the language is Fortran and there is no compiler for it, or its modules cannot be made.
    """
    options = [f"-I{include_folder()}"]
    return [*options, *fortran.compile_options(_compiler(language))] if language == "fortran" else options


def link_options(language: str) -> list[str]:
    """Return the options that link an MPI program, which then finds the library by itself.

    Raises
    ------
    UserError
        As for `compile_options`.
    """
    folder = library_folder()
    libraries = fortran.link_options(_compiler(language)) if language == "fortran" else []
    return [f"-L{folder}", f"-Wl,-rpath,{folder}", "-Wl,--enable-new-dtags", *libraries, "-lmpi_abi"]


def command(language: str, arguments: list[str]) -> list[str]:
    """Return the compiler's command line.

    Parameters
    ----------
    language : str
        One of `LANGUAGES`.
    arguments : list of str
        What the user gave.
    """
    line = [*_compiler(language), *compile_options(language), *arguments]
    return line if _NO_LINK.intersection(arguments) else line + link_options(language)


def run(language: str, arguments: list[str]) -> int:
    """Run the compiler, or print what a build system asks for; returns the exit status."""
    try:
        for argument in arguments:
            if answer := _ANSWERS.get(argument.replace("--", "-", 1)):
                print(shlex.join(answer(language, [other for other in arguments if other != argument])))
                return 0
        line = command(language, arguments)
        return subprocess.run(line, check=False, env=os.environ | {_INSIDE: "1"}).returncode
    except UserError as error:
        print(f"tidings: error: {error}", file=sys.stderr)
        return 127
    except OSError as error:
        print(f"tidings: error: cannot run the compiler {line[0]!r}: {error.strerror}", file=sys.stderr)
        return 127


#: Options that print instead of compiling, as the wrappers of MPICH and of Open MPI have them.
_ANSWERS: dict[str, Callable[[str, list[str]], list[str]]] = {
    "-show": command,
    "-showme": command,
    "-compile-info": lambda language, arguments: [*_compiler(language), *compile_options(language), *arguments],
    "-link-info": lambda language, arguments: [*_compiler(language), *arguments, *link_options(language)],
    "-showme:compile": lambda language, _arguments: compile_options(language),
    "-showme:link": lambda language, _arguments: link_options(language),
}


def _compiler(language: str) -> list[str]:
    """Return the compiler that the environment names, unless that is a wrapper, which would call itself for ever."""
    variable, default = LANGUAGES[language]
    words = shlex.split(os.environ.get(variable, ""))
    if not words or _INSIDE in os.environ or _WRAPPER.fullmatch(Path(words[0]).name):
        return [default]
    return words
