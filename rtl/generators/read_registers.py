# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Registers from SystemRDL."""

from collections.abc import Iterator
from pathlib import Path

from peakrdl_regblock.udps import ALL_UDPS
from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, RegNode
from systemrdl.rdltypes.builtin_enums import OnWriteType

from generators.model import Register, RegisterField

#: Registers of this instance belong to the slot itself, so their names have no prefix.
COMMON = "common"


def compile_registers(source: Path) -> AddrmapNode:
    """Return the top addrmap of a file."""
    compiler = RDLCompiler()
    for definition in ALL_UDPS:
        compiler.register_udp(definition, soft=False)
    compiler.compile_file(str(source))
    return compiler.elaborate().top


def blocks(top: AddrmapNode) -> list[AddrmapNode]:
    """Return the addrmaps that hold registers: those that `top` is composed of, or `top` itself."""
    inner = [child for child in top.children() if isinstance(child, AddrmapNode)]
    if not inner:
        return [top]
    if any(not isinstance(child, AddrmapNode) for child in top.children()):
        raise ValueError(f"{top.inst_name}: an addrmap has registers or is composed of addrmaps, not both")
    return [block for child in inner for block in blocks(child)]


def registers(top: AddrmapNode) -> list[Register]:
    """Return all registers by address."""
    return sorted(_registers(top), key=lambda register: register.address)


def _registers(node: AddressableNode, path: tuple[AddressableNode, ...] = ()) -> Iterator[Register]:
    for child in node.children(unroll=False):
        if isinstance(child, RegNode):
            yield _register((*path, child))
        elif isinstance(child, AddressableNode):
            yield from _registers(child, (*path, child))


def _register(path: tuple[AddressableNode, ...]) -> Register:
    node = path[-1]
    block = next(part for part in reversed([path[0].parent, *path]) if isinstance(part, AddrmapNode))
    dimensions: list[int] = []
    strides: list[int] = []
    for part in path:
        sizes = list(part.array_dimensions or [])
        stride = part.array_stride or 0
        steps: list[int] = []
        for size in reversed(sizes):
            steps.insert(0, stride)
            stride *= size
        dimensions += sizes
        strides += steps
    names = [part.inst_name for part in path if part.inst_name != COMMON]
    return Register(
        name="_".join(names),
        title=str(node.get_property("name")),
        description=str(node.get_property("desc") or ""),
        block=block.inst_name,
        address=sum(part.raw_address_offset for part in path),
        dimensions=tuple(dimensions),
        strides=tuple(strides),
        fields=tuple(_field(child) for child in node.children() if isinstance(child, FieldNode)),
    )


def _field(node: FieldNode) -> RegisterField:
    reset = node.get_property("reset")
    return RegisterField(
        name=node.inst_name,
        description=str(node.get_property("desc") or ""),
        lsb=node.lsb,
        width=node.width,
        reset=reset if isinstance(reset, int) else 0,
        readable=node.is_sw_readable,
        writable=node.is_sw_writable,
        clears=node.get_property("onwrite") == OnWriteType.woclr,
    )
