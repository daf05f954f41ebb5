# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`slot_memory`: answers go to whoever asked, and nobody waits for ever."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.runner import run
from tidings.generated.packets import MemoryWrite

SOURCES = 3
WRITE_WIDTH = MemoryWrite.WIDTH


async def _begin(dut: Any) -> None:
    for name in ("read_valid_i", "read_address_i", "write_valid_i", "write_i", "memory_data_valid_i"):
        getattr(dut, name).value = 0
    await start(dut)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], latency=[1, 8, 100])
async def each_source_gets_its_own_answers_in_order(dut: Any, idle: float, latency: int) -> None:
    await _begin(dut)
    choice = random.Random(latency)
    in_flight = dut.ReadsInFlight.value.to_unsigned()
    address = [choice.getrandbits(30) * 4 for _ in range(SOURCES)]
    asked: list[int] = [0] * SOURCES
    memory: deque[tuple[int, int]] = deque()  # (cycle of the answer, source that it belongs to)
    answered: list[int] = [0] * SOURCES
    asking = 0
    for cycle in range(1500):
        for source in range(SOURCES):  # a request stays until it is taken
            if not asking >> source & 1 and choice.random() >= idle:
                asking |= 1 << source
                address[source] = choice.getrandbits(30) * 4
        dut.read_valid_i.value = asking
        dut.read_address_i.value = sum(word << 32 * source for source, word in enumerate(address))
        answer = memory.popleft() if memory and memory[0][0] <= cycle else None
        dut.memory_data_valid_i.value = answer is not None
        await ReadOnly()
        ready = dut.read_ready_o.value.to_unsigned()
        assert ready.bit_count() <= 1
        assert bool(dut.memory_read_valid_o.value) == bool(ready & asking)
        assert dut.data_valid_o.value.to_unsigned() == (1 << answer[1] if answer else 0)
        if answer:
            answered[answer[1]] += 1
        if ready & asking:
            source = ready.bit_length() - 1
            assert dut.memory_read_address_o.value.to_unsigned() == address[source]
            memory.append((cycle + latency, source))
            asked[source] += 1
            asking &= ~ready
        else:
            assert not asking or len(memory) + bool(answer) == in_flight
        await FallingEdge(dut.clk_i)
    assert max(asked) - min(asked) <= (2 if idle == 0.0 else 100)
    # The memory has as many reads under way as it can, or answers one in every cycle.
    if idle == 0.0:
        assert sum(answered) >= 1500 * min(1.0, in_flight / (latency + 1)) - 2 * latency


@cocotb.test()
async def writes_are_taken_one_a_cycle_in_turns(dut: Any) -> None:
    await _begin(dut)
    choice = random.Random(3)
    for asking in (0b111, 0b101, 0b010, 0b000, 0b110, 0b111):
        taken = [0] * SOURCES
        for _ in range(30):
            writes = [choice.getrandbits(WRITE_WIDTH) for _ in range(SOURCES)]
            dut.write_valid_i.value = asking
            dut.write_i.value = sum(write << WRITE_WIDTH * source for source, write in enumerate(writes))
            await ReadOnly()
            ready = dut.write_ready_o.value.to_unsigned()
            assert bool(dut.memory_write_valid_o.value) == bool(asking)
            assert ready & ~asking == 0
            if asking:
                source = ready.bit_length() - 1
                assert ready == 1 << source
                assert MemoryWrite.decode(dut.memory_write_o.value.to_unsigned()) == MemoryWrite.decode(writes[source])
                taken[source] += 1
            await FallingEdge(dut.clk_i)
        shares = [count for source, count in enumerate(taken) if asking >> source & 1]
        assert not shares or max(shares) - min(shares) <= 1
    dut.write_valid_i.value = 0


def test_slot_memory() -> None:
    run("slot_memory", __file__)
