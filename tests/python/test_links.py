# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machines whose links have bit errors."""

import json
import re
from pathlib import Path

import pytest

from cli_support import ROOT, Tidings


def machine_with(spirit_text: str, tmp_path: Path, keys: str) -> Path:
    """Write a machine file like spirit's, with more keys of links."""
    path = tmp_path / f"{abs(hash(keys))}.toml"
    text, changes = re.subn(r"^(latency_cycles = 80)\b.*$", rf"\1\n{keys}", spirit_text, count=1, flags=re.MULTILINE)
    assert changes == 1
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def program(tidings: Tidings, tmp_path: Path) -> Path:
    path = tmp_path / "random_traffic"
    source = ROOT / "tests" / "programs" / "random_traffic.c"
    assert tidings("cc", source, "-o", path, "-lm").returncode == 0
    return path


def test_programs_see_no_bit_errors_but_take_longer(
    tidings: Tidings, tmp_path: Path, spirit_text: str, program: Path
) -> None:
    outputs, times = [], []
    for keys in ("", "reliable = true", "reliable = true\nbit_error_rate = 1e-4\nseed = 5"):
        report = tmp_path / "run.json"
        machine = machine_with(spirit_text, tmp_path, keys)
        result = tidings("run", "-n", "8", "-m", machine, "--json", report, program)
        assert result.returncode == 0, result.stderr
        outputs.append(result.stdout)
        times.append(json.loads(report.read_text(encoding="utf-8"))["elapsed_ps"])
    assert outputs[0] == outputs[1] == outputs[2] != ""
    # What two cycles more a hop come to depends on how often ranks poll meanwhile.
    assert max(times[:2]) < times[2]


def test_same_seed_same_run(tidings: Tidings, tmp_path: Path, spirit_text: str, program: Path) -> None:
    def elapsed(seed: int) -> str:
        machine = machine_with(spirit_text, tmp_path, f"reliable = true\nbit_error_rate = 1e-4\nseed = {seed}")
        report = tmp_path / "run.json"
        assert tidings("run", "-n", "4", "-m", machine, "--json", report, "-q", program).returncode == 0
        return str(json.loads(report.read_text(encoding="utf-8"))["elapsed_ps"])

    assert elapsed(1) == elapsed(1)
    assert elapsed(1) != elapsed(2)


def test_dead_link_ends_the_run_with_both_ends_named(
    tidings: Tidings, tmp_path: Path, spirit_text: str, program: Path
) -> None:
    machine = machine_with(spirit_text, tmp_path, "reliable = true\nbit_error_rate = 0.4")
    result = tidings("run", "-n", "2", "-m", machine, program)
    assert result.returncode == 1
    assert re.search(
        r"the link from router \d \(\d, 0, 0\), port \d \(dimension 0, [+-]\) "
        r"to router \d \(\d, 0, 0\), port \d \(dimension 0, [+-]\) is dead",
        result.stderr,
    )
    assert "in MPI_Init" in result.stderr
    assert "Give link.bit_error_rate a lower value" in " ".join(result.stderr.split())


def test_nodes_of_rtl_take_the_same_time_with_bit_errors(
    tidings: Tidings, tmp_path: Path, spirit_text: str, program: Path
) -> None:
    machine = machine_with(spirit_text, tmp_path, "reliable = true\nbit_error_rate = 1e-4\nseed = 5")
    times = set()
    for fidelity in (["--fidelity", "cycle"], ["--fidelity", "rtl"], ["--rtl-nodes", "1"]):
        report = tmp_path / "run.json"
        result = tidings("run", "-n", "2", "-m", machine, *fidelity, "--json", report, "-q", program)
        assert result.returncode == 0, result.stderr
        times.add(json.loads(report.read_text(encoding="utf-8"))["elapsed_ps"])
    assert len(times) == 1


def test_bit_errors_need_reliable_links(tidings: Tidings, tmp_path: Path, spirit_text: str) -> None:
    result = tidings("machine", "check", machine_with(spirit_text, tmp_path, "bit_error_rate = 1e-6"))
    assert result.returncode == 2
    assert "needs reliable = true" in result.stderr


def test_bench_shows_that_errors_cost_throughput_and_latency(tidings: Tidings, tmp_path: Path) -> None:
    figures = tmp_path / "links.json"
    result = tidings("bench", "links", "-m", "spirit", "--cycles", "20000", "--json", figures)
    assert result.returncode == 0, result.stderr
    costs = json.loads(figures.read_text(encoding="utf-8"))
    full = [cost for cost in costs if cost["load"] == 1.0]
    assert full[0]["bit_error_rate"] == 0
    assert full[0]["flits_per_cycle"] > 0.99
    # Two cycles more than the wire; shown in one cycle, at the input 79 cycles later without the ends.
    assert (full[0]["mean_latency"], full[0]["longest_latency"]) == (81, 81)
    at_1e4 = next(cost for cost in full if cost["bit_error_rate"] == 1e-4)
    assert 0.2 < at_1e4["flits_per_cycle"] < 0.7
    assert at_1e4["resent_frames"] > at_1e4["damaged_frames"] > 0
