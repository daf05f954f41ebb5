# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What a run would gain, and runs side by side."""

import json
from pathlib import Path

import pytest

import tidings as package
from cli_support import ROOT, Tidings
from tidings.errors import UserError


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    return package.compile_program(ROOT / "tests" / "programs" / "heat.c", folder / "heat")


def test_each_gain_is_that_of_a_run_on_the_changed_machine(program: Path) -> None:
    rows = {row.change: row for row in package.whatif(program, machine="spirit", ranks=8)}
    spirit = package.machine("spirit")

    def elapsed_ps(changes: dict[str, object], **options: str) -> int:
        machine = package.machine(spirit, changes)
        return package.run(program, machine=machine, ranks=8, capture=True, **options).elapsed_ps  # type: ignore[arg-type]

    base = elapsed_ps({})
    assert (rows[""].elapsed_ps, rows[""].gain) == (base, 1.0)
    halved = elapsed_ps({"link.latency_cycles": spirit.link.latency_cycles // 2})
    assert rows["latency"].elapsed_ps == halved < base
    assert rows["latency"].gain == base / halved
    assert rows["collectives"].elapsed_ps == elapsed_ps({}, collectives="software") != base
    assert rows["software"].elapsed_ps < base
    assert rows["fabric"].elapsed_ps < base


def test_what_a_machine_cannot_have_is_said(program: Path) -> None:
    rows = {row.change: row for row in package.whatif(program, machine="crossbar", ranks=4, changes=["latency"])}
    assert rows["latency"].note == "crossbar has no links"
    assert rows["latency"].elapsed_ps == 0


def test_an_unknown_change_is_refused(program: Path) -> None:
    with pytest.raises(UserError, match="there is no change 'colour'"):
        package.whatif(program, machine="spirit", ranks=2, changes=["colour"])


def test_two_runs_are_compared_from_their_figures(program: Path, tidings: Tidings, tmp_path: Path) -> None:
    for name in ("hardware", "software"):
        made = tidings("run", "-n", "4", "-m", "spirit", "--collectives", name, "--json", f"{name}.json", program)
        assert made.returncode == 0, made.stderr
    compared = tidings("compare", "hardware.json", "software.json", "--json", "both.json")
    assert compared.returncode == 0, compared.stderr
    first, second = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("hardware", "software"))
    rows = {row["figure"]: row for row in json.loads((tmp_path / "both.json").read_text())}
    assert rows["virtual time"]["ratio"] == second["elapsed_ps"] / first["elapsed_ps"]
    allreduce = rows["MPI_Allreduce"]
    assert allreduce["first"] == first["operations"]["MPI_Allreduce"]["mean_ps"]
    assert allreduce["second"] == second["operations"]["MPI_Allreduce"]["mean_ps"]
    assert "MPI_Allreduce, mean" in compared.stdout


def test_a_file_without_figures_is_not_compared(tidings: Tidings, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    refused = tidings("compare", "other.json", "other.json")
    assert refused.returncode == 2
    assert "is not of tidings run --json: elapsed_ps is missing" in refused.stderr


def test_both_kinds_of_collectives_are_printed_side_by_side(program: Path, tidings: Tidings, tmp_path: Path) -> None:
    both = tidings(
        "run",
        "-n",
        "4",
        "-m",
        "spirit",
        "--collectives",
        "both",
        "--json",
        "both.json",
        "--report",
        "both.html",
        program,
    )
    assert both.returncode == 0, both.stderr
    runs = json.loads((tmp_path / "both.json").read_text())
    assert {name: run["collectives"] for name, run in runs.items()} == {"hardware": "hardware", "software": "software"}
    line = next(line for line in both.stderr.splitlines() if line.startswith("virtual time"))
    ratio = runs["software"]["elapsed_ps"] / runs["hardware"]["elapsed_ps"]
    assert f"{ratio:.3f}" in line
    assert '<option value="1">software</option>' in (tmp_path / "both.html").read_text()
