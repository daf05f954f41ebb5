# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Pieces of the report and of the progress line that a run seldom shows."""

import io
from types import SimpleNamespace
from typing import Any

import pytest

from tidings.report import format_time
from tidings.run import ProgressLine


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
    monkeypatch.setattr("tidings.run.time.monotonic", lambda: now[0])
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


def test_progress_is_silent_for_two_seconds_then_rewrites_one_line(clock: list[float]) -> None:
    screen = Screen(terminal=True)
    line = ProgressLine(screen)
    clock[0] = 101.9
    line.show(PROGRESS)
    line.clear()
    assert screen.getvalue() == ""
    clock[0] = 102.0
    line.show(PROGRESS)
    assert screen.getvalue().startswith("\r\x1b[Ktidings: 2 s: virtual time 1.500 ms")
    line.clear()
    assert screen.getvalue().endswith("\r\x1b[K")
    assert "\n" not in screen.getvalue()


def test_progress_in_a_file_is_a_line_at_growing_intervals(clock: list[float]) -> None:
    file = Screen(terminal=False)
    line = ProgressLine(file)
    for second in range(100):
        clock[0] = 100.0 + second
        line.show(PROGRESS)
    line.clear()
    assert file.getvalue() == "".join(f"tidings: {second} s: {TEXT}\n" for second in (10, 20, 40, 80))
