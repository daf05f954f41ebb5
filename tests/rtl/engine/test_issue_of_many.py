# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`rma_issue` at a router of more slots than a slot's number has values: what it writes to its slot's registers."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.runner import run
from tidings.generated.packets import BusRequest, Issue, IssueOperation, IssueResult

from tidings.generated import registers as reg

SLOTS = 40


async def _issue(dut: Any, issue: Issue, cycles: int = 10) -> tuple[list[tuple[int, int]], IssueResult]:
    """Issue a primitive. @return registers that it writes, with the words, and its result."""
    dut.issue_valid_i.value, dut.issue_i.value = 1, issue.encode()
    writes, result = [], None
    for _ in range(cycles):
        await ReadOnly()
        if dut.bus_valid_o.value:
            access = BusRequest.decode(int(dut.bus_o.value))
            assert access.write
            writes.append((access.address, access.data))
        if dut.result_valid_o.value:
            result = IssueResult.decode(int(dut.result_o.value))
        await FallingEdge(dut.clk_i)
        dut.issue_valid_i.value = 0
    assert result is not None
    return writes, result


@cocotb.test()
async def a_group_of_all_and_puts_to_all_have_the_addresses_of_their_slots(dut: Any) -> None:
    inputs = ("node_id_i", "issue_valid_i", "issue_i", "abort_i", "access_valid_i", "access_i", "bus_read_valid_i")
    for name in (*inputs, "bus_read_data_i"):
        getattr(dut, name).value = 0
    await start(dut)
    for processors in (2, 16, 17, SLOTS):
        writes, result = await _issue(dut, Issue(IssueOperation.BEGIN, processor=1, name=processors))
        assert not result.failed
        mates = (1 << processors) - 1
        words = [reg.BarrierFarMates(slots=mates >> 16 * place & 0xFFFF).encode() for place in (1, 2)]
        group = reg.BarrierGroup(member=True, mates=mates & 0xFFFF).encode()
        far = [(reg.BarrierFarMates.at(place), word) for place, word in enumerate(words)]
        assert writes == [*far, (reg.BarrierGroup.at(0), group)]
    for processor in (0, 15, 16, SLOTS - 1):
        writes, result = await _issue(dut, Issue(IssueOperation.PUT, processor=processor, name=3, bytes=4))
        remote = reg.RmaRemote(node=processor // 16, slot=processor % 16, region=3)
        assert not result.failed
        assert (reg.RmaRemote.at(), remote.encode()) in writes
    writes, result = await _issue(dut, Issue(IssueOperation.BEGIN, processor=1, name=SLOTS + 1))
    assert (writes, result.failed) == ([], True)


@pytest.mark.parametrize("slots", [SLOTS])
def test_rma_issue_of_many(slots: int) -> None:
    run("rma_issue", __file__, {"MaxProcessors": slots})
