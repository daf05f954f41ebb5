# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Scripts drawn at random: everything that software can ask of a machine's engines."""

import dataclasses
import random
from collections.abc import Iterator, Mapping, Sequence

from tidings.generated import registers as reg
from tidings.generated.packets import (
    FLAT_SWITCH_PORTS,
    MAX_CONTEXTS,
    MAX_LINKS,
    MAX_ROUTES,
    Atomic,
    AtomicLength,
    NameOperation,
)
from tidings.generated.packets import Collective as Operations
from tidings.generated.packets import RmaOperation as Rma
from tidings.verify.engine_uses import USES
from tidings.verify.memory_map import CONTRIBUTION, QUEUE, REGION_BYTES, REGIONS, RESULT
from tidings.verify.plans import (
    COMBINES,
    ELEMENTS,
    WIDE_ELEMENTS,
    BinaryTree,
    Collective,
    Exchange,
    Grid,
    NeighbourTree,
    Plan,
)
from tidings.verify.script import Access, Operation

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

_OPERATIONS = {"message": Rma.MESSAGE, "put": Rma.PUT, "get": Rma.GET, "atomic": Rma.ATOMIC}
_MANY_NAMES = 300  #: of two cycles each, one per cycle: more than half of the largest table
_WORD_BYTES = 4
_SPREAD = 0x9E3779B1  #: times a small number: one of 32 bits
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
PLAIN_KINDS = ("message", "put", "get", "atomic", "burst", "register", "deregister", "names", "read", "clear")


#: The same for routers with static routes.
STATIC_KINDS = ("route", "static message")


#: Kinds of collectives other than over a binary tree: over neighbours, on direct links if both ends are slot 0 of
#: neighbouring routers, and in rounds.
GRID_KINDS = ("neighbour tree", "exchange")


def all_kinds() -> list[str]:
    """Return every kind of operation that a run should have seen."""
    return [*PLAIN_KINDS, *(kind.name for kind in all_collectives())]


class ScriptWriter:
    """Draws scripts; collectives are dealt from a deck, so that many scripts see all kinds of them."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._decks: dict[str, list[Collective]] = {}
        #: For each rank the addresses that its script has written.
        self._written: dict[int, list[int]] = {}

    def draw(
        self,
        ranks: int,
        operations: int,
        routes: int = 0,
        ports: int = 0,
        grid: Grid | None = None,
        engines: Mapping[str, Sequence[int]] | None = None,
        switch_ports: int = FLAT_SWITCH_PORTS,
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
        switch_ports : int
            Network ports of a static switch.
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
        others = {name: having for name, having in (engines or {}).items() if name in USES and having}
        self._written = {}
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
                self._add(script, USES[name](self._rng, others[name], grid, switch_ports))
            elif routes and self._rng.random() < 0.15:
                self._add(script, self._static(ranks, routes, ports))
            else:
                self._add(script, self._command(ranks, hot))
        return script

    def draw_atomic_turns(self, ranks: int, operations: int) -> list[Operation]:
        """Draw atomic accesses and long GETs alone, close behind one another and many to one slot.

        An atomic access there has to wait for what a GET before it reads, and until the old value of the one before has
        left. Scripts of all kinds of operations seldom bring two of them so close together.
        """
        rng = self._rng
        script = [*self._set_up(ranks, {})]
        for _ in range(operations):
            rank, other = rng.randrange(ranks), rng.choice((0, rng.randrange(ranks)))
            operation, length = Rma.GET, rng.choice((4, 64, 250, rng.randrange(1, 600)))
            if rng.random() < 0.6:
                operation = Rma.ATOMIC
                length = AtomicLength(operation=rng.choice(list(Atomic)), bytes=rng.choice((4, 8))).encode()
            writes = (
                (reg.RmaLocalAddress.at(), rng.randrange(100) * 8),
                (reg.RmaRemote.at(), 0, other),
                (reg.RmaOffset.at(), rng.randrange(4) * 8),
                (reg.RmaLength.at(), length),
                (reg.RmaCommand.at(), reg.RmaCommand(operation=operation).encode()),
            )
            kind = "atomic" if operation == Rma.ATOMIC else "get"
            accesses = [Access(rank, 0, True, *write) for write in writes]
            script.append(Operation(kind, rng.choice((0, 0, 1, rng.randrange(40))), False, accesses))
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
                (reg.RmaQueueBase.at(), self._rng.choice((QUEUE, QUEUE, 0))),
                (
                    reg.RmaQueueSize.at(),
                    reg.RmaQueueSize(log2_slots=self._rng.choice((0, 2, 3, 3)), valid=True).encode(),
                ),
            ]
            for region, write in enumerate((True, False)):
                writes += [
                    (reg.RmaRegionBase.at(region), REGIONS + region * REGION_BYTES),
                    (reg.RmaRegionLength.at(region), REGION_BYTES),
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
        kind = rng.choices(PLAIN_KINDS, (25, 25, 15, 8, 3, 4, 3, 5, 20, 6))[0]
        if kind == "names":
            return self._names(rank)
        writes: list[tuple[int, int] | tuple[int, int, int]] = []
        if kind in _OPERATIONS or kind == "burst":
            operation = _OPERATIONS.get(kind, rng.choice((Rma.MESSAGE, Rma.PUT, Rma.GET)))
            length = rng.choice((0, 1, 2, 3, 4, 7, 64, 248, 249, 257, rng.randrange(700), rng.randrange(250)))
            if operation == Rma.ATOMIC:
                length = AtomicLength(operation=rng.choice(list(Atomic)), bytes=rng.choice((4, 4, 8, 8, 12))).encode()
            unaligned = rng.random() < 0.02
            region = rng.randrange(3) if rng.random() < 0.95 else rng.randrange(1 << 8)
            command = reg.RmaCommand(operation=operation, notify=rng.random() < 0.5)
            local = rng.choice((rng.randrange(340) * 4, 0)) + unaligned
            # A short PUT from every other word of memory brings the word itself, which is any.
            if operation == Rma.PUT and length <= _WORD_BYTES and local // 4 % 2:
                command = dataclasses.replace(command, inline_data=True)
                local = local * _SPREAD % (1 << 32)
            writes = [
                (reg.RmaLocalAddress.at(), local),
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
                    (reg.RmaRegionBase.at(row), rng.choice((REGIONS + rng.randrange(200) * 4, REGIONS, 0))),
                    (reg.RmaRegionLength.at(row), rng.choice((rng.randrange(REGION_BYTES), REGION_BYTES, 0))),
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
            (reg.RmaNameBase.at(), rng.choice((REGIONS, REGIONS + rng.randrange(40) * 4 + 1, 0))),
            (reg.RmaNameLength.at(), rng.choice((rng.randrange(REGION_BYTES), REGION_BYTES, 0))),
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

    def _collective(self, plan: Plan, context: int, *, settle: bool) -> Operation:
        rng = self._rng
        deck = self._decks.setdefault(plan.kind, [])
        if not deck:
            deck += [kind for kind in all_collectives() if plan.allows(kind)]
            rng.shuffle(deck)
        kind = deck.pop()
        words = 2 if kind.reduces and kind.element in WIDE_ELEMENTS else 1
        most = plan.most_words // words
        count = 0 if kind.operation == Operations.BARRIER else rng.choice((1, 2, rng.randrange(1, most + 1)))
        descriptor = rng.choice((rng.getrandbits(32), rng.getrandbits(32), 0))
        source, destination = rng.choice((CONTRIBUTION, 0)), rng.choice((RESULT, RESULT, 0))
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
