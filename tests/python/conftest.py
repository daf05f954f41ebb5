# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli_support import ROOT, Tidings


@pytest.fixture
def tidings(tmp_path: Path) -> Tidings:
    """Run the installed command in an empty folder and return what came of it."""

    def command(
        *arguments: str | Path, timeout: float = 300, typed: str | None = None
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [Path(sys.executable).with_name("tidings"), *arguments],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "160", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
            input=typed,
        )

    return command


@pytest.fixture
def spirit_text() -> str:
    """Return the text of a shipped machine file, as a base to break."""
    return (ROOT / "machines" / "spirit.toml").read_text()
