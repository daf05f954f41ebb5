# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What is printed of synthetic traffic."""

from rich.table import Table

from tidings.runtime import threads
from tidings.traffic.measurement import Latency, Study


def facts(study: Study) -> Table:
    """Return what the loads are to be compared with: the machine, its bounds, its saturation load."""
    traffic, bounds = study.traffic, study.bounds
    machine = traffic.machine
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    slots = f", {machine.topology.slots} slots per router" if machine.topology.slots > 1 and machine.ports else ""
    vcs = traffic.classes * machine.layers
    channels = f"{vcs} virtual channel{'s' * (vcs > 1)} of {machine.router.buffer_flits} flits"
    latency = machine.link.latency_cycles
    hot = ""
    if traffic.pattern == "hotspot":
        hot = f", {traffic.hot_share:.0%} to endpoint {', '.join(map(str, traffic.hot()))}"
    if traffic.pattern == "unbalanced":
        hot = f", {traffic.hot_share:.0%} to the sender itself"
    bursts = f", {traffic.burst_packets} at once" if traffic.burst_packets > 1 else ""
    table.add_row(
        "machine",
        f"{machine.name}: {machine.shape}{slots}, {channels}, links of {latency} cycle{'s' * (latency > 1)}"
        + ", pipeline" * machine.router.pipeline,
    )
    table.add_row(
        "traffic",
        f"{traffic.pattern}{hot}, packets of {traffic.packet_flits} flit{'s' * (traffic.packet_flits > 1)}"
        f"{bursts}, seed {traffic.seed}; {traffic.warmup_cycles:,} cycles of warm-up, "
        f"{traffic.measure_cycles:,} measured",
    )
    if traffic.threads > 1:
        used, reason = threads.of_traffic(machine, traffic.at(1.0))
        table.add_row("threads", f"{used}, because {reason}" if reason else f"{used}")
    table.add_row("capacity", f"{bounds.capacity:.4g} flits/endpoint/cycle, limited by {bounds.limited_by}")
    if bounds.bisection_bound is not None:
        table.add_row("bisection", f"{bounds.bisection_bound:.4g} flits/endpoint/cycle of uniform traffic")
    table.add_row("zero load", f"{bounds.zero_load_latency:.2f} cycles = {_formula(study)}")
    if study.saturation is not None:
        table.add_row("saturation", _saturation(study))
    if study.exchange is not None:
        table.add_row(
            "exchange",
            f"{study.exchange.cycles:,} cycles; bound {study.exchange.bound:,}; ratio {study.exchange.ratio:.2f}",
        )
    return table


def curve(study: Study) -> Table:
    """Return the loads and what came of them."""
    table = Table(box=None, pad_edge=False)
    for heading in ("load", "accepted", "latency", "±95 %", "p50", "p99", "min", "max", "network", "packets"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column()
    for point in study.points:
        rest = [*_latency(point.latency), f"{point.network_latency.mean:.2f}" if point.network_latency else ""]
        remark = "saturated" if point.saturated else "still rising: more --warmup" if point.still_rising else ""
        table.add_row(f"{point.load:.4g}", f"{point.accepted:.4f}", *rest, f"{point.packets:,}", remark)
    return table


def _latency(latency: Latency | None) -> list[str]:
    if latency is None:
        return [""] * 6
    half_width = "" if latency.half_width_95 is None else f"{latency.half_width_95:.2f}"
    whole = (latency.p50, latency.p99, latency.min, latency.max)
    return [f"{latency.mean:.2f}", half_width, *(f"{cycles:,}" for cycles in whole)]


def _formula(study: Study) -> str:
    """Write out the latency of a lonely packet."""
    machine, flits = study.traffic.machine, study.traffic.packet_flits
    latency, buffer = machine.link.latency_cycles, machine.router.buffer_flits
    pipeline = int(machine.router.pipeline)
    wires = 2 + pipeline  # and the first router
    text = f"{wires} + {study.bounds.mean_hops:.4g} hops x {latency + pipeline} + {flits} - 1"
    pauses, credit = (flits - 1) // buffer, 2 * latency + pipeline
    if study.bounds.mean_hops > 0 and pauses and buffer < credit:
        text += f", and {pauses} x {credit - buffer} for credits if there is a hop"
    return text


def _saturation(study: Study) -> str:
    found = study.saturation
    if found is None:
        return ""
    share = f"{found.load / study.bounds.capacity:.0%} of the capacity"
    if found.above is None:
        return f"{found.load:.4g} flits/endpoint/cycle, {share}"
    return f"between {found.load:.4g} and {found.above:.4g} flits/endpoint/cycle, {share}"
