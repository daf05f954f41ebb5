# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Run a program on a machine and look at what its ranks did."""

import tempfile
from pathlib import Path

import tidings

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Sum 64 doubles, ten times, on 8 FPGA nodes."""
    with tempfile.TemporaryDirectory() as folder:
        program = tidings.compile_program(HERE / "sum.c", Path(folder) / "sum")
        result = tidings.run([program, "64", "10"], machine="spirit", ranks=8, capture=True)
    print(f"the program says {(result.stdout or '').strip()}; virtual time: {result.elapsed * 1e6:.3f} us")
    print(result.operations[["calls", "bytes", "mean_ps", "hardware", "software"]])
    print(result.ranks.head(3))


if __name__ == "__main__":
    main()
