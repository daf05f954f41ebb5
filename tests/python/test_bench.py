# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench simulator`: what it measures, not how fast it is."""

import json
import sys
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
        # Every flit that is offered takes this number of links on average.
        assert speed["flit_hops"] / speed["cycles"] == pytest.approx(offered * mean_hops[speed["machine"]], rel=0.4)
        assert speed["flit_hops_per_second"] > speed["cycles_per_second"] > 0
    assert len(speeds) == len(networks) + 3
    targets = {(speed["machine"], speed["load"]): speed["target"] for speed in speeds if speed["target"]}
    assert targets == {
        ("8x8 mesh", "uniform 0.1, 8-flit packets"): 1_500_000,
        ("16x16 mesh", "uniform 0.1, 8-flit packets"): 120_000,
    }
    assert networks[0]["target_ratio"] == pytest.approx(15 / 7)
    assert "1,500,000" in result.stdout


def test_threads_are_compared_by_what_they_simulate(tidings: Tidings, tmp_path: Path) -> None:
    figures = tmp_path / "speeds.json"
    result = tidings("bench", "simulator", "--threads", "2", "--cycles", "200", "--repeat", "2", "--json", figures)
    assert result.returncode == 0, result.stderr
    speeds = json.loads(figures.read_text(encoding="utf-8"))
    machines = ["16x16 torus, links of 80 cycles", "8x8x8 torus, links of 80 cycles", *["spirit"] * 3]
    assert [speed["machine"] for speed in speeds[::2]] == machines
    assert [speed["threads"] for speed in speeds] == [1, 2] * 5
    for one, two in zip(speeds[::2], speeds[1::2], strict=True):
        for field in ("cycles", "flit_hops", "node_evaluations", "load"):
            assert one[field] == two[field]
        assert one["ratio"] == 1
        assert two["ratio"] == pytest.approx(two["cycles_per_second"] / one["cycles_per_second"])
    assert "ratio" in result.stdout


def test_a_machine_whose_links_have_one_cycle_is_measured_in_one_thread(tidings: Tidings, tmp_path: Path) -> None:
    options = ["--threads", "3", "-m", "mesh8x8", "--cycles", "100", "--repeat", "1", "--json", tmp_path / "out.json"]
    result = tidings("bench", "simulator", *options)
    assert result.returncode == 0, result.stderr
    speeds = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [speed["threads"] for speed in speeds] == [1, 1, 1]
    assert "mesh8x8: 1 thread, because links of 1 cycle leave no time to look ahead" in result.stdout


def test_threads_are_for_the_cycle_model(tidings: Tidings) -> None:
    result = tidings("bench", "simulator", "--threads", "2", "--fidelity", "rtl")
    assert result.returncode == 2
    assert "--threads is for the cycle model" in result.stderr


#: A command of another checkout: in its second run it is twice as fast, and it does not know one load.
_OTHER_BUILD = """#!{python}
import json, pathlib, sys
options = sys.argv[1:]
log = pathlib.Path({log!r})
log.write_text((log.read_text() if log.exists() else "") + " ".join(options[:-1]) + chr(10))
runs = len(log.read_text().splitlines())
loads = ["neighbour", "uniform"]
rows = [dict(machine="spirit", load=load, cycles=30 * runs, wall_seconds=10.0) for load in loads]
pathlib.Path(options[-1]).write_text(json.dumps(rows))
"""


def _checkout(folder: Path, command: str) -> Path:
    """Make what looks like another checkout that is built."""
    file = folder / ".venv" / "bin" / "tidings"
    file.parent.mkdir(parents=True)
    file.write_text(command, encoding="utf-8")
    file.chmod(0o755)
    return folder


def test_builds_are_compared_by_the_best_of_runs_in_turn(tidings: Tidings, tmp_path: Path) -> None:
    log = tmp_path / "log"
    checkout = _checkout(tmp_path / "other", _OTHER_BUILD.format(python=sys.executable, log=str(log)))
    figures = tmp_path / "speeds.json"
    options = ["-m", "spirit", "--cycles", "60", "--repeat", "2", "--against", checkout]
    result = tidings("bench", "simulator", *options, "--json", figures)
    assert result.returncode == 0, result.stderr
    assert (
        log.read_text(encoding="utf-8").splitlines()
        == ["bench simulator --fidelity cycle --machine=spirit --cycles 60 --json"] * 2
    )
    speeds = json.loads(figures.read_text(encoding="utf-8"))
    assert [speed["other_cycles_per_second"] for speed in speeds] == [6.0, 6.0, None]
    for speed in speeds[:2]:
        assert speed["ratio"] == pytest.approx(speed["cycles_per_second"] / 6.0)
    assert speeds[2]["ratio"] is None
    assert "other cycles/s" in result.stdout


def test_a_checkout_that_cannot_be_measured_is_an_error(tidings: Tidings, tmp_path: Path) -> None:
    result = tidings("bench", "simulator", "--against", tmp_path)
    assert result.returncode == 2
    assert "run make in that checkout" in result.stderr
    checkout = _checkout(tmp_path / "other", "#!/bin/sh\necho it is broken >&2\nexit 3\n")
    result = tidings("bench", "simulator", "--against", checkout)
    assert result.returncode == 2
    assert "it is broken" in result.stderr
    result = tidings("bench", "simulator", "--against", checkout, "--threads", "2")
    assert result.returncode == 2
    assert "leave --threads or --against out" in result.stderr
