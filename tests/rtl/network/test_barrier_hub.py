# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`barrier_hub`: who is released, when, and that groups with other members are in nobody's way."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.runner import run
from tidings.generated.packets import BARRIER_GROUPS, BARRIER_MATES


class Bench:
    """Slots that arrive, wait and arrive again, with what a hub must say to them."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.slots = int(dut.NumSlots.value.to_unsigned())
        self.rng = random.Random(seed)
        self.arrived = [0] * BARRIER_GROUPS  #: slots whose wire is high, one bit each
        self.mates = [[0] * self.slots for _ in range(BARRIER_GROUPS)]
        self.released = [0] * BARRIER_GROUPS  #: slots that the hub releases in this cycle, one bit each
        self.barriers = 0

    async def begin(self) -> None:
        """Reset the hub."""
        self.dut.arrived_i.value = 0
        self.dut.mates_i.value = 0
        await start(self.dut)

    def partition(self, group: int) -> None:
        """Draw sets of slots that have barriers with one another, in a group."""
        sets = [self.rng.randrange(max(1, self.slots // 2)) for _ in range(self.slots)]
        for slot in range(self.slots):
            mates = sum(1 << other for other in range(self.slots) if sets[other] == sets[slot])
            # Whether a slot names itself makes no difference, nor do slots that the router does not have.
            mates ^= self.rng.getrandbits(1) << slot
            self.mates[group][slot] = mates | self.rng.getrandbits(BARRIER_MATES) >> self.slots << self.slots

    async def cycle(self) -> list[int]:
        """Let a cycle pass; return the slots that are released in it, one bit each, by group."""
        dut = self.dut
        arrived = mates = 0
        for slot in range(self.slots):
            for group in range(BARRIER_GROUPS):
                place = slot * BARRIER_GROUPS + group
                arrived |= (self.arrived[group] >> slot & 1) << place
                mates |= self.mates[group][slot] << (place * BARRIER_MATES)
        dut.arrived_i.value = arrived
        dut.mates_i.value = mates
        await ReadOnly()
        shown = int(dut.release_o.value)
        busy = bool(dut.busy_o.value)
        await FallingEdge(dut.clk_i)
        released = [
            sum((shown >> (slot * BARRIER_GROUPS + group) & 1) << slot for slot in range(self.slots))
            for group in range(BARRIER_GROUPS)
        ]
        assert released == self.released, "released others than those whose members had all arrived a cycle before"
        self.released = [self.complete(group, released[group]) for group in range(BARRIER_GROUPS)]
        assert busy == (any(released) or any(self.released))
        return released

    def complete(self, group: int, released: int) -> int:
        """Return the slots that a hub releases in the next cycle."""
        arrived = self.arrived[group]
        here = (1 << self.slots) - 1
        return sum(
            1 << slot
            for slot in range(self.slots)
            if arrived >> slot & 1 and not released >> slot & 1 and not self.mates[group][slot] & here & ~arrived
        )


@cocotb.test()
async def all_members_are_released_at_once_and_nobody_else(dut: Any) -> None:
    """Release each set of members one cycle after its last arrival, again and again, in all groups side by side."""
    bench = Bench(dut, 5)
    await bench.begin()
    for rate in (1.0, 0.3, 0.02):
        for group in range(BARRIER_GROUPS):
            bench.arrived[group] = 0
        for _ in range(4):  # what is under way ends
            await bench.cycle()
        for group in range(BARRIER_GROUPS):
            bench.partition(group)
        barriers = [[0] * bench.slots for _ in range(BARRIER_GROUPS)]
        for _ in range(600):
            before = list(bench.arrived)
            released = await bench.cycle()
            for group in range(BARRIER_GROUPS):
                bench.arrived[group] &= ~released[group]
                for slot in range(bench.slots):
                    if released[group] >> slot & 1:
                        assert before[group] >> slot & 1
                        barriers[group][slot] += 1
                    # In the cycle of its release a slot cannot arrive again.
                    elif bench.rng.random() < rate:
                        bench.arrived[group] |= 1 << slot
        for group in range(BARRIER_GROUPS):
            for slot in range(bench.slots):
                mates = bench.mates[group][slot]
                others = [barriers[group][other] for other in range(bench.slots) if mates >> other & 1]
                assert all(count == barriers[group][slot] for count in others), "one is a barrier ahead"
        assert sum(map(sum, barriers)) > 20


@cocotb.test()
async def an_arrival_can_be_taken_back(dut: Any) -> None:
    """Release nobody if a member has taken its arrival back before the last one comes."""
    bench = Bench(dut, 6)
    await bench.begin()
    everyone = (1 << bench.slots) - 1
    bench.mates[3] = [everyone] * bench.slots
    bench.arrived[3] = everyone & ~1
    await bench.cycle()
    bench.arrived[3] = 1
    for _ in range(3):
        assert await bench.cycle() == [0] * BARRIER_GROUPS
    bench.arrived[3] = everyone
    await bench.cycle()
    assert (await bench.cycle())[3] == everyone


@pytest.mark.parametrize("slots", [2, 5, 16])
def test_barrier_hub(slots: int) -> None:
    run("barrier_hub", __file__, {"NumSlots": slots})
