# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench collectives`: trees, bounds, published figures, and what is measured."""

import csv
import json
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree  # reads what the command has just written

import pytest

from cli_support import Tidings
from tidings import _core
from tidings.collectives import measurement, published, study
from tidings.collectives.measurement import Case
from tidings.machines.change import changed
from tidings.machines.configuration import configuration
from tidings.machines.file import Machine, find_machine, load_machine

SPIRIT = load_machine(find_machine("spirit"))
MESH = load_machine(find_machine("mesh8x8"))
CROSSBAR = load_machine(find_machine("crossbar"))


def bound(operation: str, words: int, nodes: int = 64, tree: str = "gray") -> int:
    case = Case(operation, tree, nodes, words)
    return measurement.bounds_of(case, measurement.wired_of(case, SPIRIT, "double"), SPIRIT, "double").machine


def measured(
    operation: str, tree: str, nodes: int, words: int, machine: Machine = SPIRIT, element: str = "double"
) -> measurement.Result:
    return measurement.measure(Case(operation, tree, nodes, words), machine, element, "")


def test_the_librarys_shapes_are_those_of_the_command() -> None:
    assert set(study.USUAL_NAMES) == {
        name
        for name in study.NAMES
        if not re.fullmatch("[48]-nomial|[3-7]-ary|two-level|hypercube|wires|switches", name)
    }
    assert {"gray", "dimension", "binomial", "hypercube", "binary", "chain", "star", "exchange"} <= set(study.NAMES)


def test_trees_are_those_of_the_machine() -> None:
    placement = _core.placement(configuration(SPIRIT), 64, measurement.LINKS)
    assert len(placement) == 64
    assert placement.coordinates(27) == [3, 2, 1]
    assert placement.hops(0, 63) == 3
    parents = _core.parents(placement, _core.shape("gray"))
    assert [rank for rank, parent in enumerate(parents) if parent is None] == [measurement.ROOT]
    assert all(placement.hops(rank, parent) == 1 for rank, parent in enumerate(parents) if parent is not None)
    assert _core.parents(placement, _core.shape("gray"), 5)[5] is None
    with pytest.raises(ValueError, match="no tree 'oak'; there are gray, "):
        _core.shape("oak")
    with pytest.raises(ValueError, match="exchange is not a tree"):
        _core.parents(placement, _core.shape("exchange"))
    with pytest.raises(_core.ImpossibleError, match="row of 8 routers"):
        measurement.Wired.of(MESH, 64, "gray")
    with pytest.raises(_core.ImpossibleError, match="15 neighbours in the tree, and its engine 8 links"):
        measurement.Wired.of(CROSSBAR, 16, "star")


def test_messages_are_costed_by_the_librarys_schedules() -> None:
    placement = _core.placement(configuration(SPIRIT), 64, measurement.LINKS)
    ring = next(one for one in _core.algorithms() if (one.collective, one.name) == ("allreduce", "ring"))
    assert ring.requirements == ["commutative operation", "an element per rank"]
    assert not ring.in_engine
    assert ring.message_time(placement, 6400, send=1.0, byte=0.5) == pytest.approx(2 * 63 * (1 + 100 * 0.5))


def test_bounds_are_ways_sums_and_a_word_a_cycle() -> None:
    hop, adder = 80, 4
    assert bound("barrier", 0) == 6 * hop
    assert bound("broadcast", 4096) == 6 * hop + 4095
    assert bound("reduce", 4096) == 6 * (hop + adder) + 4095
    assert bound("allreduce", 4096) == 6 * (2 * hop + adder) + 4095
    assert bound("reduce", 4096, nodes=8) == 3 * (hop + adder) + 4095
    assert bound("broadcast", 8, tree="chain") == bound("broadcast", 8)
    assert bound("barrier", 0, tree="exchange") == 6 * hop
    assert bound("allreduce", 64, tree="exchange") == 6 * (hop + adder) + 63


@pytest.mark.parametrize(("operation", "overhead"), [("broadcast", 0), ("reduce", 0.16)])
def test_published_times_agree_with_the_shares_that_the_thesis_prints(operation: str, overhead: float) -> None:
    # The tables have the difference to the model twice: in microseconds, and as a share of the measured time.
    section = published.gao2013()[operation]
    assert section["overhead_us"] == overhead
    for name, rows in section["difference_percent"].items():
        for words, shares, differences in zip(section["words"], rows, section["difference_us"][name], strict=True):
            for nodes, share, difference in zip(section["nodes"], shares, differences, strict=True):
                time = published.model_us(operation, name, nodes, words) + difference
                assert 100 * difference / time == pytest.approx(share, rel=0.011), (name, words, nodes)


def test_published_times_are_those_of_the_summary() -> None:
    def us(operation: str, nodes: int, words: int, tree: str = "gray") -> float:
        found = published.latency_us("spirit", operation, tree, nodes, words)
        assert found is not None
        assert found.source.startswith("Gao 2013, Table 5.")
        return found.value

    # Table 5.5.
    assert us("barrier", 32, 0) == 24.1
    assert us("broadcast", 4, 4096) == pytest.approx(169.4, abs=0.05)
    assert us("broadcast", 32, 4096) == pytest.approx(291.6, abs=0.05)
    assert us("reduce", 4, 4096) == pytest.approx(171, abs=0.5)
    assert us("reduce", 32, 4096) == pytest.approx(298, abs=0.5)
    assert us("broadcast", 32, 16 * 4096, "chain") == pytest.approx(16 * us("broadcast", 32, 4096, "chain"), abs=0.1)
    for machine, tree, nodes, words in (
        ("mesh8x8", "gray", 32, 4096),
        ("spirit", "binary", 32, 4096),
        ("spirit", "gray", 64, 4096),
        ("spirit", "gray", 32, 512),
    ):
        assert published.latency_us(machine, "broadcast", tree, nodes, words) is None


def test_figures_go_to_table_files_and_plots_and_are_the_same_again(tidings: Tidings, tmp_path: Path) -> None:
    for folder in ("first", "second"):
        result = tidings("bench", "collectives", "-n", "4,8", "--words", "8,64", "--out", folder)
        assert result.returncode == 0, result.stderr
    first, second = tmp_path / "first", tmp_path / "second"
    operations = measurement.TREE_OPERATIONS
    names = [f"{operation}.svg" for operation in operations]
    for name in [*names, "collectives.json", "collectives.csv"]:
        assert (first / name).read_bytes() == (second / name).read_bytes()
        if name in names:
            ElementTree.fromstring((first / name).read_text(encoding="utf-8"))  # noqa: S314 (our own file)
    found = json.loads((first / "collectives.json").read_text(encoding="utf-8"))
    assert (found["machine"]["name"], found["element"]) == ("spirit", "double")
    results: list[dict[str, Any]] = found["results"]
    sizes = {"barrier": 1, "broadcast": 2, "reduce": 2, "allreduce": 2}
    assert len(results) == 2 * (
        (len(study.USUAL_NAMES) - 1) * sum(sizes.values()) + sizes["barrier"] + sizes["allreduce"]
    )
    assert {(case["operation"], case["tree"]) for case in found["left_out"]} == {
        ("broadcast", "exchange"),
        ("reduce", "exchange"),
    }
    for entry in results:
        assert entry["cycles"] > entry["tree_bound"] >= entry["bound"]
        assert entry["ratio"] == entry["cycles"] / entry["bound"]
        assert entry["us"] == pytest.approx(entry["cycles"] / 100)
    with (first / "collectives.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [int(row["cycles"]) for row in rows] == [entry["cycles"] for entry in results]
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["4", "gray", "8"] in [line[:3] for line in lines]
    assert "4.54" in result.stdout  # Gao's barrier of 4 nodes
    shown = next(entry for entry in results if entry["operation"] == "reduce")
    assert any(line[:4] == ["4", "gray", "8", str(shown["cycles"])] for line in lines)


@pytest.mark.parametrize(
    ("operation", "words", "tight", "target"),
    [
        ("broadcast", 64, 14 + 63, 104),
        ("reduce", 64, 14 * 6 + 63, 178),
        ("allreduce", 64, 8 * 7 + 63, 148),
        ("allreduce", 65536, 8 * 7 + 65535, 68894),
    ],
)
def test_on_a_mesh_the_bound_is_of_one_stream_a_link(operation: str, words: int, tight: int, target: int) -> None:
    case = Case(operation, "dimension", 64, words)
    found = measurement.bounds_of(case, measurement.wired_of(case, MESH, "double"), MESH, "double")
    assert (found.tight, found.target) == (tight, target)
    torus = measurement.bounds_of(case, measurement.wired_of(case, SPIRIT, "double"), SPIRIT, "double")
    assert torus.tight is None


def test_an_allreduce_goes_through_the_middle_if_engines_serve_all_children_at_once() -> None:
    def root(machine: Machine, operation: str) -> int:
        return measurement.wired_of(Case(operation, "dimension", 64, 64), machine, "double").root

    middle = 3 + 3 * 8
    assert (root(MESH, "allreduce"), root(MESH, "barrier")) == (middle, middle)
    assert (root(MESH, "broadcast"), root(MESH, "reduce"), root(SPIRIT, "allreduce")) == (0, 0, 0)
    one_by_one = {"router.buffer_flits": 64}, {"mpe.fan_out": "serial"}, {"mpe.combine_ports": 3}
    for changes in (*one_by_one, {"mpe.direct_links": False}):
        assert root(changed(MESH, changes), "allreduce") == 0, changes


def test_long_vectors_meet_the_target_on_a_mesh() -> None:
    mesh = changed(MESH, {"topology.size": [4, 4]})
    for operation in ("broadcast", "reduce"):
        result = measured(operation, "dimension", 16, 16384, mesh)
        assert result.within_target, (operation, result.cycles)
    assert measured("allreduce", "dimension", 16, 64, mesh).within_target is False


@pytest.mark.parametrize(("size", "cycles"), [((2, 2), 4), ((3, 5), 8), ((8, 8), 16), ((8,), 9)])
def test_a_barrier_over_wires_is_measured(size: tuple[int, ...], cycles: int) -> None:
    mesh = changed(MESH, {"topology.size": list(size)})
    result = measured("barrier", "wires", math.prod(size), 0, mesh)
    hops = sum(routers - 1 for routers in size)
    assert (result.cycles, result.bound, result.target) == (cycles, hops, hops + 8)
    assert result.within_target
    with pytest.raises(_core.ImpossibleError, match="do not fill a rectangle"):
        measured("barrier", "wires", 11, 0, MESH)
    with pytest.raises(_core.ImpossibleError, match="no barrier engine"):
        measured("barrier", "wires", 8, 0, SPIRIT)


@pytest.mark.parametrize("size", [(2, 1), (1, 5), (2, 2), (3, 5), (8, 8), (16, 16), (2, 2, 2), (3, 2, 4)])
def test_a_broadcast_over_switches_takes_16_cycles_beyond_its_bound(size: tuple[int, ...]) -> None:
    mesh = changed(MESH, {"topology.size": list(size)})
    hops = sum(routers - 1 for routers in size)
    for words in (1, 64, 1000):
        result = measured("broadcast", "switches", math.prod(size), words, mesh)
        assert (result.cycles, result.tight_bound) == (hops + words - 1 + 16, hops + words - 1)
        assert result.within_target
    with pytest.raises(_core.ImpossibleError, match="no engine for broadcasts over static switches"):
        measured("broadcast", "switches", 8, 1, SPIRIT)


@pytest.mark.parametrize("size", [(2, 1), (1, 5), (2, 2), (3, 5), (8, 8), (16, 16), (2, 2, 2), (3, 2, 3)])
def test_sums_over_switches_take_16_cycles_beyond_their_bound(size: tuple[int, ...]) -> None:
    mesh = changed(MESH, {"topology.size": list(size), "alltoall.adders": 2 * max(2, len(size))})
    to_corner = sum(routers - 1 for routers in size)
    to_middle = sum(routers // 2 for routers in size)
    # In the middle of an odd number of routers, sums come from both sides at once, and are added one after the other.
    both = sum(routers % 2 for routers in size if routers > 1)
    for element, per_hop in (("int32", 2), ("int64", 2), ("float", 5), ("double", 6)):
        for words in (2, 64, 1000):
            one = measured("reduce", "switches", math.prod(size), words, mesh, element)
            every = measured("allreduce", "switches", math.prod(size), words, mesh, element)
            least = (to_corner * per_hop + words - 1, to_middle * (per_hop + 1) + words - 1)
            assert (one.tight_bound, every.tight_bound) == (least[0], least[1] + (per_hop - 1 if both else 0))
            assert (one.cycles, every.cycles) == (least[0] + 16, least[1] + 16 + both * per_hop)
            assert one.within_target
            assert every.within_target


@pytest.mark.parametrize("size", [(2, 1), (1, 5), (2, 2), (3, 3), (3, 5), (5, 4), (8, 8), (3, 3, 3), (4, 2, 3)])
def test_blocks_over_switches_take_16_cycles_beyond_a_word_per_cycle_of_the_busiest_slot(size: tuple[int, ...]) -> None:
    mesh = changed(MESH, {"topology.size": list(size)})
    nodes = math.prod(size)
    # A corner that the ring of an allgather leaves out is served a cycle later.
    corner = nodes % 2 == 1 and min(size) > 1
    for operation in ("gather", "scatter", "allgather"):
        for words in (1, 8, 100):
            result = measured(operation, "switches", nodes, words, mesh)
            bound = (nodes - 1) * words
            more = 1 if corner and operation == "allgather" else 0
            assert (result.cycles, result.tight_bound, result.target) == (bound + 16 + more, bound, bound + 20)
    with pytest.raises(_core.ImpossibleError, match="no engine for gathers over static switches"):
        measured("gather", "switches", 8, 1, SPIRIT)
    with pytest.raises(_core.ImpossibleError, match=r"at most alltoall\.period_words = 32 words"):
        measured("allgather", "switches", 64, 1, changed(MESH, {"alltoall.period_words": 32}))


@pytest.mark.parametrize("size", [(2, 1), (2, 2), (3, 5), (8, 8), (2, 2, 2)])
def test_a_reduce_scatter_over_switches_takes_what_an_allreduce_of_all_blocks_takes(size: tuple[int, ...]) -> None:
    mesh = changed(MESH, {"topology.size": list(size)})
    nodes = math.prod(size)
    for words in (2, 64):
        result = measured("reduce_scatter", "switches", nodes, words, mesh)
        assert result.cycles == measured("allreduce", "switches", nodes, nodes * words, mesh).cycles
        # By any trees: a slot's last word passes an adder, and the farthest one all adders on its way.
        farthest = sum(routers - 1 for routers in size)
        assert result.bound == max(nodes * words - 1 + 5, 6 * farthest + words - 1)
        # Over one tree to the middle: the last block passes all adders of the longest way.
        to_middle = sum(routers // 2 for routers in size)
        both = any(routers % 2 and routers > 1 for routers in size)
        assert result.tight_bound == nodes * words - 1 + 6 * to_middle + (5 if both else 0)
        assert result.within_target
    with pytest.raises(_core.ImpossibleError, match="3 words are no whole number of elements of type double"):
        measured("reduce_scatter", "switches", 64, 3, MESH)


def test_sums_over_switches_that_cannot_be_say_why() -> None:
    few = changed(MESH, {"alltoall.adders": 3})
    with pytest.raises(_core.ImpossibleError, match=r"too few adders: alltoall\.adders = 3"):
        measured("reduce", "switches", 64, 2, few)
    assert measured("reduce", "switches", 8, 2, few).within_target
    with pytest.raises(_core.ImpossibleError, match="3 words are no whole number of elements of type double"):
        measured("allreduce", "switches", 64, 3, MESH)


def test_collectives_of_256_nodes_are_right() -> None:
    # Every word of every node is compared with what must be there.
    mesh = changed(MESH, {"topology.size": [16, 16]})
    for operation, tree in (("barrier", "wires"), ("reduce", "dimension"), ("allreduce", "dimension")):
        result = measured(operation, tree, 256, 0 if operation == "barrier" else 16, mesh)
        assert result.tight_bound is not None
        assert result.cycles > result.tight_bound


#: What the file of `spirit` does not have: docs/contention.md.
SWITCHES = {
    "alltoall.slots": [0],
    "alltoall.period_words": 64,
    "alltoall.adders": 6,
    "alltoall.buffer_words": 256,
}


def boards(size: list[int], latency: int, room: int) -> Machine:
    """Return a cluster of this size whose boards have switches with `room` words per input, and memory of 8 cycles."""
    changes = {"topology.size": size, "link.latency_cycles": latency, "alltoall.buffer_words": room}
    return changed(SPIRIT, SWITCHES | changes | {"memory.latency_cycles": 8})


@pytest.mark.parametrize(("size", "latency"), [([2, 2, 2], 1), ([3, 3, 3], 4)])
def test_words_go_along_three_dimensions_as_fast_as_any_schedule_lets_them(size: list[int], latency: int) -> None:
    torus = boards(size, latency, 8)
    grid = _core.SwitchGrid(size, 7, latency)
    for words in (1, 2, 64):
        result = measured("alltoall", "switches", math.prod(size), words, torus)
        assert result.cycles <= _core.word_schedule_least(grid, words) + words - 1 + 16


def test_links_of_80_cycles_carry_a_word_per_cycle_to_and_from_a_root_if_inputs_have_room() -> None:
    roomy, narrow = boards([2, 2, 2], 80, 256), boards([2, 2, 2], 80, 8)
    for operation in ("gather", "scatter"):
        # The farthest node is three links away. All words of seven nodes go through the slot of the root.
        assert measured(operation, "switches", 8, 256, roomy).cycles <= 3 * 80 + 7 * 256 + 16
        # Eight words go to the next switch and their credits come back: that has two latencies.
        assert measured(operation, "switches", 8, 256, narrow).cycles > 2 * 80 * (3 * 256 // 8)


def test_an_all_to_all_over_links_of_80_cycles_waits_for_the_farthest_word_of_a_repetition() -> None:
    torus = boards([2, 2, 2], 80, 256)
    least = _core.word_schedule_least(_core.SwitchGrid([2, 2, 2], 7, 80), 1)
    assert measured("alltoall", "switches", 8, 1, torus).cycles <= least + 16
    # The next repetition follows when the words that others send on have come, not when all have arrived.
    assert 80 < measured("alltoall", "switches", 8, 2, torus).cycles - least - 16 < 2 * 80


def test_256_nodes_exchange_words_over_switches_as_the_schedule_says(monkeypatch: pytest.MonkeyPatch) -> None:
    # The search has little effort here, so the schedule is somewhat longer than the one that runs take.
    grid = _core.SwitchGrid([16, 16])
    schedule = _core.find_word_schedule(grid, 200_000, 1e6)
    assert schedule.cycles <= _core.word_schedule_bound(grid) * 1.03
    monkeypatch.setattr("tidings.collectives.measurement.word_schedules.schedule", lambda grid: schedule)
    mesh = changed(MESH, {"topology.size": [16, 16], "alltoall.period_words": 1024})
    # Every word of every node is compared with what must be there.
    for words in (1, 2):
        result = measured("alltoall", "switches", 256, words, mesh)
        assert result.tight_bound == 1024 * words
        assert result.cycles <= schedule.cycles + (words - 1) * schedule.period + 16


def test_wires_and_targets_are_printed_of_meshes_alone(tidings: Tidings) -> None:
    mesh = tidings("bench", "collectives", "-m", "mesh8x8", "-n", "16", "--words", "8", "--operation", "barrier,reduce")
    assert mesh.returncode == 0, mesh.stderr
    lines = [line.split() for line in mesh.stdout.splitlines()]
    assert ["16", "wires", "8", "0.01", "6", "1.33", "6", "1.33", "6", "14", "yes"] in lines
    reduce = next(line for line in lines if line[:3] == ["16", "dimension", "8"])
    assert (reduce[-3:-1], len(reduce)) == (["43", "69"], 12)
    spirit = tidings("bench", "collectives", "-n", "4", "--operation", "barrier")
    assert "wires" not in spirit.stdout
    assert "target" not in spirit.stdout
    wrong = tidings("bench", "collectives", "--tree", "wires", "--operation", "reduce")
    assert wrong.returncode == 2
    assert "--tree wires is for barriers" in wrong.stderr


@pytest.mark.parametrize("element", measurement.ELEMENTS)
def test_sums_of_every_type_are_checked_on_every_machine(element: str) -> None:
    for machine, tree in ((MESH, "dimension"), (CROSSBAR, "binary"), (SPIRIT, "exchange"), (MESH, "exchange")):
        result = measurement.measure(Case("allreduce", tree, 8, 64), machine, element, "")
        assert result.cycles > result.bound


def test_a_wrong_result_is_an_error() -> None:
    case = Case("allreduce", "gray", 8, 8)
    wired = measurement.wired_of(case, SPIRIT, "int32")
    plan = measurement.plan_of(case, wired, "int32")
    config = configuration(SPIRIT)
    assert len(_core.benchmark_collective(config, "", plan).done) == 1
    # A leaf and its parent that do not know of each other: each part comes to an end with a sum of its own.
    leaf = next(rank for rank, way in enumerate(wired.ways) if way.children == 0)
    parent = _core.parents(wired.placement, wired.shape)[leaf]
    assert parent is not None
    ways = plan.ways
    link = next(link for link in wired.wiring.links[leaf] if link.number == wired.ways[leaf].parent)
    ways[leaf] = _core.CollectiveWay(_core.GroupWay.NO_PARENT, 0)
    ways[parent] = _core.CollectiveWay(
        wired.ways[parent].parent, wired.ways[parent].children & ~(1 << link.peer_number)
    )
    plan.ways = ways
    with pytest.raises(RuntimeError, match=r"wrong result at rank 0, element 0: expected \d+, got \d+"):
        _core.benchmark_collective(config, "", plan)


def test_a_collective_without_end_is_an_error() -> None:
    case = Case("broadcast", "chain", 4, 8)
    plan = measurement.plan_of(case, measurement.wired_of(case, SPIRIT, "int32"), "int32")
    ways = plan.ways
    ways[measurement.ROOT] = _core.CollectiveWay(_core.GroupWay.NO_PARENT, 0)
    plan.ways = ways
    with pytest.raises(RuntimeError, match="never ends at ranks 1, 2, 3"):
        _core.benchmark_collective(configuration(SPIRIT), "", plan)


def test_a_stream_sustains_no_more_than_a_link_carries(tidings: Tidings, tmp_path: Path) -> None:
    request = ("-n", "4", "--words", "512", "--operation", "broadcast,reduce", "--tree", "chain", "--stream", "6")
    result = tidings("bench", "collectives", *request, "--json", "out.json")
    assert result.returncode == 0, result.stderr
    for entry in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["results"]:
        assert entry["vectors"] == 6
        assert 0.5 < entry["rate_share"] <= 1
        assert entry["words_per_cycle"] == pytest.approx(512 / entry["vector_cycles"])
        assert entry["mbps"] == pytest.approx(entry["words_per_cycle"] * 3200)
        assert entry["published"] in (1010, 1000)
        # Faster than one after the other has come to its end.
        assert entry["cycles"] < 6 * measured(entry["operation"], "chain", 4, 512).cycles


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-n", "65"), "--nodes 65: spirit holds 2 to 64"),
        (("-n", "1"), "--nodes 1"),
        (("--words", "0"), "a vector has 1 to"),
        (("--tree", "oak"), "--tree oak: there are gray, dimension"),
        (("--tree", "9-ary"), "--tree 9-ary"),
        (("--operation", "sort"), "there are barrier"),
        (("--operation", "gather"), "Blocks go over static switches"),
        (("--all", "--words", "8"), "leave --words out"),
        (("--stream", "2", "--operation", "barrier"), "a barrier has none"),
        (("--csv", "nowhere/out.csv"), "the folder nowhere does not exist"),
    ],
)
def test_what_cannot_be_done_is_said_before_any_work(tidings: Tidings, arguments: tuple[str, ...], said: str) -> None:
    result = tidings("bench", "collectives", *arguments)
    assert result.returncode == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_what_is_left_out_is_named(tidings: Tidings) -> None:
    result = tidings(
        "bench", "collectives", "-n", "16", "--operation", "broadcast,reduce", "--words", "9", "--tree", "star"
    )
    assert result.returncode == 0, result.stderr
    assert "star, 16 nodes: a node has 15 neighbours in the tree, and its engine 8 links" in result.stdout
    assert "9 words are no whole number of elements of type double" in result.stdout
