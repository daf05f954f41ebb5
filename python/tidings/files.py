# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Files that are written when the work is done."""

import os
from pathlib import Path

from tidings.errors import UserError


def check_writable(option: str, path: Path) -> None:
    """Check before any work is done that a file can be written.

    Raises
    ------
    UserError
        If it cannot; the message begins with the option.
    """
    if path.is_dir():
        reason = "is a folder"
    elif not path.parent.is_dir():
        reason = f"the folder {path.parent} does not exist"
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        reason = "cannot be written (permission denied)"
    else:
        return
    message = f"{option} {path}: {reason}"
    raise UserError(message)
