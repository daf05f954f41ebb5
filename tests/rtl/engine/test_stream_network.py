# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`stream_network`: packets of the slot and of all neighbours cross in dimension order, and wait for room."""

from __future__ import annotations

import random
from collections import Counter, deque
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.runner import run
from tidings.generated.packets import (
    FLAT_SWITCH_PORTS,
    EngineWord,
    Header0,
    Header1,
    Kind,
    SideLink,
    StreamLink,
)
from tidings.generated.packets import (
    Flit as FlitBits,
)

BUFFER = 4
SLOT = FLAT_SWITCH_PORTS  # its input and output, after those of the neighbours
#: This router is in the middle of 3 x 3.
HERE = (1, 1)


def node(x: int, y: int) -> int:
    """Return the address of a router."""
    return x | y << 6


def output_of(x: int, y: int) -> int:
    """Return where a packet leaves: by dimension 0 first."""
    if x != HERE[0]:
        return 0 if x > HERE[0] else 1
    if y != HERE[1]:
        return 2 if y > HERE[1] else 3
    return SLOT


#: Where packets may go that come in at a port, or from the slot.
TARGETS = [
    [(x, y) for x in (0, 1) for y in range(3)],
    [(x, y) for x in (1, 2) for y in range(3)],
    [(1, 0), (1, 1)],
    [(1, 1), (1, 2)],
    [(x, y) for x in range(3) for y in range(3)],
]


class Bench:
    """The slot and four neighbours."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.random = random.Random(seed)
        self.rate = 0.5  #: of words that are sent and taken
        self.takes = True  #: the slot takes words
        self.sending: list[deque[tuple[int, bool]]] = [deque() for _ in range(SLOT + 1)]
        self.room = [BUFFER] * FLAT_SWITCH_PORTS
        self.owed = [0] * FLAT_SWITCH_PORTS
        self.arriving: list[list[int]] = [[] for _ in range(SLOT + 1)]
        self.arrived: list[list[tuple[int, ...]]] = [[] for _ in range(SLOT + 1)]

    def send(self, source: int, x: int, y: int, words: list[int]) -> tuple[int, ...]:
        """Queue a packet that comes in at a port, or from the slot."""
        packet = (
            Header0(Kind.WORDS, 0, node(x, y), node(*HERE)).encode(),
            Header1(source, 0, len(words)).encode(),
            *words,
        )
        self.sending[source].extend((word, i == len(packet) - 1) for i, word in enumerate(packet))
        return packet

    def _arrive(self, output: int, data: int, last: bool) -> None:
        self.arriving[output].append(data)
        if last:
            self.arrived[output].append(tuple(self.arriving[output]))
            self.arriving[output] = []

    async def begin(self) -> None:
        """Reset the module."""
        for name in ("tx_valid_i", "tx_flit_i", "rx_ready_i", "switch_i"):
            getattr(self.dut, name).value = 0
        self.dut.node_id_i.value = node(*HERE)
        await start(self.dut)

    async def cycle(self) -> None:
        """Let a cycle pass."""
        dut, chance = self.dut, self.random.random
        links = 0
        for port in range(FLAT_SWITCH_PORTS):
            credit = self.owed[port] > 0 and chance() < self.rate
            self.owed[port] -= credit
            valid = bool(self.sending[port]) and self.room[port] > 0 and chance() < self.rate
            data, last = self.sending[port].popleft() if valid else (0, False)
            self.room[port] -= valid
            link = StreamLink(credit=credit, valid=valid, last=last, data=data)
            links |= SideLink(stream=link).encode() << SideLink.WIDTH * port
        offered = self.sending[SLOT][0] if self.sending[SLOT] and chance() < self.rate else None
        dut.switch_i.value = links
        dut.tx_valid_i.value = offered is not None
        dut.tx_flit_i.value = FlitBits(0, offered[1], offered[0]).encode() if offered else 0
        ready = self.takes and chance() < self.rate
        dut.rx_ready_i.value = ready
        await ReadOnly()
        shown = int(dut.switch_o.value)
        for port in range(FLAT_SWITCH_PORTS):
            link = SideLink.decode(shown >> SideLink.WIDTH * port & (1 << SideLink.WIDTH) - 1).stream
            self.room[port] += link.credit
            self.owed[port] += link.valid
            assert self.owed[port] <= BUFFER, "a flit leaves with a credit"
            if link.valid:
                self._arrive(port, link.data, link.last)
            else:
                assert link.data == 0
                assert not link.last
        if offered and int(dut.tx_ready_o.value):
            self.sending[SLOT].popleft()
        if ready and int(dut.rx_valid_o.value):
            word = EngineWord.decode(int(dut.rx_o.value))
            self._arrive(SLOT, word.data, word.last)
        await FallingEdge(dut.clk_i)

    async def settle(self) -> None:
        """Let all that can move come to its end."""
        self.rate = 1.0
        for _ in range(600):
            await self.cycle()


@cocotb.test()
async def packets_of_all_sides_cross_whole_and_in_order(dut: Any) -> None:
    bench = Bench(dut, seed=5)
    await bench.begin()
    expected: list[list[list[tuple[int, ...]]]] = [[[] for _ in range(SLOT + 1)] for _ in range(SLOT + 1)]
    for _ in range(300):
        bench.rate = bench.random.choice((0.2, 0.6, 1.0))
        for source in range(SLOT + 1):
            if len(bench.sending[source]) > 20:
                continue
            x, y = bench.random.choice(TARGETS[source])
            words = [bench.random.getrandbits(32) for _ in range(bench.random.randrange(1, 9))]
            expected[source][output_of(x, y)].append(bench.send(source, x, y, words))
        for _ in range(10):
            await bench.cycle()
    await bench.settle()
    counts = Counter[int]()
    for output in range(SLOT + 1):
        for source in range(SLOT + 1):
            came = [packet for packet in bench.arrived[output] if Header1.decode(packet[1]).src_slot == source]
            assert came == expected[source][output]
            counts[output] += len(came)
        assert len(bench.arrived[output]) == counts[output] > 20
    assert int(dut.busy_o.value) == 0


@cocotb.test()
async def what_the_slot_does_not_take_stands_still_and_is_not_lost(dut: Any) -> None:
    bench = Bench(dut, seed=6)
    await bench.begin()
    bench.takes = False
    packets = [bench.send(0, *HERE, list(range(1, 41))), bench.send(0, 0, 1, [7])]
    await bench.settle()
    assert bench.arrived[1] == [], "what is behind it waits too"
    assert int(dut.busy_o.value) == 0, "nothing moves"
    through = bench.send(3, 1, 2, [8])
    await bench.settle()
    assert bench.arrived[2] == [through], "other ways are free"
    bench.takes = True
    await bench.settle()
    assert bench.arrived[SLOT] == packets[:1]
    assert bench.arrived[1] == packets[1:]


def test_stream_network() -> None:
    run(
        "stream_network",
        __file__,
        node={
            "dims": 2,
            "dateline": 0,
            "stream_slots": 1,
            "stream_own_network": 1,
            "turn_cycle": 1,
            "buffer_flits": BUFFER,
            "slot_buffer_flits": BUFFER,
        },
    )
