# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""All-to-alls of single words on meshes, in which no two words meet. Searches are kept in the store."""

import array
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidings import _core
from tidings.build import cache
from tidings.errors import UserError

#: Words that are placed before a length is given up on 256 nodes; more on fewer.
EFFORT = 6_000_000
#: Processor seconds of one search if nothing else is said.
LIMIT_SECONDS = 60.0
#: Words of a block, and room of a switch's input, for which schedules are checked.
CHECKED_REPETITIONS, CHECKED_ROOM = 3, 2
#: The form of what is kept; it counts up if the search finds other schedules.
_FORM = 6


@dataclass(frozen=True)
class Length:
    """How long a schedule is beside what is possible."""

    width: int
    height: int
    bound: int  #: words across the busiest link or port
    cycles: int | None  #: of an all-to-all of one word per pair; these four are missing if no schedule was found
    beyond: int | None  #: cycles over the bound
    period: int | None  #: cycles that each further word of a block takes
    seconds: float | None  #: of processor time that the search took, when it was done
    missing: str | None = None  #: why there is no schedule


class NoScheduleError(UserError):
    """No schedule was found."""


def schedule(width: int, height: int, limit: float = LIMIT_SECONDS) -> _core.WordSchedule:
    """Return a schedule that has been checked, from the store if it has been found before.

    If the search has found none in time, it is one that takes a little longer than the bound.

    Parameters
    ----------
    width, height : int
        Routers in x and in y.
    limit : float
        Processor seconds of the search.

    Raises
    ------
    NoScheduleError
        If the mesh is too large.
    """
    kept = _kept(width, height, limit)
    return _core.WordSchedule(width, height, kept["period"], kept["cycles"], kept["start"])


def _kept(width: int, height: int, limit: float) -> dict[str, Any]:
    """Return a schedule's parts, and the processor time of its search, from the store."""
    name = f"words-{cache.key([width, height, EFFORT, limit, _FORM])}.json"

    def make(scratch: Path) -> Path:
        begin = time.process_time()
        try:
            found = _core.find_word_schedule(width, height, EFFORT, limit)
        except ValueError:
            found = _core.quick_word_schedule(width, height)
        seconds = time.process_time() - begin
        if mistake := _core.word_schedule_mistake(found, CHECKED_REPETITIONS, CHECKED_ROOM):
            raise RuntimeError(f"schedule of words on {width} x {height}: {mistake}")
        file = scratch / name
        values = {"period": found.period, "cycles": found.cycles, "seconds": seconds, "start": list(found.start)}
        file.write_text(json.dumps(values))
        return file

    try:
        kept: dict[str, Any] = json.loads(cache.kept(name, make).read_text(encoding="utf-8"))
    except ValueError as problem:
        raise NoScheduleError(str(problem)) from problem
    return kept


def kept_starts(width: int, height: int, limit: float = LIMIT_SECONDS) -> Path:
    """Return a file with the starts of a schedule, as ranks read it (`tidings_word_schedule`).

    Raises
    ------
    NoScheduleError
        If there is none.
    """

    def make(scratch: Path) -> Path:
        file = scratch / "starts"
        file.write_bytes(array.array("H", schedule(width, height, limit).start).tobytes())
        return file

    return cache.kept(f"starts-{cache.key([width, height, EFFORT, limit, _FORM])}", make)


def length(width: int, height: int, limit: float = LIMIT_SECONDS) -> Length:
    """Return how long a schedule is beside what is possible, or why there is none."""
    bound = _core.word_schedule_bound(width, height)
    try:
        found = _kept(width, height, limit)
    except NoScheduleError as problem:
        return Length(width, height, bound, None, None, None, None, str(problem))
    cycles = found["cycles"]
    return Length(width, height, bound, cycles, cycles - bound, found["period"], round(found["seconds"], 2))


def next_node(width: int, here: int, target: int) -> int:
    """Return the node behind the link that a word takes next: along x, then along y."""
    if here % width != target % width:
        return here + int(math.copysign(1, target % width - here % width))
    return here + int(math.copysign(width, target - here))
