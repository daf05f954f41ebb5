# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench collectives`: checks of what was asked for, the measurements, and a folder of files."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tidings import _core
from tidings.collectives.measurement import (
    BLOCK_OPERATIONS,
    ELEMENTS,
    FEWEST_VECTORS,
    NODES,
    OPERATIONS,
    SWITCHES,
    TREE_OPERATIONS,
    WIRES,
    Study,
    as_json,
    cases,
    check_nodes,
    study_of,
)
from tidings.errors import UserError
from tidings.machines.file import Machine
from tidings.report.progress import reporting
from tidings.runtime.run import FIDELITIES, compiled_node

_LONGEST_VECTOR = 1 << 20
#: Trees and exchanges of the library, and wires; and those that are measured without being asked for.
NAMES = (*(shape.name for shape in _core.shapes()), WIRES, SWITCHES)
USUAL_NAMES = tuple(shape.name for shape in _core.shapes() if shape.usual)


@dataclass(frozen=True)
class Plan:
    """Measurements as a user asks for them; what is empty is chosen."""

    machine: Machine
    operations: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    nodes: tuple[int, ...] = ()
    words: tuple[int, ...] = ()
    vectors: int = 1
    element: str = "double"
    fidelity: str = "cycle"


def check(plan: Plan) -> None:
    """Check everything that can be checked before any work is done.

    Raises
    ------
    UserError
        Saying what is wrong and what to do.
    """
    for what, name, known in (("element", plan.element, ELEMENTS), ("fidelity", plan.fidelity, FIDELITIES)):
        if name not in known:
            raise UserError(f"there is no {what} {name!r}; there are {', '.join(known)}")
    check_nodes(plan.machine, plan.nodes)
    for name in plan.operations:
        if name not in OPERATIONS:
            raise UserError(f"--operation {name}: there are {', '.join(OPERATIONS)}")
    for name in plan.trees:
        if name not in NAMES:
            raise UserError(f"--tree {name}: there are {', '.join(NAMES)}")
    if plan.trees == (WIRES,) and plan.operations and "barrier" not in plan.operations:
        raise UserError(f"--tree {WIRES} is for barriers: leave --operation out, or add barrier")
    for size in plan.words:
        if not 1 <= size <= _LONGEST_VECTOR:
            raise UserError(f"--words {size}: a vector has 1 to {_LONGEST_VECTOR} words")
    if plan.trees == (SWITCHES,) and plan.operations == ("barrier",):
        raise UserError(f"--tree {SWITCHES} is for all but barriers: leave --operation out, or add broadcast")
    if plan.trees == (SWITCHES,) and plan.vectors > 1:
        raise UserError(f"--stream is of vectors over trees: leave --tree {SWITCHES} out")
    for name in plan.operations if plan.vectors > 1 else ():
        if name in BLOCK_OPERATIONS:
            raise UserError(f"--stream is of vectors over trees: leave --operation {name} out")
    if plan.vectors > 1 and "barrier" in plan.operations:
        raise UserError("--stream is of vectors, and a barrier has none: leave --operation barrier out")


def execute(plan: Plan, progress: TextIO | None) -> Study:
    """Measure what was asked for, saying how far it is."""
    machine = plan.machine
    stream = plan.vectors >= FEWEST_VECTORS
    operations = plan.operations or (TREE_OPERATIONS[1:] if stream else OPERATIONS)
    trees = plan.trees or (
        *USUAL_NAMES,
        *((WIRES,) if machine.barrier.slots else ()),
        *((SWITCHES,) if machine.alltoall.slots else ()),
    )
    nodes = plan.nodes or tuple(count for count in NODES if count <= machine.slots)
    wanted = list(cases(operations, trees, nodes, plan.words, plan.vectors))
    if not wanted:
        raise UserError(
            f"there is nothing to measure: {', '.join(trees)} do no {', '.join(operations)}. Blocks go over static "
            f"switches (--tree {SWITCHES}), on machines that have them, such as mesh8x8"
        )
    library = ""
    if plan.fidelity == "rtl":
        library = str(compiled_node(machine, waves=False, progress=progress))
    with reporting(progress) as report:
        return study_of(wanted, machine, plan.element, library, report)


def write_folder(study: Study, folder: Path) -> None:
    """Write everything into a folder: JSON, CSV, and a plot per operation, if single vectors were measured."""
    # Imported here: it takes a second, and what it needs is not always installed.
    from tidings.collectives.plots import plot_operation

    (folder / "collectives.json").write_text(json.dumps(as_json(study), indent=2) + "\n", encoding="utf-8")
    (folder / "collectives.csv").write_text(study.frame.to_csv(index=False), encoding="utf-8")
    for operation in dict.fromkeys(result.operation for result in study.results if result.vectors < FEWEST_VECTORS):
        plot_operation(study, operation, folder / f"{operation}.svg")
