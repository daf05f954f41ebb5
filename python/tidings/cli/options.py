# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Options and arguments that several commands have, and what reads them."""

import importlib.util
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any

import typer

from tidings.errors import UserError
from tidings.files import check_writable
from tidings.report import check_perfetto, check_plotly

CompilerArguments = Annotated[
    list[str] | None, typer.Argument(help="Arguments of the compiler, untouched.", show_default=False)
]
MachineArgument = Annotated[
    str, typer.Argument(metavar="MACHINE", help="Name of a shipped machine, or path of a file.")
]
#: Environment variable that names the machine if no option does.
MACHINE_VARIABLE = "TIDINGS_MACHINE"
MachineOption = Annotated[
    str,
    typer.Option(
        "--machine",
        "-m",
        metavar="MACHINE",
        envvar=MACHINE_VARIABLE,
        help="Name of a shipped machine, or path of a file.",
    ),
]


def at_least(lowest: int) -> dict[str, Any]:
    """Return the settings of an option that is a count or a seed: no more than the simulator can take."""
    return {"min": lowest, "max": 2**31 - 1}


Against = Annotated[
    str | None,
    typer.Option(
        metavar="CHECKOUT",
        help="Compare with the build in another checkout: measure both in turn, and print the ratio.",
        show_default=False,
    ),
]
Repeat = Annotated[int, typer.Option(metavar="K", **at_least(1), help="Measure each K times and take the best.")]


def choice(known: Collection[str]) -> dict[str, Any]:
    """Return the settings of an option whose values are those of a registry."""

    def parse(text: str) -> str:
        if text not in known:
            message = f"{text!r} is not one of {', '.join(map(repr, known))}"
            raise typer.BadParameter(message)
        return text

    return {"parser": parse, "metavar": "|".join(known)}


def numbers(option: str, text: str | None) -> tuple[int, ...]:
    """Read numbers with commas between them, each once and in rising order."""
    if text is None:
        return ()
    try:
        return tuple(sorted({int(number) for number in text.split(",")}))
    except ValueError:
        message = f"{option} {text}: give numbers with commas between them, such as 0,5"
        raise UserError(message) from None


def names(text: str | None) -> tuple[str, ...]:
    """Read names with commas between them, each once."""
    return () if text is None else tuple(dict.fromkeys(text.split(",")))


def output_file(option: str) -> Callable[[str], Path]:
    """Return what reads the name of a file to write, and finds out before any work is done whether that is possible."""

    def parse(text: str) -> Path:
        path = Path(text)
        if text != "-":
            check_writable(option, path)
        return path

    return parse


def file_made_with(check: Callable[[], None], option: str) -> Callable[[str], Path]:
    """Return what reads the name of a file to write, for which something has to be installed."""
    read = output_file(option)

    def parse(text: str) -> Path:
        check()
        return read(text)

    return parse


def plot_folder(text: str) -> Path:
    """Read the name of a folder for tables and plots, and make it."""
    if importlib.util.find_spec("matplotlib") is None:
        message = "--out draws with matplotlib, which is not installed: pip install 'tidings[plot]'"
        raise UserError(message)
    folder = Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--out {folder}: {error.strerror}"
        raise UserError(message) from error
    return folder


JsonFile = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        parser=output_file("--json"),
        help="Write everything that was found as JSON; - is standard output.",
        show_default=False,
    ),
]
CsvFile = Annotated[
    Path | None,
    typer.Option(
        "--csv",
        metavar="FILE",
        parser=output_file("--csv"),
        help="Write the table as CSV; - is standard output.",
        show_default=False,
    ),
]
PerfettoFile = Annotated[
    Path | None,
    typer.Option(
        "--perfetto",
        metavar="FILE",
        parser=file_made_with(check_perfetto, "--perfetto"),
        help="Write a trace for Perfetto (ui.perfetto.dev).",
        show_default=False,
    ),
]
EventFile = Annotated[
    Path | None,
    typer.Option(
        "--events",
        metavar="FILE",
        parser=output_file("--events"),
        help="Store what happens, for tidings report.",
        show_default=False,
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE.html",
        parser=file_made_with(check_plotly, "--report"),
        help="Write a page that shows where the time went.",
        show_default=False,
    ),
]
