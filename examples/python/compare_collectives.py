# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""When do collectives in hardware pay? A sweep over ranks, and over the latency of links."""

import tempfile
from pathlib import Path

import tidings

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Compare collectives in hardware and in software, in microseconds for ten sums of 64 doubles."""
    with tempfile.TemporaryDirectory() as folder:
        program = tidings.compile_program(HERE / "sum.c", Path(folder) / "sum")
        call: list[str | Path] = [program, "64", "10"]
        both = ["hardware", "software"]
        by_ranks = tidings.sweep(call, machine="spirit", ranks=[2, 8, 32], collectives=both, capture=True)
        latencies = {"link.latency_cycles": [10, 80, 320]}
        by_latency = tidings.sweep(call, machine="spirit", ranks=8, vary=latencies, collectives=both, capture=True)
    for found, axis in ((by_ranks, "ranks"), (by_latency, "link.latency_cycles")):
        table = found.frame.assign(us=found.frame["elapsed_ps"] / 1e6)
        times = table.pivot_table(index=axis, columns="collectives", values="us").rename_axis(columns=None)
        print(times.assign(ratio=times["software"] / times["hardware"]).round(2))


if __name__ == "__main__":
    main()
