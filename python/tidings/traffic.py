# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Synthetic traffic on machines: loads, saturation, and what a machine could do at best.

Definitions are those of Dally and Towles, "Principles and Practices of Interconnection Networks" (2004): patterns of
section 3.2, bounds of chapter 3, phases of a measurement of section 24.3. Loads are in flits an endpoint a cycle.
"""

import csv
import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from tidings import _core
from tidings.errors import UserError
from tidings.machine_file import Machine
from tidings.run import configuration

#: Patterns by the name that a user gives.
PATTERNS = {pattern.name.lower().replace("_", "-"): pattern for pattern in _core.Pattern}
#: Share of the capacity within which the saturation load is found.
SATURATION_PRECISION = 0.01
#: Shares of the saturation load that a sweep shows where the user names no loads.
SWEEP = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.1, 1.25)

#: Called with what is being done and the share of it that is done, 0 to 1.
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Changes:
    """What a user changes about a machine of a file; None leaves it alone."""

    topology: str | None = None
    size: tuple[int, ...] | None = None
    slots: int | None = None
    buffer_flits: int | None = None
    link_latency_cycles: int | None = None

    def apply(self, machine: Machine) -> Machine:
        """Return the changed machine.

        Raises
        ------
        UserError
            Where there can be no such machine.
        """
        kind = self.topology or machine.topology.kind
        size = machine.topology.size if self.size is None else self.size
        if kind == "crossbar" and self.size is None:
            size = ()
        if kind != "crossbar" and not size:
            raise UserError(f"a {kind} needs the routers in each dimension: add --size 8x8")
        machine = dataclasses.replace(
            machine,
            topology=dataclasses.replace(
                machine.topology, kind=kind, size=size, slots=self.slots or machine.topology.slots
            ),
            router=dataclasses.replace(machine.router, buffer_flits=self.buffer_flits or machine.router.buffer_flits),
            link=dataclasses.replace(
                machine.link, latency_cycles=self.link_latency_cycles or machine.link.latency_cycles
            ),
        )
        try:
            configuration(machine).validate()
        except ValueError as error:
            raise UserError(f"{machine.name} cannot be changed like this: {error}") from error
        return machine


@dataclass(frozen=True)
class Traffic:
    """What is sent through which machine, at any load."""

    machine: Machine
    vcs: int | None = None  #: virtual channels of a network port; the fewest without
    pattern: str = "uniform"
    hot_endpoints: tuple[int, ...] = ()
    hot_share: float = 0.1
    packet_flits: int = 1
    seed: int = 1
    warmup_cycles: int = 5000
    measure_cycles: int = 20000
    drain_cycles: int = 200_000
    threads: int = 1  #: that simulate it; results do not depend on it

    @property
    def classes(self) -> int:
        """Message classes: channels that packets do not leave; doubled by the dateline on wrapped dimensions."""
        return 1 if self.vcs is None else self.vcs // (2 if self.machine.wrapped else 1)

    @property
    def ports(self) -> int:
        """Network ports of a router."""
        return 2 * len(self.machine.topology.size)

    def hot(self) -> tuple[int, ...]:
        """Return the hot endpoints: slot 0 of the router in the middle where none is named."""
        if self.hot_endpoints:
            return self.hot_endpoints
        node, stride = 0, 1
        for size in self.machine.topology.size:
            node += size // 2 * stride
            stride *= size
        return (node * self.machine.topology.slots,)

    def at(self, load: float) -> _core.TrafficConfig:
        """Return the simulator's description of this traffic at a load.

        Raises
        ------
        UserError
            Where there is no such traffic.
        """
        doubled = self.machine.wrapped
        if self.vcs is not None and (self.vcs < 1 or (doubled and self.vcs % 2)):
            kind = self.machine.topology.kind
            raise UserError(f"--vcs {self.vcs}: a {kind} has {'2 or 4' if doubled else '1 to 4'} virtual channels")
        config = _core.TrafficConfig()
        config.machine = configuration(self.machine)
        config.classes = self.classes
        config.pattern = PATTERNS[self.pattern]
        if self.pattern == "hotspot":
            config.hot_endpoints = list(self.hot())
            config.hot_share = self.hot_share
        config.load = load
        config.packet_flits = self.packet_flits
        config.seed = self.seed
        config.warmup_cycles = self.warmup_cycles
        config.measure_cycles = self.measure_cycles
        config.drain_cycles = self.drain_cycles
        config.threads = self.threads
        try:
            config.validate()
        except ValueError as error:
            raise UserError(f"no such traffic on {self.machine.name}: {error}") from error
        return config


@dataclass(frozen=True)
class Latency:
    """Latencies of the measured packets in cycles."""

    mean: float
    half_width_95: float | None  #: of the mean's 95 % confidence interval; None where packets were too few
    min: int
    p50: int
    p99: int
    max: int

    @classmethod
    def of(cls, summary: _core.LatencySummary) -> "Latency":
        """Take what the simulator says."""
        half_width = None if math.isnan(summary.half_width) else summary.half_width
        return cls(summary.mean, half_width, summary.min, summary.p50, summary.p99, summary.max)


@dataclass(frozen=True)
class Point:
    """What came of one load."""

    load: float
    offered: float
    accepted: float
    saturated: bool
    packets: int  #: that were measured
    latency: Latency | None  #: from creation; None where the machine is saturated, or no packet was measured
    network_latency: Latency | None  #: from the departure of the head from its source
    still_rising: bool  #: the first half of the window has lower latencies: the warm-up was too short
    link_utilisation: tuple[float, ...]  #: flits a cycle; node * ports + port
    cycles: int
    flit_hops: int
    wall_seconds: float


@dataclass(frozen=True)
class Bounds:
    """What the machine can do at best, in flits an endpoint a cycle."""

    capacity: float
    limited_by: str
    channel_bound: float | None  #: by the busiest link of the routes; None without links
    port_bound: float  #: by the busiest port of an endpoint
    bisection_bound: float | None  #: of uniform traffic by any routing; None without links
    mean_hops: float
    zero_load_latency: float  #: mean over the pattern's packets, each alone
    channel_loads: tuple[float, ...]  #: flits on each link while each endpoint offers one a cycle


@dataclass(frozen=True)
class Saturation:
    """The load up to which the machine keeps up."""

    load: float  #: highest load that was carried
    above: float | None  #: lowest load that was not; None where all were
    accepted: float  #: flits that arrived at `load`


@dataclass(frozen=True)
class Exchange:
    """One packet from every endpoint to every other one, all at once."""

    cycles: int
    bound: int

    @property
    def ratio(self) -> float:
        """How many times the bound it takes."""
        return self.cycles / self.bound


@dataclass
class Study:
    """Everything that was found out."""

    traffic: Traffic
    bounds: Bounds
    points: list[Point] = dataclasses.field(default_factory=list)
    saturation: Saturation | None = None
    exchange: Exchange | None = None

    def shown(self) -> Point | None:
        """Return the point whose links are drawn: the highest load that was carried."""
        return max(
            (point for point in self.points if not point.saturated), key=lambda point: point.load, default=None
        ) or (self.points[0] if self.points else None)


def bounds_of(traffic: Traffic) -> Bounds:
    """Compute what the machine can do at best."""
    found = _core.traffic_bounds(traffic.at(1.0))
    if found.channel_bound <= found.port_bound:
        limited_by = f"link {link_name(traffic, found.busiest_node, found.busiest_port)}"
    else:
        limited_by = "ports of endpoints"
    return Bounds(
        capacity=found.capacity,
        limited_by=limited_by,
        channel_bound=_finite(found.channel_bound),
        port_bound=found.port_bound,
        bisection_bound=_finite(found.bisection_bound),
        mean_hops=found.mean_hops,
        zero_load_latency=found.zero_load_latency,
        channel_loads=tuple(found.channel_loads),
    )


def measure(traffic: Traffic, load: float, progress: Progress) -> Point:
    """Send traffic at one load."""
    result = _core.run_traffic(
        traffic.at(load), lambda cycle, cycles: progress(f"load {load:.4g}", min(cycle / cycles, 1))
    )
    known = result.latency.packets > 0 and not result.saturated
    return Point(
        load=load,
        offered=result.offered,
        accepted=result.accepted,
        saturated=result.saturated,
        packets=result.latency.packets,
        latency=Latency.of(result.latency) if known else None,
        network_latency=Latency.of(result.network_latency) if known else None,
        still_rising=known and _rises(result.batch_means),
        link_utilisation=tuple(flits / traffic.measure_cycles for flits in result.link_flits),
        cycles=result.total.cycles,
        flit_hops=result.total.flit_hops,
        wall_seconds=result.total.wall_seconds,
    )


def find_saturation(traffic: Traffic, bounds: Bounds, progress: Progress) -> Saturation:
    """Find the highest load that the machine carries, by bisection between none and the capacity."""
    carried, accepted = 0.0, 0.0
    above: float | None = None
    candidate = min(bounds.capacity, 1.0)
    while above is None or above - carried > SATURATION_PRECISION * bounds.capacity:
        point = measure(traffic, candidate, lambda what, share: progress(f"saturation: {what}", share))
        if not point.saturated:
            carried, accepted = candidate, point.accepted
            if above is None:
                break
        else:
            above = candidate
        candidate = (carried + above) / 2 if above is not None else candidate
    return Saturation(load=carried, above=above, accepted=accepted)


def exchange(traffic: Traffic, progress: Progress) -> Exchange:
    """Let every endpoint send one packet to each other one, and time it."""
    result = _core.run_exchange(traffic.at(1.0), lambda cycle, _: progress(f"exchange: cycle {cycle:,}", 0))
    return Exchange(cycles=result.cycles, bound=result.bound)


def sweep_loads(saturation: Saturation) -> list[float]:
    """Choose loads that show the whole curve: to the saturation load, and a little beyond."""
    loads = [float(f"{share * saturation.load:.3g}") for share in SWEEP]
    return sorted({load for load in loads if 0 < load <= 1})


def parse_loads(text: str) -> list[float]:
    """Read ``0.1``, ``0.1,0.2`` or ``0.05:0.4:0.05`` (first, last, step).

    Raises
    ------
    UserError
        Saying what is wrong.
    """
    loads: list[float] = []
    for part in text.split(","):
        try:
            numbers = [float(number) for number in part.split(":")]
        except ValueError:
            numbers = []
        match numbers:
            case [load]:
                loads.append(load)
            case [first, last, step] if step > 0 and first <= last and math.isfinite(last):
                steps = min(math.floor((last - first) / step + 1e-9), 10_000)
                loads += [round(first + i * step, 12) for i in range(steps + 1)]
            case _:
                raise UserError(f"--load {text}: {part!r} is neither a load, as 0.1, nor a range, as 0.05:0.4:0.05")
    for load in loads:
        if not 0 < load <= 1:
            raise UserError(f"--load {text}: {load:g} is not a load: more than 0, at most 1 flit an endpoint a cycle")
    return sorted(set(loads))


def parse_size(text: str) -> tuple[int, ...]:
    """Read ``8x8``: routers in each dimension.

    Raises
    ------
    UserError
        Where it is something else.
    """
    try:
        size = tuple(int(part) for part in text.lower().split("x"))
    except ValueError:
        size = ()
    if not size or any(routers < 1 for routers in size):
        raise UserError(f"--size {text}: write the routers in each dimension, as 8x8 or 4x4x4")
    return size


def coordinates(traffic: Traffic, node: int) -> tuple[int, ...]:
    """Return where a router is."""
    result = []
    for size in traffic.machine.topology.size:
        result.append(node % size)
        node //= size
    return tuple(result)


def neighbour(traffic: Traffic, node: int, port: int) -> tuple[int, ...] | None:
    """Return where the router at the other end of a link is; None over the edge of a mesh."""
    place = list(coordinates(traffic, node))
    dimension, back = divmod(port, 2)
    size = traffic.machine.topology.size[dimension]
    there = place[dimension] + (-1 if back else 1)
    if not 0 <= there < size and not (traffic.machine.wrapped and size > 1):
        return None
    place[dimension] = there % size
    return tuple(place)


def link_name(traffic: Traffic, node: int, port: int) -> str:
    """Name a link by its ends: ``(3,2)>(4,2)``."""
    here = ",".join(map(str, coordinates(traffic, node)))
    there = ",".join(map(str, neighbour(traffic, node, port) or ()))
    return f"({here})>({there})"


def links(traffic: Traffic) -> Iterator[tuple[int, int]]:
    """Yield the router and port of every link, in the order of results."""
    for node in range(traffic.machine.routers):
        for port in range(traffic.ports):
            if neighbour(traffic, node, port) is not None:
                yield node, port


def as_json(study: Study) -> dict[str, Any]:
    """Return everything as JSON's values."""
    traffic, machine = study.traffic, study.traffic.machine
    return {
        "machine": {
            "name": machine.name,
            "topology": machine.topology.kind,
            "size": list(machine.topology.size),
            "slots": machine.topology.slots,
            "buffer_flits": machine.router.buffer_flits,
            "slot_buffer_flits": machine.router.slot_buffer_flits,
            "arbiter": machine.router.arbiter,
            "pipeline": machine.router.pipeline,
            "link_latency_cycles": machine.link.latency_cycles,
            "virtual_channels": traffic.classes * (2 if machine.wrapped else 1),
        },
        "traffic": {
            "pattern": traffic.pattern,
            **(
                {"hot_endpoints": list(traffic.hot()), "hot_share": traffic.hot_share}
                if traffic.pattern == "hotspot"
                else {}
            ),
            "packet_flits": traffic.packet_flits,
            "seed": traffic.seed,
            "warmup_cycles": traffic.warmup_cycles,
            "measure_cycles": traffic.measure_cycles,
            "drain_cycles_at_most": traffic.drain_cycles,
        },
        "threads": traffic.at(1.0).usable_threads,
        "bounds": dataclasses.asdict(study.bounds),
        "saturation": dataclasses.asdict(study.saturation) if study.saturation else None,
        "exchange": dataclasses.asdict(study.exchange) | {"ratio": study.exchange.ratio} if study.exchange else None,
        "points": [dataclasses.asdict(point) for point in study.points],
    }


def write_points(study: Study, stream: TextIO) -> None:
    """Write the latency-load curve as CSV: a line a load, empty where a latency does not exist."""
    parts = ("mean", "half_width_95", "min", "p50", "p99", "max")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        ["load", "offered", "accepted", "saturated", "packets"]
        + [f"latency_{part}" for part in parts]
        + [f"network_latency_{part}" for part in parts]
        + ["zero_load_latency", "capacity"]
    )
    for point in study.points:
        row: list[object] = [point.load, point.offered, point.accepted, int(point.saturated), point.packets]
        for latency in (point.latency, point.network_latency):
            row += [getattr(latency, part) if latency else None for part in parts]
        writer.writerow([*row, study.bounds.zero_load_latency, study.bounds.capacity])


def write_links(study: Study, stream: TextIO) -> None:
    """Write what each link carried at each load as CSV, beside what the routes let expect."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["load", "node", "port", "from", "to", "utilisation", "expected"])
    for point in study.points:
        for node, port in links(study.traffic):
            place = node * study.traffic.ports + port
            here, there = link_name(study.traffic, node, port).replace(",", " ").split(">")
            expected = study.bounds.channel_loads[place] * point.load
            writer.writerow([point.load, node, port, here, there, point.link_utilisation[place], round(expected, 9)])


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _rises(batch_means: list[float]) -> bool:
    """Tell whether the second half of the batches is higher than the first by more than four standard errors."""
    if any(math.isnan(mean) for mean in batch_means):
        return False
    half = len(batch_means) // 2
    early, late = batch_means[:half], batch_means[half:]
    means = [sum(part) / half for part in (early, late)]
    squares = sum((x - mean) ** 2 for part, mean in zip((early, late), means, strict=True) for x in part)
    error = math.sqrt(squares / (2 * half - 2) * 2 / half)
    return means[1] - means[0] > 4 * error
