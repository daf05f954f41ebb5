# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""A binary that MPICH's compiler wrapper has made for MPICH's own ABI runs on a machine, and prints the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.programs import harness

_RANKS = 4
#: Programs whose arguments differ in the two ABIs: constants, callbacks, statuses, arrays of handles, windows.
_PROGRAMS = (
    "alltoall",
    "attributes",
    "buffered_sends",
    "cancelled_receives",
    "comm_group",
    "comm_idup",
    "elements",
    "error_codes",
    "error_handler",
    "errors_return",
    "file_pointers",
    "files",
    "generalized_requests",
    "group_arithmetic",
    "in_place",
    "intercomm_collectives",
    "matched_probe",
    "memory",
    "minloc_maxloc",
    "names",
    "neighbourhoods",
    "nonblocking_collectives",
    "partitioned",
    "persistent_messages",
    "probe",
    "proc_null",
    "random_traffic",
    "request_status",
    "send_modes",
    "session_communicators",
    "test_polling",
    "tool_variables",
    "topologies",
    "type_constructors",
    "type_contents",
    "user_operations",
    "waitany",
    "window_lock",
    "window_objects",
    "window_post_start",
    "with_info",
)


#: Programs that print a constant, or what depends on one: they are compared with themselves under MPICH.
_PRINTS_CONSTANTS = {"buffered_sends", "error_codes", "type_contents"}


@pytest.mark.parametrize("program", _PROGRAMS)
def test_program_prints_the_same(program: str) -> None:
    source = harness.source_of(program)
    binary = harness.build(source, compiler=("mpicc",))
    expected = harness.run_mpich(binary if program in _PRINTS_CONSTANTS else harness.build(source), _RANKS)
    outcome = harness.run_tidings([binary], _RANKS, harness.MACHINES[_PROGRAMS.index(program) % len(harness.MACHINES)])
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == expected.stdout


#: MPICH's library still has what MPI-3.0 removed, and its header has not: old binaries call it.
_REMOVED = """
#include <mpi.h>
typedef MPI_Comm_errhandler_function MPI_Handler_function;
int MPI_Address(void* location, MPI_Aint* address);
int MPI_Errhandler_create(MPI_Handler_function* function, MPI_Errhandler* errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent);
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement);
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype* made);
int MPI_Type_hindexed(int count, int* lengths, MPI_Aint* places, MPI_Datatype type, MPI_Datatype* made);
int MPI_Type_struct(int count, int* lengths, MPI_Aint* places, MPI_Datatype* types, MPI_Datatype* made);
"""


def test_names_that_were_removed_do_the_same_in_an_old_binary(tmp_path: Path) -> None:
    header = tmp_path / "removed.h"
    header.write_text(_REMOVED)
    source = harness.source_of("removed_names")
    expected = harness.run_mpich(harness.build(source), _RANKS)
    outcome = harness.run_tidings([harness.build(source, ("-include", str(header)), ("mpicc",))], _RANKS)
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == expected.stdout


_PROFILED = """
#include <mpi.h>
#include <stdio.h>
static int sends;
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}
int main(void) {
  int rank, value = 7;
  MPI_Status status;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    printf("from %d, tag %d\\n", status.MPI_SOURCE, status.MPI_TAG);
  }
  if (rank == 0) printf("%d calls\\n", sends);
  return MPI_Finalize();
}
"""


def test_tool_stands_between_a_binary_and_the_library(tmp_path: Path) -> None:
    (tmp_path / "profiled.c").write_text(_PROFILED)
    outcome = harness.run_tidings([harness.build(tmp_path / "profiled.c", compiler=("mpicc",))], 2)
    assert outcome.status == 0, outcome.stderr
    assert sorted(outcome.stdout.splitlines()) == ["1 calls", "from 0, tag 3"]
