# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The functions of the package: what they give, and that it is what the command line gives."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tidings
from cli_support import ROOT, Tidings
from tidings.machines.file import shipped_machines
from tidings.runtime.result import Run


@pytest.fixture(scope="module")
def total(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a program that sums ``rank + 63`` over all ranks and prints it."""
    return tidings.compile_program(ROOT / "examples" / "python" / "sum.c", tmp_path_factory.mktemp("sum") / "sum")


def test_a_run_gives_its_tables_as_data_frames(total: Path) -> None:
    result = tidings.run(total, machine="spirit", ranks=4, capture=True)
    assert result.stdout == "258\n"
    assert (result.exit_status, result.error, result.stderr) == (0, "", "")
    assert result.elapsed == pytest.approx(result.elapsed_ps / 1e12)
    operations = result.operations
    assert operations.index.name == "operation"
    assert operations[["calls", "hardware", "software"]].to_dict("index")["MPI_Allreduce"] == {
        "calls": 4,
        "hardware": 4,
        "software": 0,
    }
    assert list(result.ranks.index) == [0, 1, 2, 3]
    assert (result.ranks["communication_ps"] + result.ranks["compute_ps"] == result.ranks["elapsed_ps"]).all()
    per_rank = result.rank_operations
    assert per_rank.index.names == ["rank", "operation"]
    assert per_rank.index.get_level_values("rank").unique().tolist() == [0, 1, 2, 3]
    together = per_rank["total_ps"].groupby("operation").sum()
    pd.testing.assert_series_equal(together, operations["total_ps"].loc[together.index])
    assert "4 ranks on spirit" in repr(result)
    shown = result._repr_html_()  # what a notebook shows
    assert "4 ranks on spirit" in shown
    assert "<th>MPI_Allreduce</th>" in shown


def test_a_run_is_that_of_the_command_line(total: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    command_line: Tidings = request.getfixturevalue("tidings")
    file = tmp_path / "run.json"
    assert command_line("run", "-n", "4", "-m", "crossbar", "--json", file, total).returncode == 0
    command = json.loads(file.read_text(encoding="utf-8"))
    function = tidings.run(total, machine="crossbar", ranks=4, capture=True).as_json()
    del command["wall_seconds"], function["wall_seconds"]
    assert command == function


def test_a_profile_is_slower_by_its_costs_and_uses_its_algorithms(total: Path) -> None:
    def run(**options: Any) -> Run:
        return tidings.run(total, machine="tilepro64-2013", ranks=4, capture=True, **options)

    costs = tidings.machine("tilepro64-2013").software["operampi"].costs
    fast, slow = run(profile="nocmsg"), run(profile="operampi")
    assert fast.stdout == slow.stdout == "258\n"
    assert slow.operations["software"]["MPI_Allreduce"] == 4
    # A binomial tree of 4 ranks is 2 messages deep, up and down.
    assert slow.operations["max_ps"]["MPI_Allreduce"] > 4 * 1000 * (costs["message_ns"] + costs["arrival_ns"])
    assert fast.elapsed_ps < slow.elapsed_ps
    assert "profile operampi" in repr(slow)
    assert run(profile="operampi", algorithms={"allreduce": "gather"}).elapsed_ps != slow.elapsed_ps
    with pytest.raises(tidings.UserError, match="collectives 'hardware': profile nocmsg has none by the engines"):
        run(profile="nocmsg", collectives="hardware")
    with pytest.raises(tidings.UserError, match="spirit has no profile 'nocmsg'"):
        tidings.run(total, machine="spirit", ranks=4, profile="nocmsg")


def test_a_program_that_fails_raises_an_error_with_the_run() -> None:
    with pytest.raises(tidings.RunError, match="status 37") as caught:
        tidings.run(["sh", "-c", "exit 37"], machine="crossbar", ranks=2)
    assert caught.value.run.exit_status == 37
    assert tidings.run(["sh", "-c", "exit 37"], machine="crossbar", ranks=2, check=False).exit_status == 37


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"machine": "spirti"}, "Did you mean spirit"),
        ({"ranks": 65}, "65 ranks do not fit on spirit"),
        ({"fidelity": "magic"}, "fidelity 'magic' is not available; available: cycle, rtl"),
        ({"collectives": "both"}, "collectives 'both' is not available; available: hardware, software"),
        ({"compute": "guessed"}, "compute 'guessed' is not available; available: none, measured"),
    ],
)
def test_an_impossible_run_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(tidings.UserError, match=message):
        tidings.run("true", **({"machine": "spirit", "ranks": 2} | wrong))  # type: ignore[arg-type]


def test_what_is_not_captured_goes_where_it_would_go_anyway(total: Path, capfd: pytest.CaptureFixture[str]) -> None:
    result = tidings.run(total, machine="spirit", ranks=2)
    assert result.stdout is None
    assert capfd.readouterr().out == "127\n"


def test_a_sweep_has_a_row_per_combination(total: Path) -> None:
    found = tidings.sweep(
        total,
        machine="spirit",
        ranks=[2, 4],
        collectives=["hardware", "software"],
        vary={"link.latency_cycles": [10, 80]},
        capture=True,
    )
    frame = found.frame
    assert list(frame.columns[:4]) == ["machine", "ranks", "collectives", "link.latency_cycles"]
    assert len(frame) == len(found) == 8
    assert set(frame["machine"]) == {"spirit"}
    times = frame.set_index(["ranks", "collectives", "link.latency_cycles"])["elapsed_ps"]
    assert times[4, "hardware", 10] < times[4, "hardware", 80] < times[4, "software", 80]
    assert times[4, "hardware", 80] == tidings.run(total, machine="spirit", ranks=4, capture=True).elapsed_ps
    operations = found.operations
    assert set(operations.loc[operations["operation"] == "MPI_Allreduce", "software"]) == {0, 2, 4}


def test_a_sweep_is_checked_before_its_first_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for wrong in ({"ranks": [1, 65]}, {"ranks": 1, "vary": {"link.latency_cycles": [1, -1]}}):
        with pytest.raises(tidings.UserError):
            tidings.sweep(["touch", mark], machine="spirit", **wrong)
    assert not mark.exists()


@pytest.mark.parametrize("name", shipped_machines())
def test_a_machine_without_changes_is_the_machine(name: str) -> None:
    machine = tidings.machine(name)
    assert tidings.machine(machine, {"summary": machine.summary}) == machine


def test_a_machine_is_changed_by_the_keys_of_its_file() -> None:
    machine = tidings.machine("mesh8x8", {"topology.size": (4, 4), "router.pipeline": True})
    assert (machine.topology.size, machine.router.pipeline) == ((4, 4), True)
    assert machine.link == tidings.machine("mesh8x8").link
    assert tidings.machine("mesh8x8", {"topology.kind": "crossbar", "topology.slots": 4}).routers == 1
    with pytest.raises(
        tidings.UserError, match=r"mesh8x8 with changes: link\.latencies: is not a key .* latency_cycles"
    ):
        tidings.machine("mesh8x8", {"link.latencies": 3})
    with pytest.raises(tidings.UserError, match=r"router\.buffer_flits: is 3; it must be a power of two"):
        tidings.machine("mesh8x8", {"router.buffer_flits": 3})


def test_shipped_machines_are_listed() -> None:
    machines = tidings.list_machines()
    assert list(machines.index) == list(shipped_machines())
    assert machines[["slots", "routers"]].to_dict("index")["spirit"] == {"slots": 64, "routers": 64}


def test_a_machine_is_checked_for_deadlock() -> None:
    assert tidings.check_machine("spirit", ranks=8).acyclic
    assert not tidings.check_machine("spirit", dateline=False).acyclic


def test_benches_are_data_frames() -> None:
    collectives = tidings.bench_collectives("spirit", operations=["barrier"], trees=["gray"], nodes=[2, 4]).frame
    assert collectives[["operation", "tree", "nodes"]].to_numpy().tolist() == [
        ["barrier", "gray", 2],
        ["barrier", "gray", 4],
    ]
    assert (collectives["ratio"] == collectives["cycles"] / collectives["bound"]).all()
    moved = tidings.bench_rma(slots=[2], words=[1], exchange=[1]).frame
    assert len(moved[moved["what"] == "PUT"]) == 1
    links = tidings.bench_links(cycles=500).frame
    assert links["load"].value_counts().to_dict() == {1.0: 8, 0.1: 8}
    speeds = tidings.bench_simulator(["crossbar"], cycles=50)
    assert list(speeds.frame["load"]) == [speed.load for speed in speeds] == ["neighbour", "uniform", "allreduce"]


def test_traffic_is_a_curve_and_links() -> None:
    machine = tidings.machine("mesh8x8", {"topology.size": [2, 2]})
    study = tidings.bench_traffic(machine, loads=[0.1, 0.2], saturation=False, warmup_cycles=100, measure_cycles=500)
    assert list(study.curve["load"]) == [0.1, 0.2]
    assert len(study.links) == 2 * 8
    with pytest.raises(tidings.UserError, match="there is no pattern 'tornados'"):
        tidings.bench_traffic(machine, pattern="tornados")


def test_importing_the_package_imports_neither_simulator_nor_pandas() -> None:
    code = "import sys, tidings; print(sorted({'pandas', 'tidings._core', 'matplotlib'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_doctor_works_without_the_simulator() -> None:
    code = "import sys; sys.modules['tidings._core'] = None; from tidings.cli import main; main()"
    command = [sys.executable, "-c", code]
    doctor = subprocess.run([*command, "doctor"], capture_output=True, text=True, check=False)
    assert doctor.returncode == 1
    assert "tidings._core cannot be imported" in doctor.stdout
    run = subprocess.run(
        [sys.executable, "-c", code, "run", "-n", "1", "true"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "run does not work here" in run.stderr
    assert "tidings doctor says what is missing" in run.stderr
