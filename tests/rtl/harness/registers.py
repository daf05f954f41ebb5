# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""All registers of a slot by name, elements of arrays one by one."""

from __future__ import annotations

from functools import cache
from itertools import product

from tidings.generated.registers import REGISTERS

from tidings.bit_fields import Register


@cache
def elements() -> dict[str, tuple[type[Register], int]]:
    """Return class and byte address of each register: "rma_length", "mpe_link[0][3]", "rma_region_base[2]"."""
    found = {}
    for register in REGISTERS:
        for indices in product(*map(range, register.DIMENSIONS)):
            name = register.NAME + "".join(f"[{index}]" for index in indices)
            found[name] = (register, register.at(*indices))
    return found


def address(name: str) -> int:
    """Return the byte address of a register."""
    return elements()[name][1]
