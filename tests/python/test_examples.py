# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The examples in Python print what stands beside them: virtual times are the same everywhere."""

import subprocess
import sys
from pathlib import Path

import pytest

from cli_support import ROOT

EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_prints_what_stands_beside_it(example: Path, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, example], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
    )
    lines = [line.rstrip() for line in found.stdout.splitlines()]
    assert lines == example.with_suffix(".out").read_text(encoding="utf-8").splitlines()
