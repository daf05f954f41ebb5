# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""What hardware and simulator know of a machine's parameters, from the schema ``machine/node.toml``."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[1] / "machine" / "node.toml"
#: Bits of a list of slots, in all languages.
_MASK_BITS = 64

SV_HEAD = """// Generated from rtl/machine/node.toml. Do not edit.
// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1

`default_nettype none

"""
CPP_HEAD = """// Generated from rtl/machine/node.toml. Do not edit.
// SPDX-License-Identifier: Apache-2.0
#pragma once
"""


class Parameter:
    """One table of the schema."""

    def __init__(self, section: str, key: str, table: Mapping[str, Any]) -> None:
        self.section = section
        self.key = key
        self.table = table

    def __getattr__(self, name: str) -> Any:
        """Return an entry of the table, None if it is not there."""
        return self.table.get(name)

    @property
    def path(self) -> str:
        """Name in messages."""
        return f"{self.section}.{self.key}"

    @property
    def built_value(self) -> int | float:
        """Value where nobody says another one, as a number."""
        value = self.built if self.built is not None else self.default
        return self.number(0 if value is None else value)

    def number(self, value: Any) -> int | float:
        """Return a value of the file as hardware and simulator count it."""
        if self.type == "choice":
            return int(self.choices.index(value))
        if self.type == "slots":
            return sum({1 << int(slot) for slot in value})
        scaled: int | float = value * (self.scale or 1)
        return int(scaled) if self.type in ("bool", "int") or self.scale else scaled

    @property
    def is_bit(self) -> bool:
        """Whether hardware has one bit for it."""
        return self.type == "bool" or (self.type == "choice" and len(self.choices) == 2)

    @property
    def allowed(self) -> str:
        """The limits as a text."""
        if self.type in ("bool", "choice"):
            return "0 or 1" if self.type == "bool" else f"0 to {len(self.choices) - 1}"
        if self.type == "slots":
            return f"a mask of {self.high + 1} bits"
        parts = ["a power of two"] if self.power_of_two else []
        parts += [f"more than {self.above}"] if self.above is not None else []
        for words, limit in (("at least", self.low), ("at most", self.high)):
            if limit is not None:
                parts.append(f"{words} {limit:g}" if isinstance(limit, float) else f"{words} {limit:,}")
        parts += [f"at least {self.at_least}"] if self.at_least else []
        parts += [f"at most {self.at_most}"] if self.at_most else []
        return ("0, or " if self.or_zero else "") + " and ".join(parts)

    def fails(self, value: str, prefix: str, suffix: str) -> str:
        """Return an expression, of C++ and SystemVerilog alike, that is true for values beyond the limits."""
        if self.type in ("bool", "choice"):
            return f"{value} > {1 if self.type == 'bool' else len(self.choices) - 1}{suffix}"
        if self.type == "slots":
            return f"({value} >> {self.high + 1}) != 0{suffix}" if self.high + 1 < _MASK_BITS else "false"
        scale = self.scale or 1
        tests = []
        if self.low:
            tests.append(f"{value} < {_literal(self.low * scale)}{suffix}")
        if self.high is not None:
            tests.append(f"{value} > {_literal(self.high * scale)}{suffix}")
        if self.above is not None:
            tests.append(f"{value} <= {_literal(self.above * scale)}{suffix}")
        if self.power_of_two:
            tests.append(f"({value} & ({value} - 1{suffix})) != 0{suffix}")
        for relation, limit in (("<", self.at_least), (">", self.at_most)):
            if limit:
                tests.append(f"{value} {relation} {re.sub(r'[a-z_]+', lambda match: prefix + match[0], limit)}")
        tests = [f"({test})" for test in tests]
        together = " || ".join(tests) or "false"
        return f"{value} != 0{suffix} && ({together})" if self.or_zero else together


def _sv_type(p: Parameter) -> str:
    if p.type == "slots":
        return f"bit [{_MASK_BITS - 1}:0]"
    return "bit" if p.is_bit else "int unsigned"


def _sv_literal(p: Parameter, value: int) -> str:
    if p.type == "slots":
        return f"{_MASK_BITS}'d{value}"
    return f"1'b{value}" if p.is_bit else str(value)


def _literal(value: float) -> str:
    """Write a limit: a whole number if it is one."""
    return str(int(value)) if float(value).is_integer() else repr(value)


def parameters(source: Path = SOURCE) -> list[Parameter]:
    """Read the schema."""
    with source.open("rb") as file:
        sections = tomllib.load(file)
    return [Parameter(section, key, table) for section, keys in sections.items() for key, table in keys.items()]


def package(schema: list[Parameter], values: Mapping[str, int]) -> str:
    """Return the SystemVerilog package: the structure, and the configuration that is built."""
    lines = ["/// The configuration of a node: one parameter of node, slot and engines.", "package node_cfg_pkg;", ""]
    lines += ["  /// Parameters of a node; rtl/machine/node.toml says what each may be.", "  typedef struct packed {"]
    for p in schema:
        lines += [f"    {_sv_type(p)} {p.rtl};  // {p.meaning}"]
    lines += ["  } node_cfg_t;", "", "  /// The node that is built.", "  localparam node_cfg_t NodeCfg = '{"]
    members = [f"    {p.rtl}: {_sv_literal(p, values[p.rtl])}" for p in schema]
    lines += [
        ",\n".join(members),
        "  };",
        "",
        "  /// Engines of a slot: `rma`, and those whose list of slots holds it.",
    ]
    lines += ["  function automatic tidings_pkg::engines_t engines_at(node_cfg_t cfg, int unsigned slot);"]
    lines += ["    tidings_pkg::engines_t engines = '0;", "    engines[tidings_pkg::EngineRma] = 1'b1;"]
    lines += [
        f"    engines[tidings_pkg::Engine{p.section.capitalize()}] = cfg.{p.rtl}[slot];" for p in _engines(schema)
    ]
    lines += ["    return engines;", "  endfunction", "", "endpackage", "", "`default_nettype wire", ""]
    return SV_HEAD + "\n".join(lines)


def _engines(schema: list[Parameter]) -> list[Parameter]:
    """Return the lists of slots that have an engine; its name is that of the section."""
    return [p for p in schema if p.type == "slots"]


def checks(schema: list[Parameter]) -> str:
    """Return the SystemVerilog module that refuses configurations beyond the limits."""
    lines = ["/// Elaboration fails for a configuration that is not allowed.", "module node_cfg_check", "#("]
    lines += [
        "    /// Configuration.",
        "    parameter node_cfg_pkg::node_cfg_t Cfg = node_cfg_pkg::NodeCfg",
        ") ();",
        "",
    ]
    for p in (p for p in schema if not p.is_bit):
        beyond = p.fails(f"Cfg.{p.rtl}", "Cfg.", "")
        if beyond == "false":
            continue
        lines += [f"  if ({beyond}) begin : gen_{p.rtl}"]
        lines += [f'    $error("{p.rtl} must be {p.allowed}, not %0d", Cfg.{p.rtl});', "  end"]
    return SV_HEAD + "\n".join([*lines, "", "endmodule", "", "`default_nettype wire", ""])


def _structure(name: str, meaning: str, fields: list[tuple[Parameter, str]]) -> list[str]:
    """Return a C++ structure with comparison and a function that visits its fields."""
    lines = [f"/// {meaning}", f"struct {name} {{"]
    for p, field in fields:
        built = "true" if p.type == "bool" and p.built_value and not p.rtl else p.built_value
        built = "false" if p.type == "bool" and not p.rtl and not p.built_value else built
        built = f"{built}U" if p.type == "slots" else built
        lines += [f"  {_cpp_type(p)} {field} = {built};  ///< {p.meaning}"]
    lines += [f"  bool operator==(const {name}&) const = default;", "};", ""]
    lines += [f"/// Calls `visit(name, member)` for each field of {name}.", "template <typename Visit>"]
    lines += [f"constexpr void visit_fields(const {name}*, Visit&& visit) {{"]
    lines += [f'  visit("{field}", &{name}::{field});' for _, field in fields]
    lines += ["}", "", f"/// Calls `fail(key, value, rule)` for each value of {name} beyond its limits."]
    lines += ["template <typename Fail>", f"void check_limits(const {name}& p, Fail&& fail) {{"]
    for p, field in fields:
        if p.type == "bool" and not p.rtl:
            continue
        value = f"p.{field}"
        beyond = p.fails(value, "p.", "U" if p.type != "float" or p.scale else "")
        if beyond == "false":
            continue
        finite = f"!({value} == {value}) || " if _cpp_type(p) == "double" else ""
        lines += [f'  if ({finite}{beyond}) fail("{p.path}", {value}, "must be {_in_units(p)}");']
    return [*lines, "}", ""]


def _in_units(p: Parameter) -> str:
    return p.allowed + (f" {p.unit}" if p.scale and p.unit else "")


def _cpp_type(p: Parameter) -> str:
    if p.rtl:
        return f"std::uint{_MASK_BITS if p.type == 'slots' else 32}_t"
    if p.type == "bool":
        return "bool"
    wide = p.scale or (p.high or 0) >= 1 << 32
    return "double" if p.type == "float" and not p.scale else f"std::uint{64 if wide else 32}_t"


def node_header(schema: list[Parameter]) -> str:
    """Return the C++ structure of a node's parameters."""
    lines = ["/// @file node_parameters.h", "/// What distinguishes one kind of node from another."]
    lines += ["#include <cstdint>", "", "namespace tidings {", ""]
    lines += _structure(
        "NodeParameters",
        "The configuration of `node.sv`; machines with equal parameters share one compiled node.",
        [(p, p.rtl) for p in schema if p.rtl],
    )
    return CPP_HEAD + "\n".join([*lines, "}  // namespace tidings", ""])


def engines_header(schema: list[Parameter]) -> str:
    """Return the C++ function that says which engines a slot has."""
    lines = ["/// @file engines.h", "/// Which engines a slot has: the same as engines_at() of node_cfg_pkg.sv."]
    lines += [
        '#include "generated/node_parameters.h"',
        '#include "generated/tidings_pkg.h"',
        "",
        "namespace tidings {",
        "",
    ]
    lines += ["/// Engines, one bit each by the numbers of tidings_pkg::Engine."]
    lines += ["using Engines = std::uint32_t;", "", "/// The bit of an engine."]
    lines += ["constexpr Engines engine_bit(tidings_pkg::Engine engine) {"]
    lines += ["  return Engines{1} << static_cast<unsigned>(engine);", "}", ""]
    lines += ["/// Engines of a slot: `rma`, and those whose list of slots holds it."]
    lines += ["constexpr Engines engines_at(const NodeParameters& p, unsigned slot) {"]
    lines += ["  Engines engines = engine_bit(tidings_pkg::Engine::kRma);"]
    for p in _engines(schema):
        bit = f"engine_bit(tidings_pkg::Engine::k{p.section.capitalize()})"
        lines += [f"  if ((p.{p.rtl} >> slot & 1U) != 0) engines |= {bit};"]
    return CPP_HEAD + "\n".join([*lines, "  return engines;", "}", "", "}  // namespace tidings", ""])


def sections_header(schema: list[Parameter]) -> str:
    """Return the C++ structures of what is not part of a node."""
    lines = ["/// @file machine_sections.h", "/// What machine files say beside nodes and topology, in the simulator's"]
    lines += ["/// units.", "#include <cstdint>", "", "namespace tidings {", ""]
    for section in dict.fromkeys(p.section for p in schema if p.config):
        fields = [(p, p.config) for p in schema if p.section == section and p.config]
        lines += _structure(f"{section.capitalize()}Config", f"Section `{section}` of a machine file.", fields)
    return CPP_HEAD + "\n".join([*lines, "}  // namespace tidings", ""])


def built_header(schema: list[Parameter], values: Mapping[str, int]) -> str:
    """Return the parameters of the node that is built."""
    lines = ["/// @file built_node.h", "/// The node that is built: the same as NodeCfg of node_cfg_pkg.sv."]
    lines += ['#include "generated/node_parameters.h"', "", "namespace tidings {", ""]
    lines += ["inline constexpr NodeParameters kBuiltNode{"]
    lines += [f"    .{p.rtl} = {values[p.rtl]}{'U' if p.type == 'slots' else ''}," for p in schema]
    return CPP_HEAD + "\n".join([*lines, "};", "", "}  // namespace tidings", ""])


def fixed_header(schema: list[Parameter]) -> str:
    """Return the C constants of what no machine file changes; section `node` follows from the topology."""
    lines = ["/* Generated from rtl/machine/node.toml. Do not edit. */", "/* SPDX-License-Identifier: Apache-2.0 */"]
    lines += ["#ifndef TIDINGS_GENERATED_FIXED_PARAMETERS_H", "#define TIDINGS_GENERATED_FIXED_PARAMETERS_H"]
    for p in (p for p in schema if p.fixed and p.section != "node"):
        name = p.path.replace(".", "_").upper()
        lines += [f"/** {p.meaning[0].upper()}{p.meaning[1:]}. */", f"#define TIDINGS_{name} {p.built_value}u"]
    return "\n".join([*lines, "#endif", ""])


def files(given: Mapping[str, int]) -> dict[str, str]:
    """Return the generated files by name.

    Parameters
    ----------
    given
        Values of the node that is built, by the names of node_cfg_t; the others are the schema's.

    Raises
    ------
    ValueError
        If a node has no such parameter.
    """
    schema = parameters()
    hardware = [p for p in schema if p.rtl]
    values = {p.rtl: int(p.built_value) for p in hardware}
    if unknown := [name for name in given if name not in values]:
        message = f"a node has no parameter {unknown[0]!r}; it has {', '.join(values)}"
        raise ValueError(message)
    values |= given
    return {
        "node_cfg_pkg.sv": package(hardware, values),
        "node_cfg_check.sv": checks(hardware),
        "node_parameters.h": node_header(schema),
        "engines.h": engines_header(schema),
        "machine_sections.h": sections_header(schema),
        "built_node.h": built_header(hardware, values),
        "fixed_parameters_c.h": fixed_header(schema),
    }
