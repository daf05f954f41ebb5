# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Benchmarks: how fast machines and networks are simulated, in one thread or several."""

import dataclasses
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from rich.table import Table

from tidings import _core
from tidings.bench.other_build import FIRST, command_of
from tidings.errors import UserError
from tidings.machines.configuration import configuration
from tidings.machines.file import Machine, find_machine, load_machine
from tidings.report.progress import saying
from tidings.runtime import threads
from tidings.runtime.run import FIDELITIES, compiled_node


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
    threads: int = 1
    ratio: float | None = None  #: to the speed of one thread or of another build, if that was measured too
    other_cycles_per_second: float | None = None  #: of the other build
    remark: str = ""  #: why threads are fewer than were asked for
    target: float | None = None  #: cycles per second that were to be reached
    target_ratio: float | None = None  #: of the target to commit `FIRST`, on the computer of which the target is

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
    """A network whose endpoints send synthetic traffic: 1 virtual channel on a mesh, 2 on a torus."""

    kind: str
    size: tuple[int, ...]
    load: float  #: flits per endpoint per cycle, offered
    cycles: int  #: that take about a second
    link_cycles: int = 1
    buffer_flits: int = 8
    target: float | None = None  #: cycles per second with packets of `PACKETS[0]` flits
    before: float | None = None  #: the same of commit `FIRST`, on the computer of which the target is

    @property
    def name(self) -> str:
        """What tables call it."""
        latency = f", links of {self.link_cycles} cycles" if self.link_cycles > 1 else ""
        return f"{'x'.join(map(str, self.size))} {self.kind}{latency}"


#: Networks that simulators are compared by; a 64x64 mesh cannot carry 0.1 flits per node per cycle.
NETWORKS = (
    Network("mesh", (8, 8), 0.1, 400_000, target=1_500_000, before=700_000),
    Network("torus", (4, 4, 4), 0.1, 500_000),
    Network("mesh", (16, 16), 0.1, 50_000, target=120_000, before=95_000),
    Network("mesh", (64, 64), 0.05, 2_000),
)
#: Flits of their packets.
PACKETS = (8, 1)
#: Networks of boards: their links leave threads time to look ahead, and their buffers hide the links' round trip.
FAR_NETWORKS = (
    Network("torus", (16, 16), 0.1, 100_000, link_cycles=80, buffer_flits=256),
    Network("torus", (8, 8, 8), 0.1, 50_000, link_cycles=80, buffer_flits=256),
)
_WARM_UP = 2000
_MACHINE_LOADS = (_core.BenchmarkLoad.NEIGHBOUR, _core.BenchmarkLoad.UNIFORM, _core.BenchmarkLoad.ALLREDUCE)


def speeds(
    machines: Sequence[Machine] | None,
    fidelity: str,
    cycles: int | None,
    most_threads: int | None,
    repeats: int,
    progress: TextIO | None,
) -> Iterator[Speed]:
    """Measure machines, or the networks that simulators are compared by and `spirit`.

    Parameters
    ----------
    machines : sequence of Machine or None
        What is simulated; None stands for the networks and `spirit`.
    fidelity : str
        What nodes are: one of `FIDELITIES`.
    cycles : int or None
        Fabric cycles per load; a choice for each if None.
    most_threads : int or None
        Compare 1 to this number of threads.
    repeats : int
        Measurements for each number of threads.
    progress : text stream or None
        Where to say what is measured.

    Raises
    ------
    UserError
        If threads are to be compared at another fidelity than `cycle`.
    """
    if fidelity not in FIDELITIES:
        raise UserError(f"fidelity {fidelity!r} is not available; available: {', '.join(FIDELITIES)}")
    if most_threads is not None and fidelity != "cycle":
        raise UserError("--threads is for the cycle model: leave --fidelity rtl out")
    chosen = machines or [load_machine(find_machine("spirit"))]
    with saying(progress) as say:
        if most_threads is not None:
            if machines is None:
                yield from network_scaling(most_threads, cycles, repeats, say)
            for machine in chosen:
                yield from machine_scaling(machine, most_threads, cycles or 20_000, repeats, say)
            return
        if machines is None and fidelity == "cycle":
            yield from network_speeds(cycles, say)
        for machine in chosen:
            say(machine.name)
            yield from machine_speeds(machine, fidelity, cycles or 5000, progress)


def speeds_against(
    checkout: Path,
    machines: Sequence[str],
    fidelity: str,
    cycles: int | None,
    repeats: int,
    progress: TextIO | None,
) -> Iterator[Speed]:
    """Measure this build and that of another checkout in turn, and compare the best of each.

    Both do what ``tidings bench simulator`` does in their checkout. What else the computer does meets both alike, and
    can only slow them down.

    Parameters
    ----------
    checkout : Path
        A folder in which ``make`` has built Tidings.
    machines : sequence of str
        Names or paths of machines, for both; empty for the networks and `spirit`.
    fidelity : str
        What nodes are: one of `FIDELITIES`.
    cycles : int or None
        Fabric cycles per load; a choice of each build if None.
    repeats : int
        Measurements of each build.
    progress : text stream or None
        Where to say what is measured.

    Raises
    ------
    UserError
        If the other checkout is not built, or its command fails.
    """
    chosen = [load_machine(find_machine(name)) for name in machines] or None
    best: dict[tuple[str, str], Speed] = {}
    other: dict[tuple[str, str], float] = {}
    with saying(progress) as say:
        for repeat in range(repeats):
            say(f"{checkout}, {repeat + 1} of {repeats}")
            for row in _speeds_of_checkout(checkout, machines, fidelity, cycles):
                key = (row["machine"], row["load"])
                other[key] = max(other.get(key, 0.0), row["cycles"] / row["wall_seconds"])
            say(f"this build, {repeat + 1} of {repeats}")
            for speed in speeds(chosen, fidelity, cycles, None, 1, None):
                key = (speed.machine, speed.load)
                if key not in best or speed.cycles_per_second > best[key].cycles_per_second:
                    best[key] = speed
    for key, speed in best.items():
        if key in other:
            ratio = speed.cycles_per_second / other[key]
            yield dataclasses.replace(speed, ratio=ratio, other_cycles_per_second=other[key])
        else:
            yield speed


def _speeds_of_checkout(
    checkout: Path, machines: Sequence[str], fidelity: str, cycles: int | None
) -> list[dict[str, Any]]:
    """Run ``tidings bench simulator`` of another checkout."""
    command = command_of(checkout)
    options = ["--fidelity", fidelity, *(f"--machine={name}" for name in machines)]
    if cycles is not None:
        options += ["--cycles", str(cycles)]
    # A file, because not all versions of the command write JSON to standard output.
    with tempfile.TemporaryDirectory(prefix="tidings-") as folder:
        file = Path(folder) / "speeds.json"
        line = [str(command), "bench", "simulator", *options, "--json", str(file)]
        ended = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode != 0:
            raise UserError(f"--against {checkout}: {' '.join(line)} failed:\n{ended.stderr.strip()}")
        rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        return rows


def network_speeds(cycles: int | None, say: Callable[[str], None]) -> Iterator[Speed]:
    """Simulate uniform random traffic on each network, by the cycle model, and say how fast that was.

    Parameters
    ----------
    cycles : int or None
        Fabric cycles per network, after some to warm up; what takes about a second if None.
    say : callable
        Called with the name of each network before it is simulated.
    """
    for network in NETWORKS:
        say(network.name)
        for packet in PACKETS:
            yield _network_speed(network, packet, cycles or network.cycles)


def _network_speed(network: Network, packet: int, cycles: int, in_threads: int = 1) -> Speed:
    """Simulate uniform random traffic on a network."""
    config = _traffic(network, packet, cycles)
    config.threads = in_threads
    result = _core.run_traffic(config)
    target, before = (network.target, network.before) if packet == PACKETS[0] else (None, None)
    return Speed(
        machine=network.name,
        nodes=result.endpoints,
        fidelity="cycle",
        load=f"uniform {network.load:g}, {packet}-flit packets",
        cycles=result.window.cycles,
        flit_hops=result.window.flit_hops,
        node_evaluations=None,
        wall_seconds=result.window.wall_seconds,
        threads=in_threads,
        target=target,
        target_ratio=target / before if target and before else None,
    )


def _traffic(network: Network, packet: int, cycles: int) -> _core.TrafficConfig:
    """Return the simulator's description of a network's traffic."""
    config = _core.TrafficConfig()
    machine = _core.MachineConfig()
    machine.topology.kind = _core.TopologyKind[network.kind.upper()]
    machine.topology.size = list(network.size)
    machine.node.buffer_flits = network.buffer_flits
    machine.node.slot_buffer_flits = 8
    machine.link.latency_cycles = network.link_cycles
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
        Fabric cycles per load, after some to warm up.
    progress : TextIO or None
        Where to say that a node is compiled.
    """
    library = str(compiled_node(machine, waves=False, progress=progress)) if fidelity == "rtl" else ""
    for load in _MACHINE_LOADS:
        yield dataclasses.replace(_machine_speed(machine, library, load, cycles), fidelity=fidelity)


def _machine_speed(
    machine: Machine, library: str, load: _core.BenchmarkLoad, cycles: int, in_threads: int = 1
) -> Speed:
    """Simulate a machine under a load."""
    result = _core.benchmark(configuration(machine), library, load, cycles, in_threads)
    return Speed(
        machine=machine.name,
        nodes=machine.routers,
        fidelity="cycle",
        load=load.name.lower(),
        cycles=result.cycles,
        flit_hops=result.flit_hops,
        node_evaluations=result.node_evaluations,
        wall_seconds=result.seconds,
        threads=in_threads,
    )


def network_scaling(most: int, cycles: int | None, repeats: int, say: Callable[[str], None]) -> Iterator[Speed]:
    """Simulate networks with long links in 1 to `most` threads; see `machine_scaling`."""
    for network in FAR_NETWORKS:
        yield from _scaling(
            network.name,
            partial(_network_speed, network, PACKETS[0], cycles or network.cycles),
            most,
            repeats,
            say,
        )


def machine_scaling(
    machine: Machine, most: int, cycles: int, repeats: int, say: Callable[[str], None]
) -> Iterator[Speed]:
    """Simulate a machine with its engines, by the cycle model, in 1 to `most` threads, and say how fast that was.

    Parameters
    ----------
    machine : Machine
        The whole machine is simulated, all slots communicate.
    most : int
        Threads. If more than one do not pay, the only speed has a remark that says why.
    cycles : int
        Fabric cycles per load, after some to warm up.
    repeats : int
        Each is measured this number of times, and the best counts: what else the computer does can only slow it down.
    say : callable
        Called with what is simulated next.

    Raises
    ------
    RuntimeError
        If threads change what is simulated, which is a mistake in the simulator.
    """
    used, reason = threads.of_machine(machine, configuration(machine), machine.routers, most)
    for load in _MACHINE_LOADS:
        for speed in _scaling(
            f"{machine.name}, {load.name.lower()}",
            partial(_machine_speed, machine, "", load, cycles),
            used,
            repeats,
            say,
        ):
            yield dataclasses.replace(speed, remark=reason if speed.threads == used else "")


def _scaling(
    name: str, measure: Callable[[int], Speed], most: int, repeats: int, say: Callable[[str], None]
) -> Iterator[Speed]:
    """Measure in 1 to `most` threads, in turn, so that all suffer alike from what else the computer does."""
    best: dict[int, Speed] = {}
    for repeat in range(repeats):
        for count in range(1, most + 1):
            say(f"{name}, {count} thread{'s' * (count > 1)}, {repeat + 1} of {repeats}")
            speed = measure(count)
            if (speed.cycles, speed.flit_hops) != (best.get(1, speed).cycles, best.get(1, speed).flit_hops):
                message = f"{name}: {count} threads moved {speed.flit_hops} flits, one {best[1].flit_hops}"
                raise RuntimeError(message)
            if count not in best or speed.wall_seconds < best[count].wall_seconds:
                best[count] = speed
    for speed in best.values():
        yield dataclasses.replace(speed, ratio=best[1].wall_seconds / speed.wall_seconds)


def as_table(speeds: Sequence[Speed]) -> Table:
    """Return the speeds as a table, with ratios if threads or builds were compared."""
    if any(speed.other_cycles_per_second is not None for speed in speeds):
        return _table_of_builds(speeds)
    in_threads = any(speed.ratio is not None for speed in speeds)
    table = Table(box=None, pad_edge=False)
    for heading in ("machine", *(() if in_threads else ("fidelity",)), "load"):
        table.add_column(heading)
    speed_headings = ("cycles/s", "flit-hops/s")
    for heading in (
        "nodes",
        *(("threads", *speed_headings, "ratio") if in_threads else (*speed_headings, "ns/flit-hop", "target cycles/s")),
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for speed in speeds:
        both = (f"{speed.cycles_per_second:,.0f}", f"{speed.flit_hops_per_second:,.0f}")
        if in_threads:
            ratio = "" if speed.ratio is None else f"{speed.ratio:.2f}"
            table.add_row(speed.machine, speed.load, f"{speed.nodes:,}", str(speed.threads), *both, ratio)
        else:
            cost = f"{1e9 / speed.flit_hops_per_second:,.0f}" if speed.flit_hops else ""
            target = "" if speed.target is None else f"{speed.target:,.0f}"
            table.add_row(speed.machine, speed.fidelity, speed.load, f"{speed.nodes:,}", *both, cost, target)
    return table


def _table_of_builds(speeds: Sequence[Speed]) -> Table:
    """Return the speeds of two builds and their ratio."""
    table = Table(box=None, pad_edge=False)
    for heading in ("machine", "fidelity", "load"):
        table.add_column(heading)
    for heading in ("other cycles/s", "cycles/s", "ratio", f"target to {FIRST}"):
        table.add_column(heading, justify="right", no_wrap=True)
    for speed in speeds:
        other = speed.other_cycles_per_second
        row = (speed.machine, speed.fidelity, speed.load, "" if other is None else f"{other:,.0f}")
        ratios = ("" if ratio is None else f"{ratio:.2f}" for ratio in (speed.ratio, speed.target_ratio))
        table.add_row(*row, f"{speed.cycles_per_second:,.0f}", *ratios)
    return table


def remarks(speeds: Sequence[Speed]) -> list[str]:
    """Return what is to be said about machines whose threads are fewer than were asked for."""
    return list(
        dict.fromkeys(
            f"{speed.machine}: {speed.threads} thread{'s' * (speed.threads > 1)}, because {speed.remark}"
            for speed in speeds
            if speed.remark
        )
    )
