# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machine files: what is read, what is refused, and what the refusal says."""

import re
from pathlib import Path

import pytest

from tidings.machine_file import (
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
    assert (machine.diameter_hops, machine.bisection_links, machine.link_bandwidth_MBps) == (6, 64, 400.0)
    assert machine.mean_hops == pytest.approx(3 * 64 / 63)


def test_mesh_figures_follow_from_its_size() -> None:
    machine = load_machine(find_machine("mesh8x8"))
    assert (machine.diameter_hops, machine.bisection_links, machine.routers) == (14, 16, 64)
    pairs = [(a, b) for a in range(64) for b in range(64) if a != b]
    distance = sum(abs(a % 8 - b % 8) + abs(a // 8 - b // 8) for a, b in pairs) / len(pairs)
    assert machine.mean_hops == pytest.approx(distance)


def test_crossbar_has_one_router_and_no_network() -> None:
    machine = load_machine(find_machine("crossbar"))
    assert (machine.routers, machine.slots, machine.diameter_hops, machine.bisection_links) == (1, 16, 0, 0)


def test_torus_of_radix_two_is_not_counted_with_double_links(spirit_text: str) -> None:
    assert mesh(spirit_text, "torus", "[2, 2]").bisection_links == 4
    assert mesh(spirit_text, "ring", "[8]").bisection_links == 4


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
    assert "router.buffer_flits: is 100; it must be a power of two and at least 2 and at most 4096" in message
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
        ("size", "[4, 1]", "topology.size: has an element 1; each must be at least 2"),
        ("size", "[]", "topology.size: is missing: a torus needs the routers in each dimension"),
        ("size", "[2, 2, 2, 2, 2]", "has 5 dimensions; at most 4 are possible"),
        ("size", "[4, 4, 17]", "dimension 2 has 17 routers; a router's address has 12 bits"),
        ("slots", "17", "topology.slots: is 17; it must be at least 1 and at most 16"),
        ("slots", "9" * 5000, "is not valid TOML"),
        ("kind", '"ring"', "a ring has one dimension, not 3: use a torus"),
        ("buffer_words", "512\nfan_out = 'both'", "mpe.fan_out: is 'both'; it must be one of multicast, serial"),
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
    with pytest.raises(UnknownMachineError, match=r"There are: .*crossbar, mesh8x8"):
        find_machine("zzzzzz")
    with pytest.raises(UnknownMachineError, match="does not exist or is not a file"):
        find_machine("./absent.toml")
