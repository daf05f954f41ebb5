# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Runs of compilers and other tools, which end with us however we end, together with all that they have started."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

#: How often a wait looks for signals such as Ctrl-C.
_PATIENCE_SECONDS = 0.1
#: Lines of a log that are shown, and characters of each.
_SHOWN_LINES = 10
_SHOWN_COLUMNS = 200
_KILLED = re.compile(
    r"Killed signal terminated program (\S+)|\[\S+ (\S+)\] (?:Killed|Error 137)|Error 137\b|\bKilled\b"
)


def run_tool(command: list[str], *, folder: Path, environment: Mapping[str, str], log: Path) -> int:
    """Run a tool to its end and append what it says to a log.

    Parameters
    ----------
    command : list of str
        The tool and its arguments.
    folder : Path
        Where it runs.
    environment : mapping
        All of its environment.
    log : Path
        The file that its output is appended to.

    Returns
    -------
    int
        Its exit status; a signal that ended it, negated.
    """
    from tidings import _core

    with log.open("ab") as output:
        running = _core.GuardedCommand(command, dict(environment), str(folder), output.fileno())
        try:
            while (status := running.wait(_PATIENCE_SECONDS)) is None:
                pass
        finally:
            running.stop()
    return status


def killed_tool(status: int, log: Path) -> str | None:
    """Return the tool that was killed from outside, as the system does for lack of memory; None if none was."""
    if status == -9:
        return "it"
    found = _KILLED.search(log.read_text(errors="replace"))
    if found is None:
        return None
    return found[1] or (f"the compiler of {found[2]}" if found[2] else "a compiler")


def errors_of(log: Path) -> str:
    """Return the lines of a log that tell what went wrong: those with errors, otherwise the last ones."""
    lines = log.read_text(errors="replace").splitlines()
    errors = [line for line in lines if re.search(r"(?i)\berror\b", line)] or lines[-_SHOWN_LINES:]
    return "\n".join(line[:_SHOWN_COLUMNS] for line in errors[:_SHOWN_LINES])


def memory_GiB() -> float:  # noqa: N802 (the unit is GiB)
    """Return the memory of this computer."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
