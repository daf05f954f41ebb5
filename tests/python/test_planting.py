# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Planted faults fit the sources that they are planted in."""

import tomllib
from pathlib import Path

import pytest

from planting import Fault, plant, read_faults

ROOT = Path(__file__).resolve().parents[2]
PROOFS = sorted(ROOT.glob("tests/formal/*_proof.toml"))
FILES = [*sorted(ROOT.glob("sim/**/faults.toml")), *PROOFS]
FAULTS = [fault for path in FILES for fault in read_faults(path)]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.file}: {fault.title}")
def test_each_fault_has_one_place(fault: Fault) -> None:
    text = (ROOT / fault.file).read_text()
    assert fault.planted(text) != text


def test_each_fault_of_proofs_is_looked_for_and_has_a_title_of_its_own() -> None:
    planted = [fault.title for path in PROOFS for fault in read_faults(path)]
    proofs = [proof for path in PROOFS for proof in tomllib.loads(path.read_text())["proof"]]
    assert len(set(planted)) == len(planted)
    assert {title for proof in proofs for title in proof.get("faults", [])} == set(planted)


def test_a_fault_is_taken_out_again(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("left + right")
    with plant(tmp_path, Fault("minus", "a.cpp", "+", "-")):
        assert (tmp_path / "a.cpp").read_text() == "left - right"
    assert (tmp_path / "a.cpp").read_text() == "left + right"


def test_a_fault_without_a_place_is_told() -> None:
    with pytest.raises(ValueError, match=r"0 places in a\.cpp read"):
        Fault("minus", "a.cpp", "+", "-").planted("left * right")
