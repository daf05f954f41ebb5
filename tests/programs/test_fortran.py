# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Fortran programs print what stands beside them, and the same under MPICH; all functions have Fortran's names.

The names that Fortran calls are in a library of ours that uses the standard ABI alone, so it works on MPICH too. What
it does wrong, it does wrong there as well, hence the recorded outputs of four ranks, which were checked by hand.
"""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from types import ModuleType

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from tests.programs import harness

from tidings.layout import include_folder, library_folder, share_folder

FOLDER = harness.HERE / "fortran"
PROGRAMS = sorted(path.name for path in FOLDER.glob("*_*.f*"))
_FLAGS = ("-O1", "-g", "-w", "-fcheck=bounds")

needs_compiler = pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler: install gfortran")


def build(source: Path, *others: Path, flags: tuple[str, ...] = _FLAGS) -> Path:
    """Compile a Fortran program, unless its very text has been compiled before with the very library."""
    inputs = [*others, source, *sorted((share_folder() / "fortran").iterdir()), include_folder() / "mpif.h"]
    recipe = "\0".join([*flags, str(library_folder()), *(path.read_text() for path in inputs)])
    binary = harness.BUILD / "bin" / f"{source.stem}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    if not binary.exists():
        scratch = binary.with_suffix(".modules")
        scratch.mkdir(parents=True, exist_ok=True)
        command = [harness._tool("tidings"), "fc", *flags, *(str(path) for path in (*others, source))]
        subprocess.run([*command, "-J", str(scratch), "-o", f"{binary}.new"], check=True, timeout=240)
        Path(f"{binary}.new").rename(binary)
    return binary


@needs_compiler
@pytest.mark.parametrize("program", PROGRAMS)
def test_program_prints_what_is_recorded_and_the_same_as_under_mpich(program: str, tmp_path: Path) -> None:
    index = zlib.crc32(program.encode())
    machine = harness.MACHINES[index % len(harness.MACHINES)]
    binary = build(FOLDER / program, FOLDER / "say.f90")
    arguments = [str(tmp_path / "file")]
    outcome = harness.run_tidings([binary, *arguments], 4, machine)
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == (FOLDER / program).with_suffix(".out").read_text()
    for ranks in (1, index % 5 + 5):
        expected = harness.run_mpich(binary, ranks, [str(harness.BUILD / f"{program}-{ranks}.file")])
        assert expected.status == 0, expected.stderr
        outcome = harness.run_tidings([binary, *arguments], ranks, machine)
        assert outcome.status == 0, outcome.stderr
        assert "WRONG" not in outcome.stdout
        assert outcome.stdout == expected.stdout


def test_more_than_20_programs_use_all_three_interfaces() -> None:
    assert len(PROGRAMS) > 20
    assert {name.rpartition(".")[0].rpartition("_")[2] for name in PROGRAMS} == {"f08", "mpi", "mpif"}


@pytest.fixture(scope="module")
def bindings() -> ModuleType:
    """Return the generator of the bindings."""
    sys.path.insert(0, str(harness.ROOT / "lib" / "mpi"))
    spec = importlib.util.spec_from_file_location("bindings", harness.ROOT / "lib" / "fortran" / "bindings.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bindings"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def functions(bindings: ModuleType) -> set[str]:
    """Return the functions that Fortran has."""
    with (share_folder() / "mpi_functions.csv").open(encoding="utf-8", newline="") as file:
        return {row["function"] for row in csv.DictReader(file) if not bindings.C_ONLY.fullmatch(row["function"])}


@pytest.fixture(scope="module")
def symbols() -> set[str]:
    """Return the names that the library for Fortran defines."""
    with (library_folder() / "libtidings_fortran.so").open("rb") as file:
        section = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(section, SymbolTableSection)
        return {symbol.name for symbol in section.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"}


def test_every_function_has_the_names_that_fortran_calls(
    bindings: ModuleType, functions: set[str], symbols: set[str]
) -> None:
    assert len(functions) > 500
    names = {f"{prefix}{function.lower()}_" for prefix in ("", "p") for function in functions}
    names |= {
        f"{prefix}{function.lower()}_f08_"
        for prefix in ("", "p")
        for function in functions
        if not bindings.OLD.fullmatch(function) and function not in ("MPI_Wtime", "MPI_Wtick")
    }
    assert names - symbols == set()


def test_only_tools_extensions_and_conversions_are_for_c_alone(bindings: ModuleType) -> None:
    with (share_folder() / "mpi_functions.csv").open(encoding="utf-8", newline="") as file:
        left = {row["function"] for row in csv.DictReader(file) if bindings.C_ONLY.fullmatch(row["function"])}
    assert {name for name in left if not name.startswith(("MPI_T_", "MPIX_"))} == {
        f"MPI_{kind}_{way}"
        for kind in (
            "Comm",
            "Errhandler",
            "File",
            "Group",
            "Info",
            "Message",
            "Op",
            "Request",
            "Session",
            "Type",
            "Win",
        )
        for way in ("toint", "fromint")
    }


@needs_compiler
def test_mpif_h_is_right_in_free_form_and_with_lines_of_72_characters(tmp_path: Path) -> None:
    header = (include_folder() / "mpif.h").read_text()
    assert max(len(line) for line in header.splitlines()) <= 72
    for name, start in (("free.f90", ""), ("fixed.f", "      ")):
        source = tmp_path / name
        lines = ["program p", "implicit none", "include 'mpif.h'", "print *, MPI_COMM_WORLD, MPI_STATUS_SIZE", "end"]
        source.write_text("".join(f"{start}{line}\n" for line in lines))
        binary = build(source, flags=("-std=f2008",))
        assert harness.run_tidings([binary], 1).stdout.split() == ["257", "8"]


_TOOL = """#include <mpi.h>
#include <stdio.h>
static void show(char* words[]) {
  for (; words != NULL && *words != NULL; ++words) printf(" [%s]", *words);
}
int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm* intercomm, int codes[]) {
  printf("%s", command);
  show(argv);
  printf(" %d %d %d %d %d\\n", maxprocs, info == MPI_INFO_NULL, root, comm == MPI_COMM_SELF, codes == NULL);
  *intercomm = comm;
  return MPI_SUCCESS;
}
int MPI_Comm_spawn_multiple(int count, char* commands[], char** argvs[], const int maxprocs[], const MPI_Info infos[],
                            int root, MPI_Comm comm, MPI_Comm* intercomm, int codes[]) {
  for (int i = 0; i < count; ++i) {
    printf("%s", commands[i]);
    show(argvs[i]);
    printf(" %d %d\\n", maxprocs[i], infos[i] == MPI_INFO_NULL);
  }
  fflush(stdout);
  codes[0] = root;
  *intercomm = comm;
  return MPI_SUCCESS;
}
"""
_SPAWNS = """program spawns
use mpi_f08
implicit none
type(MPI_Comm) :: made
integer :: codes(2)
character(len=6) :: words(2, 3)
call MPI_Init()
call MPI_Comm_spawn('worker  ', [character(len=5) :: '-v', 'a b', ''], 3, MPI_INFO_NULL, 0, MPI_COMM_SELF, made, &
                    MPI_ERRCODES_IGNORE)
call MPI_Comm_spawn('alone', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, made, codes)
words(1, :) = [character(len=6) :: 'one', 'two', '']
words(2, :) = [character(len=6) :: 'three', '', '']
call MPI_Comm_spawn_multiple(2, [character(len=7) :: 'first', 'second'], words, [4, 5], &
                             [MPI_INFO_NULL, MPI_INFO_NULL], 7, MPI_COMM_SELF, made, codes)
if (codes(1) /= 7 .or. made /= MPI_COMM_SELF) call MPI_Abort(MPI_COMM_WORLD, 9)
call MPI_Finalize()
end program
"""


@needs_compiler
def test_tool_in_c_sees_calls_and_command_lines_of_fortran(tmp_path: Path) -> None:
    tool, source = tmp_path / "tool.c", tmp_path / "spawns.f90"
    tool.write_text(_TOOL)
    source.write_text(_SPAWNS)
    made = tmp_path / "tool.o"
    subprocess.run([harness._tool("tidings"), "cc", "-c", str(tool), "-o", str(made)], check=True)
    binary = tmp_path / "spawns"
    compiling = [harness._tool("tidings"), "fc", "-fcheck=bounds", str(source), str(made), "-o", str(binary)]
    subprocess.run(compiling, check=True)
    outcome = harness.run_tidings([binary], 1)
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.splitlines() == [
        "worker [-v] [a b] 3 1 0 1 1",
        "alone 1 1 0 1 0",
        "first [one] [two] 4 1",
        "second [three] 5 1",
    ]


@needs_compiler
def test_example_solves_its_equation() -> None:
    binary = build(harness.ROOT / "examples" / "fortran" / "cg.f90", flags=("-O2", "-fcheck=bounds"))
    for ranks, machine in ((1, "spirit"), (6, "mesh8x8")):
        outcome = harness.run_tidings([binary, "33"], ranks, machine)
        assert outcome.status == 0, outcome.stderr
        assert "solved in 61 steps" in outcome.stdout
        assert "verified: T" in outcome.stdout


@needs_compiler
def test_mistakes_are_shown_with_lines_of_the_fortran_source(tmp_path: Path) -> None:
    source = tmp_path / "leak.f90"
    source.write_text(
        "program p\nuse mpi_f08\nimplicit none\ntype(MPI_Comm) :: copy\ncall MPI_Init()\n"
        "call MPI_Comm_dup(MPI_COMM_WORLD, copy)\ncall MPI_Finalize()\nend program\n"
    )
    outcome = harness.run_tidings([build(source)], 1, options=["--check", "warn"])
    assert "MPI_Comm_dup at leak.f90:6: the communicator is never freed" in outcome.stderr


@needs_compiler
@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        ("call MPI_Comm_rank(MPI_COMM_WORLD)", "Missing actual argument|no specific subroutine"),
        ("call MPI_Comm_rank(1, rank)", "no specific subroutine"),
        ("call MPI_Wait(MPI_COMM_WORLD, MPI_STATUS_IGNORE)", "no specific subroutine"),
    ],
)
def test_wrong_arguments_are_refused_by_the_compiler(call: str, refusal: str, tmp_path: Path) -> None:
    source = tmp_path / "wrong.f90"
    source.write_text(f"program p\nuse mpi_f08\nimplicit none\ninteger :: rank\n{call}\nend program\n")
    command = [harness._tool("tidings"), "fc", "-c", str(source), "-o", str(tmp_path / "wrong.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert any(part in done.stderr for part in refusal.split("|")), done.stderr


@needs_compiler
def test_function_that_is_left_out_is_named_when_a_program_starts(tmp_path: Path) -> None:
    source = tmp_path / "ports.f90"
    source.write_text(
        "program p\nuse mpi_f08\nimplicit none\ncharacter(len=MPI_MAX_PORT_NAME) :: port\ncall MPI_Init()\n"
        "if (command_argument_count() > 5) call MPI_Open_port(MPI_INFO_NULL, port)\ncall MPI_Finalize()\nend program\n"
    )
    outcome = harness.run_tidings([build(source)], 1)
    assert outcome.status == 0
    assert "MPI_Open_port" in outcome.stderr
