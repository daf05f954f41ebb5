# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Options of other launchers that people type by habit: each is explained instead of refused as unknown."""

from typing import TYPE_CHECKING

import typer
from typer.core import TyperCommand

from tidings.errors import UserError

if TYPE_CHECKING:
    from typer._click import Context

_PLACES = "ranks are in the slots of the machine, so there are no computers to choose; --map says in which"
_ENVIRONMENT = "ranks have the environment of this command: set variables before it"
_EXPLANATIONS = {
    _PLACES: (
        *("--hostfile", "-hostfile", "--machinefile", "-machinefile", "--host", "-host", "-hosts", "-H", "-f"),
        *("--map-by", "--bind-to", "--rank-by", "-bind-to", "-map-by", "-ppn", "-npernode", "--npernode", "-N"),
        *("--use-hwthread-cpus", "--report-bindings"),
    ),
    _ENVIRONMENT: ("-x", "-env", "-genv", "-envall", "-genvall", "-envlist", "-genvlist"),
    "each rank has a slot of its own: name a machine with as many slots as ranks (tidings machine list)": (
        "--oversubscribe",
        "-oversubscribe",
    ),
    "it is not needed: leave it out": ("--allow-run-as-root", "-iface", "-launcher", "--mca", "-mca", "--prefix"),
    "--label puts its rank in front of each line": ("-l", "-prepend-rank", "--tag-output", "-tag-output"),
    "--output-folder writes what each rank prints into a file of its own": (
        *("-outfile-pattern", "-errfile-pattern", "--output-filename", "-output-filename"),
    ),
    "the ranks run in the folder of this command: change to another one before it": ("--wdir", "-wdir", "-wd"),
}
#: Options by which build systems ask which launcher this is.
_VERSION = ("--version", "-version", "-V")
#: The explanation of each option.
_EXPLAINED = {option: explanation for explanation, options in _EXPLANATIONS.items() for option in options}


class LauncherCommand(TyperCommand):
    """A command that explains the options of other launchers."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Explain the first foreign option before the program, if there is one; then read the options."""
        takes_value = {
            name: not getattr(option, "is_flag", False)
            for option in self.get_params(ctx)
            for name in (*option.opts, *option.secondary_opts)
        }
        words = iter(args)
        for word in words:
            name, equals, _ = word.partition("=")
            if name in _VERSION:
                from tidings import __version__

                print(f"tidings {__version__}")
                raise typer.Exit
            if name in _EXPLAINED and name not in takes_value:
                message = f"{name} is an option of another launcher; {_EXPLAINED[name]}"
                raise UserError(message)
            if not word.startswith("-") or word == "--":
                break
            if takes_value.get(name) and not equals:
                next(words, None)
        return super().parse_args(ctx, args)
