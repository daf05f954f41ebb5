#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Print the path of the MPI standard ABI's header, which the Python package ``mpich`` carries."""

import sys
from importlib.metadata import PackageNotFoundError, files


def main() -> int:
    """Run as a command."""
    try:
        recorded = files("mpich") or []
    except PackageNotFoundError:
        recorded = []
    for file in recorded:
        if file.name == "mpi_abi.h":
            print(file.locate())
            return 0
    print(f"mpi_abi.h not found: install the package mpich for {sys.executable}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
