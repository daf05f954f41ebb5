# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Which files a module of the RTL needs, from what it instantiates and imports."""

from collections.abc import Mapping
from pathlib import Path

from pyslang import syntax

from tidings.build import manifest


def used_names(path: Path) -> set[str]:
    """Return the names of the modules and packages that a file uses."""
    names: set[str] = set()

    def visit(node: object) -> None:
        if isinstance(node, syntax.HierarchyInstantiationSyntax):
            names.add(node.type.valueText)
        elif isinstance(node, syntax.PackageImportItemSyntax):
            names.add(node.package.valueText)
        elif isinstance(node, syntax.ScopedNameSyntax) and node.separator.valueText == "::":
            names.add(str(node.left).strip())

    syntax.SyntaxTree.fromFile(str(path)).root.visit(visit)
    return names


def needed_files(top: Path, available: Mapping[str, Path]) -> list[Path]:
    """Return the files that a module needs, in compile order, with its own file at the end.

    Parameters
    ----------
    top : Path
        The file of the module.
    available : dict
        Files by the names of their modules and packages, in compile order.
    """
    needed: set[str] = set()
    waiting = [top]
    while waiting:
        found = {name for name in used_names(waiting.pop()) if name in available} - needed
        needed |= found
        waiting += [available[name] for name in found]
    return [*(path for name, path in available.items() if name in needed and path != top), top]


def needed_entries(rtl: Path, module: str) -> list[manifest.Entry]:
    """Return the sources that a module is compiled from, in compile order.

    These are its own file and those of the modules in it, all packages, and all that is generated.

    Parameters
    ----------
    rtl : Path
        The folder ``rtl``.
    module : str
        Name of the module.
    """
    listed = [entry for entry in manifest.entries(rtl) if entry.kind == "source"]
    own = {Path(entry.path).stem: rtl / entry.path for entry in listed if entry.origin == "own"}
    used = {path.relative_to(rtl).as_posix() for path in needed_files(own[module], own)}
    return [
        entry for entry in listed if entry.origin == "generated" or entry.path in used or entry.path.endswith("_pkg.sv")
    ]
