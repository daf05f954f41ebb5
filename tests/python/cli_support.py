# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Names that the tests of the command line share."""

import subprocess
from collections.abc import Callable
from pathlib import Path

#: The source tree.
ROOT = Path(__file__).resolve().parents[2]

#: Runs the command with the given arguments.
Tidings = Callable[..., "subprocess.CompletedProcess[str]"]
