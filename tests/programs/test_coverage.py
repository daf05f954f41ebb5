# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Every function that the library has is called by a test program, and every program says what it does."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.programs import harness

_LIBRARY = harness.ROOT / "lib" / "mpi"


def _implemented() -> list[str]:
    """Names of the functions that the library has; a function and its variant for large counts are one."""
    spec = importlib.util.spec_from_file_location("generate", _LIBRARY / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = generate
    spec.loader.exec_module(generate)
    header = subprocess.run([sys.executable, _LIBRARY / "header.py"], capture_output=True, text=True, check=True).stdout
    functions = generate.parse_header(Path(header.strip()).read_text())
    defined = generate.parse_sources(source.read_text() for source in _LIBRARY.glob("*.cpp"))
    names = {function.name for function in functions}
    return sorted({_plain(name) if _plain(name) in names else name for name in defined})


def _plain(function: str) -> str:
    return function.removesuffix("_c")


@pytest.fixture(scope="module")
def called() -> set[str]:
    """Functions that programs call."""
    sources = [*harness.HERE.glob("*.c"), *harness.HERE.glob("errors/*.c"), harness.HERE / "program.h"]
    return set().union(*(harness.functions_called(source) for source in sources))


@pytest.mark.parametrize("function", _implemented())
def test_function_is_called_by_a_program(function: str, called: set[str]) -> None:
    assert function in called or f"{function}_c" in called


@pytest.mark.parametrize("program", harness.PROGRAMS)
def test_program_says_what_it_does(program: str) -> None:
    assert re.search(r"SPDX.*\n\n// \S", harness.source_of(program).read_text())
