# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`static_switch`: words in the order of programs, whatever comes when."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.runner import run
from tidings.generated.packets import (
    ALLTOALL_LENGTH_WIDTH,
    FLAT_SWITCH_PORTS,
    SWITCH_PORTS,
    WORD_WIDTH,
    SwitchLink,
)

#: Words that fit into the buffer of a network port.
ROOM = 8


class Bench:
    """Neighbours and a slot that send, take and give credits at random, with what must leave by each output."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.rng = random.Random(seed)
        self.slot_room = int(dut.SlotRoom.value.to_unsigned())
        self.ports = int(dut.Ports.value.to_unsigned())
        self.slot = self.ports
        self.sides = self.ports + 1
        self.orders: list[list[int]] = [[] for _ in range(2 * self.sides)]
        self.to_send: list[deque[int]] = [deque() for _ in range(self.sides)]
        self.inside = [0] * self.sides  #: words of each side in the switch
        self.outside = [0] * self.ports  #: words from the switch at each neighbour
        self.got: list[list[int]] = [[] for _ in range(self.sides)]
        self.share = 0.7  #: of cycles in which anything happens at a side
        self.sum_ready = False  #: in the last cycle

    async def begin(self) -> None:
        """Reset the switch."""
        for name in (
            "link_i",
            "word_valid_i",
            "word_i",
            "word_ready_i",
            "write_i",
            "row_i",
            "data_i",
            "length_i",
            "sum_inputs_i",
            "sum_outputs_i",
            "sum_take_i",
            "sum_valid_i",
            "sum_i",
            "start_i",
            "repetitions_i",
        ):
            getattr(self.dut, name).value = 0
        await start(self.dut)

    async def load(self, moves: int) -> None:
        """Draw moves from inputs to sets of outputs, and load the orders that they make."""
        self.orders = [[] for _ in range(2 * self.sides)]
        for _ in range(moves):
            here = self.rng.randrange(self.sides)
            self.move(here, self.rng.sample(range(self.sides), self.rng.choice((0, 1, 1, 2, self.sides))))
        await self.write_orders()

    def move(self, here: int, outputs: Iterable[int]) -> None:
        """Let the next word of an input go to some outputs."""
        entry = 0
        for there in outputs:
            if there != here:
                entry |= 1 << (here if there == self.slot else there)
                self.orders[self.sides + there].append(SWITCH_PORTS if here == self.slot else here)
        self.orders[here].append(entry)

    async def write_orders(self) -> None:
        """Load the orders."""
        dut = self.dut
        self.rest()
        for number, order in enumerate(self.orders):
            width = 8 if number < self.sides and self.ports > FLAT_SWITCH_PORTS else 4
            entries = WORD_WIDTH // width
            for row in range(-(-len(order) // entries)):
                dut.write_i.value = 1 << number
                dut.row_i.value = row
                dut.data_i.value = sum(
                    entry << width * i for i, entry in enumerate(order[entries * row : entries * (row + 1)])
                )
                await FallingEdge(dut.clk_i)
        dut.write_i.value = 0
        dut.length_i.value = sum(
            len(order) << ALLTOALL_LENGTH_WIDTH * number for number, order in enumerate(self.orders)
        )

    def expected(self, sent: list[list[int]], repetitions: int) -> list[list[int]]:
        """Return what leaves by each output: an input's order says where its words go, in the output's order."""
        left: list[list[int]] = [[] for _ in range(self.sides)]
        by_way: dict[tuple[int, int], deque[int]] = {}
        for side in range(self.sides):
            for word, entry in zip(sent[side], self.orders[side] * repetitions, strict=True):
                for there in range(self.sides):
                    if there != side and entry >> (side if there == self.slot else there) & 1:
                        by_way.setdefault((side, there), deque()).append(word)
        for there in range(self.sides):
            for source in self.orders[self.sides + there] * repetitions:
                here = min(source, self.slot)
                left[there].append(by_way[here, there].popleft())
        return left

    def rest(self) -> None:
        """Let nothing come in."""
        self.dut.link_i.value = 0
        self.dut.word_valid_i.value = 0

    async def cycle(self) -> None:
        """Let a cycle pass."""
        dut, rng = self.dut, self.rng
        links = 0
        dut.word_valid_i.value = 0
        for side in range(self.sides):
            room = self.slot_room if side == self.slot else ROOM
            sends = bool(self.to_send[side]) and self.inside[side] < room and rng.random() < self.share
            word = self.to_send[side].popleft() if sends else 0
            self.inside[side] += sends
            if side == self.slot:
                dut.word_valid_i.value = sends
                dut.word_i.value = word
                continue
            credit = self.outside[side] > 0 and rng.random() < self.share
            self.outside[side] -= credit
            links |= SwitchLink(credit=credit, valid=sends, data=word).encode() << SwitchLink.WIDTH * side
        dut.link_i.value = links
        dut.word_ready_i.value = rng.random() < self.share
        await ReadOnly()
        self.sum_ready = bool(dut.sum_ready_o.value)
        shown = int(dut.link_o.value)
        for port in range(self.ports):
            link = SwitchLink.decode(shown >> SwitchLink.WIDTH * port & (1 << SwitchLink.WIDTH) - 1)
            self.inside[port] -= link.credit
            if link.valid:
                self.got[port].append(link.data)
                self.outside[port] += 1
                assert self.outside[port] <= ROOM, "a neighbour is overrun"
        self.inside[self.slot] -= bool(dut.word_taken_o.value)
        if dut.word_valid_o.value:
            assert dut.word_ready_i.value, "a word for a slot without room"
            self.got[self.slot].append(int(dut.word_o.value))
        await FallingEdge(dut.clk_i)

    async def run_beside(
        self, repetitions: int, words: dict[int, list[int]], sums: list[int]
    ) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Run the orders while words of some inputs are taken and sums leave; return both as they were seen."""
        dut, rng = self.dut, self.rng
        sent = [[rng.getrandbits(32) for _ in order * repetitions] for order in self.orders[: self.sides]]
        self.to_send = [deque(words.get(side, sent[side])) for side in range(self.sides)]
        self.got = [[] for _ in range(self.sides)]
        taken: dict[int, list[int]] = {side: [] for side in words}
        to_leave = deque(sums)
        dut.start_i.value, dut.repetitions_i.value = 1, repetitions
        await self.cycle()
        dut.start_i.value = 0
        for _ in range(5_000):
            valid = int(dut.head_valid_o.value)
            takes = {side for side in words if valid >> side & 1 and rng.random() < self.share}
            for side in takes:
                taken[side].append(int(dut.head_o.value) >> 32 * side & 0xFFFFFFFF)
            dut.sum_take_i.value = sum(1 << side for side in takes)
            offers = bool(to_leave) and rng.random() < self.share
            dut.sum_valid_i.value = offers
            dut.sum_i.value = to_leave[0] if offers else 0
            await self.cycle()
            if offers and self.sum_ready:
                to_leave.popleft()
            if not dut.running_o.value and not to_leave and taken == words:
                break
        dut.sum_take_i.value = dut.sum_valid_i.value = 0
        outputs = int(dut.sum_outputs_i.value)
        expected = self.expected([[] if side in words else sent[side] for side in range(self.sides)], repetitions)
        by_sums = {side: self.got[side] for side in range(self.sides) if outputs >> side & 1}
        assert [got for side, got in enumerate(self.got) if side not in by_sums] == [
            got for side, got in enumerate(expected) if side not in by_sums
        ]
        return taken, by_sums

    async def run(self, repetitions: int) -> int:
        """Send what the orders ask for, some of it before the start; return the cycles that it takes."""
        dut, rng = self.dut, self.rng
        sent = [[rng.getrandbits(32) for _ in order * repetitions] for order in self.orders[: self.sides]]
        self.to_send = [deque(words) for words in sent]
        self.got = [[] for _ in range(self.sides)]
        for _ in range(rng.randrange(20)):
            await self.cycle()
        assert self.got == [[] for _ in range(self.sides)], "words before the start"
        dut.start_i.value = 1
        dut.repetitions_i.value = repetitions
        await self.cycle()
        dut.start_i.value = 0
        cycles = 0
        while dut.running_o.value:
            await self.cycle()
            cycles += 1
            assert cycles < 20_000, "the switch never ends"
        assert self.got == self.expected(sent, repetitions)
        return cycles


@cocotb.test()
async def every_word_by_the_program(dut: Any) -> None:
    """Forward words of any programs, again and again, with stalls of all sides."""
    bench = Bench(dut, 1)
    await bench.begin()
    for round_ in range(30):
        await bench.load(bench.rng.randrange(1, 16))
        bench.share = (0.2, 0.7, 1.0)[round_ % 3]
        await bench.run(bench.rng.randrange(1, 5))


@cocotb.test()
async def words_that_are_given_away(dut: Any) -> None:
    """Take words of some inputs from outside, and send sums by some outputs, whatever orders do with the others."""
    bench = Bench(dut, 4)
    await bench.begin()
    rng = bench.rng
    for round_ in range(20):
        bench.share = (0.3, 0.7, 1.0)[round_ % 3]
        inputs = set(rng.sample(range(bench.sides), 2))
        outputs = set(rng.sample(range(bench.sides), rng.choice((1, 2, 4))))
        bench.orders = [[] for _ in range(2 * bench.sides)]
        for _ in range(6):
            here = rng.choice(sorted(set(range(bench.sides)) - inputs))
            bench.move(here, rng.sample(sorted(set(range(bench.sides)) - outputs), 1))
        await bench.write_orders()
        words = {side: [rng.getrandbits(32) for _ in range(15)] for side in inputs}
        sums = [rng.getrandbits(32) for _ in range(12)]
        dut.sum_inputs_i.value = sum(1 << side for side in inputs)
        dut.sum_outputs_i.value = sum(1 << side for side in outputs)
        taken, left = await bench.run_beside(3, words, sums)
        assert taken == words
        assert left == dict.fromkeys(outputs, sums)
        dut.sum_inputs_i.value = dut.sum_outputs_i.value = 0


@cocotb.test()
async def a_word_per_cycle_and_output(dut: Any) -> None:
    """Move a word per cycle on each way, if nobody stalls."""
    bench = Bench(dut, 2)
    await bench.begin()
    bench.share = 1.0
    for _ in range(4):
        for side in range(bench.sides):
            bench.move(side, [(side + 1) % bench.sides])
    await bench.write_orders()
    assert await bench.run(10) <= 40 + ROOM


@cocotb.test()
async def a_word_per_cycle_to_all_sides(dut: Any) -> None:
    """Hand every word of a port to the slot and to all other ports, one per cycle."""
    bench = Bench(dut, 3)
    await bench.begin()
    bench.share = 1.0
    bench.move(2, range(bench.sides))
    await bench.write_orders()
    assert await bench.run(40) <= 40 + ROOM


@pytest.mark.parametrize(("ports", "entries"), [(4, 16), (4, 128), (6, 16), (6, 1024)])
def test_static_switch(ports: int, entries: int) -> None:
    run("static_switch", __file__, {"Ports": ports, "Entries": entries, "SlotRoom": 16 if entries == 16 else 4})
