# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""With `make test-sanitized`, ranks load libraries that were built with sanitizers, and these see what is wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.programs import fuzz, harness, test_fortran, test_kernels

from tidings.layout import RANK_LIBRARIES_VARIABLE

pytestmark = pytest.mark.skipif(RANK_LIBRARIES_VARIABLE not in os.environ, reason="only with make test-sanitized")

#: Every third program in Fortran, of all three interfaces. None leaks by itself; one that did would be left out here.
_FORTRAN = test_fortran.PROGRAMS[::3]

_OVERRUN = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, got[16];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc(10, sizeof(int));
  if (rank == 0) MPI_Send(data, argc == 1 ? 10 : 12, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(got, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (argc < 3) free(data);
  data = NULL;
  return MPI_Finalize();
}
"""


@pytest.mark.parametrize("compiler", ["tidings cc", "mpicc"])
@pytest.mark.parametrize("check", ["off", "warn"])
def test_what_the_library_reads_behind_a_buffer_is_seen(compiler: str, check: str, tmp_path: Path) -> None:
    source = tmp_path / "overrun.c"
    source.write_text(_OVERRUN)
    binary = harness.build(source, ["-g"], compiler.split())
    right = harness.run_tidings([binary], 2, options=["--check", check])
    assert (right.status, right.stderr.partition("\n")[0]) == (0, ""), right.stderr
    wrong = harness.run_tidings([binary, "over"], 2, options=["--check", check])
    assert wrong.status == 1
    assert "heap-buffer-overflow" in wrong.stderr
    assert "lib/core/" in wrong.stderr or "lib/mpich_abi/" in wrong.stderr or "lib/check/" in wrong.stderr


def test_memory_that_nobody_frees_is_seen(tmp_path: Path) -> None:
    source = tmp_path / "leak.c"
    source.write_text(_OVERRUN.replace("argc == 1 ? 10 : 12", "10"))
    outcome = harness.run_tidings([harness.build(source, ["-g"]), "first", "second"], 2)
    assert outcome.status == 1
    assert "detected memory leaks" in outcome.stderr
    assert "leak.c:8" in outcome.stderr


@test_fortran.needs_compiler
@pytest.mark.parametrize("program", _FORTRAN)
def test_fortran_program_is_clean(program: str, tmp_path: Path) -> None:
    source = test_fortran.FOLDER / program
    binary = test_fortran.build(source, test_fortran.FOLDER / "say.f90")
    outcome = harness.run_tidings([binary, str(tmp_path / "file")], 4, "spirit")
    assert (outcome.status, outcome.stdout) == (0, source.with_suffix(".out").read_text()), outcome.stderr


@pytest.mark.parametrize("kernel", test_kernels.FOUND)
def test_kernel_is_clean(kernel: str) -> None:
    outcome = harness.run_tidings([test_kernels.build(kernel)], 4, "mesh8x8")
    test_kernels.assert_verified(outcome, test_kernels.FOUND[kernel])


@pytest.mark.parametrize("seed", range(1001, 1006))
def test_random_program_is_clean(seed: int) -> None:
    case = fuzz.draw(seed)
    found = fuzz.difference(case)
    assert found is None, f"{case}: {found}"
