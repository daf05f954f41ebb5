# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Build systems and launch scripts that know nothing of Tidings find it by the usual names."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cli_support import Tidings
from tidings import __version__

HELLO = """#include <mpi.h>
#include <stdio.h>
int main(int count, char **words) {
  int rank;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d\\n", rank);
  return MPI_Finalize();
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(hello C CXX)
find_package(MPI REQUIRED)
add_executable(hello_c hello.c)
target_link_libraries(hello_c MPI::MPI_C)
add_executable(hello_cpp hello.cpp)
target_link_libraries(hello_cpp MPI::MPI_CXX)
enable_testing()
add_test(NAME hello COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2 $<TARGET_FILE:hello_cpp>)
set_property(TEST hello PROPERTY PASS_REGULAR_EXPRESSION "rank 0.*rank 1")
"""

HELLO_FORTRAN = """program hello
use mpi_f08
implicit none
integer :: rank
call MPI_Init()
call MPI_Comm_rank(MPI_COMM_WORLD, rank)
print '(a, i0)', 'rank ', rank
call MPI_Finalize()
end program
"""
CMAKE_FORTRAN = """cmake_minimum_required(VERSION 3.20)
project(hello Fortran)
find_package(MPI REQUIRED COMPONENTS Fortran)
if(NOT MPI_Fortran_HAVE_F08_MODULE OR NOT MPI_Fortran_HAVE_F90_MODULE OR NOT MPI_Fortran_HAVE_F77_HEADER)
  message(FATAL_ERROR "a way to use MPI is missing")
endif()
add_executable(hello hello.f90)
target_link_libraries(hello MPI::MPI_Fortran)
enable_testing()
add_test(NAME hello COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2 $<TARGET_FILE:hello>)
set_property(TEST hello PROPERTY PASS_REGULAR_EXPRESSION "rank 0.*rank 1")
"""
needs_fortran = pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler: install gfortran")


@pytest.fixture
def shell(tidings: Tidings, tmp_path: Path) -> "Shell":
    """Return a shell after ``source <(tidings env -m spirit)``, in an empty folder."""
    return Shell(tidings("env", "-m", "spirit").stdout, tmp_path)


class Shell:
    """Runs lines in a folder, after other lines."""

    def __init__(self, before: str, folder: Path) -> None:
        self.before, self.folder = before, folder
        (folder / "hello.c").write_text(HELLO)

    def __call__(self, line: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run a line."""
        return subprocess.run(
            ["bash", "-c", f"{self.before}\n{line}"],
            cwd=self.folder,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=False,
        )


def test_usual_names_compile_and_run_a_program(shell: Shell) -> None:
    result = shell("mpicc hello.c -o hello && mpiexec -np 2 ./hello")
    assert result.stdout == "rank 0\nrank 1\n"
    assert "2 ranks on spirit" in result.stderr


@pytest.mark.parametrize("compiler", ["tidings cc", "mpicc", "/anywhere/mpicc"])
def test_wrapper_named_as_the_compiler_does_not_call_itself(shell: Shell, compiler: str) -> None:
    result = shell("mpicc hello.c -o hello && ./hello; mpicc -show", CC=compiler)
    assert result.stdout.splitlines()[-1].startswith("cc -I"), result.stderr


def test_wrapper_behind_another_name_does_not_call_itself(shell: Shell) -> None:
    (shell.folder / "mycc").write_text('#!/bin/sh\nexec mpicc "$@"\n')
    (shell.folder / "mycc").chmod(0o755)
    result = shell("timeout 60 mpicc hello.c -o hello && mpirun -n 1 ./hello", CC="./mycc")
    assert result.stdout == "rank 0\n", result.stderr


def test_parts_of_the_command_are_printed_as_other_wrappers_do(shell: Shell) -> None:
    compiling, linking = shell("mpicc -showme:compile; mpicc --showme:link").stdout.splitlines()
    assert compiling.startswith("-I") and " -l" not in compiling
    assert linking.startswith("-L") and linking.endswith("-lmpi_abi")
    informed = shell("mpicxx -compile-info; mpicxx -link-info").stdout.splitlines()
    assert informed == [f"c++ {compiling}", f"c++ {linking}"]


def test_cmake_finds_builds_and_tests(shell: Shell) -> None:
    (shell.folder / "CMakeLists.txt").write_text(CMAKE)
    (shell.folder / "hello.cpp").write_text(HELLO)
    result = shell("cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure")
    assert "100% tests passed" in result.stdout, result.stdout + result.stderr


@needs_fortran
@pytest.mark.parametrize("compiler", ["mpifort", "mpif90", "mpif77", "gfortran $(pkg-config --cflags mpi-fort)"])
def test_usual_names_compile_fortran(shell: Shell, compiler: str) -> None:
    (shell.folder / "hello.f90").write_text(HELLO_FORTRAN)
    libraries = "$(pkg-config --libs mpi-fort)" if "pkg-config" in compiler else ""
    result = shell(f"{compiler} hello.f90 {libraries} -o hello && mpiexec -n 2 ./hello", FC="mpifort")
    assert result.stdout == "rank 0\nrank 1\n", result.stderr


@needs_fortran
def test_cmake_finds_all_of_fortran(shell: Shell) -> None:
    (shell.folder / "CMakeLists.txt").write_text(CMAKE_FORTRAN)
    (shell.folder / "hello.f90").write_text(HELLO_FORTRAN)
    result = shell("cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure")
    assert "100% tests passed" in result.stdout, result.stdout + result.stderr


def test_environment_is_there_without_a_fortran_compiler(tidings: Tidings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FC", "/no/such/compiler")
    assert "MPI_HOME" in tidings("env").stdout


def test_pkg_config_finds_the_library(shell: Shell) -> None:
    result = shell("cc hello.c $(pkg-config --cflags --libs mpi) -o hello && tidings run -n 2 ./hello")
    assert result.stdout == "rank 0\nrank 1\n", result.stderr


def test_environment_refuses_a_machine_that_is_not_there(tidings: Tidings) -> None:
    result = tidings("env", "-m", "spirti")
    assert (result.returncode, result.stdout) == (2, "")
    assert "Did you mean spirit?" in result.stderr


@pytest.mark.parametrize(
    ("words", "explanation"),
    [
        (["--oversubscribe", "-n", "2"], "name a machine with as many slots as ranks"),
        (["-np", "2", "--hostfile", "hosts"], "ranks are in the slots of the machine"),
        (["-x", "A=1", "-n", "2"], "set variables before it"),
        (["-n", "2", "-l"], "--label puts its rank in front of each line"),
        (["-outfile-pattern", "out.%r", "-n", "2"], "--output-folder writes what each rank prints into a file"),
    ],
)
def test_option_of_another_launcher_is_explained(tidings: Tidings, words: list[str], explanation: str) -> None:
    result = tidings("run", "-m", "spirit", *words, "./hello")
    assert result.returncode == 2
    assert explanation in result.stderr


def test_launcher_says_its_name_and_version(shell: Shell) -> None:
    assert shell("mpiexec --version; mpirun -V").stdout.splitlines() == [f"tidings {__version__}"] * 2
    assert "Usage: tidings run" in shell("mpiexec --no-such-option").stderr


def test_program_may_have_options_of_launchers(tidings: Tidings) -> None:
    result = tidings("run", "-m", "spirit", "-n", "1", "echo", "--oversubscribe", "-x", "1")
    assert result.stdout == "--oversubscribe -x 1\n"
