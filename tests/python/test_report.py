# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Pieces of the report and of the progress line that a run seldom shows."""

import io
import shutil
from types import SimpleNamespace
from typing import Any

import pytest

from tidings.report.summary import format_time
from tidings.runtime.run import ProgressLines


class Screen(io.StringIO):
    """A stream that is or is not a terminal."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        """Tell what it was made as."""
        return self._terminal


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("tidings.runtime.run.time.monotonic", lambda: now[0])
    return now


PROGRESS: Any = SimpleNamespace(virtual_ps=1_500_000_000, cycles=150_000, cycles_per_second=52_345.6)
TEXT = "virtual time 1.500 ms, 150,000 cycles, 52,346 cycles/s"


@pytest.mark.parametrize(
    ("picoseconds", "text"),
    [
        (0, "0.000 ns"),
        (999_999, "999.999 ns"),
        (1_000_000, "1.000 us"),
        (2_345_678_901, "2.346 ms"),
        (5e12, "5.000 s"),
    ],
)
def test_times_have_readable_units(picoseconds: float, text: str) -> None:
    assert format_time(picoseconds) == text


def test_progress_on_a_terminal_is_whole_lines_that_begin_on_a_line_of_their_own(clock: list[float]) -> None:
    screen = Screen(terminal=True)
    lines = ProgressLines(screen)
    for tenth in range(99):
        clock[0] = 100.0 + tenth / 10
        lines.show(PROGRESS)
    blank = " " * (shutil.get_terminal_size().columns - 1) + "\r"
    assert screen.getvalue() == "".join(f"{blank}tidings: {second} s: {TEXT}\n" for second in (2, 4, 8))


def test_progress_in_a_file_is_a_line_at_growing_intervals(clock: list[float]) -> None:
    file = Screen(terminal=False)
    lines = ProgressLines(file)
    for second in range(100):
        clock[0] = 100.0 + second
        lines.show(PROGRESS)
    assert file.getvalue() == "".join(f"tidings: {second} s: {TEXT}\n" for second in (10, 20, 40, 80))
