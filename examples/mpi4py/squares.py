#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""A pool of workers: rank 0 hands out tasks, the other ranks carry them out."""

from mpi4py.futures import MPIPoolExecutor


def square(number: int) -> int:
    """Carry out one task."""
    return number * number


if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        print(f"the sum of the first 100 squares is {sum(pool.map(square, range(100), chunksize=10))}")
