# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The cache of compiled nodes; Verilator is replaced by a stand-in that takes no time."""

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tidings.build import cache, verilated_node
from tidings.build.verilated_node import Model, NodeBuildError, Variant, library, node_model
from tidings.errors import UserError
from tidings.machines.configuration import node_parameters
from tidings.machines.file import load_machine
from tidings.runtime import run

ROOT = Path(__file__).resolve().parents[2]
PARAMETERS = {
    "dims": 3,
    "num_slots": 1,
    "dateline": 1,
    "buffer_flits": 256,
    "slot_buffer_flits": 16,
    "fixed_priority": 0,
    "mpe_buffer_words": 512,
    "rma_command_depth": 8,
    "direct_links": 1,
}


class StandIn:
    """Counts builds."""

    def __init__(self) -> None:
        self.builds = 0
        self.before: Callable[[], None] = lambda: None

    def __call__(self, model: Model, sources: Path, scratch: Path, *_: object) -> Path:
        """Take the place of a build."""
        self.builds += 1
        self.before()
        built = scratch / "library.so"
        built.write_text(str(model))
        return built


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(verilated_node, "_build", stand_in)
    return stand_in


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    for name in ("rtl/machine/node.sv", "rtl/regs/slot.rdl", "sim/machine/node.h", "sim/rtl/library/node_library.cpp"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def get(sources: Path, parameters: dict[str, int] = PARAMETERS, variant: Variant | None = None) -> Path:
    return library(node_model(parameters, variant or Variant(), sources), "node", sources=sources, say=lambda _: None)


def test_second_use_does_not_build(compiler: StandIn, sources: Path) -> None:
    assert get(sources) == get(sources)
    assert compiler.builds == 1


@pytest.mark.parametrize("field", list(PARAMETERS))
def test_each_parameter_makes_another_library(compiler: StandIn, sources: Path, field: str) -> None:
    other = PARAMETERS | {field: PARAMETERS[field] + 1}
    assert get(sources) != get(sources, other)


@pytest.mark.parametrize("variant", [Variant(waves=True), Variant(assertions=True), Variant(quick=True)])
def test_each_variant_makes_another_library(compiler: StandIn, sources: Path, variant: Variant) -> None:
    assert get(sources) != get(sources, variant=variant)


@pytest.mark.parametrize(
    "name", ["rtl/machine/node.sv", "rtl/regs/slot.rdl", "sim/machine/node.h", "sim/rtl/library/node_library.cpp"]
)
def test_each_source_makes_another_library(compiler: StandIn, sources: Path, name: str) -> None:
    before = get(sources)
    (sources / name).write_text("changed")
    assert get(sources) != before


def test_where_the_sources_are_does_not_matter(compiler: StandIn, sources: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    before = get(sources)
    sources.rename(moved)
    assert get(moved) == before


def test_concurrent_users_build_once_and_all_get_the_library(compiler: StandIn, sources: Path) -> None:
    building = threading.Event()
    go_on = threading.Event()

    def pause() -> None:
        building.set()
        assert go_on.wait(timeout=60)

    compiler.before = pause
    found: list[Path] = []
    said: list[str] = []
    model = node_model(PARAMETERS, Variant(), sources)

    def use() -> None:
        found.append(library(model, "node", sources=sources, say=said.append))

    first = threading.Thread(target=use)
    first.start()
    assert building.wait(timeout=60)
    assert not list(cache.folder().glob("*.so"))  # nobody sees a library that is not complete
    second = threading.Thread(target=use)
    second.start()
    while not any("waiting" in text for text in said):
        second.join(timeout=0.01)
    go_on.set()
    first.join(timeout=60)
    second.join(timeout=60)
    assert compiler.builds == 1
    assert len(found) == 2
    assert found[0] == found[1]


def test_failed_build_leaves_nothing_behind(compiler: StandIn, sources: Path) -> None:
    def fail() -> None:
        message = "no compiler"
        raise NodeBuildError(message)

    compiler.before = fail
    with pytest.raises(NodeBuildError, match="no compiler"):
        get(sources)
    assert not list(cache.folder().glob("*.so"))
    assert not list(cache.folder().glob("*.build"))
    compiler.before = lambda: None
    assert get(sources).exists()


def test_what_a_killed_build_has_left_does_no_harm(compiler: StandIn, sources: Path) -> None:
    path = get(sources)
    path.unlink()
    left = path.with_suffix(".build")
    left.mkdir()
    (left / "library.so").write_text("half of it")
    assert get(sources).read_text() != "half of it"
    assert not left.exists()


def test_what_takes_long_is_said_once(compiler: StandIn, sources: Path) -> None:
    said: list[str] = []
    model = node_model(PARAMETERS, Variant(), sources)
    for _ in range(2):
        library(model, "node for spirit", sources=sources, say=said.append)
    assert said[0] == "building node for spirit (first use, about a minute)"
    assert len(said) == 2


def test_build_that_verilator_refuses_shows_what_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    model = dataclasses.replace(node_model(PARAMETERS, Variant(), ROOT), top="no_such_module")
    with pytest.raises(NodeBuildError, match=r"(?s)status.*no_such_module"):
        library(model, "nothing", sources=ROOT, say=lambda _: None)


def test_parameters_of_the_shipped_machines() -> None:
    spirit = node_parameters(load_machine(ROOT / "machines" / "spirit.toml"))
    assert spirit == spirit | PARAMETERS | {"mpe_combine_ports": 6}
    crossbar = node_parameters(load_machine(ROOT / "machines" / "crossbar.toml"))
    assert (crossbar["dims"], crossbar["num_slots"], crossbar["dateline"]) == (0, 16, 0)
    assert crossbar["direct_links"] == 0, "there is no network port to be direct to"


def test_parameters_of_an_engine_that_sends_whole_packets_to_one_child_after_another(tmp_path: Path) -> None:
    text = (ROOT / "machines" / "spirit.toml").read_text()
    keys = 'direct_links = false\nfan_out = "serial"\nforward_words = 64\nwide_elements = false\n'
    file = tmp_path / "spirit.toml"
    file.write_text(text.replace("[mpe]\n", f"[mpe]\n{keys}"))
    parameters = node_parameters(load_machine(file))
    assert (parameters["direct_links"], parameters["mpe_multicast"]) == (0, 0)
    assert (parameters["mpe_forward_words"], parameters["mpe_wide_elements"]) == (64, 0)


def test_slots_that_have_the_collective_engine_are_bits_of_a_mask(tmp_path: Path) -> None:
    text = (ROOT / "machines" / "crossbar.toml").read_text()
    for keys, mask in (("", (1 << 64) - 1), ("slots = [1, 3, 3]\n", 0b1010), ("slots = []\n", 0)):
        file = tmp_path / "crossbar.toml"
        file.write_text(text.replace("[mpe]\n", f"[mpe]\n{keys}"))
        assert node_parameters(load_machine(file))["mpe_slots"] == mask


def test_programs_are_refused_where_a_slot_has_no_collective_engine(tmp_path: Path) -> None:
    file = tmp_path / "crossbar.toml"
    text = (ROOT / "machines" / "crossbar.toml").read_text()
    file.write_text(text.replace("[mpe]\n", "[mpe]\nslots = [0, 1]\n"))
    with pytest.raises(UserError, match="slot 2 of a router has no mpe"):
        run.check(run.Job(program=["true"], ranks=4, machine=load_machine(file)))
