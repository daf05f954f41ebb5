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
Profile = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Run with another library's costs and algorithms, as a profile of the machine has them (`tidings "
        "machine show`). Its collectives go by messages.",
        show_default=False,
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


def written_file(
    *names: str, text: str, metavar: str = "FILE", needs: Callable[[], None] = lambda: None, default: bool = False
) -> Any:
    """Declare the option that names a file to write. Before any work is done it is found out whether that is possible.

    Parameters
    ----------
    names : str
        Names of the option, the one that messages use first.
    text : str
        The help.
    metavar : str
        What help shows in place of a file.
    needs : callable
        Refuses if something is not installed that writing the file takes.
    default : bool
        The option has a default, which help shows.
    """

    def parse(name: str) -> Path:
        needs()
        path = Path(name)
        if name != "-":
            check_writable(names[0], path)
        return path

    return typer.Option(*names, metavar=metavar, parser=parse, help=text, show_default=default)


def written_folder(what: str) -> Any:
    """Declare the option that names a folder for tables and plots, which is made before any work is done.

    Parameters
    ----------
    what : str
        Which files are written there, for the help.
    """

    def parse(text: str) -> Path:
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

    help_text = f"Write everything into a folder: {what}."
    return typer.Option("--out", metavar="DIR", parser=parse, help=help_text, show_default=False)


JsonFile = Annotated[
    Path | None, written_file("--json", text="Write everything that was found as JSON; - is standard output.")
]
CsvFile = Annotated[Path | None, written_file("--csv", text="Write the table as CSV; - is standard output.")]
PerfettoFile = Annotated[
    Path | None,
    written_file("--perfetto", text="Write a trace for Perfetto (ui.perfetto.dev).", needs=check_perfetto),
]
EventFile = Annotated[Path | None, written_file("--events", text="Store what happens, for tidings report.")]
ReportFile = Annotated[
    Path | None,
    written_file(
        "--report", metavar="FILE.html", text="Write a page that shows where the time went.", needs=check_plotly
    ),
]
