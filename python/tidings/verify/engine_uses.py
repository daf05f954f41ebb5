# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Uses of the engines that slots may lack, drawn at random."""

import dataclasses
import math
import random
from collections.abc import Callable, Mapping, Sequence

from tidings import _core
from tidings.generated import registers as reg
from tidings.generated.packets import ALLTOALL_ORDERS, FLAT_SWITCH_PORTS, SWITCH_PORTS, SWITCH_SIDES, Element
from tidings.verify.memory_map import CONTRIBUTION, RESULT
from tidings.verify.plans import ELEMENTS, WIDE_ELEMENTS, Grid
from tidings.verify.script import Access, Operation

#: Kinds of uses of engines that slots may lack, other than `mpe`, by name: `USES` has a function for each.
ENGINE_KINDS: dict[str, tuple[str, ...]] = {
    "stream": ("stream set-up", "stream send", "stream receive"),
    "barrier": ("barrier set-up", "barrier arrival", "barrier look"),
    "alltoall": ("alltoall", "alltoall look"),
}

_MANY_READS = 200  #: empty most receive queues of `stream`
#: Entries of an order and words of a block of `alltoall`.
_MOST_ENTRIES, _MOST_WORDS = 16, 4
_MOST_SUMS = 60  #: words of a vector that is summed: more than buffers on its way hold
_SUM_SHARE = 0.5  #: of its uses that are a reduction, if that is possible
_LONG_SUM_SHARE = 0.7  #: of these that are long


def _stream(rng: random.Random, streams: Sequence[int], _: Grid | None, __: int) -> Operation:
    """Draw a use of the engine `stream`, also with too many credits, or with a wrong length."""
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
        is_far = rng.random() < 0.2
        send = reg.StreamSend(peer=row, tag=tag, length=1)
        writes = [
            (reg.StreamPeer.at(row), far) if is_far else (reg.StreamPeer.at(row), peer, to),
            *(((reg.StreamSend.at(), send.encode()), (reg.StreamWord.at(), row)) if is_far else ()),
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
            there = _awaited(rng, to, tag, delay)
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


def _awaited(rng: random.Random, rank: int, tag: int, delay: int) -> list[Access]:
    """Draw what a rank does that awaits a packet: the catch-all is read until it is empty, and others wait."""
    queues = reg.StreamReceive.DIMENSIONS[0]
    match = reg.StreamMatch(tag=tag, enable=True).encode()
    first = rng.randrange(queues - 1)
    # Of two queues that match, the lower one takes the packet.
    matching = (first,) if tag % 2 else (first, (first + 1) % (queues - 1))
    accesses = [Access(rank, delay, True, reg.StreamMatch.at(queue), match) for queue in matching]
    accesses += [Access(rank, delay, False, reg.StreamReceive.at(queues - 1))] * _MANY_READS
    accesses += [Access(rank, delay + later, False, reg.StreamStatus.at()) for later in (200, 400)]
    return accesses


def _barrier(rng: random.Random, having: Sequence[int], _: Grid | None, __: int) -> Operation:
    """Draw a use of the engine `barrier`, whatever the neighbours take for their groups."""
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


def _absent_orders(ports: int) -> list[int]:
    """Return the orders that a switch with some network ports does not have."""
    return [first + side for first in (0, SWITCH_SIDES) for side in range(ports, SWITCH_PORTS)]


def _load_order(ports: int, order: int, entries: Sequence[int]) -> list[tuple[int, int]]:
    """Return the writes that load all of an order, so that no entry is left that nobody has written."""
    if order in _absent_orders(ports):
        return []
    sets = order < SWITCH_SIDES and ports > FLAT_SWITCH_PORTS
    width = 8 if sets or order >= 2 * SWITCH_SIDES else 4
    full = [*entries, *[0] * (_MOST_ENTRIES - len(entries))]
    per_word = 32 // width
    writes = [(reg.AlltoallPlace.at(), reg.AlltoallPlace(order=order).encode())]
    for first in range(0, _MOST_ENTRIES, per_word):
        word = sum(entry << width * i for i, entry in enumerate(full[first : first + per_word]))
        writes.append((reg.AlltoallEntries.at(), word))
    return [*writes, (reg.AlltoallLength.at(order), len(entries))]


def _alltoall(rng: random.Random, having: Sequence[int], grid: Grid | None, ports: int) -> Operation:
    """Draw a use of the engine `alltoall`: words that cross the machine one after another, as a program has it."""
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
        present = sorted(set(range(ALLTOALL_ORDERS)) - set(_absent_orders(ports)))
        reads.append(reg.AlltoallLength.at(rng.choice(present)))
        accesses = [Access(rank, delay, True, reg.AlltoallError.at(), rng.randrange(2))]
        accesses += [Access(rank, delay + later, False, address) for address in reads for later in (0, 20)]
        return Operation(kind, rng.choice((0, 1, rng.randrange(300))), False, accesses)
    accesses = []
    words = rng.randrange(1, _MOST_WORDS + 1)
    combined = _sum_program(rng, having, grid) if rng.random() < _SUM_SHARE else {}
    moved = {} if combined else _word_program(rng, having, grid)
    if combined and rng.random() < _LONG_SUM_SHARE:
        words = rng.randrange(_MOST_WORDS, _MOST_SUMS)
    element, combine = rng.randrange(len(ELEMENTS)), rng.randrange(8)
    if combined and element in WIDE_ELEMENTS:
        # A member that only sends does not know of elements: what others refuse, it begins, and waits for ever.
        if grid and grid.wide_elements:
            words += words % 2
        else:
            element = Element.INT32.value
    programs = combined or {rank: (orders, 0, 0) for rank, orders in moved.items()}
    for rank, (orders, summands, outputs) in programs.items():
        for order, entries in enumerate(orders):
            accesses += [Access(rank, 0, True, *write) for write in _load_order(ports, order, entries)]
        sums = reg.AlltoallSums(summands=summands, outputs=outputs, element=element, combine=combine)
        # One word is no sum, and half of an element is none.
        halves = dataclasses.replace(sums, element=rng.choice(WIDE_ELEMENTS))
        refused = [(reg.AlltoallSums.at(), 1), (reg.AlltoallStart.at(), words)]
        if summands:
            refused += [(reg.AlltoallSums.at(), halves.encode()), (reg.AlltoallStart.at(), words | 1)]
        starts = [
            *refused * rng.choice((0, 0, 1)),
            (reg.AlltoallSums.at(), sums.encode()),
            (reg.AlltoallSource.at(), rng.choice((CONTRIBUTION, CONTRIBUTION, 0))),
            (reg.AlltoallDestination.at(), rng.choice((RESULT, RESULT, 0))),
            *[(reg.AlltoallStart.at(), words)] * rng.choice((1, 1, 1, 2)),
            *[(reg.AlltoallStart.at(), 0)] * rng.choice((0, 0, 1)),
        ]
        # Who begins last keeps the words of the others waiting.
        later = 100 + rng.choice((0, rng.randrange(50), 2 * _MOST_SUMS + rng.randrange(50)))
        accesses += [Access(rank, later, True, *write) for write in starts]
        accesses += _other_entries(rng, rank, later, ports)
    return Operation(kind, rng.choice((0, 200, rng.randrange(600))), True, accesses)


def _sides(drawn: int, ports: int) -> int:
    """Return sides of a switch, a bit each, from bits of its network ports and then of its slot."""
    return drawn & (1 << ports) - 1 | (drawn >> ports) << SWITCH_PORTS


def _other_entries(rng: random.Random, rank: int, delay: int, ports: int) -> list[Access]:
    """Draw writes that no word goes by: sums, any place, and entries of an order or a row that is not there."""
    place = reg.AlltoallPlace(row=rng.choice((0, rng.getrandbits(8))), order=rng.getrandbits(4))
    nowhere = reg.AlltoallPlace(row=rng.getrandbits(8), order=rng.randrange(12, 16))
    if absent := _absent_orders(ports):
        nowhere = dataclasses.replace(nowhere, order=absent[nowhere.order - 12])
    else:
        nowhere = dataclasses.replace(nowhere, row=255)
    # What is combined from the next start on, which says so anew.
    sums = reg.AlltoallSums(
        summands=_sides(rng.getrandbits(ports + 1), ports),
        outputs=rng.choice((0, _sides(rng.getrandbits(ports + 1), ports))),
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


def _word_program(rng: random.Random, having: Sequence[int], grid: Grid | None) -> dict[int, list[list[int]]]:
    """Draw the orders of each rank through whose switch words go: each word moves after all of the one before."""
    orders: dict[int, list[list[int]]] = {}
    slot = SWITCH_PORTS
    for _ in range(rng.randrange(1, _MOST_ENTRIES + 1)):
        source = rng.choice(having)
        targets = {rng.choice(having) for _ in range(rng.choice((1, 1, 1, 2, 5)))} if grid else set()
        # Ways from one source, dimension by dimension, are a tree: a router's outputs all follow one input.
        entered, outputs = {source: slot}, {source: set[int]()}
        for target in sorted(targets - {source}):
            here = source
            for dimension in range(len(grid.size) if grid else 0):
                assert grid is not None
                while grid.place(here, dimension) != grid.place(target, dimension):
                    length = grid.size[dimension]
                    ahead = grid.place(target, dimension) - grid.place(here, dimension)
                    # The shorter way around a ring.
                    up = 2 * (ahead % length) <= length if grid.wraps else ahead > 0
                    outputs[here].add(2 * dimension + (0 if up else 1))
                    here = grid.moved(here, dimension, (grid.place(here, dimension) + (1 if up else -1)) % length)
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


def _sum_program(
    rng: random.Random, having: Sequence[int], grid: Grid | None
) -> dict[int, tuple[list[list[int]], int, int]]:
    """Draw a reduction of the ranks in a box of routers: orders, summands and outputs of each.

    There are none if the switches have too few adders for it, or the routers are no grid.
    """
    if grid is None or not grid.size:
        return {}
    full = (*grid.size, 1)[: max(2, len(grid.size))]
    size = [rng.randint(1, length) for length in full]
    first = [rng.randint(0, length - used) for length, used in zip(full, size, strict=True)]
    root, to_all = rng.randrange(math.prod(size)), rng.random() < 0.5
    programs: dict[int, tuple[list[list[int]], int, int]] = {}
    for node in range(math.prod(size)):
        router, left = 0, node
        for dimension, used in enumerate(size):
            router += (first[dimension] + left % used) * math.prod(full[:dimension])
            left //= used
        programs[router * grid.slots] = _core.reduction_program((*size, 1)[:3], root, node, to_all)
    fits = all(summands.bit_count() <= grid.adders + 1 for _, summands, _ in programs.values())
    return programs if len(programs) > 1 and fits and set(programs) <= set(having) else {}


#: Draws a use of the engine: from the ranks whose slots have it, how their routers are joined, and the network ports of
#: a static switch.
USES: Mapping[str, Callable[[random.Random, Sequence[int], Grid | None, int], Operation]] = {
    "stream": _stream,
    "barrier": _barrier,
    "alltoall": _alltoall,
}
