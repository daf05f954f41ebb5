#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print the saturation load of a single router of 16 slots, with input buffers and with crosspoint buffers."""

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
_PACKETS = (1, 8, 67)
#: Traffic by the text of a row.
_TRAFFIC: dict[str, dict[str, Any]] = {
    "uniform": {},
    "unbalanced, 50 % to the sender": {"pattern": "unbalanced", "hot_share": 0.5},
    "bursts of 8 packets": {"burst_packets": 8},
}


def main() -> None:
    """Print the table, a row per traffic and length of packets."""
    print(f"| traffic | packets of | {' | '.join(_ROUTERS)} |\n|---|---|{'---:|' * len(_ROUTERS)}")
    for name, traffic in _TRAFFIC.items():
        for packet in _PACKETS:
            loads = []
            for changes in _ROUTERS.values():
                study = tidings.bench_traffic(
                    tidings.machine("crossbar", changes),
                    packet_flits=packet,
                    loads=[0.01],
                    warmup_cycles=20_000,
                    measure_cycles=150_000,
                    saturation=True,
                    **traffic,
                )
                loads += [f"{study.saturation.load:.2f}"] if study.saturation else []
            print(f"| {name} | {packet} flit{'s' * (packet > 1)} | {' | '.join(loads)} |", flush=True)


if __name__ == "__main__":
    main()
