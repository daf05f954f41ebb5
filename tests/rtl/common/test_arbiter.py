# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`arbiter`: who wins, and when."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.runner import run


async def _idle(dut: Any) -> int:
    dut.request_i.value = 0
    dut.accept_i.value = 0
    await start(dut)
    return int(dut.NumRequests.value.to_unsigned())


async def _winner(dut: Any, request: int, accept: bool = True) -> int | None:
    """Make these requests for one cycle and return the winner."""
    dut.request_i.value = request
    dut.accept_i.value = accept
    await ReadOnly()
    winner = dut.index_o.value.to_unsigned() if dut.valid_o.value == 1 else None
    assert dut.grant_o.value.to_unsigned() == (0 if winner is None else 1 << winner)
    await FallingEdge(dut.clk_i)
    return winner


@cocotb.test()
async def the_winner_is_the_next_above_the_last_accepted_one(dut: Any) -> None:
    count = await _idle(dut)
    choice = random.Random(11)
    last = count - 1
    for _ in range(400):
        request, accept = choice.getrandbits(count), choice.random() < 0.7
        order = [(last + 1 + step) % count for step in range(count)]
        expected = next((index for index in order if request >> index & 1), None)
        assert await _winner(dut, request, accept) == expected
        if accept and expected is not None:
            last = expected


@cocotb.test()
async def everybody_wins_once_a_turn(dut: Any) -> None:
    count = await _idle(dut)
    assert [await _winner(dut, (1 << count) - 1) for _ in range(2 * count)] == 2 * list(range(count))


@cocotb.test()
async def the_lowest_index_wins(dut: Any) -> None:
    count = await _idle(dut)
    choice = random.Random(12)
    for _ in range(200):
        request = choice.getrandbits(count)
        expected = (request & -request).bit_length() - 1 if request else None
        assert await _winner(dut, request) == expected


@pytest.mark.parametrize(
    ("parameters", "tests"),
    [
        ({"NumRequests": 5}, "the_winner_is_the_next|everybody_wins"),
        ({"NumRequests": 1}, "the_winner_is_the_next|everybody_wins"),
        ({"NumRequests": 28, "FixedPriority": 1}, "the_lowest_index"),
    ],
    ids=["round_robin", "single", "fixed_priority"],
)
def test_arbiter(parameters: dict[str, int], tests: str) -> None:
    run("arbiter", __file__, parameters, test_filter=tests)
