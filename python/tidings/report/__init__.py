# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What runs and measurements report."""

import importlib.util

from tidings.errors import UserError


def check_plotly() -> None:
    """Check that what draws the plots is installed; if not, raise an error that says how to install it."""
    _check("plotly", "reports are drawn by plotly")


def check_perfetto() -> None:
    """Check that the schema of traces is installed; if not, raise an error that says how to install it."""
    _check("perfetto", "traces are written with Perfetto's schema")


def _check(module: str, what: str) -> None:
    if importlib.util.find_spec(module) is None:
        message = f"{what}, which is not installed: pip install 'tidings[report]'"
        raise UserError(message)
