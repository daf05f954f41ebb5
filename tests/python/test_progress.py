# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How far a run is, on a terminal and elsewhere."""

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tidings.runtime.panel import ProgressLines, ProgressPanel, lines_of

PROGRESS: Any = SimpleNamespace(
    virtual_ps=1_500_000_000,
    cycles=150_000,
    cycles_per_second=52_345.6,
    link_load=0.125,
    slowest_rank=3,
    slowest_call="MPI_Recv(source 1, tag 7)",
    slowest_ps=2_000_000,
)
TEXT = (
    "virtual time 1.500 ms, 150,000 cycles, 52,346 cycles/s, links 12.5% loaded",
    "slowest is rank 3, in MPI_Recv(source 1, tag 7) for 2.000 us",
)
ROWS, COLUMNS = 24, 100


def test_no_virtual_time_is_not_mentioned() -> None:
    computes: Any = SimpleNamespace(**vars(PROGRESS) | {"slowest_call": "", "slowest_ps": 0})
    assert lines_of(computes, 10)[1] == "tidings: slowest is rank 3, between calls"


class Terminal:
    """The screen of a terminal that understands what is sent to it in these tests."""

    def __init__(self) -> None:
        self.rows = [[" "] * COLUMNS for _ in range(ROWS)]
        self.at, self.kept = [0, 0], [0, 0]
        self.region = (0, ROWS - 1)
        self.scrolled: list[str] = []

    def lines(self) -> list[str]:
        """Return what is on the screen."""
        return ["".join(row).rstrip() for row in self.rows]

    def feed(self, text: str) -> None:
        """Take what is sent."""
        for escape, plain in re.findall(r"(\x1b\[[\d;?]*[A-Za-z]|\x1b[78D])|([^\x1b])", text):
            if plain:
                self._print(plain)
            else:
                self._obey(escape)

    def _print(self, character: str) -> None:
        if character == "\r":
            self.at[1] = 0
        elif character == "\n":
            self._down()
        else:
            self.rows[self.at[0]][min(self.at[1], COLUMNS - 1)] = character
            self.at[1] += 1

    def _down(self) -> None:
        first, last = self.region
        if self.at[0] == last:
            self.scrolled.append("".join(self.rows[first]).rstrip())
            self.rows[first : last + 1] = [*self.rows[first + 1 : last + 1], [" "] * COLUMNS]
        else:
            self.at[0] = min(self.at[0] + 1, ROWS - 1)

    def _obey(self, escape: str) -> None:
        numbers = [int(number) for number in re.findall(r"\d+", escape)]
        match escape[-1]:
            case "7":
                self.kept = list(self.at)
            case "8":
                self.at = list(self.kept)
            case "D":
                self._down()
            case "A":
                self.at[0] = max(self.at[0] - numbers[0], 0)
            case "H":
                self.at = [numbers[0] - 1, numbers[1] - 1]
            case "K":
                self.rows[self.at[0]] = [" "] * COLUMNS
            case "r":
                self.region = (numbers[0] - 1, numbers[1] - 1) if numbers else (0, ROWS - 1)
                self.at = [0, 0]
            case "m":
                pass  # a style
            case other:
                raise AssertionError(f"unexpected {other!r}")


def on_terminal(folder: Path, script: str, *options: str) -> tuple[str, int]:
    """Run a shell script as the one rank of a run, and return what a terminal is sent, and the exit status."""
    control, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    command: list[str | Path] = [Path(sys.executable).with_name("tidings"), "run", *options, "-n", "1", "-m", "spirit"]
    process = subprocess.Popen(
        [*command, "sh", "-c", script],
        cwd=folder,
        env=environment | {"TERM": "xterm", "NO_COLOR": "1"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    sent = b""
    while True:
        try:
            sent += os.read(control, 65536)
        except OSError:  # the last one has closed the terminal
            break
    os.close(control)
    return sent.decode(), process.wait(timeout=60)


def test_a_panel_leaves_what_the_program_prints_as_it_is(tmp_path: Path) -> None:
    many = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26; do echo line $i; done"
    script = f"{many}; printf half; env -u LD_PRELOAD sleep 4; echo ' of a line'; {many}; exit 3"
    sent, status = on_terminal(tmp_path, script)
    assert status == 3
    shown = [part for part in sent.split("\x1b7") if "slowest is rank 0" in part]
    assert shown, "the panel never came"
    terminal = Terminal()
    while_shown: list[str] = []
    for part in re.split(r"(?=\x1b7)", sent):
        terminal.feed(part)
        if "slowest is rank 0" in part and not while_shown:
            while_shown = terminal.lines()
    assert "half" in while_shown[:-3]
    assert while_shown[-3].startswith("-----")
    assert while_shown[-2].startswith("tidings: ")
    assert while_shown[-1].startswith("tidings: slowest is rank 0, between calls")
    assert terminal.region == (0, ROWS - 1)
    everything = [*terminal.scrolled, *terminal.lines()]
    lines = [f"line {i}" for i in range(1, 27)]
    first = everything.index("line 1")
    assert [line for line in everything[first:] if line][: 2 * 26 + 1] == [*lines, "half of a line", *lines]
    assert not any("slowest" in line for line in everything)


def test_a_panel_leaves_out_what_does_not_fit_and_cuts_nothing() -> None:
    control, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, 60, 0, 0))
    with open(terminal, "w", encoding="utf-8") as stream:  # noqa: PTH123 - a descriptor
        panel = ProgressPanel(stream)
        panel._start -= 3
        panel.show(PROGRESS)
        sent = os.read(control, 65536).decode()
    os.close(control)
    first = next(line for line in re.split(r"\x1b\[2K|\x1b8|\x1b\[\d+;1H", sent) if line.startswith("tidings: 3 s"))
    whole = lines_of(PROGRESS, 3.0)[0]
    assert len(first) < 60 < len(whole)
    assert whole.startswith(f"{first}, ")


def test_quiet_has_no_panel(tmp_path: Path) -> None:
    sent, status = on_terminal(tmp_path, "env -u LD_PRELOAD sleep 3; echo done", "--quiet")
    assert (sent, status) == ("done\r\n", 0)


def test_progress_in_a_file_is_said_at_growing_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("tidings.runtime.panel.time.monotonic", lambda: now[0])
    file = io.StringIO()
    lines = ProgressLines(file)
    for second in range(100):
        now[0] = 100.0 + second
        lines.show(PROGRESS)
    expected = [f"tidings: {second} s: {TEXT[0]}\ntidings: {TEXT[1]}\n" for second in (10, 20, 40, 80)]
    assert file.getvalue() == "".join(expected)
    assert not ProgressPanel.fits(file)


def test_a_run_whose_ranks_have_ended_has_no_slowest_one() -> None:
    ended: Any = SimpleNamespace(**(vars(PROGRESS) | {"slowest_rank": -1}))
    assert lines_of(ended, 1.0)[1] == "tidings: all ranks have ended"
