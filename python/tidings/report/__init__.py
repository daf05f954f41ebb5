# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What runs and measurements report."""

import importlib.util
from typing import Any

from tidings.errors import UserError

#: Kinds of files that tables are written as: the method of a data frame, and its options. An Arrow file is of
#: Arrow's own format for files, which is also called Feather 2.
TABLE_KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "csv": ("to_csv", {"index": False}),
    "parquet": ("to_parquet", {"engine": "pyarrow", "index": False}),
    "arrow": ("to_feather", {}),
}


def check_plotly() -> None:
    """Check that what draws the plots is installed; if not, raise an error that says how to install it."""
    _check("plotly", "reports are drawn by plotly")


def check_perfetto() -> None:
    """Check that the schema of traces is installed; if not, raise an error that says how to install it."""
    _check("perfetto", "traces are written with Perfetto's schema")


def check_arrow() -> None:
    """Check that what writes Parquet and Arrow files is installed; if not, raise an error that says how to do so."""
    _check("pyarrow", "Parquet and Arrow files are written by pyarrow", "arrow")


def _check(module: str, what: str, extra: str = "report") -> None:
    if importlib.util.find_spec(module) is None:
        message = f"{what}, which is not installed: pip install 'tidings[{extra}]'"
        raise UserError(message)
