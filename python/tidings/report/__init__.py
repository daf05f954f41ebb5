# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What runs and measurements report."""

import importlib.util

from tidings.errors import UserError


def check_plotly() -> None:
    """Check that what draws the plots is installed.

    Raises
    ------
    UserError
        Saying how to install it.
    """
    if importlib.util.find_spec("plotly") is None:
        message = "reports are drawn by plotly, which is not installed: pip install 'tidings[report]'"
        raise UserError(message)
