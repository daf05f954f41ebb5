# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench simulator`: what it measures, not how fast it is."""

import json
from pathlib import Path

import pytest

from cli_support import Tidings


@pytest.mark.parametrize("fidelity", ["cycle", "rtl"])
def test_simulator_speeds_are_of_the_whole_busy_machine(fidelity: str, tidings: Tidings, tmp_path: Path) -> None:
    figures = tmp_path / "speeds.json"
    options = ["-m", "spirit", "--fidelity", fidelity, "--cycles", "300"]
    result = tidings("bench", "simulator", *options, "--json", figures)
    assert result.returncode == 0, result.stderr
    speeds = json.loads(figures.read_text(encoding="utf-8"))
    assert [speed["load"] for speed in speeds] == ["neighbour", "uniform", "allreduce"]
    for speed in speeds:
        assert (speed["machine"], speed["nodes"], speed["fidelity"], speed["cycles"]) == ("spirit", 64, fidelity, 300)
        # Nodes of a busy machine are evaluated in nearly every cycle, and words move all the time.
        assert speed["node_evaluations"] > 0.8 * 64 * 300
        assert speed["flit_hops"] > 300
        assert speed["cycles_per_second"] > 0
    assert sum("spirit" in line for line in result.stdout.splitlines()) == len(speeds)
