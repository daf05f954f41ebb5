# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`rma_sender`: how a run of bytes becomes packets."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, ReadWrite
from harness.clock import start
from harness.memory import NodeMemory, bytes_of
from harness.packets import Flit
from harness.runner import run
from tidings.generated.packets import Header0, Header1, Kind, RmaTransfer

NODE, SLOT = 0x123, 5
INFO, LAST_INFO = 0x1AB, 0x2CD
WHOLE_WORDS = 62


class Bench:
    """Takes what the sender sends, and answers what it reads."""

    def __init__(self, dut: Any, *, backpressure: float, latency: int | range) -> None:
        self.dut = dut
        self.choice = random.Random(1)
        self.backpressure = backpressure
        self.memory = NodeMemory(1 << 14, 1, latency)
        self.cycle = 0

    async def begin(self) -> None:
        """Reset the module."""
        self.dut.node_id_i.value = NODE
        self.dut.slot_id_i.value = SLOT
        for name in ("start_valid_i", "transfer_i", "read_ready_i", "data_valid_i", "data_i", "ready_i"):
            getattr(self.dut, name).value = 0
        await start(self.dut)

    async def send(self, transfer: RmaTransfer) -> list[list[int]]:
        """Return the words of the packets of a transfer."""
        dut = self.dut
        packets: list[list[int]] = [[]]
        done = False
        dut.transfer_i.value = transfer.encode()
        dut.start_valid_i.value = 1
        while not done:
            dut.ready_i.value = self.choice.random() >= self.backpressure
            dut.read_ready_i.value = self.choice.random() >= self.backpressure
            answer = self.memory.answer(self.cycle)
            dut.data_valid_i.value = answer is not None
            dut.data_i.value = answer[0] if answer else self.choice.getrandbits(32)
            await ReadWrite()
            if dut.read_valid_o.value and dut.read_ready_i.value:
                self.memory.read(self.cycle, dut.read_address_o.value.to_unsigned())
            await ReadOnly()
            if dut.valid_o.value and dut.ready_i.value:
                flit = Flit.unpack(dut.flit_o.value.to_unsigned())
                packets[-1].append(flit.data)
                if flit.last:
                    packets.append([])
            done = bool(dut.done_o.value)
            await FallingEdge(dut.clk_i)
            dut.start_valid_i.value = 0
            self.cycle += 1
        assert not dut.busy_o.value
        assert packets.pop() == []
        return packets


@cocotb.test()
@cocotb.parametrize(backpressure=[0.0, 0.3])
async def a_transfer_is_split_unless_it_is_whole(dut: Any, backpressure: float) -> None:
    bench = Bench(dut, backpressure=backpressure, latency=range(1, 12) if backpressure else 1)
    packet_bytes = 4 * int(dut.PacketWords.value)
    await bench.begin()
    lengths = sorted({1, 4, 5, packet_bytes - 1, packet_bytes, packet_bytes + 1, 3 * packet_bytes, 4 * WHOLE_WORDS})
    cases = [(length, whole) for length in lengths for whole in (False, True)]
    bench.choice.shuffle(cases)
    for length, whole in [case for case in cases if not case[1] or case[0] <= 4 * WHOLE_WORDS]:
        source = 4 * bench.choice.randrange(1024)
        address = 4 * bench.choice.randrange(1 << 28)
        transfer = RmaTransfer(
            kind=Kind.MESSAGE if whole else Kind.PUT,
            node=0x456,
            slot=2,
            info=INFO,
            last_info=LAST_INFO,
            addressed=not whole,
            whole=whole,
            word=False,
            address=address,
            source=source,
            bytes=length,
        )
        packets = await bench.send(transfer)
        limit = length if whole else packet_bytes
        assert len(packets) == -(-length // limit)
        for number, words in enumerate(packets):
            at, last = number * limit, number == len(packets) - 1
            size = length - at if last else limit
            assert Header0.decode(words[0]) == Header0(transfer.kind, 2, 0x456, NODE)
            assert Header1.decode(words[1]) == Header1(SLOT, LAST_INFO if last else INFO, size)
            if not whole:
                assert words.pop(2) == address + at
            assert len(words) == 2 + (size + 3) // 4
            sent = bytes_of(tuple(words[2:]), size)
            assert sent == bench.memory.bytes[source + at : source + at + size]


@cocotb.test()
@cocotb.parametrize(backpressure=[0.0, 0.5])
async def a_word_that_the_transfer_brings_is_sent_without_reading(dut: Any, backpressure: float) -> None:
    """Send words that are in no memory, between runs that are."""
    bench = Bench(dut, backpressure=backpressure, latency=range(1, 12) if backpressure else 1)
    await bench.begin()
    for number in range(40):
        inline_data, word = number % 3 != 0, bench.choice.random() < 0.5
        source = bench.choice.getrandbits(32) if inline_data else 4 * bench.choice.randrange(1024)
        size, offset = bench.choice.randint(1, 4), 4 * bench.choice.randrange(1 << 16)
        transfer = RmaTransfer(
            kind=Kind.PUT,
            node=0x456,
            slot=2,
            info=INFO,
            last_info=LAST_INFO,
            addressed=not word,
            word=word,
            inline_data=inline_data,
            address=offset,
            source=source,
            bytes=size,
        )
        reads, begin = bench.memory.reads, bench.cycle
        [packet] = await bench.send(transfer)
        assert Header1.decode(packet[1]) == Header1(SLOT, LAST_INFO, offset // 4 if word else size)
        assert packet[2:] == [*([] if word else [offset]), source if inline_data else bench.memory.word(source)]
        assert bench.memory.reads - reads == (0 if inline_data else 1)
        if inline_data and not backpressure:
            assert bench.cycle - begin == len(packet)


@pytest.mark.parametrize("packet_words", [1, 5, 30, 64])
def test_rma_sender(packet_words: int) -> None:
    run("rma_sender", __file__, {"PacketWords": packet_words, "WholeWords": WHOLE_WORDS})
