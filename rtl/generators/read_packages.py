# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Structures, enumerations, constants and functions from SystemVerilog packages.

Descriptions are the comments beside a declaration, or the `///` lines above it.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyslang import ConstantValue, SourceManager, SVInt, ast, syntax

from generators.model import Constant, Enumeration, Enumerator, Function, Member, Package, Structure

_Type = Structure | Enumeration


def read_packages(files: Sequence[Path]) -> list[Package]:
    """Return the packages in these files, each after those that it uses.

    Raises
    ------
    ValueError
        If a file is not SystemVerilog, or has what the writers cannot write.
    """
    reader = _Reader()
    for file in files:
        reader.add(file)
    return reader.packages()


class _Reader:
    def __init__(self) -> None:
        self._manager = SourceManager()
        self._compilation = ast.Compilation()
        self._trees: list[syntax.SyntaxTree] = []
        self._types: dict[tuple[str, str], _Type] = {}

    def add(self, file: Path) -> None:
        self._trees.append(syntax.SyntaxTree.fromFile(str(file), self._manager))
        self._compilation.addSyntaxTree(self._trees[-1])

    def packages(self) -> list[Package]:
        errors = [d for d in self._compilation.getAllDiagnostics() if d.isError()]
        if errors:
            places = [f"line {self._manager.getLineNumber(d.location)}: {d.code}" for d in errors]
            raise ValueError("packages: " + ", ".join(places))
        waiting = {p.name: p for p in self._compilation.getPackages() if p.name != "std"}
        done: dict[str, Package] = {}
        while waiting:
            ready = [name for name, package in waiting.items() if not self._imports(package) & set(waiting)]
            for name in sorted(ready):
                done[name] = self._package(waiting.pop(name))
        return list(done.values())

    @staticmethod
    def _imports(package: ast.PackageSymbol) -> set[str]:
        kinds = (ast.WildcardImportSymbol, ast.ExplicitImportSymbol)
        return {member.packageName for member in package if isinstance(member, kinds)}

    def _package(self, symbol: ast.PackageSymbol) -> Package:
        package = Package(symbol.name, self._above(symbol), tuple(sorted(self._imports(symbol))))
        for member in symbol:
            if isinstance(member, ast.ParameterSymbol):
                value = _number(member.value)
                package.constants.append(Constant(member.name, symbol.name, value, self._beside(member)))
            elif isinstance(member, ast.TypeAliasType):
                found = self._type(symbol.name, member)
                if found is not None:
                    package.types.append(found)
        for member in symbol:
            if isinstance(member, ast.SubroutineSymbol):
                package.functions.extend(self._function(symbol.name, member))
        return package

    def _function(self, package: str, symbol: ast.SubroutineSymbol) -> Iterator[Function]:
        """Yield the function if it is one of an enumeration, and its result an enumeration or a bit."""
        arguments = [self._enumeration(argument.type) for argument in symbol.arguments]
        result = self._enumeration(symbol.returnType)
        if len(arguments) != 1 or arguments[0] is None or (result is None and symbol.returnType.bitWidth != 1):
            return
        yield Function(
            symbol.name,
            package,
            self._above(symbol),
            symbol.arguments[0].name,
            arguments[0],
            result,
            self._results(f"{package}::{symbol.name}", f"{arguments[0].package}::{arguments[0].name}", arguments[0]),
        )

    def _enumeration(self, declared: ast.Type) -> Enumeration | None:
        if not isinstance(declared, ast.TypeAliasType):
            return None
        found = self._type(str(declared).split("::")[0], declared)
        return found if isinstance(found, Enumeration) else None

    def _results(self, function: str, argument: str, enumeration: Enumeration) -> tuple[int, ...]:
        """Let slang evaluate a function for every value of its argument's bits."""
        values = range(1 << enumeration.width)
        calls = [f"localparam int Value{n} = int'({function}({argument}'({n})));" for n in values]
        asking = ast.Compilation()
        for tree in self._trees:
            asking.addSyntaxTree(tree)
        text = "\n".join(["package results;", *calls, "endpackage"])
        asking.addSyntaxTree(syntax.SyntaxTree.fromText(text, self._manager))
        answer = asking.getPackage("results")
        found = {member.name: _number(member.value) for member in answer if isinstance(member, ast.ParameterSymbol)}
        return tuple(found[f"Value{n}"] for n in values)

    def _type(self, package: str, alias: ast.TypeAliasType) -> _Type | None:
        key = (package, alias.name)
        if key not in self._types:
            target = alias.canonicalType
            description = self._above(alias, begins="typedef")
            if isinstance(target, ast.PackedStructType):
                self._types[key] = Structure(
                    alias.name, package, target.bitWidth, description, tuple(self._members(target))
                )
            elif isinstance(target, ast.EnumType):
                values = [value for value in target if isinstance(value, ast.EnumValueSymbol)]
                prefix = _common_prefix([value.name for value in values])
                self._types[key] = Enumeration(
                    alias.name,
                    package,
                    target.bitWidth,
                    description,
                    tuple(
                        Enumerator(
                            value.name, value.name.removeprefix(prefix), _number(value.value), self._beside(value)
                        )
                        for value in values
                    ),
                )
        return self._types.get(key)

    def _members(self, structure: ast.PackedStructType) -> list[Member]:
        members = []
        for symbol in structure:
            if not isinstance(symbol, ast.FieldSymbol):
                continue
            declared = symbol.type
            alias = declared if isinstance(declared, ast.TypeAliasType) else None
            content = None
            if alias is not None:
                content = self._type(str(alias).split("::")[0], alias)
            if content is None and declared.bitWidth > 32:
                raise ValueError(f"{symbol.name}: bits of a structure are at most 32 together, not {declared.bitWidth}")
            members.append(
                Member(
                    symbol.name,
                    re.sub(r"^\d+(:\d+)?(, |$)", "", self._beside(symbol)),
                    symbol.bitOffset,
                    declared.bitWidth,
                    alias.name if alias is not None else "",
                    content,
                )
            )
        return members

    def _line(self, symbol: ast.Symbol) -> tuple[list[str], int]:
        text = self._manager.getSourceText(symbol.location.buffer)
        return text.splitlines(), self._manager.getLineNumber(symbol.location) - 1

    def _beside(self, symbol: ast.Symbol) -> str:
        lines, number = self._line(symbol)
        beside = re.search(r"(?<!/)//(?!/)\s*(.*)", lines[number])
        return beside[1].strip(" \0") if beside else self._above(symbol)

    def _above(self, symbol: ast.Symbol, begins: str = "") -> str:
        lines, number = self._line(symbol)
        while begins and begins not in lines[number]:
            number -= 1
        text: list[str] = []
        while number > 0 and lines[number - 1].strip().startswith("///"):
            number -= 1
            text.insert(0, lines[number].strip().removeprefix("///").strip())
        return " ".join(text).strip()


def _number(constant: ConstantValue) -> int:
    if not isinstance(constant.value, SVInt):
        raise ValueError(f"{constant} is not a number")
    return int(constant.value)


def _common_prefix(names: Sequence[str]) -> str:
    """Return the words with which all names begin, but for the last word of any."""
    words = [re.findall(r"[A-Z][a-z0-9]*", name) for name in names]
    common = 0
    while all(len(parts) > common + 1 and parts[common] == words[0][common] for parts in words):
        common += 1
    return "".join(words[0][:common])
