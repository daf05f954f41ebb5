# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Every function that the library has is called by a test program, and every program says what it does."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from tests.programs import harness


def _implemented() -> list[str]:
    """Names of the functions that the library has; a function and its variants for large counts are one."""
    script = "import functions; print(*sum(functions.implemented().values(), []))"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=harness.ROOT / "lib" / "mpi", capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.fixture(scope="module")
def called() -> set[str]:
    """Functions that programs call."""
    sources = [*harness.HERE.glob("*.c"), *harness.HERE.glob("errors/*.c"), harness.HERE / "program.h"]
    return set().union(*(harness.functions_called(source) for source in sources))


@pytest.mark.parametrize("function", _implemented())
def test_function_is_called_by_a_program(function: str, called: set[str]) -> None:
    assert called & {function, f"{function}_c", f"{function}_x"}


@pytest.mark.parametrize("program", [*harness.PROGRAMS, *harness.AREA_PROGRAMS])
def test_program_says_what_it_does(program: str) -> None:
    assert re.search(r"SPDX.*\n\n// \S", harness.source_of(program).read_text())
