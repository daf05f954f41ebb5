# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Random MPI programs print the same on MPICH and on Tidings; ``make fuzz`` runs more of them."""

from __future__ import annotations

import pytest
from tests.programs import fuzz


@pytest.mark.parametrize("seed", range(1, 13))
def test_random_program_is_the_same_as_on_mpich(seed: int) -> None:
    case = fuzz.draw(seed)
    found = fuzz.difference(case)
    assert found is None, f"{case}: {found}"


def test_seed_draws_the_same_each_time() -> None:
    assert fuzz.draw(7) == fuzz.draw(7)
    assert len({str(fuzz.draw(seed)).split(":")[1] for seed in range(20)}) > 10
