# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench traffic`: what it measures, what it writes, what it refuses."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree  # reads what the command has just written

import pytest

from cli_support import Tidings
from tidings.errors import UserError
from tidings.machines.change import changed
from tidings.machines.file import find_machine, load_machine
from tidings.traffic import measurement, plots, study

SHORT = ("--warmup", "500", "--measure", "3000")


def small(**values: object) -> measurement.Traffic:
    """Return traffic on a mesh of 4 x 4, for a short time."""
    machine = changed(load_machine(find_machine("mesh8x8")), {"topology.size": [4, 4]})
    base: dict[str, object] = {"machine": machine, "packet_flits": 4, "warmup_cycles": 500, "measure_cycles": 3000}
    return measurement.Traffic(**(base | values))  # type: ignore[arg-type]


def ignore(what: str, share: float) -> None:
    """Take progress and do nothing."""
    assert what
    assert 0 <= share <= 1


def test_one_load_gives_its_figures_and_the_bounds_beside_them(tidings: Tidings, tmp_path: Path) -> None:
    result = tidings(
        "bench", "traffic", "-m", "mesh8x8", "--load", "0.1", "--packet", "8", *SHORT, "--json", "out.json"
    )
    assert result.returncode == 0, result.stderr
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (found["machine"]["topology"], found["machine"]["size"]) == ("mesh", [8, 8])
    assert found["machine"]["virtual_channels"] == 1
    assert found["bounds"]["capacity"] == pytest.approx(0.5)
    assert found["bounds"]["zero_load_latency"] == pytest.approx(2 + 5.25 + 7)
    assert found["saturation"] is None
    (point,) = found["points"]
    assert point["offered"] == pytest.approx(0.1, rel=0.1)
    assert point["accepted"] == pytest.approx(point["offered"], rel=0.05)
    latency = point["latency"]
    assert 9 == latency["min"] < latency["p50"] < latency["mean"] < latency["p99"] <= latency["max"]
    assert 14.25 < latency["mean"] < 20
    assert 0 < latency["half_width_95"] < 1
    assert "zero load 14.25 cycles = 2 + 5.25 hops x 1 + 8 - 1" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("packet", "load", "queues"),
    [(1, 0.98, {}), (8, 0.95, {}), (67, 0.95, {"router.voq_flits": 1024, "router.crosspoint_flits": 128})],
    ids=["1_flit", "8_flits", "67_flits"],
)
def test_crosspoint_buffers_carry_what_input_buffers_cannot(
    packet: int, load: float, queues: dict[str, object]
) -> None:
    crossbar = load_machine(find_machine("crossbar"))
    buffered = changed(crossbar, {"router.organisation": "crosspoint", "router.routes": 0} | queues)
    windows = {"warmup_cycles": 20_000, "measure_cycles": 100_000, "drain_cycles": 100_000}
    for machine, saturated in ((crossbar, True), (buffered, False)):
        traffic = small(machine=machine, packet_flits=packet, **windows)
        assert measurement.measure(traffic, load, ignore).saturated == saturated


@pytest.mark.parametrize(
    ("slots", "packet", "load"),
    [(32, 1, 0.98), (64, 1, 0.98), (32, 8, 0.95), (64, 8, 0.95), (32, 67, 0.95)],
    ids=["32_1_flit", "64_1_flit", "32_8_flits", "64_8_flits", "32_67_flits"],
)
def test_crosspoint_buffers_of_many_slots_carry_nearly_all(slots: int, packet: int, load: float) -> None:
    machine = changed(load_machine(find_machine("crossbar-64")), {"topology.slots": slots})
    windows = {"warmup_cycles": 20_000, "measure_cycles": 50_000, "drain_cycles": 50_000}
    assert not measurement.measure(small(machine=machine, packet_flits=packet, **windows), load, ignore).saturated


def test_the_fullest_crosspoint_first_carries_unbalanced_traffic() -> None:
    deep = {"router.routes": 0, "router.voq_flits": 1024, "router.crosspoint_flits": 128}
    for fullest, saturated in ((False, True), (True, False)):
        machine = changed(
            load_machine(find_machine("crossbar")),
            deep | {"router.organisation": "crosspoint", "router.fullest_first": fullest},
        )
        traffic = small(
            machine=machine,
            pattern="unbalanced",
            hot_share=0.5,
            packet_flits=67,
            warmup_cycles=20_000,
            measure_cycles=200_000,
        )
        assert measurement.measure(traffic, 0.95, ignore).saturated == saturated


def test_a_burst_is_created_at_once_for_one_destination(tidings: Tidings, tmp_path: Path) -> None:
    options = ("--load", "0.01", "--packet", "2", "--slots", "2", "--measure", "20000", "--json", "out.json")
    found = []
    for burst in ("1", "8"):
        result = tidings("bench", "traffic", "-m", "crossbar", *options, "--burst", burst)
        assert result.returncode == 0, result.stderr
        (point,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["points"]
        assert point["offered"] == pytest.approx(0.01, rel=0.3)
        found.append(point["latency"]["mean"])
    # The k-th of 8 packets waits for k - 1 before it: 3.5 packets of 2 flits on average.
    assert found[1] - found[0] == pytest.approx(7, abs=0.5)


@pytest.mark.parametrize(
    "machine",
    [("spirit", "--size", "4x4"), ("mesh8x8", "--topology", "torus", "--size", "3x5", "--latency", "7")],
    ids=["latency80", "latency7"],
)
def test_figures_do_not_depend_on_the_number_of_threads(
    machine: tuple[str, ...], tidings: Tidings, tmp_path: Path
) -> None:
    found = []
    for threads in (1, 2, 3):
        options = ("--load", "0.1,0.9", "--packet", "4", *SHORT, "--threads", str(threads), "--json", "out.json")
        result = tidings("bench", "traffic", "-m", *machine, *options)
        assert result.returncode == 0, result.stderr
        figures = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
        assert figures.pop("threads") == threads
        assert all(point.pop("wall_seconds") > 0 for point in figures["points"])
        found.append(figures)
    assert found[1] == found[0]
    assert found[2] == found[0]


def test_a_folder_gets_curve_and_links_as_csv_and_svg(tidings: Tidings, tmp_path: Path) -> None:
    request = ("-m", "mesh8x8", "--size", "4x3", "--buffer", "8", "--packet", "2", "--measure", "2000", "--out")
    for folder in ("first", "second"):
        result = tidings("bench", "traffic", *request, folder)
        assert result.returncode == 0, result.stderr
    assert "saturation" in result.stdout
    first, second = tmp_path / "first", tmp_path / "second"
    with (first / "curve.csv").open(encoding="utf-8") as stream:
        points = list(csv.DictReader(stream))
    loads = [float(point["load"]) for point in points]
    assert loads == sorted(loads)
    assert len(loads) > 10
    carried = [point for point in points if point["saturated"] == "False"]
    assert points[-1]["saturated"] == "True"
    assert points[-1]["latency_mean"] == ""
    assert float(carried[0]["latency_mean"]) == pytest.approx(float(carried[0]["zero_load_latency"]), rel=0.25)
    with (first / "links.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(points) * 2 * (3 * 3 + 4 * 2)
    for row in [row for row in rows if row["load"] == carried[-5]["load"]]:
        assert float(row["utilisation"]) == pytest.approx(float(row["expected"]), abs=0.05)
    for name in ("curve.svg", "links.svg"):
        ElementTree.fromstring((first / name).read_text(encoding="utf-8"))  # noqa: S314 (our own file)
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_an_exchange_is_timed_beside_its_bound(tidings: Tidings, tmp_path: Path) -> None:
    result = tidings(
        "bench", "traffic", "-m", "mesh8x8", "--size", "6x6", "--packet", "2", "--exchange", "--json", "out.json"
    )
    assert result.returncode == 0, result.stderr
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["exchange"]
    assert found["bound"] == max((6 * 6 - 1) * 2, 6**3 * 2 // 4)
    assert found["bound"] <= found["cycles"] < 3 * found["bound"]
    assert f"ratio {found['ratio']:.2f}" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--size", "8x4", "--pattern", "transpose"), "transpose is not defined for a machine of 8x4"),
        (("--load", "1.5"), "1.5 is not a load"),
        (("--load", "0.1:0.2"), "neither a load"),
        (("--threads", "0"), "--threads"),
        (("--topology", "torus", "--vcs", "3"), "a torus has 2 or 4 virtual channels"),
        (("--vcs", "5"), "1 to 4"),
        (("--size", "8by8"), "write the routers in each dimension"),
        (("--size", "100x100"), "100"),
        (("--buffer", "7"), "buffer_flits"),
        (("--pattern", "hotspot", "--hot", "64"), "hot endpoint 64 does not exist"),
        (("--exchange", "--load", "0.1"), "leave --load"),
        (("--no-saturation",), "name loads"),
        (("--json", "nowhere/out.json"), "the folder nowhere does not exist"),
    ],
)
def test_what_cannot_be_done_is_said_before_any_work(tidings: Tidings, arguments: tuple[str, ...], said: str) -> None:
    result = tidings("bench", "traffic", "-m", "mesh8x8", *arguments)
    assert result.returncode == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_loads_are_numbers_lists_and_ranges() -> None:
    assert measurement.parse_loads("0.1") == [0.1]
    assert measurement.parse_loads("0.3,0.1,0.3") == [0.1, 0.3]
    assert measurement.parse_loads("0.05:0.2:0.05") == [0.05, 0.1, 0.15, 0.2]
    assert measurement.parse_loads("0.5,0.1:0.3:0.1") == [0.1, 0.2, 0.3, 0.5]
    for wrong in ("", "a", "0", "-0.1", "0.1:0.2", "0.2:0.1:0.1", "0.1:0.2:0", "nan", "0.1:inf:0.1"):
        with pytest.raises(UserError):
            measurement.parse_loads(wrong)


def test_saturation_lies_between_the_highest_load_carried_and_the_lowest_that_was_not() -> None:
    # Tornado on a ring of 8: every packet takes three links clockwise, 1/3 at best.
    machine = changed(load_machine(find_machine("mesh8x8")), {"topology.kind": "ring", "topology.size": [8]})
    sent = small(machine=machine, pattern="tornado", packet_flits=1, measure_cycles=8000)
    bounds = measurement.bounds_of(sent)
    assert bounds.capacity == pytest.approx(1 / 3)
    assert bounds.limited_by.startswith("link (")
    found = measurement.find_saturation(sent, bounds, ignore)
    assert found.above is not None
    assert 0 < found.above - found.load <= measurement.SATURATION_PRECISION * bounds.capacity
    assert not measurement.measure(sent, found.load, ignore).saturated
    assert measurement.measure(sent, found.above, ignore).saturated
    assert found.accepted == pytest.approx(found.load, rel=0.05)


def test_a_pattern_without_contention_is_carried_up_to_the_capacity() -> None:
    machine = changed(small().machine, {"topology.kind": "torus"})
    torus = small(machine=machine, pattern="neighbour", packet_flits=1)
    bounds = measurement.bounds_of(torus)
    assert bounds.capacity == 1
    found = measurement.find_saturation(torus, bounds, ignore)
    assert (found.load, found.above) == (1, None)


def test_more_loads_are_shown_where_the_curve_bends() -> None:
    loads = measurement.sweep_loads(measurement.Saturation(load=0.5, above=0.505, accepted=0.5))
    assert loads[0] < 0.01
    assert loads[-1] > 0.505
    assert loads == sorted(loads)
    assert max(measurement.sweep_loads(measurement.Saturation(load=1, above=None, accepted=1))) == 1


def test_every_topology_has_a_picture(tmp_path: Path) -> None:
    base = load_machine(find_machine("mesh8x8"))
    for kind, size in (("ring", (5,)), ("mesh", (4,)), ("torus", (3, 2)), ("torus", (3, 2, 5)), ("mesh", (2, 3, 2, 2))):
        machine = changed(base, {"topology.kind": kind, "topology.size": size})
        sent = small(machine=machine, packet_flits=1, measure_cycles=500)
        found = measurement.Study(sent, measurement.bounds_of(sent))
        found.points = [measurement.measure(sent, 0.1, ignore)]
        path = tmp_path / f"{kind}{len(size)}.svg"
        plots.plot_links(found, found.points[0], path)
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 (our own file)
        bars = root.findall(".//{*}g[@id='LineCollection_1']/{*}path")
        assert len(bars) == len(list(measurement.links(sent)))


def test_a_crossbar_has_a_curve_but_no_links(tmp_path: Path) -> None:
    sent = measurement.Traffic(
        load_machine(find_machine("crossbar")), packet_flits=2, warmup_cycles=200, measure_cycles=1000
    )
    plan = study.Plan(sent, loads=[0.2, 0.4], saturation=False)
    study.check(plan)
    study.write_folder(study.execute(plan, None), tmp_path)
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["curve.csv", "curve.svg", "traffic.json"]


def test_hot_packets_go_to_the_router_in_the_middle_where_none_is_named() -> None:
    assert small(pattern="hotspot").hot() == (2 + 2 * 4,)
    config = small(pattern="hotspot", hot_endpoints=(3, 7), hot_share=0.25).at(0.1)
    assert (config.hot_endpoints, config.hot_share) == ([3, 7], 0.25)
