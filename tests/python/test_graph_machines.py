# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machines of any graph: the time of their links, and how large they can be."""

import dataclasses

import pytest

from tidings import _core
from tidings.analyze import deadlock
from tidings.machines.configuration import configuration
from tidings.machines.file import Link, Machine, Topology, find_machine, load_machine
from tidings.traffic import measurement


def graph(links: list[tuple[int, ...]], routers: int, slots: int = 1, hosts: int = 0, latency: int = 5) -> Machine:
    star = load_machine(find_machine("star"))
    topology = Topology("graph", slots, routers=routers, hosts=hosts, links=tuple(links))
    return dataclasses.replace(star, topology=topology, link=Link(latency))


def hypercube(dimensions: int, slots: int) -> Machine:
    routers = 1 << dimensions
    links = [(a, a | 1 << d) for a in range(routers) for d in range(dimensions) if not a >> d & 1]
    return graph(list(links), routers, slots)


def latencies(machine: Machine, hot: int) -> tuple[int, int]:
    """Fewest and most cycles of lone packets of four flits to one endpoint."""
    traffic = measurement.Traffic(
        machine,
        pattern="hotspot",
        hot_endpoints=(hot,),
        hot_share=1.0,
        packet_flits=4,
        warmup_cycles=0,
        measure_cycles=20_000,
    )
    result = _core.run_traffic(traffic.at(0.0005))
    return result.latency.min, result.latency.max


def test_a_hop_costs_what_its_own_link_says() -> None:
    # 1 -- 0 -- 2: from router 1 to router 2 over links of 5 and of 31 cycles.
    machine = graph([(0, 1), (0, 2, 31)], 3)
    wires, rest = 2, 3  # into the first router and out of the last; the flits behind the head
    fewest, most = latencies(machine, 2)
    assert fewest == wires + rest  # from router 2 itself
    assert most >= wires + 5 + 31 + rest
    bounds = _core.traffic_bounds(measurement.Traffic(machine, packet_flits=4).at(0.1))
    ways = [0, 5, 31, 5, 0, 36, 31, 36, 0]
    assert bounds.zero_load_latency == pytest.approx(wires + rest + sum(ways) / 9)


def test_a_graph_that_is_a_grid_has_the_times_of_the_grid() -> None:
    """A mesh of 4 x 1 and a chain of four routers carry the same packets in the same cycles."""
    chain = graph([(0, 1), (1, 2), (2, 3)], 4)
    row = dataclasses.replace(chain, topology=Topology("mesh", 1, (4,)))
    figures = []
    for machine in (chain, row):
        traffic = measurement.Traffic(machine, packet_flits=3, warmup_cycles=100, measure_cycles=4000)
        result = _core.run_traffic(traffic.at(0.2))
        figures.append((result.latency.mean, result.latency.max, result.window.flit_hops))
    assert figures[0] == figures[1]


def test_static_routes_of_a_graph_are_refused() -> None:
    # A route could name a slot of a router that has none.
    ring = graph([(0, 1), (1, 2), (2, 0)], routers=3, hosts=1)
    config = configuration(ring)
    config.node.num_routes = 16
    with pytest.raises(ValueError, match=r"router\.routes: is 16; static routes follow dimension order"):
        _core.benchmark(config, "", _core.BenchmarkLoad.NEIGHBOUR, 10, 1)


def test_4096_slots_are_built_and_run() -> None:
    machine = hypercube(8, 16)
    assert machine.slots == 4096
    assert machine.network().diameter_hops == 8
    result = _core.run_traffic(measurement.Traffic(machine, warmup_cycles=0, measure_cycles=100).at(0.02))
    assert result.window.flit_hops > 4096
    assert result.latency.min == 2  # within a router
    assert result.latency.packets > 4096


def test_engines_of_4096_slots_reduce_and_broadcast() -> None:
    """All slots are in one tree of allreduces, as fast as the tree allows."""
    machine = hypercube(8, 16)
    small = dataclasses.replace(machine, mpe=machine.mpe.replaced(buffer_words=128))
    result = _core.benchmark(configuration(small), "", _core.BenchmarkLoad.ALLREDUCE, 3000, 1)
    assert result.flit_hops > 2 * 4095  # at least up and down every edge of the tree


def test_a_graph_of_4096_routers_is_routed_and_checked() -> None:
    # A tree of 4,096 routers: each has up to 16 below it.
    machine = graph([((router - 1) // 16, router) for router in range(1, 4096)], 4096)
    network = machine.network()
    assert (network.routers, network.endpoints, network.diameter_hops) == (4096, 4096, 6)
    assert deadlock.check_channels(machine).acyclic
