# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`router`: routes, channels, ownership, arbitration, credits and timing."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from harness.clock import start
from harness.flits import FlitPorts, FlitSink, FlitSource, Received
from harness.packets import Flit, flits_of
from harness.runner import run
from harness.signals import unsigned
from tidings.generated.packets import MAX_VCS, NODE_ID_WIDTH, SLOT_ID_WIDTH, Header0

MAX_SLOTS = 1 << SLOT_ID_WIDTH


def tag_of(packet: Received) -> int:
    """Return what the source's field of a packet's first word holds."""
    return Header0.decode(packet.words[0]).src_node


@dataclass(frozen=True)
class Place:
    """Where the router is: its coordinate, the routers and wrap-around links of each dimension."""

    here: tuple[int, ...] = ()
    radix: tuple[int, ...] = ()
    wrap: tuple[bool, ...] = ()


class Bench:
    """A router with a source and a sink at each port."""

    def __init__(self, dut: Any, place: Place, seed: int = 1) -> None:
        def parameter(name: str) -> int:
            return int(getattr(dut, name).value.to_unsigned())

        self.dut = dut
        self.place = place
        self.dims = parameter("Dims")
        self.slots = parameter("NumSlots")
        self.classes = parameter("NumClasses")
        self.dateline = bool(parameter("Dateline"))
        self.buffer = parameter("BufferFlits")
        self.slot_buffer = parameter("SlotBufferFlits")
        self.pipeline = parameter("Pipeline")
        self.turn_cycle = parameter("TurnCycle")
        self.network_ports = 2 * self.dims
        places = [[self.buffer] * self.vcs(port) for port in range(self.network_ports)]
        places += [[self.slot_buffer] * self.classes for _ in range(self.slots)]
        self.ports = FlitPorts(
            dut,
            [FlitSource(place, seed * 1000 + port) for port, place in enumerate(places)],
            [FlitSink(place, seed * 1000 + 500 + port) for port, place in enumerate(places)],
        )
        self.sources = self.ports.sources
        self.sinks = self.ports.sinks
        self._quiet: tuple[int, ...] | None = None
        self.ports.every_cycle.append(self._check_quiet)

    def _check_quiet(self, cycle: int) -> None:
        """Check that an edge without inputs changed nothing where `busy_o` was low.

        Inputs still hold what the edge before this cycle took.
        """
        dut = self.dut
        inputs = (dut.flit_valid_i, dut.credit_i, dut.lane_valid_i)
        if self._quiet is not None and all(handle.value == 0 for handle in inputs):
            assert self._outputs() == self._quiet, f"cycle {cycle}: the router was not busy, and changed"
        self._quiet = self._outputs() if dut.busy_o.value == 0 else None

    def _outputs(self) -> tuple[int, ...]:
        names = ("flit_valid_o", "flit_o", "credit_o", "tap_valid_o", "lane_credit_o", "busy_o")
        return tuple(unsigned(getattr(self.dut, name)) for name in names)

    def vcs(self, port: int) -> int:
        """Return the channels of a port."""
        return self.classes * (2 if self.dateline and port < self.network_ports else 1)

    @classmethod
    async def start(cls, dut: Any, place: Place, seed: int = 1) -> Bench:
        """Place the router and reset it."""
        bench = cls(dut, place, seed)
        bench.ports.clear_inputs()
        dut.route_write_valid_i.value = 0
        dut.route_write_i.value = 0
        dut.lane_valid_i.value = 0
        dut.lane_flit_i.value = 0
        dut.node_id_i.value = bench.node(place.here)
        dut.radix_i.value = sum(radix << NODE_ID_WIDTH * d for d, radix in enumerate(place.radix))
        dut.wrap_i.value = sum(int(wrap) << d for d, wrap in enumerate(place.wrap))
        await start(dut)
        return bench

    def node(self, coordinates: Sequence[int]) -> int:
        """Return the address of a router."""
        width = NODE_ID_WIDTH // max(self.dims, 1)
        return sum(coordinate << width * d for d, coordinate in enumerate(coordinates))

    def header(self, there: Sequence[int], slot: int = 0, tag: int = 0) -> int:
        """Return the first word of a packet; `tag` fills the source's field."""
        return Header0(dst_slot=slot, dst_node=self.node(there), src_node=tag).encode()

    def expected(self, port: int, vc: int, there: Sequence[int], slot: int) -> tuple[int, int]:
        """Return the port and channel on which a packet must leave."""
        message_class = vc % self.classes
        for d, (a, b) in enumerate(zip(self.place.here, there, strict=True)):
            if a == b:
                continue
            k = self.place.radix[d]
            plus = (b - a) % k <= (a - b) % k if self.place.wrap[d] else b > a
            leaves_over_wrap = a == (k - 1 if plus else 0)
            came_on_one = port // 2 == d and port < self.network_ports and vc >= self.classes
            dateline = int(self.dateline and (came_on_one or leaves_over_wrap))
            return 2 * d + (0 if plus else 1), dateline * self.classes + message_class
        return self.network_ports + slot, message_class

    async def drain(self, limit: int = 5000) -> None:
        """Let everything arrive, then check that nothing is left or lost."""
        await self.ports.until(lambda: all(source.empty for source in self.sources), limit)
        await self.ports.until(lambda: all(source.credits == source.initial for source in self.sources), limit)
        for sink in self.sinks:
            sink.backpressure = 0.0
        await self.ports.step(self.buffer + 2)
        assert self.dut.busy_o.value == 0
        assert not any(sink.mid_packet for sink in self.sinks), "a packet has no tail"

    def slot_port(self, slot: int = 0) -> int:
        """Return the port of a slot."""
        return self.network_ports + slot


TORUS = Place((1, 3, 0), (4, 4, 4), (True, True, True))
PLACES_3D = [
    TORUS,
    Place((3, 0, 3), (4, 4, 4), (True, True, True)),
    Place((1, 0, 2), (2, 3, 5), (True, True, True)),
    Place((0, 2, 4), (2, 3, 5), (True, False, True)),
    Place((1, 1, 0), (2, 2, 1), (False, False, False)),
]
PLACES_2D = [Place((1, 2), (4, 4), (False, False)), Place((0, 7), (8, 8), (False, False))]


def _places(dut: Any) -> list[Place]:
    return {0: [Place()], 2: PLACES_2D, 3: PLACES_3D}[dut.Dims.value.to_unsigned()]


def _destinations(place: Place) -> list[tuple[int, ...]]:
    nodes: list[tuple[int, ...]] = [()]
    for radix in place.radix:
        nodes = [(*node, c) for node in nodes for c in range(radix)]
    return nodes


@cocotb.test()
async def every_destination_is_reached_in_dimension_order_on_the_right_channel(dut: Any) -> None:
    for place in _places(dut):
        bench = await Bench.start(dut, place)
        wanted: Counter[tuple[int, int, int]] = Counter()
        for port, source in enumerate(bench.sources):
            for vc in range(bench.vcs(port)):
                for there in _destinations(place):
                    for slot in range(bench.slots):
                        header = bench.header(there, slot, port << 2 | vc)
                        source.send([Flit(header, True, vc)])
                        wanted[(*bench.expected(port, vc, there, slot), header)] += 1
        await bench.drain(20000)
        got = Counter((port, p.vc, p.words[0]) for port, sink in enumerate(bench.sinks) for p in sink.packets)
        assert got == wanted


@cocotb.test()
async def a_slot_that_does_not_exist_means_slot_0(dut: Any) -> None:
    bench = await Bench.start(dut, _places(dut)[0])
    for slot in range(bench.slots, MAX_SLOTS):
        bench.sources[0].send([Flit(bench.header(bench.place.here, slot), True, 0)])
    await bench.drain()
    assert len(bench.sinks[bench.slot_port(0)].packets) == MAX_SLOTS - bench.slots


@cocotb.test()
async def a_hop_costs_a_cycle_and_one_more_with_a_pipeline_or_at_a_turn(dut: Any) -> None:
    bench = await Bench.start(dut, _places(dut)[0])
    here = bench.place.here
    neighbours = [(*here[:d], c + 1, *here[d + 1 :]) for d, c in enumerate(here) if c + 1 < bench.place.radix[d]]
    for port, source in enumerate(bench.sources):
        for there in [here, *neighbours]:
            out, _ = bench.expected(port, 0, there, 0)
            sent, received = len(source.sent), len(bench.sinks[out].flits)
            credit_cycles: list[int] = []
            source.send(flits_of([bench.header(there), 1, 2], 0))
            while len(credit_cycles) < 3:
                await bench.ports.step()
                if dut.credit_o.value.to_unsigned() >> MAX_VCS * port & 1:
                    credit_cycles.append(bench.ports.cycle)
                assert bench.ports.cycle < 1000, "no credit"
            await bench.ports.step(3)
            written = [cycle for cycle, _ in source.sent[sent:]]
            assert written == list(range(written[0], written[0] + 3))
            got = [cycle for cycle, _ in bench.sinks[out].flits[received:]]
            turns = max(port, out) < bench.network_ports and port // 2 != out // 2
            leaves = [cycle + 1 + (bench.turn_cycle if turns else 0) for cycle in written]
            assert got == [cycle + bench.pipeline for cycle in leaves]
            assert credit_cycles == leaves


@cocotb.test()
async def reset_in_the_middle_of_packets_leaves_nothing_behind(dut: Any) -> None:
    bench = await Bench.start(dut, _places(dut)[0])
    for port, source in enumerate(bench.sources):
        bench.sinks[port].backpressure = 1.0
        source.send(flits_of([bench.header(bench.place.here), *range(40)], 0))
    await bench.ports.step(20)
    bench = await Bench.start(dut, bench.place)
    assert dut.flit_valid_o.value == 0
    for source in bench.sources:
        source.send(flits_of([bench.header(bench.place.here), 1, 2], 0))
    await bench.drain()
    assert [p.words[1:] for p in bench.sinks[bench.slot_port()].packets] == [(1, 2)] * len(bench.sources)


@cocotb.test()
async def an_output_sends_one_flit_in_every_cycle(dut: Any) -> None:
    bench = await Bench.start(dut, _places(dut)[0])
    port = bench.slot_port()
    for packet in range(8):
        words = [bench.header(bench.place.here), *range(packet + 1)]
        bench.sources[port].send(flits_of(words, 0))
    await bench.ports.until(lambda: len(bench.sinks[port].packets) == 8, 200)
    cycles = [cycle for cycle, _ in bench.sinks[port].flits]
    assert cycles == list(range(cycles[0], cycles[0] + sum(range(2, 10))))


@cocotb.test()
async def an_output_channel_belongs_to_a_packet_until_its_tail(dut: Any) -> None:
    bench = await Bench.start(dut, _places(dut)[0])
    out = bench.slot_port()
    here = bench.place.here
    first, second = 0, len(bench.sources) - 1
    # The owner has its head and one word only; its tail comes later.
    owner = flits_of([bench.header(here, 0, 1), 10, 11, 12], 0)
    bench.sources[first].send(owner[:2])
    await bench.ports.step(2)
    bench.sources[second].send(flits_of([bench.header(here, 0, 2), 20], 0))
    bench.sources[second].send(flits_of([bench.header(here, 0, 3), 30], 1))
    await bench.ports.step(8)
    # The other class passes, the same class waits.
    assert [tag_of(p) for p in bench.sinks[out].packets] == [3]
    assert dut.busy_o.value == 0, "a packet that waits for an owned channel changes nothing"
    bench.sources[first].send(owner[2:])
    await bench.drain()
    assert [tag_of(p) for p in bench.sinks[out].packets] == [3, 1, 2]
    tail, head = bench.sinks[out].packets[1].last_cycle, bench.sinks[out].packets[2].first_cycle
    assert head == tail + 1


@cocotb.test()
async def channels_share_an_output_flit_by_flit(dut: Any) -> None:
    bench = await Bench.start(dut, _places(dut)[0])
    out = bench.slot_port()
    for source, vc in ((0, 0), (len(bench.sources) - 1, 1)):
        bench.sources[source].send(flits_of([bench.header(bench.place.here), *range(7)], vc))
    await bench.drain()
    cycles = [cycle for cycle, _ in bench.sinks[out].flits]
    assert cycles == list(range(cycles[0], cycles[0] + 16))
    channels = [flit.vc for _, flit in bench.sinks[out].flits]
    assert channels == [0, 1] * 8


@cocotb.test()
async def round_robin_serves_each_input_once_a_turn(dut: Any) -> None:
    bench = await Bench.start(dut, _places(dut)[0])
    out = bench.slot_port()
    inputs = [0, 1, 2, len(bench.sources) - 1]
    for index, port in enumerate(inputs):
        for _ in range(30):
            bench.sources[port].send([Flit(bench.header(bench.place.here, 0, index), True, 0)])
    await bench.drain()
    order = [tag_of(p) for p in bench.sinks[out].packets]
    assert len(order) == 120
    for start_of_turn in range(0, 120, 4):
        assert order[start_of_turn : start_of_turn + 4] == [0, 1, 2, 3]


@cocotb.test()
async def fixed_priority_serves_the_lowest_input_as_long_as_it_asks(dut: Any) -> None:
    bench = await Bench.start(dut, _places(dut)[0])
    out = bench.slot_port()
    last = len(bench.sources) - 1
    for tag, port in ((1, last), (0, 0)):
        for _ in range(40):
            bench.sources[port].send([Flit(bench.header(bench.place.here, 0, tag), True, 0)])
    await bench.drain()
    assert [tag_of(p) for p in bench.sinks[out].packets] == [0] * 40 + [1] * 40


@cocotb.test()
async def flits_wait_for_credits_and_each_credit_lets_one_go(dut: Any) -> None:
    bench = await Bench.start(dut, _places(dut)[0])
    out = 0 if bench.network_ports else bench.slot_port()
    there = list(bench.place.here)
    if bench.network_ports:
        there[0] += 1
    room = bench.buffer if bench.network_ports else bench.slot_buffer
    bench.sinks[out].backpressure = 1.0
    source = bench.sources[bench.slot_port()]
    source.send(flits_of([bench.header(there), *range(room + 3)], 0))
    await bench.ports.step(3 * room + 10)
    assert len(bench.sinks[out].flits) == room
    assert dut.busy_o.value == 0, "a flit without a credit changes nothing"
    for extra in (1, 2):
        bench.sinks[out].backpressure = 0.0
        cycle = bench.ports.cycle
        await bench.ports.step()
        bench.sinks[out].backpressure = 1.0
        await bench.ports.step(5)
        assert len(bench.sinks[out].flits) == room + extra
        assert bench.sinks[out].flits[-1][0] == cycle + 1 + bench.pipeline, "the credit of t lets a flit go in t + 1"
    bench.sinks[out].backpressure = 0.0
    await bench.drain()


@cocotb.test()
@cocotb.parametrize(pressure=[(0.0, 0.0), (0.5, 0.0), (0.0, 0.6), (0.4, 0.7)])
async def random_packets_arrive_once_whole_and_in_order(dut: Any, pressure: tuple[float, float]) -> None:
    idle, backpressure = pressure
    seed = round(100 * idle + 10 * backpressure) + 1
    bench = await Bench.start(dut, _places(dut)[0], seed)
    choice = random.Random(seed)
    expected: dict[tuple[int, int, int], deque[tuple[int, ...]]] = {}
    packets = 0
    for port, source in enumerate(bench.sources):
        source.idle = idle
        bench.sinks[port].backpressure = backpressure
        for vc in range(bench.vcs(port)):
            for number in range(12):
                there, slot = choice.choice(_destinations(bench.place)), choice.randrange(bench.slots)
                header = bench.header(there, slot, (port * MAX_VCS + vc) << 4 | number)
                words = [header, *(choice.getrandbits(32) for _ in range(choice.choice([0, 0, 1, 2, 5, 17])))]
                source.send(flits_of(words, vc))
                out_port, out_vc = bench.expected(port, vc, there, slot)
                expected.setdefault((port * MAX_VCS + vc, out_port, out_vc), deque()).append(tuple(words))
                packets += 1

    def receiver(port: int) -> Any:
        def receive(packet: Received) -> None:
            origin = tag_of(packet) >> 4
            queue = expected[(origin, port, packet.vc)]
            assert packet.words == queue.popleft()

        return receive

    for port, sink in enumerate(bench.sinks):
        sink.on_packet = receiver(port)
    await bench.drain()
    assert sum(len(sink.packets) for sink in bench.sinks) == packets
    assert not any(expected.values())


_COMMON = [
    "every_destination_is_reached_in_dimension_order_on_the_right_channel",
    "a_slot_that_does_not_exist_means_slot_0",
    "a_hop_costs_a_cycle_and_one_more_with_a_pipeline_or_at_a_turn",
    "reset_in_the_middle_of_packets_leaves_nothing_behind",
    "an_output_sends_one_flit_in_every_cycle",
    "an_output_channel_belongs_to_a_packet_until_its_tail",
    "flits_wait_for_credits_and_each_credit_lets_one_go",
    "random_packets_arrive_once_whole_and_in_order",
]
_ROUND_ROBIN = [
    *_COMMON,
    "channels_share_an_output_flit_by_flit",
    "round_robin_serves_each_input_once_a_turn",
]
#: Tests that do not count on a word in each cycle of a port's first packet.
_TURNS = [
    "every_destination_is_reached_in_dimension_order_on_the_right_channel",
    "a_hop_costs_a_cycle_and_one_more_with_a_pipeline_or_at_a_turn",
    "reset_in_the_middle_of_packets_leaves_nothing_behind",
    "an_output_channel_belongs_to_a_packet_until_its_tail",
    "random_packets_arrive_once_whole_and_in_order",
]
_FIXED = [*_COMMON, "fixed_priority_serves_the_lowest_input_as_long_as_it_asks"]


def _pattern(names: list[str]) -> str:
    return "|".join(names)


@pytest.mark.parametrize(
    ("parameters", "tests"),
    [
        ({"Dims": 3, "NumSlots": 1, "Dateline": 1, "BufferFlits": 4, "SlotBufferFlits": 8}, _ROUND_ROBIN),
        (
            {"Dims": 2, "NumSlots": 2, "Dateline": 0, "BufferFlits": 8, "SlotBufferFlits": 4, "FixedPriority": 1},
            _FIXED,
        ),
        ({"Dims": 0, "NumSlots": 4, "Dateline": 0, "SlotBufferFlits": 4}, _ROUND_ROBIN),
        (
            {"Dims": 3, "NumSlots": 1, "Dateline": 1, "BufferFlits": 4, "SlotBufferFlits": 8, "Pipeline": 1},
            _ROUND_ROBIN,
        ),
        (
            {"Dims": 2, "NumSlots": 1, "Dateline": 0, "BufferFlits": 4, "SlotBufferFlits": 8, "TurnCycle": 1},
            _TURNS,
        ),
        (
            {"Dims": 2, "NumSlots": 1, "Dateline": 0, "BufferFlits": 4, "SlotBufferFlits": 8}
            | {"TurnCycle": 1, "Pipeline": 1, "NumRoutes": 64},
            _TURNS,
        ),
    ],
    ids=["torus", "mesh_fixed_priority", "crossbar", "torus_pipeline", "mesh_turns", "mesh_turns_pipeline"],
)
def test_router(parameters: dict[str, int], tests: list[str]) -> None:
    run("router", __file__, parameters, test_filter=_pattern(tests))
