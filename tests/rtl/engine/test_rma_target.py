# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`rma` as the side that answers: registered regions, the receive queue, acknowledgements and refusals."""

from __future__ import annotations

from typing import Any

import cocotb
from harness.machine import SLOT_BYTES
from harness.memory import bytes_of, words_of
from harness.packets import Kind, Packet, origin_word
from harness.runner import built, run
from rma_bench import (
    MESSAGE_BYTES,
    NODE,
    PACKET_BYTES,
    PEER,
    PEER_SLOT,
    SLOT,
    Bench,
    Command,
    Nack,
    Region,
    RmaOperation,
)
from tidings.generated.packets import GetInfo, GetReplyInfo, Header0, Header1, NackInfo, PutInfo

LENGTHS = [*range(1, 71), 127, 128, 252, 255, 256]
LENGTH_WIDTH = next(field.width for field in Header1.FIELDS if field.name == "length")


def _request(kind: Kind, info: int, length: int, body: tuple[int, ...]) -> Packet:
    return Packet(kind, NODE, SLOT, PEER, PEER_SLOT, info=info, length=length, body=body)


def put(region: int, offset: int, payload: bytes, *, ack: bool = False) -> Packet:
    """Return a PUT packet."""
    body = (offset & 0xFFFF_FFFF, *words_of(payload))
    return _request(Kind.PUT, PutInfo(ack=ack, region=region).encode(), len(payload), body)


def put_word(region: int, offset: int, payload: bytes, *, ack: bool = False) -> Packet:
    """Return a PUT packet of one word."""
    info = PutInfo(word=True, last=len(payload) - 1, ack=ack, region=region)
    return _request(Kind.PUT, info.encode(), offset // 4, words_of(payload))


def get(region: int, offset: int, length: int, number: int = 0) -> Packet:
    """Return a GET packet."""
    length &= 0xFFFF_FFFF
    info = GetInfo(number=number, region=region).encode()
    if 0 < length < 1 << LENGTH_WIDTH:
        return _request(Kind.GET, info, length, (offset & 0xFFFF_FFFF,))
    return _request(Kind.GET, info, 0, (offset & 0xFFFF_FFFF, length))


def message(payload: bytes) -> Packet:
    """Return a Message packet."""
    return _request(Kind.MESSAGE, 0, len(payload), words_of(payload))


def _queue(bench: Bench, base: int, log2: int) -> None:
    bench.queue_base, bench.queue_log2, bench.queue_valid = base, log2, True


def _nack(bench: Bench, code: Nack, *, get: bool = False, put: bool = False, number: int = 0) -> None:
    """Check that the last reply is this Nack."""
    reply = bench.replies[-1]
    assert reply == Packet(
        Kind.NACK, PEER, PEER_SLOT, NODE, SLOT, info=NackInfo(number=number, put=put, get=get, code=Nack(code)).encode()
    ), f"{reply} is not a Nack for {code!r}"


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.4])
async def a_put_of_any_length_writes_exactly_its_bytes(dut: Any, idle: float, backpressure: float) -> None:
    bench = Bench(dut, idle=idle, backpressure=backpressure)
    bench.regions[3] = Region(0x1000, 0x2000, readable=False)
    await bench.begin()
    expected = bytearray(bench.memory.bytes)
    acknowledged = 0
    for length in LENGTHS:
        payload = bench.choice.randbytes(length)
        offset = 4 * bench.choice.randrange((0x2000 - length) // 4)
        ack = bench.choice.random() < 0.5
        acknowledged += ack
        expected[0x1000 + offset : 0x1000 + offset + length] = payload
        bench.send(put(3, offset, payload, ack=ack))
        if bench.choice.random() < 0.5:  # the others follow one another without a gap
            await bench.settle()
            assert bench.memory.bytes == expected
    await bench.settle()
    assert bench.memory.bytes == expected
    assert bench.replies == [Packet(Kind.PUT_ACK, PEER, PEER_SLOT, NODE)] * acknowledged


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.4])
async def a_put_of_one_word_writes_exactly_its_bytes(dut: Any, idle: float, backpressure: float) -> None:
    bench = Bench(dut, idle=idle, backpressure=backpressure)
    bench.regions[3] = Region(0x1000, 0x1003)
    await bench.begin()
    expected = bytearray(bench.memory.bytes)
    answers = []
    for _ in range(100):
        payload = bench.choice.randbytes(bench.choice.randrange(1, 5))
        offset = bench.choice.choice([0, 0x40, 0xFFC, 0x1000, 0x1004, 0x3_FFFC])
        allowed = offset + len(payload) <= 0x1003
        if allowed:
            expected[0x1000 + offset : 0x1000 + offset + len(payload)] = payload
        answers.append(Kind.PUT_ACK if allowed else Kind.NACK)
        bench.send(put_word(3, offset, payload, ack=True))
    await bench.settle()
    assert bench.memory.bytes == expected
    assert [reply.kind for reply in bench.replies] == answers


@cocotb.test()
async def words_are_written_and_acknowledged_one_packet_every_three_cycles(dut: Any) -> None:
    bench = Bench(dut)
    bench.regions[0] = Region(0, 0x1000)
    await bench.begin()
    for number in range(50):
        bench.send(put_word(0, 4 * number, b"abcd", ack=True))
    begin = bench.cycle
    await bench.until(lambda: not bench._to_send["request"])
    assert bench.cycle - begin == 50 * 3
    await bench.settle()
    assert bench.replies == [Packet(Kind.PUT_ACK, PEER, PEER_SLOT, NODE)] * 50


@cocotb.test()
async def requests_wait_while_answers_do(dut: Any) -> None:
    bench = Bench(dut)
    bench.regions[0] = Region(0, 0x1000)
    await bench.begin()
    bench.hold_replies = True
    for number in range(8):
        bench.send(put_word(0, 4 * number, b"abcd", ack=True))
    await bench.step(100)
    assert len(bench.memory.writes) == 2
    bench.hold_replies = False
    await bench.settle()
    assert (len(bench.memory.writes), len(bench.replies)) == (8, 8)


@cocotb.test()
async def a_refused_get_says_which_it_was(dut: Any) -> None:
    bench = Bench(dut)
    bench.regions[0] = Region(0, 64)
    await bench.begin()
    for number in range(8):
        bench.send(get(0, 64, 4, number))
        await bench.settle()
        _nack(bench, Nack.BOUNDS, get=True, number=number)


@cocotb.test()
async def an_acknowledgement_comes_after_the_last_write(dut: Any) -> None:
    bench = Bench(dut, backpressure=0.5)
    bench.regions[0] = Region(0, 0x1000)
    await bench.begin()
    for _ in range(20):
        payload = bench.choice.randbytes(20)
        bench.send(put(0, 0, payload, ack=True))
        seen = len(bench.replies)
        await bench.until(lambda seen=seen: len(bench.replies) > seen)
        assert bench.memory.bytes[:20] == payload


@cocotb.test()
@cocotb.parametrize(backpressure=[0.0, 0.4])
async def a_get_is_answered_in_packets_that_name_their_place(dut: Any, backpressure: float) -> None:
    bench = Bench(dut, idle=backpressure, backpressure=backpressure, latency=range(1, 12))
    bench.regions[15] = Region(0x2000, 0x1000, writable=False)
    await bench.begin()
    for number, length in enumerate([*LENGTHS, 257, 511, 512, 513, 700, 768]):
        offset = 4 * bench.choice.randrange((0x1000 - length) // 4)
        first = len(bench.replies)
        bench.send(get(15, offset, length, number % 8))
        await bench.settle()
        packets = bench.replies[first:]
        assert len(packets) == -(-length // PACKET_BYTES)
        for at, packet in zip(range(0, length, PACKET_BYTES), packets, strict=True):
            size = min(PACKET_BYTES, length - at)
            begin = 0x2000 + offset + at
            assert (packet.kind, packet.dst_node, packet.dst_slot) == (Kind.GET_REPLY, PEER, PEER_SLOT)
            assert (packet.src_node, packet.src_slot) == (NODE, SLOT)
            assert GetReplyInfo.decode(packet.info) == GetReplyInfo(number=number % 8, last=at + size == length)
            assert packet.length == size
            assert bytes_of(packet.body, size) == bench.memory.bytes[begin : begin + size]
    assert not bench.memory.writes


@cocotb.test()
async def replies_to_a_get_leave_one_word_a_cycle(dut: Any) -> None:
    bench = Bench(dut, latency=8)
    bench.regions[0] = Region(0, 0x1000)
    await bench.begin()
    bench.send(get(0, 0, 3 * PACKET_BYTES))
    await bench.settle()
    cycles = [cycle for direction, cycle, _ in bench.sent if direction == "reply"]
    assert len(cycles) == 3 * (2 + 64)
    assert cycles[2:] == list(range(cycles[2], cycles[2] + len(cycles) - 2))


@cocotb.test()
async def a_put_is_taken_one_word_a_cycle(dut: Any) -> None:
    bench = Bench(dut)
    bench.regions[0] = Region(0, 0x1000)
    await bench.begin()
    for number in range(4):
        bench.send(put(0, 256 * number, bench.choice.randbytes(256)))
    begin = bench.cycle
    await bench.until(lambda: not bench._to_send["request"])
    assert bench.cycle - begin == 4 * (3 + 64)


# (base, length, offset, bytes, refused): the edges of a region, and sums that would wrap around.
BOUNDS = [
    (0x1000, 100, 0, 100, Nack.NONE),
    (0x1000, 100, 96, 4, Nack.NONE),
    (0x1000, 100, 0, 101, Nack.BOUNDS),
    (0x1000, 100, 96, 5, Nack.BOUNDS),
    (0x1000, 100, 100, 1, Nack.BOUNDS),
    (0x1000, 99, 96, 4, Nack.BOUNDS),
    (0x1000, 99, 96, 3, Nack.NONE),
    (0x1000, 100, -4, 4, Nack.BOUNDS),
    (0x1000, 100, -4, 8, Nack.BOUNDS),
    (0x1000, 100, -0x1000, 4, Nack.BOUNDS),
    (0x1000, 100, 0x8000_0000, 4, Nack.BOUNDS),
    (0x1000, 0, 0, 1, Nack.BOUNDS),
    (0x1000, 0xFFFF_FFFF, 0, 256, Nack.NONE),
    (0x1000, 0xFFFF_FFFF, 0xFFFF_F000, 4, Nack.BOUNDS),
    (0x1000, 0xFFFF_FFFF, 0xFFFF_EFFC, 8, Nack.BOUNDS),
    (0xFFFF_FFF0, 0x100, 0x10, 4, Nack.BOUNDS),
    (0xFFFF_FFF0, 0x100, 0x0C, 8, Nack.BOUNDS),
    (0x1000, 100, 2, 4, Nack.BAD_PACKET),
    (0x1001, 100, 0, 100, Nack.NONE),
]


@cocotb.test()
async def nothing_outside_a_region_is_written(dut: Any) -> None:
    bench = Bench(dut, idle=0.1, backpressure=0.1)
    await bench.begin()
    for base, length, offset, size, refused in BOUNDS:
        bench.regions[7] = Region(base, length)
        await bench.step()
        expected = bytearray(bench.memory.bytes)
        payload = bench.choice.randbytes(size)
        if refused == Nack.NONE:
            begin = (base & ~3) + offset
            expected[begin : begin + size] = payload
        seen = len(bench.replies)
        bench.send(put(7, offset, payload, ack=True))
        await bench.settle()
        assert bench.memory.bytes == expected, (hex(base), length, offset, size)
        assert len(bench.replies) == seen + 1
        if refused == Nack.NONE:
            assert bench.replies[-1].kind == Kind.PUT_ACK
        else:
            _nack(bench, refused, put=True)


@cocotb.test()
async def nothing_outside_a_region_is_read(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    for base, length, offset, size, refused in [
        *BOUNDS,
        (0x1000, 100, 4, 0xFFFF_FFFC, Nack.BOUNDS),
        (0x1000, 100, 4, 0xFFFF_FFFF, Nack.BOUNDS),
        (0x1000, 100, 0, 0, Nack.BAD_PACKET),
    ]:
        bench.regions[7] = Region(base, length)
        await bench.step()
        seen = len(bench.replies)
        bench.send(get(7, offset, size))
        await bench.settle()
        if refused == Nack.NONE:
            assert sum(packet.length for packet in bench.replies[seen:]) == size
            assert {packet.kind for packet in bench.replies[seen:]} == {Kind.GET_REPLY}
        else:
            assert len(bench.replies) == seen + 1
            _nack(bench, refused, get=True)


@cocotb.test()
async def rights_are_kept_and_a_deregistered_region_is_closed(dut: Any) -> None:
    bench = Bench(dut)
    rows = built("rma_regions")
    bench.regions = {
        0: Region(0, 64, readable=False),
        1: Region(0, 64, writable=False),
        2: Region(0, 64, valid=False),
    }
    await bench.begin()
    before = bytes(bench.memory.bytes)
    for packet, code in [
        (put(1, 0, b"abcd", ack=True), Nack.RIGHTS),
        (put(2, 0, b"abcd", ack=True), Nack.NOT_REGISTERED),
        (put(rows, 0, b"abcd", ack=True), Nack.NOT_REGISTERED),
        (put(255, 0, b"abcd", ack=True), Nack.NOT_REGISTERED),
        (put(1, 0, b"abcd"), Nack.RIGHTS),
        (put_word(1, 0, b"abcd", ack=True), Nack.RIGHTS),
        (put_word(2, 0, b"abcd"), Nack.NOT_REGISTERED),
    ]:
        bench.send(packet)
        await bench.settle()
        _nack(bench, code, put=PutInfo.decode(packet.info).ack)
    for region, code in [(0, Nack.RIGHTS), (2, Nack.NOT_REGISTERED), (rows, Nack.NOT_REGISTERED)]:
        bench.send(get(region, 0, 4))
        await bench.settle()
        _nack(bench, code, get=True)
    assert bench.memory.bytes == before

    bench.regions[0] = Region(0, 64)
    await bench.step()
    bench.send(put(0, 0, b"abcd", ack=True))
    await bench.settle()
    assert bench.replies[-1].kind == Kind.PUT_ACK
    bench.send(put(rows, 0, b"wxyz", ack=True))  # right behind a row that would allow it
    await bench.settle()
    _nack(bench, Nack.NOT_REGISTERED, put=True)
    bench.regions[0] = Region(0, 64, valid=False)
    await bench.step()
    bench.send(put(0, 0, b"wxyz", ack=True))
    await bench.settle()
    _nack(bench, Nack.NOT_REGISTERED, put=True)
    assert bench.memory.bytes[:4] == b"abcd"


@cocotb.test()
async def a_refused_packet_is_taken_off_and_the_next_is_served(dut: Any) -> None:
    bench = Bench(dut, idle=0.3, backpressure=0.3)
    bench.regions[0] = Region(0x100, 256)
    await bench.begin()
    for _ in range(10):
        payload = bench.choice.randbytes(256)
        bench.send(put(0, 4, bench.choice.randbytes(256), ack=True))
        bench.send(put(0, 0, payload, ack=True))
        bench.send(get(0, 256, 4))
        bench.send(get(0, 252, 4))
        await bench.settle()
        assert bench.memory.bytes[0x100:0x200] == payload
    assert [packet.kind for packet in bench.replies] == [Kind.NACK, Kind.PUT_ACK, Kind.NACK, Kind.GET_REPLY] * 10


@cocotb.test()
@cocotb.parametrize(backpressure=[0.0, 0.4])
async def messages_fill_the_ring_in_order_and_wrap_around(dut: Any, backpressure: float) -> None:
    bench = Bench(dut, idle=backpressure, backpressure=backpressure)
    base, log2 = 0x4000, 2
    _queue(bench, base, log2)
    await bench.begin()
    lengths = [*range(1, 30), MESSAGE_BYTES - 1, MESSAGE_BYTES]
    for number, length in enumerate(lengths):
        payload = bench.choice.randbytes(length)
        at = base + SLOT_BYTES * (number % (1 << log2))
        expected = bytearray(bench.memory.bytes)
        expected[at : at + 4] = origin_word(PEER, PEER_SLOT, length).to_bytes(4, "little")
        expected[at + 8 : at + 8 + length] = payload
        bench.send(message(payload))
        while bench.tail == number:
            last = len(bench.memory.writes)
            await bench.step()
        assert len(bench.memory.writes) == last + 1  # counted in the very cycle of its last write
        assert bench.memory.bytes == expected
        bench.queue_head = number + 1
    assert bench.tail == len(lengths)
    assert not bench.replies


@cocotb.test()
async def a_message_to_a_full_ring_is_refused(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    bench.send(message(b"nobody listens"))
    await bench.settle()
    _nack(bench, Nack.QUEUE_FULL)
    _queue(bench, 0x1000, 1)
    bench.send(message(b"first"))
    bench.send(message(b"second"))
    await bench.settle()
    assert (bench.tail, len(bench.replies)) == (2, 1)
    before = bytes(bench.memory.bytes)
    bench.send(message(b"third"))
    await bench.settle()
    assert (bench.tail, len(bench.replies)) == (2, 2)
    _nack(bench, Nack.QUEUE_FULL)
    assert bench.memory.bytes == before
    bench.queue_head = 1
    bench.send(message(b"fourth"))
    await bench.settle()
    assert (bench.tail, len(bench.replies)) == (3, 2)
    assert bench.memory.bytes[0x1008:0x100E] == b"fourth"


@cocotb.test()
async def a_message_that_does_not_fit_a_slot_is_refused(dut: Any) -> None:
    bench = Bench(dut)
    _queue(bench, 0, 4)
    await bench.begin()
    before = bytes(bench.memory.bytes)
    bench.send(message(bytes(MESSAGE_BYTES + 1)))
    await bench.settle()
    _nack(bench, Nack.BAD_PACKET)
    bench.send(_request(Kind.MESSAGE, 0, 0, (1,)))
    await bench.settle()
    _nack(bench, Nack.BAD_PACKET)
    bench.send(put(0, 0, bytes(PACKET_BYTES + 4), ack=True))
    await bench.settle()
    _nack(bench, Nack.BAD_PACKET, put=True)
    assert (bench.tail, bytes(bench.memory.bytes)) == (0, before)


@cocotb.test()
async def packets_that_end_too_soon_or_have_no_kind_harm_nobody(dut: Any) -> None:
    bench = Bench(dut)
    bench.regions[0] = Region(0x100, 256)
    _queue(bench, 0, 0)
    await bench.begin()
    whole = put(0, 0, b"abcdefgh", ack=True).words()
    bench.send_words("request", whole[:1])
    await bench.settle()
    assert not bench.replies
    refused = 0
    for words in (
        whole[:2],
        whole[:3],
        get(0, 0, 4).words()[:2],
        get(0, 0, 1 << LENGTH_WIDTH).words()[:3],
        put_word(0, 0, b"abcd", ack=True).words()[:2],
        message(b"abcd").words()[:2],
        _request(Kind.GET, GetInfo(atomic=True).encode(), 0x14, (0, 1)).words(),  # this engine has no atomic accesses
        [Header0(Kind.STATIC_PUT, src_node=PEER).encode(), Header1(src_slot=PEER_SLOT).encode()],
        [Header0(Kind.STATIC_STREAM, src_node=PEER).encode(), Header1(src_slot=PEER_SLOT).encode(), 1, 2, 3],
    ):
        bench.send_words("request", words)
        await bench.settle()
        refused += 1
        assert len(bench.replies) == refused
        assert bench.replies[-1].kind == Kind.NACK
        assert NackInfo.decode(bench.replies[-1].info).code == Nack.BAD_PACKET
    assert not bench.memory.writes
    bench.send_words("request", [*get(0, 0, 4).words(), 1, 2])  # more words than a GET has
    bench.send(put(0, 0, b"abcdefgh", ack=True))
    await bench.settle()
    assert [packet.kind for packet in bench.replies[refused:]] == [Kind.GET_REPLY, Kind.PUT_ACK]
    assert bench.memory.bytes[0x100:0x108] == b"abcdefgh"


@cocotb.test()
async def a_long_answer_holds_up_no_other_request(dut: Any) -> None:
    bench = Bench(dut)
    bench.regions[0] = Region(0, 0x4000)
    _queue(bench, 0x8000, 4)
    await bench.begin()
    bench.hold_replies = True
    bench.send(get(0, 0, 4096))
    bench.send(message(b"hello"))
    bench.send(put(0, 0x3000, b"world"))
    bench.send(get(0, 0x1000, 256))
    bench.send(put_word(0, 0x3100, b"too"))
    await bench.step(200)
    assert bench.tail == 1
    assert bench.memory.bytes[0x3000:0x3005] == b"world"
    assert bench.memory.bytes[0x3100:0x3103] == b"too"
    assert not bench.replies
    bench.hold_replies = False
    await bench.settle()
    assert len(bench.replies) == 4096 // PACKET_BYTES + 1
    assert bytes_of(bench.replies[-1].body, 256) == bench.memory.bytes[0x1000:0x1100]


@cocotb.test()
async def replies_are_taken_in_while_nothing_can_be_sent(dut: Any) -> None:
    # Replies wait for nothing: not for the request port, the reply port, or requests that wait.
    bench = Bench(dut)
    bench.regions[0] = Region(0, 0x4000)
    await bench.begin()
    bench.command(Command(RmaOperation.GET, 0x5000, 512))
    await bench.until(lambda: len(bench.requests) == 1)
    bench.hold_requests = bench.hold_replies = True
    bench.command(Command(RmaOperation.PUT, 0, 512))
    for _ in range(3):
        bench.send(get(0, 0, 4096))
    data = bench.choice.randbytes(512)
    for at in (0, 256):
        body = words_of(data[at : at + 256])
        bench.send(Packet(Kind.GET_REPLY, NODE, SLOT, PEER, PEER_SLOT, info=at // 256, length=256, body=body))
    await bench.step(300)
    assert bench.completed == 1
    assert bench.memory.bytes[0x5000:0x5200] == data


def test_rma_target() -> None:
    run("rma", __file__)
