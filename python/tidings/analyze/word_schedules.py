# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""All-to-alls of single words on meshes, in which no two words meet. Searches are kept in the store."""

import array
import json
import math
from dataclasses import dataclass
from pathlib import Path

from tidings import _core
from tidings.build import cache
from tidings.errors import UserError

#: Words that are placed before a length, or a shorter period, is given up on 256 nodes; more on fewer.
EFFORT = 4_000_000
#: Seconds of one search if nothing else is said.
LIMIT_SECONDS = 60.0
#: Words of a block, and room of a switch's input, for which schedules are checked.
CHECKED_REPETITIONS, CHECKED_ROOM = 3, 2
#: The form of what is kept; it counts up if the search finds other schedules.
_FORM = 4


@dataclass(frozen=True)
class Length:
    """How long a schedule is beside what is possible."""

    width: int
    height: int
    bound: int  #: words across the busiest link or port
    cycles: int | None  #: of an all-to-all of one word per pair; these three are missing if no schedule was found
    beyond: int | None  #: cycles over the bound
    period: int | None  #: cycles that each further word of a block takes
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
        Seconds of the search.

    Raises
    ------
    NoScheduleError
        If the mesh is too large.
    """
    name = f"words-{cache.key([width, height, EFFORT, limit, _FORM])}.json"

    def make(scratch: Path) -> Path:
        try:
            found = _core.find_word_schedule(width, height, EFFORT, limit)
        except ValueError:
            found = _core.quick_word_schedule(width, height)
        if mistake := _core.word_schedule_mistake(found, CHECKED_REPETITIONS, CHECKED_ROOM):
            raise RuntimeError(f"schedule of words on {width} x {height}: {mistake}")
        file = scratch / name
        file.write_text(json.dumps({"period": found.period, "cycles": found.cycles, "start": list(found.start)}))
        return file

    try:
        kept = json.loads(cache.kept(name, make).read_text(encoding="utf-8"))
    except ValueError as problem:
        raise NoScheduleError(str(problem)) from problem
    return _core.WordSchedule(width, height, kept["period"], kept["cycles"], kept["start"])


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
        found = schedule(width, height, limit)
    except NoScheduleError as problem:
        return Length(width, height, bound, None, None, None, str(problem))
    return Length(width, height, bound, found.cycles, found.cycles - bound, found.period)


def next_node(width: int, here: int, target: int) -> int:
    """Return the node behind the link that a word takes next: along x, then along y."""
    if here % width != target % width:
        return here + int(math.copysign(1, target % width - here % width))
    return here + int(math.copysign(width, target - here))
