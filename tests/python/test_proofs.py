# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The runner of proofs: which files a proof needs, and what is kept."""

import sys
from pathlib import Path

import pytest

from tidings.build.hierarchy import needed_files

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "formal"))

import prove  # noqa: E402


def test_files_are_what_is_instantiated_or_imported_and_what_that_needs(tmp_path: Path) -> None:
    texts = {
        "used_pkg": "package used_pkg; typedef logic word_t; endpackage",
        "named_pkg": "package named_pkg; localparam int One = 1; endpackage",
        "leaf": "module leaf import used_pkg::*; (input word_t a_i); endmodule",
        "other": "module other (input logic a_i); endmodule",
        "middle": "module middle (input logic a_i); leaf u_leaf (.a_i); endmodule",
    }
    available = {name: tmp_path / f"{name}.sv" for name in texts}
    for name, text in texts.items():
        available[name].write_text(text)
    top = tmp_path / "top.sv"
    top.write_text(
        "module top (input logic a_i); logic other; middle u_middle (.a_i(a_i == named_pkg::One)); endmodule"
    )
    assert [path.stem for path in needed_files(top, available)] == ["used_pkg", "named_pkg", "leaf", "middle", "top"]


def test_a_stand_in_takes_the_place_of_the_file_of_its_name() -> None:
    proof = next(proof for proof in prove.PROOFS if proof.name == "router, ring")
    texts = prove.sources(proof)
    assert texts["route_compute.sv"] == (ROOT / "tests/formal/any_way/route_compute.sv").read_text()


def test_a_proof_that_has_run_is_not_run_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runs: list[Path] = []

    def execute(folder: Path, timeout: float) -> tuple[int, str]:
        runs.append(folder)
        return 0, ""

    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    monkeypatch.setattr(prove, "_execute", execute)
    proof = next(proof for proof in prove.PROOFS if proof.name == "fifo")
    first, second = (prove.run(proof, "prove", None, None, 1) for _ in range(2))
    assert first == second
    assert len(runs) == 1
