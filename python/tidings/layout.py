# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Where the installed parts of Tidings are: libraries, headers, machines and sources for node builds."""

import os
from importlib.metadata import distribution
from pathlib import Path

#: Names a folder of other libraries for ranks, such as those that `make test-sanitized` builds.
RANK_LIBRARIES_VARIABLE = "TIDINGS_RANK_LIBRARIES"


def installed_root() -> Path:
    """Folder that holds ``lib``, ``include`` and ``share``.

    It is where the package was installed, which in an editable install is not where the Python files are.
    """
    return Path(str(distribution("tidings").locate_file("tidings")))


def library_folder() -> Path:
    """Folder of ``libmpi_abi.so.1`` and the rank library."""
    return installed_root() / "lib"


def rank_library_folder() -> Path:
    """Folder of the libraries that ranks load: `library_folder`, unless the environment names another build's."""
    named = os.environ.get(RANK_LIBRARIES_VARIABLE)
    return Path(named).absolute() if named else library_folder()


def include_folder() -> Path:
    """Folder of ``mpi.h``."""
    return installed_root() / "include"


def share_folder() -> Path:
    """Folder of the shipped machines and of the sources that nodes are compiled from."""
    return installed_root() / "share"


def machine_folder() -> Path:
    """Folder of the shipped machine files."""
    return share_folder() / "machines"
