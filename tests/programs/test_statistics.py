# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a run counts of its calls is what happened."""

from __future__ import annotations

import json
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
