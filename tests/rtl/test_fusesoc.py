# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""The modules as FuseSoC cores."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tidings.build import manifest

RTL = Path(__file__).resolve().parents[2] / "rtl"


def test_every_module_is_in_the_list_of_sources() -> None:
    listed = {entry.path for entry in manifest.entries(RTL) if entry.origin == "own" and entry.kind == "source"}
    assert listed == {str(path.relative_to(RTL)) for path in RTL.glob("*/*.sv")}


def test_what_belongs_to_no_folder_is_needed_by_the_next_module() -> None:
    parts = {entry.path: entry.part for entry in manifest.entries(RTL)}
    assert parts["common_regs.sv"] == "engine"
    assert parts["network/router.sv"] == "network"


@pytest.mark.parametrize("core", ["network", "machine"])
def test_core_is_clean_in_verilator(core: str, tmp_path: Path) -> None:
    command = ["fusesoc", "--cores-root", str(RTL), "run", "--target", "lint", f"tidings:rtl:{core}"]
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "%Warning" not in result.stdout + result.stderr
