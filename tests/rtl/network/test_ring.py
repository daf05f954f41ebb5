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
from harness.packets import Flit, flits_of
from harness.runner import run


async def _ring(dut: Any, seed: int = 1) -> FlitPorts:
    routers = dut.Routers.value.to_unsigned()
    places = [dut.SlotBufferFlits.value.to_unsigned()] * 2
    ports = FlitPorts(
        dut,
        [FlitSource(places, seed * 100 + router) for router in range(routers)],
        [FlitSink(places, seed * 100 + 50 + router) for router in range(routers)],
    )
    ports.clear_inputs()
    await start(dut)
    return ports


def _header(source: int, destination: int) -> int:
    return destination << 12 | source


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


@pytest.mark.parametrize(
    "parameters",
    [{"Routers": 4, "Latency": 3, "BufferFlits": 4}, {"Routers": 5, "Latency": 1, "BufferFlits": 2}],
    ids=["four", "five"],
)
def test_ring(parameters: dict[str, int]) -> None:
    wrapper = Path(__file__).parent / "ring_of_routers.sv"
    run("ring_of_routers", __file__, parameters, extra_sources=[wrapper])
