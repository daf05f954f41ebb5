# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Random MPI programs print the same on MPICH and on Tidings; ``make fuzz`` runs more of them."""

from __future__ import annotations

import pytest
from tests.programs import fuzz

#: Programs that one test runs: as many tests as there are can run at once.
_TOGETHER = 10


@pytest.mark.parametrize("first", range(1, 201, _TOGETHER))
def test_random_programs_are_the_same_as_on_mpich(first: int) -> None:
    for seed in range(first, first + _TOGETHER):
        case = fuzz.draw(seed)
        found = fuzz.difference(case)
        assert found is None, f"{case}: {found}"


def test_seed_draws_the_same_each_time() -> None:
    assert fuzz.draw(7) == fuzz.draw(7)
    assert len({str(fuzz.draw(seed)).split(":")[1] for seed in range(20)}) > 10


def test_a_line_that_the_launcher_has_cut_is_not_compared() -> None:
    printed = ["0 file cbf29ce4 0a1b2c3d", "1 gatherv cbf29ce4", "1 gatherv", "===== BAD TERMINATION ====="]
    assert fuzz.whole_steps(printed, 2) == printed[:1]
