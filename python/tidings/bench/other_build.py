# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Another build of Tidings, to compare this one with."""

from pathlib import Path

from tidings.errors import UserError

#: The commit with which targets of speeds were set.
FIRST = "1fae21e"


def command_of(checkout: Path) -> Path:
    """Return the command ``tidings`` of a checkout in which ``make`` has built it.

    Raises
    ------
    UserError
        If it is not there.
    """
    command = checkout / ".venv" / "bin" / "tidings"
    if not command.is_file():
        message = f"--against {checkout}: there is no {command}; run make in that checkout"
        raise UserError(message)
    return command
