#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print how much of a computation costs no time beside nonblocking collectives, by the engine and by messages."""

import argparse

import tidings


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("machine")
    parser.add_argument("ranks", type=int)
    parser.add_argument("bytes", type=int, nargs="+")
    options = parser.parse_args()
    kinds = ("hardware", "software")
    print("| collective | bytes | engine: alone, µs | with computation | overlap % | messages: alone, µs ", end="")
    print("| with computation | overlap % |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for benchmark in ("ibarrier", "ibcast", "ireduce", "iallreduce"):
        for size in options.bytes if benchmark != "ibarrier" else [0]:
            cells = [benchmark, f"{size:,}"]
            for kind in kinds:
                (found,) = tidings.bench_osu(
                    options.machine,
                    benchmarks=[benchmark],
                    ranks=options.ranks,
                    least_bytes=max(size, 1),
                    most_bytes=max(size, 1),
                    collectives=kind,
                )
                cells += [f"{found.value:,.2f}", f"{found.together or 0:,.2f}", f"{found.overlap or 0:.0f}"]
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
