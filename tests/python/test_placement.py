# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings run --map`: where ranks sit, and what follows from it."""

import json
from pathlib import Path

import pytest

import tidings as package
from cli_support import ROOT, Tidings
from tidings.errors import UserError
from tidings.machines.file import Machine
from tidings.report.analysis import Analysis
from tidings.runtime.placement import places_of


@pytest.fixture(scope="module")
def mesh() -> Machine:
    return package.machine("mesh8x8")


@pytest.fixture(scope="module")
def two_slots() -> Machine:
    return package.machine("mesh8x8", {"topology.size": [2, 2], "topology.slots": 2, "mpe.slots": [0, 1]})


@pytest.fixture
def ring(tidings: Tidings, tmp_path: Path) -> Path:
    program = tmp_path / "ring"
    assert tidings("cc", ROOT / "tests" / "programs" / "ring.c", "-o", program).returncode == 0
    return program


def test_round_robin_gives_each_router_a_rank_before_any_has_two(two_slots: Machine) -> None:
    assert places_of(two_slots, 6, "round-robin") == (0, 2, 4, 6, 1, 3)


def test_reverse_begins_at_the_last_slot(two_slots: Machine) -> None:
    assert places_of(two_slots, 3, "reverse") == (7, 6, 5)


def test_drawn_places_follow_from_the_seed(mesh: Machine) -> None:
    places = places_of(mesh, 64, "random:7")
    assert sorted(places) == list(range(64))
    assert places_of(mesh, 8, "random:7") == places[:8]
    assert places_of(mesh, 64, "random:8") != places


def test_lines_name_routers_and_slots(two_slots: Machine) -> None:
    lines = ["# corners", "", "3", "3  # its other slot", "0.1", "0", "2", "nobody reads this"]
    assert places_of(two_slots, 5, lines) == (6, 7, 1, 0, 4)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("0\n4\n", "line 2: mesh8x8 has no slots at router 4; those of 0 to 3 have"),
        ("0\n1.2\n", "line 2: a router of mesh8x8 has no slot 2, but 0 to 1"),
        ("0.1\n1\n0.1\n", "line 3: line 1 has slot 1 of router 0 already, and a slot holds one rank: name another"),
        ("0\n0\n0\n", "line 3: router 0 has 2 slots, and lines before this took all"),
        ("0\nnode1\n", "line 2: 'node1' is not a place; write a router, as in 5"),
        ("0\n1\n", "it places 2 of 3 ranks: add a line ROUTER or ROUTER.SLOT for each"),
    ],
)
def test_places_that_cannot_be_are_refused(two_slots: Machine, tmp_path: Path, lines: str, expected: str) -> None:
    file = tmp_path / "map"
    file.write_text(lines)
    with pytest.raises(UserError) as refused:
        places_of(two_slots, 3, file)
    assert str(refused.value).startswith(f"--map {file}")
    assert expected in str(refused.value)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("round-robin ", "--map round-robin : No such file or directory; it is a file, round-robin, reverse or"),
        ("random", "--map random: a number is missing that the slots are drawn from, as in random:7"),
        ("random:x", "--map random:x: a number is missing"),
    ],
)
def test_maps_that_are_not_there_are_refused(tidings: Tidings, ring: Path, name: str, expected: str) -> None:
    result = tidings("run", "-n", "2", "-m", "mesh8x8", "--map", name, ring)
    assert result.returncode == 2
    assert expected in " ".join(result.stderr.split())


def test_far_ranks_take_longer_than_near_ones_and_compute_the_same(
    tidings: Tidings, ring: Path, tmp_path: Path
) -> None:
    corners = tmp_path / "corners"
    corners.write_text("0\n63\n7\n56\n")
    found = {}
    for kind, options in {"near": [], "far": ["--map", corners]}.items():
        figures = tmp_path / f"{kind}.json"
        result = tidings("run", "-n", "4", "-m", "mesh8x8", "--json", figures, *options, ring)
        assert result.returncode == 0, result.stderr
        found[kind] = (result.stdout, json.loads(figures.read_text()))
    near, far = (figures for _, figures in found.values())
    assert found["near"][0] == found["far"][0]
    assert far["map"] == str(corners)
    assert near["map"] is None
    assert [rank["router"] for rank in far["per_rank"]] == [0, 63, 7, 56]
    assert [rank["router"] for rank in near["per_rank"]] == [0, 1, 2, 3]
    # Each message crosses 7 or 14 links; near ranks sit in a square or in a line.
    assert far["flit_hops"] > 5 * near["flit_hops"]
    assert far["elapsed_ps"] > near["elapsed_ps"]


@pytest.mark.parametrize("collectives", ["hardware", "software"])
@pytest.mark.parametrize("where", ["reverse", "random:3", "round-robin"])
def test_collectives_give_the_same_wherever_ranks_sit(
    tidings: Tidings, tmp_path: Path, collectives: str, where: str
) -> None:
    program = tmp_path / "allreduce"
    assert tidings("cc", ROOT / "tests" / "programs" / "allreduce.c", "-o", program).returncode == 0
    near = package.run(program, machine="mesh8x8", ranks=7, collectives=collectives, capture=True)
    far = package.run(program, machine="mesh8x8", ranks=7, collectives=collectives, map=where, capture=True)
    assert near.stdout == far.stdout != ""


def test_report_knows_where_ranks_sit(ring: Path, tmp_path: Path) -> None:
    file = tmp_path / "events"
    package.run(ring, machine="mesh8x8", ranks=2, map=["0", "2"], event_file=file)
    events = package.load_events(file)
    assert events.run["machine"]["network"]["places"] == [0, 2]
    assert len(events.run["machine"]["network"]["names"]) == 64
    assert set(Analysis(events).path_links["name"]) == {"(1,0) +x", "(2,0) -x"}  # in the middle
    page = tmp_path / "page.html"
    package.write_report(file, page)
    assert "rank 1, router (2,0) to (0,0)" in page.read_text()
