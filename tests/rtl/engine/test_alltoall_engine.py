# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`alltoall_engine`: blocks out of memory in the order of targets, words into memory in the order of sources."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.memory import MemoryWrite
from harness.registers import address
from harness.runner import run
from tidings.generated.packets import (
    ENGINE_WINDOW,
    FLAT_SWITCH_PORTS,
    SWITCH_PORTS,
    SWITCH_SIDES,
    BusRequest,
    EngineEvents,
    SideLink,
    SwitchLink,
)

from tidings.generated import registers as reg

SOURCE, DESTINATION, LATENCY, ROOM = 0x100, 0x1000, 8, 8


class Bench:
    """An engine with memory, whose neighbour at port 0 sends back what it gets."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.rng = random.Random(seed)
        self.memory: dict[int, int] = {}
        self.due: list[tuple[int, int]] = []  #: cycle of an answer, and the word
        self.back: list[int] = []  #: words on their way back
        self.own: list[int] = []  #: words that the neighbour has by itself
        self.room = ROOM  #: for them
        self.now = 0
        self.stalls = 0.0
        self.done = self.failed = 0

    async def begin(self) -> None:
        """Reset the engine, and load a program: own words go out at port 0, and what comes in there is ours."""
        for name in (
            "read_ready_i",
            "data_valid_i",
            "data_i",
            "write_ready_i",
            "bus_valid_i",
            "bus_i",
            "switch_i",
        ):
            getattr(self.dut, name).value = 0
        await start(self.dut)

    async def load(self, targets: list[int], sources: list[int]) -> None:
        """Load orders of targets and sources, and of a switch that sends words of the slot over link 0 and back."""
        count = len(targets)
        sizes = await self.cycle(BusRequest(write=False, address=address("alltoall_sizes") % ENGINE_WINDOW))
        ports = reg.AlltoallSizes.decode(sizes).ports
        orders: dict[int, list[int]] = {
            # Sets of outputs: port 0, and for what comes in there the slot.
            SWITCH_PORTS: [1] * count,
            0: [1] * count,
            SWITCH_SIDES: [SWITCH_PORTS] * count,
            SWITCH_SIDES + SWITCH_PORTS: [0] * count,
            2 * SWITCH_SIDES: targets,
            2 * SWITCH_SIDES + 1: sources,
        }
        for order, entries in orders.items():
            sets = order < SWITCH_SIDES and ports > FLAT_SWITCH_PORTS
            width = 8 if sets or order >= 2 * SWITCH_SIDES else 4
            await self.write("alltoall_place", reg.AlltoallPlace(order=order).encode())
            for first in range(0, count, 32 // width):
                part = entries[first : first + 32 // width]
                await self.write("alltoall_entries", sum(entry << width * i for i, entry in enumerate(part)))
            await self.write(f"alltoall_length[{order}]", count)

    async def cycle(self, bus: BusRequest | None = None) -> int:
        """Let a cycle pass; return the word that a read shows."""
        dut = self.dut
        dut.bus_valid_i.value = bus is not None
        dut.bus_i.value = 0 if bus is None else bus.encode()
        dut.read_ready_i.value = self.rng.random() >= self.stalls
        dut.write_ready_i.value = self.rng.random() >= self.stalls
        answers = bool(self.due) and self.due[0][0] <= self.now
        dut.data_valid_i.value = answers
        dut.data_i.value = self.due.pop(0)[1] if answers else 0
        # A word goes back in the cycle after it came, with the credit for it.
        returns = bool(self.back)
        word = self.back.pop(0) if returns else 0
        sends = not returns and bool(self.own) and self.room > 0 and self.rng.random() >= self.stalls
        if sends:
            word = self.own.pop(0)
        self.room -= returns or sends
        given = SwitchLink(credit=returns, valid=returns or sends, data=word)
        dut.switch_i.value = SideLink(word=given).encode()
        await ReadOnly()
        read = int(dut.bus_data_o.value)
        if dut.read_valid_o.value and dut.read_ready_i.value:
            self.due.append((self.now + LATENCY, self.memory[int(dut.read_address_o.value)]))
        if dut.write_valid_o.value and dut.write_ready_i.value:
            write = MemoryWrite.unpack(int(dut.write_o.value))
            assert write.strobe == 15
            assert write.address not in self.memory, "written twice"
            self.memory[write.address] = write.data
        link = SideLink.decode(int(dut.switch_o.value) & (1 << SideLink.WIDTH) - 1).word
        if link.valid:
            self.back.append(link.data)
        self.room += link.credit
        events = EngineEvents.decode(int(dut.events_o.value))
        self.done += events.done
        self.failed += events.failed
        await FallingEdge(dut.clk_i)
        self.now += 1
        return read

    async def write(self, name: str, data: int) -> None:
        """Write a register."""
        await self.cycle(BusRequest(write=True, address=address(name) % ENGINE_WINDOW, data=data))

    async def exchange(self, words: int) -> int:
        """Send blocks out and back; return the cycles from the start to the end."""
        await self.write("alltoall_source", SOURCE)
        await self.write("alltoall_destination", DESTINATION)
        done = self.done
        await self.write("alltoall_start", words)
        began = self.now
        while self.done == done:
            await self.cycle()
            assert self.now - began < 5_000, "never complete"
        return self.now - began


@cocotb.test()
async def blocks_in_the_order_of_members(dut: Any) -> None:
    """Read word i of each target's block in repetition i, and write what comes to word i of each source's block."""
    bench = Bench(dut, 4)
    await bench.begin()
    members = 7
    targets, sources = [3, 0, 6, 1, 5], [2, 4, 1, 0, 6]
    await bench.load(targets, sources)
    for words, stalls in ((1, 0.0), (4, 0.0), (3, 0.5), (9, 0.8)):
        bench.stalls = stalls
        bench.memory = {SOURCE + 4 * i: bench.rng.getrandbits(32) for i in range(members * words)}
        cycles = await bench.exchange(words)
        for target, source in zip(targets, sources, strict=True):
            for word in range(words):
                got = bench.memory[DESTINATION + 4 * (source * words + word)]
                assert got == bench.memory[SOURCE + 4 * (target * words + word)]
        assert len(bench.memory) == (members + len(targets)) * words
        if stalls == 0.0:
            assert cycles <= len(targets) * words + LATENCY + 8
    assert bench.failed == 0


@cocotb.test()
async def mistakes_are_told(dut: Any) -> None:
    """Refuse a start without words, and one while an all-to-all is under way; the first one goes on."""
    bench = Bench(dut, 5)
    await bench.begin()
    await bench.load([0, 1], [1, 0])
    bench.memory = {SOURCE + 4 * i: i for i in range(40)}
    await bench.write("alltoall_start", 0)
    await bench.cycle()
    assert bench.failed == 1
    await bench.write("alltoall_source", SOURCE)
    await bench.write("alltoall_destination", DESTINATION)
    await bench.write("alltoall_start", 20)
    await bench.write("alltoall_start", 3)
    for _ in range(100):
        await bench.cycle()
    assert (bench.failed, bench.done) == (2, 1)
    assert len(bench.memory) == 80
    shown = await bench.cycle(BusRequest(write=False, address=address("alltoall_error") % ENGINE_WINDOW))
    assert reg.AlltoallError.decode(shown).refused
    await bench.write("alltoall_error", reg.AlltoallError(refused=True).encode())
    assert await bench.cycle(BusRequest(write=False, address=address("alltoall_error") % ENGINE_WINDOW)) == 0


@cocotb.test()
async def sums_of_own_words_and_those_that_come(dut: Any) -> None:
    """Combine words out of memory with those of a neighbour, and write the sums; refuse what cannot be combined."""
    bench = Bench(dut, 6)
    await bench.begin()
    await bench.load([], [])
    for order in (2 * SWITCH_SIDES, 2 * SWITCH_SIDES + 1):
        await bench.write(f"alltoall_length[{order}]", 1)
    await bench.write("alltoall_place", reg.AlltoallPlace(order=2 * SWITCH_SIDES).encode())
    await bench.write("alltoall_entries", 0)
    await bench.write("alltoall_place", reg.AlltoallPlace(order=2 * SWITCH_SIDES + 1).encode())
    await bench.write("alltoall_entries", 0)
    both, slot, int32, int64 = 1 | 1 << SWITCH_PORTS, 1 << SWITCH_PORTS, 0, 1
    refused = [
        reg.AlltoallSums(summands=1, outputs=slot),
        reg.AlltoallSums(summands=both),
        reg.AlltoallSums(summands=both | 2, outputs=slot),
        reg.AlltoallSums(summands=both, outputs=slot, element=int64),
    ]
    for sums in refused:
        await bench.write("alltoall_sums", sums.encode())
        failed = bench.failed
        await bench.write("alltoall_start", 3)
        await bench.cycle()
        assert bench.failed == failed + 1
    for words, stalls, element in ((1, 0.0, int32), (30, 0.0, int32), (30, 0.6, int64), (8, 0.9, int64)):
        bench.stalls = stalls
        given = [bench.rng.getrandbits(32) for _ in range(words)]
        bench.own = list(given)
        bench.memory = {SOURCE + 4 * i: bench.rng.getrandbits(32) for i in range(words)}
        await bench.write("alltoall_sums", reg.AlltoallSums(summands=both, outputs=slot, element=element).encode())
        await bench.exchange(words)
        got = [bench.memory[DESTINATION + 4 * i] for i in range(words)]
        size = 1 if element == int32 else 2
        for first in range(0, words, size):
            terms = [given[first : first + size], [bench.memory[SOURCE + 4 * i] for i in range(first, first + size)]]
            values = [sum(word << 32 * i for i, word in enumerate(term)) for term in terms]
            total = sum(values) & (1 << 32 * size) - 1
            assert sum(word << 32 * i for i, word in enumerate(got[first : first + size])) == total


@cocotb.test()
async def sides_that_are_not_there_have_no_words(dut: Any) -> None:
    """Keep lengths of orders that the switch has, and no others."""
    bench = Bench(dut, 7)
    await bench.begin()
    sizes = await bench.cycle(BusRequest(write=False, address=address("alltoall_sizes") % ENGINE_WINDOW))
    ports = reg.AlltoallSizes.decode(sizes).ports
    for order in range(2 * SWITCH_SIDES + 2):
        await bench.write(f"alltoall_length[{order}]", 3)
        await bench.cycle()
        length = f"alltoall_length[{order}]"
        shown = await bench.cycle(BusRequest(write=False, address=address(length) % ENGINE_WINDOW))
        absent = order < 2 * SWITCH_SIDES and ports <= order % SWITCH_SIDES < SWITCH_PORTS
        assert shown == (0 if absent else 3)


@pytest.mark.parametrize("dims", [2, 3])
def test_alltoall_engine(dims: int) -> None:
    run("alltoall_engine", __file__, node={"alltoall_adders": 1, "dims": dims})
