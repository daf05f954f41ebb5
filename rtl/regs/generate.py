#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generate the register block of a slot, and the C header of its driver, from ``slot.rdl``.

``python generate.py OUT`` writes ``OUT/slot_regs_pkg.sv``, ``OUT/slot_regs.sv`` and ``OUT/slot_regs.h``.
Every user of the registers (CMake, lint, cocotb, the node's build) calls this one script.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "slot.rdl"
OUTPUTS = ("slot_regs_pkg.sv", "slot_regs.sv", "slot_regs.h")


def generate(out: Path) -> None:
    """Write the generated files.

    Parameters
    ----------
    out
        Directory to write to; made if it is not there. Files that are newer than their source are kept; others are
        replaced at once, so that several processes may generate into one directory.

    Raises
    ------
    subprocess.CalledProcessError
        If PeakRDL refuses the source.
    """
    out.mkdir(parents=True, exist_ok=True)
    newest_source = max(SOURCE.stat().st_mtime, Path(__file__).stat().st_mtime)
    files = [out / name for name in OUTPUTS]
    if all(file.exists() and file.stat().st_mtime > newest_source for file in files):
        return
    peakrdl = [sys.executable, "-m", "peakrdl"]
    regblock = ["--cpuif", "passthrough", "--default-reset", "rst_n", "--addr-width", "12"]
    with tempfile.TemporaryDirectory(dir=out, prefix="fresh-") as fresh:
        subprocess.run([*peakrdl, "regblock", str(SOURCE), "-o", fresh, *regblock], check=True)
        subprocess.run([*peakrdl, "c-header", str(SOURCE), "-o", f"{fresh}/slot_regs.h", "-b", "ltoh"], check=True)
        for file in files:
            (Path(fresh) / file.name).replace(file)


def main() -> int:
    """Run as a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT", help="directory for the generated files")
    generate(parser.parse_args().out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
