# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Makes a failure of `tidings verify` small: what it does not need is left out."""

import dataclasses
import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from tidings.machines.file import Link, Machine
from tidings.verify.comparison import Case, Difference, Failure, Stop
from tidings.verify.script import with_ranks

Item = TypeVar("Item")


def shrink(failure: Failure, find: Callable[[Case], Failure | None], seconds: float) -> Failure:
    """Leave out what a failure does not need, for as long as there is time.

    Routers go by slices of the machine, halves first and then one by one; operations or packets by delta debugging;
    then ranks one by one, and latencies; and all of it again. A case that fails in another way (a difference, nodes
    that stay busy, commands that wait while nothing moves) does not count.

    Parameters
    ----------
    failure : Failure
        What was found.
    find : callable
        Runs a case.
    seconds : float
        The time.
    """
    end = time.monotonic() + seconds
    best = failure

    def attempt(case: Case) -> bool:
        nonlocal best
        found = find(case) if time.monotonic() < end else None
        if found is None or _way(found) != _way(failure):
            return False
        best = found
        return True

    if best.case.packets is not None:
        _fewer(best.case.packets, lambda kept: attempt(dataclasses.replace(best.case, packets=kept)))
        return best
    while time.monotonic() < end:
        before = best.case
        _take_first(lambda: _smaller_machines(best.case), attempt)
        _fewer(best.case.script, lambda kept: attempt(dataclasses.replace(best.case, script=kept)))
        _take_first(lambda: _fewer_ranks(best.case), attempt)
        _take_first(lambda: _shorter_latencies(best.case), attempt)
        if best.case == before:
            break
    return best


def _way(failure: Failure) -> object:
    """Return in which way a case fails."""
    return failure.finding.kind if isinstance(failure.finding, Stop) else Difference


def _fewer(items: list[Item], fails: Callable[[list[Item]], bool]) -> None:
    """Leave ever smaller pieces out of a list, for as long as what is left fails (delta debugging)."""
    size = max(1, len(items) // 2)
    while True:
        start, removed = 0, False
        while start < len(items):
            rest = items[:start] + items[start + size :]
            if fails(rest):
                items, removed = rest, True
            else:
                start += size
        if size == 1 and not removed:
            return
        size = max(1, size // 2)


def _take_first(candidates: Callable[[], Iterator[Case]], attempt: Callable[[Case], bool]) -> None:
    """Replace the case by the first candidate that fails, as often as there is one."""
    while any(attempt(case) for case in candidates()):
        pass


def _smaller_machines(case: Case) -> Iterator[Case]:
    """Return the case without some of the slices of its machine across one dimension: halves, then single ones."""
    for dimension, length in enumerate(case.machine.topology.size):
        half = length // 2
        pieces = [range(half, length), range(half)] if half > 1 else []
        for left_out in itertools.chain(pieces, ([place] for place in reversed(range(length)) if length > 1)):
            yield _without_slices(case, dimension, [place for place in range(length) if place not in left_out])


def _without_slices(case: Case, dimension: int, kept: list[int]) -> Case:
    topology = case.machine.topology
    size = (*topology.size[:dimension], len(kept), *topology.size[dimension + 1 :])
    below = math.prod(topology.size[:dimension])
    places = {}
    for rank in range(case.machine.routers * topology.slots):
        node, slot = divmod(rank, topology.slots)
        rest, low = divmod(node, below)
        high, place = divmod(rest, topology.size[dimension])
        if place in kept:
            places[rank] = ((high * len(kept) + kept.index(place)) * below + low) * topology.slots + slot
    machine = dataclasses.replace(case.machine, topology=dataclasses.replace(topology, size=size))
    return dataclasses.replace(case, machine=machine, script=with_ranks(case.script, places))


def _fewer_ranks(case: Case) -> Iterator[Case]:
    """Return the case without one of the ranks that do something."""
    ranks = case.ranks
    if len(ranks) > 1:
        for left_out in reversed(ranks):
            places = {rank: rank for rank in ranks if rank != left_out}
            yield dataclasses.replace(case, script=with_ranks(case.script, places))


def _shorter_latencies(case: Case) -> Iterator[Case]:
    machine = case.machine
    plain: list[Machine] = [
        dataclasses.replace(machine, link=Link(machine.link.latency_cycles)),
        dataclasses.replace(machine, link=machine.link.replaced(latency_cycles=1)),
        dataclasses.replace(machine, memory=machine.memory.replaced(latency_cycles=1)),
    ]
    for simpler in plain:
        if simpler != machine:
            yield dataclasses.replace(case, machine=simpler)
