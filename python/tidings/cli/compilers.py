# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings cc`` and ``tidings cxx``."""

import typer

from tidings.build import compiler
from tidings.cli.options import CompilerArguments


def cc_command(arguments: CompilerArguments = None) -> None:
    """Compile or link a C program against MPI: the C compiler with the right options added.

    The compiler is cc, or what the environment variable CC names. The program is an ordinary one for the MPI standard
    ABI: it runs with `tidings run`, and under any MPI whose libmpi_abi.so.1 comes first in LD_LIBRARY_PATH.

    For example:

    tidings cc -O2 hello.c -o hello

    tidings cc -show    (print the command instead of running it)
    """
    raise typer.Exit(compiler.run("cc", arguments or []))


def cxx_command(arguments: CompilerArguments = None) -> None:
    """Compile or link a C++ program against MPI: the C++ compiler with the right options added.

    The compiler is c++, or what the environment variable CXX names.

    For example:

    tidings cxx -O2 -std=c++20 hello.cpp -o hello
    """
    raise typer.Exit(compiler.run("cxx", arguments or []))
