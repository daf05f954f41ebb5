# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Routers and links as a ring: latency over several hops, bandwidth, and no deadlock however full it is."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import cocotb
import pytest
from harness.clock import start
from harness.flits import FlitPorts, FlitSink, FlitSource
from harness.packets import Flit, Kind, flits_of
from harness.runner import run
from tidings.generated.packets import Header0, RouteEntry, RouteWrite


async def _ring(dut: Any, seed: int = 1) -> FlitPorts:
    routers = dut.Routers.value.to_unsigned()
    places = [dut.SlotBufferFlits.value.to_unsigned()] * 2
    ports = FlitPorts(
        dut,
        [FlitSource(places, seed * 100 + router) for router in range(routers)],
        [FlitSink(places, seed * 100 + 50 + router) for router in range(routers)],
    )
    ports.clear_inputs()
    dut.route_write_valid_i.value = 0
    dut.route_write_i.value = 0
    await start(dut)
    return ports


def _header(source: int, destination: int) -> int:
    return Header0(dst_node=destination, src_node=source).encode()


@cocotb.test()
async def each_hop_costs_the_latency_of_its_link(dut: Any) -> None:
    ports = await _ring(dut)
    routers = len(ports.sources)
    latency = dut.Latency.value.to_unsigned()
    for source in range(routers):
        for destination in range(routers):
            around = (destination - source) % routers
            hops = min(around, routers - around)
            ports.sources[source].send([Flit(_header(source, destination), True, 0)])
            await ports.step(hops * latency + 3)
            sent = ports.sources[source].sent[-1][0]
            assert ports.sinks[destination].packets[-1].words == (_header(source, destination),)
            assert ports.sinks[destination].packets[-1].last_cycle == sent + 1 + hops * latency


@cocotb.test()
@cocotb.parametrize(pressure=[(0.0, 0.0), (0.3, 0.5)])
async def a_ring_full_of_long_packets_does_not_deadlock(dut: Any, pressure: tuple[float, float]) -> None:
    ports = await _ring(dut, 2)
    routers = len(ports.sources)
    choice = random.Random(9)
    wanted: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for router, source in enumerate(ports.sources):
        source.idle, ports.sinks[router].backpressure = pressure
        for number in range(20):
            # Half way round, always in the + direction: every link is wanted by a packet that holds another.
            destination = (router + routers // 2) % routers
            words = [_header(router, destination), number, *(choice.getrandbits(32) for _ in range(30))]
            source.send(flits_of(words, 0))
            wanted[destination, tuple(words)] += 1
    await ports.until(lambda: sum(len(sink.packets) for sink in ports.sinks) == 20 * routers, 20000)
    got = Counter((router, packet.words) for router, sink in enumerate(ports.sinks) for packet in sink.packets)
    assert got == wanted
    await ports.step(20)
    assert dut.busy_o.value == 0


@cocotb.test()
async def words_follow_a_static_route_without_a_decision_on_the_way(dut: Any) -> None:
    """Use a static network as on Tile processors: once its head has passed, a path hands on single words."""
    ports = await _ring(dut)
    latency = dut.Latency.value.to_unsigned()
    route, plus, slot = 5, 1 << 0, 1 << 2
    for router, out in ((0, plus), (1, plus), (2, slot)):
        dut.route_write_valid_i.value = 1 << router
        dut.route_write_i.value = RouteWrite(route, RouteEntry(switched=True, ports=out)).encode()
        await ports.step()
    dut.route_write_valid_i.value = 0
    source, sink = ports.sources[0], ports.sinks[2]
    words = [Header0(Kind.STATIC_MESSAGE, dst_node=route).encode(), *range(100)]
    flits = flits_of(words, 0)
    source.send(flits[:1])
    await ports.step(20)
    # The path stands, and words come when they come.
    for flit in flits[1:51]:
        source.send([flit])
        await ports.step(3 + flit.data % 3)
    source.send(flits[51:])
    await ports.until(lambda: len(sink.packets) == 1, 400)
    assert sink.packets[0].words == tuple(words)
    sent = [cycle for cycle, _ in source.sent]
    got = [cycle for cycle, _ in sink.flits]
    routers = 3
    hops = 1 + (routers - 1) * latency
    # Each router looks up the route of the head, which costs it a cycle; words cost none.
    assert got[0] - sent[0] == hops + routers
    assert [after - before for before, after in zip(sent[2:51], got[2:51], strict=True)] == [hops] * 49


@pytest.mark.parametrize(
    "parameters",
    [{"Routers": 4, "Latency": 3, "BufferFlits": 4}, {"Routers": 5, "Latency": 1, "BufferFlits": 2}],
    ids=["four", "five"],
)
def test_ring(parameters: dict[str, int]) -> None:
    wrapper = Path(__file__).parent / "ring_of_routers.sv"
    run("ring_of_routers", __file__, parameters, extra_sources=[wrapper])
