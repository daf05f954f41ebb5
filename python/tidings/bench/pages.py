# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How long the report of a run takes: to be written, to be opened, and to be moved about in."""

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rich.table import Table

import tidings
from tidings.bench import browser
from tidings.report.progress import saying

_RANKS = 64
#: Zooms in, moves and zooms out by keys, a step per frame; returns what the steps took in milliseconds.
_MOVE = """
  const canvas = document.querySelector(".timeline");
  const arrows = document.querySelector(".arrows");
  if (!arrows.checked) arrows.click();
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const took = [];
  const keys = [..."+".repeat(8), ..."rlrl", ..."-".repeat(8)];
  for (const key of keys) {
    await frame();
    const before = performance.now();
    const name = { r: "ArrowRight", l: "ArrowLeft" }[key] || key;
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    await frame();
    took.push(performance.now() - before);
  }
  return took;
"""


@dataclass(frozen=True)
class PageFigure:
    """A figure of a page.

    Attributes
    ----------
    figure : str
        What was measured.
    value : float
        The best of all measurements.
    unit : str
        Of `value` and `target`.
    target : float or None
        What it should not exceed.
    """

    figure: str
    value: float
    unit: str
    target: float | None = None


def measure(steps: int, repeats: int, progress: TextIO | None) -> Iterator[PageFigure]:
    """Run a program of 64 ranks that exchanges with its neighbours, write its report, and open it in a browser.

    Parameters
    ----------
    steps : int
        Steps of the program: each has about a thousand events.
    repeats : int
        How often the page is opened; the best is kept.
    progress : text stream or None
        Where to say what is measured.

    Raises
    ------
    UserError
        If there is no browser or no C compiler.
    """
    with tempfile.TemporaryDirectory(prefix="tidings-") as name, saying(progress) as say:
        folder = Path(name)
        source = Path(__file__).parent / "programs.c"
        program = tidings.compile_program(source, folder / "programs")
        say(f"a run of {_RANKS} ranks")
        stored = folder / "run.events"
        words = [str(program), "halo", str(steps)]
        tidings.run(words, machine="spirit", ranks=_RANKS, event_file=stored, capture=True)
        events = tidings.load_events(stored)
        yield PageFigure(
            "calls, messages and waits", len(events.calls) + len(events.messages) + len(events.waits), "events"
        )
        page = folder / "page.html"
        say("its page is written")
        began = time.process_time()
        tidings.write_report(stored, page)
        yield PageFigure("the page is written, processor time", time.process_time() - began, "s")
        yield PageFigure("size of the page", page.stat().st_size / 2**20, "MiB")
        opened, moved = [], []
        for repeat in range(repeats):
            say(f"the page is opened, {repeat + 1} of {repeats}")
            seconds, took = browser.opened(page, _MOVE)
            opened.append(seconds)
            moved.append(statistics.median(took))
        yield PageFigure("the page is opened and painted", min(opened), "s", 2.0)
        yield PageFigure("a step in the timeline with all messages", min(moved), "ms", 50.0)


def as_table(rows: Sequence[PageFigure]) -> Table:
    """Return the figures as a table."""
    table = Table(title=f"The report of a run of {_RANKS} ranks", title_justify="left", box=None, pad_edge=False)
    table.add_column("figure")
    for heading in ("measured", "unit", "target"):
        table.add_column(heading, justify="left" if heading == "unit" else "right", no_wrap=True)
    for row in rows:
        value = f"{row.value:,.0f}" if row.value >= 100 else f"{row.value:.3g}"
        table.add_row(row.figure, value, row.unit, "" if row.target is None else f"{row.target:g}")
    return table
