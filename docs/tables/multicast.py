#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print what a broadcast takes in the engine, along static routes, and by messages without them."""

import argparse
import csv
import tempfile
from collections.abc import Mapping
from pathlib import Path

import tidings
from tidings.bench import osu
from tidings.machines.change import changed
from tidings.machines.file import Machine, find_machine, load_machine


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("machine")
    parser.add_argument("ranks", type=int)
    parser.add_argument("bytes", type=int, nargs="+")
    options = parser.parse_args()
    machine = load_machine(find_machine(options.machine))
    without = changed(machine, {"router.routes": 0})
    ways: list[tuple[str, Machine, str, Mapping[str, str]]] = [
        ("in the engine", machine, "hardware", {}),
        ("`multicast`, along a static route", machine, "software", {"bcast": "multicast"}),
        ("`multicast` without static routes", without, "software", {"bcast": "multicast"}),
        ("`binomial`, by messages", machine, "software", {"bcast": "binomial"}),
    ]
    print(f"| broadcast to {options.ranks} ranks of `{options.machine}`, µs | ", end="")
    print(" | ".join(f"{size:,} bytes" for size in options.bytes), "|")
    print("|---|", "---:|" * len(options.bytes), sep="")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "osu"
        tidings.compile_program([Path(osu.__file__).parent / "osu.c"], output=program)
        for name, on, collectives, algorithms in ways:
            cells = [name]
            for size in options.bytes:
                found = tidings.run(
                    [str(program), "bcast", str(size), str(size), "4"],
                    machine=on,
                    ranks=options.ranks,
                    collectives=collectives,
                    algorithms=algorithms,
                    capture=True,
                )
                ((_, _, _, slowest, *_),) = csv.reader((found.stdout or "").splitlines())
                cells.append(f"{float(slowest):,.1f}")
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
