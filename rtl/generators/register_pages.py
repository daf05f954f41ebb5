# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reference pages in Markdown: registers, and what packets and engines say."""

from collections.abc import Iterator, Sequence

from generators.model import Enumeration, Package, Register, RegisterField, Structure


def registers_page(registers: Sequence[Register], source: str) -> str:
    """Return the page of all registers."""
    lines = ["# Registers", "", f"Generated from `{source}`. Addresses are bytes in the register space of a slot."]
    lines += ["", "| address | register | what it holds |", "|---|---|---|"]
    for register in registers:
        lines.append(f"| {_address(register)} | [`{register.name}`](#{register.name}) | {register.title} |")
    for register in registers:
        lines += ["", f"## `{register.name}`", "", f"{_address(register)} · {register.title}. {register.description}"]
        lines += ["", "| bits | field | access | reset | |", "|---|---|---|---|---|"]
        lines += [_field(part) for part in reversed(register.fields)]
    return "\n".join([*lines, ""])


def _address(register: Register) -> str:
    steps = zip("ijk", register.dimensions, register.strides, strict=False)
    return f"`{register.address:#05x}`" + "".join(f" + {stride} {name} ({name} < {n})" for name, n, stride in steps)


def _bits(lsb: int, width: int) -> str:
    return str(lsb) if width == 1 else f"{lsb + width - 1}:{lsb}"


def _field(part: RegisterField) -> str:
    access = ("r" if part.readable else "") + ("w1c" if part.clears else "w" if part.writable else "")
    return f"| {_bits(part.lsb, part.width)} | `{part.name}` | {access} | {part.reset:#x} | {_cell(part.description)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def packets_page(packages: Sequence[Package]) -> str:
    """Return the page of all packages."""
    lines = ["# Packets and engine interfaces", "", "Generated from the SystemVerilog packages in `rtl/`."]
    for package in packages:
        lines += ["", f"## `{package.name}`", "", package.description]
        if package.constants:
            lines += ["", "| constant | value | |", "|---|---|---|"]
            lines += [f"| `{c.name}` | {c.value} | {_cell(c.description)} |" for c in package.constants]
        for content in package.types:
            lines += ["", f"### `{content.name}`", "", content.description, ""]
            lines += _enumeration(content) if isinstance(content, Enumeration) else _structure(content)
    return "\n".join([*lines, ""])


def _enumeration(enumeration: Enumeration) -> Iterator[str]:
    yield from ("| value | name | |", "|---|---|---|")
    for value in enumeration.values:
        yield f"| {value.value} | `{value.name}` | {_cell(value.description)} |"


def _structure(structure: Structure) -> Iterator[str]:
    yield from ("| bits | field | type | |", "|---|---|---|---|")
    for member in structure.members:
        kind = f"`{member.type_name}`" if member.type_name else ""
        yield f"| {_bits(member.lsb, member.width)} | `{member.name}` | {kind} | {_cell(member.description)} |"
