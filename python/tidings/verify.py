# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings verify`: the RTL and the cycle model, given the same, compared in every cycle."""

import dataclasses
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from tidings import _core
from tidings.errors import UserError
from tidings.machine_file import NODE_ID_BITS, Fabric, Link, Machine, Memory, Mpe, Processor, Rma, Router, Topology
from tidings.random_machine import random_machine
from tidings.run import configuration
from tidings.verify_script import Access, Operation, ScriptWriter, all_kinds

#: Operations of a script, beside its set-up.
OPERATIONS = 120
#: Most routers of a machine that is drawn.
_MOST_ROUTERS = 12
#: Cycles under random packets for a run without a number of flit-hops.
_NODE_CYCLES = 4000
_LATENCIES = (1, 1, 2, 3, 5, 10)


@dataclass(frozen=True)
class Difference:
    """The first difference: expected of the RTL, got of the cycle model."""

    cycle: int
    node: int
    place: str
    field: str
    expected: int
    got: int

    def __str__(self) -> str:
        """Return it as one line."""
        place = f", {self.place}" if self.place else ""
        where = f"cycle {self.cycle}, node {self.node}{place}, {self.field}"
        return f"{where}: expected {self.expected:#x}, got {self.got:#x}"


@dataclass(frozen=True)
class Case:
    """One comparison: a script on a machine, or random packets for one node where `node_cycles` is not 0."""

    machine: Machine
    ranks: int
    seed: int
    script: list[Operation]
    node_cycles: int = 0


@dataclass
class Totals:
    """What was compared."""

    machines: int = 0
    node_kinds: int = 0
    cycles: int = 0
    flit_hops: int = 0
    bus_reads: int = 0
    interrupts: int = 0
    memory_words: int = 0
    seen: Counter[str] = field(default_factory=Counter)

    def missing(self) -> list[str]:
        """Return the kinds of operations that have not been seen."""
        return [kind for kind in all_kinds() if not self.seen[kind]]


@dataclass(frozen=True)
class Failure:
    """A case whose two sides differ, as small as it was made."""

    case: Case
    difference: Difference
    operations_before: int


Library = Callable[[Machine], Path]


def compare(case: Case, library: Library, totals: Totals | None = None) -> Difference | None:
    """Run a case. What was compared is added to the totals."""
    config, path = configuration(case.machine), str(library(case.machine))
    if case.node_cycles:
        compared = _core.compare_node(config, path, case.seed, case.seed, case.node_cycles)
    else:
        script = [
            (operation.settle, operation.advance, [dataclasses.astuple(access) for access in operation.accesses])
            for operation in case.script
        ]
        compared = _core.compare_machines(config, case.ranks, path, case.seed, script)
    if totals is not None:
        totals.cycles += compared.cycles
        totals.flit_hops += compared.flit_hops
        totals.bus_reads += compared.bus_reads
        totals.interrupts += compared.interrupts
        totals.memory_words += compared.memory_words
        totals.seen.update(operation.kind for operation in case.script)
    found = compared.difference
    if found is None:
        return None
    return Difference(found.cycle, found.node, found.place, found.field, found.expected, found.got)


def draw_kinds(rng: random.Random, count: int) -> list[Machine]:
    """Draw machines of different nodes; what does not need another node is drawn again for each run."""
    kinds = []
    for _ in range(count):
        machine = random_machine(rng, _MOST_ROUTERS, 2)
        ports = rng.choice((1, 1, 2, 3))
        kinds.append(dataclasses.replace(machine, mpe=dataclasses.replace(machine.mpe, combine_ports=ports)))
    return kinds


def vary(machine: Machine, rng: random.Random) -> Machine:
    """Draw a machine of the same node: other sizes and latencies."""
    size, room = [], _MOST_ROUTERS
    for left in range(len(machine.topology.size), 0, -1):
        size.append(rng.randint(2, max(2, min(4, room >> (left - 1)))))
        room //= size[-1]
    return dataclasses.replace(
        machine,
        topology=dataclasses.replace(machine.topology, size=tuple(size)),
        link=Link(rng.choice(_LATENCIES)),
        memory=dataclasses.replace(machine.memory, latency_cycles=rng.choice((1, 2, 4, 9))),
    )


def _addresses(machine: Machine) -> list[int]:
    """Return the address of each rank's slot."""
    bits = NODE_ID_BITS // max(1, len(machine.topology.size))
    ids = [0]
    for dim, length in enumerate(machine.topology.size):
        ids = [node | place << (bits * dim) for place in range(length) for node in ids]
    return [node | slot << 12 for node in ids for slot in range(machine.topology.slots)]


def run(
    machines: list[Machine],
    library: Library,
    *,
    count: int,
    seed: int,
    hops: int,
    progress: Callable[[int, int], None],
    vary_machines: bool = True,
) -> tuple[Totals, Failure | None]:
    """Compare scripts and random packets on many machines, until the first difference.

    Parameters
    ----------
    machines : list
        One of each kind of node.
    library : callable
        Returns the compiled node of a machine.
    count : int
        Machines to compare, at least.
    seed : int
        Of everything that is drawn.
    hops : int
        Flit-hops to compare, at least.
    progress : callable
        Is told machines and flit-hops so far.
    vary_machines : bool
        Draw sizes and latencies; otherwise machines are taken as they are.
    """
    rng = random.Random(seed)  # noqa: S311 (not for secrets)
    writer = ScriptWriter(rng)
    totals = Totals(node_kinds=len(machines))
    # Random packets give the flit-hops that are asked for; a crossbar has no links for them.
    linked = [machine for machine in machines if machine.topology.size]
    while totals.machines < count or (linked and totals.flit_hops < hops):
        machine = machines[totals.machines % len(machines)]
        if vary_machines:
            machine = vary(machine, rng)
        addresses = _addresses(machine)
        ranks = len(addresses)
        script = writer.draw(addresses, OPERATIONS)
        cases = [Case(machine, ranks, rng.randrange(1, 1 << 30), script)]
        if machine.topology.size:
            cases.append(Case(machine, ranks, rng.randrange(1, 1 << 30), [], _NODE_CYCLES))
        for case in cases:
            found = compare(case, library, totals)
            if found is not None:
                return totals, Failure(case, found, len(script))
        totals.machines += 1
        progress(totals.machines, totals.flit_hops)
    return totals, None


def shrink(failure: Failure, library: Library, seconds: float) -> Failure:
    """Leave out what a failure does not need: operations, then ranks, for as long as there is time."""
    best, end = failure, time.monotonic() + seconds

    def attempt(case: Case) -> bool:
        nonlocal best
        try:
            found = compare(case, library)
        except RuntimeError:  # what is left may wait for what was left out
            return False
        if found is not None:
            best = Failure(case, found, failure.operations_before)
        return found is not None

    if failure.case.node_cycles:
        attempt(dataclasses.replace(failure.case, node_cycles=failure.difference.cycle))
        return best
    size = len(best.case.script) // 2
    while size >= 1 and time.monotonic() < end:
        start, removed = 0, False
        while start < len(best.case.script) and time.monotonic() < end:
            script = best.case.script
            if attempt(dataclasses.replace(best.case, script=script[:start] + script[start + size :])):
                removed = True
            else:
                start += size
        if not removed or size > 1:
            size //= 2
    while best.case.ranks > 1 and time.monotonic() < end:
        ranks = best.case.ranks // 2
        script = [
            dataclasses.replace(operation, accesses=[a for a in operation.accesses if a.rank < ranks])
            for operation in best.case.script
        ]
        if not attempt(dataclasses.replace(best.case, ranks=ranks, script=script)):
            break
    return best


def as_json(case: Case) -> dict[str, object]:
    """Return a case as values for JSON, from which `from_json` makes it again."""
    return {"format": 1, **dataclasses.asdict(case)}


def from_json(path: Path) -> Case:
    """Read a case.

    Raises
    ------
    UserError
        If the file is not one.
    """
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        machine = values["machine"]
        parts: dict[str, Any] = {"router": Router, "rma": Rma, "mpe": Mpe, "memory": Memory, "link": Link}
        parts |= {"fabric": Fabric, "processor": Processor}
        machine |= {name: part(**machine[name]) for name, part in parts.items()}
        machine["topology"] = Topology(**(machine["topology"] | {"size": tuple(machine["topology"]["size"])}))
        script = [
            Operation(**(operation | {"accesses": [Access(**access) for access in operation["accesses"]]}))
            for operation in values["script"]
        ]
        return Case(Machine(**machine), values["ranks"], values["seed"], script, values["node_cycles"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{path} is not a failure that tidings verify has written: {error}"
        raise UserError(message) from error


def as_table(totals: Totals) -> Table:
    """Return what was compared as a table."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name in ("machines", "node_kinds", "cycles", "flit_hops", "bus_reads", "interrupts", "memory_words"):
        table.add_row(name.replace("_", " "), f"{getattr(totals, name):,}")
    for kind in all_kinds():
        table.add_row(f"  {kind}", f"{totals.seen[kind]:,}")
    return table
