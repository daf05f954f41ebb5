# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What is found out about a program before it runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from cli_support import Tidings
from tidings.errors import ProgramNotExecutableError
from tidings.layout import RANK_LIBRARIES_VARIABLE, RANK_LIBRARY
from tidings.runtime.program import check_program, missing_functions

MPI_PROGRAM = """#include <mpi.h>
int main(int count, char **words) { return MPI_Init(&count, &words) || MPI_Finalize(); }
"""


def compiled(folder: Path, text: str, *command: str) -> str:
    (folder / "program.c").write_text(text)
    subprocess.run([*command, "program.c", "-o", "program"], cwd=folder, check=True)
    return str(folder / "program")


def library_of_another_mpi(folder: Path, soname: str) -> tuple[str, ...]:
    """Make a library that has what the program needs, and return what a compiler is told to link it."""
    (folder / "other.c").write_text("int MPI_Init() { return 0; }\nint MPI_Finalize() { return 0; }\n")
    command = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", "other.c", "-o", soname]
    subprocess.run(command, cwd=folder, check=True)
    return f"-I{Path(sys.executable).parents[1] / 'include'}", "-Wl,--no-as-needed", soname


def test_program_of_another_mpi_is_refused_and_the_mpi_named(tidings: Tidings, tmp_path: Path) -> None:
    program = compiled(tmp_path, MPI_PROGRAM, "cc", *library_of_another_mpi(tmp_path, "libmpi.so.40"))
    result = tidings("run", "-n", "3", "-m", "spirit", program)
    assert result.returncode == 126
    assert "is linked with another MPI, Open MPI (libmpi.so.40): compile it with" in result.stderr


def test_program_for_the_abi_of_mpich_runs(tidings: Tidings, tmp_path: Path) -> None:
    program = compiled(tmp_path, MPI_PROGRAM, str(Path(sys.executable).with_name("mpicc")))
    result = tidings("run", "-n", "3", "-m", "spirit", program)
    assert result.returncode == 0, result.stderr
    assert "MPI_Finalize" in result.stderr
    refused = tidings("run", "--check=warn", "-m", "spirit", "-n", "1", program, ":", "-n", "1", "python3")
    assert refused.returncode == 2
    assert "--check is for programs of one ABI" in refused.stderr


def test_program_that_insists_on_another_library_for_the_abi_of_mpich_is_refused(tmp_path: Path) -> None:
    where = f"-Wl,--disable-new-dtags,-rpath,{tmp_path}"
    program = compiled(tmp_path, MPI_PROGRAM, "cc", where, *library_of_another_mpi(tmp_path, "libmpi.so.12"))
    with pytest.raises(ProgramNotExecutableError, match=r"loads MPICH itself .* whose folder it names in DT_RPATH"):
        check_program(program)


def test_static_program_is_refused(tidings: Tidings, tmp_path: Path) -> None:
    result = tidings("run", "-n", "2", "-m", "spirit", compiled(tmp_path, "int main(void) { }\n", "cc", "-static"))
    assert result.returncode == 126
    assert "is linked statically" in result.stderr


def test_library_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "part.c").write_text("int part(void) { return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "part.c", "-o", "libpart.so"], cwd=tmp_path, check=True)
    text = "int part(void); int main(void) { return part(); }\n"
    program = compiled(tmp_path, text, "cc", f"-L{tmp_path}", "-Wl,--no-as-needed", "-lpart")
    (tmp_path / "libpart.so").unlink()
    with pytest.raises(ProgramNotExecutableError, match=r"needs libpart\.so, which is not found: install it"):
        check_program(program)


def test_program_for_another_processor_is_refused(tmp_path: Path) -> None:
    program = Path(compiled(tmp_path, "int main(void) { }\n", "cc"))
    image = bytearray(program.read_bytes())
    image[18:20] = (183).to_bytes(2, "little")  # e_machine: AArch64
    program.write_bytes(image)
    with pytest.raises(ProgramNotExecutableError, match=r"is for another processor \(AArch64\)"):
        check_program(str(program))


@pytest.mark.parametrize("contents", [b"", b"\x7fELF", b"\x7fELF" + bytes(60), b"#!/bin/sh\nexit 0\n"])
def test_file_that_is_no_binary_is_left_to_the_system(tmp_path: Path, contents: bytes) -> None:
    program = tmp_path / "program"
    program.write_bytes(contents)
    program.chmod(0o755)
    check_program(str(program))
    assert missing_functions(str(program)) == []


def test_functions_that_the_library_lacks_are_named_before_the_run(tidings: Tidings, tmp_path: Path) -> None:
    lacking = "  if (count > 1) MPI_Comm_spawn(0, 0, 0, MPI_INFO_NULL, 0, MPI_COMM_WORLD, 0, 0);\n"
    text = MPI_PROGRAM.replace("{ return", f"{{\n{lacking}  return")
    (tmp_path / "program.c").write_text(text)
    assert tidings("cc", "program.c", "-o", "program").returncode == 0
    assert missing_functions(str(tmp_path / "program")) == ["MPI_Comm_spawn"]
    result = tidings("run", "-n", "2", "-m", "spirit", "./program")
    assert result.returncode == 0
    assert "names functions that this MPI lacks; the run ends if one is called: MPI_Comm_spawn" in result.stderr
    assert "lacks" not in tidings("run", "--quiet", "-n", "2", "-m", "spirit", "./program").stderr


def test_folder_without_libraries_for_ranks_is_refused(
    tidings: Tidings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RANK_LIBRARIES_VARIABLE, str(tmp_path))
    result = tidings("run", "-n", "2", "-m", "spirit", "true")
    assert result.returncode == 2
    assert f"{RANK_LIBRARIES_VARIABLE} names {tmp_path}, which has no {RANK_LIBRARY}" in result.stderr
