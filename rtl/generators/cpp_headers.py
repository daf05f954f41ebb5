# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""C++ headers: a structure for each register, and all of each package."""

from collections.abc import Iterable, Iterator, Sequence

from generators.model import (
    Constant,
    Enumeration,
    Function,
    Member,
    Package,
    Register,
    RegisterField,
    Structure,
    camel,
    snake,
)

#: Typedefs that are C++ types of their own (sim/machine/types.h).
_STRONG_TYPES = {"node_id_t": "NodeId", "slot_id_t": "SlotId"}
_LONGEST_WORD = 64
_LEGAL = "// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0"


def _unsigned(width: int) -> str:
    return f"std::uint{next(bits for bits in (8, 16, 32, 64) if width <= bits)}_t"


def _hex(value: int) -> str:
    return f"{value:#x}U"


def _comment(text: str, indent: str = "") -> Iterator[str]:
    if text:
        yield f"{indent}/// {text}"


# ---------------------------------------------------------------- registers
def registers_header(registers: Sequence[Register], source: str) -> str:
    """Return a header with a structure for each register, in namespace ``tidings::registers``."""
    lines = [
        _LEGAL,
        "#pragma once",
        f"// Generated from {source} by rtl/generate.py.",
        "#include <array>",
        "#include <cstdint>",
        "#include <span>",
        '#include "sim/machine/bit_field.h"',
        "namespace tidings::registers {",
    ]
    for register in registers:
        lines += _register(register)
    names = ", ".join(f"{camel(register.name)}::kInfo" for register in registers)
    lines += [
        "/// All of them, by address.",
        f"inline constexpr std::array<RegisterInfo, {len(registers)}> kRegisters{{{{{names}}}}};",
        "}  // namespace tidings::registers",
        "",
    ]
    return "\n".join(lines)


def _register(register: Register) -> Iterator[str]:
    name = camel(register.name)
    yield from _comment(f"{register.title}. {register.description}".strip())
    yield f"struct {name} {{"
    for part in register.fields:
        access = ", ".join(str(getattr(part, what)).lower() for what in ("readable", "writable", "clears"))
        yield (
            f'  static constexpr RegisterField k{camel(part.name)}Field{{{{"{part.name}", {part.lsb}, {part.width}}}, '
            f"{_hex(part.reset)}, {access}}};"
        )
    fields = ", ".join(f"k{camel(part.name)}Field" for part in register.fields)
    yield f"  static constexpr std::array<RegisterField, {len(register.fields)}> kFields{{{{{fields}}}}};"
    yield f"  static constexpr std::uint16_t kAddress = {register.address:#05x};"
    masks = {"kReset": register.reset, "kReadable": register.mask("readable"), "kWritable": register.mask("writable")}
    yield "  static constexpr std::uint32_t " + ", ".join(f"{n} = {_hex(v)}" for n, v in masks.items()) + ";"
    places = list(zip(register.dimensions, register.strides, strict=True))
    yield (
        f'  static constexpr RegisterInfo kInfo{{"{register.name}", kAddress, {register.count}, '
        f"{register.strides[-1] if places else 4}, kFields}};"
    )
    if places:
        indices = ", ".join(f"unsigned i{n}" for n in range(len(places)))
        offset = " + ".join(f"i{n} * {stride}" for n, (_, stride) in enumerate(places))
        yield f"  static constexpr unsigned kCount = {register.count};"
        yield f"  static constexpr std::uint16_t at({indices}) {{"
        yield f"    return static_cast<std::uint16_t>(kAddress + {offset});"
        yield "  }"
        yield "  /// It is the address of an element."
        yield "  static constexpr bool holds(std::uint16_t byte) { return kInfo.holds(byte); }"
    for part in register.fields:
        kind = "bool" if part.width == 1 else "std::uint32_t"
        value = ("true" if part.reset else "false") if part.width == 1 else _hex(part.reset)
        note = f"  ///< {part.description}" if part.description else ""
        yield f"  {kind} {part.name} = {value};{note}"
    yield "  [[nodiscard]] constexpr std::uint32_t encode() const {"
    yield f"    return {' | '.join(_encoded(part) for part in register.fields)};"
    yield "  }"
    yield f"  static constexpr {name} decode(std::uint32_t word) {{"
    yield f"    return {{{', '.join(_decoded(part) for part in register.fields)}}};"
    yield "  }"
    yield f"  bool operator==(const {name}&) const = default;"
    yield "};"


def _encoded(part: RegisterField) -> str:
    if part.width == 1:
        return f"({part.name} ? {_hex(1 << part.lsb)} : 0U)"
    return f"({part.name} & {_hex((1 << part.width) - 1)}) << {part.lsb}"


def _decoded(part: RegisterField) -> str:
    bits = f"(word >> {part.lsb} & {_hex((1 << part.width) - 1)})"
    return f".{part.name} = {bits} != 0" if part.width == 1 else f".{part.name} = {bits}"


# ---------------------------------------------------------------- packages
def package_header(package: Package) -> str:
    """Return a header with all of a package, in a namespace of its name."""
    lines = [
        _LEGAL,
        "#pragma once",
        f"// Generated from {package.name}.sv by rtl/generate.py.",
        "#include <array>",
        "#include <cstdint>",
        '#include "sim/machine/bit_field.h"',
        '#include "sim/machine/types.h"',
        *(f'#include "generated/{name}.h"' for name in package.imports),
        *_comment(package.description),
        f"namespace tidings::{package.name} {{",
    ]
    lines += [line for constant in package.constants for line in _constant(constant)]
    for content in package.types:
        lines += _enumeration(content) if isinstance(content, Enumeration) else _structure(content)
    lines += [line for function in package.functions for line in _function(function)]
    lines += [f"}}  // namespace tidings::{package.name}", ""]
    return "\n".join(lines)


def _constant(constant: Constant) -> Iterator[str]:
    yield from _comment(constant.description)
    yield f"inline constexpr std::uint32_t k{constant.name} = {constant.value};"


def _enumeration(enumeration: Enumeration) -> Iterator[str]:
    name = camel(enumeration.name)
    yield from _comment(enumeration.description)
    yield f"enum class {name} : {_unsigned(enumeration.width)} {{"
    for value in enumeration.values:
        note = f"  ///< {value.description}" if value.description else ""
        yield f"  k{value.short} = {value.value},{note}"
    yield "};"
    yield f"inline constexpr std::array<EnumValue, {len(enumeration.values)}> k{name}Values{{{{"
    yield from (f'    {{"{snake(value.short)}", {value.value}}},' for value in enumeration.values)
    yield "}};"


def _function(function: Function) -> Iterator[str]:
    yield from _comment(function.description)
    owner = function.argument_type.package
    kind = camel(function.argument_type.name)
    if owner != function.package:
        kind = f"{owner}::{kind}"
    index = f"static_cast<unsigned>({function.argument})"
    if function.result_type is None:
        ones = sum(result << value for value, result in enumerate(function.results))
        yield f"constexpr bool {function.name}({kind} {function.argument}) {{"
        yield f"  return ({_hex(ones)} >> {index} & 1U) != 0;"
        yield "}"
        return
    result = camel(function.result_type.name)
    names = {value.value: f"{result}::k{value.short}" for value in function.result_type.values}
    results = ", ".join(names[value] for value in function.results)
    yield f"constexpr {result} {function.name}({kind} {function.argument}) {{"
    yield f"  constexpr std::array<{result}, {len(function.results)}> results{{{results}}};"
    yield f"  return results[{index}];"
    yield "}"


def _structure(structure: Structure) -> Iterator[str]:
    name = camel(structure.name)
    yield from _comment(structure.description)
    yield f"struct {name} {{"
    yield f"  static constexpr unsigned kWidth = {structure.width};"
    for member in structure.members:
        place = f'{{"{member.name}", {member.lsb}, {member.width}}}'
        yield f"  static constexpr BitField k{camel(member.name)}Field{place};"
    fields = ", ".join(f"k{camel(member.name)}Field" for member in structure.members)
    yield f"  static constexpr std::array<BitField, {len(structure.members)}> kFields{{{{{fields}}}}};"
    for member in structure.members:
        note = f"  ///< {member.description}" if member.description else ""
        yield f"  {_type(member, structure.package)} {member.name}{{}};{note}"
    if structure.width <= _LONGEST_WORD:
        yield from _word(structure, name)
    yield from _fields(structure, name)
    yield f"  bool operator==(const {name}&) const = default;"
    yield "};"


def _word(structure: Structure, name: str) -> Iterator[str]:
    """Write encode and decode for a structure that fits in a word."""
    word = "std::uint32_t" if structure.width <= 32 else "std::uint64_t"
    encoded = [
        f"({word}{{{_bits_of(member)}}} & {_hex((1 << member.width) - 1)}) << {member.lsb}"
        for member in structure.members
    ]
    yield f"  [[nodiscard]] constexpr {word} encode() const {{ return {' | '.join(encoded)}; }}"
    yield f"  static constexpr {name} decode({word} word) {{"
    decoded = [
        f".{member.name} = "
        + _value_of(member, f"(word >> {member.lsb} & {_hex((1 << member.width) - 1)})", structure.package)
        for member in structure.members
    ]
    yield f"    return {{{', '.join(decoded)}}};"
    yield "  }"


def _fields(structure: Structure, name: str) -> Iterator[str]:
    """Write access to the fields of a structure of any width, for ports of Verilated models."""
    yield "  /// Calls `store_bits(lsb, width, value)` for all bits."
    yield "  template <typename Put>"
    yield "  constexpr void store(Put&& store_bits, unsigned lsb = 0) const {"
    for member in structure.members:
        if isinstance(member.content, Structure):
            yield f"    {member.name}.store(store_bits, lsb + {member.lsb});"
        else:
            yield f"    store_bits(lsb + {member.lsb}, {member.width}U, std::uint32_t{{{_bits_of(member)}}});"
    yield "  }"
    yield "  /// Made from what `load_bits(lsb, width)` returns."
    yield "  template <typename Get>"
    yield f"  static constexpr {name} load(Get&& load_bits, unsigned lsb = 0) {{"
    loaded = []
    for member in structure.members:
        if isinstance(member.content, Structure):
            loaded.append(f".{member.name} = {_type(member, structure.package)}::load(load_bits, lsb + {member.lsb})")
        else:
            bits = f"load_bits(lsb + {member.lsb}, {member.width}U)"
            loaded.append(f".{member.name} = {_value_of(member, bits, structure.package)}")
    yield f"    return {{{', '.join(loaded)}}};"
    yield "  }"


def _type(member: Member, package: str) -> str:
    if member.content is not None:
        inner = camel(member.content.name)
        return inner if member.content.package == package else f"{member.content.package}::{inner}"
    if member.type_name in _STRONG_TYPES:
        return _STRONG_TYPES[member.type_name]
    return "bool" if member.width == 1 else _unsigned(member.width)


def _bits_of(member: Member) -> str:
    """Return the bits of a member as an expression of an unsigned type."""
    if isinstance(member.content, Structure):
        return f"{member.name}.encode()"
    if isinstance(member.content, Enumeration):
        return f"static_cast<{_unsigned(member.width)}>({member.name})"
    return f"{member.name}.value" if member.type_name in _STRONG_TYPES else member.name


def _value_of(member: Member, bits: str, package: str) -> str:
    """Return the value of a member from an expression of its bits."""
    kind = _type(member, package)
    if isinstance(member.content, Structure):
        word = "std::uint32_t" if member.width <= 32 else "std::uint64_t"
        return f"{kind}::decode(static_cast<{word}>({bits}))"
    if member.type_name in _STRONG_TYPES:
        return f"{kind}{{static_cast<{_unsigned(member.width)}>({bits})}}"
    return f"{bits} != 0" if kind == "bool" else f"static_cast<{kind}>({bits})"


def headers(packages: Iterable[Package]) -> dict[str, str]:
    """Return the headers of all packages by file name."""
    return {f"{package.name}.h": package_header(package) for package in packages}
