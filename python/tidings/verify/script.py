# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Scripts of bus operations, drawn at random: everything that software can ask of a machine's engines.

A script is a list of operations. What one operation does does not depend on those before it, so that a script with
some left out is a script too. Where one rank speaks of another, an access names it, so that ranks can be left out too.
"""

import dataclasses
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidings import _core
from tidings.generated import registers as reg
from tidings.generated.packets import (
    ALLTOALL_ORDERS,
    MAX_CONTEXTS,
    MAX_LINKS,
    MAX_ROUTES,
    SWITCH_PORTS,
    SWITCH_SIDES,
    Element,
    NameOperation,
    is_wide,
)
from tidings.generated.packets import Collective as Operations
from tidings.generated.packets import RmaOperation as Rma
from tidings.verify.plans import COMBINES, ELEMENTS, BinaryTree, Collective, Exchange, Grid, NeighbourTree, Plan

_READABLE = (
    reg.Id,
    reg.Address,
    reg.RmaSizes,
    reg.MpeSizes,
    reg.RouteSizes,
    reg.IrqStatus,
    reg.RmaQueueTail,
    reg.RmaQueueTail,
    reg.RmaQueueTail,
    reg.RmaCompleted,
    reg.RmaUnacknowledged,
    reg.RmaError,
    reg.MpeCompleted,
    reg.MpeError,
    reg.MpeReceived,
)

#: Node memory of a slot: commands read below, then come the queue, the regions and the results of collectives.
_CONTRIBUTION, _QUEUE, _REGIONS, _REGION_BYTES, _RESULT = 2048, 4096, 8192, 1024, 10240
_OPERATIONS = {"message": Rma.MESSAGE, "put": Rma.PUT, "get": Rma.GET, "unknown command": Rma.UNKNOWN}
_MANY_READS = 200  #: empty most receive queues of `stream`
_MANY_NAMES = 300  #: of two cycles each, one per cycle: more than half of the largest table
#: Entries of an order and words of a block of `alltoall`.
_MOST_ENTRIES, _MOST_WORDS = 16, 4
#: Elements of two words.
_WIDE_ELEMENTS = tuple(element.value for element in Element if is_wide(element))
_SUM_SHARE = 0.5  #: of its uses that are a reduction, if that is possible
_FLOAT_COMBINES = 3  #: sum, minimum and maximum are there for all elements


def all_collectives() -> list[Collective]:
    """Return every kind of collective."""
    kinds = [Collective(0), Collective(1)]
    for operation in (2, 3):
        for element in range(len(ELEMENTS)):
            combines = _FLOAT_COMBINES if ELEMENTS[element] in ("float", "double") else len(COMBINES)
            kinds += [Collective(operation, element, combine) for combine in range(combines)]
    return kinds


#: Kinds of operations other than collectives.
PLAIN_KINDS = ("message", "put", "get", "unknown command", "burst", "register", "deregister", "names", "read", "clear")


#: The same for routers with static routes.
STATIC_KINDS = ("route", "static message")


#: Kinds of collectives other than over a binary tree: over neighbours, on direct links if both ends are slot 0 of
#: neighbouring routers, and in rounds.
GRID_KINDS = ("neighbour tree", "exchange")


#: The same for engines that slots may lack, other than `mpe`, by name: ScriptWriter has a method for each.
ENGINE_KINDS: dict[str, tuple[str, ...]] = {
    "stream": ("stream set-up", "stream send", "stream receive"),
    "barrier": ("barrier set-up", "barrier arrival", "barrier look"),
    "alltoall": ("alltoall", "alltoall look"),
}


def all_kinds() -> list[str]:
    """Return every kind of operation that a run should have seen."""
    return [*PLAIN_KINDS, *(kind.name for kind in all_collectives())]


@dataclass(frozen=True)
class Access:
    """One access to the registers of a rank's slot, `delay` cycles after its operation begins.

    If it is about another rank, the address of that one's slot is the lower half of what is written.
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


def with_ranks(script: list[Operation], places: dict[int, int]) -> list[Operation]:
    """Leave ranks out of a script.

    Parameters
    ----------
    script : list
        The script.
    places : dict
        For each rank that stays its new number. Collectives are of these alone, over binary trees; what else was sent
        to others goes.
    """
    members: dict[int, set[int]] = {}
    for operation in script:
        for access in operation.accesses:
            if reg.MpeLink.holds(access.address) and access.rank in places:
                members.setdefault(_context_of(access.address), set()).add(places[access.rank])
    trees = {context: BinaryTree(sorted(ranks)) for context, ranks in members.items()}
    rest = []
    for operation in script:
        contexts: dict[int, list[int]] = {}
        accesses = []
        lost = False
        for access in operation.accesses:
            if access.rank not in places:
                continue
            rank = places[access.rank]
            if reg.MpeLink.holds(access.address):
                used = contexts.setdefault(rank, [])
                used += [] if (context := _context_of(access.address)) in used else [context]
                continue
            lost = lost or (access.to is not None and access.to not in places)
            data = access.data
            if access.write and access.address == reg.MpeCommand.at():
                command = reg.MpeCommand.decode(data)
                tree = trees.get(command.context_id)
                if tree is not None and rank in tree.members:
                    way = tree.way(rank)
                    data = dataclasses.replace(
                        command, parent=way.parent, children=way.children, exchange=way.exchange, swap=way.swap
                    ).encode()
            to = None if access.to is None else places.get(access.to)
            accesses.append(dataclasses.replace(access, rank=rank, data=data, to=to))
        for rank, used in contexts.items():
            for context in used:
                accesses += [
                    Access(rank, 0, True, address, data, to)
                    for address, data, to in trees[context].links(rank, context)
                ]
        if (accesses or operation.settle) and not lost:
            rest.append(dataclasses.replace(operation, accesses=accesses))
    return rest


def _load_order(order: int, entries: Sequence[int]) -> list[tuple[int, int]]:
    """Return the writes that load all of an order, so that no entry is left that nobody has written."""
    width = 4 if order < 2 * SWITCH_SIDES else 8
    full = [*entries, *[0] * (_MOST_ENTRIES - len(entries))]
    per_word = 32 // width
    writes = [(reg.AlltoallPlace.at(), reg.AlltoallPlace(order=order).encode())]
    for first in range(0, _MOST_ENTRIES, per_word):
        word = sum(entry << width * i for i, entry in enumerate(full[first : first + per_word]))
        writes.append((reg.AlltoallEntries.at(), word))
    return [*writes, (reg.AlltoallLength.at(order), len(entries))]


def _context_of(address: int) -> int:
    return (address - reg.MpeLink.ADDRESS) // reg.MpeLink.STRIDES[0]


class ScriptWriter:
    """Draws scripts; collectives are dealt from a deck, so that many scripts see all kinds of them."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._decks: dict[str, list[Collective]] = {}
        #: For each rank the addresses that its script has written.
        self._written: dict[int, list[int]] = {}
        self._grid: Grid | None = None

    def draw(
        self,
        ranks: int,
        operations: int,
        routes: int = 0,
        ports: int = 0,
        grid: Grid | None = None,
        engines: Mapping[str, Sequence[int]] | None = None,
    ) -> list[Operation]:
        """Draw a script.

        Parameters
        ----------
        ranks : int
            How many there are.
        operations : int
            How many beside the set-up.
        routes, ports : int
            Of a router: static routes and output ports. Routes take no turn that dimension order does not take, so
            whatever tables are drawn, nothing can wait in a circle.
        grid : Grid, optional
            How the routers are joined; without it there are no collectives over neighbours.
        engines : mapping, optional
            For each engine that slots may lack, the ranks whose slots have it; `mpe` in all if not given.
        """
        links = self._rng.sample(range(MAX_LINKS), 3)
        plans: list[Plan] = [
            BinaryTree(range(ranks) if engines is None else engines["mpe"], (links[0], links[1], links[2]))
            for _ in range(3)
        ]
        if grid is not None:
            plans[1] = NeighbourTree(grid, self._rng)
            exchange = Exchange(grid, self._rng)
            plans[2] = exchange if exchange.members else plans[2]
        contexts = dict(zip(self._rng.sample(range(MAX_CONTEXTS), 3), plans, strict=True))
        others = {name: having for name, having in (engines or {}).items() if name in ENGINE_KINDS and having}
        self._written = {}
        self._grid = grid
        script: list[Operation] = []
        for operation in self._set_up(ranks, contexts):
            self._add(script, operation)
        for number in range(operations):
            if number % 20 == 0:
                for context, first in zip(self._rng.sample(sorted(contexts), 2), (True, False), strict=True):
                    self._add(script, self._collective(contexts[context], context, settle=first))
            if number % 60 == 0:
                hot = self._rng.randrange(ranks) if self._rng.random() < 0.3 else None
            if others and self._rng.random() < 0.4:
                name = self._rng.choice(sorted(others))
                self._add(script, getattr(self, f"_{name}")(others[name]))
            elif routes and self._rng.random() < 0.15:
                self._add(script, self._static(ranks, routes, ports))
            else:
                self._add(script, self._command(ranks, hot))
        return script

    def _add(self, script: list[Operation], operation: Operation) -> None:
        script.append(operation)
        for access in operation.accesses:
            if access.write:
                self._written.setdefault(access.rank, []).append(access.address)

    def _set_up(self, ranks: int, contexts: dict[int, Plan]) -> Iterator[Operation]:
        for rank in range(ranks):
            enable = self._rng.choice((self._rng.getrandbits(32), self._rng.getrandbits(10), 0))
            writes = [
                (reg.IrqEnable.at(), reg.IrqEnable(enable=enable).encode()),
                (reg.RmaQueueBase.at(), self._rng.choice((_QUEUE, _QUEUE, 0))),
                (
                    reg.RmaQueueSize.at(),
                    reg.RmaQueueSize(log2_slots=self._rng.choice((0, 2, 3, 3)), valid=True).encode(),
                ),
            ]
            for region, write in enumerate((True, False)):
                writes += [
                    (reg.RmaRegionBase.at(region), _REGIONS + region * _REGION_BYTES),
                    (reg.RmaRegionLength.at(region), _REGION_BYTES),
                    (reg.RmaRegionRights.at(region), reg.RmaRegionRights(valid=True, read=True, write=write).encode()),
                ]
            accesses = [Access(rank, 0, True, *write) for write in writes]
            for context, plan in contexts.items():
                accesses += [Access(rank, 0, True, *link) for link in plan.links(rank, context)]
            yield Operation("set-up", 0, False, accesses)

    def _command(self, ranks: int, hot: int | None) -> Operation:
        rng = self._rng
        rank = rng.randrange(ranks)
        other = rng.randrange(ranks) if hot is None else hot
        kind = rng.choices(PLAIN_KINDS, (25, 25, 15, 2, 3, 4, 3, 5, 20, 6))[0]
        if kind == "names":
            return self._names(rank)
        writes: list[tuple[int, int] | tuple[int, int, int]] = []
        if kind in _OPERATIONS or kind == "burst":
            operation = _OPERATIONS.get(kind, rng.choice((Rma.MESSAGE, Rma.PUT, Rma.GET)))
            length = rng.choice((0, 1, 2, 3, 4, 7, 64, 248, 249, 257, rng.randrange(700), rng.randrange(250)))
            unaligned = rng.random() < 0.02
            region = rng.randrange(3) if rng.random() < 0.95 else rng.randrange(1 << 8)
            command = reg.RmaCommand(operation=operation, notify=rng.random() < 0.5)
            writes = [
                (reg.RmaLocalAddress.at(), rng.choice((rng.randrange(340) * 4, 0)) + unaligned),
                (reg.RmaRemote.at(), reg.RmaRemote(region=region).encode(), other),
                (reg.RmaOffset.at(), rng.choice((rng.randrange(200) * 4, rng.randrange(200) * 4, 0))),
                (reg.RmaLength.at(), length),
            ]
            writes += [(reg.RmaCommand.at(), command.encode())] * (12 if kind == "burst" else 1)
        elif kind in ("register", "deregister"):
            row = rng.randrange(2) if rng.random() < 0.9 else rng.randrange(reg.RmaRegionRights.DIMENSIONS[0])
            rights = reg.RmaRegionRights()
            if kind == "register":
                writes = [
                    (reg.RmaRegionBase.at(row), rng.choice((_REGIONS + rng.randrange(200) * 4, _REGIONS, 0))),
                    (reg.RmaRegionLength.at(row), rng.choice((rng.randrange(_REGION_BYTES), _REGION_BYTES, 0))),
                ]
                rights = reg.RmaRegionRights(valid=True, read=rng.random() < 0.5, write=rng.random() < 0.5)
            writes.append((reg.RmaRegionRights.at(row), rights.encode()))
            if rng.random() < 0.2:
                # Messages are refused while the queue is closed.
                writes = [(reg.RmaQueueSize.at(), reg.RmaQueueSize(log2_slots=3, valid=kind == "register").encode())]
        elif kind == "clear":
            writes = [
                (reg.IrqStatus.at(), rng.choice((rng.getrandbits(16), rng.getrandbits(16), 0))),
                (reg.RmaError.at(), reg.RmaError(clear=rng.random() < 0.9).encode()),
            ]
        delay = rng.randrange(100)
        accesses = [Access(rank, delay, True, *write) for write in writes]
        if kind == "read":
            # Status; what this rank has written; anything.
            written = rng.choices(self._written.get(rank, [reg.Id.at()]), k=3)
            addresses = (rng.choice(_READABLE).at(), self._any_register(), *written)
            accesses = [Access(rank, delay, False, address) for address in addresses]
        return Operation(kind, rng.choice((0, 0, 1, rng.randrange(300))), False, accesses)

    def _names(self, rank: int) -> Operation:
        """Draw a use of the names of regions, also more of them than there are, and one before another has ended."""
        rng = self._rng
        command = reg.RmaNameCommand(
            operation=rng.choice((NameOperation.REGISTER, rng.choice(tuple(NameOperation)))),
            read=rng.random() < 0.7,
            write=rng.random() < 0.7,
            index=rng.choice((rng.randrange(8), rng.randrange(1 << 8), 0)),
        )
        writes = [
            (reg.RmaNameBase.at(), rng.choice((_REGIONS, _REGIONS + rng.randrange(40) * 4 + 1, 0))),
            (reg.RmaNameLength.at(), rng.choice((rng.randrange(_REGION_BYTES), _REGION_BYTES, 0))),
            *([(reg.RmaNameCommand.at(), command.encode())] * rng.choice((1, 1, 1, 1, 1, 1, 2, 4, _MANY_NAMES))),
        ]
        lost = reg.RmaNameResult(lost=rng.random() < 0.8).encode()
        clear = [(reg.RmaNameResult.at(), lost)] if rng.random() < 0.3 else []
        shown = [reg.RmaNameCommand.at(), reg.RmaNameBase.at(), reg.RmaNameLength.at(), reg.RmaNameSizes.at()]
        delay = rng.randrange(100)
        accesses = [Access(rank, delay, True, *write) for write in writes]
        accesses += [Access(rank, delay, False, reg.RmaNameResult.at())] * 4
        accesses += [Access(rank, delay, True, *write) for write in clear]
        accesses += [Access(rank, delay, False, address) for address in (rng.choice(shown), reg.RmaNameResult.at())]
        return Operation("names", rng.choice((0, 0, 1, rng.randrange(300))), False, accesses)

    def _any_register(self) -> int:
        """Return the address of a register that shows what was written, or of one that cannot be read."""
        register = self._rng.choice(reg.REGISTERS)
        return register.at(*(self._rng.randrange(size) for size in register.DIMENSIONS))

    def _static(self, ranks: int, routes: int, ports: int) -> Operation:
        rng = self._rng
        rank, route = rng.randrange(ranks), rng.randrange(routes + 1)
        kind = rng.choices(STATIC_KINDS, (60, 40))[0]
        if kind == "route":
            index = rng.choice((route % MAX_ROUTES, rng.randrange(MAX_ROUTES)))
            change = reg.Route(ports=rng.getrandbits(ports), index=index)
            writes = [(reg.Route.at(), change.encode())]
        else:
            length = rng.choice((0, 1, 8, 24, 248, 249, rng.randrange(1, 64)))
            command = reg.RmaCommand(operation=Rma.MESSAGE, static_route=True, notify=rng.random() < 0.5)
            writes = [
                (reg.RmaLocalAddress.at(), rng.randrange(340) * 4),
                (reg.RmaRemote.at(), reg.RmaRemote(node=route).encode()),
                (reg.RmaLength.at(), length),
                (reg.RmaCommand.at(), command.encode()),
            ]
        delay = rng.randrange(100)
        return Operation(
            kind,
            rng.choice((0, 0, 1, rng.randrange(300))),
            False,
            [Access(rank, delay, True, *write) for write in writes],
        )

    def _stream(self, streams: Sequence[int]) -> Operation:
        """Draw a use of the engine `stream`, also with too many credits, or with a wrong length."""
        rng = self._rng
        rank, to = rng.choice(streams), rng.choice(streams)
        kind = rng.choice(ENGINE_KINDS["stream"])
        row = rng.randrange(reg.StreamPeer.DIMENSIONS[0])
        tag = rng.choice((0, 1, 2, 255))
        writes: list[tuple[int, int] | tuple[int, int, int]] = []
        reads: list[int] = []
        again: list[tuple[int, int]] = []
        there: list[Access] = []
        delay = rng.randrange(100)
        if kind.endswith("set-up"):
            peer = reg.StreamPeer(words=rng.choice((0, 3, 9, 17, 200))).encode()
            match = reg.StreamMatch(tag=tag, enable=rng.random() < 0.8).encode()
            # A slot that is not there stands for slot 0.
            far = reg.StreamPeer(slot=rng.choice((7, 15)), words=9).encode()
            writes = [
                (reg.StreamPeer.at(row), peer, to) if rng.random() < 0.8 else (reg.StreamPeer.at(row), far),
                (reg.StreamMatch.at(rng.randrange(reg.StreamMatch.DIMENSIONS[0])), match),
                (reg.StreamEnable.at(), rng.choice((0, rng.getrandbits(9)))),
                (reg.StreamError.at(), rng.randrange(4)),
            ]
            reads = [reg.StreamPeer.at(row)]
        elif kind.endswith("send"):
            length = rng.choice((0, 1, 2, 3, rng.randrange(16), rng.randrange(256)))
            overflows = rng.random() < 0.15
            length = 100 if overflows else length
            peer = rng.choice((row, row, row if overflows else rng.randrange(16)))
            send = reg.StreamSend(peer=peer, tag=tag, length=length)
            words = length if overflows or rng.random() < 0.95 else rng.randrange(20)
            data = [rng.choice((0, rng.getrandbits(32))) for _ in range(words)]
            packet = [(reg.StreamSend.at(), send.encode()), *((reg.StreamWord.at(), word) for word in data)]
            # Two packets that no queue holds together overflow it if nobody reads them.
            again = packet if overflows else []
            if overflows or rng.random() < 0.7:
                room = 300 if overflows else rng.choice((9, 40))
                writes = [(reg.StreamPeer.at(row), reg.StreamPeer(words=room).encode(), to)]
            writes += packet
            reads = [reg.StreamSend.at()]
            if overflows:
                there = [Access(to, delay + later, False, reg.StreamError.at()) for later in (600, 1200)]
            elif rng.random() < 0.4:
                there = self._awaited(to, tag, delay)
            else:
                there = [Access(to, delay + 200, False, reg.StreamStatus.at())]
        else:
            queues = reg.StreamReceive.DIMENSIONS[0]
            queue = rng.choice((queues - 1, rng.randrange(queues)))
            shown = [
                reg.StreamStatus.at(),
                reg.StreamError.at(),
                reg.StreamCount.at(queue),
                reg.StreamCredits.at(row),
                reg.StreamPeer.at(row),
                reg.StreamMatch.at(rng.randrange(reg.StreamMatch.DIMENSIONS[0])),
                reg.StreamSend.at(),
            ]
            reads = rng.sample(shown, 3) + [reg.StreamReceive.at(queue)] * rng.choice((1, 3, 20, 60))
        accesses = [Access(rank, delay, True, *write) for write in writes]
        accesses += [Access(rank, delay, False, address) for address in reads]
        accesses += [Access(rank, delay + 300, True, *write) for write in again]
        return Operation(kind, rng.choice((0, 0, 1, rng.randrange(300))), False, [*accesses, *there])

    def _barrier(self, having: Sequence[int]) -> Operation:
        """Draw a use of the engine `barrier`, whatever the neighbours take for their groups."""
        rng = self._rng
        rank = rng.choice(having)
        kind = rng.choice(ENGINE_KINDS["barrier"])
        number = rng.randrange(reg.BarrierGroup.DIMENSIONS[0])
        reads = [reg.BarrierStatus.at(), reg.IrqStatus.at(), reg.BarrierError.at(), reg.BarrierGroup.at(number)]
        writes: list[tuple[int, int]] = []
        if kind.endswith("set-up"):
            # Between routers these are directions, of a single router slots.
            mates = rng.choice((0, 0, rng.getrandbits(4), rng.getrandbits(16), 1, 2))
            group = reg.BarrierGroup(member=rng.random() < 0.8, mates=mates)
            writes = [(reg.BarrierGroup.at(number), group.encode())]
        elif kind.endswith("arrival"):
            # Of a member without mates, which is alone, the barrier is complete at once.
            alone = reg.BarrierGroup(member=True).encode()
            enable = reg.BarrierEnable(groups=rng.choice((rng.getrandbits(8), 1 << number, 0)))
            groups = rng.choice((rng.getrandbits(8), 1 << number, 1 << number, 0))
            arrive = reg.BarrierArrive(groups=groups, quiet=rng.random() < 0.5)
            writes = [(reg.BarrierGroup.at(number), alone)] if rng.random() < 0.5 else []
            writes += [(reg.BarrierEnable.at(), enable.encode()), (reg.BarrierArrive.at(), arrive.encode())]
        else:
            writes = [
                (reg.BarrierStatus.at(), rng.choice((rng.getrandbits(8), 0))),
                (reg.BarrierError.at(), rng.randrange(4)),
            ]
            reads += [reg.BarrierArrive.at(), reg.BarrierEnable.at()]
            rng.shuffle(reads)
        delay = rng.randrange(100)
        accesses = [Access(rank, delay, True, *write) for write in writes]
        accesses += [Access(rank, delay + later, False, address) for address in reads for later in (0, 20)]
        return Operation(kind, rng.choice((0, 0, 1, rng.randrange(300))), False, accesses)

    def _alltoall(self, having: Sequence[int]) -> Operation:
        """Draw a use of the engine `alltoall`: words that cross the machine one after another, as a program has it."""
        rng = self._rng
        kind = rng.choice(ENGINE_KINDS["alltoall"])
        delay = rng.randrange(100)
        if kind.endswith("look"):
            rank = rng.choice(having)
            reads = [
                reg.AlltoallSizes.at(),
                reg.AlltoallSource.at(),
                reg.AlltoallDestination.at(),
                reg.AlltoallStart.at(),
                reg.AlltoallError.at(),
                reg.AlltoallPlace.at(),
                reg.AlltoallEntries.at(),
                reg.AlltoallSums.at(),
                reg.IrqStatus.at(),
            ]
            reads.append(reg.AlltoallLength.at(rng.randrange(reg.AlltoallLength.DIMENSIONS[0])))
            accesses = [Access(rank, delay, True, reg.AlltoallError.at(), rng.randrange(2))]
            accesses += [Access(rank, delay + later, False, address) for address in reads for later in (0, 20)]
            return Operation(kind, rng.choice((0, 1, rng.randrange(300))), False, accesses)
        accesses = []
        words = rng.randrange(1, _MOST_WORDS + 1)
        combined = self._sum_program(having) if rng.random() < _SUM_SHARE else {}
        moved = {} if combined else self._word_program(having)
        element, combine = rng.randrange(len(ELEMENTS)), rng.randrange(8)
        if combined and element in _WIDE_ELEMENTS:
            # A member that only sends does not know of elements: what others refuse, it begins, and waits for ever.
            if self._grid and self._grid.wide_elements:
                words += words % 2
            else:
                element = Element.INT32.value
        programs = combined or {rank: (orders, 0, 0) for rank, orders in moved.items()}
        for rank, (orders, summands, outputs) in programs.items():
            for order, entries in enumerate(orders):
                accesses += [Access(rank, 0, True, *write) for write in _load_order(order, entries)]
            sums = reg.AlltoallSums(summands=summands, outputs=outputs, element=element, combine=combine)
            # One word is no sum, and half of an element is none.
            halves = dataclasses.replace(sums, element=rng.choice(_WIDE_ELEMENTS))
            refused = [(reg.AlltoallSums.at(), 1), (reg.AlltoallStart.at(), words)]
            if summands:
                refused += [(reg.AlltoallSums.at(), halves.encode()), (reg.AlltoallStart.at(), words | 1)]
            starts = [
                *refused * rng.choice((0, 0, 1)),
                (reg.AlltoallSums.at(), sums.encode()),
                (reg.AlltoallSource.at(), rng.choice((_CONTRIBUTION, _CONTRIBUTION, 0))),
                (reg.AlltoallDestination.at(), rng.choice((_RESULT, _RESULT, 0))),
                *[(reg.AlltoallStart.at(), words)] * rng.choice((1, 1, 1, 2)),
                *[(reg.AlltoallStart.at(), 0)] * rng.choice((0, 0, 1)),
            ]
            later = 100 + rng.choice((0, rng.randrange(50)))
            accesses += [Access(rank, later, True, *write) for write in starts]
            accesses += self._other_entries(rank, later)
        return Operation(kind, rng.choice((0, 200, rng.randrange(600))), True, accesses)

    def _other_entries(self, rank: int, delay: int) -> list[Access]:
        """Draw writes that no word goes by: sums, any place, and entries of an order that is not there."""
        rng = self._rng
        place = reg.AlltoallPlace(row=rng.choice((0, rng.getrandbits(8))), order=rng.getrandbits(4))
        nowhere = reg.AlltoallPlace(row=rng.getrandbits(8), order=rng.randrange(ALLTOALL_ORDERS, 16))
        # What is combined from the next start on, which says so anew.
        sums = reg.AlltoallSums(
            summands=rng.getrandbits(5),
            outputs=rng.choice((0, rng.getrandbits(5))),
            element=rng.randrange(len(ELEMENTS)),
            combine=rng.randrange(8),
        )
        return [
            Access(rank, delay, True, reg.AlltoallSums.at(), sums.encode()),
            Access(rank, delay, False, reg.AlltoallSums.at()),
            Access(rank, delay, True, reg.AlltoallPlace.at(), place.encode()),
            Access(rank, delay, False, reg.AlltoallPlace.at()),
            Access(rank, delay, True, reg.AlltoallPlace.at(), nowhere.encode()),
            Access(rank, delay, True, reg.AlltoallEntries.at(), rng.getrandbits(32)),
            Access(rank, delay, False, reg.AlltoallPlace.at()),
            Access(rank, delay, False, reg.AlltoallEntries.at()),
        ]

    def _word_program(self, having: Sequence[int]) -> dict[int, list[list[int]]]:
        """Draw the orders of each rank through whose switch words go: each word moves after all of the one before."""
        rng = self._rng
        orders: dict[int, list[list[int]]] = {}
        slot = SWITCH_PORTS
        for _ in range(rng.randrange(1, _MOST_ENTRIES + 1)):
            source = rng.choice(having)
            targets = {rng.choice(having) for _ in range(rng.choice((1, 1, 1, 2, 5)))} if self._grid else set()
            # Ways from one source, dimension by dimension, are a tree: a router's outputs all follow one input.
            entered, outputs = {source: slot}, {source: set[int]()}
            for target in sorted(targets - {source}):
                here = source
                for dimension in range(len(self._grid.size) if self._grid else 0):
                    grid = self._grid
                    assert grid is not None
                    while grid.place(here, dimension) != grid.place(target, dimension):
                        up = grid.place(here, dimension) < grid.place(target, dimension)
                        outputs[here].add(2 * dimension + (0 if up else 1))
                        here = grid.moved(here, dimension, grid.place(here, dimension) + (1 if up else -1))
                        # A word that goes up comes in where the way down leaves.
                        entered[here] = 2 * dimension + (1 if up else 0)
                        outputs.setdefault(here, set())
                outputs[here].add(slot)
            for rank, side in entered.items():
                known = orders.setdefault(rank, [[] for _ in range(ALLTOALL_ORDERS)])
                # The bit of the own port is that of the slot.
                known[side].append(sum(1 << (side if output == slot else output) for output in outputs[rank]))
                for output in outputs[rank]:
                    known[SWITCH_SIDES + output].append(side)
            orders[source][2 * SWITCH_SIDES].append(rng.randrange(_MOST_ENTRIES))
            for target in targets - {source}:
                orders[target][2 * SWITCH_SIDES + 1].append(rng.randrange(_MOST_ENTRIES))
        return orders

    def _sum_program(self, having: Sequence[int]) -> dict[int, tuple[list[list[int]], int, int]]:
        """Draw a reduction of the ranks in a rectangle of routers: orders, summands and outputs of each.

        There are none if the switches have too few adders for it, or the routers are no grid.
        """
        rng, grid = self._rng, self._grid
        if grid is None or not grid.size:
            return {}
        full = (*grid.size, 1)[:2]
        size = [rng.randint(1, length) for length in full]
        first = [rng.randint(0, length - used) for length, used in zip(full, size, strict=True)]
        root, to_all = rng.randrange(math.prod(size)), rng.random() < 0.5
        programs: dict[int, tuple[list[list[int]], int, int]] = {}
        for node in range(math.prod(size)):
            router = first[0] + node % size[0] + (first[1] + node // size[0]) * full[0]
            programs[router * grid.slots] = _core.reduction_program(size[0], size[1], root, node, to_all)
        fits = all(summands.bit_count() <= grid.adders + 1 for _, summands, _ in programs.values())
        return programs if len(programs) > 1 and fits and set(programs) <= set(having) else {}

    def _awaited(self, rank: int, tag: int, delay: int) -> list[Access]:
        """Draw what a rank does that awaits a packet: the catch-all is read until it is empty, and others wait."""
        queues = reg.StreamReceive.DIMENSIONS[0]
        match = reg.StreamMatch(tag=tag, enable=True).encode()
        accesses = [Access(rank, delay, True, reg.StreamMatch.at(self._rng.randrange(queues - 1)), match)]
        accesses += [Access(rank, delay, False, reg.StreamReceive.at(queues - 1))] * _MANY_READS
        accesses += [Access(rank, delay + later, False, reg.StreamStatus.at()) for later in (200, 400)]
        return accesses

    def _collective(self, plan: Plan, context: int, *, settle: bool) -> Operation:
        rng = self._rng
        deck = self._decks.setdefault(plan.kind, [])
        if not deck:
            deck += [kind for kind in all_collectives() if plan.allows(kind)]
            rng.shuffle(deck)
        kind = deck.pop()
        words = 2 if kind.reduces and kind.element in _WIDE_ELEMENTS else 1
        most = plan.most_words // words
        count = 0 if kind.operation == Operations.BARRIER else rng.choice((1, 2, rng.randrange(1, most + 1)))
        descriptor = rng.choice((rng.getrandbits(32), rng.getrandbits(32), 0))
        source, destination = rng.choice((_CONTRIBUTION, 0)), rng.choice((_RESULT, _RESULT, 0))
        accesses: list[Access] = []
        for rank in plan.members:
            command = dataclasses.replace(
                plan.way(rank),
                operation=kind.operation,
                element=kind.element,
                combine=kind.combine,
                context_id=context,
            )
            delay = rng.randrange(300) if settle else 300
            writes = (
                (reg.MpeSource.at(), source),
                (reg.MpeDestination.at(), destination),
                (reg.MpeCount.at(), count),
                (reg.MpeDescriptor.at(), descriptor),
                (reg.MpeCommand.at(), command.encode()),
            )
            accesses += [Access(rank, delay, True, *write) for write in writes]
        return Operation(plan.kind or kind.name, rng.randrange(200), settle, accesses)
