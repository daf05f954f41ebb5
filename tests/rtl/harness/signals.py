# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reading signals."""

from __future__ import annotations

from typing import Any

from cocotb.types import Logic


def unsigned(handle: Any) -> int:
    """Return what a signal shows as a number, whether it is one bit or a vector."""
    value = handle.value
    return int(value) if isinstance(value, Logic) else int(value.to_unsigned())
