# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Scripts of bus operations, drawn at random: everything that software can ask of a machine's engines.

A script is a list of operations. What one operation does does not depend on those before it, so that a script with
some left out is a script too. Where one rank speaks of another, an access names it, so that ranks can be left out too.
"""

import dataclasses
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

#: Registers of a slot (``rtl/regs/slot.rdl``).
_IRQ_STATUS, _IRQ_ENABLE = 0x010, 0x014
_QUEUE_BASE, _QUEUE_SIZE, _QUEUE_TAIL = 0x020, 0x024, 0x028
_RMA_LOCAL, _RMA_REMOTE, _RMA_OFFSET, _RMA_LENGTH, _RMA_COMMAND = 0x040, 0x044, 0x048, 0x04C, 0x050
_RMA_COMPLETED, _RMA_UNACKNOWLEDGED, _RMA_ERROR = 0x054, 0x058, 0x05C
_MPE_SOURCE, _MPE_DESTINATION, _MPE_COUNT, _MPE_DESCRIPTOR, _MPE_COMMAND = 0x080, 0x084, 0x088, 0x08C, 0x090
_MPE_COMPLETED, _MPE_ERROR = 0x094, 0x098
_MPE_LINK, _REGION = 0x200, 0x400
_READABLE: tuple[int, ...] = (
    0x000,
    _IRQ_STATUS,
    _QUEUE_TAIL,
    _QUEUE_TAIL,
    _RMA_COMPLETED,
    _RMA_UNACKNOWLEDGED,
    _RMA_ERROR,
)
_READABLE += (_MPE_COMPLETED, _MPE_ERROR)

#: Node memory of a slot: commands read below, then come the queue, the regions and the results of collectives.
_CONTRIBUTION, _QUEUE, _REGIONS, _REGION_BYTES, _RESULT = 2048, 4096, 8192, 1024, 10240
_LINKS_OF_CONTEXT = 8
_TO_PARENT, _ROOT = 2, 15
_PARENT_SHIFT, _CHILDREN_SHIFT = 8, 16
_TREE_MASK = 0xF << _PARENT_SHIFT | 0xFF << _CHILDREN_SHIFT

ELEMENTS = ("int32", "int64", "float", "double")
COMBINES = ("sum", "minimum", "maximum", "and", "or", "xor")
_FLOAT_COMBINES = 3  #: sum, minimum and maximum are there for all elements
_COLLECTIVES = ("barrier", "broadcast", "reduce", "allreduce")


@dataclass(frozen=True)
class Collective:
    """What a collective does."""

    operation: int
    element: int = 0
    combine: int = 0

    @property
    def name(self) -> str:
        """Name it as tables show it."""
        name = _COLLECTIVES[self.operation]
        return f"{name} {ELEMENTS[self.element]} {COMBINES[self.combine]}" if self.operation > 1 else name


def all_collectives() -> list[Collective]:
    """Return every kind of collective."""
    kinds = [Collective(0), Collective(1)]
    for operation in (2, 3):
        for element in range(len(ELEMENTS)):
            combines = _FLOAT_COMBINES if ELEMENTS[element] in ("float", "double") else len(COMBINES)
            kinds += [Collective(operation, element, combine) for combine in range(combines)]
    return kinds


#: Kinds of operations other than collectives.
PLAIN_KINDS = ("message", "put", "get", "unknown command", "burst", "register", "deregister", "read", "clear")


def all_kinds() -> list[str]:
    """Return every kind of operation that a run should have seen."""
    return [*PLAIN_KINDS, *(kind.name for kind in all_collectives())]


@dataclass(frozen=True)
class Access:
    """One access to the registers of a rank's slot, `delay` cycles after its operation begins.

    Where it is about another rank, the address of that one's slot is the lower half of what is written.
    """

    rank: int
    delay: int
    write: bool
    address: int
    data: int = 0
    to: int | None = None


@dataclass(frozen=True)
class Operation:
    """What software does at one time.

    Attributes
    ----------
    kind : str
        For the count of what has been seen.
    advance : int
        Cycles until the next operation.
    settle : bool
        Begins when nothing is under way any more.
    accesses : list
        What happens.
    """

    kind: str
    advance: int
    settle: bool = False
    accesses: list[Access] = field(default_factory=list)


@dataclass(frozen=True)
class Tree:
    """The binary tree in which some ranks are joined for collectives, by their places in the list.

    Each uses its links 0 and 1 for its children and `_TO_PARENT` for its parent.
    """

    ranks: Sequence[int]

    def links(self, place: int, context: int) -> Iterator[tuple[int, int, int]]:
        """Return address, data and neighbour of the links of one rank."""
        row = _MPE_LINK + 4 * _LINKS_OF_CONTEXT * context
        for link, child in enumerate(self._children(place)):
            yield row + 4 * link, _TO_PARENT << 16, self.ranks[child]
        if place:
            yield row + 4 * _TO_PARENT, (place - 1) % 2 << 16, self.ranks[(place - 1) // 2]

    def command(self, place: int) -> int:
        """Return what a command says of the tree: the link to the parent and the mask of children."""
        children = sum(1 << link for link in range(len(self._children(place))))
        return children << _CHILDREN_SHIFT | (_TO_PARENT if place else _ROOT) << _PARENT_SHIFT

    def _children(self, place: int) -> range:
        return range(2 * place + 1, min(2 * place + 3, len(self.ranks)))


def with_ranks(script: list[Operation], places: dict[int, int]) -> list[Operation]:
    """Leave ranks out of a script.

    Parameters
    ----------
    script : list
        The script.
    places : dict
        For each rank that stays its new number. Collectives are of these alone; what else was sent to others goes.
    """
    tree = Tree(sorted(places.values()))
    at = {rank: place for place, rank in enumerate(tree.ranks)}
    rest = []
    for operation in script:
        contexts: dict[int, list[int]] = {}
        accesses = []
        lost = False
        for access in operation.accesses:
            if access.rank not in places:
                continue
            rank = places[access.rank]
            if _is_link(access.address):
                context = (access.address - _MPE_LINK) // (4 * _LINKS_OF_CONTEXT)
                contexts.setdefault(rank, [])
                contexts[rank] += [] if context in contexts[rank] else [context]
                continue
            lost = lost or (access.to is not None and access.to not in places)
            data = access.data
            if access.write and access.address == _MPE_COMMAND:
                data = data & ~_TREE_MASK | tree.command(at[rank])
            to = None if access.to is None else places.get(access.to)
            accesses.append(dataclasses.replace(access, rank=rank, data=data, to=to))
        for rank, used in contexts.items():
            for context in used:
                accesses += [
                    Access(rank, 0, True, address, data, to) for address, data, to in tree.links(at[rank], context)
                ]
        if (accesses or operation.settle) and not lost:
            rest.append(dataclasses.replace(operation, accesses=accesses))
    return rest


def _is_link(address: int) -> bool:
    return _MPE_LINK <= address < _REGION


class ScriptWriter:
    """Draws scripts; collectives are dealt from a deck, so that many scripts see all kinds of them."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._deck: list[Collective] = []

    def draw(self, ranks: int, operations: int) -> list[Operation]:
        """Draw a script.

        Parameters
        ----------
        ranks : int
            How many there are.
        operations : int
            How many beside the set-up.
        """
        contexts = self._rng.sample(range(8), 3)
        script = list(self._set_up(ranks, contexts))
        for number in range(operations):
            if number % 20 == 0:
                script += [
                    self._collective(ranks, context, settle=first)
                    for context, first in zip(self._rng.sample(contexts, 2), (True, False), strict=True)
                ]
            if number % 60 == 0:
                hot = self._rng.randrange(ranks) if self._rng.random() < 0.3 else None
            script.append(self._command(ranks, hot))
        return script

    def _set_up(self, ranks: int, contexts: list[int]) -> Iterator[Operation]:
        tree = Tree(range(ranks))
        for rank in range(ranks):
            writes = [(_IRQ_ENABLE, self._rng.randrange(32)), (_QUEUE_BASE, _QUEUE), (_QUEUE_SIZE, 0x103)]
            for region in range(2):
                row = _REGION + 16 * region
                writes += [
                    (row, _REGIONS + region * _REGION_BYTES),
                    (row + 4, _REGION_BYTES),
                    (row + 8, 7 - 4 * region),
                ]
            accesses = [Access(rank, 0, True, *write) for write in writes]
            accesses += [Access(rank, 0, True, *link) for context in contexts for link in tree.links(rank, context)]
            yield Operation("set-up", 0, False, accesses)

    def _command(self, ranks: int, hot: int | None) -> Operation:
        rng = self._rng
        rank = rng.randrange(ranks)
        other = rng.randrange(ranks) if hot is None else hot
        kind = rng.choices(PLAIN_KINDS, (25, 25, 15, 2, 3, 4, 3, 20, 6))[0]
        writes: list[tuple[int, int] | tuple[int, int, int]] = []
        if kind in ("message", "put", "get", "unknown command", "burst"):
            operation = {"message": 0, "put": 1, "get": 2, "unknown command": 3}.get(kind, rng.randrange(3))
            length = rng.choice((0, 1, 3, 4, 7, 64, 248, 249, 257, rng.randrange(700), rng.randrange(250)))
            unaligned = rng.random() < 0.02
            writes = [
                (_RMA_LOCAL, rng.randrange(340) * 4 + unaligned),
                (_RMA_REMOTE, rng.randrange(3) << 16, other),
                (_RMA_OFFSET, rng.randrange(200) * 4),
                (_RMA_LENGTH, length),
            ]
            writes += [(_RMA_COMMAND, operation | rng.randrange(2) << 8)] * (12 if kind == "burst" else 1)
        elif kind in ("register", "deregister"):
            row = _REGION + 16 * rng.randrange(2)
            if kind == "register":
                writes = [(row, _REGIONS + rng.randrange(200) * 4), (row + 4, rng.randrange(_REGION_BYTES))]
            writes.append((row + 8, rng.choice((1, 3, 5, 7)) if kind == "register" else 0))
        elif kind == "clear":
            writes = [(_IRQ_STATUS, rng.randrange(32)), (_RMA_ERROR, 1 << 31)]
        delay = rng.randrange(100)
        accesses = [Access(rank, delay, True, *write) for write in writes]
        if kind == "read":
            accesses = [Access(rank, delay, False, rng.choice(_READABLE))]
        return Operation(kind, rng.choice((0, 0, 1, rng.randrange(300))), False, accesses)

    def _collective(self, ranks: int, context: int, *, settle: bool) -> Operation:
        rng = self._rng
        if not self._deck:
            self._deck = all_collectives()
            rng.shuffle(self._deck)
        kind = self._deck.pop()
        count, descriptor = rng.choice((1, 2, rng.randrange(1, 200))), rng.getrandbits(32)
        accesses: list[Access] = []
        tree = Tree(range(ranks))
        for rank in range(ranks):
            command = kind.operation | kind.element << 2 | kind.combine << 4 | context << 24 | tree.command(rank)
            delay = rng.randrange(300) if settle else 300
            writes = (
                (_MPE_SOURCE, _CONTRIBUTION),
                (_MPE_DESTINATION, _RESULT),
                (_MPE_COUNT, count),
                (_MPE_DESCRIPTOR, descriptor),
                (_MPE_COMMAND, command),
            )
            accesses += [Access(rank, delay, True, *write) for write in writes]
        return Operation(kind.name, rng.randrange(200), settle, accesses)
