# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Direct links of `router`: taps at the network ports, the lane, and packets of slot 0 for several neighbours."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

import cocotb
import pytest
from harness.flits import FlitSink, FlitSource, Received
from harness.packets import FLIT_WIDTH, Flit, flits_of, neighbour_header
from harness.runner import run
from harness.signals import unsigned
from test_router import TORUS, Bench
from tidings.generated.packets import Header0, Kind


def _kind(words: Sequence[int]) -> Kind:
    return Header0.decode(words[0]).kind


class Direct:
    """What the engine of slot 0 has beside its port: the lane's source, and a sink for each tap."""

    def __init__(self, bench: Bench, seed: int) -> None:
        self.lane = FlitSource([bench.slot_buffer], seed * 1000 + 900)
        # Taps take a word in every cycle, and give no credits.
        self.taps = [FlitSink([1], 0) for _ in range(bench.network_ports)]
        self.refusals = 0
        self._dut = bench.dut
        bench.ports.every_cycle.append(self._cycle)

    def _cycle(self, cycle: int) -> None:
        dut = self._dut
        valid, flits = unsigned(dut.tap_valid_o), unsigned(dut.tap_flit_o)
        for port, tap in enumerate(self.taps):
            if valid >> port & 1:
                tap.take(cycle, Flit.unpack(flits >> port * FLIT_WIDTH & (1 << FLIT_WIDTH) - 1))
                tap.occupied[0] = 0
        self.refusals += unsigned(dut.route_refused_o)
        flit = self.lane.choose(cycle)
        self.lane.credit(unsigned(dut.lane_credit_o))
        dut.lane_valid_i.value = int(flit is not None)
        dut.lane_flit_i.value = flit.pack() if flit is not None else 0


async def _start(dut: Any, seed: int = 1) -> tuple[Bench, Direct]:
    bench = await Bench.start(dut, TORUS, seed)
    return bench, Direct(bench, seed)


async def _drain(bench: Bench, direct: Direct, limit: int = 5000) -> None:
    lane = direct.lane
    await bench.ports.until(lambda: lane.empty and lane.credits == lane.initial, limit)
    await bench.drain(limit)


def _packet(ports: Sequence[int], payload: Sequence[int], context: int = 0) -> list[int]:
    return [neighbour_header(context, sum(1 << port for port in ports), len(payload)), *payload]


def _cycles(sink: FlitSink) -> list[int]:
    return [cycle for cycle, _ in sink.flits]


def _run(first: int, length: int) -> list[int]:
    return list(range(first, first + length))


@cocotb.test()
async def all_taps_take_a_word_in_every_cycle_while_every_output_is_held_up(dut: Any) -> None:
    bench, direct = await _start(dut)
    for sink in bench.sinks:
        sink.backpressure = 1.0
    # Something waits in front of every output.
    for port in range(bench.network_ports):
        bench.sources[port ^ 1].send(flits_of([bench.header(_beyond(bench, port)), *range(2 * bench.buffer)], 1))
    await bench.ports.step(6 * bench.buffer)
    packets = [_packet([port], range(10 * port, 10 * port + 5), port) for port in range(bench.network_ports)]
    for port, words in enumerate(packets):
        for _ in range(4):
            bench.sources[port].send(flits_of(words, 0))
    await bench.ports.step(30)
    for port, words in enumerate(packets):
        tap, sent = direct.taps[port], [c for c, flit in bench.sources[port].sent if flit.vc == 0]
        assert [p.words for p in tap.packets] == [tuple(words)] * 4
        assert sent == _run(sent[0], 24), "each tap gives its credit back at once"
        assert _cycles(tap) == _run(sent[0] + 1 + bench.pipeline, 24)
    for sink in bench.sinks:
        sink.backpressure = 0.0
    await _drain(bench, direct)


def _beyond(bench: Bench, port: int) -> tuple[int, ...]:
    """Return the neighbour at a port."""
    there = list(bench.place.here)
    there[port // 2] = (there[port // 2] + (1 if port % 2 == 0 else -1)) % bench.place.radix[port // 2]
    return tuple(there)


@cocotb.test()
async def a_packet_of_slot_0_leaves_through_all_its_ports_on_channel_0_a_word_a_cycle(dut: Any) -> None:
    bench, direct = await _start(dut)
    everywhere = range(bench.network_ports)
    assert any(bench.place.here[p // 2] == 0 and p % 2 for p in everywhere), "one of them wraps around"
    for ports in ([0], [1, 4], list(everywhere)):
        for sink in bench.sinks:
            sink.packets.clear()
        words = _packet(ports, range(9), 5)
        source = bench.sources[bench.slot_port()]
        first = len(source.sent)
        source.send(flits_of(words, 0))
        await _drain(bench, direct)
        for port, sink in enumerate(bench.sinks):
            assert [p.words for p in sink.packets] == ([tuple(words)] if port in ports else [])
            for packet in sink.packets:
                assert packet.vc == 0
                # The branches, and a hop; with a pipeline a cycle to take the channels, and two for the hop.
                cycles = 4 if bench.pipeline else 2
                assert packet.first_cycle == source.sent[first][0] + cycles
                assert packet.last_cycle == packet.first_cycle + 9
    assert direct.refusals == 0


@cocotb.test()
async def a_packet_of_the_lane_leaves_a_cycle_after_it_came_or_two_with_a_pipeline(dut: Any) -> None:
    bench, direct = await _start(dut)
    for port in range(bench.network_ports):
        words = _packet([port], [7, 8], 2)
        first = len(direct.lane.sent)
        direct.lane.send(flits_of(words, 0))
        await _drain(bench, direct)
        (packet,) = bench.sinks[port].packets
        assert packet.words == tuple(words)
        assert packet.vc == 0
        assert packet.first_cycle == direct.lane.sent[first][0] + 1 + bench.pipeline
        assert packet.last_cycle == packet.first_cycle + 2


@cocotb.test()
async def lane_and_slot_0_send_a_word_each_in_every_cycle(dut: Any) -> None:
    bench, direct = await _start(dut)
    parent, children = 3, [0, 2, 5]
    direct.lane.send(flits_of(_packet([parent], range(200)), 0))
    bench.sources[bench.slot_port()].send(flits_of(_packet(children, range(200)), 0))
    await bench.ports.until(lambda: all(len(bench.sinks[port].flits) == 201 for port in (parent, *children)), 300)
    for port in (parent, *children):
        cycles = _cycles(bench.sinks[port])
        assert cycles == _run(cycles[0], 201)
    await _drain(bench, direct)


@cocotb.test()
async def lane_and_slot_0_share_a_port_packet_by_packet(dut: Any) -> None:
    bench, direct = await _start(dut)
    for number in range(5):
        direct.lane.send(flits_of(_packet([2], [1, number]), 0))
        bench.sources[bench.slot_port()].send(flits_of(_packet([2, 4], [2, number]), 0))
    await _drain(bench, direct)
    got = [p.words[1:] for p in bench.sinks[2].packets]
    assert sorted(got) == sorted((who, number) for who in (1, 2) for number in range(5))
    assert {p.words[1] for p in bench.sinks[4].packets} == {2}
    assert got.index((2, 0)) < got.index((1, 4)), "neither waits for all of the other"
    assert got.index((1, 0)) < got.index((2, 4))


@cocotb.test()
async def ports_that_are_no_network_ports_are_left_out(dut: Any) -> None:
    bench, direct = await _start(dut)
    source = bench.sources[bench.slot_port()]
    source.send(flits_of(_packet([1, *range(bench.network_ports, 12)], [3]), 0))
    await _drain(bench, direct)
    assert [len(sink.packets) for sink in bench.sinks] == [int(port == 1) for port in range(len(bench.sinks))]
    assert direct.refusals == 0
    source.send(flits_of(_packet([], [4, 5]), 0))
    source.send(flits_of(_packet([1], [6]), 0))
    await _drain(bench, direct)
    assert [p.words[1:] for p in bench.sinks[1].packets] == [(3,), (6,)]
    assert direct.refusals == 1, "a packet for nobody is dropped"


@cocotb.test()
@cocotb.parametrize(pressure=[(0.0, 0.0), (0.4, 0.7)])
async def packets_of_all_kinds_arrive_once_whole_and_in_order(dut: Any, pressure: tuple[float, float]) -> None:
    idle, backpressure = pressure
    seed = round(100 * idle) + 5
    bench, direct = await _start(dut, seed)
    choice = random.Random(seed)
    slot = bench.slot_port()
    taps = 1000  # numbers of taps among outputs, and of the lane among inputs
    expected: dict[tuple[int, int, int, Kind], deque[tuple[int, ...]]] = defaultdict(deque)
    packets = 0

    def payload(origin: int) -> list[int]:
        return [origin, *(choice.getrandbits(32) for _ in range(choice.choice([0, 1, 2, 7, 15])))]

    def expect(origin: int, out: int, vc: int, words: list[int]) -> None:
        nonlocal packets
        expected[origin, out, vc, _kind(words)].append(tuple(words))
        packets += 1

    direct.lane.idle = idle
    for _ in range(30):
        port = choice.randrange(bench.network_ports)
        words = _packet([port], payload(taps), choice.randrange(8))
        direct.lane.send(flits_of(words, 0))
        expect(taps, port, 0, words)
    for port, source in enumerate(bench.sources):
        source.idle = idle
        bench.sinks[port].backpressure = backpressure
        for vc in range(bench.vcs(port)):
            for _ in range(20):
                origin = port * 4 + vc
                if vc == 0 and port <= slot and choice.random() < 0.6:
                    ports = choice.sample(range(bench.network_ports), choice.randint(1, 3))
                    words = _packet(ports, payload(origin), choice.randrange(8))
                    for out in ports if port == slot else [taps + port]:
                        expect(origin, out, 0, words)
                else:
                    there = tuple(choice.randrange(k) for k in bench.place.radix)
                    to_slot = choice.randrange(bench.slots)
                    words = [bench.header(there, to_slot), *payload(origin)]
                    expect(origin, *bench.expected(port, vc, there, to_slot), words)
                source.send(flits_of(words, vc))

    def receiver(out: int) -> Any:
        def receive(packet: Received) -> None:
            assert packet.words == expected[packet.words[1], out, packet.vc, _kind(packet.words)].popleft()

        return receive

    for port, sink in enumerate(bench.sinks):
        sink.on_packet = receiver(port)
    for port, tap in enumerate(direct.taps):
        tap.on_packet = receiver(taps + port)
    await _drain(bench, direct, 20000)
    assert sum(len(sink.packets) for sink in (*bench.sinks, *direct.taps)) == packets
    assert not any(expected.values())


@pytest.mark.parametrize(
    "parameters",
    [
        {"Dims": 3, "NumSlots": 2, "Dateline": 1, "BufferFlits": 32, "SlotBufferFlits": 8, "DirectLinks": 1},
        {
            **{"Dims": 3, "NumSlots": 2, "Dateline": 1, "BufferFlits": 32, "SlotBufferFlits": 8, "DirectLinks": 1},
            "Pipeline": 1,
        },
    ],
    ids=["torus", "torus_pipeline"],
)
def test_direct_links(parameters: dict[str, int]) -> None:
    run("router", __file__, parameters)
