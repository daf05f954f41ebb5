# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What the command line prints where: narrow terminals, pipes, closed and full streams, odd inputs."""

import fcntl
import importlib
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import tidings as tidings_api
from cli_support import ROOT, Tidings
from tidings.cli import _COMMANDS

COMMAND = Path(sys.executable).with_name("tidings")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(*arguments: str | Path, columns: int, cwd: Path) -> tuple[int, str]:
    """Run the command on a terminal and return its status and what the terminal was sent, without escapes."""
    control, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [COMMAND, *arguments], cwd=cwd, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    said = b""
    while True:
        try:
            part = os.read(control, 65536)
        except OSError:  # the last one has closed the terminal
            break
        said += part
    os.close(control)
    return process.wait(timeout=60), ESCAPES.sub("", said.decode()).replace("\r\n", "\n")


def shell(script: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run a shell line with `tidings` in PATH."""
    environment = {**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", script], cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture
def hello(tidings: Tidings, tmp_path: Path) -> Path:
    program = tmp_path / "hello"
    assert tidings("cc", ROOT / "tests" / "programs" / "hello.c", "-o", program).returncode == 0
    return program


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_table_of_a_run_is_cut_nowhere(tmp_path: Path, hello: Path, columns: int) -> None:
    status, wide = on_terminal("run", "-n", "4", "-m", "spirit", hello, columns=200, cwd=tmp_path)
    assert status == 0
    narrow = on_terminal("run", "-n", "4", "-m", "spirit", hello, columns=columns, cwd=tmp_path)[1]
    assert "…" not in narrow
    table = [line for line in wide.splitlines() if re.match("(operation|MPI_)", line)]
    assert len(table) > 3
    for line in table:
        for cell in re.split("  +", line.strip()):
            assert cell in narrow, (cell, narrow)
    for line in narrow.splitlines():
        if re.match("(operation|MPI_)", line):
            assert len(line.rstrip()) <= columns


def test_machine_on_a_narrow_terminal_is_cut_nowhere(tmp_path: Path) -> None:
    status, said = on_terminal("machine", "show", "spirit", columns=50, cwd=tmp_path)
    assert status == 0
    assert "…" not in said
    for text in (
        "router.slot_buffer_flits",
        "round-robin",
        "processor.payload_byte_ns",
        "instructions",
        "MB/s",
    ):
        assert text in said


@pytest.mark.parametrize("command", [["machine", "list"], ["machine", "show", "spirit"], ["doctor"]])
def test_piped_tables_are_not_padded(tmp_path: Path, command: list[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    said = subprocess.run(
        [COMMAND, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    lines = said.stdout.splitlines()
    assert len(lines) > 2
    assert [line for line in lines if line != line.rstrip()] == []


def test_closed_streams_are_nothing_that_a_program_can_write_to_or_read(tmp_path: Path, hello: Path) -> None:
    assert shell(f"tidings run -q -n 2 -m spirit --json run.json {hello} >&-", tmp_path).returncode == 0
    assert (tmp_path / "run.json").stat().st_size > 0
    assert shell(f"tidings run -n 2 -m spirit {hello} <&- >&- 2>&-", tmp_path).returncode == 0
    read = shell("tidings run -q -n 1 -m spirit cat <&-", tmp_path)
    assert (read.returncode, read.stdout) == (1, "")
    assert "Bad file descriptor" in read.stderr
    assert shell("tidings machine list >&-", tmp_path).returncode == 0


def test_full_standard_error_does_not_change_the_status(tmp_path: Path, hello: Path) -> None:
    assert shell(f"tidings run -n 2 -m spirit {hello} 2>/dev/full", tmp_path).returncode == 0
    assert shell("tidings run -n 2 -m spirit sh -c 'exit 5' 2>/dev/full", tmp_path).returncode == 5
    assert shell("tidings run -n 2 -m no-such-machine true 2>/dev/full", tmp_path).returncode == 2


def test_full_standard_output_is_an_error_in_words(tmp_path: Path) -> None:
    done = shell("tidings machine list >/dev/full", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "tidings: error: standard output cannot be written: No space left on device\n"


def test_full_disk_leaves_the_table_of_the_finished_run(tmp_path: Path, hello: Path) -> None:
    done = shell(f"tidings run -n 2 -m spirit --json /dev/full {hello}", tmp_path)
    assert done.returncode == 2
    assert "us of virtual time: 2 ranks on spirit" in done.stderr
    assert "tidings: error: /dev/full cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_one_file_that_cannot_be_written_leaves_the_others(tmp_path: Path, hello: Path) -> None:
    done = shell(f"tidings run -q -n 2 -m spirit --json /dev/full --csv run.csv --report run.html {hello}", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "tidings: error: /dev/full cannot be written: No space left on device\n"
    assert "MPI_Init" in (tmp_path / "run.csv").read_text()
    assert "MPI_Init" in (tmp_path / "run.html").read_text()


def test_events_that_cannot_be_stored_leave_the_result_of_the_run(tmp_path: Path, hello: Path) -> None:
    done = shell(f"tidings run -n 2 -m spirit --events /dev/full --json run.json --report run.html {hello}", tmp_path)
    assert done.returncode == 2
    assert "us of virtual time: 2 ranks on spirit" in done.stderr
    assert "tidings: error: /dev/full cannot be written: No space left on device" in done.stderr
    assert (tmp_path / "run.json").stat().st_size > 0
    assert not (tmp_path / "run.html").exists()
    with pytest.raises(tidings_api.RunError, match="/dev/full cannot be written") as failed:
        tidings_api.run(hello, machine="spirit", ranks=2, event_file="/dev/full", capture=True)
    assert failed.value.run.elapsed > 0


def test_limits_of_the_shell_are_named_or_do_not_matter(tmp_path: Path, hello: Path) -> None:
    assert shell(f"ulimit -n 64; tidings run -q -n 64 -m spirit {hello}", tmp_path).returncode == 0
    done = shell(f"ulimit -f 10; tidings run -q -n 64 -m spirit {hello}", tmp_path)
    assert done.returncode == 2
    assert "ulimit -f allows files of 10 KiB only" in done.stderr
    for option in ("--label", "--output-folder out"):
        done = shell(f"ulimit -n 64; tidings run -q {option} -n 64 -m spirit {hello}", tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "Too many open files: ulimit -n allows 64, and --label and --output-folder need" in done.stderr
    assert "Traceback" not in done.stderr


def test_texts_that_are_not_utf8_pass_through(tmp_path: Path) -> None:
    echo: list[str | bytes | Path] = [COMMAND, "run", "-q", "-n", "1", "-m", "spirit", "echo", b"a\xffb"]
    assert subprocess.run(echo, cwd=tmp_path, capture_output=True, check=True).stdout == b"a\xffb\n"
    done = subprocess.run([COMMAND, "machine", "show", b"\xff.toml"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    odd = os.fsencode(tmp_path) + b"/\xff"
    odd_run: list[str | bytes | Path] = [
        COMMAND,
        "run",
        "-q",
        "-n",
        "1",
        "-m",
        "spirit",
        "--report",
        odd,
        "true",
        b"\xff",
    ]
    subprocess.run(odd_run, cwd=tmp_path, check=True)
    assert Path(os.fsdecode(odd)).stat().st_size > 0


@pytest.mark.parametrize(
    ("program", "status"), [("no-such-program", 127), ("./no-such-program", 127), ("/etc/passwd", 126), ("/etc", 126)]
)
def test_program_that_cannot_run_has_the_status_of_a_shell(tidings: Tidings, program: str, status: int) -> None:
    assert tidings("run", "-n", "1", "-m", "spirit", program).returncode == status


@pytest.mark.parametrize("summary", ["[/]", "[bold]a[/bold]", "[link=x]"])
def test_markup_in_a_summary_is_text(tidings: Tidings, tmp_path: Path, spirit_text: str, summary: str) -> None:
    machine = tmp_path / "odd.toml"
    machine.write_text(re.sub(r"summary = .*", f'summary = "{summary}"', spirit_text))
    done = tidings("machine", "show", machine)
    assert (done.returncode, done.stderr) == (0, "")
    assert summary in done.stdout


def test_odd_machine_files_are_refused_in_words(tidings: Tidings, tmp_path: Path, spirit_text: str) -> None:
    machine = tmp_path / "odd.toml"
    for text, expected in (
        (re.sub(r"summary = .*", r'summary = "a\\u001bb"', spirit_text), "it must be one line of printable characters"),
        (re.sub(r"buffer_words = \d+", "buffer_words = 1" + "0" * 309, spirit_text), "buffer_words"),
        (re.sub(r"clock_MHz = [\d.]+", "clock_MHz = 1" + "0" * 309, spirit_text), "clock_MHz"),
        (spirit_text + '\n"\\u001b[31m" = 1\n', "is not a key of a machine file"),
        (spirit_text + "\nwide = True\n", "; write true"),
    ):
        machine.write_text(text)
        done = tidings("machine", "check", machine)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert expected in done.stderr
        assert "\x1b" not in done.stderr


def test_byte_order_mark_of_a_machine_file_is_skipped(tidings: Tidings, tmp_path: Path, spirit_text: str) -> None:
    (tmp_path / "mine.toml").write_text("\ufeff" + spirit_text, encoding="utf-8")
    assert tidings("machine", "show", "mine.toml").returncode == 0


def test_check_does_not_call_a_machine_usable_that_can_deadlock(tidings: Tidings) -> None:
    done = tidings("machine", "check", "spirit", "--no-dateline")
    assert done.returncode == 1
    assert "CANNOT BE USED" in done.stdout.splitlines()[0]
    assert "CAN DEADLOCK" in done.stdout
    assert "can be used" in tidings("machine", "check", "spirit").stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--vcs", "7"], "--vcs 7: a mesh has 1 to 4 virtual channels"),
        (["--size", "1000x1000"], "topology.size: is 1000; a router's address has 12 bits"),
        (["--json", "no/x.json"], "--json no/x.json: the folder no does not exist"),
    ],
)
def test_impossible_traffic_is_refused_in_words(tidings: Tidings, arguments: list[str], expected: str) -> None:
    done = tidings("bench", "traffic", "-m", "mesh8x8", "--load", "0.1", *arguments)
    assert done.returncode == 2
    assert expected in done.stderr
    assert "Traceback" not in done.stderr


#: What commands need beside an option that is wrong.
REQUIRED = {
    "run": ["-m", "spirit", "-n", "2"],
    "whatif": ["-m", "spirit"],
    "bench traffic": ["-m", "mesh8x8"],
    "machine check": ["spirit"],
}


def number_options() -> Iterator[tuple[str, str]]:
    """Yield each option of each command whose value is an integer."""
    for group, name, place, _ in _COMMANDS:
        module, _, function = place.partition(".")
        hints = get_type_hints(getattr(importlib.import_module(f"tidings.cli.{module}"), function), include_extras=True)
        for parameter, hint in hints.items():
            kinds = (get_args(hint) or (None,))[0]
            if kinds is int or int in get_args(kinds):
                option = get_args(hint)[1]
                named = [word for word in (option.default, *(option.param_decls or ())) if str(word).startswith("--")]
                yield f"{group} {name}".strip(), named[0] if named else f"--{parameter.replace('_', '-')}"


@pytest.mark.parametrize(("command", "option"), list(number_options()))
def test_integers_out_of_range_are_refused_in_words(tidings: Tidings, command: str, option: str) -> None:
    program = ["true"] if command in ("run", "whatif") else []
    required = REQUIRED.get(command, []) if option != "--random" else []
    for number in (str(10**30), str(-(10**30))):
        done = tidings(*command.split(), *required, option, number, *program)
        assert done.returncode == 2
        assert option in done.stderr or number in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [("run",), ("bench", "traffic"), ("bench", "collectives"), ("synth",), ("verify",)])
def test_help_fits_a_terminal_of_80_columns(tmp_path: Path, command: tuple[str, ...]) -> None:
    status, said = on_terminal(*command, "--help", columns=80, cwd=tmp_path)
    assert status == 0
    assert "…" not in said
    texts = [line for line in said.splitlines() if line.startswith(" " * 30)]
    assert len(texts) > 5
    assert max(map(len, texts)) > 60, "texts use the width that there is"
