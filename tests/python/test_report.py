# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Pieces of the report and of the progress line that a run seldom shows."""

import pytest

from tidings.report.summary import format_time


@pytest.mark.parametrize(
    ("picoseconds", "text"),
    [
        (0, "0.000 ns"),
        (999_999, "999.999 ns"),
        (1_000_000, "1.000 us"),
        (2_345_678_901, "2.346 ms"),
        (5e12, "5.000 s"),
    ],
)
def test_times_have_readable_units(picoseconds: float, text: str) -> None:
    assert format_time(picoseconds) == text
