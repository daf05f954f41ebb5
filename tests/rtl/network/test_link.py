# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`link`: exact latency both ways, nothing lost."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.packets import Flit
from harness.runner import run


def _latency(dut: Any) -> int:
    return int(dut.Latency.value.to_unsigned())


async def _idle(dut: Any) -> None:
    dut.flit_valid_i.value = 0
    dut.flit_i.value = 0
    dut.credit_i.value = 0
    await start(dut)


@cocotb.test()
async def flits_and_credits_arrive_after_exactly_the_latency(dut: Any) -> None:
    await _idle(dut)
    latency = _latency(dut)
    choice = random.Random(3)
    flits: list[int | None] = []
    credits_in: list[int] = []
    for cycle in range(6 * latency + 40):
        flit = Flit(choice.getrandbits(32), bool(choice.getrandbits(1)), choice.randrange(4)).pack()
        flits.append(flit if choice.random() < 0.6 else None)
        credits_in.append(choice.getrandbits(4))
        dut.flit_valid_i.value = flits[-1] is not None
        dut.flit_i.value = flit
        dut.credit_i.value = credits_in[-1]
        await ReadOnly()
        shown = cycle - (latency - 1)
        expected = flits[shown] if shown >= 0 else None
        assert bool(dut.flit_valid_o.value) == (expected is not None)
        if expected is not None:
            assert dut.flit_o.value.to_unsigned() == expected
        assert dut.credit_o.value.to_unsigned() == (credits_in[shown] if shown >= 0 else 0)
        await FallingEdge(dut.clk_i)


@cocotb.test()
async def a_link_is_busy_while_something_is_on_the_way(dut: Any) -> None:
    await _idle(dut)
    latency = _latency(dut)
    for name in ("flit_valid_i", "credit_i"):
        getattr(dut, name).value = 1
        await FallingEdge(dut.clk_i)
        getattr(dut, name).value = 0
        for _ in range(latency - 1):
            assert dut.busy_o.value == 1
            await FallingEdge(dut.clk_i)
        assert dut.busy_o.value == 0


@pytest.mark.parametrize("latency", [1, 4])
def test_link(latency: int) -> None:
    run("link", __file__, {"Latency": latency})
