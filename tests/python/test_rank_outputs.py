# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Several programs in one run, and what their ranks print."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cli_support import Tidings

RUN = ("run", "--quiet", "-m", "spirit")


def shell(text: str) -> list[str]:
    return ["sh", "-c", text]


def test_programs_behind_colons_are_those_of_the_next_ranks(tidings: Tidings, tmp_path: Path) -> None:
    (tmp_path / "who.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\n"
        "int main(int count, char **words) {\n  int rank, size, sum, flag, *number;\n  MPI_Init(&count, &words);\n"
        "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
        "  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n"
        "  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);\n"
        '  printf("%s%d %d of %d, sum %d\\n", words[1], *number, rank, size, sum);\n  return MPI_Finalize();\n}\n'
    )
    for name in ("first", "second"):
        assert tidings("cc", "who.c", "-o", name).returncode == 0
    result = tidings(*RUN, "--json", "run.json", "-n", "2", "./first", "a", ":", "-np", "1", "./second", "b")
    assert sorted(result.stdout.splitlines()) == ["a0 0 of 3, sum 3", "a0 1 of 3, sum 3", "b1 2 of 3, sum 3"]
    written = json.loads((tmp_path / "run.json").read_text())
    assert written["program"] == ["./first", "a"]
    assert written["other_programs"] == [{"program": ["./second", "b"], "ranks": 1}]
    assert written["ranks"] == 3


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["-n", "1", "echo", ":", "echo"], "after a colon come the number of ranks and a program"),
        (["-n", "1", "echo", ":", "-n", "2"], "after a colon come the number of ranks and a program"),
        (["-n", "1", ":", "-n", "2", "echo"], "a program is missing before the first colon"),
        (["-n", "1", "echo", ":", "-n", "0", "echo"], "0 ranks: a run needs at least one"),
        (["-n", "60", "echo", ":", "-n", "5", "echo"], "65 ranks do not fit on spirit"),
        (["-n", "1", "echo", ":", "-n", "2", "./no-such"], "program './no-such' does not exist"),
    ],
)
def test_wrong_program_behind_a_colon_is_refused(tidings: Tidings, words: list[str], problem: str) -> None:
    result = tidings(*RUN, *words)
    assert result.returncode in (2, 127)
    assert problem in result.stderr


def test_label_begins_each_line_of_both_streams(tidings: Tidings) -> None:
    result = tidings(*RUN, "--label", "-n", "2", *shell("echo one; echo two; printf three; echo four >&2"))
    for rank in range(2):
        mine = [line for line in result.stdout.splitlines() if line.startswith(f"[{rank}]")]
        assert mine == [f"[{rank}] one", f"[{rank}] two", f"[{rank}] three"]
    assert sorted(result.stderr.splitlines()) == ["[0] four", "[1] four"]


def test_label_passes_on_all_of_a_long_output(tidings: Tidings) -> None:
    result = tidings(*RUN, "--label", "-n", "10", *shell("seq 20000"))
    lines = result.stdout.splitlines()
    assert len(lines) == 200_000
    assert [line[4:] for line in lines if line.startswith("[7] ")] == [str(number) for number in range(1, 20001)]


def test_labelled_run_ends_when_nobody_reads() -> None:
    command = shlex.join([str(Path(sys.executable).with_name("tidings")), *RUN, "--label", "-n", "2", "yes"])
    line = ["sh", "-c", f"{command} | head -n 2"]
    ended = subprocess.run(line, capture_output=True, text=True, timeout=120, check=True)
    assert len(ended.stdout.splitlines()) == 2


def test_output_folder_holds_a_file_for_each_stream_of_each_rank(tidings: Tidings, tmp_path: Path) -> None:
    result = tidings(*RUN, "--output-folder", "printed", "-n", "2", *shell("echo out; echo err >&2"))
    assert (result.stdout, result.stderr) == ("", "")
    found = {path.name: path.read_text() for path in (tmp_path / "printed").iterdir()}
    assert found == {f"rank-{rank}.{stream}": f"{stream}\n" for rank in range(2) for stream in ("out", "err")}


def test_output_folder_that_cannot_be_made_is_refused(tidings: Tidings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = tidings(*RUN, "--output-folder", "file", "-n", "2", "true")
    assert result.returncode == 2
    assert "--output-folder file: File exists" in result.stderr


def test_label_and_output_folder_exclude_each_other(tidings: Tidings) -> None:
    result = tidings(*RUN, "--label", "--output-folder", "printed", "-n", "2", "true")
    assert result.returncode == 2
    assert "leave one of the two out" in result.stderr
