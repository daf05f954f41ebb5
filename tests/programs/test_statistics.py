# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a run counts of its calls is what happened."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tests.programs import harness


def test_nonblocking_receives_count_what_came_in_the_call_that_completes_them(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    binary = harness.build(harness.HERE / "statistics" / "received_bytes.c")
    outcome = harness.run_tidings([binary], 2, options=["--json", str(file)])
    assert outcome.status == 0, outcome.stderr
    counted = {name: values["bytes"] for name, values in json.loads(file.read_text())["operations"].items()}
    assert (counted["MPI_Irecv"], counted["MPI_Start"], counted["MPI_Wait"], counted["MPI_Waitall"]) == (0, 0, 8, 40)
    assert counted["MPI_Send"] == 48
    assert (counted["MPI_Isendrecv"], counted["MPI_Waitany"]) == (24, 24)


@dataclass(frozen=True)
class _Carried:
    """How often the engine carried a collective out, how often messages did, and why."""

    engine: int
    messages: int
    reasons: frozenset[str]


def _carried(program: str, tmp_path: Path, collectives: str = "hardware") -> dict[str, _Carried]:
    """Return what carried out each operation of a program on 4 ranks."""
    file = tmp_path / "run.json"
    binary = harness.build(harness.source_of(program))
    outcome = harness.run_tidings([binary], 4, options=["--collectives", collectives, "--json", str(file)])
    assert outcome.status == 0, outcome.stderr
    return {
        name: _Carried(one["hardware"], one["software"] + one["fallback"], frozenset(one["fallback_reasons"]))
        for name, one in json.loads(file.read_text())["operations"].items()
    }


_NONBLOCKING = ("MPI_Ibarrier", "MPI_Ibcast", "MPI_Ireduce", "MPI_Iallreduce")
_PERSISTENT = ("MPI_Barrier_init", "MPI_Reduce_init", "MPI_Allreduce_init")


def test_engine_carries_out_nonblocking_collectives_of_the_world_alone_and_persistent_ones_in_order(
    tmp_path: Path,
) -> None:
    carried = _carried("collectives_beside", tmp_path)
    for name in (*_NONBLOCKING, *_PERSISTENT):
        assert carried[name].engine > 0, name
        assert carried[name].messages == 0, name
    assert all(_carried("collectives_beside", tmp_path, "software")[name].engine == 0 for name in _NONBLOCKING)


def test_messages_carry_out_nonblocking_collectives_that_may_begin_in_another_order_elsewhere(tmp_path: Path) -> None:
    carried = _carried("collective_orders", tmp_path)["MPI_Iallreduce"]
    assert carried.reasons == {
        "other communicators may use the engines meanwhile, in another order elsewhere",
        "the communicator was made without the engine: its members had not agreed on it",
    }
    # Of each rank: one before the first communicator is made, and two of communicators with the promise.
    assert carried.engine == 4 * 3
