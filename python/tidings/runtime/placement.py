# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Where the ranks of a run sit: which slot of which router."""

import random
import re
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from tidings.errors import UserError
from tidings.files import reason_of
from tidings.machines.file import Machine

#: Maps that have names.
ROUND_ROBIN, REVERSE, RANDOM = "round-robin", "reverse", "random"
_PLACE = re.compile(r"(\d+)(?:\.(\d+))?")


def places_of(machine: Machine, ranks: int, wanted: "str | PathLike[str] | Sequence[str]") -> tuple[int, ...]:
    """Return the slot of each rank, counted over all slots of the machine: those of router 0 first.

    Parameters
    ----------
    machine : Machine
        The whole machine is simulated.
    ranks : int
        Number of ranks; at most the machine's slots.
    wanted : str, path or sequence of str
        ``round-robin``: a rank on each router in turn, and the next slot of each when all have one. ``reverse``: from
        the last slot of the last router down. ``random:SEED``: slots that are drawn. Else a file that has a line
        ``ROUTER`` or ``ROUTER.SLOT`` per rank, or such lines themselves. A line without a slot takes the first slot of
        the router that no line before has. What follows ``#`` is a comment; lines beyond the last rank are not read.

    Raises
    ------
    UserError
        If a line names no slot of the machine, or one that another rank has, or lines are missing.
    """
    slots = machine.topology.slots
    if wanted == ROUND_ROBIN:
        hosts = machine.slots // slots
        return tuple(rank % hosts * slots + rank // hosts for rank in range(ranks))
    if wanted == REVERSE:
        return tuple(machine.slots - 1 - rank for rank in range(ranks))
    if isinstance(wanted, str) and wanted.partition(":")[0] == RANDOM:
        return _drawn(machine, ranks, wanted)
    if isinstance(wanted, (str, PathLike)):
        return _read(machine, ranks, _lines_of(Path(wanted)), fspath(wanted))
    return _read(machine, ranks, list(wanted), "map")


def name_of(wanted: "str | PathLike[str] | Sequence[str]") -> str:
    """Return what a run's results call a map."""
    return fspath(wanted) if isinstance(wanted, (str, PathLike)) else "lines"


def _drawn(machine: Machine, ranks: int, text: str) -> tuple[int, ...]:
    seed = text.removeprefix(RANDOM).removeprefix(":")
    if not seed.isdecimal():
        message = f"--map {text}: a number is missing that the slots are drawn from, as in random:7"
        raise UserError(message)
    # Python promises the numbers of random() for a seed, but not the order that shuffle() makes of them.
    source = random.Random(int(seed))  # noqa: S311 (nothing is secret)
    drawn = [source.random() for _ in range(machine.slots)]
    return tuple(sorted(range(machine.slots), key=drawn.__getitem__)[:ranks])


def _lines_of(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "it is not text in UTF-8"
        message = f"--map {path}: {reason}; it is a file, {ROUND_ROBIN}, {REVERSE} or {RANDOM}:SEED"
        raise UserError(message) from error


def _read(machine: Machine, ranks: int, lines: list[str], name: str) -> tuple[int, ...]:
    """Read lines that name a place each. A place is refused with the line that it stands in."""
    slots = machine.topology.slots
    taken: dict[int, int] = {}  # line of a place, in the order of ranks
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text or len(taken) == ranks:
            continue
        where = f"--map {name}, line {number}"
        router, slot = _router_and_slot(machine, text, where)
        free = (at for at in range(router * slots, router * slots + slots) if at not in taken)
        place = next(free, None) if slot is None else router * slots + slot
        if place is None:
            message = f"{where}: router {router} has {slots} slot{'s' * (slots > 1)}, and lines before this took all"
            raise UserError(message)
        if place in taken:
            message = (
                f"{where}: line {taken[place]} has slot {slot} of router {router} already, and a slot holds one rank: "
                "name another"
            )
            raise UserError(message)
        taken[place] = number
    if len(taken) < ranks:
        message = f"--map {name}: it places {len(taken)} of {ranks} ranks: add a line ROUTER or ROUTER.SLOT for each"
        raise UserError(message)
    return tuple(taken)


def _router_and_slot(machine: Machine, text: str, where: str) -> tuple[int, int | None]:
    found = _PLACE.fullmatch(text)
    if found is None:
        message = f"{where}: {text!r} is not a place; write a router, as in 5, or a router and a slot, as in 5.0"
        raise UserError(message)
    router, slot = int(found[1]), None if found[2] is None else int(found[2])
    slots = machine.topology.slots
    hosts = machine.slots // slots
    if router >= hosts:
        message = f"{where}: {machine.name} has no slots at router {router}; those of 0 to {hosts - 1} have"
        raise UserError(message)
    if slot is not None and slot >= slots:
        message = f"{where}: a router of {machine.name} has no slot {slot}, but 0 to {slots - 1}"
        raise UserError(message)
    return router, slot
