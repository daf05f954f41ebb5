# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The command ``tidings``: a module per command, each of which parses its options and prints."""

import errno
import importlib
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tidings.cli.launcher_options import LauncherCommand
from tidings.cli.options import CompilerArguments
from tidings.errors import UserError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}
_RUN_SETTINGS: dict[str, Any] = {
    "cls": LauncherCommand,
    "no_args_is_help": True,
    "context_settings": {"allow_interspersed_args": False, **_HELP_OPTIONS},
}
_WHATIF_SETTINGS: dict[str, Any] = {"no_args_is_help": True, "context_settings": _RUN_SETTINGS["context_settings"]}
#: Wrapped compilers take every option for themselves, and `-h` may be one of theirs.
_PASS_EVERYTHING = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": ["--help"]}

_GROUPS = {"machine": "List, show and check machines.", "bench": "Measure, and print what was measured."}
#: The commands: group, name, module and function, and settings.
_COMMANDS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (
        "",
        "run",
        "run.run_command",
        _RUN_SETTINGS,
    ),
    ("", "report", "report.report_command", {"no_args_is_help": True}),
    ("", "compare", "compare.compare_command", {"no_args_is_help": True}),
    ("", "whatif", "whatif.whatif_command", _WHATIF_SETTINGS),
    ("", "verify", "verify.verify_command", {}),
    ("", "synth", "synth.synth_command", {"no_args_is_help": True}),
    ("", "algorithms", "algorithms.algorithms_command", {}),
    ("", "analyze", "analyze.analyze_command", {"no_args_is_help": True}),
    ("", "experiment", "experiment.experiment_command", {"no_args_is_help": True}),
    ("", "env", "env.env_command", {}),
    ("", "doctor", "doctor.doctor_command", {}),
    ("", "cc", "compilers.cc_command", {"context_settings": _PASS_EVERYTHING}),
    ("", "c++", "compilers.cpp_command", {"context_settings": _PASS_EVERYTHING}),
    ("", "fc", "compilers.fc_command", {"context_settings": _PASS_EVERYTHING}),
    ("machine", "list", "machine_list.machine_list", {}),
    ("machine", "show", "machine_show.machine_show", {}),
    ("machine", "check", "machine_check.machine_check", {}),
    ("bench", "simulator", "bench_simulator.bench_simulator", {}),
    ("bench", "library", "bench_library.bench_library", {}),
    ("bench", "programs", "bench_programs.bench_programs", {}),
    ("bench", "report", "bench_report.bench_report", {}),
    ("bench", "links", "bench_links.bench_links", {}),
    ("bench", "collectives", "bench_collectives.bench_collectives", {}),
    ("bench", "rma", "bench_rma.bench_rma", {}),
    ("bench", "osu", "bench_osu.bench_osu", {}),
    ("bench", "traffic", "bench_traffic.bench_traffic", {}),
)


def _broken(name: str, problem: str) -> Callable[[list[str] | None], None]:
    def command(arguments: CompilerArguments = None) -> None:
        message = f"{name} does not work here: {problem}; tidings doctor says what is missing"
        raise UserError(message)

    command.__doc__ = f"Does not work here: {problem}."
    return command


def _print_version(wanted: bool) -> None:
    if wanted:
        from tidings import __version__

        print(f"tidings {__version__}")
        raise typer.Exit


def tidings(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Run unmodified MPI programs on simulated message-passing hardware.

    For example:

    tidings cc -O2 hello.c -o hello

    tidings run -n 8 -m spirit ./hello

    tidings machine list
    """


def command_line(arguments: Sequence[str] = ()) -> typer.Typer:
    """Return the command line with the command that arguments name, or with all commands if they name none.

    The version needs none of them. Modules of other commands are not imported, for which each start would wait. A
    command that cannot be imported says why when it is used, so that `doctor` works in any case.
    """
    app = typer.Typer(
        name="tidings",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings=_HELP_OPTIONS,
    )
    app.callback()(tidings)
    groups = {"": app}
    named = [entry for entry in _COMMANDS if [*filter(None, entry[:2])] == list(arguments[: 1 + bool(entry[0])])]
    needed = () if list(arguments) == ["--version"] else named or _COMMANDS
    for group, name, place, settings in needed:
        if group not in groups:
            groups[group] = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
            app.add_typer(groups[group], name=group, help=_GROUPS[group])
        module, _, function = place.partition(".")
        try:
            command = getattr(importlib.import_module(f"tidings.cli.{module}"), function)
        except ImportError as problem:
            command, settings = _broken(name, str(problem)), {"context_settings": _PASS_EVERYTHING}
        groups[group].command(name, **settings)(command)
    return app


#: Errors of a write; a name is not always known with them.
_WRITE_ERRORS = (errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC, errno.EPIPE)


class _LossyFile(io.FileIO):
    """A file whose writes never fail: what cannot be said is lost, and does not change how a command ends."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write, or drop the data."""
        try:
            return super().write(data) or 0
        except OSError:
            return len(memoryview(data))


def _lossy_stream(number: int) -> io.TextIOWrapper:
    file = io.BufferedWriter(_LossyFile(number, "w", closefd=False))
    return io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def _prepare_streams() -> None:
    """Hold descriptors 0 to 2, and make standard error one that cannot fail.

    If one was closed, a file of ours would take its number and receive what is printed. What is opened instead
    fails as a closed one does.
    """
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_RDONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)
    sys.stderr = _lossy_stream(2)
    if sys.stdout is None:
        sys.stdout = _lossy_stream(1)
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may not be UTF-8


def _status_of_command() -> int:
    """Run the command line and return its exit status."""
    try:
        command_line(sys.argv[1:])()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 1
    except UserError as problem:
        print(f"tidings: error: {problem}", file=sys.stderr)
        return problem.status
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def main() -> None:
    """Run the command line; problems that a user can solve end with one plain message."""
    _prepare_streams()
    status = 0
    try:
        status = _status_of_command()
        sys.stdout.flush()
    except OSError as problem:
        unwritable = problem.filename is None and problem.errno in _WRITE_ERRORS
        place = "standard output cannot be written" if unwritable else problem.filename
        print(f"tidings: error: {f'{place}: ' if place else ''}{problem.strerror or problem}", file=sys.stderr)
        status = status or UserError.status
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is still in the buffer
    sys.exit(status)
