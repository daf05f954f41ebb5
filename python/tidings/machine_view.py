# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What ``tidings machine list`` and ``tidings machine show`` print."""

import dataclasses
from collections.abc import Iterator

from rich.table import Table

from tidings.machine_file import Machine, MachineFileError, load_machine, rule_of, shipped_machines


def catalogue() -> Table:
    """Return a table of the shipped machines."""
    table = Table(box=None, pad_edge=False)
    table.add_column("machine", style="bold", no_wrap=True)
    table.add_column("slots", justify="right")
    table.add_column("summary")
    for name, path in shipped_machines().items():
        try:
            machine = load_machine(path)
        except MachineFileError:
            table.add_row(name, "-", "not usable: see tidings machine check " + name)
        else:
            table.add_row(name, str(machine.slots), machine.summary)
    return table


def details(machine: Machine) -> Iterator[Table]:
    """Return tables with every value of a machine's file and with what follows from them."""
    table = Table(title=f"{machine.name}: {machine.summary}", title_justify="left", title_style="bold", box=None)
    table.add_column("key", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("meaning")
    for section in dataclasses.fields(machine):
        settings = getattr(machine, section.name)
        if not dataclasses.is_dataclass(settings) or (section.name == "link" and not machine.topology.size):
            continue
        for field in dataclasses.fields(settings):
            rule = rule_of(field)
            table.add_row(f"{section.name}.{field.name}", _text(getattr(settings, field.name)), rule.unit, rule.meaning)
    yield table

    derived = Table(title="\nWhat follows from it", title_justify="left", title_style="bold", box=None)
    derived.add_column("quantity", no_wrap=True)
    derived.add_column("value", justify="right", no_wrap=True)
    derived.add_column("unit", no_wrap=True)
    for quantity, value, unit in _derived(machine):
        derived.add_row(quantity, value, unit)
    yield derived


def _derived(machine: Machine) -> Iterator[tuple[str, str, str]]:
    yield "slots, the most ranks of a run", str(machine.slots), ""
    yield "routers", str(machine.routers), ""
    yield "fabric cycle", f"{1000 / machine.fabric.clock_MHz:.6g}", "ns"
    yield "bandwidth of a link, one direction", f"{machine.link_bandwidth_MBps:.6g}", "MB/s"
    if not machine.topology.size:
        return
    bisection = machine.bisection_links
    yield "diameter", str(machine.diameter_hops), "hops"
    yield "mean distance of two routers", f"{machine.mean_hops:.3f}", "hops"
    yield "time of a hop", f"{machine.hop_ns:.6g}", "ns"
    yield "time across the diameter", f"{machine.diameter_hops * machine.hop_ns / 1000:.6g}", "us"
    yield "bisection, both directions", str(bisection), "links"
    yield "bisection bandwidth, both directions", f"{bisection * machine.link_bandwidth_MBps:.6g}", "MB/s"
    yield "credit round trip of a link", str(machine.credit_round_trip_cycles), "cycles"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return " x ".join(map(str, value)) or "-"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
