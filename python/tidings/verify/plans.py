# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Over which links the ranks of a script are joined for collectives: trees, and rounds between pairs."""

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tidings.generated import registers as reg
from tidings.generated.packets import MAX_LINKS, NO_LINK, Combine, Element, is_wide
from tidings.generated.packets import Collective as Operation

ELEMENTS = tuple(element.name.lower() for element in Element)
COMBINES = tuple({"min": "minimum", "max": "maximum"}.get(c.name.lower(), c.name.lower()) for c in Combine)

#: Elements of two words.
WIDE_ELEMENTS = tuple(element.value for element in Element if is_wide(element))

#: Address, data, and the rank whose slot is the lower half of the data.
Link = tuple[int, int, int]


@dataclass(frozen=True)
class Collective:
    """What a collective does."""

    operation: int
    element: int = 0
    combine: int = 0

    @property
    def reduces(self) -> bool:
        """It combines elements."""
        return self.operation in (Operation.REDUCE, Operation.ALLREDUCE)

    @property
    def name(self) -> str:
        """Name it as tables show it."""
        name = Operation(self.operation).name.lower()
        return f"{name} {ELEMENTS[self.element]} {COMBINES[self.combine]}" if self.reduces else name


class Plan(ABC):
    """The links of one context, and what commands say of them."""

    #: How tables name collectives of this plan; empty for the name of what it does.
    kind = ""
    #: Words of a collective at most.
    most_words = 199
    #: Ranks that take part.
    members: Sequence[int]

    @abstractmethod
    def links(self, rank: int, context: int) -> Iterator[Link]:
        """Return the links of one rank; none if it does not take part."""

    @abstractmethod
    def way(self, rank: int) -> reg.MpeCommand:
        """Return a command whose fields say which links it uses."""

    def allows(self, collective: Collective) -> bool:
        """Return whether the collective can run over these links."""
        del collective
        return True


@dataclass(frozen=True)
class BinaryTree(Plan):
    """The binary tree in which some ranks are joined, by their places in the list.

    Attributes
    ----------
    members : sequence
        The ranks.
    numbers : tuple
        Links to the two children and to the parent.
    """

    members: Sequence[int]
    numbers: tuple[int, int, int] = (0, 1, 2)

    def links(self, rank: int, context: int) -> Iterator[Link]:
        """Return the links of one rank."""
        if rank not in self.members:
            return
        place = self.members.index(rank)
        to_parent = self.numbers[2]
        for link, child in zip(self.numbers, self._children(place), strict=False):
            yield reg.MpeLink.at(context, link), reg.MpeLink(peer_link=to_parent).encode(), self.members[child]
        if place:
            back = reg.MpeLink(peer_link=self.numbers[(place - 1) % 2])
            yield reg.MpeLink.at(context, to_parent), back.encode(), self.members[(place - 1) // 2]

    def way(self, rank: int) -> reg.MpeCommand:
        """Return a command with the link to the parent and the mask of children."""
        place = self.members.index(rank)
        children = sum(1 << link for link in self.numbers[: len(self._children(place))])
        return reg.MpeCommand(parent=self.numbers[2] if place else NO_LINK, children=children)

    def _children(self, place: int) -> range:
        return range(2 * place + 1, min(2 * place + 3, len(self.members)))


@dataclass(frozen=True)
class Grid:
    """How the routers of a machine are joined.

    Attributes
    ----------
    size : tuple
        Routers in each dimension.
    slots : int
        Slots a router; ranks are numbered router by router.
    wraps : bool
        The dimensions are rings.
    direct_links : bool
        The engines can have direct links.
    adders : int
        Inputs of a static switch, beside a first one, whose words can be combined.
    wide_elements : bool
        Elements of two words can be combined.
    """

    size: tuple[int, ...]
    slots: int
    wraps: bool
    direct_links: bool
    adders: int = 0
    wide_elements: bool = False

    @property
    def ranks(self) -> list[int]:
        """Ranks in slot 0 of a router: only these can have direct links."""
        routers = 1
        for length in self.size:
            routers *= length
        return [router * self.slots for router in range(routers)]

    def place(self, rank: int, dimension: int) -> int:
        """Return the coordinate of a rank's router in a dimension."""
        return rank // self.slots // self._stride(dimension) % self.size[dimension]

    def moved(self, rank: int, dimension: int, place: int) -> int:
        """Return the rank whose router differs in one coordinate."""
        return rank + (place - self.place(rank, dimension)) * self._stride(dimension) * self.slots

    def neighbour(self, rank: int, port: int) -> int | None:
        """Return the rank behind a network port; None without a link there."""
        dimension, length = port // 2, self.size[port // 2]
        place = self.place(rank, dimension) + (-1 if port % 2 else 1)
        if not 0 <= place < length and not self.wraps:
            return None
        return self.moved(rank, dimension, place % length)

    def _stride(self, dimension: int) -> int:
        stride = 1
        for length in self.size[:dimension]:
            stride *= length
        return stride


class _GridPlan(Plan):
    """A plan in which a link has the number of the port that leads to the neighbour, who is at slot 0 as well."""

    def __init__(self, grid: Grid, rng: random.Random) -> None:
        self._grid = grid
        self._rng = rng
        self.members = grid.ranks
        #: For each rank and link the neighbour and the number of its link back.
        self._ends: dict[tuple[int, int], tuple[int, int]] = {}
        self._direct: set[tuple[int, int]] = set()

    def _join(self, rank: int, link: int, neighbour: int, back: int) -> None:
        """Join two ranks; the link is direct, if it can be, most of the time."""
        self._ends[rank, link] = (neighbour, back)
        self._ends[neighbour, back] = (rank, link)
        adjacent = self._grid.neighbour(rank, link) == neighbour and back == link ^ 1
        if self._grid.direct_links and adjacent and self._rng.random() < 0.8:
            self._direct |= {(rank, link), (neighbour, back)}

    def links(self, rank: int, context: int) -> Iterator[Link]:
        """Return the links of one rank."""
        for (owner, link), (neighbour, back) in self._ends.items():
            if owner == rank:
                data = reg.MpeLink(peer_link=back, direct=(rank, link) in self._direct).encode()
                yield reg.MpeLink.at(context, link), data, neighbour


class NeighbourTree(_GridPlan):
    """A random tree over neighbouring routers, rooted anywhere."""

    kind = "neighbour tree"

    def __init__(self, grid: Grid, rng: random.Random) -> None:
        super().__init__(grid, rng)
        self._parents: dict[int, int] = {}
        root = rng.choice(self.members)
        reached, edge = {root}, [root]
        while edge:
            rank = edge.pop(rng.randrange(len(edge)))
            for port in rng.sample(range(2 * len(grid.size)), 2 * len(grid.size)):
                neighbour = grid.neighbour(rank, port)
                if neighbour is None or neighbour in reached:
                    continue
                self._join(rank, port, neighbour, port ^ 1)
                self._parents[neighbour] = port ^ 1
                reached.add(neighbour)
                edge.append(neighbour)

    def way(self, rank: int) -> reg.MpeCommand:
        """Return the link to the parent and the mask of children."""
        parent = self._parents.get(rank, NO_LINK)
        children = sum(1 << link for owner, link in self._ends if owner == rank and link != parent)
        return reg.MpeCommand(parent=parent, children=children)


class Exchange(_GridPlan):
    """Rounds between neighbours in each dimension of 2 or 4 routers; a dimension of 4 is a square.

    Routers with an even coordinate begin with the link upwards, the others with the link downwards, which has the
    higher number: they swap the two.
    """

    kind = "exchange"
    most_words = 64

    def __init__(self, grid: Grid, rng: random.Random) -> None:
        super().__init__(grid, rng)
        for dimension, length in enumerate(grid.size):
            if length not in (2, 4):
                continue
            for rank in self.members:
                place = grid.place(rank, dimension)
                if place % 2 == 0:
                    self._join(rank, 2 * dimension, grid.moved(rank, dimension, place + 1), 2 * dimension + 1)
                elif length == 4:
                    self._join(rank, 2 * dimension, grid.moved(rank, dimension, (place + 1) % 4), 2 * dimension + 1)
        taking_part = {owner for owner, _ in self._ends}
        self.members = [rank for rank in self.members if rank in taking_part]

    def way(self, rank: int) -> reg.MpeCommand:
        """Return the links of the rounds and which pairs of them are swapped."""
        links = {link for owner, link in self._ends if owner == rank}
        swap = 0
        for pair in range(MAX_LINKS // 2):
            # If there are not both links it does not matter.
            both = {2 * pair, 2 * pair + 1} <= links
            swapped = self._grid.place(rank, pair) % 2 == 1 if both else self._rng.random() < 0.5
            swap |= swapped << pair
        children = sum(1 << link for link in links)
        return reg.MpeCommand(parent=NO_LINK, children=children, exchange=True, swap=swap)

    def allows(self, collective: Collective) -> bool:
        """Return whether the collective gives all ranks the same."""
        return collective.operation in (Operation.BARRIER, Operation.ALLREDUCE)
