# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Addresses of a slot's registers, as `rtl/regs/slot.rdl` places them."""

from __future__ import annotations

from functools import cache

from systemrdl.compiler import RDLCompiler
from systemrdl.node import RegNode

from harness.runner import RTL


@cache
def addresses() -> dict[str, int]:
    """Return the byte address of each register: "rma_local", "mpe_link[3]", "region[2].base"."""
    compiler = RDLCompiler()
    compiler.compile_file(str(RTL / "regs" / "slot.rdl"))
    top = compiler.elaborate().top
    registers = top.descendants(unroll=True)
    return {node.get_rel_path(top): node.absolute_address for node in registers if isinstance(node, RegNode)}
