# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings analyze``: links of the library's schedules, and schedules of words."""

import csv
import io
import json
import math
import re
from pathlib import Path

import pytest

import tidings as api
from cli_support import Tidings
from tidings import _core
from tidings.analyze import word_schedules


@pytest.mark.parametrize("size", [(2, 2), (3, 3), (3, 5), (8, 8)])
@pytest.mark.parametrize("name", ["rounds-latin", "rounds-product"])
def test_no_two_messages_of_a_round_share_a_link(name: str, size: tuple[int, int]) -> None:
    machine = api.machine("mesh8x8", {"topology.size": list(size)})
    found = api.analyze_collective("alltoall", name, machine=machine)
    ranks = size[0] * size[1]
    assert found.messages == ranks * (ranks - 1)
    assert found.conflicting_steps == 0
    assert found.most_messages == 1


def test_other_algorithms_collide() -> None:
    pairwise = api.analyze_collective("alltoall", "pairwise", machine="mesh8x8")
    assert len(pairwise.steps) == 63
    assert pairwise.conflicting_steps > 50
    assert pairwise.bound == 128
    # On one link in one step: all that the step's cycles wait for.
    assert pairwise.most_messages == max(step.link_words for step in pairwise.steps)


def test_routes_are_those_of_the_machine() -> None:
    # A message from corner to corner of a ring of four goes over two links; on a line over three.
    ring = _core.step_loads(_configuration("spirit", {"topology.size": [4, 4, 4]}), 64, [(0, 0, 3, 1)])
    assert [(link.router, link.port) for link in ring[0].links] == [(0, 1)]  # -x, over the wrap link
    line = _core.step_loads(_configuration("mesh8x8", {"topology.size": [4, 4]}), 16, [(0, 0, 3, 1), (0, 1, 3, 2)])
    assert [(link.router, link.port, link.messages, link.words) for link in line[0].links] == [
        (0, 0, 1, 1),
        (1, 0, 2, 3),
        (2, 0, 2, 3),
    ]
    assert (line[0].conflicts, line[0].link_words, line[0].port_words, line[0].longest_way) == (2, 3, 3, 3)
    assert line[0].cycles == 3 + 3 - 1


def _configuration(name: str, changes: dict[str, object]) -> _core.MachineConfig:
    from tidings.machines.configuration import configuration

    return configuration(api.machine(name, changes))


def test_every_algorithm_of_every_collective_is_followed_or_left_out_with_a_reason() -> None:
    for collective in dict.fromkeys(one.collective for one in _core.algorithms()):
        found, left_out = api.compare_algorithms(collective, machine="mesh8x8", ranks=6, words=12)
        names = [one.name for one in _core.algorithms() if one.collective == collective]
        names += ["scheduled"] * (collective == "alltoall")
        assert sorted([line.algorithm for line in found] + list(left_out)) == sorted(names)
        for line in found:
            assert line.cycles >= line.bound, (collective, line.algorithm)
        assert all("power of two" in why or "hypercube" in why for why in left_out.values()), left_out


def test_graphs_and_crossbars_have_links_as_well() -> None:
    star, _ = api.compare_algorithms("alltoall", machine="fat-tree")
    assert [line.algorithm for line in star] == [
        "pairwise",
        "bruck",
        "linear",
        "scattered",
        "stages",
        "ring",
        "4-way",
        "two-level",
        "switches",
    ]
    one_router = api.analyze_collective("bcast", "binomial", machine="crossbar", ranks=8)
    assert one_router.most_messages == 0


def test_the_command_prints_writes_and_draws(tidings: Tidings, tmp_path: Path) -> None:
    request = ("analyze", "alltoall", "-m", "mesh8x8", "-n", "16", "--algorithm", "rounds-latin")
    done = tidings(*request, "--csv", "steps.csv", "--json", "all.json", "--svg", "rounds.svg")
    assert done.returncode == 0, done.stderr
    assert "no two of 240 messages share a link in any of 36 steps" in done.stdout
    rows = list(csv.DictReader(io.StringIO((tmp_path / "steps.csv").read_text())))
    assert len(rows) == 36
    assert sum(int(row["messages"]) for row in rows) == 240
    found = json.loads((tmp_path / "all.json").read_text())
    assert (found["steps"], found["conflicting_steps"], found["bound"]) == (36, 0, 16)
    assert len(found["loads"]) == 36
    links = re.findall(
        r"<path [^>]*><title>[^<]*: (\d+) messages</title>(<animate )?", (tmp_path / "rounds.svg").read_text()
    )
    assert len(links) == 2 * 2 * 4 * 3
    # The two links between the middle routers of a row or column each carry 16 messages.
    assert [number for number, _ in links].count("16") == 16
    assert all(animation for _, animation in links)


def test_mistakes_are_said(tidings: Tidings) -> None:
    for arguments, said in (
        (("alltoall", "-m", "mesh8x8", "--algorithm", "rng"), "no algorithm 'rng' for alltoall; there are pairwise"),
        (("all", "-m", "mesh8x8"), "no collective 'all'; there are barrier"),
        (("alltoall",), "which machine?"),
        (("bcast", "-m", "mesh8x8", "-n", "65"), "mesh8x8 has 64 slots: no 65 ranks"),
        (("alltoall", "-m", "spirit", "-n", "63", "--algorithm", "scheduled"), "is for a rank on each router of a"),
        (("alltoall", "-m", "spirit", "--algorithm", "scheduled"), "no schedule would take less than 482 cycles"),
        (("alltoall", "-m", "spirit", "--algorithm", "rounds-latin"), "more than two dimensions"),
        (("bcast", "-m", "mesh8x8", "--svg", "b.svg"), "name it with --algorithm"),
    ):
        done = tidings("analyze", *arguments)
        assert done.returncode == 2
        assert said in done.stderr.replace("\n", " "), done.stderr


def test_schedules_of_words_reach_the_bound_and_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    found = api.analyze_collective("alltoall", "scheduled", machine="mesh8x8")
    assert (found.cycles, found.bound, found.messages, found.conflicting_steps) == (131, 128, 64 * 63, 0)
    longer = api.analyze_collective("alltoall", "scheduled", machine="mesh8x8", words=64)
    assert longer.cycles == 128 * 64 + 3
    middle = [link for links in found.links for link in links if (link.router, link.port) == (3, 0)]
    assert len(middle) == 128  # busy in all cycles of the bound
    (kept,) = tmp_path.glob("words-*.json")
    schedule = json.loads(kept.read_text())
    schedule["start"][1] += 1
    changed = _core.WordSchedule(_core.SwitchGrid([8, 8]), schedule["period"], schedule["cycles"], schedule["start"])
    assert "meet" in _core.word_schedule_mistake(changed, 1, 8)
    kept.write_text(json.dumps(schedule | {"cycles": 999}))
    assert word_schedules.schedule(_core.SwitchGrid([8, 8])).cycles == 999  # nothing is searched again


@pytest.mark.parametrize(
    ("kind", "size", "cycles", "period"),
    [("ring", [8], 11, 8), ("torus", [4, 4], 19, 16), ("torus", [6, 5], 33, 30), ("torus", [4, 4, 4], 68, 64)],
)
def test_schedules_of_words_on_rings_and_tori_are_as_short_as_any_can_be(
    kind: str, size: list[int], cycles: int, period: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    changes = {"topology.kind": kind, "topology.size": size, "link.latency_cycles": 1}
    machine = api.machine("spirit", changes)
    ranks = math.prod(size)
    for words in (1, 5):
        found = api.analyze_collective("alltoall", "scheduled", machine=machine, words=words)
        assert (found.cycles, found.conflicting_steps) == (cycles + (words - 1) * period, 0)
        assert found.messages == ranks * (ranks - 1)
    assert cycles == _core.word_schedule_least(_core.SwitchGrid(size, 7), 1)


def test_a_mesh_whose_search_takes_too_long_has_a_longer_schedule(
    tidings: Tidings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    file = tmp_path / "lengths.json"
    done = tidings("analyze", "alltoall", "--algorithm", "scheduled", "--limit", "0", "--json", str(file))
    assert done.returncode == 0, done.stderr
    rows = json.loads(file.read_text())
    assert [row["width"] for row in rows] == list(range(2, 17))
    assert rows[-1]["bound"] == 1024
    for row in rows:
        assert row["bound"] + 2 <= row["cycles"] <= row["bound"] * 1.13 + 10
    searched = word_schedules.schedule(_core.SwitchGrid([4, 4]))
    assert searched.cycles < rows[2]["cycles"]
