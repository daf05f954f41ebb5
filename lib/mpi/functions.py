#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""List the functions of the MPI standard header: those that exist, by source file, and those left out.

A function and its variants for large counts (``_c``, ``_x``) stand there once.
"""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import generate

_HERE = Path(__file__).resolve().parent
_WIDTH = 98


def plain(name: str, names: set[str]) -> str:
    """Name of the function that ``name`` is a variant of."""
    stem = re.sub(r"_[cx]$", "", name)
    return stem if stem in names else name


def implemented() -> dict[Path, list[str]]:
    """Functions that each source file defines or plans."""
    names = set(declared())
    sources = {source: source.read_text() for source in sorted(_HERE.glob("*.[ch]*"))}
    everywhere = generate.parse_sources(sources.values())
    found = {}
    for source, text in sources.items():
        plans = generate.parse_plans([text])
        planned = {name for name in names - everywhere if generate.way_of(name, plans) is not None}
        defined = {plain(name, names) for name in generate.parse_sources([text])}
        defined |= {plain(name, names) for name in planned} - {plain(name, names) for name in everywhere}
        if defined:
            found[source] = sorted(defined)
    return found


def declared() -> list[str]:
    """All functions of the header."""
    header = subprocess.run([sys.executable, _HERE / "header.py"], capture_output=True, text=True, check=True).stdout
    return [function.name for function in generate.parse_header(Path(header.strip()).read_text())]


def main() -> int:
    """Run as a command."""
    names = declared()
    known = set(names)
    rest = {plain(name, known) for name in names}
    for source, functions in implemented().items():
        says = re.search(r"^/// @file .*\n/// (.*)", source.read_text(), re.MULTILINE)
        print(says[1] if says else source.name)
        _print_names(functions)
        rest -= set(functions)
    for reason in generate.LEFT_OUT.values():
        print(f"Left out: {reason}.")
        _print_names(sorted(name for name in rest if generate.left_out(name) == reason))
    return 0


def _print_names(functions: list[str]) -> None:
    text = " ".join(function.removeprefix("MPI_") for function in functions)
    print(textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False))


if __name__ == "__main__":
    sys.exit(main())
