# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""The virtual time on record of every test run, ``virtual_times.csv``: a change of a simulated time shows in review.

After a change that is meant to change times, delete the file's rows below its heading and run
``TIDINGS_RECORD_TIMES=1 python -m pytest tests/programs/test_same_as_mpich.py -n 0``.
"""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_suffix(".csv")


@cache
def _recorded() -> dict[str, int]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        return {row["run"]: int(row["elapsed_ps"]) for row in csv.DictReader(file)}


def check(run: str, elapsed_ps: int) -> None:
    """Compare the virtual time of a run, in picoseconds, with the one on record; record it if it is asked for."""
    if os.environ.get("TIDINGS_RECORD_TIMES"):
        with _FILE.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow([run, elapsed_ps])
        return
    assert run in _recorded(), f"no virtual time on record for {run}: see {__file__}"
    assert elapsed_ps == _recorded()[run], f"{run}: {elapsed_ps} ps of virtual time, {_recorded()[run]} on record"
