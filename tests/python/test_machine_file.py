# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machine files: what is read, what is refused, and what the refusal says."""

import re
from pathlib import Path

import pytest

from tidings.errors import UserError
from tidings.machines.change import changed
from tidings.machines.configuration import configuration
from tidings.machines.file import (
    Machine,
    MachineFileError,
    UnknownMachineError,
    find_machine,
    load_machine,
    parse_machine,
    shipped_machines,
    warnings_of,
)

FILE = Path("mine.toml")


def line_of(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith(start))


def problems(text: str) -> str:
    with pytest.raises(MachineFileError) as caught:
        parse_machine(text, FILE)
    return str(caught.value)


def replaced(text: str, key: str, value: str) -> str:
    changed, count = re.subn(rf"(?m)^{key} = [^#\n]*", f"{key} = {value}", text, count=1)
    assert count == 1
    return changed


def mesh(text: str, kind: str, size: str) -> Machine:
    return parse_machine(replaced(replaced(text, "kind", f'"{kind}"'), "size", size), FILE)


def test_every_shipped_machine_is_usable_and_named_as_its_file() -> None:
    machines = shipped_machines()
    assert set(machines) >= {"spirit", "mesh8x8", "crossbar"}
    for name, path in machines.items():
        machine = load_machine(path)
        assert machine.name == name
        assert warnings_of(machine) == []


def test_spirit_is_the_cluster_of_the_papers() -> None:
    machine = load_machine(find_machine("spirit"))
    assert (machine.topology.kind, machine.topology.size, machine.slots) == ("torus", (4, 4, 4), 64)
    assert (machine.fabric.clock_MHz, machine.hop_ns, machine.processor.clock_MHz) == (100.0, 800.0, 300.0)
    network = machine.network()
    assert (network.diameter_hops, network.bisection_links, machine.link_bandwidth_MBps) == (6, 64, 400.0)
    assert network.mean_hops == pytest.approx(3 * 64 / 63)


def test_mesh_figures_follow_from_its_size() -> None:
    machine = load_machine(find_machine("mesh8x8"))
    network = machine.network()
    assert (network.diameter_hops, network.bisection_links, machine.routers) == (14, 16, 64)
    pairs = [(a, b) for a in range(64) for b in range(64) if a != b]
    distance = sum(abs(a % 8 - b % 8) + abs(a // 8 - b // 8) for a, b in pairs) / len(pairs)
    assert network.mean_hops == pytest.approx(distance)


def test_crossbar_has_one_router_and_no_network() -> None:
    machine = load_machine(find_machine("crossbar"))
    network = machine.network()
    assert (machine.routers, machine.slots, network.diameter_hops, network.bisection_links) == (1, 16, 0, 0)


def test_torus_of_radix_two_is_not_counted_with_double_links(spirit_text: str) -> None:
    assert mesh(spirit_text, "torus", "[2, 2]").network().bisection_links == 4
    assert mesh(spirit_text, "ring", "[8]").network().bisection_links == 4


def test_unknown_key_is_refused_with_its_line_and_a_near_one(spirit_text: str) -> None:
    text = spirit_text.replace("bus_write_ns", "bus_wrte_ns")
    message = problems(text)
    assert f"mine.toml:{line_of(text, 'bus_wrte_ns')}: processor.bus_wrte_ns: is not a key" in message
    assert "did you mean bus_write_ns?" in message
    assert "processor.bus_write_ns: is missing: one posted write to a slot's registers" in message


def test_unknown_table_is_refused_with_its_line(spirit_text: str) -> None:
    text = spirit_text + "\n[turbo]\nlevel = 9\n"
    assert f"mine.toml:{line_of(text, '[turbo]')}: turbo: is not a key" in problems(text)


def test_missing_table_is_named(spirit_text: str) -> None:
    text = re.sub(r"\[fabric\]\nclock_MHz[^\n]*\n", "", spirit_text)
    assert "fabric: is missing" in problems(text)


def test_all_problems_are_reported_at_once(spirit_text: str) -> None:
    text = replaced(replaced(spirit_text, "buffer_flits", "100"), "interrupt_ns", "-1")
    message = problems(text)
    assert "router.buffer_flits: is 100; it must be a power of two and at least 2 and at most 4,096" in message
    assert "processor.interrupt_ns: is -1.0; it must be at least 0" in message


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("clock_MHz", '"fast"', "fabric.clock_MHz: must be a number, but is 'fast'"),
        ("clock_MHz", "0", "it must be more than 0"),
        ("clock_MHz", "nan", "fabric.clock_MHz: is nan"),
        ("clock_MHz", "inf", "fabric.clock_MHz: is inf"),
        ("clock_MHz", "0.0001", "a whole number of kHz"),
        ("clock_MHz", "true", "must be a number, but is true"),
        ("latency_cycles", "80.0", "link.latency_cycles: must be an integer, but is 80.0"),
        ("latency_cycles", "0", "link.latency_cycles: is 0; it must be at least 1"),
        ("arbiter", '"random"', "router.arbiter: is 'random'; it must be one of round-robin, fixed-priority"),
        ("name", '"My Machine"', "name: is 'My Machine'; it must be of the form"),
        ("size", "4", "topology.size: must be a list of integers, as in [4, 4], but is 4"),
        ("size", "[4, 4.5]", "topology.size: must be a list of integers"),
        ("size", "[4, 0]", "topology.size: has an element 0; each must be at least 1"),
        ("size", "[]", "topology.size: is 0; the routers in each dimension are needed, as in [4, 4]"),
        ("size", "[2, 2, 2, 2, 2]", "topology.size: is 5; a mesh or torus has at most 4 dimensions"),
        (
            "size",
            "[4, 4, 17]",
            "topology.size: is 17; a router's address has 12 bits, which leaves each of 3 dimensions at most 16",
        ),
        ("slots", "65", "topology.slots: is 65; it must be at least 1 and at most 64"),
        ("slots", "9" * 5000, "is not valid TOML"),
        ("kind", '"ring"', "topology.size: is 3; a ring has one dimension: use a torus"),
        ("buffer_words", "512\nfan_out = 'both'", "mpe.fan_out: is 'both'; it must be one of serial, multicast"),
        ("buffer_words", "512\nforward_words = 65", "mpe.forward_words: is 65; it must be at least 1 and at most 64"),
        ("kind", '"crossbar"', "a crossbar is a single router: leave size out"),
    ],
)
def test_value_that_cannot_be_is_refused_with_the_reason(spirit_text: str, key: str, value: str, expected: str) -> None:
    text = replaced(spirit_text, key, value)
    message = problems(text)
    assert expected in message
    assert message.startswith("mine.toml")


def test_largest_addressable_sizes_are_accepted(spirit_text: str) -> None:
    assert mesh(spirit_text, "torus", "[16, 16, 16]").routers == 4096
    assert mesh(spirit_text, "mesh", "[64, 64]").routers == 4096
    assert mesh(spirit_text, "ring", "[4096]").routers == 4096
    assert mesh(spirit_text, "mesh", "[8, 8, 8, 8]").routers == 4096


def test_links_are_required_of_a_network_and_refused_of_a_crossbar(spirit_text: str) -> None:
    without = re.sub(r"\[link\]\nlatency_cycles[^\n]*\n", "", spirit_text)
    assert "link.latency_cycles: is missing" in problems(without)
    crossbar = re.sub(r"(?m)^size = .*\n", "", replaced(spirit_text, "kind", '"crossbar"'))
    assert "a crossbar is a single router and has no links" in problems(crossbar)
    assert parse_machine(re.sub(r"(?m)^size = .*\n", "", replaced(without, "kind", '"crossbar"')), FILE).routers == 1


def test_syntax_error_is_reported_with_its_line() -> None:
    assert re.match(r"mine\.toml:2: is not valid TOML: ", problems('name = "x"\nsummary = \n'))


def test_unreadable_file_is_reported(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "absent.toml", binary, tmp_path):
        with pytest.raises(MachineFileError, match="cannot be read"):
            load_machine(path)


def test_buffers_that_throttle_a_link_are_warned_about(spirit_text: str) -> None:
    (warning,) = warnings_of(parse_machine(replaced(spirit_text, "buffer_flits", "64"), FILE))
    assert "router.buffer_flits is 64" in warning
    assert "takes 160 cycles to come back" in warning
    assert "at most 40% of the link's bandwidth" in warning


@pytest.mark.parametrize(("latency", "reliable", "enough"), [(4, "false", 8), (64, "false", 128), (6, "true", 16)])
def test_a_buffer_of_the_round_trip_of_a_credit_is_enough(
    latency: int, reliable: str, enough: int, spirit_text: str
) -> None:
    # What links carry with such buffers is measured by RunTraffic.BufferOfTheRoundTripOfACreditCarriesTheWholeLink.
    link = replaced(spirit_text, "latency_cycles", f"{latency}\nreliable = {reliable}")
    assert warnings_of(parse_machine(replaced(link, "buffer_flits", str(enough)), FILE)) == []
    (warning,) = warnings_of(parse_machine(replaced(link, "buffer_flits", str(enough // 2)), FILE))
    assert "at most 50% of the link's bandwidth" in warning


def test_a_pipeline_makes_hops_and_credits_a_cycle_longer(spirit_text: str) -> None:
    machine = parse_machine(replaced(spirit_text, "buffer_flits", "256\npipeline = true"), FILE)
    assert (machine.hop_cycles, machine.credit_round_trip_cycles) == (81, 161)
    assert warnings_of(machine) == []
    (warning,) = warnings_of(parse_machine(replaced(spirit_text, "slot_buffer_flits", "2\npipeline = true"), FILE))
    assert "router.slot_buffer_flits is 2" in warning


def test_stream_buffers_that_throttle_collectives_are_warned_about(spirit_text: str) -> None:
    (warning,) = warnings_of(parse_machine(replaced(spirit_text, "buffer_words", "128"), FILE))
    assert "mpe.buffer_words is 128, of which 96 can be under way, but a credit takes 160 cycles" in warning


def test_near_machine_names_are_suggested() -> None:
    with pytest.raises(UnknownMachineError, match=r"no machine 'spirti'\. Did you mean spirit\?"):
        find_machine("spirti")
    with pytest.raises(UnknownMachineError, match=r"There are: .*crossbar, .*mesh8x8"):
        find_machine("zzzzzz")
    with pytest.raises(UnknownMachineError, match="does not exist or is not a file"):
        find_machine("./absent.toml")


@pytest.fixture
def star_text() -> str:
    return find_machine("star").read_text(encoding="utf-8")


def test_figures_of_shipped_graphs() -> None:
    tree = load_machine(find_machine("fat-tree"))
    assert (tree.routers, tree.slots, tree.ports, tree.layers) == (20, 16, 4, 1)
    network = tree.network()
    assert (network.hosts, network.diameter_hops, network.bisection_links) == (8, 4, 16)
    assert (tree.link_cycles, tree.hop_cycles, tree.credit_round_trip_cycles) == ((8, 40), 40, 80)
    assert [network.neighbour(16, port) for port in range(5)] == [(8, 2), (10, 2), (12, 2), (14, 2), None]
    dragonfly = load_machine(find_machine("dragonfly"))
    assert (dragonfly.slots, dragonfly.network().diameter_hops, dragonfly.layers) == (40, 3, 2)
    star = load_machine(find_machine("star"))
    assert (star.slots, star.ports, star.network().diameter_hops, star.layers) == (16, 16, 2, 1)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("[15, 16],", "", "topology.links: router 15 cannot be reached from router 0"),
        ("[15, 16],", "[15, 17],", "topology.links: link 15 [15, 17]: there is no router 17; routers are 0 to 16"),
        ("[15, 16],", "[15, 16], [16, 15],", "link 16 [16, 15]: these routers are joined already"),
        ("[15, 16],", "[15],", "topology.links: has an element [15]; each must be two routers"),
        ("[15, 16],", "[15, 16, 0],", "topology.links: has an element [15, 16, 0]"),
        ("[15, 16],", "15,", "topology.links: must be a list of integers"),
        ("slots = 1", "slots = 9", "router 16 has no port left for it; a router has at most 24 ports, 9 of them"),
        ("routers = 17", "", "topology.routers: is 0; a graph has 1 to 4096 routers"),
        ("hosts = 16", "hosts = 18", "topology.hosts: is 18"),
        ("hosts = 16", "size = [4]", "topology.size: is 1; a graph has no dimensions"),
        ("hosts = 16", "roots = [17]", "topology.roots: there is no router 17"),
        ("hosts = 16", "next = [[0]]", 'topology.next: is for routing = "table"'),
        ('routing = "up-down"', 'routing = "table"', "topology.next: has 0 rows; each of the 17 routers needs one"),
        ("routes = 0", "routes = 16", "router.routes: is 16; static routes follow dimension order"),
        ('kind = "graph"', 'kind = "mesh"', 'topology.routers: is for kind = "graph" alone'),
    ],
)
def test_graph_that_cannot_be_is_refused_with_the_reason(star_text: str, old: str, new: str, expected: str) -> None:
    assert old in star_text
    assert expected in problems(star_text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("machine", "router", "expected"),
    [
        ("mesh8x8", "", 'router.organisation: is "crosspoint", which is for a single router'),
        ("crossbar", "pipeline = true", "router.pipeline: is 1; a router with crosspoint buffers has no"),
        ("crossbar", "voq_flits = 8", "router.voq_flits: is 8; the queues have room for all flits"),
    ],
)
def test_crosspoint_buffers_are_refused_where_they_cannot_be(machine: str, router: str, expected: str) -> None:
    text = find_machine(machine).read_text(encoding="utf-8")
    organised = text.replace("[router]", f'[router]\norganisation = "crosspoint"\n{router}', 1)
    assert expected in problems(organised)


@pytest.mark.parametrize(
    ("machine", "changes", "expected"),
    [
        (
            "crossbar",
            {"router.organisation": "input"},
            'more than 16 slots need crosspoint buffers: write router.organisation = "crosspoint"',
        ),
        ("mesh8x8", {}, "topology.slots: is 17; a router has 1 to 16 slots"),
    ],
)
def test_more_than_16_slots_are_refused_where_they_cannot_be(
    machine: str, changes: dict[str, object], expected: str
) -> None:
    with pytest.raises(MachineFileError, match=re.escape(expected)):
        changed(load_machine(find_machine(machine)), {"topology.slots": 17} | changes)


def test_a_crossbar_of_more_than_16_slots_gets_what_they_need() -> None:
    machine = changed(load_machine(find_machine("crossbar")), {"topology.slots": 64})
    assert machine.slots == 64
    assert machine.network().slot_address(63) == (3, 15)
    assert machine.router.organisation == "crosspoint"
    assert machine.barrier.slots == tuple(range(64))
    # A file need not say it either.
    text = find_machine("crossbar").read_text(encoding="utf-8").replace("slots = 16 ", "slots = 17 ", 1)
    written = parse_machine(text, FILE)
    assert written.router.organisation == "crosspoint"


def test_a_crossbar_that_shrinks_or_stays_below_17_slots_keeps_its_router() -> None:
    crossbar = load_machine(find_machine("crossbar"))
    assert changed(crossbar, {"topology.slots": 4}).router == crossbar.router
    deep = {"topology.slots": 32, "router.voq_flits": 1024}
    assert changed(changed(crossbar, deep), {"topology.slots": 48}).router.voq_flits == 1024


def test_wires_of_barriers_are_refused_where_they_cannot_be() -> None:
    text = find_machine("spirit").read_text(encoding="utf-8") + "\n[barrier]\nslots = [0]\n"
    assert "barrier.slots: is [0]; the wires of barriers need a single router, or a mesh, torus or ring" in problems(
        text
    )
    mesh = find_machine("mesh8x8").read_text(encoding="utf-8")
    assert "between routers the wires of barriers join slots 0 alone" in problems(
        mesh.replace("slots = [0] ", "slots = [0, 1] ", 1)
    )


def test_a_network_of_stream_alone_is_refused_where_it_cannot_be() -> None:
    text = find_machine("tilepro64-2013").read_text(encoding="utf-8")
    assert "stream.network: is own; a network of its own needs a mesh" in problems(
        text.replace('kind = "mesh"', 'kind = "torus"', 1)
    )
    assert load_machine(find_machine("tilepro64-2013")).alltoall.slots == (0,), "it has both"


def test_a_change_that_leaves_no_place_for_a_network_of_stream_alone_takes_it_away() -> None:
    machine = load_machine(find_machine("tilepro64-2013"))
    assert machine.stream.network == "own"
    assert changed(machine, {"topology.size": [3, 3]}).stream.network == "own"
    assert changed(machine, {"topology.kind": "torus"}).stream.network == "shared"


def test_any_slots_of_a_single_router_have_wires() -> None:
    one = load_machine(find_machine("crossbar"))
    assert changed(one, {"barrier.slots": [1, 15]}).barrier.slots == (1, 15)


@pytest.mark.parametrize(
    "changes", [{"topology.kind": "crossbar"}, {"topology.size": [2, 2, 2]}, {"link.reliable": True}], ids=str
)
def test_a_change_that_leaves_no_place_for_wires_takes_them_away(changes: dict[str, object]) -> None:
    machine = load_machine(find_machine("mesh8x8"))
    assert machine.barrier.slots == (0,)
    assert changed(machine, changes).barrier.slots == ()
    assert changed(machine, {"topology.size": [4, 4]}).barrier.slots == (0,)
    if "topology.kind" in changes:
        assert changed(machine, {**changes, "barrier.slots": [0]}).barrier.slots == (0,)
        return
    with pytest.raises(MachineFileError, match="the wires of barriers"):
        changed(machine, {**changes, "barrier.slots": [0]})


def test_reliable_links_of_a_graph_must_be_alike(star_text: str) -> None:
    text = replaced(star_text, "latency_cycles", "20\nreliable = true")
    assert parse_machine(text, FILE).hop_cycles == 22
    assert "link.reliable: reliable links must all have the same latency" in problems(
        text.replace("[15, 16],", "[15, 16, 21],")
    )


def test_a_profile_replaces_the_costs_of_the_library() -> None:
    machine = load_machine(find_machine("tilepro64-2013"))
    counted, profile = (configuration(machine, name).processor for name in (None, "operampi"))
    assert profile.message_ps == round(machine.software["operampi"].costs["message_ns"] * 1000)
    assert counted.message_ps > 0
    assert profile.call_ps == 0 < counted.call_ps
    assert profile.poll_ps == counted.poll_ps
    assert changed(machine, {"topology.size": [2, 2]}).software == machine.software
    with pytest.raises(UserError, match="tilepro64-2013 has no profile 'opera'; it has nocmsg, operampi"):
        configuration(machine, "opera")
    with pytest.raises(UserError, match="spirit has no profile 'opera'; it has none"):
        configuration(load_machine(find_machine("spirit")), "opera")


def test_shipped_profiles_have_at_most_four_costs() -> None:
    for path in shipped_machines().values():
        for profile in load_machine(path).software.values():
            assert 1 <= len(profile.costs) <= 4


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "costs.mesage_ns = 1",
            "software.mine.costs.mesage_ns: is no cost of a library's work; did you mean message_ns?",
        ),
        ("costs.message_ns = -1", "software.mine.costs.message_ns: is -1; it must be at least 0"),
        ("costs.message_ns = true", "software.mine.costs.message_ns: must be a number, but is true"),
        ("costs = 3", "software.mine.costs: must be a table"),
        ("", "software.mine.costs: is missing"),
        ('costs = {}\nalgorithms.bcast = "best"', "software.mine.algorithms: "),
        ('costs = {}\nalgorithm.bcast = "binomial"', "software.mine.algorithm: is not a key"),
    ],
)
def test_a_profile_that_cannot_be_is_refused_with_the_reason(spirit_text: str, lines: str, expected: str) -> None:
    assert expected in problems(f'{spirit_text}\n[software.mine]\nsummary = "mine"\n{lines}\n')
