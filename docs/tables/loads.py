#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print what a flit-hop costs at a heavy and a light load of a small and of a large mesh: the best of some runs."""

import tidings

_PACKET_FLITS = 8
_RUNS = 5
#: Routers in each dimension, loads, and cycles that are measured.
_MESHES = ((8, (0.1, 0.005), 200_000), (64, (0.05, 0.0005), 2_000))


def main() -> None:
    """Print the table, a row per load."""
    print("| | load | cycles/s | ns per flit-hop |\n|---|---:|---:|---:|")
    for side, loads, cycles in _MESHES:
        machine = tidings.machine("mesh8x8", {"topology.size": [side, side], "router.buffer_flits": 8})
        for load in loads:
            runs = [
                tidings.bench_traffic(
                    machine, packet_flits=_PACKET_FLITS, loads=[load], warmup_cycles=cycles // 10, measure_cycles=cycles
                ).points[0]
                for _ in range(_RUNS)
            ]
            best = min(runs, key=lambda run: run.wall_seconds)
            name = f"{side}x{side} mesh, {_PACKET_FLITS}-flit packets" if load == loads[0] else ""
            speed, cost = best.cycles / best.wall_seconds, best.wall_seconds / best.flit_hops * 1e9
            print(f"| {name} | {load} | {speed:,.0f} | {cost:.0f} |")


if __name__ == "__main__":
    main()
