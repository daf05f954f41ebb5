#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print how fast networks with packets of several lengths are simulated: two builds that run it can be compared."""

import tidings

_RUNS = 3
#: Kind and size of a network, cycles of its links, flits of its buffers and packets, load, and cycles to measure.
_NETWORKS = (
    ("mesh", [8, 8], 1, 8, 64, 0.3, 50_000),
    ("mesh", [8, 8], 1, 8, 8, 0.1, 200_000),
    ("mesh", [8, 8], 1, 8, 8, 0.3, 50_000),
    ("mesh", [8, 8], 1, 8, 8, 0.8, 30_000),
    ("mesh", [8, 8], 1, 8, 3, 0.1, 100_000),
    ("mesh", [16, 16], 1, 8, 8, 0.2, 10_000),
    ("mesh", [64, 64], 1, 8, 8, 0.05, 1_000),
    ("torus", [4, 4, 4], 80, 256, 64, 0.1, 80_000),
    ("torus", [4, 4, 4], 80, 256, 8, 0.1, 40_000),
    ("torus", [16, 16], 2, 16, 8, 0.1, 10_000),
)


def main() -> None:
    """Print the table, a row per network and load."""
    print("| network | flits per packet | load | cycles/s |\n| --- | ---: | ---: | ---: |")
    for kind, size, link_cycles, buffer_flits, packet_flits, load, cycles in _NETWORKS:
        changes = {"topology.kind": kind, "topology.size": size, "router.buffer_flits": buffer_flits}
        machine = tidings.machine("spirit", changes | {"link.latency_cycles": link_cycles})
        runs = [
            tidings.bench_traffic(
                machine, packet_flits=packet_flits, loads=[load], warmup_cycles=2_000, measure_cycles=cycles
            ).points[0]
            for _ in range(_RUNS)
        ]
        best = max(run.cycles / run.wall_seconds for run in runs)
        links = f", links of {link_cycles} cycles" if link_cycles > 1 else ""
        saturated = ", saturated" if runs[0].saturated else ""
        name = "x".join(map(str, size))
        print(f"| {name} {kind}{links} | {packet_flits} | {load}{saturated} | {best:,.0f} |")


if __name__ == "__main__":
    main()
