# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`credit_counter`: as many flits as there are places, never more."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge
from harness.clock import start
from harness.runner import run


@cocotb.test()
async def flits_may_go_exactly_while_the_buffer_has_room(dut: Any) -> None:
    dut.take_i.value = 0
    dut.give_i.value = 0
    await start(dut)
    places = dut.Credits.value.to_unsigned()
    choice = random.Random(5)
    room = places
    seen = set()
    for eager in (0.9, 0.2, 0.5):
        for _ in range(100 * places):
            seen.add(room)
            assert bool(dut.available_o.value) == (room > 0)
            take = room > 0 and choice.random() < eager
            give = room < places and choice.random() < 0.5
            dut.take_i.value = take
            dut.give_i.value = give
            room += give - take
            await FallingEdge(dut.clk_i)
    assert seen == set(range(places + 1)), "the test must meet every number of credits"


@pytest.mark.parametrize("places", [1, 6])
def test_credit_counter(places: int) -> None:
    run("credit_counter", __file__, {"Credits": places})
