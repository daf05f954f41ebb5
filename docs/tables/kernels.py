#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print our times of the kernels in Figures 4.11 to 4.15 of Yagna's thesis, in milliseconds."""

import re

import tidings


def main() -> None:
    """Print the table, a row per kernel and profile."""
    times: dict[tuple[str, str], dict[str, float]] = {}
    for row in tidings.compare_with_paper("yagna2013", kind="lost", long=True):
        if row.ours is None:
            continue
        figure, profile, tasks = re.split(r": |, (?=\d)", row.what)
        times.setdefault((figure, profile), {})[tasks] = row.ours
    columns = list(next(iter(times.values())))
    print(f"| figure | profile | {' | '.join(columns)} |")
    print(f"| --- | --- |{' ---: |' * len(columns)}")
    for (figure, profile), cells in times.items():
        print(f"| {figure} | {profile} | {' | '.join(f'{cells[column]:.3f}' for column in columns)} |")


if __name__ == "__main__":
    main()
