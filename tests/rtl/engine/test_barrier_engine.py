# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`barrier_engine`: arrivals through its registers, tokens of neighbours that come at any time, and a hub."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.registers import address
from harness.runner import run
from tidings.generated.packets import (
    BARRIER_GROUPS,
    BARRIER_MATES,
    BARRIER_PORTS,
    ENGINE_WINDOW,
    BusRequest,
    EngineEvents,
)

from tidings.generated import registers as reg


class Bench:
    """Software, and the wires of all neighbours."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.sent = [[0] * BARRIER_GROUPS for _ in range(BARRIER_PORTS)]  #: tokens that have left, by port and group
        self.failed = 0

    async def begin(self) -> None:
        """Reset the module."""
        for name in (
            "bus_valid_i",
            "bus_i",
            "token_i",
            "quiet_i",
        ):
            getattr(self.dut, name).value = 0
        await start(self.dut)

    async def cycle(self, bus: BusRequest | None = None, tokens: dict[int, int] | None = None) -> int:
        """Let a cycle pass with tokens of groups by port; return the word that a read shows."""
        dut = self.dut
        dut.bus_valid_i.value = bus is not None
        dut.bus_i.value = 0 if bus is None else bus.encode()
        dut.token_i.value = sum(groups << (port * BARRIER_GROUPS) for port, groups in (tokens or {}).items())
        await ReadOnly()
        word = int(dut.bus_data_o.value)
        out = int(dut.token_o.value)
        for port in range(BARRIER_PORTS):
            for group in range(BARRIER_GROUPS):
                self.sent[port][group] += out >> (port * BARRIER_GROUPS + group) & 1
        self.failed += EngineEvents.decode(int(dut.events_o.value)).failed
        await FallingEdge(dut.clk_i)
        return word

    async def write(self, name: str, data: int) -> None:
        """Write a register."""
        await self.cycle(BusRequest(write=True, address=address(name) % ENGINE_WINDOW, data=data))

    async def read(self, name: str) -> int:
        """Read a register."""
        return await self.cycle(BusRequest(write=False, address=address(name) % ENGINE_WINDOW))

    async def status(self) -> reg.BarrierStatus:
        """Return what the engine shows of its groups."""
        return reg.BarrierStatus.decode(await self.read("barrier_status"))


@cocotb.test()
async def never_early(dut: Any) -> None:
    """Release a member in the middle by its arrival and a token from each side, in any order, again and again."""
    bench, rng = Bench(dut), random.Random(3)
    await bench.begin()
    group = 5
    await bench.write(f"barrier_group[{group}]", reg.BarrierGroup(member=True, mates=15).encode())
    await bench.write("barrier_enable", 1 << group)
    for barrier in range(20):
        steps = list(range(BARRIER_PORTS + 1))  # the tokens, and last of them the arrival
        rng.shuffle(steps)
        for place, step in enumerate(steps):
            # That of the barrier before shows until software arrives again.
            old = barrier > 0 and BARRIER_PORTS in steps[place:]
            assert (await bench.status()).done == int(old) << group, "early"
            if step == BARRIER_PORTS:
                await bench.write("barrier_arrive", 1 << group)
            else:
                await bench.cycle(tokens={step: 1 << group})
            for _ in range(rng.randrange(3)):
                await bench.cycle()
        assert (await bench.status()).done == 1 << group
        assert EngineEvents.decode(int(dut.events_o.value)).waiting
        await bench.cycle()
        assert [port[group] for port in bench.sent] == [barrier + 1] * BARRIER_PORTS, "a token each way"
    assert bench.failed == 0


@cocotb.test()
async def others_hand_on(dut: Any) -> None:
    """Without members tokens go straight on, a cycle later."""
    bench = Bench(dut)
    await bench.begin()
    for port in range(BARRIER_PORTS):
        await bench.cycle(tokens={port: 0b1010_0101})
        assert int(dut.token_o.value) == 0b1010_0101 << ((port ^ 1) * BARRIER_GROUPS)
    await bench.cycle()
    assert int(dut.token_o.value) == 0


@cocotb.test()
async def mistakes_are_told(dut: Any) -> None:
    """Arrivals of strangers and a second time, and tokens that nobody can have sent, are dropped and told."""
    bench = Bench(dut)
    await bench.begin()
    await bench.write("barrier_group[0]", reg.BarrierGroup(member=True, mates=1).encode())
    await bench.write("barrier_arrive", 0b10)
    assert reg.BarrierError.decode(await bench.read("barrier_error")) == reg.BarrierError(refused=True)
    await bench.write("barrier_error", reg.BarrierError(stray=True, refused=True).encode())
    await bench.write("barrier_arrive", 1)
    await bench.write("barrier_arrive", 1)
    assert reg.BarrierError.decode(await bench.read("barrier_error")) == reg.BarrierError(refused=True)
    await bench.write("barrier_error", reg.BarrierError(stray=True, refused=True).encode())
    await bench.cycle(tokens={2: 1})
    assert reg.BarrierError.decode(await bench.read("barrier_error")) == reg.BarrierError(stray=True)
    assert (await bench.status()).done == 0
    await bench.cycle()
    assert bench.failed == 3


@cocotb.test()
async def arrivals_wait_for_quiet(dut: Any) -> None:
    """Hold an arrival back as long as `rma` is not idle, but no other arrival."""
    bench, hub = Bench(dut), bool(int(dut.Hub.value))
    await bench.begin()
    for group in range(3):
        await bench.write(f"barrier_group[{group}]", reg.BarrierGroup(member=True).encode())
    await bench.write("barrier_arrive", reg.BarrierArrive(groups=1, quiet=True).encode())
    await bench.write("barrier_arrive", reg.BarrierArrive(groups=2).encode())
    for _ in range(5):
        assert await bench.status() == reg.BarrierStatus(done=0 if hub else 2, arrived=3 if hub else 1)
        assert not dut.busy_o.value, "what it waits for is an input"
    await bench.write("barrier_arrive", reg.BarrierArrive(groups=1).encode())
    assert reg.BarrierError.decode(await bench.read("barrier_error")) == reg.BarrierError(refused=True)
    dut.quiet_i.value = 1
    await bench.cycle()
    if hub:
        assert int(dut.token_o.value) == 3
        await bench.cycle(tokens={0: 3})
    assert (await bench.status()).done == 3
    # Of a slot that is idle an arrival counts at once; a member that leaves forgets what it waited for.
    await bench.write("barrier_arrive", reg.BarrierArrive(groups=4, quiet=True).encode())
    if hub:
        await bench.cycle(tokens={0: 4})
    assert (await bench.status()).done == 7
    dut.quiet_i.value = 0
    await bench.write("barrier_arrive", reg.BarrierArrive(groups=4, quiet=True).encode())
    await bench.write("barrier_group[2]", reg.BarrierGroup(member=True).encode())
    dut.quiet_i.value = 1
    await bench.cycle()
    assert await bench.status() == reg.BarrierStatus(done=3)


@cocotb.test()
async def a_hub_is_told_of_all_mates_and_a_group_that_is_written_again_forgets_far_ones(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    far = {0: 0x8001, 1: 0x1234, 2: 0xFEDC}
    for word, slots in far.items():
        await bench.write(f"barrier_far_mates[{word}]", reg.BarrierFarMates(slots=slots).encode())
    await bench.write("barrier_group[3]", reg.BarrierGroup(member=True, mates=0xA5A5).encode())
    assert int(dut.mates_o.value) == 0xFEDC_1234_8001_A5A5 << (3 * BARRIER_MATES)
    await bench.write("barrier_group[2]", reg.BarrierGroup(member=True, mates=1).encode())
    assert int(dut.mates_o.value) == 0xFEDC_1234_8001_A5A5 << (3 * BARRIER_MATES) | 1 << (2 * BARRIER_MATES)
    await bench.write("barrier_group[3]", reg.BarrierGroup(member=True, mates=2).encode())
    assert int(dut.mates_o.value) == 2 << (3 * BARRIER_MATES) | 1 << (2 * BARRIER_MATES)


@cocotb.test()
async def a_hub_releases_those_who_wait(dut: Any) -> None:
    """Show arrivals until the hub answers, and nothing that it says to a slot that waits for nothing."""
    bench = Bench(dut)
    await bench.begin()
    group, mates = 5, 0b1010
    await bench.write(f"barrier_group[{group}]", reg.BarrierGroup(member=True, mates=mates).encode())
    assert int(dut.mates_o.value) == mates << (group * BARRIER_MATES)
    for _ in range(3):
        await bench.cycle(tokens={0: 1 << group})
        assert (await bench.status()).done == 0
        await bench.write("barrier_arrive", 1 << group)
        for _ in range(4):
            assert int(dut.token_o.value) == 1 << group
            assert await bench.status() == reg.BarrierStatus(arrived=1 << group)
            assert not dut.busy_o.value, "what it waits for is an input"
        await bench.cycle(tokens={0: 1 << group})
        assert int(dut.token_o.value) == 0
        assert await bench.status() == reg.BarrierStatus(done=1 << group)
        await bench.write("barrier_status", 1 << group)
    assert bench.failed == 0


@pytest.mark.parametrize(("hub", "tests"), [(0, "never|others|mistakes|quiet"), (1, "hub|quiet")])
def test_barrier_engine(hub: int, tests: str) -> None:
    run("barrier_engine", __file__, {"Hub": hub}, test_filter=tests)
