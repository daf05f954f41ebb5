# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""A rank that sleeps is locked, and its window is changed, where the machine's engine has atomic accesses."""

from __future__ import annotations

import pytest
from tests.programs import harness


@pytest.mark.parametrize("ranks", [2, 7])
def test_window_of_a_sleeping_rank_is_changed_by_the_engine(ranks: int) -> None:
    binary = harness.build(harness.source_of("windows/target_sleeps"))
    outcome = harness.run_tidings([binary, "atomics"], ranks, "crossbar", [])
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == "0\n" * ranks
