# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machine files: their reader and checks.

``rtl/machine/node.toml`` is the schema of all sections but ``topology``: what a key means, in which unit, and what is
allowed. The dataclasses below are made from it, and the reader, the error messages and ``tidings machine show`` from
these.
"""

import dataclasses
import difflib
import functools
import re
import tomllib
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidings import _core
from tidings.errors import UserError
from tidings.layout import machine_folder
from tidings.machines.schema import Rule, rule_of, schema

#: Bits of the data word that a link carries in a cycle.
WORD_BITS = 32
#: Slots whose number a packet has room for. The single router of a crossbar may have more.
SLOT_NUMBERS: int = _core.SLOT_NUMBERS
#: What `router` has if a crossbar has more slots, and its file does not say.
MANY_SLOTS_ROUTER: Mapping[str, object] = {"organisation": "crosspoint"}


_S = typing.TypeVar("_S", bound="Section")


def _field(rule: Rule, **keywords: Any) -> Any:
    """Declare a field of the schema with its rule."""
    return dataclasses.field(metadata={"rule": rule}, **keywords)


def _words(values: Any) -> tuple[str, ...]:
    """Return the members of an enumeration of the simulator as a machine file writes them."""
    return tuple(member.name.lower().replace("_", "-") for member in values)


@dataclass(frozen=True)
class Topology:
    """The graph of routers and what hangs on each."""

    kind: str = _field(Rule("how routers are joined", choices=_words(_core.TopologyKind)))
    slots: int = _field(Rule("slots per router", low=1, high=_core.MAX_SLOTS))
    size: tuple[int, ...] = _field(
        Rule("routers in each dimension; none for a crossbar or a graph", low=1, high=_core.MAX_ROUTERS), default=()
    )
    routers: int = _field(Rule("routers of a graph", low=0, high=_core.MAX_ROUTERS), default=0)
    hosts: int = _field(
        Rule("routers of a graph that have slots: the first ones; all if not given", low=0, high=_core.MAX_ROUTERS),
        default=0,
    )
    links: tuple[tuple[int, ...], ...] = _field(
        Rule(
            "links of a graph: two routers each, and the latency in cycles if it is not link.latency_cycles",
            low=0,
            high=_core.MAX_LATENCY,
        ),
        default=(),
    )
    routing: str = _field(
        Rule(
            "routes of a graph: computed, up towards a root and then down; or from the table next",
            choices=_words(_core.Routing),
        ),
        default=_words(_core.Routing)[0],
    )
    roots: tuple[int, ...] = _field(
        Rule("routers at the top, for up-down; the one with most links if not given", low=0, high=_core.MAX_ROUTERS),
        default=(),
    )
    next: tuple[tuple[int, ...], ...] = _field(
        Rule(
            "for each router: the neighbour that is next on the way to each router with slots",
            low=0,
            high=_core.MAX_ROUTERS,
        ),
        default=(),
    )
    layers: tuple[tuple[int, ...], ...] = _field(
        Rule("likewise: the layer of virtual channels on which packets leave; 0 if not given", low=0, high=1),
        default=(),
    )

    def configuration(self) -> _core.TopologyConfig:
        """Return the simulator's description."""
        config = _core.TopologyConfig()
        config.kind = _core.TopologyKind[self.kind.upper()]
        config.size = list(self.size)
        config.slots = self.slots
        graph = _core.GraphConfig()
        graph.routers = self.routers
        graph.hosts = self.hosts
        graph.links = [(a, b, latency[0] if latency else 0) for a, b, *latency in self.links]
        graph.routing = _core.Routing[self.routing.replace("-", "_").upper()]
        graph.roots = list(self.roots)
        graph.next = [list(row) for row in self.next]
        graph.layers = [list(row) for row in self.layers]
        config.graph = graph
        return config


@functools.lru_cache(maxsize=64)
def _network(topology: Topology, ranks: int | None) -> _core.Topology:
    return _core.Topology(topology.configuration(), ranks)


class Section:
    """One table of a machine file: a value for each key that the schema has for it."""

    if typing.TYPE_CHECKING:

        def __init__(self, *values: Any, **by_key: Any) -> None: ...
        def __getattr__(self, key: str) -> Any: ...

    def replaced(self, **values: Any) -> typing.Self:
        """Return a copy with other values."""
        copy: typing.Self = dataclasses.replace(typing.cast("Any", self), **values)
        return copy


def _from_schema(section: type[_S]) -> type[_S]:
    """Make a dataclass with the keys of the schema, those without a default first."""
    keys = {key: p for key, p in schema()[section.__name__.lower()].items() if not p.fixed}
    section.__annotations__ = {}
    for key, p in sorted(keys.items(), key=lambda entry: entry[1].default is not None):
        section.__annotations__[key] = p.kind
        setattr(section, key, _field(p.rule, **({} if p.default is None else {"default": p.default})))
    return dataclass(frozen=True)(section)


@_from_schema
class Fabric(Section):
    """The clock of routers, links and engines."""


@_from_schema
class Router(Section):
    """Buffers and arbitration of a router."""


@_from_schema
class Link(Section):
    """Wires between neighbouring routers."""


@_from_schema
class Rma(Section):
    """Engine for messages and one-sided operations."""


@_from_schema
class Mpe(Section):
    """Engine for collective operations."""


@_from_schema
class Stream(Section):
    """Engine for words in and out of the network."""


@_from_schema
class Barrier(Section):
    """Engine for barriers over wires."""


def can_have_wires(kind: str, dimensions: int, *, reliable: bool) -> bool:
    """Return whether wires for barriers can join the slots of a router, or the routers of a grid.

    Parameters
    ----------
    kind : str
        Of the topology.
    dimensions : int
        Of the grid; 0 if the machine is none.
    reliable : bool
        Its links are reliable ones, which lead from board to board.
    """
    return kind == "crossbar" or (1 <= dimensions <= _core.BARRIER_PORTS // 2 and not reliable)


@_from_schema
class Alltoall(Section):
    """Engine for all-to-alls over a static switch."""


def can_have_switches(kind: str, dimensions: int, *, reliable: bool) -> bool:
    """Return whether static switches can join the routers; parameters are those of `can_have_wires`."""
    return kind != "crossbar" and 1 <= dimensions <= _core.SWITCH_PORTS // 2 and not reliable


def can_have_own_network(kind: str, dimensions: int, *, reliable: bool) -> bool:
    """Return whether the engines `stream` can have a network to themselves; parameters as above."""
    return kind == "mesh" and 1 <= dimensions <= _core.FLAT_SWITCH_PORTS // 2 and not reliable


def switch_ports(dimensions: int) -> int:
    """Return the network ports of a static switch in a machine of some dimensions."""
    return _core.FLAT_SWITCH_PORTS if 2 * dimensions <= _core.FLAT_SWITCH_PORTS else _core.SWITCH_PORTS


@_from_schema
class Memory(Section):
    """Node memory that the engines reach."""


@_from_schema
class Processor(Section):
    """Costs of the software that a rank runs."""


@dataclass(frozen=True)
class Profile:
    """Another library that programs can run with (``tidings run --profile``): its costs and its algorithms."""

    summary: str = _field(Rule("which library it is, and where its costs are from"))
    costs: dict[str, float] = _field(
        Rule("what its work takes in ns, such as message_ns; work without a cost is free"),
        hash=False,
    )
    algorithms: dict[str, str] = _field(
        Rule("its algorithms by collective, as `tidings algorithms` lists them"), default_factory=dict, hash=False
    )


@dataclass(frozen=True)
class Machine:
    """A machine as its file describes it."""

    name: str = _field(Rule("name of the machine", pattern="[a-z0-9][a-z0-9_.-]*"))
    summary: str = _field(Rule("one line about the machine"))
    topology: Topology = _field(Rule("graph of routers"))
    fabric: Fabric = _field(Rule("fabric"))
    router: Router = _field(Rule("router"))
    rma: Rma = _field(Rule("engine for messages and one-sided operations"))
    mpe: Mpe = _field(Rule("engine for collectives"))
    memory: Memory = _field(Rule("node memory"))
    processor: Processor = _field(Rule("processor costs"))
    link: Link = _field(Rule("links; needed unless the machine is a crossbar"), default=Link(latency_cycles=1))
    stream: Stream = _field(Rule("engine for words in and out of the network"), default=Stream())
    barrier: Barrier = _field(Rule("engine for barriers over wires"), default=Barrier())
    alltoall: Alltoall = _field(Rule("engine for all-to-alls over a static switch"), default=Alltoall())
    software: dict[str, Profile] = _field(
        Rule("profiles by name: other libraries that programs can run with"), default_factory=dict, hash=False
    )

    def profile(self, name: str) -> Profile:
        """Return a profile.

        Raises
        ------
        UserError
            If the machine has none of that name.
        """
        if name not in self.software:
            there = (
                f"it has {', '.join(self.software)}"
                if self.software
                else "it has none: a machine file has them in [software.NAME]"
            )
            raise UserError(f"machine {self.name} has no profile {name!r}; {there}")
        return self.software[name]

    def network(self, ranks: int | None = None) -> _core.Topology:
        """Return the graph of routers as the simulator has it, cut as a run of that number of ranks cuts it."""
        return _network(self.topology, ranks)

    @property
    def routers(self) -> int:
        """Number of routers."""
        return self.network().routers

    @property
    def slots(self) -> int:
        """Number of slots, which is the most ranks that the machine can run."""
        return self.network().endpoints

    @property
    def ports(self) -> int:
        """Network ports of a router; without any the machine has no links."""
        return self.network().ports

    @property
    def layers(self) -> int:
        """Layers of virtual channels that routes need: 2 on wrap-around links, else 1 unless a table uses more."""
        return self.network().layers

    @property
    def shape(self) -> str:
        """The topology in a word or two, as in ``mesh 8x8``."""
        if self.topology.kind == "graph":
            return f"graph of {self.routers} routers"
        if self.topology.kind == "crossbar":
            return f"crossbar of {self.slots} slots"
        return " ".join([self.topology.kind, "x".join(map(str, self.topology.size))])

    @property
    def link_bandwidth_MBps(self) -> float:  # noqa: N802 (the unit is MB)
        """Payload and header bytes that a link carries in one direction, in MB/s."""
        return float(self.fabric.clock_MHz * WORD_BITS / 8)

    @property
    def link_cycles(self) -> tuple[int, int]:
        """Latency of the shortest and of the longest link."""
        own = [link[2] if len(link) > 2 else self.link.latency_cycles for link in self.topology.links]
        return min(own, default=self.link.latency_cycles), max(own, default=self.link.latency_cycles)

    @property
    def hop_cycles(self) -> int:
        """Cycles from router to router over the longest link, without errors."""
        return self.link_cycles[1] + int(self.router.pipeline) + (2 if self.link.reliable else 0)

    @property
    def hop_ns(self) -> float:
        """Time of a hop in nanoseconds."""
        return float(self.hop_cycles * 1000 / self.fabric.clock_MHz)

    @property
    def credit_round_trip_cycles(self) -> int:
        """Cycles from a flit's departure until another one can leave for its place in the buffer."""
        return 2 * self.hop_cycles - int(self.router.pipeline)  # a credit does not wait for its flit


#: Sections of a machine file that come from the schema, by name.
SECTIONS: Mapping[str, type[Section]] = {
    name: kind
    for name, kind in typing.get_type_hints(Machine).items()
    if typing.get_origin(kind) is None and issubclass(kind, Section)
}


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a machine file."""

    key: str
    text: str
    line: int | None = None


class MachineFileError(UserError):
    """A machine file cannot be used.

    Attributes
    ----------
    path : Path
        The file.
    problems : tuple of Problem
        Everything that was found wrong with it.
    """

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        self.path = path
        self.problems = tuple(problems)
        super().__init__("\n".join(self._describe(problem) for problem in problems))

    def _describe(self, problem: Problem) -> str:
        where = f"{self.path}:{problem.line}" if problem.line else str(self.path)
        key = problem.key if problem.key.isprintable() else ascii(problem.key)
        return f"{where}: {key}: {problem.text}" if key else f"{where}: {problem.text}"


class UnknownMachineError(UserError):
    """No machine has the name that was given."""


def shipped_machines() -> dict[str, Path]:
    """Return the machine files that come with Tidings, by name, in alphabetical order."""
    return {path.stem: path for path in sorted(machine_folder().glob("*.toml"))}


def find_machine(name: str) -> Path:
    """Turn a name or a path, as given to ``--machine``, into the path of a machine file.

    Raises
    ------
    UnknownMachineError
        If there is no such machine; the message suggests near names.
    """
    if name.endswith(".toml") or "/" in name:
        path = Path(name)
        if path.is_file():
            return path
        message = f"machine file {name!r} does not exist or is not a file"
        raise UnknownMachineError(message)
    machines = shipped_machines()
    if name in machines:
        return machines[name]
    near = difflib.get_close_matches(name, machines, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(machines)}."
    message = f"there is no machine {name!r}. {hint} (A machine file of your own is given by its path: ./{name}.toml)"
    raise UnknownMachineError(message)


def load_machine(path: Path) -> Machine:
    """Read and check a machine file.

    Raises
    ------
    MachineFileError
        With everything that is wrong: syntax, unknown or missing keys, wrong types, values out of range.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MachineFileError(path, [Problem("", f"cannot be read: {error}")]) from error
    return parse_machine(text, path)


def parse_machine(text: str, path: Path) -> Machine:
    """Read a machine from the text of its file; see `load_machine`. The path is used in messages."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError is also what an integer of thousands of digits gives
        line = re.search(r"at line (\d+)", str(error))
        number = int(line[1]) if line else None
        problem = Problem("", f"is not valid TOML: {error}{_capitals(text, number)}", number)
        raise MachineFileError(path, [problem]) from error
    return read_machine(document, path, text)


def _capitals(text: str, line: int | None) -> str:
    """Say how TOML writes what Python writes as True and False, if that is what stands in a line."""
    found = None if line is None else re.search(r"=\s*(True|False)\b", text.splitlines()[line - 1])
    return f"; write {found[1].lower()}" if found else ""


def read_machine(document: Mapping[str, Any], path: Path, text: str = "") -> Machine:
    """Read a machine from a parsed document; see `load_machine`. Path and text are used in messages."""
    reader = _Reader(text)
    document = _with_router_of_many_slots(document)
    machine = reader.read(Machine, document, "")
    if not reader.problems:
        reader.check_whole(typing.cast("Machine", machine), document)
    if reader.problems:
        raise MachineFileError(path, reader.problems)
    return typing.cast("Machine", machine)


def _with_router_of_many_slots(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a document whose router has what many slots need, unless it says something else."""
    topology, router = document.get("topology"), document.get("router")
    if not isinstance(topology, dict) or not isinstance(router, dict) or topology.get("kind") != "crossbar":
        return document
    slots = topology.get("slots")
    many = isinstance(slots, int) and slots > SLOT_NUMBERS
    return {**document, "router": {**MANY_SLOTS_ROUTER, **router}} if many else document


def warnings_of(machine: Machine) -> list[str]:
    """Return what is allowed in a machine but probably not meant."""
    warnings = []
    if machine.ports and machine.router.buffer_flits < machine.credit_round_trip_cycles:
        reach = machine.router.buffer_flits / machine.credit_round_trip_cycles
        warnings.append(
            f"router.buffer_flits is {machine.router.buffer_flits}, but the credit of a flit takes "
            f"{machine.credit_round_trip_cycles} cycles to come back: a virtual channel of a link carries at most "
            f"{reach:.0%} of the link's bandwidth"
        )
    if machine.router.pipeline and machine.router.slot_buffer_flits == 2:
        warnings.append(
            "router.slot_buffer_flits is 2, but with router.pipeline the credit of a flit takes 3 cycles to come back: "
            "a class of a slot gets at most 67% of what a port carries"
        )
    # Credits of a stream come back when a quarter of the buffer has been freed.
    usable = machine.mpe.buffer_words * 3 // 4
    neighbour_cycles = 2 * (machine.link_cycles[1] + 2 * int(machine.router.pipeline))
    if machine.ports and usable < neighbour_cycles:
        warnings.append(
            f"mpe.buffer_words is {machine.mpe.buffer_words}, of which {usable} can be under way, but a credit takes "
            f"{neighbour_cycles} cycles to a neighbour and back: streams of collectives will pause"
        )
    return warnings


class _Reader:
    """Turns a parsed document into dataclasses and notes every problem on the way."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self._lines = text.splitlines()

    def read(self, schema: type, table: Mapping[str, object], prefix: str) -> object | None:
        """Read one table; None if it has a problem."""
        hints = typing.get_type_hints(schema)
        fields = {field.name: field for field in dataclasses.fields(schema)}
        before = len(self.problems)
        for key in table:
            if key not in fields:
                near = difflib.get_close_matches(key, fields, n=1)
                hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(fields)}"
                self._problem(prefix + key, f"is not a key of a machine file; {hint}")
        values = {}
        for key, field in fields.items():
            if key in table:
                values[key] = self._value(hints[key], rule_of(field), table[key], prefix + key)
            elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                allowed = rule_of(field).allowed()
                self._problem(
                    prefix + key, f"is missing: {rule_of(field).meaning}" + (f" ({allowed})" if allowed else "")
                )
        return schema(**values) if len(self.problems) == before else None

    def check_whole(self, machine: Machine, document: Mapping[str, Any]) -> None:
        """Note what no single value shows: tables that are missing or too many, and what the simulator refuses."""
        from tidings.machines.configuration import configuration

        topology = machine.topology
        if topology.kind == "crossbar" and "link" in document:
            self._problem("link", "a crossbar is a single router and has no links: leave the table out")
        if topology.kind != "crossbar" and "link" not in document:
            self._problem("link.latency_cycles", f"is missing: {schema()['link']['latency_cycles'].rule.meaning}")
        before = len(self.problems)
        for name, profile in machine.software.items():
            self._check_profile(f"software.{name}", profile)
        for link in topology.links:
            if len(link) not in (2, 3) or (len(link) == 3 and link[2] < 1):
                self._problem(
                    "topology.links",
                    f"has an element {list(link)}; each must be two routers, or two routers and at least 1 cycle",
                )
        if len(self.problems) > before:
            return
        try:
            configuration(machine).validate()
        except ValueError as error:
            key, _, text = str(error).partition(": ")
            self._problem(key, text)

    def _check_profile(self, key: str, profile: Profile) -> None:
        """Note costs of work that the library does not do, and algorithms that it does not have."""
        known = {name: parameter for name, parameter in schema()["processor"].items() if parameter.counted}
        for name, value in profile.costs.items():
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
                self._problem(f"{key}.costs.{name}", f"is no cost of a library's work; {hint}")
            elif not known[name].rule.accepts(value):
                self._problem(f"{key}.costs.{name}", f"is {value:g}; it must be {known[name].rule.allowed()}")
        try:
            _core.check_algorithm_choices(",".join(map("=".join, profile.algorithms.items())))
        except ValueError as error:
            self._problem(f"{key}.algorithms", str(error))

    def _named(self, kind: Any, value: object, key: str) -> object | None:
        """Read a table whose keys are names that the file chooses."""
        if not isinstance(value, dict):
            self._problem(key, f"must be a table, as in [{key}], but is {_describe(value)}")
            return None
        entries = {name: self._value(kind, Rule(""), entry, f"{key}.{name}") for name, entry in value.items()}
        return None if None in entries.values() else entries

    def _value(self, kind: Any, rule: Rule, value: object, key: str) -> object | None:
        if typing.get_origin(kind) is dict:
            return self._named(typing.get_args(kind)[1], value, key)
        if dataclasses.is_dataclass(kind):
            if isinstance(value, dict):
                return self.read(typing.cast("type", kind), value, key + ".")
            self._problem(key, f"must be a table, as in [{key}], but is {_describe(value)}")
            return None
        if isinstance(kind, types.GenericAlias):
            rows = isinstance(typing.get_args(kind)[0], types.GenericAlias)
            return self._lists(rule, value, key) if rows else self._integers(rule, value, key)
        if kind is float and type(value) is int and abs(value) < 1 << 53:
            value = float(value)
        if type(value) is not kind:
            self._problem(key, f"must be {_TYPE_NAMES[kind]}, but is {_describe(value)}")
            return None
        if not rule.accepts(value):
            self._problem(key, f"is {_describe(value)}; it must be {rule.allowed() or _ANY[kind]}")
            return None
        return value

    def _integers(self, rule: Rule, value: object, key: str) -> tuple[int, ...] | None:
        if not isinstance(value, list) or any(type(item) is not int for item in value):
            self._problem(key, f"must be a list of integers, as in [4, 4], but is {_describe(value)}")
            return None
        for item in value:
            if not rule.accepts(item):
                self._problem(key, f"has an element {_describe(item)}; each must be {rule.allowed()}")
                return None
        return tuple(value)

    def _lists(self, rule: Rule, value: object, key: str) -> tuple[tuple[int, ...], ...] | None:
        if not isinstance(value, list):
            self._problem(key, f"must be a list of lists, as in [[0, 1], [1, 2]], but is {_describe(value)}")
            return None
        rows = []
        for item in value:
            row = self._integers(rule, item, key)
            if row is None:
                return None
            rows.append(row)
        return tuple(rows)

    def _problem(self, key: str, text: str) -> None:
        self.problems.append(Problem(key, text, self._line_of(key)))

    def _line_of(self, key: str) -> int | None:
        """Find the line of a key, or of the table that should have it; None if it is written in another way."""
        section, _, name = key.rpartition(".")
        current, header = "", None
        for number, line in enumerate(self._lines, start=1):
            if match := re.match(r"\s*\[\s*([\w.-]+)\s*\]", line):
                current = match[1]
                if current in (section, key):
                    header = number
            elif current == section and re.match(rf"\s*{re.escape(name)}\s*=", line):
                return number
        return header


#: What a rule without limits allows.
_ANY = {str: "one line of printable characters", float: "a finite number"}
_TYPE_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}


def _describe(value: object) -> str:
    """Show a TOML value in a message, cut to a readable length."""
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        text = "a very long integer"
    text = {"True": "true", "False": "false"}.get(text, text)
    return text if len(text) <= 60 else text[:57] + "..."
