# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""All-to-alls of single words on grids, in which no two words meet. Searches are kept in the store."""

import array
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidings import _core
from tidings.build import cache
from tidings.errors import UserError
from tidings.machines.file import Machine

#: Words that are placed before a length is given up on 256 nodes; more on fewer.
EFFORT = 6_000_000
#: Processor seconds of one search if nothing else is said.
LIMIT_SECONDS = 60.0
#: Words of a block, and room of a switch's input for each cycle of a link, for which schedules are checked.
CHECKED_REPETITIONS, CHECKED_ROOM = 3, 2
#: The form of what is kept; it counts up if the search finds other schedules.
_FORM = 6


@dataclass(frozen=True)
class Length:
    """How long a schedule is beside what is possible."""

    width: int
    height: int
    bound: int  #: words across the busiest link or port
    least: int  #: cycles that no schedule does without
    cycles: int | None  #: of an all-to-all of one word per pair; these four are missing if no schedule was found
    beyond: int | None  #: cycles over the bound
    period: int | None  #: cycles that each further word of a block takes
    seconds: float | None  #: of processor time that the search took, when it was done
    missing: str | None = None  #: why there is no schedule


class NoScheduleError(UserError):
    """No schedule was found."""


def switch_grid(size: Sequence[int], wraps: Sequence[bool] = (), hop: int = 1) -> _core.SwitchGrid:
    """Return the routers of static switches.

    Parameters
    ----------
    size : sequence of int
        Routers in each dimension.
    wraps : sequence of bool
        Which dimensions are closed to a ring.
    hop : int
        Cycles of a link.
    """
    return _core.SwitchGrid(size, sum(1 << dimension for dimension, closed in enumerate(wraps) if closed), hop)


def switches_of(machine: Machine, ranks: int) -> _core.SwitchGrid:
    """Return the static switches of the box that holds some ranks, as the library's schedules see them.

    More words than an input has room for are never under way on a link: schedules are those of shorter links.
    """
    network = machine.network(ranks)
    return switch_grid(network.size, network.wraps, min(machine.link.latency_cycles, machine.alltoall.buffer_words - 1))


def schedule(grid: _core.SwitchGrid, limit: float = LIMIT_SECONDS) -> _core.WordSchedule:
    """Return a schedule that has been checked, from the store if it has been found before.

    If the search has found none in time, it is one that takes a little longer than the bound.

    Parameters
    ----------
    grid : SwitchGrid
        Routers.
    limit : float
        Processor seconds of the search.

    Raises
    ------
    NoScheduleError
        If there are too many routers.
    """
    kept = _kept(grid, limit)
    return _core.WordSchedule(grid, kept["period"], kept["cycles"], kept["start"])


def _key(grid: _core.SwitchGrid, limit: float) -> str:
    return cache.key([list(grid.size), grid.rings, grid.hop, EFFORT, limit, _FORM])


def _kept(grid: _core.SwitchGrid, limit: float) -> dict[str, Any]:
    """Return a schedule's parts, and the processor time of its search, from the store."""
    name = f"words-{_key(grid, limit)}.json"

    def make(scratch: Path) -> Path:
        begin = time.process_time()
        try:
            found = _core.find_word_schedule(grid, EFFORT, limit)
        except ValueError:
            found = _core.quick_word_schedule(grid)
        seconds = time.process_time() - begin
        if mistake := _core.word_schedule_mistake(found, CHECKED_REPETITIONS, CHECKED_ROOM * grid.hop):
            raise RuntimeError(f"schedule of words on {' x '.join(map(str, grid.size))}: {mistake}")
        file = scratch / name
        values = {"period": found.period, "cycles": found.cycles, "seconds": seconds, "start": list(found.start)}
        file.write_text(json.dumps(values))
        return file

    try:
        kept: dict[str, Any] = json.loads(cache.kept(name, make).read_text(encoding="utf-8"))
    except ValueError as problem:
        raise NoScheduleError(str(problem)) from problem
    return kept


def kept_starts(grid: _core.SwitchGrid, limit: float = LIMIT_SECONDS) -> Path:
    """Return a file with the starts of a schedule, as ranks read it (`tidings_word_schedule`).

    Raises
    ------
    NoScheduleError
        If there is none.
    """

    def make(scratch: Path) -> Path:
        file = scratch / "starts"
        file.write_bytes(array.array("H", schedule(grid, limit).start).tobytes())
        return file

    return cache.kept(f"starts-{_key(grid, limit)}", make)


def length(grid: _core.SwitchGrid, limit: float = LIMIT_SECONDS) -> Length:
    """Return how long a schedule is beside what is possible, or why there is none."""
    width, height, _ = grid.size
    bound, least = _core.word_schedule_bound(grid), _core.word_schedule_least(grid, 1)
    try:
        found = _kept(grid, limit)
    except NoScheduleError as problem:
        return Length(width, height, bound, least, None, None, None, None, str(problem))
    cycles = found["cycles"]
    return Length(width, height, bound, least, cycles, cycles - bound, found["period"], round(found["seconds"], 2))
