# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What ``tidings machine list`` and ``tidings machine show`` print."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from rich.table import Table

from tidings.machines import work
from tidings.machines.file import SLOT_NUMBERS, Machine, MachineFileError, load_machine, shipped_machines
from tidings.machines.schema import rule_of, schema


def catalogue_rows() -> Iterator[dict[str, object]]:
    """Yield what is said of each shipped machine; the summary alone if its file is not usable."""
    for name, path in shipped_machines().items():
        try:
            machine = load_machine(path)
        except MachineFileError:
            yield {"machine": name, "summary": f"not usable: see tidings machine check {name}"}
        else:
            yield {
                "machine": name,
                "slots": machine.slots,
                "routers": machine.routers,
                "topology": machine.topology.kind,
                "summary": machine.summary,
            }


def catalogue() -> Table:
    """Return a table of the shipped machines."""
    table = Table(box=None, pad_edge=False)
    table.add_column("machine", style="bold", no_wrap=True)
    table.add_column("slots", justify="right")
    table.add_column("summary")
    for row in catalogue_rows():
        table.add_row(str(row["machine"]), str(row.get("slots", "-")), str(row["summary"]))
    return table


@dataclass(frozen=True)
class Value:
    """A value of a machine: of a key of its file, or one that follows from the file."""

    key: str
    value: object
    unit: str
    meaning: str


def values_of(machine: Machine) -> list[Value]:
    """Return the values of all keys of a machine's file."""
    values = []
    for section in dataclasses.fields(machine):
        settings = getattr(machine, section.name)
        if not dataclasses.is_dataclass(settings) or (section.name == "link" and not machine.ports):
            continue
        for field in dataclasses.fields(settings):
            if section.name == "topology" and field.name not in _shown_of_topology(machine):
                continue
            rule = rule_of(field)
            values.append(Value(f"{section.name}.{field.name}", getattr(settings, field.name), rule.unit, rule.meaning))
    return values


def derived_of(machine: Machine) -> list[Value]:
    """Return what follows from a machine's file."""
    costs = ((f"cost of {what}", f"{cost:.4g}", "ns") for what, _, cost in work.described(machine.processor))
    return [Value("", value, unit, quantity) for quantity, value, unit in (*_derived(machine), *costs)]


def details(machine: Machine) -> Iterator[Table]:
    """Return tables with every value of a machine's file and with what follows from them."""
    table = Table(title=f"{machine.name}: {machine.summary}", title_justify="left", title_style="bold", box=None)
    table.add_column("key", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("meaning")
    for value in values_of(machine):
        text = _slots(value.value) if value.key.endswith(".slots") else _text(value.value)
        table.add_row(value.key, text, value.unit, value.meaning)
    yield table

    derived = Table(title="\nWhat follows from it", title_justify="left", title_style="bold", box=None)
    derived.add_column("quantity", no_wrap=True)
    derived.add_column("value", justify="right", no_wrap=True)
    derived.add_column("unit", no_wrap=True)
    for row in _derived(machine):
        derived.add_row(*row)
    yield derived

    costs = Table(title="\nWhat the library's work costs", title_justify="left", title_style="bold", box=None)
    costs.add_column("work")
    costs.add_column("instructions", justify="right", no_wrap=True)
    costs.add_column("ns", justify="right", no_wrap=True)
    for what, instructions, nanoseconds in work.described(machine.processor):
        costs.add_row(what, f"{instructions:.4g}", f"{nanoseconds:.4g}")
    yield costs

    if machine.software:
        yield _profiles(machine)


def _profiles(machine: Machine) -> Table:
    """Return a table of a machine's profiles."""
    profiles = Table(title="\nProfiles, for tidings run --profile", title_justify="left", title_style="bold", box=None)
    profiles.add_column("profile", no_wrap=True)
    profiles.add_column("cost", no_wrap=True)
    profiles.add_column("ns", justify="right", no_wrap=True)
    profiles.add_column("meaning")
    for name, profile in machine.software.items():
        algorithms = ", ".join(f"{collective}={algorithm}" for collective, algorithm in profile.algorithms.items())
        profiles.add_row(name, "", "", f"{profile.summary}. Algorithms: {algorithms or 'those of Tidings'}")
        for cost, nanoseconds in profile.costs.items():
            profiles.add_row("", cost, f"{nanoseconds:g}", schema()["processor"][cost].rule.meaning)
    return profiles


def _derived(machine: Machine) -> Iterator[tuple[str, str, str]]:
    yield "slots, the most ranks of a run", str(machine.slots), ""
    yield "routers", str(machine.routers), ""
    yield "fabric cycle", f"{1000 / machine.fabric.clock_MHz:.6g}", "ns"
    yield "bandwidth of a link, one direction", f"{machine.link_bandwidth_MBps:.6g}", "MB/s"
    if machine.topology.kind == "crossbar":
        buffers = "at the crosspoints" if machine.router.organisation == "crosspoint" else "at the inputs"
        yield "buffers of the router", buffers, ""
        none = "none: a row has a bit per slot, for 16" if machine.topology.slots > SLOT_NUMBERS else "none"
        yield "static routes", str(machine.router.routes or none), ""
    if not machine.ports:
        return
    network = machine.network()
    bisection, diameter = network.bisection_links, network.diameter_hops
    if network.hosts < network.routers:
        yield "routers with slots", str(network.hosts), ""
    yield "network ports of a router", str(network.ports), ""
    yield "diameter", str(diameter), "hops"
    yield "mean distance of two routers", f"{network.mean_hops:.3f}", "hops"
    shortest, longest = machine.link_cycles
    yield "time of a hop" + (" over the longest link" if shortest < longest else ""), f"{machine.hop_ns:.6g}", "ns"
    if shortest == longest:
        yield "time across the diameter", f"{diameter * machine.hop_ns / 1000:.6g}", "us"
    yield "bisection, both directions", str(bisection), "links"
    yield "bisection bandwidth, both directions", f"{bisection * machine.link_bandwidth_MBps:.6g}", "MB/s"
    yield "credit round trip of a link", str(machine.credit_round_trip_cycles), "cycles"


def _slots(value: object) -> str:
    """Show the slots that have an engine, or the number of slots of a router."""
    if not isinstance(value, tuple):
        return _text(value)
    slots = sorted(set(value))
    if len(slots) > 1 and slots == list(range(slots[0], slots[-1] + 1)):
        return f"{slots[0]} to {slots[-1]}"
    return ", ".join(map(str, slots)) or "none"


def _shown_of_topology(machine: Machine) -> set[str]:
    """Return the keys that a machine of this kind has."""
    if machine.topology.kind != "graph":
        return {"kind", "slots", "size"}
    shown = {"kind", "slots", "routers", "hosts", "links", "routing"}
    return shown | ({"next", "layers"} if machine.topology.routing == "table" else {"roots"})


def _text(value: object) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return f"{len(value)} rows"
    if isinstance(value, bool):
        return str(value).lower()  # as the file has it
    if isinstance(value, tuple):
        return " x ".join(map(str, value)) or "-"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
