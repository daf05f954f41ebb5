# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Whatever a machine file holds, it is read or refused with a `MachineFileError`: nothing else comes out."""

import contextlib
import io
import tomllib
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from tidings.machines import view
from tidings.machines.file import Machine, MachineFileError, parse_machine, warnings_of

SPIRIT = (Path(__file__).resolve().parents[2] / "machines" / "spirit.toml").read_text()
DOCUMENT = tomllib.loads(SPIRIT)
PATHS = [(key,) for key in DOCUMENT] + [(t, k) for t, v in DOCUMENT.items() if isinstance(v, dict) for k in v]

toml_text = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20)
long_integers = st.integers(300, 400).map(lambda digits: 10**digits)
scalars = st.one_of(st.integers(), long_integers, st.floats(), st.booleans(), toml_text)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text("abcxyz_", min_size=1), inner)
)


def to_toml(value: Any) -> str:
    """Write a value as TOML, in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(character):08x}" for character in value) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{to_toml(key)} = {to_toml(item)}" for key, item in value.items()) + "}"
    return repr(value)


def read(text: str) -> Machine | None:
    with contextlib.suppress(MachineFileError):
        machine = parse_machine(text, Path("fuzz.toml"))
        warnings_of(machine)
        for table in (*view.details(machine),):
            Console(file=io.StringIO(), markup=False).print(table)
        return machine
    return None


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    read(text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from(PATHS), values)
def test_any_value_in_any_place_is_read_or_refused(path: tuple[str, ...], value: object) -> None:
    document = tomllib.loads(SPIRIT)
    table = document
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    machine = read("\n".join(f"{key} = {to_toml(item)}" for key, item in document.items()))
    if machine is not None:
        assert 1 <= machine.slots <= 4096 * 16
        assert machine.network().diameter_hops >= 0


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, len(SPIRIT) - 1), st.integers(0, 40), st.text(max_size=10))
def test_any_edit_is_read_or_refused(position: int, length: int, text: str) -> None:
    read(SPIRIT[:position] + text + SPIRIT[position + length :])
