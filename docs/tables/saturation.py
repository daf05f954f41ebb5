#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print capacity and saturation load of ``mesh8x8`` with buffers of 8 flits for each pattern of synthetic traffic."""

import tidings
from tidings.traffic.measurement import PATTERNS

_PACKETS = (1, 8)


def main() -> None:
    """Print the table, a row per pattern."""
    machine = tidings.machine("mesh8x8", {"router.buffer_flits": 8})
    flits = [f"saturation, {packet} flit{'s' * (packet > 1)}" for packet in _PACKETS]
    print(f"| pattern, 8x8 mesh | capacity | {' | '.join(flits)} |\n|---|---:|{'---:|' * len(_PACKETS)}")
    for pattern in PATTERNS:
        studies = [
            tidings.bench_traffic(machine, pattern=pattern, packet_flits=packet, loads=[0.01], saturation=True)
            for packet in _PACKETS
        ]
        loads = [f"{study.saturation.load:.3f}" for study in studies if study.saturation]
        print(f"| {pattern} | {studies[0].bounds.capacity:.3f} | {' | '.join(loads)} |")


if __name__ == "__main__":
    main()
