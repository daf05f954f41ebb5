#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Check that a library exports every function of its headers, and nothing else.

``python check_exports.py LIBRARY HEADER...``
"""

import re
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run as a command."""
    library, *headers = sys.argv[1:]
    text = "\n".join(Path(header).read_text() for header in headers)
    declared = set(re.findall(r"^(?:struct )?\w+\s+(P?MPIX?_\w+|tidings_mpi_\w+)\(", text, re.MULTILINE))
    listing = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True
    ).stdout
    exported = {line.split()[0].partition("@")[0] for line in listing.splitlines()}
    missing = declared - exported
    # Functions without a profiling twin in the header have one all the same.
    surplus = exported - declared - {f"P{name}" for name in declared}
    for name in sorted(missing):
        print(f"not exported: {name}")
    for name in sorted(surplus):
        print(f"exported, but not in a header: {name}")
    return 1 if missing or surplus or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
