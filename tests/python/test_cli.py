# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The command line without a run: help, machines, the compiler wrapper, the doctor."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cli_support import ROOT, Tidings

COMMANDS = [
    ["run"],
    ["machine", "list"],
    ["machine", "show"],
    ["machine", "check"],
    ["bench", "simulator"],
    ["bench", "traffic"],
    ["bench", "osu"],
    ["whatif"],
    ["doctor"],
    ["cc"],
    ["c++"],
    ["fc"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_of_every_command_has_an_example(tidings: Tidings, command: list[str]) -> None:
    result = tidings(*command, "--help")
    assert result.returncode == 0
    assert "example" in result.stdout
    assert f"tidings {' '.join(command)}" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80, "into a pipe it is as wide as a terminal"


def test_version_is_printed(tidings: Tidings) -> None:
    assert tidings("--version").stdout == "tidings 0.1.0\n"


def test_machine_list_has_every_shipped_machine_with_its_slots(tidings: Tidings) -> None:
    result = tidings("machine", "list")
    assert result.returncode == 0
    for name, slots in (("spirit", 64), ("mesh8x8", 64), ("crossbar", 16)):
        assert any(line.split()[:2] == [name, str(slots)] for line in result.stdout.splitlines())


def test_machine_show_prints_values_with_units_and_what_follows(tidings: Tidings) -> None:
    lines = [" ".join(line.split()) for line in tidings("machine", "show", "spirit").stdout.splitlines()]
    assert "link.latency_cycles 80 cycles cycles from router to router" in lines
    assert "processor.interrupt_ns 5000 ns from the interrupt line to the waiting program" in lines
    assert "diameter 6 hops" in lines
    assert "bandwidth of a link, one direction 400 MB/s" in lines


def test_machine_check_accepts_a_copy_and_warns_of_short_buffers(
    tidings: Tidings, tmp_path: Path, spirit_text: str
) -> None:
    (tmp_path / "mine.toml").write_text(spirit_text.replace("buffer_flits = 256", "buffer_flits = 64"))
    result = tidings("machine", "check", "./mine.toml")
    assert result.returncode == 0
    assert "spirit, a machine of 64 slots, can be used" in result.stdout
    assert "warning: mine.toml: router.buffer_flits is 64" in result.stderr


def test_machine_check_refuses_a_broken_file_without_a_traceback(tidings: Tidings, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\n')
    result = tidings("machine", "check", "mine.toml")
    assert result.returncode == 2
    assert result.stderr.startswith("tidings: error: mine.toml: summary: is missing")
    assert "Traceback" not in result.stderr


def test_unknown_machine_is_refused_with_a_suggestion(tidings: Tidings) -> None:
    result = tidings("machine", "show", "spirti")
    assert result.returncode == 2
    assert "Did you mean spirit?" in result.stderr


def test_doctor_finds_everything_here(tidings: Tidings) -> None:
    result = tidings("doctor")
    assert "missing" not in result.stdout
    assert result.returncode == 0


def test_compiler_wrapper_passes_options_on_and_prints_its_command(tidings: Tidings) -> None:
    result = tidings("cc", "-show", "-O2", "-h", "-Wall", "x.c", "-o", "a b", "-lm")
    assert result.returncode == 0
    words = result.stdout
    assert " -O2 -h -Wall x.c -o 'a b' -lm " in words
    assert words.index("-I") < words.index("x.c") < words.index("-lmpi_abi")


def test_compiler_wrapper_adds_no_library_where_nothing_is_linked(tidings: Tidings) -> None:
    assert "libmpi_abi" not in tidings("cc", "-show", "-c", "x.c").stdout


def test_compiler_wrapper_returns_the_status_of_the_compiler(tidings: Tidings, tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("int main(void) { return x; }\n")
    result = tidings("cc", "bad.c", "-o", "bad")
    assert result.returncode == 1
    assert "bad.c" in result.stderr


def test_compiler_wrapper_names_a_compiler_that_is_not_there(tidings: Tidings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    result = tidings("cc", "x.c")
    assert result.returncode == 127
    assert "cannot run the compiler 'no-such-compiler'" in result.stderr


def test_fortran_wrapper_says_what_to_install_if_there_is_no_compiler(
    tidings: Tidings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FC", str(tmp_path / "gfortran"))
    result = tidings("fc", "x.f90")
    assert result.returncode == 127
    assert "apt-get install gfortran" in result.stderr


def test_compiler_that_cannot_make_the_modules_of_fortran_is_quoted(
    tidings: Tidings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "fort"
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] && echo fort 1 || { echo "no such dialect" >&2; exit 3; }\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("FC", str(compiler))
    result = tidings("fc", "-show", "x.f90")
    assert result.returncode == 127
    assert "cannot make MPI's modules for Fortran" in result.stderr
    assert "no such dialect" in result.stderr


@pytest.mark.parametrize(("command", "suffix"), [("cc", "c"), ("c++", "cpp")])
def test_compiled_program_finds_the_mpi_library_by_itself(
    tidings: Tidings, tmp_path: Path, command: str, suffix: str
) -> None:
    source = tmp_path / f"version.{suffix}"
    source.write_text(
        "#include <mpi.h>\nint main(void) { int v, s; return MPI_Get_version(&v, &s) != MPI_SUCCESS || v < 4; }\n"
    )
    assert tidings(command, source, "-o", "version").returncode == 0
    needed = subprocess.run(["ldd", tmp_path / "version"], capture_output=True, text=True, check=True).stdout
    assert "libmpi_abi.so.1 =>" in needed
    assert "not found" not in needed


def test_make_help_lists_the_targets() -> None:
    make = shutil.which("make")
    assert make is not None
    result = subprocess.run([make, "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    for target in ("setup", "build", "test", "demo", "lint", "rv32", "clean"):
        assert f"make {target}" in result.stdout
