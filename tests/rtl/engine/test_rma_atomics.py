# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`rma` with atomic accesses: as the side that asks, and as the side that changes its memory."""

from __future__ import annotations

import itertools
from typing import Any

import cocotb
from harness.memory import bytes_of, words_of
from harness.packets import Kind, Packet
from harness.runner import run
from rma_bench import NODE, PEER, PEER_SLOT, SLOT, Bench, Command, Nack, Region, RmaOperation
from tidings.generated.packets import Atomic, AtomicLength, GetInfo, GetReplyInfo, NackInfo, PutInfo

BASE, LENGTH = 0x1000, 0x40
UNKNOWN = [code for code in range(16) if code not in {int(known) for known in Atomic}]


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def changed(operation: Atomic, old: int, operand: int, compare: int, size: int) -> int:
    """Return what an atomic access leaves behind."""
    bits = 8 * size
    keys = {
        Atomic.MIN: lambda value: _signed(value, bits),
        Atomic.MAX: lambda value: -_signed(value, bits),
        Atomic.MIN_UNSIGNED: lambda value: value,
        Atomic.MAX_UNSIGNED: lambda value: -value,
    }
    if operation in keys:
        return min(old, operand, key=keys[operation])
    results = {
        Atomic.FETCH: old,
        Atomic.ADD: old + operand,
        Atomic.AND: old & operand,
        Atomic.OR: old | operand,
        Atomic.XOR: old ^ operand,
        Atomic.SWAP: operand,
        Atomic.COMPARE_SWAP: operand if old == compare else old,
    }
    return results[operation] & ((1 << bits) - 1)


def operands(operation: Atomic, size: int, operand: int, compare: int) -> bytes:
    """Return the operands of an access, as they lie in memory and follow the offset."""
    values = (operand, compare) if operation == Atomic.COMPARE_SWAP else (operand,)
    return b"".join(value.to_bytes(size, "little") for value in values)


def _packet(length: int, offset: int, body: bytes, number: int = 0, region: int = 3) -> Packet:
    info = GetInfo(atomic=True, number=number, region=region).encode()
    return Packet(
        Kind.GET, NODE, SLOT, PEER, PEER_SLOT, info=info, length=length, body=(offset & 0xFFFF_FFFF, *words_of(body))
    )


def _length(operation: int, size: int, reserved: int = 0) -> int:
    return reserved << 8 | operation << 4 | size


def _value(value: int, size: int, number: int) -> Packet:
    info = GetReplyInfo(number=number, last=True).encode()
    body = words_of(value.to_bytes(size, "little"))
    return Packet(Kind.GET_REPLY, PEER, PEER_SLOT, NODE, SLOT, info=info, length=size, body=body)


def _draw(bench: Bench, size: int, *others: int) -> int:
    """Return a number, often one at the end of a range or one that is there already."""
    bits = 8 * size
    edges = [0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 0xFFFF_FFFF, *others]
    return bench.choice.choice([bench.choice.getrandbits(bits), bench.choice.choice(edges)]) & ((1 << bits) - 1)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.4])
async def each_operation_changes_memory_and_answers_with_what_was_there(
    dut: Any, idle: float, backpressure: float
) -> None:
    bench = Bench(dut, idle=idle, backpressure=backpressure, latency=1 if not idle else range(1, 12))
    bench.regions[3] = Region(BASE + 4, LENGTH)
    await bench.begin()
    expected = bytearray(bench.memory.bytes)
    answers = []
    for operation, size in itertools.chain(itertools.product(Atomic, (4, 8)), [(None, 0)] * 300):
        chosen = operation if operation is not None else bench.choice.choice(list(Atomic))
        width = size or bench.choice.choice((4, 8))
        offset = width * bench.choice.randrange(2)
        at = slice(BASE + 4 + offset, BASE + 4 + offset + width)
        old = int.from_bytes(expected[at], "little")
        compare = _draw(bench, width, old)
        operand = _draw(bench, width, old)
        number = bench.choice.randrange(8)
        bench.send(_packet(_length(chosen, width), offset, operands(chosen, width, operand, compare), number))
        expected[at] = changed(chosen, old, operand, compare, width).to_bytes(width, "little")
        answers.append(_value(old, width, number))
        if bench.choice.random() < 0.2:
            await bench.settle()
    await bench.settle()
    assert bench.memory.bytes == expected
    assert bench.replies == answers


@cocotb.test()
@cocotb.parametrize(backpressure=[0.0, 0.4])
async def puts_and_gets_beside_atomic_accesses_are_before_or_after_them(dut: Any, backpressure: float) -> None:
    bench = Bench(dut, backpressure=backpressure, latency=range(1, 12))
    bench.regions[3] = Region(BASE, LENGTH)
    await bench.begin()
    memory = bytearray(bench.memory.bytes[BASE : BASE + LENGTH])
    # Answers come from two places, so those of one number alone are in order.
    answers: dict[int, list[int]] = {number: [] for number in range(8)}
    gets = False
    for number in range(300):
        kind = bench.choice.choice(("put", "get", "get", "atomic", "atomic"))
        if kind == "put":
            if gets:  # these may be answered behind a PUT that follows them
                await bench.settle()
            payload = bench.choice.randbytes(4)
            memory[:4] = payload
            info = PutInfo(word=True, last=3, ack=True, region=3).encode()
            bench.send(Packet(Kind.PUT, NODE, SLOT, PEER, PEER_SLOT, info=info, length=0, body=words_of(payload)))
            continue
        answers[number % 8].append(int.from_bytes(memory[:8], "little"))
        gets = kind == "get"
        if gets:
            info = GetInfo(number=number % 8, region=3).encode()
            bench.send(Packet(Kind.GET, NODE, SLOT, PEER, PEER_SLOT, info=info, length=8, body=(0,)))
        else:
            bench.send(_packet(_length(Atomic.ADD, 8), 0, (1 << 31).to_bytes(8, "little"), number % 8))
            value = int.from_bytes(memory[:8], "little") + (1 << 31) & (1 << 64) - 1
            memory[:8] = value.to_bytes(8, "little")
    await bench.settle()
    assert bench.memory.bytes[BASE : BASE + LENGTH] == memory
    got: dict[int, list[int]] = {number: [] for number in range(8)}
    for reply in bench.replies:
        if reply.kind == Kind.GET_REPLY:
            number = GetReplyInfo.decode(reply.info).number
            got[number].append(int.from_bytes(bytes_of(reply.body, 8), "little"))
    assert got == answers


@cocotb.test()
async def a_fetch_and_add_takes_six_cycles_and_its_answer_comes_in_its_seventh(dut: Any) -> None:
    bench = Bench(dut, latency=1)
    bench.regions[3] = Region(BASE, LENGTH)
    await bench.begin()
    begin = bench.cycle
    for number in range(20):
        bench.send(_packet(_length(Atomic.ADD, 4), 0, (1).to_bytes(4, "little"), number % 8))
    await bench.settle()
    heads = [cycle - begin for kind, cycle, flit in bench.sent if kind == "reply"][::3]
    assert heads == [6 + 6 * number for number in range(20)]


@cocotb.test()
async def an_atomic_access_needs_both_rights_bounds_and_alignment(dut: Any) -> None:
    bench = Bench(dut, latency=1)
    bench.regions[0] = Region(BASE, LENGTH, readable=False)
    bench.regions[1] = Region(BASE, LENGTH, writable=False)
    bench.regions[2] = Region(BASE, LENGTH, routes=True)
    bench.regions[3] = Region(BASE, LENGTH)
    await bench.begin()
    before = bytes(bench.memory.bytes)
    add4, add8 = _length(Atomic.ADD, 4), _length(Atomic.ADD, 8)
    refused = [
        (_packet(add4, 0, bytes(4), 5, region=0), Nack.RIGHTS),
        (_packet(add4, 0, bytes(4), 5, region=1), Nack.RIGHTS),
        (_packet(add4, 0, bytes(4), 5, region=2), Nack.RIGHTS),
        (_packet(add4, 0, bytes(4), 5, region=4), Nack.NOT_REGISTERED),
        (_packet(add4, LENGTH, bytes(4), 5), Nack.BOUNDS),
        (_packet(add8, LENGTH, bytes(8), 5), Nack.BOUNDS),
        (_packet(add4, 0xFFFF_FFFC, bytes(4), 5), Nack.BOUNDS),
        (_packet(add4, 2, bytes(4), 5), Nack.BAD_PACKET),
        (_packet(add8, 4, bytes(8), 5), Nack.BAD_PACKET),
        (_packet(_length(Atomic.ADD, 12), 0, bytes(12), 5), Nack.BAD_PACKET),
        (_packet(_length(Atomic.ADD, 2), 0, bytes(4), 5), Nack.BAD_PACKET),
        (_packet(_length(Atomic.ADD, 4, reserved=1), 0, bytes(4), 5), Nack.BAD_PACKET),
        *((_packet(_length(code, 4), 0, bytes(4), 5), Nack.BAD_PACKET) for code in UNKNOWN),
        (_packet(add4, 0, bytes(0), 5), Nack.BAD_PACKET),
        (_packet(add8, 0, bytes(4), 5), Nack.BAD_PACKET),
        (_packet(add4, 0, bytes(8), 5), Nack.BAD_PACKET),
        (_packet(_length(Atomic.COMPARE_SWAP, 8), 0, bytes(12), 5), Nack.BAD_PACKET),
        (_packet(_length(Atomic.COMPARE_SWAP, 4), 0, bytes(12), 5), Nack.BAD_PACKET),
    ]
    for packet, _ in refused:
        bench.send(packet)
    bench.send(_packet(add8, LENGTH - 8, bytes(8), 6))
    await bench.settle()
    codes = [NackInfo(number=5, get=True, code=code).encode() for _, code in refused]
    assert [reply.info for reply in bench.replies[:-1]] == codes
    assert bench.replies[-1].kind == Kind.GET_REPLY
    assert bytes(bench.memory.bytes) == before


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.4])
async def operands_come_from_memory_and_the_old_value_takes_their_place(
    dut: Any, idle: float, backpressure: float
) -> None:
    bench = Bench(dut, idle=idle, backpressure=backpressure, latency=range(1, 12))
    await bench.begin()
    expected = bytearray(bench.memory.bytes)
    values = []

    def answer(packet: Packet) -> None:
        access = AtomicLength.decode(packet.length)
        value = bench.choice.getrandbits(8 * access.bytes)
        values.append(value)
        bench.send(
            Packet(
                Kind.GET_REPLY,
                NODE,
                SLOT,
                PEER,
                PEER_SLOT,
                info=GetReplyInfo(number=GetInfo.decode(packet.info).number, last=True).encode(),
                length=access.bytes,
                body=words_of(value.to_bytes(access.bytes, "little")),
            )
        )

    bench.on_request = answer
    asked = []
    for number in range(100):
        operation, size = bench.choice.choice(list(Atomic)), bench.choice.choice((4, 8))
        local, offset = 16 * number, 8 * bench.choice.randrange(1 << 20)
        length = len(operands(operation, size, 0, 0))
        asked.append((local, size, _length(operation, size), offset, bytes(expected[local : local + length])))
        bench.command(
            Command(RmaOperation.ATOMIC, local, _length(operation, size), region=9, offset=offset, notify=True)
        )
        if number % 8 == 7:
            await bench.until(lambda done=number + 1: bench.completed == done)
    await bench.until(lambda: bench.completed == len(asked))
    await bench.settle()
    for (local, size, _, _, _), value in zip(asked, values, strict=True):
        expected[local : local + size] = value.to_bytes(size, "little")
    assert [(packet.length, packet.body[0], packet.body[1:]) for packet in bench.requests] == [
        (length, offset, words_of(body)) for _, _, length, offset, body in asked
    ]
    assert all(GetInfo.decode(packet.info).atomic for packet in bench.requests)
    assert bench.memory.bytes == expected
    assert bench.notices == len(asked)
    assert bench.error[0] == Nack.NONE


@cocotb.test()
async def a_command_that_is_no_atomic_access_is_refused_at_once(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    add4, add8 = _length(Atomic.ADD, 4), _length(Atomic.ADD, 8)
    commands = [
        *(Command(RmaOperation.ATOMIC, 0, _length(code, 4)) for code in UNKNOWN),
        Command(RmaOperation.ATOMIC, 0, 0),
        Command(RmaOperation.ATOMIC, 0, _length(Atomic.ADD, 12)),
        Command(RmaOperation.ATOMIC, 0, add4 | 1 << 16),
        Command(RmaOperation.ATOMIC, 0, add4 | 1 << 8),
        Command(RmaOperation.ATOMIC, 2, add4),
        Command(RmaOperation.ATOMIC, 0, add4, offset=2),
        Command(RmaOperation.ATOMIC, 0, add8, offset=4),
        Command(RmaOperation.ATOMIC, 0, add4, static_route=True),
    ]
    for command in commands:
        bench.command(command)
    await bench.until(lambda: bench.completed == len(commands))
    await bench.settle()
    assert not bench.requests
    assert bench.failures == len(commands)
    assert bench.error == (Nack.BAD_PACKET, NODE, SLOT)


def test_rma_atomics() -> None:
    run("rma", __file__, node={"rma_atomics": 1})
