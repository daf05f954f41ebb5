# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Makes `harness` importable in every test below this folder, here and in the simulators it starts."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
