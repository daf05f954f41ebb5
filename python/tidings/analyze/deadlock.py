# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Freedom from deadlock: the channel dependency graph of a machine, and the proof or the cycle that is in it."""

import random
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidings import _core
from tidings.errors import UserError
from tidings.machines.configuration import configuration
from tidings.machines.draw import random_machine
from tidings.machines.file import Machine

#: Message classes of a machine with slots.
_CLASSES = ("request", "reply")
#: Rules of static packets that can be left out.
RULES = ("turns", "order", "room")


@dataclass(frozen=True)
class ChannelCheck:
    """What the channel dependency graph of a machine shows.

    Attributes
    ----------
    channels, dependencies : int
        Size of the graph.
    routes : int
        Pairs of routers whose routes were followed.
    longest_route : int
        Hops of the longest.
    longest_chain : int
        Channels of the longest chain in which each can wait for the next; 0 if there is a cycle.
    cycle : list of str
        Channels that can wait for each other in a circle, described; empty if the machine is free of deadlock.
    """

    channels: int
    dependencies: int
    routes: int
    longest_route: int
    longest_chain: int
    cycle: list[str]

    @property
    def acyclic(self) -> bool:
        """Whether the machine's network cannot deadlock."""
        return not self.cycle


@dataclass(frozen=True)
class StaticEntry:
    """A static route at one router.

    Attributes
    ----------
    router : tuple of int
        Coordinates of the router.
    route : int
        Number of the route.
    ports : tuple of str
        Where it leads: ``+x``, ``-x``, ``+y``, ... and ``slot0``, ``slot1``, ...
    switched : bool
        Any turn is allowed, and packets of any length.
    """

    router: tuple[int, ...]
    route: int
    ports: tuple[str, ...]
    switched: bool = False


def load_routes(path: Path) -> list[StaticEntry]:
    """Read static routes: a TOML file with an array of tables ``route``, whose keys are those of `StaticEntry`.

    Raises
    ------
    UserError
        If the file cannot be read or an entry is wrong.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["route"]
    except (OSError, tomllib.TOMLDecodeError) as error:
        message = f"{path}: {error}"
        raise UserError(message) from error
    except KeyError as error:
        message = f"{path}: there is no [[route]]; each needs the keys router, route and ports"
        raise UserError(message) from error
    entries = []
    for number, table in enumerate(tables, start=1):
        try:
            entry = StaticEntry(**table | {"router": tuple(table["router"]), "ports": tuple(table["ports"])})
        except (TypeError, KeyError) as error:
            message = f"{path}: [[route]] number {number}: {error}; the keys are router, route, ports and switched"
            raise UserError(message) from error
        entries.append(entry)
    return entries


def check_channels(
    machine: Machine,
    ranks: int | None = None,
    *,
    dateline: bool = True,
    routes: Sequence[StaticEntry] | None = None,
    without: str | None = None,
) -> ChannelCheck:
    """Build the channel dependency graph of a machine and look for a cycle.

    Parameters
    ----------
    machine : Machine
        The machine.
    ranks : int, optional
        Cut the machine to the smallest box that holds them, as a run does.
    dateline : bool
        False leaves the dateline channels of wrap-around links out, to see what they are good for.
    routes : sequence of StaticEntry, optional
        The static routes; without, trees of all kinds at once.
    without : str, optional
        A rule of static packets to leave out, to see what it is good for: one of `RULES`.
    """
    graph = _graph(machine, ranks, dateline, routes, without)
    numbers = graph.numbering()
    cycle: list[str] = []
    if not numbers:
        channels = graph.channels
        cycle = [describe(machine, ranks, channels[index]) for index in graph.shortest_cycle()]
    return ChannelCheck(
        channels=graph.channel_count,
        dependencies=graph.dependency_count,
        routes=graph.routes,
        longest_route=graph.longest_route,
        longest_chain=max(numbers) + 1 if numbers else 0,
        cycle=cycle,
    )


def proof(machine: Machine, ranks: int | None = None) -> dict[str, Any]:
    """Return the channels of a machine with numbers that rise along every dependency, and all dependencies.

    Whoever has it needs no search to see that there is no cycle: each dependency must lead to a higher number.

    Raises
    ------
    UserError
        If there is a cycle.
    """
    graph = _graph(machine, ranks)
    numbers = graph.numbering()
    if not numbers:
        message = f"{machine.name} is not free of deadlock: there is no proof to write"
        raise UserError(message)
    return {
        "machine": machine.name,
        "topology": machine.topology.kind,
        "size": list(machine.network(ranks).size),
        "slots": machine.topology.slots,
        "channels": [
            {
                "router": list(machine.network(ranks).coordinates(router)),
                "kind": kind,
                "port" if kind == "link" else "slot": port,
                "channel": channel,
                "number": number,
            }
            for (router, kind, port, channel), number in zip(graph.channels, numbers, strict=True)
        ],
        "dependencies": graph.dependencies,
    }


@dataclass(frozen=True)
class RandomCheck:
    """What `check_random` found."""

    machines: int
    channels: int
    dependencies: int
    cyclic: list[tuple[Machine, ChannelCheck]]


def check_random(count: int, seed: int, progress: Callable[[int], None] | None = None) -> RandomCheck:
    """Check machines that are drawn from a seed.

    Parameters
    ----------
    count : int
        How many.
    seed : int
        Of the draw.
    progress : callable, optional
        Called with the number of machines that have been checked.
    """
    rng = random.Random(seed)  # noqa: S311 (not for secrets)
    channels = dependencies = 0
    cyclic = []
    for done in range(1, count + 1):
        machine = random_machine(rng)
        result = check_channels(machine)
        channels += result.channels
        dependencies += result.dependencies
        if not result.acyclic:
            cyclic.append((machine, result))
        if progress is not None:
            progress(done)
    return RandomCheck(count, channels, dependencies, cyclic)


def describe(machine: Machine, ranks: int | None, channel: tuple[int, str, int, int]) -> str:
    """Name a channel: where it is and what it carries."""
    router, kind, port, number = channel
    network = machine.network(ranks)
    name = f"router {network.name(router)}".rstrip()
    dateline, message_class = divmod(number, len(_CLASSES))
    if kind == "link":
        return f"{name} {network.port_name(router, port)} {_CLASSES[message_class]} channel {dateline}"
    direction = "into the network" if kind == "injection" else "out of the network"
    return f"{name} slot {port} {direction}, {_CLASSES[message_class]}"


def _graph(
    machine: Machine,
    ranks: int | None,
    dateline: bool = True,
    routes: Sequence[StaticEntry] | None = None,
    without: str | None = None,
) -> "_core.ChannelGraph":
    entries = None
    if routes is not None:
        entries = [(_router(machine, ranks, one), one.route, _ports(machine, one), one.switched) for one in routes]
    try:
        return _core.channel_graph(configuration(machine), ranks, dateline, entries, without)
    except ValueError as error:
        raise UserError(str(error)) from error


def _router(machine: Machine, ranks: int | None, entry: StaticEntry) -> int:
    """Return the number of an entry's router."""
    network = machine.network(ranks)
    if not 0 <= entry.route < machine.router.routes:
        message = f"route {entry.route}: routers have the routes 0 to {machine.router.routes - 1}, by their key routes"
        raise UserError(message)
    try:
        return network.router_at(list(entry.router))
    except (IndexError, TypeError) as error:
        message = f"route {entry.route}: there is no router {list(entry.router)} in a machine of {network.size} routers"
        raise UserError(message) from error


def _ports(machine: Machine, entry: StaticEntry) -> int:
    """Return the output ports of an entry as a mask."""
    network = machine.network()
    names = [network.port_name(0, port) for port in range(network.ports)]
    names += [f"slot{slot}" for slot in range(network.slots)]
    mask = 0
    for port in entry.ports:
        if port not in names:
            message = (
                f"route {entry.route} at router {list(entry.router)}: no port {port!r}; there are {', '.join(names)}"
            )
            raise UserError(message)
        mask |= 1 << names.index(port)
    return mask
