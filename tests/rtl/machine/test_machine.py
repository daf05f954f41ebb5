# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`machine_top`: a ring of two nodes, used as a processor at each would use it."""

from __future__ import annotations

from typing import Any

import cocotb
from harness.machine import (
    ALLREDUCE,
    BARRIER,
    BROADCAST,
    GET,
    IRQ_ERROR,
    IRQ_MESSAGE,
    IRQ_MPE_DONE,
    IRQ_RMA_IDLE,
    MESSAGE,
    NO_PARENT,
    PUT,
    REDUCE,
    SLOT_BYTES,
    Slots,
)
from harness.packets import origin_word
from harness.runner import run
from tidings.generated.packets import Nack

from tidings.generated import registers as reg

NODES = 2
LATENCY = 5
QUEUE = 0x7000


def there(node: int) -> tuple[int, int]:
    """Return the address of the other node's slot."""
    return 1 - node, 0


async def _begin(dut: Any) -> Slots:
    slots = Slots(dut, NODES)
    await slots.begin()
    for node in range(NODES):
        slots.queue(node, QUEUE, 3)
        slots.region(node, 0, 0x4000, 0x2000)
        slots.tree_link(node, 0, there(node), 0)
    await slots.settle()
    return slots


@cocotb.test()
async def messages_cross_and_interrupt(dut: Any) -> None:
    slots = await _begin(dut)
    for node in range(NODES):
        slots.write(node, "irq_enable", IRQ_MESSAGE)
        slots.rma(node, MESSAGE, 0, there(node), 200)
        slots.rma(node, MESSAGE, 4, there(node), 1)
    await slots.wait_interrupt([0, 1])
    await slots.settle()
    for node in range(NODES):
        assert await slots.read(node, "rma_queue_tail") == 2
        mine, other = slots.memory[node].bytes, slots.memory[1 - node].bytes
        for at, local, length in ((QUEUE, 0, 200), (QUEUE + SLOT_BYTES, 4, 1)):
            assert slots.memory[node].word(at) == origin_word(*there(node), length)
            assert mine[at + 8 : at + 8 + length] == other[local : local + length]


@cocotb.test()
async def puts_and_gets_cross(dut: Any) -> None:
    slots = await _begin(dut)
    for node in range(NODES):
        slots.rma(node, PUT, 0x100, there(node), 2001, offset=0)
        slots.rma(node, GET, 0x2000, there(node), 2001, offset=0)
        slots.rma(node, PUT, 0x100, there(node), 4, offset=0x2000 - 4)
        slots.rma(node, PUT, 0x100, there(node), 5, offset=0x2000 - 4)
    await slots.settle()
    for node in range(NODES):
        mine, other = slots.memory[node].bytes, slots.memory[1 - node].bytes
        assert mine[0x4000 : 0x4000 + 2001] == other[0x100 : 0x100 + 2001]
        assert mine[0x2000 : 0x2000 + 2001] == mine[0x100 : 0x100 + 2001]
        assert mine[0x5FFC:0x6000] == other[0x100:0x104]
        assert await slots.read(node, "rma_completed") == 4
        assert await slots.read(node, "rma_unacknowledged") == 0
        assert await slots.read(node, "rma_error") == reg.RmaError(code=Nack.BOUNDS, node=1 - node).encode()
        assert await slots.read(node, "irq_status") == IRQ_ERROR | IRQ_RMA_IDLE


@cocotb.test()
async def a_word_takes_the_latency_of_the_link_to_the_neighbour(dut: Any) -> None:
    slots = await _begin(dut)
    left: list[int] = []
    written: list[int] = []

    def watch() -> None:
        if dut.flit_valid_o.value.to_unsigned():
            left.append(slots.cycle)
        if dut.memory_write_valid_o.value.to_unsigned() >> 1:
            written.append(slots.cycle)

    slots.every_cycle.append(watch)
    slots.rma(0, PUT, 0, there(0), 256)
    await slots.until(lambda: len(written) == 64)
    # Node 0 shows 67 flits, one a cycle. Each is in node 1's buffer LATENCY cycles later, moves to
    # the slot's buffer in one more, and payload is written from there.
    put = left[: 3 + 64]
    assert put[-1] - put[3] == 63
    assert written == [cycle + LATENCY + 1 for cycle in put[3:]]
    await slots.settle()


@cocotb.test()
async def collectives_complete_on_both_nodes(dut: Any) -> None:
    slots = await _begin(dut)
    words = 300
    for node in range(NODES):
        slots.write(node, "irq_enable", IRQ_MPE_DONE)
    for number, operation in enumerate((BARRIER, BROADCAST, REDUCE, ALLREDUCE)):
        count = 0 if operation == BARRIER else words
        for node, parent, children in ((0, NO_PARENT, 1), (1, 0, 0)):
            slots.collective(
                node, operation, parent, children, source=0, destination=0x2000, count=count, descriptor=operation
            )
        operands = [[slots.memory[node].word(4 * at) for at in range(words)] for node in range(NODES)]
        before = bytes(slots.memory[1].bytes[0x2000:0x4000])
        await slots.wait_interrupt([0, 1])
        await slots.settle()
        results = [[slots.memory[node].word(0x2000 + 4 * at) for at in range(words)] for node in range(NODES)]
        total = [(a + b) & 0xFFFF_FFFF for a, b in zip(*operands, strict=True)]
        if operation == BROADCAST:
            assert results[1] == operands[0]
        elif operation == REDUCE:
            assert results[0] == total
            assert slots.memory[1].bytes[0x2000:0x4000] == before
        elif operation == ALLREDUCE:
            assert results == [total, total]
        for node in range(NODES):
            assert await slots.read(node, "mpe_completed") == number + 1
            assert await slots.read(node, "mpe_error") == 0
            slots.write(node, "irq_status", IRQ_MPE_DONE)
        await slots.settle()


def test_machine() -> None:
    run(
        "machine_top",
        __file__,
        {"Radix": 2, "Wrap": 1, "LinkLatency": LATENCY},
        node={"dims": 1, "buffer_flits": 16},
    )
