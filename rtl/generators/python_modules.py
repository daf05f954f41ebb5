# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Python modules: a class for each register, and for each packed structure of the packages."""

from collections.abc import Iterator, Sequence

from generators.model import Enumeration, Function, Member, Package, Register, RegisterField, Structure, camel, snake

_HEAD = "# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0"


def registers_module(registers: Sequence[Register], source: str) -> str:
    """Return a module with a class for each register."""
    lines = [
        _HEAD,
        f'"""Registers of a slot. Generated from {source} by rtl/generate.py."""',
        "from dataclasses import dataclass",
        "from typing import ClassVar",
        "from tidings.bit_fields import BitField, Register",
    ]
    for register in registers:
        lines += _register(register)
    names = ", ".join(camel(register.name) for register in registers)
    lines += ["#: All of them, by address.", f"REGISTERS: tuple[type[Register], ...] = ({names},)", ""]
    return "\n".join(lines)


def _register(register: Register) -> Iterator[str]:
    yield "@dataclass(frozen=True)"
    yield f"class {camel(register.name)}(Register):"
    yield f"    {_quoted(register.title + '. ' + register.description)}"
    yield f"    NAME: ClassVar[str] = {register.name!r}"
    yield f"    ADDRESS: ClassVar[int] = {register.address:#05x}"
    yield f"    DIMENSIONS: ClassVar[tuple[int, ...]] = {register.dimensions!r}"
    yield f"    STRIDES: ClassVar[tuple[int, ...]] = {register.strides!r}"
    fields = "".join(f"{_field(f)}, " for f in register.fields)
    yield f"    FIELDS: ClassVar[tuple[BitField, ...]] = ({fields})"
    for part in register.fields:
        kind = "bool" if part.width == 1 else "int"
        yield f"    {part.name}: {kind} = {bool(part.reset) if part.width == 1 else part.reset}"


def _field(part: RegisterField) -> str:
    access = f"readable={part.readable}, writable={part.writable}, clears={part.clears}"
    kind = "bool" if part.width == 1 else "int"
    return f"BitField({part.name!r}, {part.lsb}, {part.width}, {kind}, {access})"


def packages_module(packages: Sequence[Package]) -> str:
    """Return a module with all constants, enumerations, structures and functions of the packages."""
    sources = ", ".join(f"{package.name}.sv" for package in packages)
    lines = [
        _HEAD,
        f'"""What packets and engines say. Generated from {sources} by rtl/generate.py."""',
        "from dataclasses import dataclass, field",
        "from enum import IntEnum",
        "from typing import ClassVar",
        "from tidings.bit_fields import BitField, PackedStruct",
    ]
    for package in packages:
        for constant in package.constants:
            if constant.description:
                lines.append(f"#: {constant.description}")
            lines.append(f"{snake(constant.name).upper()} = {constant.value}")
        for content in package.types:
            lines += _enumeration(content) if isinstance(content, Enumeration) else _structure(content)
        for function in package.functions:
            lines += _function(function)
    return "\n".join([*lines, ""])


def _enumeration(enumeration: Enumeration) -> Iterator[str]:
    yield f"class {camel(enumeration.name)}(IntEnum):"
    yield f"    {_quoted(enumeration.description)}"
    for value in enumeration.values:
        if value.description:
            yield f"    #: {value.description}"
        yield f"    {snake(value.short).upper()} = {value.value}"


def _structure(structure: Structure) -> Iterator[str]:
    yield "@dataclass(frozen=True)"
    yield f"class {camel(structure.name)}(PackedStruct):"
    yield f"    {_quoted(structure.description)}"
    yield f"    WIDTH: ClassVar[int] = {structure.width}"
    fields = "".join(f"BitField({m.name!r}, {m.lsb}, {m.width}, {_type(m)}), " for m in structure.members)
    yield f"    FIELDS: ClassVar[tuple[BitField, ...]] = ({fields})"
    for member in structure.members:
        yield f"    {member.name}: {_type(member)} = {_default(member)}"


def _function(function: Function) -> Iterator[str]:
    argument = f"{function.argument}: {camel(function.argument_type.name)}"
    if function.result_type is None:
        kind, results = "bool", [str(bool(result)) for result in function.results]
    else:
        kind = camel(function.result_type.name)
        names = {value.value: f"{kind}.{snake(value.short).upper()}" for value in function.result_type.values}
        results = [names[result] for result in function.results]
    yield f"def {function.name}({argument}) -> {kind}:"
    yield f"    {_quoted(function.description)}"
    yield f"    return ({', '.join(results)})[{function.argument}]"


def _type(member: Member) -> str:
    if member.content is not None:
        return camel(member.content.name)
    return "bool" if member.width == 1 else "int"


def _default(member: Member) -> str:
    if isinstance(member.content, Structure):
        return f"field(default_factory={_type(member)})"
    if isinstance(member.content, Enumeration):
        return f"{_type(member)}(0)"
    return "False" if member.width == 1 else "0"


def _quoted(text: str) -> str:
    return '"""' + (text.strip().rstrip('"') or "As its name says.") + '"""'
