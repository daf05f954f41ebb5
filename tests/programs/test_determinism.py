# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Two runs of one program give the same report but for wall time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.programs import harness


def _report_lines(program: str, ranks: int, machine: str, collectives: str, file: Path) -> list[str]:
    """Lines of a run's JSON, the one with the wall time left out."""
    binary = harness.build(harness.source_of(program))
    outcome = harness.run_tidings([binary], ranks, machine, ["--collectives", collectives, "--json", str(file)])
    assert outcome.status == 0, outcome.stderr
    return [line for line in file.read_text().splitlines() if '"wall_seconds"' not in line]


@pytest.mark.parametrize("collectives", harness.COLLECTIVES)
@pytest.mark.parametrize(
    ("program", "ranks", "machine"),
    [
        ("mixed_collectives", 6, "spirit"),
        ("nonblocking_storm", 9, "mesh8x8"),
        ("master_worker", 7, "crossbar"),
        ("test_polling", 5, "spirit"),
        ("clocks", 3, "mesh8x8"),
    ],
)
def test_two_runs_give_the_same_json(program: str, ranks: int, machine: str, collectives: str, tmp_path: Path) -> None:
    first = _report_lines(program, ranks, machine, collectives, tmp_path / "first.json")
    second = _report_lines(program, ranks, machine, collectives, tmp_path / "second.json")
    assert first == second
    assert len(first) > 10


def test_json_has_what_users_rely_on(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    binary = harness.build(harness.source_of("heat"))
    harness.run_tidings([binary], 4, "spirit", ["--json", str(file)])
    report = json.loads(file.read_text())
    assert report["ranks"] == 4
    assert report["machine"] == "spirit"
    assert report["fidelity"] == "rtl"
    assert report["exit_status"] == 0
    assert report["elapsed_ps"] > 0
    assert report["simulated_cycles"] > 0
    assert report["wall_seconds"] > 0
    sendrecv, allreduce = report["operations"]["MPI_Sendrecv"], report["operations"]["MPI_Allreduce"]
    assert sendrecv["calls"] == 4 * 2 * 12
    assert allreduce["calls"] == allreduce["hardware"] == 4 * 12
    assert 0 < allreduce["min_ps"] <= allreduce["mean_ps"] <= allreduce["max_ps"] < report["elapsed_ps"]
