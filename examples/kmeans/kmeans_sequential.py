# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""k-means without MPI, in NumPy: the check for ``kmeans.c``.

The definition is the same (fixed-point centroids, first points drawn by SplitMix64), the computation is not: whole
matrices at once, and distances from ``|x|^2 - 2 x.c + |c|^2``. All arithmetic is on integers and exact.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FRACTION_BITS = 8
ONE = 1 << FRACTION_BITS

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Clustering:
    """Outcome of a run.

    Attributes
    ----------
    centroids
        Shape (clusters, features), fixed-point with ``FRACTION_BITS`` binary digits.
    sizes
        Points in each cluster.
    iterations
        Passes over the points, the one that moved nothing included.
    inertia
        Sum of squared distances to the centroids that the last pass started from, in units of ``ONE**-2``.
    """

    centroids: Integers
    sizes: Integers
    iterations: int
    inertia: int


def splitmix64(seed: int) -> Iterator[int]:
    """Yield the sequence of 64-bit numbers that SplitMix64 makes from a seed."""
    mask = (1 << 64) - 1
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def first_centroids(points: Integers, clusters: int, seed: int) -> Integers:
    """Draw distinct points to start from."""
    drawn: list[int] = []
    for number in splitmix64(seed):
        index = number % len(points)
        if index not in drawn:
            drawn.append(index)
        if len(drawn) == clusters:
            break
    return points[drawn] * ONE


def cluster(points: Integers, clusters: int, seed: int, max_iterations: int = 100) -> Clustering:
    """Run Lloyd's iterations until no point changes its cluster.

    Parameters
    ----------
    points
        Integers of shape (points, features).
    clusters, seed, max_iterations
        As the options of ``kmeans.c``.
    """
    centroids = first_centroids(points, clusters, seed)
    scaled = points * ONE
    squares = (scaled**2).sum(axis=1)
    assignment = np.full(len(points), -1)
    iterations = inertia = 0
    sizes = np.zeros(clusters, dtype=np.int64)
    while iterations < max_iterations:
        iterations += 1
        distances = squares[:, None] - 2 * scaled @ centroids.T + (centroids**2).sum(axis=1)
        nearest = distances.argmin(axis=1)
        inertia = int(distances.min(axis=1).sum())
        moved = bool((nearest != assignment).any())
        assignment = nearest
        member = (nearest[:, None] == np.arange(clusters)).astype(np.int64)
        sizes = member.sum(axis=0)
        filled = sizes > 0
        sums = (member.T @ points)[filled]
        centroids[filled] = (2 * ONE * sums + sizes[filled, None]) // (2 * sizes[filled, None])
        if not moved:
            break
    return Clustering(centroids, sizes, iterations, inertia)


def read_points(path: Path) -> Integers:
    """Read the features of a file of points; the last column, the class, is left out."""
    return np.loadtxt(path, delimiter=",", dtype=np.int64)[:, :-1]


def centroid_lines(centroids: Integers) -> str:
    """Write centroids as ``kmeans.c`` does: one a line, exact decimal fractions."""
    return "".join(",".join(f"{value / ONE:.{FRACTION_BITS}f}" for value in row) + "\n" for row in centroids)


def main() -> None:
    """Cluster a file and print or write the centroids."""
    parser = argparse.ArgumentParser(description="k-means without MPI, to check kmeans.c against")
    parser.add_argument("input", type=Path)
    parser.add_argument("--clusters", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    result = cluster(read_points(arguments.input), arguments.clusters, arguments.seed, arguments.iterations)
    print(f"iterations  {result.iterations}")
    print(f"inertia     {result.inertia / ONE**2:.4f}")
    print("sizes      ", *result.sizes)
    if arguments.output is not None:
        arguments.output.write_text(centroid_lines(result.centroids))


if __name__ == "__main__":
    main()
