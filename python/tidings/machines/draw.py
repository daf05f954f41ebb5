# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machines drawn from a seed: whatever a machine file may say."""

import dataclasses
import random
from typing import Any

from tidings._core import MAX_DIMENSIONS, NODE_ID_BITS
from tidings.machines.file import (
    SECTIONS,
    Barrier,
    Link,
    Machine,
    Router,
    Topology,
    can_have_own_network,
    can_have_switches,
    can_have_wires,
)
from tidings.machines.schema import schema

#: Most routers of a graph that is drawn: none of them can have too many ports.
_MOST_GRAPH_ROUTERS = 12
#: Of a single router's slots, how many have the engine for barriers if any has.
_HUB_SHARE = 0.8
#: Of the machines that can have it, how many have a network of `stream` alone.
_OWN_NETWORK_SHARE = 0.4
#: Keys that `random_machine` draws when it has drawn all others.
_DRAWN_LAST = {("stream", "network"), ("alltoall", "buffer_words")}
#: Keys that only software knows of, so that no machine needs to be drawn with another value.
_NOT_DRAWN = {("memory", "kind")}


def random_topology(rng: random.Random, most_routers: int = 256, most_slots: int = 16) -> Topology:
    """Draw a graph of routers.

    Parameters
    ----------
    rng : random.Random
        Where the draw comes from.
    most_routers : int
        Routers at most, at least 2.
    most_slots : int
        Slots a router at most, 1 to 16.
    """
    kind = rng.choice(("torus", "torus", "mesh", "mesh", "ring", "crossbar", "graph"))
    if kind == "graph":
        return random_graph(rng, min(most_routers, _MOST_GRAPH_ROUTERS), min(most_slots, 4))
    dimensions = {"ring": 1, "crossbar": 0}.get(kind, rng.randint(1, MAX_DIMENSIONS))
    size: list[int] = []
    room = most_routers
    for left in range(dimensions, 0, -1):
        # The dimensions that follow need 2 each.
        most = min(room >> (left - 1), 1 << (NODE_ID_BITS // dimensions))
        size.append(rng.randint(2, max(2, round(most ** rng.uniform(0.3, 1.0)))))
        room //= size[-1]
    rng.shuffle(size)
    return Topology(kind, rng.choice([slots for slots in (1, 1, 2, 3, 4, 16) if slots <= most_slots]), tuple(size))


def random_graph(rng: random.Random, most_routers: int, most_slots: int) -> Topology:
    """Draw routers that are joined in any way, some of them without slots, some links with a latency of their own."""
    routers = rng.randint(2, most_routers)
    pairs = [(rng.randrange(router), router) for router in range(1, routers)]
    for _ in range(rng.randint(0, routers)):
        a, b = sorted(rng.sample(range(routers), 2))
        if (a, b) not in pairs:
            pairs.append((a, b))
    links = [(*pair, rng.randint(1, 12)) if rng.random() < 0.3 else pair for pair in pairs]
    slots = rng.randint(1, most_slots)
    return Topology("graph", slots, routers=routers, hosts=rng.randint(1, routers), links=tuple(links))


def random_machine(rng: random.Random, most_routers: int = 256, most_slots: int = 16) -> Machine:
    """Draw a machine; parameters are those of `random_topology`."""
    topology = random_topology(rng, most_routers, most_slots)
    of_topology: dict[str, Any] = {"router": random_router, "link": random_link}
    sections: dict[str, Any] = {
        name: of_topology[name](rng, topology) if name in of_topology else section(**random_section(rng, name))
        for name, section in SECTIONS.items()
    }
    if not can_have_wires(topology.kind, len(topology.size), reliable=sections["link"].reliable):
        sections["barrier"] = Barrier()
    elif topology.kind == "crossbar" and sections["barrier"].slots:
        # A slot without the engine is never waited for by those that know of it.
        sections["barrier"] = Barrier(tuple(slot for slot in range(topology.slots) if rng.random() < _HUB_SHARE))
    if not can_have_switches(topology.kind, len(topology.size), reliable=sections["link"].reliable):
        sections["alltoall"] = dataclasses.replace(sections["alltoall"], slots=())
    # Drawn from what has been drawn, so that draws of other keys stay what they were.
    may_own = can_have_own_network(topology.kind, len(topology.size), reliable=sections["link"].reliable)
    drawn = repr(sections).replace(f", kind={sections['memory'].kind!r}", "")
    room = sections["alltoall"].buffer_words
    drawn = drawn.replace(f", buffer_words={room}", "")
    if may_own and random.Random(drawn).random() < _OWN_NETWORK_SHARE:  # noqa: S311 (not for secrets)
        sections["stream"] = dataclasses.replace(sections["stream"], slots=(0,), network="own")
    room = random.Random(f"{drawn} room").choice(schema()["alltoall"]["buffer_words"].draw)  # noqa: S311 (likewise)
    sections["alltoall"] = dataclasses.replace(sections["alltoall"], buffer_words=room)
    return Machine(name="random", summary="drawn from a seed", topology=topology, **sections)


def random_section(rng: random.Random, section: str) -> dict[str, Any]:
    """Draw a value for each key of a section, from what the schema says."""
    return {
        key: rng.choice(parameter.draw)
        for key, parameter in schema()[section].items()
        if not parameter.fixed and (section, key) not in _DRAWN_LAST | _NOT_DRAWN
    }


def random_router(rng: random.Random, topology: Topology) -> Router:
    """Draw the routers of a topology: a graph has no static routes, and only a crossbar has crosspoint buffers."""
    values = random_section(rng, "router")
    if topology.kind != "crossbar":
        values["organisation"] = "input"
    if values["organisation"] == "crosspoint":
        values["pipeline"] = False
    return Router(**(values | {"routes": 0} if topology.kind == "graph" else values))


def random_link(rng: random.Random, topology: Topology) -> Link:
    """Draw the links of a topology: only reliable ones have errors, and a crossbar has none."""
    values = random_section(rng, "link")
    if topology.kind == "crossbar":
        return Link(latency_cycles=1)
    if any(len(link) > 2 for link in topology.links):
        values["reliable"] = False
    return Link(**values) if values["reliable"] else Link(latency_cycles=values["latency_cycles"])
