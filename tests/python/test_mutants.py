# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""A sample of the mutants of `make mutants`, and how survivors are told."""

import dataclasses
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mutation"))

import mutants  # noqa: E402
import prove  # noqa: E402

FIFO = next(block for block in mutants.blocks() if block.name == "fifo")


def test_a_sample_of_mutants_is_killed_or_explained() -> None:
    found = mutants.run(FIFO, count=5, seed=1)
    assert len(found) == 5
    assert any(mutant.killed for mutant in found)
    assert all(mutant.answer for mutant in found if mutant.killed)
    assert all(mutant.of for mutant in found), "each is in a text of the RTL"
    assert mutants.unexplained(found) == []


def test_a_block_whose_properties_fail_without_a_change_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    monkeypatch.setattr(prove, "run", lambda *_: prove.Run("FIFO", "", "k-induction", 2, 1.0, "fail", "NothingIsLost"))
    with pytest.raises(RuntimeError, match="fifo: the proof 'fifo' does not hold without a change: NothingIsLost"):
        mutants.run(FIFO, count=1, seed=1)


def test_a_mutant_without_an_answer_survives_and_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    proof = next(proof for proof in prove.PROOFS if proof.name == FIFO.proof)
    held = prove.Run(proof.name, "", "k-induction", 2, 1.0, "pass", "")
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    monkeypatch.setattr(prove, "run", lambda *_: held)
    found = mutants.run(FIFO, count=1, seed=1, seconds=0.0)
    assert [(mutant.killed, mutant.answer) for mutant in found] == [(False, f"no answer in {proof.fault_depth} cycles")]
    # With a reason it is not asked again.
    reason = mutants.Reason(FIFO.name, found[0].of, why="it is not used")
    monkeypatch.setattr(mutants, "reasons", lambda: [reason])
    assert mutants.run(FIFO, count=1, seed=1, seconds=0.0) == found
    monkeypatch.setattr(mutants, "_ask", lambda *_: (False, "NothingIsLost"))
    assert mutants.run(FIFO, count=1, seed=1) == found
    monkeypatch.setattr(mutants, "reasons", list)
    assert mutants.run(FIFO, count=1, seed=1)[0].killed


def test_a_mutant_that_changes_nothing_is_equal_and_needs_no_reason() -> None:
    found = mutants.run(FIFO, count=12, seed=1)
    equal = [mutant for mutant in found if mutant.equal]
    assert equal
    assert not any(mutant.killed for mutant in equal)
    assert not any(reason.explains(mutant) for mutant in equal for reason in mutants.reasons())


def test_the_table_for_pages_has_a_row_per_block_and_one_for_all() -> None:
    killed = mutants.Mutant("fifo", "inv A[0]", "count_o", "mutate", killed=True, answer="NothingIsLost")
    survives = dataclasses.replace(killed, killed=False, answer="none fails in 12 cycles")
    lines = mutants.as_markdown([killed, dataclasses.replace(survives, block="arbiter"), survives]).splitlines()
    assert lines[:2] == [
        "| block | mutants | killed | equal, proved | equivalent, with a reason | survive |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    assert lines[2:] == [
        "| fifo | 2 | 1 (50%) | 0 | 0 | 1 |",
        "| arbiter | 1 | 0 (0%) | 0 | 0 | 1 |",
        "| all | 3 | 1 (33%) | 0 | 0 | 2 |",
    ]


def test_a_reason_is_of_its_block_and_text_alone() -> None:
    mutant = mutants.Mutant("fifo", "inv A[0]", "count_o + 1'b1", "mutate", killed=False)
    reason = mutants.Reason("fifo", "count_o + 1'b1", why="it is not used")
    assert reason.explains(mutant)
    assert not dataclasses.replace(reason, block="arbiter").explains(mutant)
    assert not dataclasses.replace(reason, of="count_o").explains(mutant)
    assert not dataclasses.replace(reason, what="const0 A[0]").explains(mutant)


def test_blocks_and_reasons_are_of_what_there_is() -> None:
    known = {block.name for block in mutants.blocks()}
    assert {reason.block for reason in mutants.reasons()} <= known
    for block in mutants.blocks():
        assert (ROOT / block.file).exists()
        assert block.proof in {proof.name for proof in prove.PROOFS}
