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


def test_networks_are_those_that_simulators_are_compared_by(tidings: Tidings, tmp_path: Path) -> None:
    figures = tmp_path / "speeds.json"
    result = tidings("bench", "simulator", "--cycles", "50", "--json", figures)
    assert result.returncode == 0, result.stderr
    speeds = json.loads(figures.read_text(encoding="utf-8"))
    networks = [speed for speed in speeds if speed["machine"] != "spirit"]
    assert [(speed["machine"], speed["nodes"]) for speed in networks[::2]] == [
        ("8x8 mesh", 64),
        ("4x4x4 torus", 64),
        ("16x16 mesh", 256),
        ("64x64 mesh", 4096),
    ]
    mean_hops = {"8x8 mesh": 5.25, "4x4x4 torus": 3.0, "16x16 mesh": 10.625, "64x64 mesh": 42.66}
    for speed, packet in zip(networks, [8, 1] * 4, strict=True):
        assert f"{packet}-flit packets" in speed["load"]
        offered = (0.05 if speed["nodes"] == 4096 else 0.1) * speed["nodes"]
        # Every flit that is offered takes so many links on average.
        assert speed["flit_hops"] / speed["cycles"] == pytest.approx(offered * mean_hops[speed["machine"]], rel=0.4)
        assert speed["flit_hops_per_second"] > speed["cycles_per_second"] > 0
    assert len(speeds) == len(networks) + 3
