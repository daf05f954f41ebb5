# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`stream_engine`: packets in and out through its registers, with idle cycles and back-pressure on all sides."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.packets import Flit
from harness.registers import address
from harness.runner import run
from tidings.generated.packets import (
    BusRequest,
    EngineEvents,
    EngineWord,
    Header0,
    Header1,
    Kind,
    Place,
    StreamInfo,
    StreamOrigin,
)
from tidings.generated.packets import (
    Flit as FlitBits,
)

from tidings.generated import registers as reg

NODE, SLOT = 0x123, 5
DEPTH = 18  #: words of the store
QUEUES = reg.StreamReceive.DIMENSIONS[0]
CATCH_ALL = QUEUES - 1
REPLY = 1  # class


class Bench:
    """Software, and both directions of the network."""

    def __init__(self, dut: Any, seed: int = 1) -> None:
        self.dut = dut
        self.random = random.Random(seed)
        self.idle = 0.0  #: probability of a cycle without a word from the network
        self.held = 0.0  #: probability of a cycle in which no flit is taken
        self.arriving: deque[EngineWord] = deque()
        self.left: list[list[int]] = [[]]  #: packets that have left; the last one is under way
        self.offered: int | None = None  #: flit that was not taken
        self.failed = 0

    def events(self) -> EngineEvents:
        """Return what happens in this cycle."""
        return EngineEvents.decode(int(self.dut.events_o.value))

    async def begin(self) -> None:
        """Reset the module."""
        for name in ("rx_valid_i", "rx_i", "tx_ready_i", "switch_i"):
            getattr(self.dut, name).value = 0
        self.dut.bus_valid_i.value = 0
        self.dut.bus_i.value = 0
        self.dut.node_id_i.value = NODE
        self.dut.slot_id_i.value = SLOT
        await start(self.dut)

    async def cycle(self, bus: BusRequest | None = None) -> int:
        """Let a cycle pass; return the word that a read shows."""
        dut = self.dut
        dut.bus_valid_i.value = bus is not None
        dut.bus_i.value = 0 if bus is None else bus.encode()
        word = self.arriving.popleft() if self.arriving and self.random.random() >= self.idle else None
        dut.rx_valid_i.value = 0 if word is None else 1 << REPLY
        dut.rx_i.value = 0 if word is None else word.encode() << EngineWord.WIDTH
        ready = self.random.random() >= self.held
        dut.tx_ready_i.value = int(ready) << REPLY
        await ReadOnly()
        assert int(dut.rx_ready_o.value) == 3, "the network is never held up"
        valid = int(dut.tx_valid_o.value)
        assert valid in (0, 1 << REPLY)
        flit = int(dut.tx_flit_o.value) >> FlitBits.WIDTH
        if self.offered is not None:
            assert valid and flit == self.offered, "what is offered stays until it is taken"
        self.offered = flit if valid and not ready else None
        if valid and ready:
            taken = Flit.unpack(flit)
            self.left[-1].append(taken.data)
            if taken.last:
                self.left.append([])
        self.failed += int(self.events().failed)
        answer = int(dut.bus_data_o.value)
        await FallingEdge(dut.clk_i)
        return answer

    async def write(self, register: str, value: int) -> None:
        """Write a register."""
        await self.cycle(BusRequest(True, address(register) - reg.StreamSizes.ADDRESS, value))

    async def read(self, register: str) -> int:
        """Read a register."""
        return await self.cycle(BusRequest(False, address(register) - reg.StreamSizes.ADDRESS, 0))

    def arrive(self, kind: Kind, node: int, slot: int, peer: int, tag: int, length: int, words: list[int]) -> None:
        """Queue a packet from the network."""
        info = StreamInfo(peer, tag).encode()
        header1 = Header1(slot, info, length)
        packet = [Header0(kind, SLOT, NODE, node).encode(), header1.encode(), *words]
        for number, word in enumerate(packet):
            place = Place(min(number, Place.PAYLOAD))
            known = header1 if number else Header1()
            self.arriving.append(EngineWord(place, number == len(packet) - 1, word, node if number else 0, known))

    def packets(self) -> list[list[int]]:
        """Return the packets that have left whole, and forget them."""
        whole, self.left = self.left[:-1], self.left[-1:]
        return whole

    async def settle(self) -> None:
        """Let all that is under way come to its end."""
        for _ in range(400):
            await self.cycle()


async def _begin(dut: Any, seed: int = 1) -> Bench:
    bench = Bench(dut, seed)
    await bench.begin()
    return bench


@cocotb.test()
async def a_packet_leaves_when_it_is_complete_and_its_peer_has_room(dut: Any) -> None:
    bench = await _begin(dut)
    await bench.write("stream_peer[2]", reg.StreamPeer(node=0x456, slot=3, words=3).encode())
    await bench.write("stream_send", reg.StreamSend(peer=2, tag=9, length=3).encode())
    for word in (10, 11):
        await bench.write("stream_word", word)
    await bench.settle()
    assert bench.packets() == []
    await bench.write("stream_word", 12)
    await bench.settle()
    assert bench.packets() == [], "the origin needs a word of room too"
    assert reg.StreamStatus.decode(await bench.read("stream_status")).ready is False
    bench.arrive(Kind.WORDS_CREDIT, 0x456, 3, 2, 0, 1, [])
    await bench.settle()
    headers = [
        Header0(Kind.WORDS, 3, 0x456, NODE).encode(),
        Header1(SLOT, StreamInfo(2, 9).encode(), 3).encode(),
    ]
    assert bench.packets() == [[*headers, 10, 11, 12]]
    assert await bench.read("stream_credits[2]") == 0
    assert reg.StreamStatus.decode(await bench.read("stream_status")).ready is True
    assert bench.failed == 0


@cocotb.test()
async def a_packet_is_shown_when_it_is_whole_and_its_room_goes_back_when_it_is_read(dut: Any) -> None:
    bench = await _begin(dut)
    await bench.write("stream_match[1]", reg.StreamMatch(tag=7, enable=True).encode())
    await bench.write("stream_enable", 1 << 1)
    bench.arrive(Kind.WORDS, 0x789, 4, 6, 7, 2, [100, 200])
    last = bench.arriving.pop()
    await bench.settle()
    assert await bench.read("stream_receive[1]") == 0
    assert await bench.read("stream_count[1]") == 2
    assert not bench.events().waiting
    bench.arriving.append(last)
    await bench.settle()
    assert bench.events().waiting
    assert await bench.read("stream_receive[1]") == StreamOrigin(4, 0x789, 7, 2).encode()
    assert await bench.read("stream_receive[1]") == 100
    await bench.settle()
    assert bench.packets() == []
    assert await bench.read("stream_receive[1]") == 200
    await bench.settle()
    assert bench.packets() == [
        [Header0(Kind.WORDS_CREDIT, 4, 0x789, NODE).encode(), Header1(SLOT, StreamInfo(6, 7).encode(), 3).encode()]
    ]
    assert await bench.read("stream_receive[1]") == 0


@cocotb.test()
async def what_cannot_be_is_refused_and_reported(dut: Any) -> None:
    bench = await _begin(dut)
    await bench.write("stream_word", 1)
    assert reg.StreamError.decode(await bench.read("stream_error")) == reg.StreamError(refused=True)
    await bench.write("stream_error", reg.StreamError(refused=True).encode())
    for length in (0, DEPTH):
        await bench.write("stream_send", reg.StreamSend(length=length).encode())
        assert reg.StreamError.decode(await bench.read("stream_error")).refused
        await bench.write("stream_error", reg.StreamError(refused=True).encode())
    bench.arrive(Kind.WORDS, 1, 1, 0, 0, DEPTH - 1, list(range(DEPTH - 1)))
    bench.arrive(Kind.WORDS, 1, 1, 0, 0, 1, [7])
    await bench.settle()
    assert reg.StreamError.decode(await bench.read("stream_error")) == reg.StreamError(overflow=True)
    assert await bench.read(f"stream_count[{CATCH_ALL}]") == DEPTH
    assert bench.failed == 4


@cocotb.test()
async def random_packets_keep_their_order_in_each_queue(dut: Any) -> None:
    bench = await _begin(dut, seed=3)
    choice = bench.random
    tags = choice.sample(range(256), 4)
    for queue, tag in enumerate(tags):
        await bench.write(f"stream_match[{queue}]", reg.StreamMatch(tag=tag, enable=True).encode())
    expected: list[deque[int]] = [deque() for _ in range(QUEUES)]
    room = DEPTH  # as the senders together know it
    credited = [0] * 16
    begun = [0] * 16
    words_read = 0
    for _ in range(8000):
        if choice.random() < 0.01:
            bench.idle, bench.held = choice.choice((0.0, 0.5, 0.9)), choice.choice((0.0, 0.5, 0.95))
        queue = choice.randrange(QUEUES)
        length = choice.randrange(1, 8)
        if room > length and choice.random() < 0.3:
            tag = tags[queue] if queue < CATCH_ALL else next(t for t in range(256) if t not in tags)
            words = [choice.getrandbits(32) | 1 for _ in range(length)]
            peer = choice.randrange(8)
            bench.arrive(Kind.WORDS, 0x200 + peer, 1, peer, tag, length, words)
            expected[queue].extend([StreamOrigin(1, 0x200 + peer, tag, length).encode(), *words])
            room -= length + 1
            begun[peer] += length + 1
        queue = choice.randrange(QUEUES)
        word = await bench.read(f"stream_receive[{queue}]")
        if word != 0:
            assert word == expected[queue].popleft()
            words_read += 1
        for header0, header1 in bench.packets():
            back = Header1.decode(header1)
            peer = StreamInfo.decode(back.info).peer
            assert Header0.decode(header0) == Header0(Kind.WORDS_CREDIT, 1, 0x200 + peer, NODE)
            room += back.length
            credited[peer] += back.length
    assert words_read > 300
    assert bench.failed == 0
    assert all(back <= given for back, given in zip(credited, begun, strict=True))
    assert sum(credited) > 200


def test_stream_engine() -> None:
    run("stream_engine", __file__, node={"stream_store_words": DEPTH})
