# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Planted faults fit the sources that they are planted in."""

from pathlib import Path

import pytest

from planting import Fault, plant, read_faults

ROOT = Path(__file__).resolve().parents[2]
FAULTS = [fault for path in sorted(ROOT.glob("sim/**/faults.toml")) for fault in read_faults(path)]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.file}: {fault.title}")
def test_each_fault_has_one_place(fault: Fault) -> None:
    text = (ROOT / fault.file).read_text()
    assert fault.planted(text) != text


def test_a_fault_is_taken_out_again(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("left + right")
    with plant(tmp_path, Fault("minus", "a.cpp", "+", "-")):
        assert (tmp_path / "a.cpp").read_text() == "left - right"
    assert (tmp_path / "a.cpp").read_text() == "left + right"


def test_a_fault_without_a_place_is_told() -> None:
    with pytest.raises(ValueError, match=r"0 places in a\.cpp read"):
        Fault("minus", "a.cpp", "+", "-").planted("left * right")
