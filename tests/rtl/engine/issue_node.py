# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""The node behind the issue ports of `issue_bench`."""

from pathlib import Path

SLOTS = 2
NODE = {
    "dims": 0,
    "dateline": 0,
    "num_slots": SLOTS,
    "num_routes": 0,
    "mpe_slots": 0,
    "barrier_slots": (1 << SLOTS) - 1,
    "rma_names": 16,
}
BENCH = Path(__file__).parent / "issue_bench.sv"
