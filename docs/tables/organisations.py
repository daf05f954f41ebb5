#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print the saturation load of a single router, with input buffers and with crosspoint buffers.

Without arguments it has 16 slots and several kinds of traffic. With numbers of slots, as in ``16,32,64``, traffic is
uniform and buffers are at the crosspoints, and the target stands beside.
"""

import sys
from typing import Any

import tidings

_CROSSPOINT = {"router.organisation": "crosspoint", "router.routes": 0}
_DEEP = _CROSSPOINT | {"router.voq_flits": 1024, "router.crosspoint_flits": 128}
#: What changes in the machine file ``crossbar``, by the text of a column.
_ROUTERS: dict[str, dict[str, object]] = {
    "input buffers of 16 flits": {},
    "queues of 64, crosspoints of 16": _CROSSPOINT,
    "queues of 1024, crosspoints of 128": _DEEP,
    "the same, fullest first": _DEEP | {"router.fullest_first": True},
}
#: What uniform traffic of packets of so many flits is to reach with crosspoint buffers.
_TARGETS = {1: 0.98, 8: 0.95, 67: 0.95}
#: Traffic by the text of a row.
_TRAFFIC: dict[str, dict[str, Any]] = {
    "uniform": {},
    "unbalanced, 50 % to the sender": {"pattern": "unbalanced", "hot_share": 0.5},
    "bursts of 8 packets": {"burst_packets": 8},
}


def _load(changes: dict[str, object], packet: int, **traffic: Any) -> str:
    """Return the saturation load as text."""
    study = tidings.bench_traffic(
        tidings.machine("crossbar", changes),
        packet_flits=packet,
        loads=[0.01],
        warmup_cycles=20_000,
        measure_cycles=150_000,
        saturation=True,
        **traffic,
    )
    return f"{study.saturation.load:.2f}" if study.saturation else ""


def _flits(packet: int) -> str:
    return f"{packet} flit{'s' * (packet > 1)}"


def _by_traffic() -> None:
    """Print a row per traffic and length of packets."""
    print(f"| traffic | packets of | {' | '.join(_ROUTERS)} |\n|---|---|{'---:|' * len(_ROUTERS)}")
    for name, traffic in _TRAFFIC.items():
        for packet in _TARGETS:
            loads = [_load(changes, packet, **traffic) for changes in _ROUTERS.values()]
            print(f"| {name} | {_flits(packet)} | {' | '.join(loads)} |", flush=True)


def _by_slots(slots: list[int]) -> None:
    """Print a row per router with crosspoint buffers and length of packets, and a column per number of slots."""
    print(f"| buffers | packets of | {' | '.join(f'{number} slots' for number in slots)} | target |")
    print(f"|---|---|{'---:|' * (len(slots) + 1)}")
    for name, changes in _ROUTERS.items():
        if changes not in (_CROSSPOINT, _DEEP):
            continue
        for packet, target in _TARGETS.items():
            loads = [_load(changes | {"topology.slots": number}, packet) for number in slots]
            print(f"| {name} | {_flits(packet)} | {' | '.join(loads)} | {target:.2f} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _by_slots([int(number) for number in sys.argv[1].split(",")])
    else:
        _by_traffic()
