# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""One comparison of `tidings verify`: what is run, what is found, and its file."""

import dataclasses
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidings import _core
from tidings._core import NODE_ID_BITS
from tidings.errors import UserError
from tidings.machines.configuration import configuration
from tidings.machines.file import SECTIONS, Machine, Topology
from tidings.verify.coverage import Coverage
from tidings.verify.script import Access, Operation

_FORMAT = 2

#: Returns the compiled node of a machine.
Library = Callable[[Machine], Path]


@dataclass(frozen=True)
class Difference:
    """The first difference: expected of the RTL, got of the cycle model, in the cycle in which it shows.

    `of_fabric` says that the node differs in the cycle model's fabric and not beside the RTL with its inputs.
    """

    cycle: int
    node: int
    place: str
    field: str
    expected: int
    got: int
    of_fabric: bool = False

    def __str__(self) -> str:
        """Return it as one line."""
        place = f", {self.place}" if self.place else ""
        where = f"cycle {self.cycle}, node {self.node}{place}, {self.field}"
        return f"{where}: expected {self.expected:#x}, got {self.got:#x}"


@dataclass(frozen=True)
class Stop:
    """Both sides are the same, and cannot go on or do not come to their end."""

    cycle: int
    node: int
    reason: str
    kind: _core.StopKind = _core.StopKind.FAILED

    def __str__(self) -> str:
        """Return it as one line."""
        return f"cycle {self.cycle}, node {self.node}: {self.reason}"


Finding = Difference | Stop


@dataclass(frozen=True)
class Case:
    """One comparison: a script on a machine, or random packets for one node if `node_cycles` is not 0.

    `packets` has the numbers of the packets that are sent; None stands for all.
    """

    machine: Machine
    seed: int
    script: list[Operation]
    node_cycles: int = 0
    packets: list[int] | None = None

    @property
    def ranks(self) -> list[int]:
        """Ranks that the script uses."""
        return sorted({access.rank for operation in self.script for access in operation.accesses})

    @property
    def size(self) -> str:
        """What it consists of, as a text."""
        if self.node_cycles:
            packets = "all packets" if self.packets is None else _plural(len(self.packets), "packet")
            return f"{packets} for one node of {self.machine.routers}"
        parts = [(len(self.script), "operation"), (len(self.ranks), "rank"), (self.machine.routers, "node")]
        return "{} of {} on {}".format(*(_plural(count, what) for count, what in parts))


@dataclass(frozen=True)
class Failure:
    """A case that fails, and how."""

    case: Case
    finding: Finding


@dataclass
class Totals:
    """What was compared."""

    machines: int = 0
    with_reliable_links: int = 0
    node_kinds: int = 0
    cycles: int = 0
    flit_hops: int = 0
    bus_reads: int = 0
    interrupts: int = 0
    memory_words: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    coverage: Coverage = field(default_factory=Coverage)


def _plural(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def packet_kinds() -> list[str]:
    """Return the kinds of random packets."""
    return list(_core.packet_kinds())


def addresses(machine: Machine) -> list[int]:
    """Return the address of each rank's slot, router and slot, as packets carry them."""
    network = machine.network()
    places = map(network.slot_address, range(network.endpoints))
    return [node | slot << NODE_ID_BITS for node, slot in places]


def as_script(case: Case) -> list[tuple[bool, int, list[tuple[int, int, bool, int, int]]]]:
    """Return the script as the simulator takes it."""
    slots = addresses(case.machine)

    def as_access(access: Access) -> tuple[int, int, bool, int, int]:
        data = access.data | (0 if access.to is None else slots[access.to])
        return access.rank, access.delay, access.write, access.address, data

    return [
        (operation.settle, operation.advance, [as_access(access) for access in operation.accesses])
        for operation in case.script
    ]


def as_node_run(case: Case) -> "_core.NodeRun":
    """Return a run of one node as the simulator takes it."""
    run = _core.NodeRun()
    run.node = run.seed = case.seed
    run.cycles = case.node_cycles
    run.packets = case.packets
    return run


def compare(case: Case, library: Library, totals: Totals | None = None) -> Failure | None:
    """Run a case. What was compared is added to the totals."""
    config, path = configuration(case.machine), str(library(case.machine))
    if case.node_cycles:
        compared, begun = _core.compare_node(config, path, as_node_run(case))
        case = dataclasses.replace(case, packets=begun)
    else:
        compared = _core.compare_machines(config, path, case.seed, as_script(case))
    if totals is not None:
        totals.cycles += compared.cycles
        totals.flit_hops += compared.flit_hops
        totals.bus_reads += compared.bus_reads
        totals.interrupts += compared.interrupts
        totals.memory_words += compared.memory_words
        subject = "node" if case.node_cycles else "machine"
        totals.coverage.see_accesses(subject, compared.accesses)
        totals.coverage.see_packets(subject, compared.headers)
        totals.seen.update(operation.kind for operation in case.script)
        totals.seen.update(dict(zip(packet_kinds(), compared.packets, strict=False)))
    if (difference := compared.difference) is not None:
        values = {part.name: getattr(difference, part.name) for part in dataclasses.fields(Difference)}
        return Failure(case, Difference(**values))
    if (stop := compared.stop) is not None:
        return Failure(case, Stop(stop.cycle, stop.node, stop.reason, stop.kind))
    return None


def write(path: Path, case: Case) -> None:
    """Write a case to a file, from which `read` makes it again."""
    values = {"format": _FORMAT, **dataclasses.asdict(case)}
    path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Case:
    """Read a case.

    Raises
    ------
    UserError
        If the file is not one.
    """
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if values["format"] != _FORMAT:
            message = f"{path} has format {values['format']}, and this version of tidings reads {_FORMAT}"
            raise UserError(message)
        machine = values["machine"]
        for name, section in SECTIONS.items():
            machine[name] = section(**{key: _tuples(value) for key, value in machine[name].items()})
        machine["topology"] = Topology(**{key: _tuples(value) for key, value in machine["topology"].items()})
        script = [
            Operation(**(operation | {"accesses": [Access(**access) for access in operation["accesses"]]}))
            for operation in values["script"]
        ]
        return Case(Machine(**machine), values["seed"], script, values["node_cycles"], values["packets"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{path} is not a failure that tidings verify has written: {error}"
        raise UserError(message) from error


def _tuples(value: Any) -> Any:
    """Return lists of JSON, and lists in them, as tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
