# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Every function that the library promises to carry out is called by a test program, and the README says by which."""

from __future__ import annotations

import re

import pytest
from tests.programs import harness

#: What the library carries out; the rest of the standard's functions exist and say that they are not there yet.
_NAMES = """
    Init Init_thread Finalize Initialized Finalized Abort
    Comm_rank Comm_size Comm_dup Comm_split Comm_create Comm_free Comm_group
    Group_incl Group_size Group_rank Group_free
    Send Recv Isend Irecv Sendrecv Wait Waitall Waitany Test Testall Probe Iprobe Get_count
    Barrier Bcast Reduce Allreduce Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Scan
    Type_contiguous Type_vector Type_commit Type_free Type_size Op_create Op_free
    Wtime Wtick Error_string Error_class Get_processor_name
    Info_create Info_set Info_get Info_get_string Info_get_valuelen Info_get_nkeys Info_get_nthkey Info_delete Info_dup
    Info_free Comm_set_info Comm_get_info Comm_dup_with_info
    Comm_create_errhandler Comm_set_errhandler Comm_get_errhandler Errhandler_free
    """
PROMISED = {f"MPI_{name}" for name in _NAMES.split()}


def _callers() -> dict[str, set[str]]:
    """Files that call each promised function; what `program.h` calls, every program calls."""
    sources = [*harness.HERE.glob("*.c"), *harness.HERE.glob("errors/*.c"), harness.HERE / "program.h"]
    calls = {source.name.removesuffix(".c"): harness.functions_called(source) for source in sources}
    return {function: {name for name, called in calls.items() if function in called} for function in PROMISED}


@pytest.mark.parametrize("function", sorted(PROMISED))
def test_function_is_called_by_a_program(function: str) -> None:
    assert _callers()[function]


def test_readme_names_callers_of_each_function() -> None:
    callers = _callers()
    rows = re.findall(r"^\| `(MPI_\w+)` \| (.+) \|$", (harness.HERE / "README.md").read_text(), re.MULTILINE)
    assert {function for function, _ in rows} == PROMISED
    for function, names in rows:
        assert set(names.split(", ")) <= callers[function], function


def test_readme_describes_each_program() -> None:
    described = re.findall(r"^\| `(\w+)\.c` \|", (harness.HERE / "README.md").read_text(), re.MULTILINE)
    assert described == harness.PROGRAMS
