# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Packed structures of a test bench's own package, read from the SystemVerilog that declares them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from harness.runner import RTL

sys.path.insert(0, str(RTL))

from generators.model import Structure
from generators.read_packages import read_packages


@dataclass(frozen=True)
class Bits:
    """Where a member of a packed structure is."""

    lsb: int
    width: int

    def of(self, vector: int) -> int:
        """Return this member's bits of the structure's."""
        return vector >> self.lsb & ((1 << self.width) - 1)

    def put(self, value: int) -> int:
        """Return the structure's bits with this member set and all others zero."""
        if not 0 <= value < 1 << self.width:
            raise ValueError(f"{value:#x} does not fit {self.width} bits")
        return value << self.lsb


class Layout:
    """A packed structure: an attribute of type `Bits` for each member, and its width in bits."""

    def __init__(self, structure: Structure) -> None:
        self.width = structure.width
        self._members = {member.name: Bits(member.lsb, member.width) for member in structure.members}

    def __getattr__(self, name: str) -> Bits:
        try:
            return self._members[name]
        except KeyError:
            raise AttributeError(name) from None


def layouts(package: Path) -> dict[str, Layout]:
    """Return the packed structures that a bench's package declares, by name without ``_t``."""
    found = read_packages([*sorted(RTL.glob("*/*_pkg.sv")), package])
    own = next(p for p in found if p.name == package.stem)
    return {t.name.removesuffix("_t"): Layout(t) for t in own.types if isinstance(t, Structure)}
