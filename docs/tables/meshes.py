#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print what collectives take in the engines of ``mesh8x8`` and of smaller and larger meshes like it."""

import tidings

_SIDES = (2, 4, 8, 16)
_WORDS = (64, 1024, 65536)
_OPERATIONS = ("barrier", "broadcast", "reduce", "allreduce")
_OVER = ("wires", "switches", "dimension")


def main() -> None:
    """Print the table, a row per mesh, operation and size."""
    print("| mesh | operation | over | words | cycles | tight bound | ratio | target | met |")
    print("|---|---|---|---:|---:|---:|---:|---:|---|")
    for side in _SIDES:
        machine = tidings.machine("mesh8x8", {"topology.size": [side, side]})
        study = tidings.bench_collectives(
            machine, operations=_OPERATIONS, trees=_OVER, nodes=(side * side,), words=_WORDS
        )
        for one in study.results:
            if one.target is None or one.tight_bound is None:
                continue
            ratio = one.cycles / one.tight_bound
            print(
                f"| {side}x{side} | {one.operation} | {one.tree} | {one.words:,} | {one.cycles:,} "
                f"| {one.tight_bound:,} | {ratio:.2f} | {one.target:,} | {'yes' if one.within_target else 'no'} |"
            )


if __name__ == "__main__":
    main()
