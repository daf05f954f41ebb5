# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What machines charge for library calls is what the calls execute on an emulated soft core."""

import ctypes
import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tidings
from cli_support import ROOT
from tidings.bench import core_counts, soft_core
from tidings.bench.core_counts import CoreCost
from tidings.errors import UserError
from tidings.machines import view, work
from tidings.machines.configuration import configuration
from tidings.machines.file import find_machine, load_machine, shipped_machines

_IMAGE = ROOT / "build" / "rv32-counted" / "drivers" / "rv32" / "tidings_rv32_counted"
_SPIRIT = load_machine(find_machine("spirit"))


@pytest.fixture(scope="module")
def costs() -> list[CoreCost]:
    """Count once for all tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    made = subprocess.run(
        ["make", "rv32-counted"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return [cost for cost in tidings.bench_soft_core(_IMAGE) if cost.call != "init"]


def _drifted(costs: list[CoreCost]) -> list[str]:
    beyond = [cost for cost in costs if abs(cost.drift) > core_counts.DRIFT]
    return [f"{cost.call}, {cost.ranks} ranks: {cost.drift:+.0%}" for cost in beyond]


def test_machines_charge_what_calls_execute(costs: list[CoreCost]) -> None:
    """After a change of the library: tidings bench library --image IMAGE --update, and new virtual times."""
    assert _drifted(costs) == []


def test_collectives_over_switches_cost_what_they_execute(costs: list[CoreCost]) -> None:
    del costs  # they have the image built
    gathered = ("all-gather", "all-to-all")
    over_switches = [cost for cost in tidings.bench_soft_core(_IMAGE, "mesh8x8") if cost.call.startswith(gathered)]
    assert len(over_switches) == 2 * 6
    assert all("message" not in cost.work for cost in over_switches)
    assert _drifted(over_switches) == []


@pytest.mark.parametrize("name", work.counts())
def test_each_count_has_a_part_in_a_call_and_shows_when_the_call_drifts_by_it(
    name: str, costs: list[CoreCost], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed so far that some call is charged a fifth more or less, it is found."""
    known = work.counts()
    count = known[name].instructions
    share = max(cost.work.get(name, 0) * count / cost.instructions for cost in costs)
    for change in (0.2 / share, -0.2 / share):
        changed = {**known, name: dataclasses.replace(known[name], instructions=count * (1 + change))}
        monkeypatch.setattr(work, "counts", lambda changed=changed: changed)
        assert _drifted([cost.charged_anew() for cost in costs])


def test_best_counts_are_those_on_file(costs: list[CoreCost]) -> None:
    """The file is what --update would write, but for a change too small to matter."""
    found = core_counts.fitted(costs)
    assert set(found) == set(work.counts())
    for name, count in work.counts().items():
        assert found[name].instructions == pytest.approx(count.instructions, rel=0.25, abs=10), name


def test_time_is_instructions_at_the_clock_and_waits_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "counts", lambda: {name: work.Count(100.0, 40.0) for name in ("call", work.PAYLOAD)})
    processor = _SPIRIT.processor.replaced(clock_MHz=500.0, cpi=1.5, access_ns=2.0, payload_byte_ns=7.0)
    assert work.cost_ns("call", processor) == pytest.approx(100 * 1.5 * 2 + 40 * 2)
    assert work.cost_ns(work.PAYLOAD, processor) == pytest.approx(100 * 1.5 * 2 + 7)


def test_simulator_charges_that_time() -> None:
    processor = configuration(_SPIRIT).processor
    assert processor.call_ps == round(1000 * work.cost_ns("call", _SPIRIT.processor))
    assert processor.copy_byte_ps == round(1000 * work.cost_ns(work.PAYLOAD, _SPIRIT.processor))


@pytest.mark.parametrize("name", shipped_machines())
def test_machine_show_prints_each_cost(name: str) -> None:
    machine = load_machine(find_machine(name))
    rows = list(work.described(machine.processor))
    assert len(rows) == len(work.counts())
    shown = {value.meaning: value for value in view.derived_of(machine)}
    for what, _, nanoseconds in rows:
        assert nanoseconds > 0
        assert shown[f"cost of {what}"].value == f"{nanoseconds:.4g}"


def test_compressed_and_long_instructions_are_told_apart() -> None:
    """lw, addi, c.lw, c.addi, c.swsp, sw: six instructions, of which four load or store."""
    code = bytes.fromhex("03a50500 13050500 0841 0505 2ac0 23a0a500".replace(" ", ""))
    assert soft_core._instructions(code) == (6, 4)


@pytest.mark.parametrize(
    ("name", "mirror"),
    [
        ("tidings_platform", soft_core._Platform),
        ("tidings_grid", soft_core._Grid),
        ("tidings_endpoint", soft_core._Endpoint),
        ("tidings_exchange_costs", soft_core._ExchangeCosts),
        ("tidings_memory", soft_core._Memory),
    ],
)
def test_structures_of_the_bus_boundary_are_laid_out_as_in_c(
    name: str, mirror: type[ctypes.Structure], tmp_path: Path
) -> None:
    """The fields have the names, offsets and sizes of the C headers, and none is missing."""
    fields = [field[0] for field in mirror._fields_]
    lines = [f'printf("%zu %zu\\n", offsetof(struct {name}, {field}), sizeof x.{field});' for field in fields]
    source = tmp_path / "layout.c"
    source.write_text(
        "#include <stddef.h>\n#include <stdio.h>\n"
        '#include "drivers/bus.h"\n#include "drivers/platform.h"\n'
        f'int main(void) {{ struct {name} x; {"".join(lines)} printf("%zu\\n", sizeof x); return 0; }}\n'
    )
    subprocess.run(["cc", f"-I{ROOT}", "-o", tmp_path / "layout", source], check=True)
    printed = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout.splitlines()
    ours = [getattr(mirror, field) for field in fields]
    assert printed == [*(f"{one.offset} {one.size}" for one in ours), str(ctypes.sizeof(mirror))]


def test_missing_image_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said first: who builds the image gets the emulator, too."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(UserError, match="there is no such image; make rv32-counted builds one"):
        tidings.bench_soft_core(tmp_path / "none")


def test_core_without_a_machine_says_what_to_do() -> None:
    command = [sys.executable, "-m", "tidings.bench.soft_core", str(_IMAGE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "a soft core is a rank of a machine: start it with `tidings run`\n"
