# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench collectives`: checks of what was asked for, the measurements, and the files."""

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from tidings import traffic_view, trees
from tidings.collectives import (
    ALL_WORDS,
    FEWEST_VECTORS,
    NODES,
    OPERATIONS,
    WORDS,
    Study,
    as_json,
    cases,
    check_nodes,
    study_of,
    write_results,
)
from tidings.errors import UserError
from tidings.machine_file import Machine
from tidings.run import compiled_node

_LONGEST_VECTOR = 1 << 20
_LARGEST_ARITY = trees.LINKS


@dataclass(frozen=True)
class Request:
    """Measurements as a user asks for them; what is empty is chosen."""

    machine: Machine
    operations: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    nodes: tuple[int, ...] = ()
    words: tuple[int, ...] = ()
    everything: bool = False  #: all sizes where none are named
    vectors: int = 1
    element: str = "double"
    fidelity: str = "cycle"
    json_file: Path | None = None
    csv_file: Path | None = None
    folder: Path | None = None


def check(request: Request) -> None:
    """Check everything that can be checked before any work is done.

    Raises
    ------
    UserError
        Saying what is wrong and what to do.
    """
    check_nodes(request.machine, request.nodes)
    for name in request.operations:
        if name not in OPERATIONS:
            raise UserError(f"--operation {name}: there are {', '.join(OPERATIONS)}")
    for name in request.trees:
        if name not in trees.TREES and not _is_k_ary(name):
            raise UserError(f"--tree {name}: there are {', '.join(trees.TREES)}, and 3-ary to {_LARGEST_ARITY - 1}-ary")
    for size in request.words:
        if not 1 <= size <= _LONGEST_VECTOR:
            raise UserError(f"--words {size}: a vector has 1 to {_LONGEST_VECTOR} words")
    if request.everything and request.words:
        raise UserError("--all is all numbers of words: leave --words out")
    if request.vectors > 1 and "barrier" in request.operations:
        raise UserError("--stream is of vectors, and a barrier has none: leave --operation barrier out")
    for option, path in (("--json", request.json_file), ("--csv", request.csv_file)):
        if path is not None and not path.parent.is_dir():
            raise UserError(f"{option} {path}: there is no folder {path.parent}")
    if request.folder is not None:
        if importlib.util.find_spec("matplotlib") is None:
            raise UserError("--out draws with matplotlib, which is not installed: pip install 'tidings[plot]'")
        try:
            request.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"--out {request.folder}: {error.strerror}") from error


def execute(request: Request) -> Study:
    """Measure what was asked for, saying on standard error how far it is."""
    machine = request.machine
    stream = request.vectors >= FEWEST_VECTORS
    wanted = cases(
        request.operations or (OPERATIONS[1:] if stream else OPERATIONS),
        request.trees or tuple(trees.TREES),
        request.nodes or tuple(count for count in NODES if count <= machine.slots),
        request.words or (ALL_WORDS if request.everything else WORDS),
        request.vectors,
    )
    library = ""
    if request.fidelity == "rtl":
        library = str(compiled_node(machine, waves=False, progress=sys.stderr))
    with traffic_view.reporting() as progress:
        return study_of(list(wanted), machine, request.element, library, progress)


def write(request: Request, study: Study) -> None:
    """Write the files that were asked for."""
    text = json.dumps(as_json(study), indent=2) + "\n"
    if request.json_file is not None:
        request.json_file.write_text(text, encoding="utf-8")
    if request.csv_file is not None:
        _write_csv(study, request.csv_file)
    if request.folder is None:
        return
    # Imported here: it takes a second, and what it needs is not always installed.
    from tidings.collectives_plots import plot_operation

    (request.folder / "collectives.json").write_text(text, encoding="utf-8")
    _write_csv(study, request.folder / "collectives.csv")
    if request.vectors < FEWEST_VECTORS:
        for operation in dict.fromkeys(result.operation for result in study.results):
            plot_operation(study, operation, request.folder / f"{operation}.svg")


def _write_csv(study: Study, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        write_results(study, stream)


def _is_k_ary(name: str) -> bool:
    arity = name.removesuffix("-ary")
    return arity != name and arity.isdecimal() and 1 < int(arity) < _LARGEST_ARITY
