# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings synth`: what is counted, what is refused; one module goes through the tools."""

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cli_support import ROOT, Tidings
from tidings.errors import UserError
from tidings.machines.file import load_machine, shipped_machines
from tidings.synth import silicon, synthesis


def test_small_module_goes_through_all_tools(tidings: Tidings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path / "cache"))
    figures = tmp_path / "figures.json"
    arguments = ("synth", "credit_counter", "-P", "Credits=4", "-t", "ecp5", "-t", "xc7", "--json", figures)
    result = tidings(*arguments)
    assert result.returncode == 0, result.stderr
    lattice, xilinx = json.loads(figures.read_text(encoding="utf-8"))
    for found in (lattice, xilinx):
        # A counter to four and what it says, and nothing of the registers that were put around it.
        assert found["flip_flops"] == 5
        assert 3 <= found["luts"] <= 12
        assert (found["block_rams"], found["dsps"]) == (0, 0)
    assert lattice["fmax_MHz"] > 100
    assert xilinx["fmax_MHz"] is None
    assert "credit_counter with Credits=4" in result.stdout
    assert "placing and routing" in result.stderr
    again = tidings(*arguments)
    assert (again.stdout, again.stderr) == (result.stdout, "")


def test_parameters_reach_the_module() -> None:
    design = synthesis.find_design("credit_counter", {"Credits": 200}, ROOT)
    assert synthesis.synthesize(design, "xc7", sources=ROOT, say=lambda _: None).flip_flops == 10


def test_parts_are_mapped_once_and_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    scripts: list[str] = []
    run = synthesis._run_yosys

    def record(script: list[str], scratch: Path, failure: str) -> None:
        scripts.extend(script)
        run(script, scratch, failure)

    monkeypatch.setattr(synthesis, "_run_yosys", record)
    flat, by_parts = (
        synthesis.synthesize(
            synthesis.find_design("router_allocator", {"Inputs": 3, "NumVcs": 2}, ROOT, parts=parts),
            "xc7",
            sources=ROOT,
            say=lambda _: None,
        )
        for parts in ((), ("credit_counter",))
    )
    # Two counters of 256 credits are counted as often as they are there.
    assert by_parts.flip_flops == flat.flip_flops >= 2 * 9
    assert flat.luts / 2 < by_parts.luts < 2 * flat.luts
    assert by_parts.cells["OBUF"] == flat.cells["OBUF"]
    (alone,) = [step for step in scripts if "--top credit_counter" in step]
    assert "-G Credits=256" in alone


def test_parts_must_be_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    with pytest.raises(UserError, match="there is no module 'credit'"):
        synthesis.find_design("router_allocator", {}, ROOT, parts=("credit",))
    with pytest.raises(synthesis.SynthesisError, match=r"fifo is to be mapped once, but there are 0 kinds of it"):
        design = synthesis.find_design("credit_counter", {}, ROOT, parts=("fifo",))
        synthesis.synthesize(design, "xc7", sources=ROOT, say=lambda _: None)


def test_unknown_design_lists_what_there_is() -> None:
    with pytest.raises(UserError, match=r"no module or machine 'ruoter'. Did you mean router(?s:.*)mpe(?s:.*)spirit"):
        synthesis.find_design("ruoter", {}, ROOT)


def test_unknown_parameter_lists_what_there_is() -> None:
    with pytest.raises(UserError, match=r"router has no parameter 'Depth'; it has Dims, .*BufferFlits"):
        synthesis.find_design("router", {"Depth": 3}, ROOT)


@pytest.mark.parametrize("text", ["Depth", "Depth=", "Depth=-1", "Depth=a", "=3"])
def test_malformed_parameter_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"is not of the form Name=value"):
        synthesis.parse_parameters([text])


def test_what_a_module_refuses_is_shown() -> None:
    with pytest.raises(synthesis.SynthesisError, match=r"Depth must be a power of two and at least 2, not 7"):
        synthesis.synthesize(synthesis.find_design("fifo", {"Depth": 7}, ROOT), "xc7", sources=ROOT, say=lambda _: None)


def test_machine_stands_for_its_node() -> None:
    design = synthesis.find_design("mesh8x8", {"buffer_flits": 16}, ROOT)
    assert (design.name, design.module) == ("mesh8x8", "node")
    assert design.parameters["dims"] == 2
    assert design.parameters["buffer_flits"] == 16


#: Nodes of the machines but those of many slots, which take minutes. These have what else they need in their routers.
READ: list[tuple[str, dict[str, int]]] = [
    (name, {}) for name, file in shipped_machines().items() if load_machine(file).topology.slots <= 4
]
READ += [("voq_port", {"NumOutputs": 64}), ("crosspoint_output", {"NumInputs": 64}), ("barrier_hub", {"NumSlots": 64})]


@pytest.mark.parametrize(("name", "parameters"), READ)
def test_the_front_end_of_synthesis_reads_all_engines_and_ports_of_large_routers(
    name: str, parameters: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is stricter than Verilator, and has a limit for loops. Nothing is mapped: that takes minutes.
    reads = dataclasses.replace(synthesis.FAMILIES["xc7"], command="hierarchy -check")
    monkeypatch.setitem(synthesis.FAMILIES, "read", reads)
    design = synthesis.find_design(name, parameters, ROOT)
    synthesis.synthesize(design, "read", seed=None, sources=ROOT, say=lambda _: None)


def test_cells_count_what_they_fill() -> None:
    lattice = synthesis.FAMILIES["ecp5"]
    assert synthesis.count({"LUT4": 5, "CCU2C": 3, "TRELLIS_DPR16X4": 2, "PFUMX": 9}, lattice.luts) == 5 + 6 + 12
    xilinx = synthesis.FAMILIES["xc7"]
    assert (
        synthesis.count({"LUT1": 1, "LUT6": 2, "RAM32M": 3, "RAM64X1D": 4, "CARRY4": 9}, xilinx.luts) == 1 + 2 + 12 + 8
    )
    assert synthesis.count({"RAMB18E1": 1, "RAMB36E1": 2}, xilinx.block_rams) == 5
    assert synthesis.count({"FDRE": 1, "FDSE": 2, "FDCE_1": 3, "FOO": 9}, xilinx.flip_flops) == 6


def test_registers_go_around_a_netlist_and_not_into_it() -> None:
    inside = {"type": "LUT4", "connections": {"A": [3], "B": [4], "Z": [5]}}
    bits: dict[str, tuple[str, list[object]]] = {
        "clk_i": ("input", [2]),
        "a_i": ("input", [3, 4]),
        "z_o": ("output", [5, "0"]),
    }
    netlist: dict[str, Any] = {
        "ports": {name: {"direction": direction, "bits": wires} for name, (direction, wires) in bits.items()},
        "netnames": {name: {"bits": wires} for name, (_, wires) in bits.items()},
        "cells": {"inside": inside},
    }
    synthesis.add_registers({"modules": {"m": netlist}}, "m")
    assert sorted(netlist["ports"]) == ["clk_i", "scan_i"]
    assert netlist["cells"].pop("inside") is inside
    scan = netlist["ports"]["scan_i"]["bits"][0]
    wires = [cell["connections"] for cell in netlist["cells"].values()]
    assert all(wire["CLK"] == [2] for wire in wires)
    # Inputs form a chain; the constant output needs no register.
    assert [(*wire["DI"], *wire["Q"]) for wire in wires[:2]] == [(scan, 3), (3, 4)]
    assert [wire["DI"] for wire in wires[2:]] == [[5]]
    # No wire has two drivers.
    assert len({wire["Q"][0] for wire in wires} | {2, 5, scan}) == 6


def test_netlist_is_kept_for_other_seeds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    mapped: list[str] = []
    placed: list[int] = []

    def run_yosys(design: synthesis.Design, _target: str, _sources: Path, scratch: Path, _say: object) -> Path:
        mapped.append(design.name)
        file = scratch / "mapped.json"
        statistics = {"design": {"num_cells_by_type": {"LUT4": 3}}}
        file.write_text(json.dumps({"statistics": statistics, "netlist": {}}), encoding="utf-8")
        return file

    def place(result: synthesis.Result, _netlist: object, seed: int, _scratch: Path) -> synthesis.Result:
        placed.append(seed)
        return dataclasses.replace(result, seed=seed, fmax_MHz=100.0 + seed)

    monkeypatch.setattr(synthesis, "_map", run_yosys)
    monkeypatch.setattr(synthesis, "_place_and_route", place)
    arbiter = synthesis.find_design("arbiter", {}, ROOT)
    found = [synthesis.synthesize(arbiter, "ecp5", seed=seed, sources=ROOT) for seed in (1, 2, 2)]
    assert [(result.luts, result.fmax_MHz) for result in found] == [(3, 101.0), (3, 102.0), (3, 102.0)]
    assert (mapped, placed) == (["arbiter"], [1, 2])


def test_a_result_is_kept_if_only_modules_change_that_it_does_not_need(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rtl", tmp_path / "rtl")
    design = synthesis.find_design("rma", {}, ROOT)

    def key_after_a_change(file: str) -> str:
        path = tmp_path / "rtl" / file
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        return synthesis._key(design, "ecp5", tmp_path, 1)

    before = synthesis._key(design, "ecp5", tmp_path, 1)
    assert key_after_a_change("network/router.sv") == before
    used = ("engine/rma.sv", "engine/registration_table.sv", "common/tidings_pkg.sv", "machine/node.toml")
    keys = [before, *(key_after_a_change(file) for file in used)]
    assert len(set(keys)) == len(keys)


def test_a_table_has_a_row_per_design(monkeypatch: pytest.MonkeyPatch) -> None:
    def synthesize(design: synthesis.Design, target: str, **_: object) -> synthesis.Result:
        return synthesis.Result(design.name, design.module, {}, target, 1234, 5, 6, 7, {}, None, None, None, [])

    monkeypatch.setattr(synthesis, "synthesize", synthesize)
    monkeypatch.setattr(silicon, "find_design", lambda name, _: synthesis.Design(name, name, {}))
    lines = silicon.table("xc7").splitlines()
    assert len(lines) == 2 + len(silicon.ROWS)
    assert "| `rma` | 1,234 | 5 | 6 | 7 |" in lines


def test_routers_are_compared_with_the_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def synthesize(design: synthesis.Design, target: str, *, seed: int, **_: object) -> synthesis.Result:
        fmax = {1: 150.0, 2: 90.0, 3: 100.0, 4: 80.0, 5: 140.0}[seed]  # whose median is 100
        luts = 1000 - 100 * design.parameters.get("Pipeline", 0) + 20 * design.parameters["NumRoutes"]
        return synthesis.Result(design.name, design.module, {}, target, luts, 5, 6, 7, {}, None, seed, fmax, [])

    monkeypatch.setattr(synthesis, "synthesize", synthesize)
    monkeypatch.setattr(silicon, "SEEDS", (1, 2, 3, 4, 5))
    lines = silicon.table("routers").splitlines()
    assert "| 1 class, pipeline | 900 | 0.90 | 1.00 | 100.0 MHz | L + 1 |  |" in lines
    assert "| 2 classes, 16 routes | 1,320 | 1.32 | 1.32 | 100.0 MHz | L | L + 1 |" in lines
    assert "| 2 classes, 16 routes, pipeline | 1,220 | 1.22 | 1.36 | 100.0 MHz | L + 1 | L + 4 |" in lines


def test_median_of_seeds_is_a_result_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    fmax = {1: 110.0, 2: 90.0, 3: 100.0, 4: 120.0}

    def synthesize(design: synthesis.Design, target: str, *, seed: int, **_: object) -> synthesis.Result:
        placed = fmax[seed] if target == "ecp5" else None
        return synthesis.Result(design.name, design.module, {}, target, 1, 2, 3, 4, {}, None, seed, placed, [])

    monkeypatch.setattr(synthesis, "synthesize", synthesize)
    router = synthesis.find_design("router", {}, ROOT)
    for seeds, seed in (((1, 2, 3), 3), ((2, 3, 4, 1), 3), ((1, 4), 1)):
        found = synthesis.synthesize_median(router, "ecp5", seeds=seeds)
        of_all = [fmax[each] for each in seeds]
        assert (found.seed, found.fmax_MHz) == (seed, fmax[seed])
        assert (found.fmax_lowest_MHz, found.fmax_highest_MHz) == (min(of_all), max(of_all))
    assert synthesis.synthesize_median(router, "xc7", seeds=(2, 3)).fmax_lowest_MHz is None


def test_routers_too_large_for_the_device_are_not_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[int] = []

    def synthesize(design: synthesis.Design, target: str, *, seed: int | None = 1) -> synthesis.Result:
        if design.module != "crosspoint_router":
            assert seed is not None
            slots = design.parameters["NumOutputs" if design.module == "voq_port" else "NumInputs"]
            return synthesis.Result(
                design.name, design.module, {}, target, 9, 5, 0, 0, {}, None, seed, 2000 / slots, []
            )
        slots = design.parameters["NumSlots"]
        assert design.parts == (() if slots <= silicon.CROSSPOINTS_FLAT else silicon.CROSSPOINT_PARTS)
        if seed is not None:
            placed.append(slots)
        cells = {"TRELLIS_DPR16X4": slots * (9 * slots + 44)}
        return synthesis.Result(
            design.name, design.module, {}, target, 270 * slots**2, 5, 0, 0, cells, None, seed, 80.0, []
        )

    monkeypatch.setattr(silicon, "synthesize", synthesize)
    lines = silicon.table("crosspoints").splitlines()
    assert "| 8 slots | 34 kbit | 17,280 | 5,568 | 5 | 80.0 MHz | 250.0 MHz | 250.0 MHz |" in lines
    assert "| 32 slots | 541 kbit | 276,480 | 63,744 | 5 | too large | 62.5 MHz | 62.5 MHz |" in lines
    assert placed == [4, 4, 8, 16]


def test_memory_without_block_rams_is_one_of_lookup_tables() -> None:
    fifo = synthesis.find_design("fifo", {"Depth": 128}, ROOT)
    blocks, tables = (
        synthesis.synthesize(fifo, target, sources=ROOT, say=lambda _: None) for target in ("xc2v", "xc2v-luts")
    )
    assert (blocks.block_rams, tables.block_rams) == (1, 0)
    # 128 words of 32 bits, and a lookup table for each 16 bits of a port.
    assert tables.luts - blocks.luts >= 128 * 32 / 16
