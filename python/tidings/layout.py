# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Where the installed parts of Tidings are: libraries, headers, machines and sources for node builds."""

import os
from importlib.util import find_spec
from pathlib import Path

from tidings.errors import UserError

#: Names a folder of other libraries for ranks, such as those that `make test-sanitized` builds.
RANK_LIBRARIES_VARIABLE = "TIDINGS_RANK_LIBRARIES"
#: What the simulator loads into each rank.
RANK_LIBRARY = "libtidings_rank.so"


def installed_root() -> Path:
    """Folder that holds ``lib``, ``include`` and ``share``.

    It is where the package was installed, which in an editable install is not where the Python files are.
    """
    # The simulator is beside them. Without it, `tidings doctor` says what is missing where it should be.
    return Path(getattr(find_spec("tidings._core"), "origin", None) or __file__).parent


def library_folder() -> Path:
    """Folder of ``libmpi_abi.so.1`` and the rank library."""
    return installed_root() / "lib"


def rank_library_folder() -> Path:
    """Folder of the libraries that ranks load: `library_folder`, unless the environment names another build's.

    Raises
    ------
    UserError
        If the environment names a folder without them.
    """
    named = os.environ.get(RANK_LIBRARIES_VARIABLE)
    if not named:
        return library_folder()
    folder = Path(named).absolute()
    if not (folder / RANK_LIBRARY).is_file():
        message = (
            f"{RANK_LIBRARIES_VARIABLE} names {folder}, which has no {RANK_LIBRARY}: make test-sanitized builds such"
        )
        raise UserError(f"{message} libraries in build/sanitized/tidings/lib")
    return folder


def include_folder() -> Path:
    """Folder of ``mpi.h``."""
    return installed_root() / "include"


def share_folder() -> Path:
    """Folder of the shipped machines and of the sources that nodes are compiled from."""
    return installed_root() / "share"


def machine_folder() -> Path:
    """Folder of the shipped machine files."""
    return share_folder() / "machines"
