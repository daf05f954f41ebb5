# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The RTL and the cycle model are the same on random machines, and a difference would be found and made small."""

import dataclasses
import json
import random
import sys
from pathlib import Path

import pytest

from tidings import verify
from tidings.machine_file import Link, Machine, Memory, Mpe, Rma, Router, Topology
from tidings.random_machine import random_machine
from tidings.verify_script import ScriptWriter, all_kinds
from tidings.verilated_node import Variant, library, node_model, node_parameters

ROOT = Path(__file__).resolve().parents[2]
SEED = 11


def _machine(kind: str, dimensions: int, slots: int, arbiter: str) -> Machine:
    """Return a machine whose node tests/sim/build_libraries.py compiles too."""
    return dataclasses.replace(
        random_machine(random.Random(SEED)),
        topology=Topology(kind, slots, (2,) * dimensions),
        router=Router(8, 16, arbiter),
        rma=Rma(8),
        mpe=Mpe(128),
        memory=Memory(1, 1),
        link=Link(1),
    )


KINDS = [
    _machine("mesh", 2, 1, "round-robin"),
    _machine("torus", 3, 1, "fixed-priority"),
    _machine("torus", 1, 1, "round-robin"),
]


def _library(machine: Machine) -> Path:
    model = node_model(node_parameters(machine), Variant(assertions=True, quick=True), ROOT)
    return library(model, "node for tests", sources=ROOT)


def test_rtl_and_cycle_model_are_equal_on_thirty_random_machines() -> None:
    totals, failure = verify.run(
        KINDS, _library, count=30, seed=SEED, hops=1_000_000, progress=lambda machines, hops: None
    )
    assert failure is None, f"seed {SEED}: {failure.difference}"
    assert totals.machines >= 30
    assert totals.flit_hops >= 1_000_000
    assert totals.missing() == []
    assert totals.bus_reads > 100
    assert totals.interrupts > 100


def test_a_difference_is_made_small_and_can_be_replayed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    difference = verify.Difference(7, 1, "port 0", "flit.data", 1, 2)

    def compare(case: verify.Case, _library: verify.Library, _totals: verify.Totals | None = None) -> object:
        writes = [access for operation in case.script for access in operation.accesses if access.address == 0x044]
        return difference if writes else None

    monkeypatch.setattr(verify, "compare", compare)
    script = ScriptWriter(random.Random(SEED)).draw([0, 1, 64, 65], 100)
    failure = verify.Failure(verify.Case(KINDS[0], 4, SEED, script), difference, len(script))
    small = verify.shrink(failure, _library, sys.maxsize)
    assert len(small.case.script) == 1
    assert small.difference == difference
    path = tmp_path / "failure.json"
    path.write_text(json.dumps(verify.as_json(small.case)))
    assert verify.from_json(path) == small.case


def test_scripts_see_every_kind_of_operation() -> None:
    writer = ScriptWriter(random.Random(SEED))
    scripts = [writer.draw(list(range(8)), verify.OPERATIONS) for _ in range(10)]
    assert {operation.kind for script in scripts for operation in script} >= set(all_kinds())
