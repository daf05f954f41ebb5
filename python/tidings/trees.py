# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Trees for collectives on a box of routers: who is whose parent, over which links, and how far it is.

Ranks are numbered as in a run: dimension 0 fastest, the slots of a router one after the other. Rank 0 is the root.
"""

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tidings.machine_file import Machine
from tidings.run import configuration

#: Links that a context of the engine has.
LINKS = 8
#: What a rank names as its parent's link at the root.
NO_PARENT = 15
#: Cycles of a way between two slots of one router: to the router and back.
ROUTER_CYCLES = 2
ROOT = 0


class ImpossibleError(Exception):
    """There is no such tree here; says why."""


@dataclass(frozen=True)
class Box:
    """The part of a machine that holds so many ranks."""

    ranks: int
    slots: int  #: of a router
    size: tuple[int, ...]  #: routers in each dimension
    wraps: tuple[bool, ...]  #: whether a dimension is a ring
    latency: int  #: cycles of a hop

    @classmethod
    def of(cls, machine: Machine, ranks: int) -> "Box":
        """Return the box that a run of so many ranks uses."""
        size = tuple(configuration(machine).size_for(ranks))
        whole = machine.topology.size
        wraps = tuple(machine.wrapped and here == full > 1 for here, full in zip(size, whole, strict=True))
        return cls(ranks, machine.topology.slots, size, wraps, machine.hop_cycles)

    def coordinates(self, rank: int) -> tuple[int, ...]:
        """Return where a rank's router is."""
        router, result = rank // self.slots, []
        for size in self.size:
            result.append(router % size)
            router //= size
        return tuple(result)

    def rank_at(self, coordinates: tuple[int, ...], slot: int = 0) -> int:
        """Return the rank in a slot of a router."""
        router = 0
        for here, size in zip(reversed(coordinates), reversed(self.size), strict=True):
            router = router * size + here
        return router * self.slots + slot

    def steps(self, source: int, destination: int) -> tuple[int, ...]:
        """Return the hops in each dimension on the way that packets take: the shorter one, + where both are equal."""
        result = []
        here, there = self.coordinates(source), self.coordinates(destination)
        for a, b, size, wraps in zip(here, there, self.size, self.wraps, strict=True):
            step = b - a
            if wraps and step % size <= size // 2:
                step %= size
            elif wraps:
                step = step % size - size
            result.append(step)
        return tuple(result)

    def hops(self, source: int, destination: int) -> int:
        """Return the links on the way from one rank to another."""
        return sum(map(abs, self.steps(source, destination)))

    def cycles(self, source: int, destination: int) -> int:
        """Return the cycles that a flit is at least on its way from one rank to another."""
        return self.hops(source, destination) * self.latency or ROUTER_CYCLES

    def neighbour(self, rank: int, port: int) -> int | None:
        """Return the rank of the same slot behind a port of the rank's router; None over an edge."""
        dimension, back = divmod(port, 2)
        place = list(self.coordinates(rank))
        there = place[dimension] + (-1 if back else 1)
        if not 0 <= there < self.size[dimension] and not self.wraps[dimension]:
            return None
        place[dimension] = there % self.size[dimension]
        return self.rank_at(tuple(place), rank % self.slots)

    def port(self, source: int, destination: int) -> int | None:
        """Return the port at which a router has the other one as its neighbour; None where it has not."""
        ports = range(2 * len(self.size))
        return next((port for port in ports if self.neighbour(source, port) == destination), None)

    def eccentricity(self, rank: int = ROOT) -> int:
        """Return the cycles to the rank that is farthest away."""
        return max(self.cycles(rank, other) for other in range(self.ranks) if other != rank)

    @functools.cached_property
    def diameter(self) -> int:
        """Cycles between the two ranks that are farthest apart."""
        return max(self.eccentricity(rank) for rank in range(self.ranks))


@dataclass(frozen=True)
class Link:
    """One of a rank's links in the engine."""

    rank: int
    number: int
    neighbour: int
    peer_number: int  #: of the neighbour's link that leads back
    direct: bool  #: the neighbour is behind the network port of the link's number, both in slot 0


@dataclass(frozen=True)
class Tree:
    """Which links there are, and which of them lead where."""

    box: Box
    parents: tuple[int | None, ...]  #: by rank; None at the root
    links: tuple[Link, ...]

    def parent_link(self, rank: int) -> int:
        """Return the number of the link towards the root."""
        return next((link.number for link in self._of(rank) if link.neighbour == self.parents[rank]), NO_PARENT)

    def child_links(self, rank: int) -> int:
        """Return the links away from the root, one bit each."""
        return sum(1 << link.number for link in self._of(rank) if self.parents[link.neighbour] == rank)

    def way(self, rank: int, cycles_a_level: int = 0) -> int:
        """Return the cycles between root and rank along the tree, and so many more for each of its edges."""
        total = 0
        while (parent := self.parents[rank]) is not None:
            total += self.box.cycles(parent, rank) + cycles_a_level
            rank = parent
        return total

    def longest_way(self, cycles_a_level: int = 0) -> int:
        """Return the longest `way`."""
        return max(self.way(rank, cycles_a_level) for rank in range(self.box.ranks))

    @property
    def longest_edge(self) -> int:
        """Most hops between parent and child."""
        return _longest_edge(self.box, self.links)

    def _of(self, rank: int) -> list[Link]:
        return self._by_rank[rank]

    @functools.cached_property
    def _by_rank(self) -> list[list[Link]]:
        result: list[list[Link]] = [[] for _ in range(self.box.ranks)]
        for link in self.links:
            result[link.rank].append(link)
        return result


@dataclass(frozen=True)
class Cube:
    """Ranks at the corners of a hypercube, joined along its edges: for exchanges in rounds."""

    box: Box
    links: tuple[Link, ...]
    rounds: tuple[int, ...]  #: cycles of the longest way in each
    masks: tuple[int, ...]  #: links of each rank, one bit each
    swaps: tuple[int, ...]  #: pairs of links of each rank whose higher one comes first, one bit each

    @property
    def longest_edge(self) -> int:
        """Most hops between two ranks that are joined."""
        return _longest_edge(self.box, self.links)

    def way(self, cycles_a_round: int = 0) -> int:
        """Return the cycles of all rounds, and so many more for each."""
        return sum(self.rounds) + cycles_a_round * len(self.rounds)


def tree(box: Box, name: str) -> Tree:
    """Build a tree by its name: one of `TREES`, or ``K-ary``.

    Raises
    ------
    ImpossibleError
        Where there is no such tree in this box, or it needs more links than an engine has.
    """
    parents = _k_ary(box, int(name.removesuffix("-ary"))) if name.endswith("-ary") else TREES[name](box)
    edges = [(rank, parent) for rank, parent in enumerate(parents) if parent is not None]
    return Tree(box, parents, _number(edges, box))


def cube(box: Box) -> Cube:
    """Place the ranks on a hypercube whose edges are single hops; by number where there is none.

    Raises
    ------
    ImpossibleError
        Where the ranks are not a power of two.
    """
    dimensions = _log2(box.ranks)
    links: list[Link] = []
    swaps = [0] * box.ranks
    try:
        places = _gray_places(box)
    except ImpossibleError:
        places = list(range(box.ranks))
        for rank in range(box.ranks):
            links += (Link(rank, d, rank ^ 1 << d, d, direct=False) for d in range(dimensions))
    else:
        for vertex, rank in enumerate(places):
            for d in range(dimensions):
                neighbour = places[vertex ^ 1 << d]
                port = box.port(rank, neighbour)
                assert port is not None, "corners with an edge are neighbouring routers"
                links.append(Link(rank, port, neighbour, port ^ 1, direct=True))
            # In a ring of four the lower bit of the Gray code is + at even places and - at odd ones.
            for dimension, place in enumerate(box.coordinates(rank)):
                if box.size[dimension] > 2 and place % 2:
                    swaps[rank] |= 1 << dimension
    masks = [0] * box.ranks
    for link in links:
        masks[link.rank] |= 1 << link.number
    ways = [
        max(box.cycles(rank, places[vertex ^ 1 << d]) for vertex, rank in enumerate(places)) for d in range(dimensions)
    ]
    return Cube(box, tuple(links), tuple(ways), tuple(masks), tuple(swaps))


def _gray(box: Box) -> tuple[int | None, ...]:
    """Return the binomial tree of a hypercube whose corners are placed in Gray code: every edge is a single hop."""
    places = _gray_places(box)
    parents: list[int | None] = [None] * box.ranks
    for vertex in range(1, box.ranks):
        parents[places[vertex]] = places[vertex & (vertex - 1)]
    return tuple(parents)


def _binomial(box: Box) -> tuple[int | None, ...]:
    """Return the binomial tree of rank numbers."""
    return (None, *(rank & (rank - 1) for rank in range(1, box.ranks)))


def _dimension(box: Box) -> tuple[int | None, ...]:
    """Return the tree of shortest ways that the library uses.

    A node's parent is one hop nearer to the root, behind the lowest port that leads there: dimension 0 comes first on
    the way to the root. Other slots are children of their router's slot 0.
    """
    parents: list[int | None] = [None]
    for rank in range(1, box.ranks):
        slot = rank % box.slots
        if slot:
            parents.append(rank - slot)
            continue
        nearer = (
            other
            for port in range(2 * len(box.size))
            if (other := box.neighbour(rank, port)) is not None
            and other < box.ranks
            and box.hops(ROOT, other) < box.hops(ROOT, rank)
        )
        parents.append(next(nearer))
    return tuple(parents)


def _chain(box: Box) -> tuple[int | None, ...]:
    """Return a line through all ranks, from router to neighbouring router."""
    order = [
        rank
        for place in _snake(box.size)
        for slot in range(box.slots)
        if (rank := box.rank_at(place, slot)) < box.ranks
    ]
    parents: list[int | None] = [None] * box.ranks
    for parent, child in itertools.pairwise(order):
        parents[child] = parent
    return tuple(parents)


def _star(box: Box) -> tuple[int | None, ...]:
    """Return the tree in which all ranks are the root's children."""
    return (None, *(ROOT for _ in range(1, box.ranks)))


def _k_ary(box: Box, arity: int) -> tuple[int | None, ...]:
    """Return the tree of rank numbers in which each has so many children."""
    return (None, *((rank - 1) // arity for rank in range(1, box.ranks)))


#: Trees by the name that a user gives.
TREES: dict[str, Callable[[Box], tuple[int | None, ...]]] = {
    "gray": _gray,
    "dimension": _dimension,
    "binomial": _binomial,
    "binary": lambda box: _k_ary(box, 2),
    "chain": _chain,
    "star": _star,
}


def _log2(ranks: int) -> int:
    if ranks & (ranks - 1):
        raise ImpossibleError(f"a hypercube has a power of two of nodes, not {ranks}")
    return ranks.bit_length() - 1


def _gray_places(box: Box) -> list[int]:
    """Return the rank at each corner of a hypercube, so that corners with an edge are neighbouring routers.

    A ring of four routers is a square, two routers are an edge; corner bits of dimension 0 are lowest.
    """
    if box.slots > 1:
        raise ImpossibleError("Gray code places one rank a router")
    bits = []
    for size, wraps in zip(box.size, box.wraps, strict=True):
        if size not in (1, 2) and not (size == 4 and wraps):
            raise ImpossibleError(f"a {'ring' if wraps else 'row'} of {size} routers is no hypercube")
        bits.append(size.bit_length() - 1)
    if box.ranks != 1 << sum(bits):
        raise ImpossibleError(f"{box.ranks} nodes do not fill a hypercube")
    places = []
    for vertex in range(box.ranks):
        place, rest = [], vertex
        for count in bits:
            code = rest & ((1 << count) - 1)
            rest >>= count
            place.append(code ^ code >> 1)
        places.append(box.rank_at(tuple(place)))
    return places


def _snake(size: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield all places of a box, each a neighbour of the one before."""
    if not size:
        yield ()
        return
    forth = list(range(size[0]))
    for number, rest in enumerate(_snake(size[1:])):
        for place in reversed(forth) if number % 2 else forth:
            yield (place, *rest)


def _longest_edge(box: Box, links: tuple[Link, ...]) -> int:
    return max(box.hops(link.rank, link.neighbour) for link in links)


def _number(edges: list[tuple[int, int]], box: Box) -> tuple[Link, ...]:
    """Give the links of all edges their numbers: those of ports where they are neighbours, else any that are free."""
    used: list[set[int]] = [set() for _ in range(box.ranks)]
    links: list[Link] = []

    def add(a: int, a_number: int, b: int, b_number: int, *, direct: bool) -> None:
        used[a].add(a_number)
        used[b].add(b_number)
        links.extend((Link(a, a_number, b, b_number, direct), Link(b, b_number, a, a_number, direct)))

    def free(rank: int) -> int:
        number = next(number for number in range(box.ranks + LINKS) if number not in used[rank])
        if number >= LINKS:
            needed = sum(rank in edge for edge in edges)
            raise ImpossibleError(f"a node has {needed} neighbours in the tree, and its engine {LINKS} links")
        return number

    distant = []
    for child, parent in edges:
        port = box.port(child, parent)
        if port is None or child % box.slots or parent % box.slots:
            distant.append((child, parent))
        else:
            add(child, port, parent, port ^ 1, direct=True)
    for child, parent in distant:
        add(child, free(child), parent, free(parent), direct=False)
    return tuple(links)
