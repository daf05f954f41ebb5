# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""C headers for drivers: registers, enumerations, and the packed structures that fit in a word."""

import math
from collections.abc import Iterator, Sequence

from generators.model import Enumeration, Package, Register, Structure, snake

_WORD = 32


def _name(content: Enumeration | Structure) -> str:
    return content.name.removesuffix("_t").removesuffix("_e")


def registers_header(registers: Sequence[Register], source: str) -> str:
    """Return a header with an address, a structure and two functions for each register."""
    lines = _begin("REGISTERS", source)
    for register in registers:
        name = f"tidings_reg_{register.name}"
        lines.append(f"/** {register.title}. {register.description} */")
        indices = [f"i{n}" for n in range(len(register.dimensions))]
        offset = "".join(
            f" + (uint32_t)({index}) * {stride}u" for index, stride in zip(indices, register.strides, strict=True)
        )
        arguments = f"({', '.join(indices)})" if indices else ""
        lines.append(f"#define {name.upper()}{arguments} ({register.address:#05x}u{offset})")
        lines += [f"#define {name.upper()}_COUNT {math.prod(register.dimensions)}u"] * bool(indices)
        lines.append(f"#define {name.upper()}_RESET {register.reset:#x}u")
        masks = [f"{field.name} {((1 << field.width) - 1) << field.lsb:#x}u" for field in register.fields]
        lines += [f"#define {name.upper()}_{mask.split()[0].upper()} {mask.split()[1]}" for mask in masks]
        lines += _structure(name, [(f.name, f.description, f.lsb, f.width) for f in register.fields])
    return "\n".join([*lines, "#endif", ""])


def packages_header(packages: Sequence[Package]) -> str:
    """Return a header with all constants and enumerations, and with the structures that fit in a word."""
    lines = _begin("PACKETS", ", ".join(f"{package.name}.sv" for package in packages))
    for constant in [constant for package in packages for constant in package.constants]:
        lines.append(f"/** {constant.description} */")
        lines.append(f"#define TIDINGS_{snake(constant.name).upper()} {constant.value}u")
    for content in [content for package in packages for content in package.types]:
        if isinstance(content, Enumeration):
            name = _name(content)
            values = ", ".join(f"TIDINGS_{name}_{snake(v.short)} = {v.value}".upper() for v in content.values)
            lines += [f"/** {content.description} */", f"enum tidings_{name} {{ {values} }};"]
        elif content.width <= _WORD and not any(isinstance(m.content, Structure) for m in content.members):
            lines.append(f"/** {content.description} */")
            fields = [(m.name, m.description, m.lsb, m.width) for m in content.members]
            lines += _structure(f"tidings_{_name(content)}", fields)
    return "\n".join([*lines, "#endif", ""])


def _begin(name: str, source: str) -> list[str]:
    return [
        "/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */",
        f"/* Generated from {source} by rtl/generate.py. */",
        f"#ifndef TIDINGS_GENERATED_{name}_H",
        f"#define TIDINGS_GENERATED_{name}_H",
        "#include <stdint.h>",
    ]


def _structure(name: str, fields: Sequence[tuple[str, str, int, int]]) -> Iterator[str]:
    yield f"struct {name} {{"
    for field, description, _, _ in fields:
        yield f"  uint32_t {field};" + (f" /**< {description} */" if description else "")
    yield "};"
    words = [f"(fields.{field} & {(1 << width) - 1:#x}u) << {lsb}" for field, _, lsb, width in fields]
    yield f"static inline uint32_t {name}_encode(struct {name} fields) {{ return {' | '.join(words)}; }}"
    yield f"static inline struct {name} {name}_decode(uint32_t word) {{"
    yield f"  struct {name} fields;"
    yield from (f"  fields.{field} = word >> {lsb} & {(1 << width) - 1:#x}u;" for field, _, lsb, width in fields)
    yield "  return fields;"
    yield "}"
