# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Freedom from deadlock: the channel dependency graph, its proof and its cycles."""

import dataclasses
import itertools
import json
import random
import re
from pathlib import Path

import pytest

from cli_support import Tidings
from tidings.analyze import deadlock
from tidings.machines.draw import random_machine
from tidings.machines.file import Machine, Topology, find_machine, load_machine, shipped_machines

#: A channel as a proof names it: router, kind, port or slot, virtual channel.
Place = tuple[tuple[int, ...], str, int, int]


@pytest.fixture
def spirit() -> Machine:
    return load_machine(find_machine("spirit"))


def with_topology(machine: Machine, kind: str, size: tuple[int, ...], slots: int = 1) -> Machine:
    return dataclasses.replace(machine, topology=Topology(kind, slots, size))


def channels_of_route(machine: Machine, source: tuple[int, ...], target: tuple[int, ...]) -> list[Place]:
    """Channels of a request from slot 0 to slot 0, by the words of docs/architecture.md and not by the code."""
    here = list(source)
    places: list[Place] = [(source, "injection", 0, 0)]
    for dimension, size in enumerate(machine.topology.size):
        dateline = 0
        while here[dimension] != target[dimension]:
            step = 1 if target[dimension] > here[dimension] else -1
            if machine.layers > 1:
                step = 1 if 2 * ((target[dimension] - here[dimension]) % size) <= size else -1
            at = here[dimension] + step
            if not 0 <= at < size:
                dateline = 1
            places.append((tuple(here), "link", 2 * dimension + (step < 0), 2 * dateline))
            here[dimension] = at % size
    return [*places, (target, "ejection", 0, 0)]


def assert_proves(proof: dict[str, object], machine: Machine) -> None:
    """Check a proof by itself: its numbers rise, and no route has a dependency that it leaves out."""
    channels = proof["channels"]
    dependencies = proof["dependencies"]
    assert isinstance(channels, list)
    assert isinstance(dependencies, list)
    for waiting, wanted in dependencies:
        assert channels[waiting]["number"] < channels[wanted]["number"]
    place = {
        (tuple(one["router"]), one["kind"], one.get("port", one.get("slot")), one["channel"]): index
        for index, one in enumerate(channels)
    }
    known = {tuple(dependency) for dependency in dependencies}
    routers = list(itertools.product(*(range(size) for size in machine.topology.size)))
    for source, target in itertools.product(routers, routers):
        for waiting, wanted in itertools.pairwise(channels_of_route(machine, source, target)):
            assert (place[waiting], place[wanted]) in known
    for router in routers:
        assert (place[router, "ejection", 0, 0], place[router, "injection", 0, 1]) in known


@pytest.mark.parametrize("name", shipped_machines())
def test_shipped_machine_is_free_of_deadlock(name: str, tidings: Tidings) -> None:
    result = tidings("machine", "check", name)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "free of deadlock" in result.stdout


def test_network_of_stream_says_when_software_can_stop_it(tidings: Tidings) -> None:
    result = tidings("machine", "check", "tilepro64-2013")
    assert "network of stream: one channel, in which packets wait for room" in result.stdout
    assert "to a slot together have 118 credits at most" in result.stdout
    assert "network of stream" not in tidings("machine", "check", "mesh8x8").stdout


def test_a_thousand_random_machines_are_free_of_deadlock() -> None:
    result = deadlock.check_random(1000, seed=1)
    assert result.machines == 1000
    assert not result.cyclic


def test_random_machines_are_of_every_kind() -> None:
    rng = random.Random(1)
    machines = [random_machine(rng) for _ in range(1000)]
    assert {machine.topology.kind for machine in machines} == {"torus", "mesh", "ring", "crossbar", "graph"}
    assert {len(machine.topology.size) for machine in machines} == {0, 1, 2, 3, 4}
    assert {machine.router.arbiter for machine in machines} == {"round-robin", "fixed-priority"}
    assert max(machine.routers for machine in machines) > 200
    assert {machine.stream.network for machine in machines} == {"own", "shared"}


@pytest.mark.parametrize(
    ("kind", "size", "slots"),
    [("torus", (4, 3), 2), ("torus", (2, 5, 2), 1), ("ring", (6,), 1), ("mesh", (3, 4), 1), ("crossbar", (), 4)],
)
def test_proof_covers_every_route(spirit: Machine, kind: str, size: tuple[int, ...], slots: int) -> None:
    machine = with_topology(spirit, kind, size, slots)
    assert_proves(deadlock.proof(machine), machine)


def test_proof_is_written_as_json(tidings: Tidings, tmp_path: Path, spirit: Machine) -> None:
    assert tidings("machine", "check", "spirit", "--proof", "proof.json").returncode == 0
    assert_proves(json.loads((tmp_path / "proof.json").read_text()), spirit)


def test_torus_without_dateline_shows_its_shortest_cycle(tidings: Tidings) -> None:
    result = tidings("machine", "check", "spirit", "--no-dateline", "--json", "-")
    assert result.returncode == 1
    assert "CAN DEADLOCK" in result.stderr
    figures = json.loads(result.stdout)
    assert figures["cycle"] == [f"router ({x},0,0) +x request channel 0" for x in range(4)]
    assert not figures["acyclic"]


def test_mesh_needs_no_dateline(spirit: Machine) -> None:
    assert deadlock.check_channels(with_topology(spirit, "mesh", (4, 4)), dateline=False).acyclic


def test_rings_of_three_have_no_cycle_even_without_dateline(spirit: Machine) -> None:
    # No route has two hops in a ring of three, so no channel waits for the next one; trees can go farther.
    plain = dataclasses.replace(spirit, router=spirit.router.replaced(routes=0))
    assert deadlock.check_channels(with_topology(plain, "torus", (3, 3)), dateline=False).acyclic
    assert not deadlock.check_channels(with_topology(plain, "torus", (3, 5)), dateline=False).acyclic
    assert not deadlock.check_channels(with_topology(spirit, "torus", (3, 3)), dateline=False).acyclic


def test_cut_machine_has_no_wrap_links(spirit: Machine) -> None:
    whole, cut = deadlock.check_channels(spirit), deadlock.check_channels(spirit, 8)
    assert (whole.routes, cut.routes) == (64**2, 8**2)
    assert cut.longest_route == 3
    assert deadlock.check_channels(spirit, 8, dateline=False).acyclic


@pytest.mark.parametrize("kind", ["mesh", "torus"])
@pytest.mark.parametrize("rule", deadlock.RULES)
def test_each_rule_of_static_routes_keeps_trees_from_waiting_in_a_circle(spirit: Machine, kind: str, rule: str) -> None:
    machine = with_topology(spirit, kind, (4, 4), slots=2)
    assert deadlock.check_channels(machine).acyclic
    assert not deadlock.check_channels(machine, without=rule).acyclic


def test_trees_use_channels_that_shortest_routes_do_not(spirit: Machine) -> None:
    plain = dataclasses.replace(spirit, router=spirit.router.replaced(routes=0))
    assert deadlock.check_channels(spirit).channels > deadlock.check_channels(plain).channels


#: Two trees along a row: the first forks to both sides at its left end, the second at its right end.
CROSSING = """
[[route]]
router = [1, 0]
route = 1
ports = ["+x", "-x"]

[[route]]
router = [2, 0]
route = 1
ports = ["+x", "slot0"]

[[route]]
router = [2, 0]
route = 2
ports = ["+x", "-x"]

[[route]]
router = [1, 0]
route = 2
ports = ["-x", "slot0"]
"""


def test_two_trees_that_cross_need_room_for_whole_packets(tidings: Tidings, tmp_path: Path) -> None:
    (tmp_path / "trees.toml").write_text(CROSSING)
    check = ("machine", "check", "mesh8x8", "--routes", "trees.toml")
    result = tidings(*check)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "static routes: 4 entries of trees.toml" in result.stdout
    result = tidings(*check, "--without", "room", "--json", "-")
    assert result.returncode == 1
    assert set(json.loads(result.stdout)["cycle"]) == {
        "router (1,0) -x request channel 0",
        "router (2,0) +x request channel 0",
    }


def test_switched_routes_can_wait_in_a_circle(spirit: Machine) -> None:
    square = {(0, 0): "+x", (1, 0): "+y", (1, 1): "-x", (0, 1): "-y"}
    mesh = with_topology(spirit, "mesh", (2, 2))
    routes = [deadlock.StaticEntry(router, 1, (port,)) for router, port in square.items()]
    assert deadlock.check_channels(mesh, routes=routes).acyclic
    routes = [dataclasses.replace(route, switched=True) for route in routes]
    assert len(deadlock.check_channels(mesh, routes=routes).cycle) == 4


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('router = [1]\nroute = 1\nports = ["+x"]', "there is no router [1]"),
        ('router = [1, 9]\nroute = 1\nports = ["+x"]', "there is no router [1, 9]"),
        ('router = [1, 1]\nroute = 16\nports = ["+x"]', "routers have the routes 0 to 15"),
        ('router = [1, 1]\nroute = 1\nports = ["+z"]', "no port '+z'; there are +x, -x, +y, -y, slot0"),
        ("router = [1, 1]\nroute = 1", "number 1: 'ports'; the keys are router, route, ports and switched"),
        ("", "there is no [[route]]"),
    ],
)
def test_wrong_routes_are_named(tidings: Tidings, tmp_path: Path, entry: str, message: str) -> None:
    (tmp_path / "trees.toml").write_text(f"[[route]]\n{entry}\n" if entry else "")
    result = tidings("machine", "check", "mesh8x8", "--routes", "trees.toml")
    assert result.returncode != 0
    assert message in " ".join(result.stderr.split())


def test_check_wants_a_machine_or_random_ones(tidings: Tidings) -> None:
    result = tidings("machine", "check")
    assert result.returncode != 0
    assert "name a machine, or give --random COUNT" in result.stderr
    assert tidings("machine", "check", "spirit", "-n", "99").returncode != 0


def test_layers_of_the_dragonfly_break_a_cycle() -> None:
    dragonfly = load_machine(find_machine("dragonfly"))
    assert deadlock.check_channels(dragonfly).acyclic
    flat = dataclasses.replace(dragonfly, topology=dataclasses.replace(dragonfly.topology, layers=()))
    result = deadlock.check_channels(flat)
    assert not result.acyclic
    assert re.fullmatch(r"router \d+ to \d+ (request|reply) channel 0", result.cycle[0])
    assert not deadlock.check_channels(dragonfly, dateline=False).acyclic


def test_routes_of_a_fat_tree_are_free_of_deadlock_whatever_the_roots() -> None:
    tree = load_machine(find_machine("fat-tree"))
    for roots in ((), (0,), (16, 17, 18, 19), (8, 9)):
        other = dataclasses.replace(tree, topology=dataclasses.replace(tree.topology, roots=roots))
        assert deadlock.check_channels(other).acyclic
    # One root alone is passed by all routes that do not stay in its half of a pod.
    alone = dataclasses.replace(tree, topology=dataclasses.replace(tree.topology, roots=(16,)))
    assert alone.network().mean_hops >= tree.network().mean_hops
