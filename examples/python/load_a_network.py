# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How much does a network carry? A mesh and a torus of the same size under uniform traffic."""

import tidings


def main() -> None:
    """Print accepted load and latency of both, and the links that are busiest."""
    for kind in ("mesh", "torus"):
        machine = tidings.machine("mesh8x8", {"topology.kind": kind, "topology.size": [4, 4]})
        study = tidings.bench_traffic(
            machine, loads=[0.1, 0.3, 0.5], packet_flits=4, saturation=False, measure_cycles=4000
        )
        print(f"{kind}: capacity {study.bounds.capacity:.3g} flits per endpoint and cycle")
        print(study.curve[["load", "accepted", "saturated", "latency_mean", "latency_p99"]].round(3))
        busiest = study.links.sort_values(["utilisation", "node"], ascending=[False, True]).head(2)
        print(busiest[["load", "from", "to", "utilisation"]])


if __name__ == "__main__":
    main()
