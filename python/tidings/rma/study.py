# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench rma`: checks of what was asked for, the measurements, and a folder of files."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tidings.collectives.measurement import check_nodes
from tidings.errors import UserError
from tidings.machines.file import Machine
from tidings.report.progress import reporting
from tidings.rma.loads import loads
from tidings.rma.measurement import EXCHANGE_WORDS, MOST_WORDS, SLOTS, WORDS, Bench, Study, as_json, study_of
from tidings.runtime.run import FIDELITIES, compiled_node


@dataclass(frozen=True)
class Plan:
    """Measurements as a user asks for them; what is empty is chosen."""

    machine: Machine
    slots: tuple[int, ...] = ()
    words: tuple[int, ...] = ()
    exchange: tuple[int, ...] = ()
    fidelity: str = "cycle"


def check(plan: Plan) -> None:
    """Check everything that can be checked before any work is done.

    Raises
    ------
    UserError
        Saying what is wrong and what to do.
    """
    if plan.fidelity not in FIDELITIES:
        raise UserError(f"there is no fidelity {plan.fidelity!r}; there are {', '.join(FIDELITIES)}")
    if plan.machine.slots < SLOTS[0]:
        raise UserError(f"{plan.machine.name} has one slot, and a PUT needs two")
    if plan.machine.topology.kind == "graph":
        raise UserError(f"{plan.machine.name} is a graph, and floors are known of grids: name another machine")
    check_nodes(plan.machine, plan.slots, "--slots")
    for option, sizes in (("--words", plan.words), ("--exchange", plan.exchange)):
        for size in sizes:
            if not 1 <= size <= MOST_WORDS:
                raise UserError(f"{option} {size}: a block has 1 to {MOST_WORDS} words")


def execute(plan: Plan, progress: TextIO | None) -> Study:
    """Measure what was asked for, saying how far it is."""
    machine = plan.machine
    library = ""
    if plan.fidelity == "rtl":
        library = str(compiled_node(machine, waves=False, progress=progress))
    slots = plan.slots or tuple(count for count in SLOTS if count <= machine.slots)
    with reporting(progress) as report:
        study = study_of(
            Bench(machine, library),
            Study(machine, plan.fidelity),
            slots,
            plan.words or WORDS,
            tuple(sorted(set(plan.exchange or EXCHANGE_WORDS))),
            report,
        )
        loads(study, report)
    return study


def write_folder(study: Study, folder: Path) -> None:
    """Write everything into a folder: JSON, CSV, and a plot of the total exchange if there is one."""
    # Imported here: it takes a second, and what it needs is not always installed.
    from tidings.rma.plots import plot_exchange

    (folder / "rma.json").write_text(json.dumps(as_json(study), indent=2) + "\n", encoding="utf-8")
    (folder / "rma.csv").write_text(study.frame.to_csv(index=False), encoding="utf-8")
    if any(result.what == "total exchange" for result in study.results):
        plot_exchange(study, folder / "exchange.svg")
