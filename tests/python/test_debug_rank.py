# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings run --debug-rank`: one rank in a debugger, the others wait."""

import json
import os
import pty
import select
import shutil
import sys
from pathlib import Path

import pytest

from cli_support import ROOT, Tidings

_RUN = ("run", "-n", "3", "-m", "spirit", "--quiet")
needs_gdb = pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")


@pytest.fixture
def ring(tidings: Tidings, tmp_path: Path) -> Path:
    program = tmp_path / "ring"
    source = ROOT / "tests" / "programs" / "ring.c"
    assert tidings("cc", "-g", "-O0", source, "-o", program).returncode == 0
    return program


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Return commands that stop at a call, look at a variable, and go on to the end."""
    file = tmp_path / "commands"
    file.write_text(
        "set debuginfod enabled off\nset breakpoint pending on\nbreak MPI_Send\nrun\nup\nprint rank + 100\n"
        "delete\ncontinue\n"
    )
    return file


@needs_gdb
def test_rank_stops_in_gdb_and_the_others_wait(tidings: Tidings, ring: Path, script: Path, tmp_path: Path) -> None:
    plain, debugged = tmp_path / "plain.json", tmp_path / "debugged.json"
    expected = tidings(*_RUN, "--json", plain, ring)
    found = tidings(
        *_RUN, "--json", debugged, "--debug-rank", "1", "--debugger", f"gdb --batch -x {script} --args", ring
    )
    assert found.returncode == 0, found.stderr
    assert "Breakpoint 1" in found.stdout
    assert "$1 = 101" in found.stdout
    said = [line for line in found.stdout.splitlines() if line.startswith("round")]
    assert said == expected.stdout.splitlines()
    figures = [json.loads(file.read_text()) for file in (plain, debugged)]
    assert figures[0]["operations"] == figures[1]["operations"]
    assert figures[0]["elapsed_ps"] == figures[1]["elapsed_ps"]


def test_any_debugger_starts_the_program_of_its_rank_alone(tidings: Tidings, ring: Path, tmp_path: Path) -> None:
    debugger = tmp_path / "debugger"
    debugger.write_text('#!/bin/sh\nread line\necho "debugs $2, told $1 and $line"\nsleep 1.5\nshift\nexec "$@"\n')
    debugger.chmod(0o755)
    for rank in (0, 2):
        # It takes longer than the limit, which does not count.
        found = tidings(
            *_RUN, "--debug-rank", str(rank), "--debugger", f"{debugger} hello", "--wall-limit", "1", ring, typed="go\n"
        )
        assert found.returncode == 0, found.stderr
        assert found.stdout.count(f"debugs {ring}, told hello and go\n") == 1
        assert len([line for line in found.stdout.splitlines() if line.startswith("round")]) == 9


def test_debugger_that_ends_first_ends_the_run(tidings: Tidings, ring: Path) -> None:
    found = tidings(*_RUN, "--debug-rank", "1", "--debugger", "true", ring)
    assert found.returncode == 1
    assert "tidings: error:" in found.stderr


@needs_gdb
def test_gdb_has_the_terminal(ring: Path) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "dumb"  # no colours between the words
        command = str(Path(sys.executable).with_name("tidings"))
        os.execv(command, [command, *_RUN, "--debug-rank", "1", str(ring)])  # noqa: S606 (no shell is needed)
    said = ""
    for prompt, answer in (
        ("(gdb) ", "set debuginfod enabled off"),
        ("(gdb) ", "break main"),
        ("(gdb) ", "run"),
        ("Breakpoint 1, main", ""),
        ("(gdb) ", "print 6 * 7"),
        ("$1 = 42", ""),
        ("(gdb) ", "continue"),
        ("exited normally", ""),
        ("(gdb) ", "quit"),
    ):
        while prompt not in said:
            assert select.select([terminal], [], [], 60)[0], f"no {prompt!r} in {said!r}"
            said += os.read(terminal, 4096).decode(errors="replace")
        assert prompt in said
        said = said.partition(prompt)[2]
        if answer:
            os.write(terminal, f"{answer}\n".encode())
    while True:
        try:
            said += os.read(terminal, 4096).decode(errors="replace")
        except OSError:  # the other end is closed
            break
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--debug-rank", "3"), "--debug-rank 3: the run has ranks 0 to 2"),
        (("--debug-rank", "-1"), "--debug-rank -1: the run has ranks 0 to 2"),
        (("--debug-rank", "0", "--debugger", "no-such"), "no-such is not on PATH; install it, or name another one"),
        (("--debug-rank", "0", "--label"), "the debugger has the terminal, so leave out --label and --output-folder"),
        (("--debugger", "true"), "--debugger is for the rank that --debug-rank names: give both"),
    ],
)
def test_what_cannot_be_debugged_is_refused(tidings: Tidings, options: tuple[str, ...], expected: str) -> None:
    found = tidings(*_RUN, *options, "true")
    assert found.returncode == 2
    assert expected in " ".join(found.stderr.split())


@needs_gdb
def test_gdb_without_a_terminal_is_refused(tidings: Tidings) -> None:
    found = tidings(*_RUN, "--debug-rank", "0", "true")
    assert found.returncode == 2
    assert "gdb reads commands from a terminal, and standard input is none" in " ".join(found.stderr.split())
