#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print figures of Gao's thesis (2013) beside those of the engines of `spirit`, serial as his and as they are.

A barrier of ours goes by exchange, the others over the tree.
"""

import tidings

#: What turns the engines into ones of the paper's kind, as far as their buffers go.
_SERIAL = {"mpe.fan_out": "serial", "mpe.forward_words": 64, "mpe.combine_ports": 1}
_NODES = (4, 32)


def main() -> None:
    """Print the table, a row per collective and number of nodes."""
    ours, serial = (
        tidings.bench_collectives(
            tidings.machine("spirit", changes),
            operations=["barrier", "broadcast", "reduce"],
            trees=["gray", "exchange"],
            nodes=_NODES,
            words=[4096],
        ).frame
        for changes in ({}, _SERIAL)
    )
    print("| µs | Gao 2013, binomial tree | these engines, serial | these engines | bound |\n|---|---:|---:|---:|---:|")
    for (operation, nodes), best in ours.groupby(["operation", "nodes"], sort=False):
        words = f"{best.words.max():,} words, " if best.words.max() else ""
        tree = serial.query("operation == @operation and nodes == @nodes and tree == 'gray'").iloc[0]
        figures = (tree.published, tree.us, best.us.min(), best.us.min() / best.ratio.min())
        cells = " | ".join(f"{us:.2f}" for us in figures)
        print(f"| {operation}, {words}{nodes} nodes | {cells} |")


if __name__ == "__main__":
    main()
