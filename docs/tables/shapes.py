#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print the trees of collectives, as ``lib/coll/shape.cpp`` has them."""

from tidings import _core


def main() -> None:
    """Print the table, a row per tree."""
    print("| `--tree` | parent of a node | ranks that have it |\n|---|---|---|")
    for shape in _core.shapes():
        print(f"| `{shape.name}` | {shape.meaning} | {shape.where} |")


if __name__ == "__main__":
    main()
