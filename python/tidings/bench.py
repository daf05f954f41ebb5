# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Benchmarks: how fast machines and networks are simulated."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TextIO

from rich.table import Table

from tidings import _core
from tidings.machine_file import Machine
from tidings.run import compiled_node, configuration


@dataclass(frozen=True)
class Speed:
    """How fast one machine was simulated under one load, after some cycles to warm up."""

    machine: str
    nodes: int
    fidelity: str
    load: str
    cycles: int
    flit_hops: int
    node_evaluations: int | None  #: not counted for networks
    wall_seconds: float

    @property
    def cycles_per_second(self) -> float:
        """Fabric cycles simulated in a second of wall time."""
        return self.cycles / self.wall_seconds

    @property
    def flit_hops_per_second(self) -> float:
        """Flits that entered a link in a second of wall time."""
        return self.flit_hops / self.wall_seconds


@dataclass(frozen=True)
class Network:
    """A network whose endpoints send synthetic traffic: routers of 8-flit buffers, links of one cycle."""

    kind: str
    size: tuple[int, ...]
    load: float  #: flits an endpoint offers in a cycle
    cycles: int  #: that take about a second

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{'x'.join(map(str, self.size))} {self.kind}"


#: Networks that simulators are compared by; a 64x64 mesh cannot carry 0.1 flits a node a cycle.
NETWORKS = (
    Network("mesh", (8, 8), 0.1, 400_000),
    Network("torus", (4, 4, 4), 0.1, 500_000),
    Network("mesh", (16, 16), 0.1, 50_000),
    Network("mesh", (64, 64), 0.05, 2_000),
)
#: Flits of their packets.
PACKETS = (8, 1)
_BUFFER_FLITS = 8
_WARM_UP = 2000


def network_speeds(cycles: int | None, say: Callable[[str], None]) -> Iterator[Speed]:
    """Simulate uniform random traffic on each network, by the cycle model, and say how fast that was.

    Parameters
    ----------
    cycles : int or None
        Fabric cycles a network, after some to warm up; what takes about a second if None.
    say : callable
        Called with the name of each network before it is simulated.
    """
    for network in NETWORKS:
        say(network.name)
        for packet in PACKETS:
            result = _core.run_traffic(_traffic(network, packet, cycles or network.cycles))
            yield Speed(
                machine=network.name,
                nodes=result.endpoints,
                fidelity="cycle",
                load=f"uniform {network.load:g}, {packet}-flit packets",
                cycles=result.window.cycles,
                flit_hops=result.window.flit_hops,
                node_evaluations=None,
                wall_seconds=result.window.wall_seconds,
            )


def _traffic(network: Network, packet: int, cycles: int) -> _core.TrafficConfig:
    """Return the simulator's description of a network's traffic: 1 virtual channel on a mesh, 2 on a torus."""
    config = _core.TrafficConfig()
    machine = _core.MachineConfig()
    machine.topology.kind = _core.TopologyKind[network.kind.upper()]
    machine.topology.size = list(network.size)
    machine.router.buffer_flits = _BUFFER_FLITS
    machine.router.slot_buffer_flits = _BUFFER_FLITS
    config.machine = machine
    config.classes = 1
    config.pattern = _core.Pattern.UNIFORM
    config.load = network.load
    config.packet_flits = packet
    config.warmup_cycles = _WARM_UP
    config.measure_cycles = cycles
    config.drain_cycles = 0
    return config


def machine_speeds(machine: Machine, fidelity: str, cycles: int, progress: TextIO | None) -> Iterator[Speed]:
    """Simulate a machine with its engines under each load, all slots busy all the time, and say how fast that was.

    Parameters
    ----------
    machine : Machine
        The whole machine is simulated, all slots communicate.
    fidelity : str
        What its nodes are: ``cycle`` or ``rtl``.
    cycles : int
        Fabric cycles a load, after some to warm up.
    progress : TextIO or None
        Where to say that a node is compiled.
    """
    library = str(compiled_node(machine, waves=False, progress=progress)) if fidelity == "rtl" else ""
    for load in (_core.BenchmarkLoad.NEIGHBOUR, _core.BenchmarkLoad.UNIFORM, _core.BenchmarkLoad.ALLREDUCE):
        result = _core.benchmark(configuration(machine), library, load, cycles)
        yield Speed(
            machine=machine.name,
            nodes=machine.routers,
            fidelity=fidelity,
            load=load.name.lower(),
            cycles=result.cycles,
            flit_hops=result.flit_hops,
            node_evaluations=result.node_evaluations,
            wall_seconds=result.seconds,
        )


def as_table(speeds: list[Speed]) -> Table:
    """Return the speeds as a table."""
    table = Table(box=None, pad_edge=False)
    for heading in ("machine", "fidelity", "load"):
        table.add_column(heading, no_wrap=True)
    for heading in ("nodes", "cycles/s", "flit-hops/s", "ns/flit-hop"):
        table.add_column(heading, justify="right", no_wrap=True)
    for speed in speeds:
        table.add_row(
            speed.machine,
            speed.fidelity,
            speed.load,
            f"{speed.nodes:,}",
            f"{speed.cycles_per_second:,.0f}",
            f"{speed.flit_hops_per_second:,.0f}",
            f"{1e9 / speed.flit_hops_per_second:,.0f}" if speed.flit_hops else "",
        )
    return table
