# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Clock and reset of a module under test.

Tests act at falling edges: what a test writes there is sampled at the rising edge that follows, and what it reads
there are the outputs of the current cycle. One iteration from falling edge to falling edge is one cycle.
"""

from __future__ import annotations

from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge


async def start(dut: Any, cycles: int = 3) -> None:
    """Start the clock, hold reset for some cycles, and return at a falling edge with reset released.

    Inputs must have their idle values before.
    """
    # The clock starts low, so that the first edge samples a reset that is already active.
    dut.rst_ni.value = 0
    Clock(dut.clk_i, 10, unit="ns").start(start_high=False)
    for _ in range(cycles):
        await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await FallingEdge(dut.clk_i)
