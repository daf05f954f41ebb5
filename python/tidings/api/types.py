# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What functions of the package take."""

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tidings.machines.file import Machine

#: A machine, the name of a shipped one, or the path of a machine file.
MachineLike: TypeAlias = "Machine | str | PathLike[str]"
#: One path or word, or several.
Words: TypeAlias = "str | PathLike[str] | Sequence[str | PathLike[str]]"
