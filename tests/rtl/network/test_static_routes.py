# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Static routes of `router`: multicast, the turns that are refused, the order of channels, circuits."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
import pytest
from harness.flits import Received
from harness.packets import Flit, Kind, flits_of
from harness.runner import run
from harness.signals import unsigned
from test_router import Bench, Place, tag_of
from tidings.generated.packets import Header0, RouteEntry, RouteWrite

SWITCHED = RouteEntry(switched=True).encode()
TORUS = Place((1, 3, 0), (4, 4, 4), (True, True, True))
MESH = Place((0, 2), (4, 4), (False, False))


def _ports(*ports: int) -> int:
    return sum(1 << port for port in ports)


def _static(route: int, tag: int = 0) -> int:
    return Header0(Kind.STATIC_MESSAGE, dst_node=route, src_node=tag).encode()


async def _start(dut: Any, seed: int = 1) -> Bench:
    place = {0: Place(), 2: MESH, 3: TORUS}[dut.Dims.value.to_unsigned()]
    return await Bench.start(dut, place, seed)


async def _load(bench: Bench, routes: dict[int, int], slot: int = 0) -> None:
    """Write the table; values are ports and SWITCHED. A slot alone writes at once."""
    dut = bench.dut
    for route, entry in routes.items():
        write = RouteWrite(route, RouteEntry.decode(entry))
        dut.route_write_i.value = write.encode() << RouteWrite.WIDTH * slot
        dut.route_write_valid_i.value = 1 << slot
        await bench.ports.step()
    dut.route_write_valid_i.value = 0


class Refusals:
    """Counts the cycles in which the router leaves a branch out."""

    def __init__(self, bench: Bench) -> None:
        self.count = 0
        self._dut = bench.dut
        bench.ports.every_cycle.append(self._look)

    def _look(self, _cycle: int) -> None:
        self.count += unsigned(self._dut.route_refused_o)


def _allowed(bench: Bench, port: int, vc: int) -> dict[int, int]:
    """Return the output ports that a static packet may take, with the channels that it leaves on."""
    allowed = {}
    behind = vc >= bench.classes
    for out in range(bench.network_ports + bench.slots):
        if out >= bench.network_ports:
            allowed[out] = 0
            continue
        here, radix = bench.place.here[out // 2], bench.place.radix[out // 2]
        edge = here == (radix - 1 if out % 2 == 0 else 0)
        straight = port < bench.network_ports and out // 2 == port // 2
        if edge and not bench.place.wrap[out // 2]:
            continue
        if port < bench.network_ports and (out // 2 < port // 2 or out == port or (straight and behind and edge)):
            continue
        allowed[out] = bench.classes if bench.dateline and (edge or (straight and behind)) else 0
    return allowed


@cocotb.test()
async def a_packet_leaves_through_all_ports_of_its_route_a_word_a_cycle(dut: Any) -> None:
    bench = await _start(dut)
    outs = sorted(_allowed(bench, bench.slot_port(), 0))
    await _load(bench, {3: _ports(*outs)})
    source = bench.sources[bench.slot_port()]
    words = [_static(3), *range(3)]
    source.send(flits_of(words, 0))
    await bench.ports.until(lambda: all(bench.sinks[out].packets for out in outs), 50)
    for out in outs:
        packet = bench.sinks[out].packets[0]
        assert packet.words == tuple(words)
        assert packet.vc == _allowed(bench, bench.slot_port(), 0)[out]
        # The lookup, and a hop; with a pipeline two cycles each, and between them one to take the channels.
        cycles = 5 if bench.pipeline else 2
        assert packet.first_cycle == source.sent[0][0] + cycles
        assert packet.last_cycle == packet.first_cycle + 3
    await bench.drain()
    assert sum(len(sink.packets) for sink in bench.sinks) == len(outs)


@cocotb.test()
async def branches_that_break_dimension_order_are_left_out(dut: Any) -> None:
    bench = await _start(dut)
    refusals = Refusals(bench)
    everything = range(bench.network_ports + bench.slots)
    await _load(bench, {1: _ports(*everything)})
    for port, source in enumerate(bench.sources):
        for vc in range(0, bench.vcs(port), bench.classes):
            for sink in bench.sinks:
                sink.packets.clear()
            before = refusals.count
            source.send(flits_of([_static(1), 7], vc))
            await bench.drain()
            got = {out: sink.packets[0].vc for out, sink in enumerate(bench.sinks) if sink.packets}
            assert got == _allowed(bench, port, vc)
            assert refusals.count - before == (1 if len(got) < len(everything) else 0)


@cocotb.test()
async def a_packet_without_a_route_is_dropped_and_the_next_passes(dut: Any) -> None:
    bench = await _start(dut)
    refusals = Refusals(bench)
    out = bench.slot_port()
    await _load(bench, {2: _ports(out), 4: 0, 63: _ports(out)})
    for port in (0, bench.slot_port()):
        for route in (1, 4, 16, 63):
            bench.sources[port].send(flits_of([_static(route), *range(5)], 0))
        bench.sources[port].send(flits_of([_static(2), port], 0))
    await bench.drain()
    assert sorted(p.words[1] for p in bench.sinks[out].packets) == sorted({0, bench.slot_port()})
    assert sum(len(sink.packets) for sink in bench.sinks) == 2
    assert refusals.count == 8


@cocotb.test()
async def replies_and_other_kinds_follow_no_static_route(dut: Any) -> None:
    bench = await _start(dut)
    await _load(bench, {0: _ports(*range(bench.network_ports + bench.slots))})
    header = _static(bench.node(bench.place.here))
    bench.sources[0].send(flits_of([header, 1], 1))
    bench.sources[0].send(flits_of([bench.header(bench.place.here), 2], 0))
    await bench.drain()
    assert sum(len(sink.packets) for sink in bench.sinks) == 2
    assert len(bench.sinks[bench.slot_port()].packets) == 2


@cocotb.test()
async def no_word_leaves_before_all_channels_are_taken_lowest_port_first(dut: Any) -> None:
    bench = await _start(dut)
    slot = bench.slot_port()
    outs = sorted(out for out, vc in _allowed(bench, slot, 0).items() if vc == 0 and out < slot)
    low, high = outs[0], outs[-1]
    await _load(bench, {1: _ports(low, high), 2: _ports(low), 3: _ports(high)})
    blocker = low ^ 1  # a packet from there goes straight on through `low`
    for owned, other in ((low, high), (high, low)):
        for sink in bench.sinks:
            sink.packets.clear()
        # Somebody else owns a channel: its tail comes later.
        route = 2 if owned == low else 3
        owner = flits_of([_static(route, 1), 1, 2], 0)
        bench.sources[blocker].send(owner[:2])
        await bench.ports.step(6)
        bench.sources[slot].send(flits_of([_static(1, 2), 5], 0))
        await bench.ports.step(6)
        assert not bench.sinks[other].packets, "nothing leaves before all channels are taken"
        assert dut.busy_o.value == 0
        # A channel below the owned one is held, one above it is not.
        rival = high ^ 1
        if other == high:
            bench.sources[rival].send(flits_of([_static(3, 3), 6], 0))
            await bench.ports.step(10)
            assert [tag_of(p) for p in bench.sinks[high].packets] == [3]
        bench.sources[blocker].send(owner[2:])
        await bench.drain()
        assert [tag_of(p) for p in bench.sinks[owned].packets] == [1, 2]
        assert [tag_of(p) for p in bench.sinks[other].packets][-1] == 2


@cocotb.test()
async def a_channel_above_one_that_another_packet_gets_is_free_for_others(dut: Any) -> None:
    bench = await _start(dut)
    slot = bench.slot_port()
    outs = sorted(out for out, vc in _allowed(bench, slot, 0).items() if vc == 0 and out < slot)
    low, high = outs[0], outs[-1]
    await _load(bench, {1: _ports(low, high), 3: _ports(high)})
    there = list(bench.place.here)
    there[low // 2] += 1 if low % 2 == 0 else -1
    lost = 0
    # In one of these cycles both want the lower channel for the first time.
    for later in range(8):
        for sink in bench.sinks:
            sink.packets.clear()
        bench.sources[slot].send(flits_of([_static(1, 2), 5], 0))
        await bench.ports.step(later)
        owner = flits_of([bench.header(tuple(there)), 1, 2], 0)
        bench.sources[low ^ 1].send(owner[:2])
        await bench.ports.step(12)
        if not bench.sinks[low].packets:
            lost += 1
            assert not bench.sinks[high].packets, "nothing leaves before all channels are taken"
            bench.sources[high ^ 1].send(flits_of([_static(3, 3), 6], 0))
            await bench.ports.step(12)
            assert [tag_of(p) for p in bench.sinks[high].packets] == [3]
        bench.sources[low ^ 1].send(owner[2:])
        await bench.drain()
        assert len(bench.sinks[low].packets) == 2
        assert [tag_of(p) for p in bench.sinks[high].packets][-1] == 2
    assert 0 < lost < 8


@cocotb.test()
async def a_fork_waits_for_room_for_a_whole_packet(dut: Any) -> None:
    bench = await _start(dut)
    slot = bench.slot_port()
    out = min(out for out, vc in _allowed(bench, slot, 0).items() if vc == 0)
    await _load(bench, {1: _ports(out, slot)})
    bench.sinks[out].backpressure = 1.0
    for _ in range(2):
        bench.sources[slot].send(flits_of([_static(1), 9], 0))
    await bench.ports.step(20)
    assert len(bench.sinks[out].flits) == len(bench.sinks[slot].flits) == 2
    assert dut.busy_o.value == 0
    bench.sinks[out].backpressure = 0.0
    await bench.drain()
    assert len(bench.sinks[out].packets) == len(bench.sinks[slot].packets) == 2


@cocotb.test()
async def a_multicast_is_not_starved_by_single_packets(dut: Any) -> None:
    bench = await _start(dut)
    slot = bench.slot_port()
    outs = sorted(out for out, vc in _allowed(bench, slot, 0).items() if vc == 0 and out != slot)[:2]
    await _load(bench, {1: _ports(*outs), **{2 + out: _ports(out) for out in outs}})
    for out in outs:
        for _ in range(100):
            bench.sources[out ^ 1].send(flits_of([_static(2 + out, 7), 1], 0))
    await bench.ports.step(10)
    for _ in range(5):
        bench.sources[slot].send(flits_of([_static(1, 8), 2], 0))
    await bench.drain()
    order = [tag_of(p) for p in bench.sinks[outs[0]].packets]
    assert order.count(8) == 5
    assert len(order) - 1 - order[::-1].index(8) < 60, "the multicasts came after all others"


@cocotb.test()
async def a_switched_route_is_a_circuit_between_ports_that_turns_any_way(dut: Any) -> None:
    """Set the switch by software, as in AIREN: two circuits at once that dimension order would not have."""
    bench = await _start(dut)
    high = bench.network_ports - 2
    await _load(bench, {1: SWITCHED | _ports(0), 2: SWITCHED | _ports(high)})
    for port, route in ((high, 1), (0, 2)):
        bench.sources[port].send(flits_of([_static(route), *range(200)], 0))
    await bench.ports.until(lambda: bool(bench.sinks[0].packets and bench.sinks[high].packets), 400)
    for out in (0, high):
        packet = bench.sinks[out].packets[0]
        assert packet.words[1:] == tuple(range(200))
        assert packet.last_cycle - packet.first_cycle == 200, "a word in every cycle"


@cocotb.test()
async def all_slots_write_and_take_turns(dut: Any) -> None:
    bench = await _start(dut)
    slots = bench.slots
    out = bench.slot_port()
    dut.route_write_i.value = sum(
        RouteWrite(s + 1, RouteEntry(ports=_ports(out))).encode() << RouteWrite.WIDTH * s for s in range(slots)
    )
    waiting = (1 << slots) - 1
    while waiting:
        dut.route_write_valid_i.value = waiting
        await cocotb.triggers.ReadOnly()
        taken = unsigned(dut.route_write_ready_o)
        assert taken & waiting and not taken & taken - 1
        await cocotb.triggers.FallingEdge(dut.clk_i)
        waiting &= ~taken
    dut.route_write_valid_i.value = 0
    for s in range(slots):
        bench.sources[out].send(flits_of([_static(s + 1), s], 0))
    await bench.drain()
    assert [p.words[1] for p in bench.sinks[out].packets] == list(range(slots))


@cocotb.test()
@cocotb.parametrize(pressure=[(0.0, 0.0), (0.4, 0.7)])
async def many_trees_and_other_packets_arrive_once_whole_and_in_order(dut: Any, pressure: tuple[float, float]) -> None:
    idle, backpressure = pressure
    seed = round(100 * idle) + 3
    bench = await _start(dut, seed)
    choice = random.Random(seed)
    everything = bench.network_ports + bench.slots
    routes = {route: choice.getrandbits(everything) & choice.getrandbits(everything) for route in range(16)}
    await _load(bench, routes)
    expected: dict[tuple[int, int, int], deque[tuple[int, ...]]] = {}
    packets = 0
    for port, source in enumerate(bench.sources):
        source.idle = idle
        bench.sinks[port].backpressure = backpressure
        for vc in range(bench.vcs(port)):
            for number in range(16):
                tag = (port * 4 + vc) << 4 | number
                payload = [choice.getrandbits(32) for _ in range(choice.choice([0, 1, 2, 3]))]
                if vc % bench.classes == 0 and choice.random() < 0.6:
                    route = choice.randrange(16)
                    words = [_static(route, tag), *payload]
                    ways = {o: v for o, v in _allowed(bench, port, vc).items() if routes[route] >> o & 1}
                else:
                    there = tuple(choice.randrange(k) for k in bench.place.radix)
                    slot = choice.randrange(bench.slots)
                    words = [bench.header(there, slot, tag), *payload]
                    out, channel = bench.expected(port, vc, there, slot)
                    ways = {out: channel}
                source.send(flits_of(words, vc))
                for out, channel in ways.items():
                    expected.setdefault((port * 4 + vc, out, channel), deque()).append(tuple(words))
                    packets += 1

    def receiver(port: int) -> Any:
        def receive(packet: Received) -> None:
            origin = tag_of(packet) >> 4
            assert packet.words == expected[(origin, port, packet.vc)].popleft()

        return receive

    for port, sink in enumerate(bench.sinks):
        sink.on_packet = receiver(port)
    await bench.drain(20000)
    assert sum(len(sink.packets) for sink in bench.sinks) == packets
    assert not any(expected.values())


@cocotb.test()
async def a_static_flit_alone_is_a_packet(dut: Any) -> None:
    bench = await _start(dut)
    outs = sorted(_allowed(bench, bench.slot_port(), 0))
    await _load(bench, {1: _ports(*outs)})
    for _ in range(4):
        bench.sources[bench.slot_port()].send([Flit(_static(1), True, 0)])
    await bench.drain()
    assert [len(bench.sinks[out].packets) for out in outs] == [4] * len(outs)


@pytest.mark.parametrize(
    "parameters",
    [
        {"Dims": 3, "NumSlots": 1, "Dateline": 1, "BufferFlits": 4, "SlotBufferFlits": 8},
        {"Dims": 2, "NumSlots": 2, "Dateline": 0, "BufferFlits": 8, "SlotBufferFlits": 4},
        {"Dims": 3, "NumSlots": 1, "Dateline": 1, "BufferFlits": 4, "SlotBufferFlits": 8, "Pipeline": 1},
    ],
    ids=["torus", "mesh", "torus_pipeline"],
)
def test_static_routes(parameters: dict[str, int]) -> None:
    run("router", __file__, parameters)
