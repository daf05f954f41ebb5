# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How far a run is: a panel below what the program prints on a terminal, lines now and then elsewhere."""

import os
import shutil
import time
from typing import TextIO

from tidings import _core

#: Lines of the panel, with the rule above it; a terminal of fewer than three times as many gets lines instead.
_LINES = 3
_FIRST_SECONDS = 2.0
_PATIENCE_SECONDS = 10.0


def lines_of(progress: _core.Progress, elapsed_seconds: float) -> list[str]:
    """Return what is said of a run: how far it is, and who is slowest."""
    first = (
        f"tidings: {elapsed_seconds:.0f} s: virtual time {progress.virtual_ps / 1e9:.3f} ms, "
        f"{progress.cycles:,} cycles, {progress.cycles_per_second:,.0f} cycles/s, "
        f"links {progress.link_load:.1%} loaded"
    )
    return [first, f"tidings: {_slowest(progress)}"]


def _slowest(progress: _core.Progress) -> str:
    from tidings.report.summary import format_time  # which knows of runs, and they of this module

    if progress.slowest_rank < 0:
        return "all ranks have ended"
    where = f"in {progress.slowest_call}" if progress.slowest_call else "between calls"
    # A rank that computes for nothing is where it was in virtual time.
    lasting = f" for {format_time(progress.slowest_ps)}" if progress.slowest_ps else ""
    return f"slowest is rank {progress.slowest_rank}, {where}{lasting}"


class ProgressLines:
    """Says now and then how far a run is: twice as long after each time."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._start = time.monotonic()
        self._next = _PATIENCE_SECONDS

    def show(self, progress: _core.Progress) -> None:
        """Say how far the run is, unless that was said a short time ago."""
        elapsed = time.monotonic() - self._start
        if elapsed < self._next:
            return
        self._next *= 2
        self._stream.write("\n".join(lines_of(progress, elapsed)) + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Nothing is left to do."""


class ProgressPanel:
    """Keeps the last lines of a terminal for itself: what the program prints scrolls above them, untouched.

    The terminal does that by its scrolling region (DECSTBM), and keeps the cursor where the program has left it. The
    panel appears when a run has taken two seconds, and is gone when it ends.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._start = time.monotonic()
        self._size: os.terminal_size | None = None

    @staticmethod
    def fits(stream: TextIO) -> bool:
        """Tell whether a stream is a terminal that can have a panel."""
        capable = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        return capable and _size_of(stream).lines >= 3 * _LINES

    def show(self, progress: _core.Progress) -> None:
        """Draw the panel, unless the run is young."""
        elapsed = time.monotonic() - self._start
        if elapsed < _FIRST_SECONDS:
            return
        size = _size_of(self._stream)
        parts = []
        if size != self._size:
            # Room at the bottom: as many lines down as the panel has, in the same column, and the cursor back up.
            parts.append("\x1bD" * _LINES + f"\x1b[{_LINES}A")
            parts.append(f"\x1b7\x1b[1;{size.lines - _LINES}r\x1b8")
            self._size = size
        rule = "-" * (size.columns - 1)
        rows = [rule, *lines_of(progress, elapsed)]
        parts.append("\x1b7")
        for number, row in enumerate(rows[:_LINES]):
            parts.append(f"\x1b[{size.lines - _LINES + 1 + number};1H\x1b[2K{_fitting(row, size.columns - 1)}")
        parts.append("\x1b8")
        self._write("".join(parts))

    def close(self) -> None:
        """Give the terminal back as it was."""
        if self._size is None:
            return
        first = self._size.lines - _LINES + 1
        cleared = "".join(f"\x1b[{first + number};1H\x1b[2K" for number in range(_LINES))
        self._write(f"\x1b7{cleared}\x1b[r\x1b8")
        self._size = None

    def _write(self, text: str) -> None:
        # In one piece: nothing of the program comes between.
        self._stream.flush()
        os.write(self._stream.fileno(), text.encode())


def _fitting(row: str, columns: int) -> str:
    """Return the parts of a line that fit, none of which is cut."""
    while len(row) > columns and ", " in row:
        row = row.rpartition(", ")[0]
    return row[:columns]


def _size_of(stream: TextIO) -> os.terminal_size:
    try:
        return os.get_terminal_size(stream.fileno())
    except OSError:
        return shutil.get_terminal_size()


def progress_on(stream: TextIO) -> ProgressPanel | ProgressLines:
    """Return what shows how far a run is."""
    return ProgressPanel(stream) if ProgressPanel.fits(stream) else ProgressLines(stream)
