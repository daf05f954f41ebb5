# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Files that are written when the work is done."""

import errno
import os
import resource
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


def reason_of(error: OSError) -> str:
    """Say why the system refused something; if it was for too many open files, what to do."""
    reason = error.strerror or str(error)
    if error.errno != errno.EMFILE:
        return reason
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return f"{reason}: ulimit -n allows {limit}, and --label and --output-folder need up to 4 for each rank"
