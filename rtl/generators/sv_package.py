# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""A SystemVerilog package with each register's address and a packed structure: the word as the bus carries it."""

from collections.abc import Iterator, Sequence

from generators.model import Register

_WORD = 32


def register_words_package(registers: Sequence[Register], source: str) -> str:
    """Return the text of ``register_words_pkg``, with a type ``NAME_word_t`` and an address for each register."""
    lines = [
        "// Copyright Tidings contributors.",
        "// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1",
        f"// Generated from {source} by rtl/generate.py.",
        "`default_nettype none",
        "package register_words_pkg;",
    ]
    for register in registers:
        lines += ["  typedef struct packed {", *_members(register), f"  }} {register.name}_word_t;"]
        name = "".join(part.capitalize() for part in register.name.split("_"))
        lines.append(f"  localparam logic [11:0] {name}Address = 12'h{register.address:03x};")
    return "\n".join([*lines, "endpackage", "`default_nettype wire", ""])


def _members(register: Register) -> Iterator[str]:
    top = _WORD
    for field in reversed(register.fields):
        yield from _gap(top, field.lsb + field.width)
        yield f"    logic {f'[{field.width - 1}:0] ' if field.width > 1 else ''}{field.name};"
        top = field.lsb
    yield from _gap(top, 0)


def _gap(top: int, bottom: int) -> Iterator[str]:
    if top > bottom:
        yield f"    logic [{top - bottom - 1}:0] reserved{bottom};"
