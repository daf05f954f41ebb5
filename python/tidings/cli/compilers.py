# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings cc``, ``tidings c++`` and ``tidings fc``."""

import typer

from tidings.build import compiler
from tidings.cli.options import CompilerArguments


def cc_command(arguments: CompilerArguments = None) -> None:
    """Compile or link a C program against MPI: the C compiler with the right options added.

    The compiler is cc, or what the environment variable CC names. The program is an ordinary one for the MPI standard
    ABI: it runs with `tidings run`, and under any MPI whose libmpi_abi.so.1 comes first in LD_LIBRARY_PATH.

    Options of other wrappers that print the command or its parts work too: -show, -showme, -compile-info, -link-info,
    -showme:compile, -showme:link.

    For example:

    tidings cc -O2 hello.c -o hello

    tidings cc -show    (print the command instead of running it)

    ./configure CC="tidings cc"
    """
    raise typer.Exit(compiler.run("c", arguments or []))


def cpp_command(arguments: CompilerArguments = None) -> None:
    """Compile or link a C++ program against MPI: the C++ compiler with the right options added.

    The compiler is c++, or what the environment variable CXX names. Options that print the command are those of
    `tidings cc`.

    For example:

    tidings c++ -O2 -std=c++20 hello.cpp -o hello
    """
    raise typer.Exit(compiler.run("c++", arguments or []))


def fc_command(arguments: CompilerArguments = None) -> None:
    """Compile or link a Fortran program against MPI: the Fortran compiler with the right options added.

    The compiler is gfortran, or what the environment variable FC names. Programs may use mpif.h, module mpi or module
    mpi_f08. Its first use with a compiler makes the modules, which takes seconds. Options that print the command are
    those of `tidings cc`.

    For example:

    tidings fc -O2 hello.f90 -o hello

    tidings fc -O2 -std=legacy solver.f -o solver

    make FC="tidings fc" && tidings run -n 8 -m spirit ./solver
    """
    raise typer.Exit(compiler.run("fortran", arguments or []))
