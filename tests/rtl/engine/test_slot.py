# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`slot`: registers, interrupt line and engines, as two slots of one crossbar router use them."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from harness.machine import (
    ALLREDUCE,
    BARRIER,
    GET,
    IRQ_ERROR,
    IRQ_MESSAGE,
    IRQ_MPE_DONE,
    IRQ_RMA_DONE,
    IRQ_RMA_IDLE,
    MESSAGE,
    NO_PARENT,
    NOTIFY,
    PUT,
    SLOT_BYTES,
    Slots,
)
from harness.packets import origin_word
from harness.registers import elements
from harness.runner import run
from tidings.generated.packets import ENGINE_WINDOW, Engine, Nack

from tidings.generated import registers as reg

SLOTS = 2
HERE, THERE = (0, 0), (0, 1)


async def _begin(dut: Any) -> Slots:
    slots = Slots(dut, SLOTS)
    await slots.begin()
    return slots


#: Writing these does something; what they read as is a test of its own.
_NOT_MEMORY = ("irq_status", "rma_command", "mpe_command", "route")


@cocotb.test()
async def identity_address_and_sizes_can_be_read(dut: Any) -> None:
    slots = await _begin(dut)
    for slot in range(SLOTS):
        assert await slots.read(slot, "id") == reg.Id().encode() == int.from_bytes(b"TID1")
        assert await slots.read(slot, "address") == reg.Address(node=0, slot=slot).encode()
        sizes = reg.RmaSizes(regions=16, command_depth=8, message_words=64)
        assert await slots.read(slot, "rma_sizes") == sizes.encode()
        sizes_of_mpe = reg.MpeSizes(contexts=8, combine_ports=1, packet_words=64, wide_elements=True, links=8)
        assert await slots.read(slot, "mpe_sizes") == sizes_of_mpe.encode()
    assert await slots.read(0, "irq_status") == IRQ_RMA_IDLE


@cocotb.test()
async def a_register_keeps_what_was_written_and_no_other_changes(dut: Any) -> None:
    slots = await _begin(dut)
    built = await slots.read(0, "engines")
    masks = {
        name: sum(((1 << part.width) - 1) << part.lsb for part in register.FIELDS)
        for name, (register, at) in elements().items()
        if name not in _NOT_MEMORY and all(part.readable and part.writable for part in register.FIELDS)
        # What is below the first engine's window is everybody's.
        if at < ENGINE_WINDOW or built >> (at // ENGINE_WINDOW - 1) & 1
    }
    assert {"irq_enable", "rma_queue_head", "rma_remote", "mpe_link[7][7]", "rma_region_rights[15]"} <= set(masks)
    choice = random.Random(3)
    values = {name: choice.getrandbits(32) for name in masks}
    for name, value in values.items():
        slots.write(0, name, value)
    for name, mask in masks.items():
        assert await slots.read(0, name) == values[name] & mask, name
        assert await slots.read(1, name) == 0, name


@cocotb.test()
async def reads_are_answered_two_cycles_later_one_a_cycle_in_order(dut: Any) -> None:
    slots = await _begin(dut)
    for value in range(1, 9):
        slots.write(0, "rma_offset", value)
        slots.ask(0, "rma_offset")
    begin = slots.cycle
    await slots.step(20)
    # The first read is the second access; a read sees the write in the cycle before it.
    assert slots.answers[0] == [(begin + 1 + 2 * number + 2, number + 1) for number in range(8)]


@cocotb.test()
async def a_read_behind_a_command_sees_it_queued(dut: Any) -> None:
    slots = await _begin(dut)
    slots.region(1, 0, 0, 64)
    slots.rma(0, PUT, 0, THERE, 4)
    slots.ask(0, "irq_status")
    slots.ask(0, "rma_unacknowledged")
    await slots.settle()
    assert [word for _, word in slots.answers[0]] == [0, 1]
    assert await slots.read(0, "irq_status") == IRQ_RMA_IDLE


@cocotb.test()
async def a_message_goes_between_slots_and_interrupts(dut: Any) -> None:
    slots = await _begin(dut)
    slots.queue(1, 0x4000, 2)
    slots.write(1, "irq_enable", IRQ_MESSAGE)
    await slots.settle()
    for number in range(6):
        length = 20 + 37 * number
        slots.rma(0, MESSAGE, 0x100, THERE, length)
        assert not slots.interrupt[1]
        await slots.wait_interrupt([1])
        assert await slots.read(1, "irq_status") == IRQ_MESSAGE | IRQ_RMA_IDLE
        assert await slots.read(1, "rma_queue_tail") == number + 1
        at = 0x4000 + SLOT_BYTES * (number % 4)
        memory = slots.memory[1].bytes
        assert slots.memory[1].word(at) == origin_word(*HERE, length)
        assert memory[at + 8 : at + 8 + length] == slots.memory[0].bytes[0x100 : 0x100 + length]
        slots.write(1, "rma_queue_head", number + 1)
        await slots.settle()
    assert await slots.read(0, "rma_completed") == 6


@cocotb.test()
async def a_slot_reaches_itself(dut: Any) -> None:
    slots = await _begin(dut)
    slots.queue(0, 0x4000, 0)
    slots.region(0, 5, 0x2000, 0x400)
    slots.rma(0, MESSAGE, 0x10, HERE, 11)
    slots.rma(0, PUT, 0x100, HERE, 700, region=5, offset=8)
    slots.rma(0, GET, 0x1000, HERE, 333, region=5, offset=12)
    await slots.settle()
    memory = slots.memory[0].bytes
    assert memory[0x4008 : 0x4008 + 11] == memory[0x10 : 0x10 + 11]
    assert memory[0x2008 : 0x2008 + 700] == memory[0x100 : 0x100 + 700]
    assert memory[0x1000 : 0x1000 + 333] == memory[0x200C : 0x200C + 333]
    assert await slots.read(0, "irq_status") == IRQ_MESSAGE | IRQ_RMA_IDLE


@cocotb.test()
async def completion_interrupts_only_when_asked_and_until_cleared(dut: Any) -> None:
    slots = await _begin(dut)
    slots.region(1, 0, 0, 256)
    slots.write(0, "irq_enable", IRQ_RMA_DONE)
    slots.rma(0, PUT, 0, THERE, 8)
    await slots.settle()
    assert not slots.interrupt[0]
    slots.rma(0, PUT | NOTIFY, 0, THERE, 8)
    await slots.settle()
    assert slots.interrupt[0]
    slots.write(0, "irq_status", IRQ_ERROR | IRQ_MPE_DONE)
    await slots.settle()
    assert slots.interrupt[0]
    slots.write(0, "irq_status", IRQ_RMA_DONE)
    await slots.settle()
    assert not slots.interrupt[0]
    assert await slots.read(0, "irq_status") == IRQ_RMA_IDLE


@cocotb.test()
async def a_cause_that_arises_while_another_is_cleared_is_not_lost(dut: Any) -> None:
    slots = await _begin(dut)
    slots.region(1, 0, 0, 256)
    # Clear the error cause in each cycle in which the command may become complete.
    slots.rma(0, GET | NOTIFY, 0, THERE, 8)
    for _ in range(100):
        slots.write(0, "irq_status", IRQ_ERROR)
    await slots.settle()
    assert await slots.read(0, "irq_status") == IRQ_RMA_DONE | IRQ_RMA_IDLE


@cocotb.test()
async def a_refusal_is_an_error_with_its_origin(dut: Any) -> None:
    slots = await _begin(dut)
    slots.region(1, 2, 0x100, 64, rights=reg.RmaRegionRights(valid=True, read=True))
    slots.write(0, "irq_enable", IRQ_ERROR)
    slots.rma(0, PUT, 0, THERE, 8, region=2)
    await slots.settle()
    assert slots.interrupt[0]
    assert await slots.read(0, "rma_error") == reg.RmaError(code=Nack.RIGHTS, slot=1).encode()
    assert await slots.read(0, "irq_status") == IRQ_ERROR | IRQ_RMA_IDLE
    slots.write(0, "rma_error", 0xFFFF_FFFF ^ reg.RmaError(clear=True).encode())
    await slots.settle()
    assert await slots.read(0, "rma_error") == reg.RmaError(code=Nack.RIGHTS, slot=1).encode()
    slots.write(0, "rma_error", reg.RmaError(clear=True).encode())
    slots.ask(0, "rma_error")
    slots.write(0, "irq_status", IRQ_ERROR)
    await slots.settle()
    assert slots.answers[0][-1][1] == 0
    assert not slots.interrupt[0]


@cocotb.test()
async def each_right_of_a_region_is_its_own(dut: Any) -> None:
    slots = await _begin(dut)
    for rights, put_refused, get_refused in (
        (reg.RmaRegionRights(valid=True, read=True, write=True), Nack.NONE, Nack.NONE),
        (reg.RmaRegionRights(valid=True, read=True), Nack.RIGHTS, Nack.NONE),
        (reg.RmaRegionRights(valid=True, write=True), Nack.NONE, Nack.RIGHTS),
        (reg.RmaRegionRights(valid=True), Nack.RIGHTS, Nack.RIGHTS),
        (reg.RmaRegionRights(read=True, write=True), Nack.NOT_REGISTERED, Nack.NOT_REGISTERED),
    ):
        slots.region(1, 2, 0x100, 64, rights=rights)
        for operation, refused in ((PUT, put_refused), (GET, get_refused)):
            slots.write(0, "rma_error", reg.RmaError(clear=True).encode())
            slots.rma(0, operation, 0, THERE, 8, region=2)
            await slots.settle()
            assert reg.RmaError.decode(await slots.read(0, "rma_error")).code == refused


@cocotb.test()
async def a_barrier_completes_on_both_sides(dut: Any) -> None:
    slots = await _begin(dut)
    slots.tree_link(0, 2, THERE, 5)
    slots.tree_link(1, 5, HERE, 2)
    for slot in range(SLOTS):
        slots.write(slot, "irq_enable", IRQ_MPE_DONE)
    for number in range(3):
        slots.collective(1, BARRIER, parent=5, children=0, descriptor=77 + number)
        await slots.settle()
        assert not any(slots.interrupt)
        slots.collective(0, BARRIER, parent=NO_PARENT, children=1 << 2, descriptor=77 + number)
        await slots.wait_interrupt([0, 1])
        for slot in range(SLOTS):
            assert await slots.read(slot, "mpe_completed") == number + 1
            assert await slots.read(slot, "mpe_error") == 0
            slots.write(slot, "irq_status", IRQ_MPE_DONE)
        await slots.settle()


@cocotb.test()
async def both_engines_share_memory_and_network(dut: Any) -> None:
    slots = await _begin(dut)
    slots.tree_link(0, 0, THERE, 0)
    slots.tree_link(1, 0, HERE, 0)
    words = 600
    for slot in range(SLOTS):
        slots.region(slot, 0, 0x4000, 0x2000)
    await slots.settle()
    for slot, parent, children in ((0, NO_PARENT, 1), (1, 0, 0)):
        slots.collective(slot, ALLREDUCE, parent, children, source=0, destination=0x3000, count=words, descriptor=9)
        slots.rma(slot, PUT, 0x1000, (0, 1 - slot), 3000, offset=0)
        slots.rma(slot, GET, 0x2000, (0, 1 - slot), 2000, offset=0x1000)
    operands = [[slots.memory[slot].word(4 * at) for at in range(words)] for slot in range(SLOTS)]
    await slots.settle()
    for slot in range(SLOTS):
        mine, other = slots.memory[slot].bytes, slots.memory[1 - slot].bytes
        assert mine[0x4000 : 0x4000 + 3000] == other[0x1000 : 0x1000 + 3000]
        assert mine[0x2000 : 0x2000 + 2000] == other[0x5000 : 0x5000 + 2000]
        for at, (a, b) in enumerate(zip(*operands, strict=True)):
            assert int.from_bytes(mine[0x3000 + 4 * at : 0x3004 + 4 * at], "little") == (a + b) & 0xFFFF_FFFF
        assert await slots.read(slot, "mpe_completed") == 1
        assert await slots.read(slot, "rma_completed") == 2


@cocotb.test()
async def each_of_sixteen_slots_has_registers_of_its_own(dut: Any) -> None:
    count = 16
    slots = Slots(dut, count)
    await slots.begin()
    for slot in range(count):
        slots.write(slot, "rma_queue_base", 0x1000 + slot)
    for slot in range(count):
        assert await slots.read(slot, "address") == reg.Address(node=0, slot=slot).encode()
        assert await slots.read(slot, "rma_queue_base") == 0x1000 + slot


@cocotb.test()
async def an_engine_that_is_not_there_reads_zero_and_a_write_to_it_is_an_error(dut: Any) -> None:
    slots = Slots(dut, 16)  # of the machine with as many
    await slots.begin()
    for slot in (0, 15):
        assert await slots.read(slot, "engines") == 1 << Engine.RMA
        assert await slots.read(slot, "mpe_sizes") == await slots.read(slot, "stream_sizes") == 0
        assert await slots.read(slot, "irq_status") == IRQ_RMA_IDLE
        slots.write(slot, "mpe_command", 0)
        await slots.settle()
        assert await slots.read(slot, "irq_status") == IRQ_ERROR | IRQ_RMA_IDLE


@cocotb.test()
async def slots_beyond_the_numbers_have_addresses_that_packets_and_barriers_reach(dut: Any) -> None:
    count = 18
    slots = Slots(dut, count)
    await slots.begin()
    places = [divmod(slot, 16) for slot in range(count)]
    for slot, (node, number) in enumerate(places):
        assert await slots.read(slot, "address") == reg.Address(node=node, slot=number).encode()
    for source, target in ((0, 17), (17, 1), (16, 2), (1, 16)):
        slots.queue(target, 0x4000, 2)
        slots.region(target, 5, 0x2000, 0x400)
        length = 20 + source
        slots.rma(source, MESSAGE, 0x100, places[target], length)
        slots.rma(source, GET, 0x1000, places[target], 64, region=5, offset=8)
        await slots.settle()
        there, here = slots.memory[target], slots.memory[source].bytes
        assert there.word(0x4000) == origin_word(*places[source], length)
        assert there.bytes[0x4008 : 0x4008 + length] == here[0x100 : 0x100 + length]
        assert here[0x1000:0x1040] == there.bytes[0x2008:0x2048]
    for slot in range(count):
        mates = ((1 << count) - 1) & ~(1 << slot)
        slots.write(slot, "barrier_far_mates[0]", reg.BarrierFarMates(slots=mates >> 16).encode())
        slots.write(slot, "barrier_group[4]", reg.BarrierGroup(member=True, mates=mates & 0xFFFF).encode())
    await slots.settle()
    for slot in range(count):
        status = reg.BarrierStatus.decode(await slots.read(17 - slot, "barrier_status"))
        assert status.done == 0, "released before all were there"
        slots.write(slot, "barrier_arrive", 1 << 4)
        await slots.settle()
    for slot in range(count):
        assert await slots.read(slot, "barrier_status") == reg.BarrierStatus(done=1 << 4).encode()


def test_slot() -> None:
    node = {"dims": 0, "dateline": 0, "num_slots": SLOTS}
    run("machine_top", __file__, {"Wrap": 0}, node=node, test_filter=r"^(?!.*(sixteen|not_there|beyond))")


def test_sixteen_slots() -> None:
    node = {"dims": 0, "dateline": 0, "num_slots": 16, "mpe_slots": 0}
    run("machine_top", __file__, {"Wrap": 0}, node=node, test_filter="sixteen|not_there")


def test_more_than_sixteen_slots() -> None:
    node = {
        "dims": 0,
        "dateline": 0,
        "num_slots": 18,
        "mpe_slots": 0,
        "barrier_slots": (1 << 18) - 1,
        "crosspoint": 1,
        "num_routes": 0,
    }
    run("machine_top", __file__, {"Wrap": 0}, node=node, test_filter="beyond")
