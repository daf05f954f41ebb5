# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`rma` as the side that commands: what it sends, what it does with the replies, what software sees."""

from __future__ import annotations

from typing import Any

import cocotb
from harness.memory import bytes_of, words_of
from harness.packets import Kind, Packet
from harness.runner import built, run
from rma_bench import MESSAGE_BYTES, NODE, PACKET_BYTES, PEER, PEER_SLOT, SLOT, Bench, Command, Nack, RmaOperation
from tidings.generated.packets import GetInfo, GetReplyInfo, Header0, NackInfo, PutInfo, is_reply

LENGTHS = [*range(1, 71), 127, 128, 252, 255, 256, 257, 260, 511, 512, 513, 640, 767, 768]
REMOTE_BYTES = 4096


class Remote:
    """The slot at the other side: answers PUT and GET from a memory of its own, at once."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.bytes = bytearray(bench.choice.randbytes(REMOTE_BYTES))
        self.refuse: Nack | None = None
        bench.on_request = self.request

    def reply(self, to: Packet, kind: Kind, info: int = 0, length: int = 0, body: tuple[int, ...] = ()) -> None:
        """Send a reply to a request."""
        self.bench.send(
            Packet(kind, to.src_node, to.src_slot, to.dst_node, to.dst_slot, info=info, length=length, body=body)
        )

    def request(self, packet: Packet) -> None:
        """Carry out a request and reply to it."""
        assert (packet.src_node, packet.src_slot) == (NODE, SLOT)
        acknowledge = packet.kind == Kind.PUT and PutInfo.decode(packet.info).ack
        number = GetInfo.decode(packet.info).number if packet.kind == Kind.GET else 0
        if self.refuse is not None:
            get = packet.kind == Kind.GET
            info = NackInfo(number=number, put=acknowledge, get=get, code=Nack(self.refuse))
            self.reply(packet, Kind.NACK, info.encode())
        elif packet.kind == Kind.PUT and PutInfo.decode(packet.info).word:
            offset, size = 4 * packet.length, PutInfo.decode(packet.info).last + 1
            self.bytes[offset : offset + size] = bytes_of(packet.body, size)
            assert acknowledge
            self.reply(packet, Kind.PUT_ACK)
        elif packet.kind == Kind.PUT:
            offset, payload = packet.body[0], packet.body[1:]
            assert 1 <= packet.length <= PACKET_BYTES
            assert len(payload) == (packet.length + 3) // 4
            self.bytes[offset : offset + packet.length] = bytes_of(payload, packet.length)
            if acknowledge:
                self.reply(packet, Kind.PUT_ACK)
        elif packet.kind == Kind.GET:
            offset, length = (*packet.body, packet.length) if packet.length else packet.body
            for at in range(0, length, PACKET_BYTES):
                size = min(PACKET_BYTES, length - at)
                payload = words_of(bytes(self.bytes[offset + at : offset + at + size]))
                info = GetReplyInfo(number=number, last=at + size == length)
                self.reply(packet, Kind.GET_REPLY, info.encode(), size, payload)


def put(local: int, length: int, **more: Any) -> Command:
    return Command(RmaOperation.PUT, local, length, **more)


def get(local: int, length: int, **more: Any) -> Command:
    return Command(RmaOperation.GET, local, length, **more)


def message(local: int, length: int, **more: Any) -> Command:
    return Command(RmaOperation.MESSAGE, local, length, **more)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.4])
async def a_put_of_any_length_arrives_whole_and_alone(dut: Any, idle: float, backpressure: float) -> None:
    bench = Bench(dut, idle=idle, backpressure=backpressure, latency=8 if not idle else range(1, 20))
    remote = Remote(bench)
    await bench.begin()
    expected = bytearray(remote.bytes)
    for number, length in enumerate(LENGTHS):
        local = 4 * bench.choice.randrange(4096)
        offset = 4 * bench.choice.randrange((REMOTE_BYTES - length) // 4)
        expected[offset : offset + length] = bench.memory.bytes[local : local + length]
        first = len(bench.requests)
        bench.command(put(local, length, region=number, offset=offset, notify=True))
        await bench.until(lambda done=number + 1: bench.completed == done)
        packets = bench.requests[first:]
        assert len(packets) == -(-length // PACKET_BYTES)
        assert [PutInfo.decode(packet.info).ack for packet in packets] == [0] * (len(packets) - 1) + [1]
        assert all(PutInfo.decode(packet.info).region == number for packet in packets)
        assert all((packet.dst_node, packet.dst_slot) == (PEER, PEER_SLOT) for packet in packets)
        await bench.until(lambda: bench.unacknowledged == 0)
    await bench.settle()
    assert remote.bytes == expected
    assert not bench.memory.writes
    assert bench.notices == len(LENGTHS)
    assert bench.error[0] == Nack.NONE


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.4])
async def a_get_of_any_length_fills_exactly_its_bytes(dut: Any, idle: float, backpressure: float) -> None:
    bench = Bench(dut, idle=idle, backpressure=backpressure)
    remote = Remote(bench)
    await bench.begin()
    for number, length in enumerate(LENGTHS):
        local = 4 * bench.choice.randrange(4096)
        offset = 4 * bench.choice.randrange((REMOTE_BYTES - length) // 4)
        expected = bytearray(bench.memory.bytes)
        expected[local : local + length] = remote.bytes[offset : offset + length]
        bench.command(get(local, length, region=number, offset=offset))
        await bench.until(lambda done=number + 1: bench.completed == done)
        assert bench.memory.bytes == expected
        assert GetInfo.decode(bench.requests[-1].info).region == number
    assert [packet.kind for packet in bench.requests] == [Kind.GET] * len(LENGTHS)
    assert bench.notices == 0
    assert bench.error[0] == Nack.NONE
    await bench.settle()


@cocotb.test()
async def a_put_of_one_word_has_its_offset_in_its_header(dut: Any) -> None:
    bench = Bench(dut)
    remote = Remote(bench)
    remote.bytes += bytes(1 << 18)
    await bench.begin()
    reach = 1 << 18
    cases = ((1, 0, True), (4, 8, True), (4, reach - 4, True), (3, reach, False), (5, 0, False))
    for number, (length, offset, short) in enumerate(cases):
        bench.command(put(0x40, length, region=7, offset=offset))
        await bench.until(lambda done=number + 1: bench.completed == done and bench.unacknowledged == 0)
        packet = bench.requests[-1]
        assert PutInfo.decode(packet.info) == PutInfo(word=short, last=length - 1 if short else 0, ack=True, region=7)
        assert (packet.length, len(packet.body)) == ((offset // 4, 1) if short else (length, 1 + (length + 3) // 4))
        assert remote.bytes[offset : offset + length] == bench.memory.bytes[0x40 : 0x40 + length]
    await bench.settle()


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.4], backpressure=[0.0, 0.4])
async def a_put_of_a_word_in_its_command_reads_no_memory(dut: Any, idle: float, backpressure: float) -> None:
    """PUT words that are in commands, between PUTs of words that are in memory: all arrive, in their order."""
    bench = Bench(dut, idle=idle, backpressure=backpressure, latency=8 if not idle else range(1, 20))
    remote = Remote(bench)
    remote.bytes += bytes(1 << 18)
    await bench.begin()
    expected = bytearray(remote.bytes)
    commands = 0
    for number in range(60):
        size, inline_data = 1 + number % 4, number % 3 != 2
        # Few places, so that their order counts; some do not fit in a header.
        offset = 4 * bench.choice.randrange(4) + (bench.choice.random() < 0.3) * (1 << 18)
        local = bench.choice.getrandbits(32) if inline_data else 4 * bench.choice.randrange(4096)
        data = local.to_bytes(4, "little") if inline_data else bench.memory.bytes[local : local + 4]
        expected[offset : offset + size] = data[:size]
        bench.command(put(local, size, region=number, offset=offset, inline_data=inline_data))
        commands += 1
        if commands % 4 == 0:
            await bench.until(lambda done=commands: bench.completed == done)
    await bench.until(lambda: bench.completed == commands and bench.unacknowledged == 0)
    await bench.settle()
    assert [PutInfo.decode(packet.info).region for packet in bench.requests] == list(range(commands))
    assert remote.bytes == expected
    assert bench.memory.reads == commands // 3
    assert bench.error[0] == Nack.NONE


@cocotb.test()
async def a_word_in_its_command_leaves_at_once_and_every_three_cycles(dut: Any) -> None:
    """Send words in a row, whatever the latency of memory."""
    bench = Bench(dut, latency=19)
    Remote(bench)
    await bench.begin()
    words = built("rma_command_depth")
    for number in range(words):
        bench.command(put(number << 28 | 3, 4, offset=4 * number, inline_data=True))
    begin = bench.cycle
    await bench.until(lambda: bench.completed == words)
    cycles = [cycle - begin for direction, cycle, _ in bench.sent if direction == "request"]
    assert cycles == list(range(3 * words))
    await bench.settle()


@cocotb.test()
async def only_a_put_brings_its_word(dut: Any) -> None:
    """Read memory for a message and a GET whose commands say otherwise."""
    bench = Bench(dut)
    remote = Remote(bench)
    await bench.begin()
    bench.command(message(0x40, 8, inline_data=True))
    bench.command(get(0x80, 8, inline_data=True))
    await bench.until(lambda: bench.completed == 2)
    assert bytes_of(bench.requests[0].body, 8) == bench.memory.bytes[0x40:0x48]
    assert bench.memory.bytes[0x80:0x88] == remote.bytes[:8]
    await bench.settle()


@cocotb.test()
async def gets_overlap_and_are_complete_in_order(dut: Any) -> None:
    bench = Bench(dut)
    remote = Remote(bench)
    held: list[Packet] = []
    bench.on_request = held.append
    await bench.begin()
    gets = min(8, built("rma_command_depth") - 1)
    before = bytes(bench.memory.bytes)
    for number in range(gets):
        bench.command(get(0x400 * number, 700, offset=4 * number, notify=number % 2 == 0))
    bench.command(put(0, 4, offset=0x800))
    await bench.step(200)
    # All are under way, and the PUT behind them waits.
    assert [packet.kind for packet in held] == [Kind.GET] * gets
    assert sorted(GetInfo.decode(packet.info).number for packet in held) == list(range(gets))
    assert dut.busy_o.value == 0
    for packet in reversed(held[1:]):
        remote.request(packet)
    await bench.settle()
    assert (bench.completed, bench.notices) == (0, 0)
    assert bench.memory.bytes[:0x400] == before[:0x400]
    remote.refuse = Nack.BOUNDS
    remote.request(held[0])
    remote.refuse = None
    bench.on_request = remote.request
    await bench.until(lambda: bench.completed == gets + 1)
    assert (bench.notices, bench.error[0]) == ((gets + 1) // 2, Nack.BOUNDS)
    for number in range(1, gets):
        at = 0x400 * number
        assert bench.memory.bytes[at : at + 700] == remote.bytes[4 * number : 4 * number + 700]
        assert bench.memory.bytes[at + 700 : at + 0x400] == before[at + 700 : at + 0x400]
    await bench.settle()


@cocotb.test()
async def a_get_is_not_sent_while_all_numbers_are_in_use(dut: Any) -> None:
    bench = Bench(dut)
    remote = Remote(bench)
    held: list[Packet] = []
    bench.on_request = held.append
    await bench.begin()
    depth = built("rma_command_depth")
    for number in range(depth):
        bench.command(get(16 * number, 16, offset=16 * number))
    await bench.step(200)
    assert len(held) == min(depth, 8)
    bench.command(get(0, 16))
    await bench.step(2)
    assert bench.error[0] == Nack.OVERFLOW
    bench.on_request = remote.request
    for packet in held:
        remote.request(packet)
    await bench.until(lambda: bench.completed == depth)
    assert bench.memory.bytes[: 16 * depth] == remote.bytes[: 16 * depth]
    await bench.settle()


@cocotb.test()
async def the_first_word_leaves_in_the_cycle_of_the_command(dut: Any) -> None:
    bench = Bench(dut, latency=1)
    Remote(bench)
    await bench.begin()
    for number, command in enumerate((put(0, 4), get(0, 4), message(0, 4))):
        first, begin = len(bench.sent), bench.cycle
        bench.command(command)
        await bench.until(lambda done=number + 1: bench.completed == done)
        await bench.settle()
        assert [cycle - begin for _, cycle, _ in bench.sent[first:]] == [0, 1, 2]


@cocotb.test()
async def a_message_of_any_length_is_one_packet(dut: Any) -> None:
    bench = Bench(dut, backpressure=0.2, latency=range(1, 12))
    await bench.begin()
    for number, length in enumerate([*range(1, 71), MESSAGE_BYTES - 1, MESSAGE_BYTES]):
        local = 4 * bench.choice.randrange(4096)
        bench.command(message(local, length, node=number, slot=number % 16))
        await bench.until(lambda done=number + 1: bench.completed == done)
        payload = bytes(bench.memory.bytes[local : local + length])
        packet = bench.requests[-1]
        assert (packet.kind, packet.dst_node, packet.dst_slot) == (Kind.MESSAGE, number, number % 16)
        assert (packet.info, packet.length) == (0, length)
        assert bytes_of(packet.body, length) == payload
    assert len(bench.requests) == 72
    await bench.settle()


@cocotb.test()
async def commands_run_in_order(dut: Any) -> None:
    bench = Bench(dut, idle=0.2, backpressure=0.3)
    Remote(bench)
    await bench.begin()
    commands = [message(0, 8), get(64, 300), put(400, 600), message(4, 8), put(0, 4), get(0, 4), message(8, 8)]
    for command in commands:
        bench.command(command)
    await bench.until(lambda: bench.completed == len(commands))
    kinds = [packet.kind for packet in bench.requests]
    assert kinds == [Kind.MESSAGE, Kind.GET, *[Kind.PUT] * 3, Kind.MESSAGE, Kind.PUT, Kind.GET, Kind.MESSAGE]
    await bench.settle()


@cocotb.test()
async def words_leave_one_a_cycle_and_memory_latency_is_paid_once(dut: Any) -> None:
    bench = Bench(dut, latency=8)
    Remote(bench)
    await bench.begin()
    bench.command(put(0, 3 * PACKET_BYTES))
    await bench.until(lambda: bench.completed == 1)
    cycles = [cycle for direction, cycle, _ in bench.sent if direction == "request"]
    # Three header words go out while the first read is under way: it is asked for beside the first of
    # them, and shows in the buffer one cycle after its answer.
    assert cycles[:3] == [cycles[0], cycles[0] + 1, cycles[0] + 2]
    assert cycles[3] == cycles[0] + 8 + 1
    assert cycles[3:] == list(range(cycles[3], cycles[3] + len(cycles) - 3))
    assert len(cycles) == 3 * (3 + 64)
    await bench.settle()


@cocotb.test()
async def a_run_of_no_bytes_is_complete_at_once(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    bench.command(put(0, 0, notify=True))
    bench.command(get(0, 0, notify=True))
    await bench.until(lambda: bench.completed == 2)
    await bench.settle()
    assert (bench.unacknowledged, bench.notices, bench.failures) == (0, 2, 0)
    assert not bench.sent
    assert dut.idle_o.value == 1


@cocotb.test()
async def a_command_that_cannot_be_sent_is_complete_with_an_error(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    wrong = [
        Command(3, 0, 4),
        message(0, 0),
        message(0, MESSAGE_BYTES + 1),
        message(2, 4),
        put(1, 4),
        put(0, 4, offset=2),
        put(0, 5, inline_data=True),
        put(0, 4, offset=2, inline_data=True),
        message(2, 4, inline_data=True),
        get(3, 4),
        get(0, 4, offset=1),
    ]
    for number, command in enumerate(wrong):
        bench.command(command)
        await bench.until(lambda done=number + 1: bench.completed == done)
        assert bench.error == (Nack.BAD_PACKET, NODE, SLOT)
        assert bench.failures == number + 1
        bench.clear_error()
        await bench.settle()
        assert bench.error == (Nack.NONE, 0, 0)
    assert bench.unacknowledged == 0
    assert not bench.sent


@cocotb.test()
async def a_command_to_a_full_queue_is_dropped_with_an_error(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    depth = built("rma_command_depth")
    bench.hold_requests = True
    for number in range(depth):
        bench.command(put(4 * number, 4, offset=4 * number))
    await bench.step(depth + 1)
    assert bench.failures == 0
    bench.command(put(0, 4, offset=0xBAD0))
    await bench.step(2)
    assert bench.error == (Nack.OVERFLOW, NODE, SLOT)
    assert bench.failures == 1
    bench.hold_requests = False
    Remote(bench)
    await bench.until(lambda: bench.unacknowledged == 0)
    await bench.settle()
    assert bench.completed == depth
    assert [packet.length for packet in bench.requests] == list(range(depth))


@cocotb.test()
async def puts_are_idle_only_when_acknowledged(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    held: list[Packet] = []
    bench.on_request = held.append
    for _ in range(3):
        bench.command(put(0, 4))
    await bench.until(lambda: bench.completed == 3)
    await bench.settle()
    assert (bench.unacknowledged, dut.idle_o.value, dut.quiet_o.value) == (3, 0, 0)
    remote = Remote(bench)
    for left in (2, 1, 0):
        remote.reply(held[0], Kind.PUT_ACK)
        await bench.settle()
        assert (bench.unacknowledged, dut.idle_o.value, dut.quiet_o.value) == (left, int(left == 0), int(left == 0))


@cocotb.test()
async def a_refused_get_is_complete_and_the_first_error_is_kept(dut: Any) -> None:
    bench = Bench(dut)
    remote = Remote(bench)
    await bench.begin()
    remote.refuse = Nack.BOUNDS
    before = bytes(bench.memory.bytes)
    bench.command(get(0, 64, node=0x77, slot=9, notify=True))
    await bench.until(lambda: bench.completed == 1)
    assert bench.error == (Nack.BOUNDS, 0x77, 9)
    remote.refuse = Nack.RIGHTS
    bench.command(get(0, 64, node=0x78, slot=3))
    await bench.until(lambda: bench.completed == 2)
    assert bench.error == (Nack.BOUNDS, 0x77, 9)
    assert (bench.failures, bench.notices) == (2, 1)
    bench.clear_error()
    await bench.settle()
    assert bench.error == (Nack.NONE, 0, 0)
    remote.refuse = None
    bench.command(get(0, 64))
    await bench.until(lambda: bench.completed == 3)
    assert bytes(bench.memory.bytes[:64]) == remote.bytes[:64]
    assert bytes(bench.memory.bytes[64:]) == before[64:]


@cocotb.test()
async def a_refused_put_counts_as_acknowledged(dut: Any) -> None:
    bench = Bench(dut)
    remote = Remote(bench)
    await bench.begin()
    remote.refuse = Nack.NOT_REGISTERED
    bench.command(put(0, 600))
    await bench.until(lambda: bench.completed == 1)
    await bench.settle()
    assert bench.failures == 3  # each of the three packets was refused
    assert bench.unacknowledged == 0
    assert bench.error == (Nack.NOT_REGISTERED, PEER, PEER_SLOT)


@cocotb.test()
async def reply_words_that_no_get_waits_for_are_dropped(dut: Any) -> None:
    bench = Bench(dut, idle=0.2)
    remote = Remote(bench)
    await bench.begin()
    other = GetReplyInfo(number=3, last=True).encode()
    stray = Packet(Kind.GET_REPLY, NODE, SLOT, PEER, PEER_SLOT, info=other, length=8, body=(1, 2))
    bench.send(stray)
    await bench.settle()
    assert bench.error == (Nack.BAD_PACKET, NODE, SLOT)
    assert not bench.memory.writes

    # Of another GET, then too long, then right.
    bench.on_request = None
    bench.command(get(0x100, 8))
    await bench.until(lambda: len(bench.requests) == 1)
    bench.send(stray)
    bench.send(Packet(Kind.GET_REPLY, NODE, SLOT, PEER, PEER_SLOT, info=1, length=12, body=(1, 2, 3)))
    await bench.settle()
    assert (bench.completed, bench.failures) == (0, 3)
    assert not bench.memory.writes
    remote.request(bench.requests[0])
    await bench.until(lambda: bench.completed == 1)
    assert bytes(bench.memory.bytes[0x100:0x108]) == remote.bytes[:8]


@cocotb.test()
async def reply_words_behind_a_refusal_are_dropped(dut: Any) -> None:
    bench = Bench(dut)
    remote = Remote(bench)
    await bench.begin()
    remote.refuse = Nack.BOUNDS
    bench.command(get(0x40, 8))
    await bench.until(lambda: bench.completed == 1)
    bench.send(Packet(Kind.GET_REPLY, NODE, SLOT, PEER, PEER_SLOT, info=1, length=8, body=(1, 2)))
    await bench.settle()
    assert not bench.memory.writes
    assert bench.failures == 2


@cocotb.test()
async def a_reply_of_unknown_kind_is_dropped(dut: Any) -> None:
    bench = Bench(dut)
    remote = Remote(bench)
    await bench.begin()
    codes = range(1 << next(field.width for field in Header0.FIELDS if field.name == "kind"))
    unknown = [code for code in codes if is_reply(code) and code not in set(Kind)]
    for payload in ([0, 1, 2, 3], []):
        bench.send_words("reply", [Header0(unknown.pop()).encode(), *payload])
    bench.command(put(0, 4))
    await bench.until(lambda: bench.completed == 1 and bench.unacknowledged == 0)
    assert bench.error[0] == Nack.BAD_PACKET
    assert remote.bytes[:4] == bench.memory.bytes[:4]


def test_rma_initiator() -> None:
    run("rma", __file__)
