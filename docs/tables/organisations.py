#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print the saturation load of a single router of 16 slots, with input buffers and with crosspoint buffers."""

import tidings

_CROSSPOINT = {"router.organisation": "crosspoint", "router.routes": 0}
#: What changes in the machine file ``crossbar``, by the text of a column.
_ROUTERS: dict[str, dict[str, object]] = {
    "input buffers of 16 flits": {},
    "queues of 64, crosspoints of 16": _CROSSPOINT,
    "queues of 1024, crosspoints of 128": _CROSSPOINT | {"router.voq_flits": 1024, "router.crosspoint_flits": 128},
}
_PACKETS = (1, 8, 67)


def main() -> None:
    """Print the table, a row per length of packets."""
    print(f"| uniform traffic, packets of | {' | '.join(_ROUTERS)} |\n|---|{'---:|' * len(_ROUTERS)}")
    for packet in _PACKETS:
        loads = []
        for changes in _ROUTERS.values():
            study = tidings.bench_traffic(
                tidings.machine("crossbar", changes),
                packet_flits=packet,
                loads=[0.01],
                warmup_cycles=50_000,
                measure_cycles=400_000,
                saturation=True,
            )
            loads += [f"{study.saturation.load:.2f}"] if study.saturation else []
        print(f"| {packet} flit{'s' * (packet > 1)} | {' | '.join(loads)} |")


if __name__ == "__main__":
    main()
