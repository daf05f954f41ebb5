# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`fifo`: order, flags and timing, with idle and back-pressure."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge
from harness.clock import start
from harness.runner import run


async def _idle_fifo(dut: Any) -> None:
    dut.push_i.value = 0
    dut.pop_i.value = 0
    dut.data_i.value = 0
    await start(dut)


@cocotb.test()
async def a_word_is_visible_one_cycle_after_its_push(dut: Any) -> None:
    await _idle_fifo(dut)
    assert dut.empty_o.value == 1
    dut.push_i.value = 1
    dut.data_i.value = 0x5A5A5A5A
    await FallingEdge(dut.clk_i)
    dut.push_i.value = 0
    assert dut.empty_o.value == 0
    assert dut.data_o.value.to_unsigned() == 0x5A5A5A5A
    assert dut.count_o.value.to_unsigned() == 1


@cocotb.test()
async def a_full_fifo_still_takes_a_word_when_it_gives_one(dut: Any) -> None:
    await _idle_fifo(dut)
    depth = dut.Depth.value.to_unsigned()
    dut.push_i.value = 1
    for word in range(depth):
        assert dut.full_o.value == 0
        dut.data_i.value = word
        await FallingEdge(dut.clk_i)
    assert dut.full_o.value == 1
    dut.data_i.value = depth
    dut.pop_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.push_i.value = 0
    assert dut.full_o.value == 1
    for word in range(1, depth + 1):
        assert dut.data_o.value.to_unsigned() == word
        await FallingEdge(dut.clk_i)
    assert dut.empty_o.value == 1


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], backpressure=[0.0, 0.6])
async def words_leave_in_the_order_they_came(dut: Any, idle: float, backpressure: float) -> None:
    await _idle_fifo(dut)
    choice = random.Random(7)
    depth = dut.Depth.value.to_unsigned()
    expected: deque[int] = deque()
    for _ in range(600):
        assert dut.count_o.value.to_unsigned() == len(expected)
        assert bool(dut.empty_o.value) == (not expected)
        assert bool(dut.full_o.value) == (len(expected) == depth)
        if expected:
            assert dut.data_o.value.to_unsigned() == expected[0]
        pop = bool(expected) and choice.random() >= backpressure
        push = (len(expected) < depth or pop) and choice.random() >= idle
        word = choice.getrandbits(35)
        dut.pop_i.value = pop
        dut.push_i.value = push
        dut.data_i.value = word
        if pop:
            expected.popleft()
        if push:
            expected.append(word)
        await FallingEdge(dut.clk_i)


@pytest.mark.parametrize("depth", [2, 16])
def test_fifo(depth: int) -> None:
    run("fifo", __file__, {"Depth": depth})
