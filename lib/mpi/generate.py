#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generate what the library lacks to define every function of the MPI standard header.

``python generate.py HEADER OUT LIST SOURCE...`` writes ``OUT``, a C++ file with

- ``MPI_X`` for every function, weak, calling ``PMPI_X``, so that tools can put themselves between;
- ``PMPI_X`` with plain counts where the sources define ``PMPI_X_c`` alone;
- ``PMPI_X``, ``PMPI_IX`` and ``PMPI_X_init`` where a source plans ``x`` (``lib/mpi/planned.h``) and none defines them;
- ``PMPI_X`` for all others that the sources do not define: it ends the run with the function's name;

and ``LIST``, a table that says which functions are implemented.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

PROTOTYPE = re.compile(r"^(?P<result>\w+)\s+(?P<name>MPIX?_\w+)\((?P<parameters>[^;]*)\);", re.MULTILINE)
DEFINITION = re.compile(r"^\w+\s+P(?P<name>MPIX?_\w+)\(", re.MULTILINE)
PLAN = re.compile(r"^int (?P<name>\w+)\(const char\* name, const Way& way,", re.MULTILINE)
PARAMETER = re.compile(r"^(?P<type>.*?)(?P<name>\w+)(?P<array>(\[\d*\])*)$")


#: Functions that are left out, with what a program that calls one is told.
LEFT_OUT = {
    r"MPI_(Comm_(accept|connect|join|spawn\w*)|(Open|Close)_port|(Publish|Unpublish|Lookup)_name)": (
        "processes are neither started nor connected while a run goes on"
    ),
    r"MPI_T_(event|source|category_get_(num_)?events)\w*": "the tool interface has no events",
}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function."""

    type: str
    name: str
    array: str

    def declare(self) -> str:
        """Return the declaration with its name."""
        return f"{self.type} {self.name}{self.array}"

    def anonymous(self) -> str:
        """Return the declaration without a name."""
        return f"{self.type} {self.array}".strip()


@dataclass(frozen=True)
class Function:
    """One function of the header."""

    result: str
    name: str
    parameters: tuple[Parameter, ...]
    variadic: bool
    has_twin: bool
    """Whether the header declares the profiling twin."""

    def declare(self, prefix: str, unused: Callable[[Parameter], bool] = lambda _: False) -> str:
        """Head of a definition, whose body uses all parameters but some."""
        parameters = [each.anonymous() if unused(each) else each.declare() for each in self.parameters]
        return f"{self.result} {prefix}{self.name}({', '.join(parameters + ['...'] * self.variadic)})"

    def call(self, name: str) -> str:
        """Call of a function with the same parameters."""
        return f"{name}({', '.join(parameter.name for parameter in self.parameters)})"

    def widens_to(self, other: "Function") -> bool:
        """Whether the parameters convert to those of ``other``: they differ in counts by value alone."""
        if self.result != other.result or len(self.parameters) != len(other.parameters):
            return False
        widening = ("int", "MPI_Count")
        return all(
            mine.array == theirs.array and (mine.type == theirs.type or (mine.type, theirs.type) == widening)
            for mine, theirs in zip(self.parameters, other.parameters, strict=True)
        )


def parse_parameter(text: str) -> Parameter:
    """Take a parameter apart.

    Raises
    ------
    ValueError
        If it has no name.
    """
    match = PARAMETER.match(text.strip())
    if match is None or not match["type"].strip():
        raise ValueError(f"cannot understand the parameter {text!r}")
    return Parameter(match["type"].strip(), match["name"], match["array"])


def parse_header(text: str) -> list[Function]:
    """All functions that the header declares, without their profiling twins."""
    twins = {match["name"] for match in DEFINITION.finditer(text)}
    functions = []
    for match in PROTOTYPE.finditer(text):
        parts = [part for part in match["parameters"].split(",") if part.strip() not in ("", "void")]
        variadic = bool(parts) and parts[-1].strip() == "..."
        named = parts[:-1] if variadic else parts
        parameters = tuple(parse_parameter(part) for part in named)
        functions.append(Function(match["result"], match["name"], parameters, variadic, match["name"] in twins))
    return functions


def parse_sources(texts: Iterable[str]) -> set[str]:
    """Names (without the profiling prefix) of the functions that the sources define."""
    return {match["name"] for text in texts for match in DEFINITION.finditer(text)}


def parse_plans(texts: Iterable[str]) -> set[str]:
    """Names of the collectives that the sources plan, whatever the way."""
    return {match["name"] for text in texts for match in PLAN.finditer(text)}


def way_of(function: str, plans: set[str]) -> tuple[str, str] | None:
    """Return the plan that a function carries out and its way, if there is one."""
    name = function.removeprefix("MPI_").removesuffix("_c").lower()
    ways = (
        (name, "Blocking{}"),
        (name.removeprefix("i"), "Starting{request}"),
        (name.removesuffix("_init"), "Initializing{request}"),
    )
    return next(((plan, way) for plan, way in ways if plan in plans), None)


def carry_out(function: Function, plan: str, way: str) -> str:
    """Definition of a function that carries out a plan."""
    arguments = [f'"{function.name.removesuffix("_c")}"', f"tidings::{way}"]
    arguments += [each.name for each in function.parameters if each.type not in ("MPI_Info", "MPI_Request *")]
    head = function.declare("P", lambda parameter: parameter.type == "MPI_Info")
    return f"{head} {{ return tidings::planned::{plan}({', '.join(arguments)}); }}"


def wide_twin(function: Function, by_name: dict[str, Function], defined: set[str]) -> Function | None:
    """Return the function with large counts that can do the work of one with plain counts, if there is one."""
    wide = by_name.get(f"{function.name}_c")
    return wide if wide is not None and wide.name in defined and function.widens_to(wide) else None


def table(functions: list[Function], defined: set[str]) -> str:
    """Return which functions are implemented, as CSV. `defined` has those that carry out plans."""
    by_name = {function.name: function for function in functions}
    lines = ["function,implemented"]
    for function in sorted(functions, key=lambda function: function.name):
        implemented = function.name in defined or wide_twin(function, by_name, defined) is not None
        lines.append(f"{function.name},{'yes' if implemented else 'no'}")
    return "\n".join(lines) + "\n"


def left_out(function: str) -> str | None:
    """Why a function is left out; nothing if it is not."""
    return next((reason for pattern, reason in LEFT_OUT.items() if re.fullmatch(pattern, function)), None)


def generate(functions: list[Function], defined: set[str], plans: set[str], planning: Iterable[str]) -> str:
    """Return the C++ file. `planning` are the headers of the plans."""
    by_name = {function.name: function for function in functions}
    planned = {name for name in by_name if way_of(name, plans) is not None}
    unknown = defined - by_name.keys()
    if unknown:
        raise ValueError(f"defined but not in the header: {', '.join(sorted(unknown))}")
    if unused := plans - {way[0] for name in planned if (way := way_of(name, plans)) is not None}:
        raise ValueError(f"planned but not in the header: {', '.join(sorted(unused))}")
    lines = [
        "// Generated by lib/mpi/generate.py.",
        '#include "core/abi.h"',
        *(f'#include "mpi/{header}"' for header in planning),
        '#include "mpi/not_implemented.h"',
        "",
    ]
    for function in functions:
        name = function.name
        call = function.call(f"P{name}")
        if not function.has_twin:
            lines.append(f'extern "C" __attribute__((visibility("default"))) {function.declare("P")};')
        lines.append(f"__attribute__((weak)) {function.declare('')} {{ return {call}; }}")
        if name in defined:
            continue
        wide = wide_twin(function, by_name, defined | planned)
        way = way_of(name, plans)
        if wide is not None:
            lines.append(f"{function.declare('P')} {{ return {function.call('P' + wide.name)}; }}")
        elif way is not None:
            lines.append(carry_out(function, *way))
        else:
            reason = left_out(name)
            if reason is None:
                raise ValueError(f"{name} is neither defined, nor planned, nor left out")
            head = function.declare("P", lambda _: True)
            lines.append(f'{head} {{ return tidings::not_implemented("{name}", "{reason}"); }}')
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run as a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("header", type=Path, help="the standard ABI's header")
    parser.add_argument("out", type=Path, help="C++ file to write")
    parser.add_argument("list", type=Path, help="table to write of what is implemented")
    parser.add_argument("sources", type=Path, nargs="+", help="files that define PMPI functions or plan them")
    arguments = parser.parse_args()
    functions = parse_header(arguments.header.read_text())
    texts = {source.name: source.read_text() for source in arguments.sources}
    defined = parse_sources(texts.values())
    plans = parse_plans(texts.values())
    planning = [name for name, text in texts.items() if parse_plans([text])]
    arguments.out.write_text(generate(functions, defined, plans, planning))
    planned = {function.name for function in functions if way_of(function.name, plans) is not None}
    arguments.list.write_text(table(functions, defined | planned))
    return 0


if __name__ == "__main__":
    sys.exit(main())
