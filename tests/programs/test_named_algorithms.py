# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Every algorithm that a user names gives what MPICH gives; `test_mesh_algorithms.py` has those of rectangles."""

from pathlib import Path

import pytest
from tests.programs import harness

import tidings
from tidings import _core
from tidings.machines.change import changed
from tidings.machines.file import find_machine, load_machine

SOURCE = Path(__file__).parent / "algorithms" / "named.c"
#: Ranks and machines: a single router, and routers of two slots each.
RUNS = ((2, "dragonfly"), (5, "crossbar"), (8, "dragonfly"), (13, "dragonfly"))


def choices() -> list[dict[str, str]]:
    """Return choices of one algorithm per collective. All together have every algorithm but those of rectangles."""
    names: dict[str, list[str]] = {}
    for one in _core.algorithms():
        if "a rectangle of routers" not in one.requirements:
            names.setdefault(one.collective, []).append(one.name)
    # Collectives that have fewer begin again, with other neighbours.
    most = max(len(found) for found in names.values())
    return [{collective: found[turn % len(found)] for collective, found in names.items()} for turn in range(most)]


CHOICES = choices()


@pytest.mark.parametrize(("ranks", "machine"), RUNS)
@pytest.mark.parametrize("number", range(len(CHOICES)))
def test_every_named_algorithm_gives_what_mpich_gives(number: int, ranks: int, machine: str) -> None:
    program = harness.build(SOURCE)
    expected = harness.run_mpich(program, ranks)
    assert expected.status == 0, expected.stderr
    found = tidings.run(
        program, machine=machine, ranks=ranks, collectives="software", algorithms=CHOICES[number], capture=True
    )
    assert found.exit_status == 0, found.error
    for line, theirs in zip((found.stdout or "").splitlines(), expected.stdout.splitlines(), strict=True):
        assert line == theirs, CHOICES[number]


def test_a_crossbar_of_more_than_16_slots_is_one_router() -> None:
    program = harness.build(SOURCE.with_name("one_router.c"))
    found = tidings.run(
        program,
        machine="crossbar-64",
        ranks=20,
        collectives="software",
        algorithms={"gather": "two-level"},
        capture=True,
    )
    assert found.exit_status == 0, found.error
    expected = [f"crossbar-64-router0-slot{slot}" for slot in range(20)]
    assert (found.stdout or "").splitlines() == expected


def test_broadcasts_along_static_routes_give_what_mpich_gives_and_are_faster() -> None:
    """More than 16 slots, so that a route leads to slots of two groups; without routes the root sends to each rank."""
    ranks = 20
    program = harness.build(SOURCE.with_name("multicast.c"))
    expected = harness.run_mpich(program, ranks)
    assert expected.status == 0, expected.stderr
    elapsed = []
    machine = load_machine(find_machine("crossbar-64"))
    for routes in (64, 0):
        found = tidings.run(
            program,
            machine=changed(machine, {"router.routes": routes}),
            ranks=ranks,
            collectives="software",
            algorithms={"bcast": "multicast"},
            capture=True,
        )
        assert found.exit_status == 0, found.error
        assert (found.stdout or "").splitlines() == expected.stdout.splitlines()
        elapsed.append(found.elapsed)
    assert elapsed[0] < elapsed[1]
