# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machine files: their schema, reader and checks.

The dataclasses below are the schema. Each field says what it means, in which unit, and what is allowed; the reader, the
error messages and ``tidings machine show`` are made from them.
"""

import dataclasses
import difflib
import math
import re
import tomllib
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidings.errors import UserError
from tidings.layout import machine_folder

#: Bits of a router's address in a packet, shared by the coordinates of all dimensions.
NODE_ID_BITS = 12
#: Most dimensions of a machine.
MAX_DIMENSIONS = 4
#: Bits of the data word that a link carries in a cycle.
WORD_BITS = 32


@dataclass(frozen=True)
class Rule:
    """What a field of a machine file means and allows."""

    meaning: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()
    power_of_two: bool = False
    or_zero: bool = False
    pattern: str = ""
    whole_kHz: bool = False

    def allowed(self) -> str:
        """Describe the allowed values."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        parts = ["a power of two"] if self.power_of_two else []
        if self.or_zero and parts:
            parts = [f"0, or {parts[0]}"]
        if self.above is not None:
            parts.append(f"more than {self.above:g}")
        if self.low is not None:
            parts.append(f"at least {self.low:g}")
        if self.high is not None:
            parts.append(f"at most {self.high:g}")
        if self.whole_kHz:
            parts.append("a whole number of kHz")
        if self.pattern:
            parts.append(f"of the form {self.pattern}")
        return " and ".join(parts)

    def accepts(self, value: object) -> bool:
        """Tell whether a value of the right type is allowed."""
        if isinstance(value, str):
            return (not self.choices or value in self.choices) and (
                not self.pattern or re.fullmatch(self.pattern, value) is not None
            )
        if not isinstance(value, int | float) or (self.or_zero and value == 0):
            return True
        return (
            math.isfinite(value)
            and (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
            and (self.above is None or value > self.above)
            and (not self.power_of_two or (isinstance(value, int) and value > 0 and value & (value - 1) == 0))
            and (not self.whole_kHz or math.isclose(value * 1000, round(value * 1000), rel_tol=1e-12))
        )


def _field(rule: Rule, **keywords: Any) -> Any:
    """Declare a field of the schema with its rule."""
    return dataclasses.field(metadata={"rule": rule}, **keywords)


def rule_of(field: "dataclasses.Field[Any]") -> Rule:
    """Return the rule that a field of the schema was declared with."""
    rule: Rule = field.metadata["rule"]
    return rule


@dataclass(frozen=True)
class Topology:
    """The graph of routers and what hangs on each."""

    kind: str = _field(Rule("how routers are joined", choices=("torus", "mesh", "ring", "crossbar")))
    slots: int = _field(Rule("slots a router", low=1, high=16))
    size: tuple[int, ...] = _field(Rule("routers in each dimension; none for a crossbar", low=2), default=())


@dataclass(frozen=True)
class Fabric:
    """The clock of routers, links and engines."""

    clock_MHz: float = _field(Rule("fabric clock", "MHz", above=0, high=10_000, whole_kHz=True))


@dataclass(frozen=True)
class Router:
    """Buffers and arbitration of a router."""

    buffer_flits: int = _field(
        Rule("input buffer of a network port, per virtual channel", "flits", low=2, high=4096, power_of_two=True)
    )
    slot_buffer_flits: int = _field(
        Rule("buffer between router and slot, per message class", "flits", low=2, high=4096, power_of_two=True)
    )
    arbiter: str = _field(Rule("who goes first at an output", choices=("round-robin", "fixed-priority")))
    routes: int = _field(
        Rule("static routes, which multicast needs", low=2, high=64, power_of_two=True, or_zero=True), default=16
    )
    pipeline: bool = _field(Rule("words leave a cycle after their grants, for a faster clock"), default=False)


@dataclass(frozen=True)
class Link:
    """Wires between neighbouring routers."""

    latency_cycles: int = _field(Rule("cycles from router to router", "cycles", low=1, high=100_000))
    reliable: bool = _field(Rule("lost and damaged words are sent again, for two cycles more a hop"), default=False)
    bit_error_rate: float = _field(
        Rule("wrong bits among those on the wires of reliable links", low=0, high=0.5), default=0.0
    )
    seed: int = _field(Rule("of the wrong bits", low=0, high=1 << 63), default=1)


@dataclass(frozen=True)
class Rma:
    """Engine for messages and one-sided operations."""

    command_depth: int = _field(Rule("commands that can wait in the engine", low=2, high=128, power_of_two=True))


@dataclass(frozen=True)
class Mpe:
    """Engine for collective operations."""

    buffer_words: int = _field(Rule("stream buffer of a tree link", "words", low=128, high=8192, power_of_two=True))
    combine_ports: int = _field(Rule("children of a tree combined in one pass", low=1, high=8), default=1)
    direct_links: bool = _field(Rule("words of neighbours one hop away go around the slot's queues"), default=True)
    fan_out: str = _field(
        Rule(
            "a packet goes over direct links to all children at once, or to one after another (as it does where "
            "router.buffer_flits is below 128)",
            choices=("multicast", "serial"),
        ),
        default="multicast",
    )
    forward_words: int = _field(
        Rule("words at hand before a packet starts that is not the last of its stream", "words", low=1, high=64),
        default=1,
    )
    wide_elements: bool = _field(Rule("elements of 64 bits are combined, not only those of 32"), default=True)


@dataclass(frozen=True)
class Memory:
    """Node memory that the engines reach."""

    size_MiB: int = _field(Rule("node memory of a slot", "MiB", low=1, high=2048, power_of_two=True))
    latency_cycles: int = _field(Rule("cycles from a read to its data", "cycles", low=1, high=10_000))


@dataclass(frozen=True)
class Processor:
    """Costs of the software that a rank runs."""

    clock_MHz: float = _field(Rule("processor clock", "MHz", above=0, high=100_000, whole_kHz=True))
    bus_write_ns: float = _field(Rule("one posted write to a slot's registers", "ns", low=0, high=1e9))
    bus_read_ns: float = _field(Rule("one read of a slot's registers", "ns", low=0, high=1e9))
    interrupt_ns: float = _field(Rule("from the interrupt line to the waiting program", "ns", low=0, high=1e9))
    call_ns: float = _field(Rule("entry to a library call", "ns", low=0, high=1e9))
    match_ns: float = _field(Rule("looking at one queue entry while matching", "ns", low=0, high=1e9))
    poll_ns: float = _field(Rule("one unsuccessful test", "ns", above=0, high=1e9))
    reduce_element_ns: float = _field(Rule("combining one element in software", "ns", low=0, high=1e9))
    copy_call_ns: float = _field(Rule("starting a copy to or from node memory", "ns", low=0, high=1e9))
    copy_byte_ns: float = _field(Rule("copying one byte to or from node memory", "ns", low=0, high=1e6))
    clock_read_ns: float = _field(Rule("reading the clock", "ns", above=0, high=1e9))
    compute_scale: float = _field(
        Rule("time of this processor for a second of the host's, for --compute measured", above=0, high=1e6)
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

    @property
    def routers(self) -> int:
        """Number of routers."""
        return math.prod(self.topology.size)

    @property
    def slots(self) -> int:
        """Number of slots, which is the most ranks that the machine can run."""
        return self.routers * self.topology.slots

    @property
    def wrapped(self) -> bool:
        """Whether the dimensions have wrap-around links."""
        return self.topology.kind in ("torus", "ring")

    @property
    def diameter_hops(self) -> int:
        """Hops between the two routers that are farthest apart."""
        return sum(size // 2 if self.wrapped else size - 1 for size in self.topology.size)

    @property
    def mean_hops(self) -> float:
        """Mean hops between two different routers, all pairs equally likely."""
        if self.routers == 1:
            return 0.0
        total = 0.0
        for size in self.topology.size:
            if self.wrapped:
                distances = sum(min(d, size - d) for d in range(size)) / size
            else:
                distances = (size * size - 1) / (3 * size)
            total += distances
        return total * self.routers / (self.routers - 1)

    @property
    def bisection_links(self) -> int:
        """Links, counted once a direction, that cross the middle of the longest dimension."""
        if not self.topology.size:
            return 0
        longest = max(self.topology.size)
        cuts = 2 if self.wrapped and longest > 2 else 1
        return 2 * cuts * self.routers // longest

    @property
    def link_bandwidth_MBps(self) -> float:  # noqa: N802 (the unit is MB)
        """Payload and header bytes that a link carries in one direction, in MB/s."""
        return self.fabric.clock_MHz * WORD_BITS / 8

    @property
    def hop_cycles(self) -> int:
        """Cycles from router to router, without errors."""
        return self.link.latency_cycles + int(self.router.pipeline) + (2 if self.link.reliable else 0)

    @property
    def hop_ns(self) -> float:
        """Time of a hop in nanoseconds."""
        return self.hop_cycles * 1000 / self.fabric.clock_MHz

    @property
    def credit_round_trip_cycles(self) -> int:
        """Cycles from a flit's departure until another one can leave for its place in the buffer."""
        return 2 * self.hop_cycles - int(self.router.pipeline)  # a credit does not wait for its flit


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
        return f"{where}: {problem.key}: {problem.text}" if problem.key else f"{where}: {problem.text}"


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
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MachineFileError(path, [Problem("", f"cannot be read: {error}")]) from error
    return parse_machine(text, path)


def parse_machine(text: str, path: Path) -> Machine:
    """Read a machine from the text of its file; see `load_machine`. The path is used in messages."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError is also what an integer of thousands of digits gives
        line = re.search(r"at line (\d+)", str(error))
        problem = Problem("", f"is not valid TOML: {error}", int(line[1]) if line else None)
        raise MachineFileError(path, [problem]) from error
    reader = _Reader(text)
    machine = reader.read(Machine, document, "")
    if not reader.problems:
        reader.check_topology(typing.cast("Machine", machine), document)
    if reader.problems:
        raise MachineFileError(path, reader.problems)
    return typing.cast("Machine", machine)


def warnings_of(machine: Machine) -> list[str]:
    """Return what is allowed in a machine but probably not meant."""
    warnings = []
    if machine.topology.size and machine.router.buffer_flits < machine.credit_round_trip_cycles:
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
    neighbour_cycles = 2 * (machine.link.latency_cycles + 2 * int(machine.router.pipeline))
    if machine.topology.size and usable < neighbour_cycles:
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
        """Read one table; None where it has a problem."""
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
            elif field.default is dataclasses.MISSING:
                allowed = rule_of(field).allowed()
                self._problem(
                    prefix + key, f"is missing: {rule_of(field).meaning}" + (f" ({allowed})" if allowed else "")
                )
        return schema(**values) if len(self.problems) == before else None

    def check_topology(self, machine: Machine, document: Mapping[str, Any]) -> None:
        """Note what no single value shows: sizes against the topology's kind and the bits of an address."""
        kind, size = machine.topology.kind, machine.topology.size
        if kind == "crossbar":
            if size:
                self._problem("topology.size", "a crossbar is a single router: leave size out and set slots")
            if "link" in document:
                self._problem("link", "a crossbar is a single router and has no links: leave the table out")
            return
        if "link" not in document:
            self._problem("link.latency_cycles", f"is missing: {rule_of(dataclasses.fields(Link)[0]).meaning}")
        if not size:
            self._problem("topology.size", f"is missing: a {kind} needs the routers in each dimension, as in [4, 4]")
            return
        if machine.link.bit_error_rate and not machine.link.reliable:
            self._problem("link.bit_error_rate", "needs reliable = true: other links have no errors")
        if kind == "ring" and len(size) != 1:
            self._problem("topology.size", f"a ring has one dimension, not {len(size)}: use a torus")
        if len(size) > MAX_DIMENSIONS:
            self._problem("topology.size", f"has {len(size)} dimensions; at most {MAX_DIMENSIONS} are possible")
            return
        most = 1 << (NODE_ID_BITS // len(size))
        for dimension, routers in enumerate(size):
            if routers > most:
                self._problem(
                    "topology.size",
                    f"dimension {dimension} has {routers} routers; a router's address has {NODE_ID_BITS} bits, "
                    f"which leaves each of {len(size)} dimensions at most {most}",
                )

    def _value(self, kind: Any, rule: Rule, value: object, key: str) -> object | None:
        if dataclasses.is_dataclass(kind):
            if isinstance(value, dict):
                return self.read(typing.cast("type", kind), value, key + ".")
            self._problem(key, f"must be a table, as in [{key}], but is {_describe(value)}")
            return None
        if isinstance(kind, types.GenericAlias):
            return self._integers(rule, value, key)
        if kind is float and type(value) is int and abs(value) < 1 << 53:
            value = float(value)
        if type(value) is not kind:
            self._problem(key, f"must be {_TYPE_NAMES[kind]}, but is {_describe(value)}")
            return None
        if not rule.accepts(value):
            self._problem(key, f"is {_describe(value)}; it must be {rule.allowed() or 'a finite number'}")
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

    def _problem(self, key: str, text: str) -> None:
        self.problems.append(Problem(key, text, self._line_of(key)))

    def _line_of(self, key: str) -> int | None:
        """Find the line of a key, or of the table that should have it; None where it is written in another way."""
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


_TYPE_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}


def _describe(value: object) -> str:
    """Show a TOML value in a message, cut to a readable length."""
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        text = "a very long integer"
    text = {"True": "true", "False": "false"}.get(text, text)
    return text if len(text) <= 60 else text[:57] + "..."
