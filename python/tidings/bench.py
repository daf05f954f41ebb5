# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Benchmarks: how fast machines are simulated."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from rich.table import Table

from tidings import _core
from tidings.machine_file import Machine
from tidings.run import compiled_node, configuration


@dataclass(frozen=True)
class Speed:
    """How fast one machine was simulated under one load, all slots busy all the time."""

    machine: str
    nodes: int
    fidelity: str
    load: str
    cycles: int
    flit_hops: int
    node_evaluations: int
    wall_seconds: float

    @property
    def cycles_per_second(self) -> float:
        """Fabric cycles simulated in a second of wall time."""
        return self.cycles / self.wall_seconds

    @property
    def flit_hops_per_second(self) -> float:
        """Flits that entered a link in a second of wall time."""
        return self.flit_hops / self.wall_seconds


def simulator_speeds(machine: Machine, fidelity: str, cycles: int, progress: TextIO | None) -> Iterator[Speed]:
    """Simulate a machine under each load and say how fast that was.

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
    for heading in ("nodes", "cycles/s", "flit-hops/s", "ns/node evaluation"):
        table.add_column(heading, justify="right", no_wrap=True)
    for speed in speeds:
        table.add_row(
            speed.machine,
            speed.fidelity,
            speed.load,
            str(speed.nodes),
            f"{speed.cycles_per_second:,.0f}",
            f"{speed.flit_hops_per_second:,.0f}",
            f"{speed.wall_seconds / speed.node_evaluations * 1e9:,.0f}",
        )
    return table
