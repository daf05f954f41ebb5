# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench library``: the library stays lean."""

from pathlib import Path

import pytest

import tidings
from tidings.bench import library
from tidings.errors import UserError

#: Targets are those of the compiler and C library of Debian 12; others may need a few instructions more.
ROOM_FOR_OTHER_COMPILERS = 1.1


@pytest.fixture(scope="module")
def costs() -> dict[str, library.CallCost]:
    """Count once for all tests."""
    return {cost.call: cost for cost in tidings.bench_library()}


def test_every_call_with_a_target_is_counted(costs: dict[str, library.CallCost]) -> None:
    assert {call: costs[call].target for call in library.TARGETS} == library.TARGETS


def test_no_call_but_init_allocates_memory_in_the_long_run(costs: dict[str, library.CallCost]) -> None:
    assert {call for call, cost in costs.items() if cost.allocations} == {"init"}
    assert len(costs) > len(library.TARGETS)


@pytest.mark.parametrize("call", library.TARGETS)
def test_call_is_within_its_target(call: str, costs: dict[str, library.CallCost]) -> None:
    assert 100 < costs[call].instructions <= ROOM_FOR_OTHER_COMPILERS * library.TARGETS[call]


def test_first_calls_are_counted_and_do_not_make_up_for_a_lean_start(costs: dict[str, library.CallCost]) -> None:
    """What is found out at the first call is a fraction of MPI_Init, so that no work has only moved there."""
    for call in library.TARGETS:
        cost = costs[call]
        if call != "init":
            assert cost.instructions < cost.first_instructions < costs["init"].instructions / 4


def test_what_the_platform_executes_is_told_apart(tmp_path: Path) -> None:
    """The platform's functions are left out with all that they call; the program's own loop is left out too.

    Memory is allocated twice.
    """
    part = tmp_path / "part"
    part.write_text(
        "ob=/tmp/calls\nfn=main\n1 5\ncob=/lib/libmpi_abi.so.1\ncfn=PMPI_Barrier\ncalls=1 0\n1 300\n"
        "ob=/lib/libmpi_abi.so.1\nfn=PMPI_Barrier\n1 40\n"
        "cob=/lib/libtidings_rank.so\ncfn=tidings_work\ncalls=1 0\n1 200\n"
        "cfn=inner\ncalls=1 0\n1 60\nfn=inner\n1 60\n"
        "cob=/lib/libc.so.6\ncfn=malloc\ncalls=2 0\n1 0\n"
        "ob=/lib/libtidings_rank.so\nfn=tidings_work\n1 150\ncob=/lib/libc.so.6\ncfn=memcpy\ncalls=1 0\n1 50\n"
        "ob=/lib/libc.so.6\nfn=memcpy\n1 50\n",
        encoding="utf-8",
    )
    assert library._cost("barrier", part, part) == library.CallCost("barrier", 40 + 60, 200, 40 + 60, 2, 600)


def test_missing_valgrind_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match=r"valgrind .* not installed: apt-get install valgrind"):
        tidings.bench_library()
