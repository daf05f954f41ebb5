# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""The modules as FuseSoC cores."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

RTL = Path(__file__).resolve().parents[2] / "rtl"
#: In the order in which they need one another.
CORES = ("common", "network", "engine", "machine")


def test_cores_list_the_sources_in_compile_order() -> None:
    cores = "".join((RTL / f"tidings_{core}.core").read_text() for core in CORES)
    listed = re.findall(r"- (\w+/\w+\.sv)$", cores, re.M)
    compiled = re.findall(r"^\w+/\w+\.sv$", (RTL / "sources.f").read_text(), re.M)
    assert listed == compiled


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
