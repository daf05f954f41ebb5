# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The reference pages that are made before each build: commands, machine keys, driver, registers, packets."""

import dataclasses
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import typer.cli
import typer.main
from sphinx.application import Sphinx
from sphinx.util import logging

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = _ROOT / "docs" / "reference"
_BUILD = _ROOT / "build" / "docs"


def _commands() -> str:
    """Return the page of the command line: what ``--help`` of every command says."""
    from tidings import cli

    group = typer.main.get_command(cli.command_line())
    text = typer.cli.get_docs_for_click(obj=group, ctx=typer.Context(group), name="tidings", title="Commands")
    # Help texts mark their examples for terminals: a heading, then one command per paragraph.
    text = re.sub(r"(For example:\n\n)((?:tidings .*\n\n?)+)", _as_code, text)
    return text.replace("&#x27;", "'").replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", '"')


def _as_code(match: re.Match[str]) -> str:
    lines = [line for line in match[2].splitlines() if line]
    return match[1] + "\n".join(["```console", *(f"$ {line}" for line in lines), "```", "", ""])


def _machine_keys() -> str:
    """Return the page of machine files: every table and key with its meaning, unit, limits, default and source."""
    from tidings.machines.file import Machine

    lines = [
        "# Keys of machine files",
        "",
        "One TOML file describes a machine. Keys without a default are required.",
        "A key without a source is this project's own.",
        "",
    ]
    types = get_type_hints(Machine)
    top = [field for field in dataclasses.fields(Machine) if not dataclasses.is_dataclass(types[field.name])]
    lines += ["## Top level", "", *_key_table(top)]
    for field in dataclasses.fields(Machine):
        if dataclasses.is_dataclass(types[field.name]):
            summary = (types[field.name].__doc__ or "").strip()
            lines += [f"## `[{field.name}]`", "", summary, "", *_key_table(dataclasses.fields(types[field.name]))]
    return "\n".join(lines)


def _key_table(fields: "list[dataclasses.Field[object]] | tuple[dataclasses.Field[object], ...]") -> Iterator[str]:
    from tidings.machines.schema import rule_of

    yield from ("| key | meaning | unit | allowed | default | source |", "|---|---|---|---|---|---|")
    for field in fields:
        rule = rule_of(field)
        default = "" if field.default is dataclasses.MISSING else f"`{field.default!r}`"
        yield f"| `{field.name}` | {rule.meaning} | {rule.unit} | {rule.allowed()} | {default} | {rule.source} |"
    yield ""


def _driver() -> str:
    """Return the page of the driver, after Doxygen has read its headers."""
    headers = sorted((_ROOT / "drivers").glob("*.h"))
    if shutil.which("doxygen") is None:
        # Sphinx would print a report of twenty lines around any other exception.
        sys.exit("[docs] doxygen is not installed, and the page of the driver needs it: make setup installs it")
    _BUILD.mkdir(parents=True, exist_ok=True)
    settings = {
        "INPUT": " ".join(str(header) for header in headers),
        "OUTPUT_DIRECTORY": str(_BUILD / "doxygen"),
        "GENERATE_HTML": "NO",
        "GENERATE_LATEX": "NO",
        "GENERATE_XML": "YES",
        "OPTIMIZE_OUTPUT_FOR_C": "YES",
        "JAVADOC_AUTOBRIEF": "YES",
        "MARKDOWN_SUPPORT": "YES",
        "MACRO_EXPANSION": "YES",
        "EXPAND_ONLY_PREDEF": "YES",
        "PREDEFINED": "_Noreturn=",  # Breathe's parser of C does not know it
        "QUIET": "YES",
        "WARN_IF_UNDOCUMENTED": "NO",
        "WARN_IF_INCOMPLETE_DOC": "NO",
    }
    (_BUILD / "doxygen").mkdir(exist_ok=True)
    text = "\n".join(f"{key} = {value}" for key, value in settings.items())
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True)
    lines = ["The driver", "==========", ""]
    lines += ["C11, freestanding: registers in, completions out. One section per header of ``drivers/``.", ""]
    for header in headers:
        lines += [header.name, "-" * len(header.name), "", f".. doxygenfile:: {header.name}", ""]
    return "\n".join(lines)


def _from_rtl(name: str) -> str:
    """Return a page that ``rtl/generate.py`` makes of the registers or the SystemVerilog packages."""
    folder = _BUILD / "generated"
    subprocess.run([sys.executable, str(_ROOT / "rtl" / "generate.py"), str(folder)], check=True)
    return (folder / name).read_text(encoding="utf-8")


def _algorithms() -> str:
    """Return a page of the algorithms of collectives and the table that chooses among them."""
    from tidings import _core
    from tidings.collectives.view import algorithm_rows

    lines = ["# Algorithms of collectives", "", "`tidings algorithms` prints this list.", ""]
    lines += ["| collective | algorithm | carried out by | messages need | what it does |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(row.values())} |" for row in algorithm_rows()]
    return "\n".join(
        [*lines, "", "## The built-in table", "", "```text", _core.BUILT_IN_ALGORITHM_TABLE.rstrip(), "```"]
    )


_GENERATED = {
    "commands.md": _commands,
    "machine-keys.md": _machine_keys,
    "driver.rst": _driver,
    "algorithms.md": _algorithms,
    "registers.md": lambda: _from_rtl("registers.md"),
    "packets.md": lambda: _from_rtl("packets.md"),
}


def _write_pages(app: Sphinx) -> None:
    """Write the generated pages; a page that has not changed keeps its time, so that builds stay incremental."""
    del app
    _PAGES.mkdir(exist_ok=True)
    for name, make in _GENERATED.items():
        path = _PAGES / name
        text = make() + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            logging.getLogger(__name__).info("generated %s", path.relative_to(_ROOT))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", _write_pages)
    return {"parallel_read_safe": True}
