# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The face of the library in MPICH's ABI: it has all names, and converts all constants."""

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from cli_support import ROOT
from tidings.layout import library_folder
from tidings.runtime.program import MPICH_LIBRARY

HEADERS = Path(sys.executable).parents[1] / "include"


@pytest.fixture
def face(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the generator."""
    for folder in ("mpi", "fortran", "mpich_abi"):
        monkeypatch.syspath_prepend(str(ROOT / "lib" / folder))
    return importlib.import_module("face")


@pytest.fixture
def constants(face: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the constants of MPICH's ABI and of the standard's."""
    mpich, standard = ((HEADERS / name).read_text() for name in ("mpi.h", "mpi_abi.h"))
    return face.constants(mpich), face.constants(standard)


def values_in_c(names: list[str], compiler: str, folder: Path) -> list[int]:
    """Let a compiler say what constants are worth."""
    lines = "".join(f'  printf("%lld\\n", (long long)(intptr_t)({name}));\n' for name in names)
    (folder / "values.c").write_text(
        f"#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\nint main(void) {{\n{lines}}}\n"
    )
    subprocess.run([Path(sys.executable).with_name(compiler), "values.c", "-w", "-o", compiler], cwd=folder, check=True)
    done = subprocess.run([folder / compiler], capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.split()]


def test_constants_are_read_as_a_compiler_reads_them(
    face: Any, constants: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    mpich, standard = constants
    names = [name for name in standard if name in mpich]
    assert len(names) > 350
    assert values_in_c(names, "mpicc", tmp_path) == [face.signed(mpich[name].value) for name in names]
    assert values_in_c(names, "mpicc_abi", tmp_path) == [standard[name].value for name in names]


def test_constant_that_nothing_converts_is_named(face: Any, constants: tuple[dict[str, Any], dict[str, Any]]) -> None:
    mpich, standard = constants
    assert face.unconverted(mpich, standard) == []
    added = [face.Constant("MPI_NOVELTY", "", value) for value in (1, 2)]
    both = mpich | {"MPI_NOVELTY": added[0]}, standard | {"MPI_NOVELTY": added[1]}
    assert face.unconverted(*both) == ["MPI_NOVELTY"]


def test_every_constant_is_converted_there_and_back(
    face: Any, constants: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    mpich, standard = constants
    (tmp_path / "constants.h").write_text("\n".join(face.constants_header(mpich, standard)))
    checks = []
    for kind, pattern in face.KINDS.items():
        for name, value in face.of_kind(pattern, standard).items():
            theirs = face.signed(mpich[name].value)
            checks.append(f"static_assert({face.snake(kind)}_to_abi({theirs}) == {value});")
            checks.append(f"static_assert({face.snake(kind)}_to_mpich({value}) == {theirs});")
    assert len(checks) > 600
    text = "\n".join(['#include "constants.h"', "using namespace tidings::mpich;", *checks])
    (tmp_path / "checks.cpp").write_text(text)
    subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "checks.cpp"], cwd=tmp_path, check=True)


def test_every_kind_of_constant_is_converted_in_some_call(
    face: Any, constants: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    functions = face.mpich_functions((HEADERS / "mpi_proto.h").read_text())
    standard = face.parse_header((HEADERS / "mpi_abi.h").read_text())
    written = [(ROOT / "lib" / "mpich_abi" / name).read_text() for name in ("convert.h", "by_hand.cpp")]
    text = "\n".join([*face.functions_file(functions, standard), *written])
    for kind in [*face.KINDS, *face.FLAGS]:
        if kind not in face.HANDLES:
            name = face.snake(kind)
            assert f"{name}_to_abi" in text or f"{name}_to_mpich" in text, kind


def test_library_has_all_that_the_header_declares(face: Any) -> None:
    with (library_folder() / MPICH_LIBRARY).open("rb") as file:
        section = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(section, SymbolTableSection)
        defined = {symbol.name for symbol in section.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"}
    declared = {each.name for each in face.mpich_functions((HEADERS / "mpi_proto.h").read_text())}
    wanted = declared - {"MPI_DUP_FN"} | {"MPIR_Dup_fn", "MPIX_Async_get_state"}
    assert len(wanted) > 750
    assert wanted <= defined
    assert {f"P{name}" for name in wanted - {"MPIR_Dup_fn"}} <= defined
    data = face.data_symbols((HEADERS / "mpi.h").read_text())
    assert "MPI_UNWEIGHTED" in data
    assert set(data) <= defined
