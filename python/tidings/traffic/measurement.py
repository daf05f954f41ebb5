# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Synthetic traffic on machines: loads, saturation, and what a machine could do at best.

Definitions are those of Dally and Towles, "Principles and Practices of Interconnection Networks" (2004): patterns of
section 3.2, bounds of chapter 3, phases of a measurement of section 24.3. Loads are in flits per endpoint per cycle.
"""

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidings import _core
from tidings.errors import UserError
from tidings.machines.configuration import configuration
from tidings.machines.file import Machine
from tidings.report.frames import frame_of
from tidings.report.progress import Progress

if TYPE_CHECKING:
    import pandas as pd

#: Patterns by the name that a user gives.
PATTERNS = {pattern.name.lower().replace("_", "-"): pattern for pattern in _core.Pattern}
#: Share of the capacity within which the saturation load is found.
SATURATION_PRECISION = 0.01
#: Shares of the saturation load that a sweep shows if the user names no loads.
SWEEP = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.1, 1.25)


@dataclass(frozen=True)
class Traffic:
    """What is sent through which machine, at any load."""

    machine: Machine
    vcs: int | None = None  #: virtual channels of a network port; the fewest without
    pattern: str = "uniform"
    hot_endpoints: tuple[int, ...] = ()
    hot_share: float = 0.1
    packet_flits: int = 1
    burst_packets: int = 1  #: that an endpoint creates at once, all for one destination
    seed: int = 1
    warmup_cycles: int = 5000
    measure_cycles: int = 20000
    drain_cycles: int = 200_000
    threads: int = 1  #: that simulate it; results do not depend on it

    @property
    def classes(self) -> int:
        """Message classes: channels that packets do not leave; as often as routes need layers of channels."""
        return 1 if self.vcs is None else self.vcs // self.machine.layers

    @property
    def ports(self) -> int:
        """Network ports of a router."""
        return self.machine.ports

    def hot(self) -> tuple[int, ...]:
        """Return the hot endpoints: slot 0 of the router in the middle if none is named."""
        if self.hot_endpoints:
            return self.hot_endpoints
        network = self.machine.network()
        middle = [size // 2 for size in network.size] or [network.hosts // 2] * (network.hosts > 1)
        return (network.router_at(middle) * network.slots,)

    def at(self, load: float) -> _core.TrafficConfig:
        """Return the simulator's description of this traffic at a load.

        Raises
        ------
        UserError
            If there is no such traffic.
        """
        if self.pattern not in PATTERNS:
            raise UserError(f"there is no pattern {self.pattern!r}; there are {', '.join(PATTERNS)}")
        doubled = self.machine.layers > 1
        if self.vcs is not None and self.vcs not in ((2, 4) if doubled else (1, 2, 3, 4)):
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
        config.burst_packets = self.burst_packets
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
    half_width_95: float | None  #: of the mean's 95 % confidence interval; None if packets were too few
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
    latency: Latency | None  #: from creation; None if the machine is saturated, or no packet was measured
    network_latency: Latency | None  #: from the departure of the head from its source
    still_rising: bool  #: the first half of the window has lower latencies: the warm-up was too short
    link_utilisation: tuple[float, ...]  #: flits per cycle; node * ports + port
    cycles: int
    flit_hops: int
    wall_seconds: float


@dataclass(frozen=True)
class Bounds:
    """What the machine can do at best, in flits per endpoint per cycle."""

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
    above: float | None  #: lowest load that was not; None if all were
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

    @property
    def curve(self) -> "pd.DataFrame":
        """The latency-load curve: a row per load; empty if a latency does not exist."""
        parts = [field.name for field in dataclasses.fields(Latency)]
        return frame_of(
            {
                "load": point.load,
                "offered": point.offered,
                "accepted": point.accepted,
                "saturated": point.saturated,
                "packets": point.packets,
                **{f"latency_{part}": getattr(point.latency, part, None) for part in parts},
                **{f"network_latency_{part}": getattr(point.network_latency, part, None) for part in parts},
                "zero_load_latency": self.bounds.zero_load_latency,
                "capacity": self.bounds.capacity,
            }
            for point in self.points
        )

    @property
    def links(self) -> "pd.DataFrame":
        """What each link carried at each load, beside what the routes let expect: a row per load and link."""
        return frame_of(
            {
                "load": point.load,
                **link,
                "utilisation": point.link_utilisation[place],
                "expected": expected * point.load,
            }
            for point in self.points
            for place, link, expected in self._links()
        )

    def _repr_html_(self) -> str:
        return self.curve.to_html()

    def _links(self) -> Iterator[tuple[int, dict[str, Any], float]]:
        """Yield each link's place in results, its ends, and what it carries when each endpoint offers one flit."""
        for node, port in links(self.traffic):
            place = node * self.traffic.ports + port
            here, there = link_name(self.traffic, node, port).replace(",", " ").split(">")
            yield place, {"node": node, "port": port, "from": here, "to": there}, self.bounds.channel_loads[place]

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
            raise UserError(
                f"--load {text}: {load:g} is not a load: more than 0, at most 1 flit per endpoint per cycle"
            )
    return sorted(set(loads))


def parse_size(text: str) -> tuple[int, ...]:
    """Read ``8x8``: routers in each dimension.

    Raises
    ------
    UserError
        If it is something else.
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
    return tuple(traffic.machine.network().coordinates(node))


def link_name(traffic: Traffic, node: int, port: int) -> str:
    """Name a link by its ends: ``(3,2)>(4,2)``."""
    network = traffic.machine.network()
    end = network.neighbour(node, port)
    return f"{network.name(node)}>{network.name(end[0]) if end else ''}"


def links(traffic: Traffic) -> Iterator[tuple[int, int]]:
    """Yield the router and port of every link, in the order of results."""
    network = traffic.machine.network()
    for node in range(network.routers):
        for port in range(network.ports):
            if network.neighbour(node, port) is not None:
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
            "organisation": machine.router.organisation,
            "arbiter": machine.router.arbiter,
            "pipeline": machine.router.pipeline,
            "link_latency_cycles": machine.link.latency_cycles,
            "virtual_channels": traffic.classes * machine.layers,
        },
        "traffic": {
            "pattern": traffic.pattern,
            **(
                {"hot_endpoints": list(traffic.hot()), "hot_share": traffic.hot_share}
                if traffic.pattern == "hotspot"
                else {}
            ),
            **({"own_share": traffic.hot_share} if traffic.pattern == "unbalanced" else {}),
            "packet_flits": traffic.packet_flits,
            "burst_packets": traffic.burst_packets,
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
