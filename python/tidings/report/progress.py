# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How far long work is."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

#: Called with what is being done and the share of it that is done, 0 to 1.
Progress = Callable[[str, float], None]


@contextmanager
def reporting(stream: TextIO | None) -> Iterator[Progress]:
    """Give a function that says how far the work is: a bar on a terminal, a line now and then elsewhere."""
    if stream is None:
        yield lambda _what, _share: None
        return
    patience_seconds = 10.0
    if stream.isatty():
        console = Console(file=stream, highlight=False)
        with Bars(
            TextColumn("tidings: {task.description}"), BarColumn(), TimeElapsedColumn(), console=console, transient=True
        ) as bars:
            task = bars.add_task("bounds", total=1.0)
            yield lambda what, share: bars.update(task, description=what, completed=share)
        return
    said = time.monotonic()

    def say(what: str, share: float) -> None:
        nonlocal said
        if time.monotonic() - said >= patience_seconds:
            said = time.monotonic()
            print(f"tidings: {what}, {share:.0%}", file=stream, flush=True)

    yield say


@contextmanager
def saying(stream: TextIO | None) -> Iterator[Callable[[str], None]]:
    """Give a function that says what is being done, on a terminal only."""
    if stream is None or not stream.isatty():
        yield lambda _what: None
        return
    with Console(file=stream, highlight=False).status("") as status:
        yield status.update
