# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`node`: the two promises that machines rest on, under random traffic of every kind.

Outputs depend on registered state alone: inputs that change without a clock edge change no output. And a clock edge
without inputs changes nothing while `busy_o` is low: a node that is then not clocked stays equal to one that is.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, Timer
from harness.flits import FlitPorts, FlitSink, FlitSource, Received
from harness.machine import (
    ALLREDUCE,
    BARRIER,
    GET,
    IRQ_ERROR,
    IRQ_MESSAGE,
    IRQ_MPE_DONE,
    IRQ_RMA_DONE,
    MESSAGE,
    NO_PARENT,
    PUT,
    Slots,
)
from harness.memory import words_of
from harness.packets import FLIT_WIDTH, Kind, Packet
from harness.runner import run
from tidings.generated.packets import MAX_VCS

from tidings.generated import packets

HERE, THERE = 0, 1  # nodes; every other node is played by the test, mostly by node 1
PORTS = 2
BUFFER_FLITS = 16

INPUTS = {
    "flit_valid_i": PORTS,
    "flit_i": FLIT_WIDTH * PORTS,
    "credit_i": MAX_VCS * PORTS,
    "bus_valid_i": 1,
    "bus_i": packets.BusRequest.WIDTH,
    "memory_data_valid_i": 1,
    "memory_data_i": packets.WORD_WIDTH,
}
OUTPUTS = (
    *("credit_o", "flit_valid_o", "flit_o", "bus_read_valid_o", "bus_read_data_o", "interrupt_o"),
    *("memory_read_valid_o", "memory_read_address_o", "memory_write_valid_o", "memory_write_o", "busy_o"),
)


class Traffic:
    """The processor of the node, and the rest of the machine around it."""

    def __init__(self, dut: Any, seed: int, *, idle: float, backpressure: float) -> None:
        self.dut = dut
        self.choice = random.Random(seed)
        self.slots = Slots(dut, 1, latency=8)
        self.ports = FlitPorts(
            dut,
            [FlitSource([BUFFER_FLITS] * MAX_VCS, seed + port) for port in range(PORTS)],
            [FlitSink([BUFFER_FLITS] * MAX_VCS, seed + PORTS + port) for port in range(PORTS)],
        )
        for port in range(PORTS):
            self.ports.sources[port].idle = idle
            self.ports.sinks[port].backpressure = backpressure
            self.ports.sinks[port].on_packet = self._arrived
        self.ports.every_cycle.append(self._exchange)
        self.collectives = 0
        self.commands = 0
        self.gets: dict[int, int] = {}
        self.far = self.choice.randbytes(4096)
        self.kinds: set[Kind] = set()

    def _exchange(self, cycle: int) -> None:
        self.slots.cycle = cycle
        self.slots.exchange()

    async def begin(self) -> None:
        """Reset the node and set up its slot."""
        self.ports.clear_inputs()
        await self.slots.begin()
        self.slots.queue(0, 0x6000, 4)
        self.slots.region(0, 0, 0x4000, 0x1000)
        self.slots.tree_link(0, 0, (THERE, 0), 3)
        self.slots.write(0, "irq_enable", IRQ_MESSAGE | IRQ_RMA_DONE | IRQ_MPE_DONE | IRQ_ERROR)

    def send(self, kind: Kind, info: int = 0, length: int = 0, body: tuple[int, ...] = ()) -> None:
        """Send a packet of node 1 to the node."""
        packet = Packet(kind, HERE, 0, THERE, 0, info, length, body)
        self.ports.sources[0].send(packet.flits())

    def _arrived(self, received: Received) -> None:
        packet = Packet.parse(received.words)
        self.kinds.add(packet.kind)
        if packet.dst_node != THERE:
            return
        if packet.kind == Kind.PUT and packets.PutInfo.decode(packet.info).ack:
            self.send(Kind.PUT_ACK)
        elif packet.kind == Kind.GET:
            (offset,), length = packet.body, packet.length
            number = packets.GetInfo.decode(packet.info).number
            if length > 900:
                self.send(Kind.NACK, packets.NackInfo(number=number, get=True, code=packets.Nack.BOUNDS).encode())
                return
            for at in range(0, length, 256):
                size = min(256, length - at)
                payload = words_of(self.far[offset + at : offset + at + size])
                info = packets.GetReplyInfo(number=number, last=at + size == length)
                self.send(Kind.GET_REPLY, info.encode(), size, payload)
        elif packet.kind == Kind.STREAM:
            self.send(Kind.CREDIT, 0, packet.length)

    def act(self) -> None:
        """Do one thing: a command, a collective, or a request of the other node."""
        choice = self.choice
        what = choice.randrange(9)
        if what < 3:
            length = choice.choice([1, 4, 17, 100, 248])
            self.slots.rma(0, MESSAGE, 4 * choice.randrange(512), (choice.choice([HERE, THERE, 3]), 0), length)
            self.commands += 1
        elif what == 3:
            self.slots.rma(0, PUT, 0, (THERE, 0), choice.choice([1, 256, 300]), offset=0)
            self.commands += 1
        elif what == 4:
            self.slots.rma(0, GET, 0x1000, (THERE, 0), choice.choice([1, 255, 600, 1000]), offset=64)
            self.commands += 1
        elif what == 5:
            payload = choice.randbytes(choice.choice([1, 30, 256]))
            offset = choice.choice([0, 0x800, 0xFF0])  # the last is refused when it does not fit
            self.send(
                Kind.PUT,
                packets.PutInfo(ack=choice.random() < 0.5).encode(),
                len(payload),
                (offset, *words_of(payload)),
            )
        elif what == 6:
            self.send(Kind.GET, 0, choice.choice([5, 700]), (choice.choice([0, 0xFF0]),))
        elif what == 7:
            payload = choice.randbytes(choice.choice([1, 60, 248]))
            self.send(Kind.MESSAGE, 0, len(payload), words_of(payload))
        else:
            self._collective()

    def _collective(self) -> None:
        descriptor = self.choice.getrandbits(32)
        words = self.choice.choice([0, 1, 40])
        operation = ALLREDUCE if words else BARRIER
        if self.choice.random() < 0.5:  # the other node is our child, or our parent
            parent, children = NO_PARENT, 1
        else:
            parent, children = 0, 0
        self.slots.collective(
            0, operation, parent, children, source=0x100, destination=0x2000, count=words, descriptor=descriptor
        )
        body = (descriptor, *(self.choice.getrandbits(32) for _ in range(words)))
        self.send(Kind.STREAM, 0, len(body), body)
        self.collectives += 1

    async def completed(self) -> None:
        """Let cycles pass until all that was begun is complete."""
        await self.ports.step(400)
        await self.read("mpe_completed", self.collectives)
        await self.read("rma_completed", self.commands)

    async def read(self, register: str, expected: int) -> None:
        """Read a register until it has a value."""
        for _ in range(100):
            seen = len(self.slots.answers[0])
            self.slots.ask(0, register)
            while len(self.slots.answers[0]) == seen:
                await self.ports.step()
            if self.slots.answers[0][-1][1] == expected:
                return
            await self.ports.step(50)
        raise AssertionError(f"{register} is {self.slots.answers[0][-1][1]}, not {expected}")


def _outputs(dut: Any) -> list[str]:
    return [str(getattr(dut, name).value) for name in OUTPUTS]


@cocotb.test()
async def inputs_change_no_output_without_a_clock_edge(dut: Any) -> None:
    traffic = Traffic(dut, 5, idle=0.2, backpressure=0.2)
    await traffic.begin()
    noise = random.Random(6)
    active = 0

    for cycle in range(2500):
        if cycle % 50 == 0 and cycle < 2000:
            traffic.act()
        before = _outputs(dut)
        step = cocotb.start_soon(traffic.ports.step())
        await Timer(1, "ns")
        inputs = {name: getattr(dut, name).value.to_unsigned() for name in INPUTS}
        for _ in range(2):
            for name, width in INPUTS.items():
                getattr(dut, name).value = noise.getrandbits(width)
            await Timer(1, "ns")
            assert _outputs(dut) == before, f"cycle {cycle}"
        for name, value in inputs.items():
            getattr(dut, name).value = value
        active += any("1" in bits for bits in before[:-1])
        await step
    assert active > 1000  # it was no idle node that kept its outputs
    await FallingEdge(dut.clk_i)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5])
async def a_node_that_is_not_busy_need_not_be_clocked(dut: Any, idle: float) -> None:
    traffic = Traffic(dut, 11, idle=idle, backpressure=idle)
    await traffic.begin()
    skipped = 0

    def compare(cycle: int) -> None:
        nonlocal skipped
        assert dut.differ_o.value == 0, f"cycle {cycle}"

    def count(_: int) -> None:
        nonlocal skipped
        skipped += not dut.clocked_o.value

    traffic.ports.every_cycle.insert(0, compare)
    traffic.ports.every_cycle.append(count)
    for number in range(90):
        traffic.act()
        if number % 16 == 15:  # room for the messages to come
            await traffic.completed()
            tail = traffic.slots.answers[0]
            traffic.slots.ask(0, "rma_queue_tail")
            await traffic.ports.step(5)
            traffic.slots.write(0, "rma_queue_head", tail[-1][1])
        await traffic.ports.step(traffic.choice.choice([5, 20, 80, 200]))
    await traffic.completed()
    await traffic.ports.step(200)
    expected = {Kind.MESSAGE, Kind.PUT, Kind.GET, Kind.STREAM, Kind.PUT_ACK, Kind.GET_REPLY, Kind.NACK}
    assert traffic.kinds >= expected
    assert skipped > 1000


def test_node() -> None:
    folder = Path(__file__).parent
    gate = folder.parent / "harness" / "clock_gate.sv"
    run(
        "node_pair",
        __file__,
        node={"dims": 1, "buffer_flits": 16},
        extra_sources=[gate, folder / "node_pair.sv"],
    )
