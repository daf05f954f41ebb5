# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What commands write: JSON and CSV beside every table, to files and to standard output."""

import csv
import io
import json
from pathlib import Path

import pytest

from cli_support import Tidings
from tidings import _core
from tidings.machines.file import shipped_machines

#: Commands with a table, kept short; what CSV must have as columns; rows of the CSV.
COMMANDS = {
    "machine list": (["machine", "list"], {"machine", "slots", "summary"}, len(shipped_machines())),
    "machine show": (["machine", "show", "crossbar"], {"key", "value", "unit", "meaning"}, None),
    "algorithms": (["algorithms"], {"collective", "algorithm", "meaning"}, len(_core.algorithms())),
    "machine check": (["machine", "check", "spirit"], {"machine", "acyclic", "channels", "cycle"}, 1),
    "doctor": (["doctor"], {"subject", "ok", "detail", "remedy"}, None),
    "bench simulator": (["bench", "simulator", "-m", "crossbar", "--cycles", "50"], {"load", "cycles_per_second"}, 3),
    "bench library": (["bench", "library"], {"call", "instructions", "target", "allocations"}, 41),
    "bench programs": (
        ["bench", "programs", "--pattern", "start", "--repeat", "1"],
        {"pattern", "ranks", "value", "unit", "target"},
        1,
    ),
    "bench links": (["bench", "links", "--cycles", "200"], {"bit_error_rate", "resent_frames"}, 16),
    "bench collectives": (
        ["bench", "collectives", "-n", "2", "--operation", "barrier", "--tree", "gray"],
        {"operation", "tree", "cycles", "bound", "ratio"},
        1,
    ),
    "bench rma": (
        ["bench", "rma", "-n", "2", "--words", "1", "--exchange", "1,2"],
        {"what", "slots", "words", "value", "published", "floor", "target", "ratio", "us_per_word"},
        27,
    ),
    "bench osu": (
        ["bench", "osu", "-m", "crossbar", "-n", "2", "--benchmark", "barrier,put_latency", "--bytes", "8:16"],
        {"benchmark", "bytes", "value", "unit", "bound", "of_bound"},
        3,
    ),
    "bench traffic": (
        ["bench", "traffic", "-m", "mesh8x8", "--size", "2x2", "--load", "0.1", "--measure", "500"],
        {"load", "accepted", "latency_mean", "latency_p99"},
        1,
    ),
    "run": (["run", "-n", "2", "-m", "crossbar", "true"], set(), 0),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_json_on_standard_output_is_alone_there(name: str, tidings: Tidings) -> None:
    arguments = COMMANDS[name][0]
    result = (
        tidings(arguments[0], "--json", "-", *arguments[1:]) if name == "run" else tidings(*arguments, "--json", "-")
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)
    assert result.stderr.strip()  # the table


@pytest.mark.parametrize("name", COMMANDS)
def test_csv_has_the_table(name: str, tidings: Tidings, tmp_path: Path) -> None:
    arguments, columns, rows = COMMANDS[name]
    file = tmp_path / "table.csv"
    result = (
        tidings(arguments[0], "--csv", file, *arguments[1:]) if name == "run" else tidings(*arguments, "--csv", file)
    )
    assert result.returncode == 0, result.stderr
    found = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    assert columns <= set(found[0] if found else ())
    assert rows is None or len(found) == rows
    assert (result.stderr if name == "run" else result.stdout).strip()  # the table, where it always is


@pytest.mark.parametrize("option", ["--json", "--csv"])
@pytest.mark.parametrize("name", [*COMMANDS, "synth", "verify"])
def test_a_missing_folder_is_an_error_before_the_work(name: str, option: str, tidings: Tidings) -> None:
    arguments = COMMANDS[name][0] if name in COMMANDS else [name]
    result = tidings(arguments[0], *([option, "no/x"] if name == "run" else []), *arguments[1:], *([option, "no/x"]))
    assert result.returncode == 2
    assert result.stderr == f"tidings: error: {option} no/x: the folder no does not exist\n"
    assert result.stdout == ""
