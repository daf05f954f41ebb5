# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machines with other values than their files have."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tidings.machines.file import (
    MANY_SLOTS_ROUTER,
    SLOT_NUMBERS,
    Machine,
    can_have_own_network,
    can_have_switches,
    can_have_wires,
    read_machine,
)


def changed(machine: Machine, changes: Mapping[str, object]) -> Machine:
    """Return a machine with other values.

    Parameters
    ----------
    machine : Machine
        The machine.
    changes : dict
        Values by the keys of machine files, as in ``{"link.latency_cycles": 40, "topology.size": [4, 4]}``.

    Raises
    ------
    MachineFileError
        If there is no such key, or no machine with such a value.
    """
    if not changes:
        return machine
    document = document_of(machine)
    for key, value in changes.items():
        *sections, name = key.split(".")
        table = document
        for section in sections:
            table = table.setdefault(section, {})
        table[name] = list(value) if isinstance(value, tuple) else value
    if machine.topology.kind == "graph" != document["topology"].get("kind"):
        for key in ("routers", "hosts", "links", "routing", "roots", "next", "layers"):
            document["topology"].pop(key)
    if document["topology"].get("kind") == "crossbar":
        document["topology"].pop("size", None)
        document.pop("link", None)
        _grow(document, machine, changes)
    kind = document["topology"].get("kind")
    dimensions = len(document["topology"].get("size", ()))
    # Of a single router any slots have wires, of others one each.
    alike = (kind == "crossbar") == (machine.topology.kind == "crossbar")
    wires = alike and can_have_wires(kind, dimensions, reliable=document.get("link", {}).get("reliable", False))
    if not wires and not any(key.startswith("barrier.") for key in changes):
        document.pop("barrier", None)
    reliable = document.get("link", {}).get("reliable", False)
    if not can_have_switches(kind, dimensions, reliable=reliable) and not any(
        key.startswith("alltoall.") for key in changes
    ):
        document.pop("alltoall", None)
    if not can_have_own_network(kind, dimensions, reliable=reliable) and "stream.network" not in changes:
        document.get("stream", {}).pop("network", None)
    return read_machine(document, Path(f"{machine.name} with changes"))


def _grow(document: dict[str, Any], machine: Machine, changes: Mapping[str, object]) -> None:
    """Give a crossbar that gets more slots what goes with them, as far as the changes do not say."""
    slots = document["topology"].get("slots")
    if not isinstance(slots, int):
        return
    if slots > SLOT_NUMBERS >= machine.topology.slots:
        for key in MANY_SLOTS_ROUTER:
            if f"router.{key}" not in changes:
                del document["router"][key]
    joined = machine.topology.kind == "crossbar" and set(machine.barrier.slots) >= set(range(machine.topology.slots))
    if joined and slots > machine.topology.slots and "barrier.slots" not in changes:
        document["barrier"]["slots"] = [*range(slots)]


def document_of(machine: Machine) -> dict[str, Any]:
    """Return what the machine's file says, as a TOML document, which `read_machine` reads again."""

    def plain(value: object) -> object:
        if isinstance(value, dict):
            return {key: plain(entry) for key, entry in value.items()}
        return [plain(entry) for entry in value] if isinstance(value, tuple) else value

    return {key: plain(value) for key, value in dataclasses.asdict(machine).items()}
