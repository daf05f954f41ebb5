# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""PUTs, GETs and barriers in the engines: `tidings bench rma`, and what it is compared with."""

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tidings as api
from cli_support import Tidings
from tidings import _core
from tidings.experiment import paper as papers
from tidings.rma import coprocessor, measurement
from tidings.rma.measurement import Bench, Result

#: What the paper has: block RAM.
FAST_MEMORY = {"memory.latency_cycles": 1}


def rows_of(machine: str, **request: Any) -> dict[tuple[str, int, int, str], Result]:
    found = api.bench_rma(api.machine(machine, FAST_MEMORY), **request)
    # Synthetic traffic has no slots, which are what is compiled.
    assert [what for what, _ in found.left_out] == (["loads"] if request.get("fidelity") == "rtl" else [])
    return {(row.what, row.slots, row.words, row.barrier): row for row in found.results}


_PACKETS = ("1 flit", "8 flits", "67 flits")
_LOADS = [f"{kind} load, packets of {flits}" for kind in ("uniform", "unbalanced") for flits in _PACKETS]


def test_buffers_at_crosspoints_carry_what_is_aimed_at_and_buffers_at_inputs_stop_at_their_limit() -> None:
    loads = {machine: rows_of(machine, slots=[2], words=[1], exchange=[1]) for machine in ("crossbar", "crossbar-64")}
    for what in _LOADS:
        at_inputs, at_crosspoints = loads["crossbar"][what, 16, 0, ""], loads["crossbar-64"][what, 64, 0, ""]
        assert (
            at_inputs.target == at_crosspoints.target == (0.98 if what == "uniform load, packets of 1 flit" else 0.95)
        )
        # Karol, Hluchyj and Morgan 1987: 0.6013 of uniform one-flit packets with 16 ports.
        assert at_inputs.value == pytest.approx(0.69 if "unbalanced" in what else 0.60, abs=0.01)
        # Only the fullest queue first carries enough long packets of unbalanced traffic: docs/traffic.md.
        enough = 0.89 if what == "unbalanced load, packets of 67 flits" else at_crosspoints.target
        assert enough <= at_crosspoints.value < 1


def test_floors_are_those_of_the_module_boundaries() -> None:
    # A header and a word: two cycles to the slot behind the router, one to memory, and one for the word.
    assert [measurement.put_floor(words, 0) for words in (1, 30)] == [4, 33]
    assert [measurement.get_floor(words, 0, 1) for words in (1, 30)] == [8, 37]
    assert measurement.get_floor(1, 10, 8) == 8 + 2 * 10 + 7
    assert measurement.barrier_floor(0, 1) == 3
    assert measurement.barrier_floor(14, 1) == 16
    assert [measurement.exchange_floor(2, words, 0, 3) for words in (1, 16, 1024)] == [9, 39, 2061]


def test_targets_are_of_a_measurement_and_its_size() -> None:
    assert measurement.target_of("inline PUT", 2, 1) == 5
    assert measurement.target_of("PUT", 2, 30) == 36
    assert measurement.target_of("PUT", 2, 2) is None
    assert measurement.target_of("barrier", 32, 0) == 4
    assert measurement.target_of("total exchange", 2, 1024) == 2100
    assert measurement.target_of("total exchange", 16, 1024) == pytest.approx(20 + 1.02 * 16 * 1024)


@pytest.mark.parametrize("machine", ["crossbar", "mesh8x8", "spirit"])
def test_nothing_is_faster_than_its_floor(machine: str) -> None:
    rows = rows_of(machine, slots=[2, 8], words=[1, 30], exchange=[1, 64])
    assert {what for what, *_ in rows} == {
        "PUT",
        "GET",
        "inline PUT",
        "inline PUT and barrier",
        "inline PUT in a row",
        "PUT and barrier",
        "GET and barrier",
        "PUT in a row",
        "Registration and barrier",
        "Deregistration and barrier",
        "barrier",
        "total exchange",
        "L",
        "g",
        "slope",
        "L, fitted",
        "g, fitted",
        *(("fetch-and-add", "fetch-and-add in a row", *_LOADS) if machine == "crossbar" else ()),
    }
    clock = api.machine(machine).fabric.clock_MHz
    for row in rows.values():
        if row.what in _LOADS:
            assert row.floor == 1
            assert row.value < row.floor
            continue
        # Lines through floors are no floors of lines.
        assert row.floor is not None
        assert row.value >= row.floor or "fitted" in row.what, row
        assert row.us == pytest.approx(row.value / clock)
    # Targets are of one router.
    assert {row.target is None for row in rows.values()} == ({True, False} if machine == "crossbar" else {True})
    ways = {barrier for what, _, _, barrier in rows if what == "barrier"}
    assert ways == ({"exchange"} if machine == "spirit" else {"exchange", "wires"})


def test_a_barrier_waits_for_words_and_longer_blocks_take_longer() -> None:
    rows = rows_of("crossbar", slots=[2], words=[1, 30], exchange=[1, 2, 16])
    # A PUT of one word has a word of header less.
    for what, header in (("PUT", 1), ("GET", 0)):
        assert rows[what, 2, 30, ""].value == rows[what, 2, 1, ""].value + header + 29
        together = rows[f"{what} and barrier", 2, 1, "wires"].value
        assert together >= rows[what, 2, 1, ""].value + rows["barrier", 2, 0, "wires"].value
    # A slot sends 28 words more, and they follow one another.
    exchanges = {words: rows["total exchange", 2, words, "wires"].value for words in (1, 2, 16)}
    assert exchanges[16] - exchanges[2] == 28
    assert rows["L", 2, 0, "wires"].value == exchanges[1] - 1
    assert rows["g", 2, 0, "wires"].value == exchanges[16] / 32
    assert rows["slope", 2, 0, "wires"].value == 1


def test_the_papers_values_stand_beside_ours() -> None:
    rows = rows_of("crossbar", slots=[2, 4], words=[1, 3], exchange=[512, 1024])
    shown = {key: row.published for key, row in rows.items() if row.published is not None}
    assert shown == {
        ("inline PUT", 2, 1, ""): 18,
        ("GET", 2, 1, ""): 31,
        ("inline PUT and barrier", 2, 1, "wires"): 31,
        ("GET and barrier", 2, 1, "wires"): 44,
        ("Registration and barrier", 2, 0, "wires"): 10,
        ("Deregistration and barrier", 2, 0, "wires"): 11,
        ("barrier", 2, 0, "exchange"): 8,
        ("barrier", 2, 0, "wires"): 8,
        ("total exchange", 2, 512, "wires"): 1396,
        ("total exchange", 2, 1024, "wires"): 2771,
        ("g", 2, 0, "wires"): pytest.approx(1.353, abs=5e-4),
        ("slope", 2, 0, "wires"): pytest.approx(1.343, abs=5e-4),
        ("L, fitted", 2, 0, "wires"): pytest.approx(21),
        ("g, fitted", 2, 0, "wires"): pytest.approx(1.343, abs=5e-4),
    }
    assert rows["total exchange", 2, 512, "wires"].us_per_word == pytest.approx(
        rows["total exchange", 2, 512, "wires"].value / 50 / 1024
    )


def test_a_line_is_the_nearest_one() -> None:
    assert measurement.latency(2, {1: 53, 2: 54}) == 52
    assert measurement.latency(2, {2: 54}) is None
    assert measurement.fitted_latency(2, {1: 12, 10: 30}) == pytest.approx(10)
    assert measurement.fitted_gap(2, {1: 12, 10: 30}) == pytest.approx(1)
    assert measurement.fitted_gap(2, {1: 12}) is None
    assert measurement.gap(4, {1: 12, 10: 80}) == 2


def test_an_inline_put_meets_its_targets_whatever_the_latency_of_memory() -> None:
    found = {}
    for latency in (1, 8, 31):
        machine = api.machine("crossbar", {"memory.latency_cycles": latency})
        rows = api.bench_rma(machine, slots=[2], words=[1], exchange=[1]).results
        found[latency] = {row.what: row for row in rows if row.what.startswith("inline PUT")}
        assert len(found[latency]) == 3
        for row in found[latency].values():
            assert row.target is not None
            assert row.value <= row.target, (latency, row)
    assert found[1] == found[8] == found[31]


def test_a_hub_takes_as_long_for_any_number_of_slots() -> None:
    rows = rows_of("crossbar", slots=[2, 4, 8, 16], words=[1], exchange=[1])
    barriers = {slots: row for (what, slots, _, way), row in rows.items() if (what, way) == ("barrier", "wires")}
    assert {slots: row.value for slots, row in barriers.items()} == dict.fromkeys([2, 4, 8, 16], 4)
    assert all(row.target is not None and row.value <= row.target for row in barriers.values())


def test_rtl_takes_as_many_cycles() -> None:
    request = {"slots": [2, 4], "words": [1, 30], "exchange": [1, 16]}
    expected = {key: row for key, row in rows_of("crossbar", **request).items() if row.what not in _LOADS}
    assert rows_of("crossbar", fidelity="rtl", **request) == expected


def test_an_engine_that_is_told_something_else_is_found() -> None:
    # Rank 1 waits for what comes over link 1, and its neighbour is behind link 0.
    bench = Bench(api.machine("crossbar"))
    meeting = measurement.meetings_of(bench.machine, 2)[0]
    meeting.plan.ways = [_core.CollectiveWay(0, 1), _core.CollectiveWay(0, 2)]
    with pytest.raises(RuntimeError, match="it never ends: rank 1 waits for the others"):
        bench.times(_core.RmaPattern.PUT, 2, meeting=meeting)


def test_what_an_engine_cannot_do_is_left_out() -> None:
    found = api.bench_rma("crossbar", slots=[2, 3], words=[1], exchange=[1])
    assert {what for what, _ in found.left_out} == {"barrier of 3 slots", "total exchange of 3 slots"}
    assert "slots" in found.frame


def test_figures_go_to_table_files_and_a_plot(tidings: Tidings, tmp_path: Path) -> None:
    for folder in ("first", "second"):
        done = tidings("bench", "rma", "-n", "2", "--words", "1,30", "--exchange", "1,64", "--out", folder)
        assert done.returncode == 0, done.stderr
    first, second = tmp_path / "first", tmp_path / "second"
    for name in ("rma.json", "rma.csv", "exchange.svg"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    ElementTree.fromstring((first / "exchange.svg").read_text(encoding="utf-8"))  # noqa: S314 (our own file)
    found = json.loads((first / "rma.json").read_text(encoding="utf-8"))
    assert found["machine"] == {"name": "crossbar", "clock_MHz": 50, "memory_latency_cycles": 8, "hop_cycles": 1}
    with (first / "rma.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["value"]) for row in rows] == [row["value"] for row in found["results"]]
    put = next(row for row in found["results"] if row["what"] == "inline PUT")
    line = next(line.split() for line in done.stdout.splitlines() if line.startswith("inline PUT "))
    assert line[2:7] == ["2", "1", f"{put['value']:.0f}", "18", "4"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-n", "17"), "--slots 17: crossbar holds 2 to 16"),
        (("--words", "0"), "--words 0: a block has 1 to"),
        (("--exchange", "70000"), "--exchange 70000: a block has 1 to"),
        (("-m", "star"), "star is a graph"),
        (("--fidelity", "magic"), "'magic' is not one of"),
    ],
)
def test_what_cannot_be_done_is_said(tidings: Tidings, arguments: tuple[str, ...], said: str) -> None:
    done = tidings("bench", "rma", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------- tidings experiment ziavras2006


def test_the_papers_model_is_reproduced_to_the_last_digit() -> None:
    rows = api.compare_with_paper("ziavras2006", "Table 10")
    assert len(rows) == 2 * 11
    assert {row.verdict for row in rows} == {papers.REPRODUCED}
    constants = {row.what[0]: row.ours for row in api.compare_with_paper("ziavras2006", "section 4.3.2")}
    assert constants == {"L": 52, "g": 1.35}


def test_measurements_follow_from_the_structure_within_five_per_cent() -> None:
    rows = api.compare_with_paper("ziavras2006", kind="measured")
    assert {row.verdict for row in rows} == {papers.REPRODUCED}
    apart = {row.what: row.ours != row.published for row in rows if row.unit == "cycles" and row.place != "Table 9"}
    # These alone are not met to the cycle, in two tables each: the paper has rows beside its own line.
    assert {what.partition(": ")[2] for what, differs in apart.items() if differs} == {"PUT, 30", "GET, 1", "GET, 30"}
    assert len(apart) == 5 + 2 * 12


def test_the_structure_decides() -> None:
    with_fifo = coprocessor.Coprocessor(fifo=3)
    paper = coprocessor.Coprocessor()
    assert with_fifo.put(8) == paper.put(8) + 5, "five FIFOs with two clocks are on the way"
    assert with_fifo.get(8) == paper.get(8) + 8
    assert coprocessor.Coprocessor(drain=0).barrier() == paper.barrier() - 4
    # MOVEs share the bus with what is read: five per PUT.
    longer = coprocessor.Coprocessor(exchange_words=30)
    assert paper.total_exchange(2, 960) - longer.total_exchange(2, 960) == 5 * 2 * (960 // 16 - 960 // 30)
    # Without room for MOVEs, PUTs wait for those before them.
    assert coprocessor.Coprocessor(data_fifo=2).total_exchange(2, 1024) > paper.total_exchange(2, 1024)


def test_tables_of_structure_are_exact() -> None:
    for table in ("Table 2", "Table 4", "Table 5"):
        assert {row.verdict for row in api.compare_with_paper("ziavras2006", table)} == {papers.REPRODUCED}, table
    router = {row.what: (row.ours, row.verdict) for row in api.compare_with_paper("ziavras2006", "Table 6")}
    queues = router.pop("words of a router's FIFO: size, Input VOQ")
    assert queues == (512, papers.EXPLAINED)
    assert list(router.values()) == [(size, papers.REPRODUCED) for size in (16, 512, 16)]


def test_every_value_of_the_paper_has_a_verdict() -> None:
    rows = api.compare_with_paper("ziavras2006")
    assert papers.DIFFERS not in {row.verdict for row in rows}
    contradictions = [row for row in rows if row.kind == "computed" and row.verdict == papers.EXPLAINED]
    assert sorted((row.published, row.ours) for row in contradictions if row.unit != "%") == [
        (1, 3),
        (8, 13),
        (512, 4096),
        (2771, 4096),
    ]
    (uniform, unbalanced) = (row for row in rows if row.unit == "%")
    assert uniform.verdict == papers.REPRODUCED
    assert unbalanced.ours is not None
    assert 97 < unbalanced.ours < 100
    curves = {row.what: row.ours for row in rows if row.place == "Figure 12" and row.kind == "lost"}
    assert len(curves) == 2 * 11
    assert None not in curves.values()
