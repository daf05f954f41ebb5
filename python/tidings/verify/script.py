# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Scripts of bus operations.

A script is a list of operations. What one operation does does not depend on those before it, so that a script with
some left out is a script too. Where one rank speaks of another, an access names it, so that ranks can be left out too.
"""

import dataclasses
from dataclasses import dataclass, field

from tidings.generated import registers as reg
from tidings.verify.plans import BinaryTree


@dataclass(frozen=True)
class Access:
    """One access to the registers of a rank's slot, `delay` cycles after its operation begins.

    If it is about another rank, the address of that one's slot is the lower half of what is written.
    """

    rank: int
    delay: int
    write: bool
    address: int
    data: int = 0
    to: int | None = None


@dataclass(frozen=True)
class Operation:
    """What software does at one time.

    Attributes
    ----------
    kind : str
        For the count of what has been seen.
    advance : int
        Cycles until the next operation.
    settle : bool
        Begins when nothing is under way any more.
    accesses : list
        What happens.
    """

    kind: str
    advance: int
    settle: bool = False
    accesses: list[Access] = field(default_factory=list)


def with_ranks(script: list[Operation], places: dict[int, int]) -> list[Operation]:
    """Leave ranks out of a script.

    Parameters
    ----------
    script : list
        The script.
    places : dict
        For each rank that stays its new number. Collectives are of these alone, over binary trees; what else was sent
        to others goes.
    """
    members: dict[int, set[int]] = {}
    for operation in script:
        for access in operation.accesses:
            if reg.MpeLink.holds(access.address) and access.rank in places:
                members.setdefault(_context_of(access.address), set()).add(places[access.rank])
    trees = {context: BinaryTree(sorted(ranks)) for context, ranks in members.items()}
    rest = []
    for operation in script:
        contexts: dict[int, list[int]] = {}
        accesses = []
        lost = False
        for access in operation.accesses:
            if access.rank not in places:
                continue
            rank = places[access.rank]
            if reg.MpeLink.holds(access.address):
                used = contexts.setdefault(rank, [])
                used += [] if (context := _context_of(access.address)) in used else [context]
                continue
            lost = lost or (access.to is not None and access.to not in places)
            data = access.data
            if access.write and access.address == reg.MpeCommand.at():
                command = reg.MpeCommand.decode(data)
                tree = trees.get(command.context_id)
                if tree is not None and rank in tree.members:
                    way = tree.way(rank)
                    data = dataclasses.replace(
                        command, parent=way.parent, children=way.children, exchange=way.exchange, swap=way.swap
                    ).encode()
            to = None if access.to is None else places.get(access.to)
            accesses.append(dataclasses.replace(access, rank=rank, data=data, to=to))
        for rank, used in contexts.items():
            for context in used:
                accesses += [
                    Access(rank, 0, True, address, data, to)
                    for address, data, to in trees[context].links(rank, context)
                ]
        if (accesses or operation.settle) and not lost:
            rest.append(dataclasses.replace(operation, accesses=accesses))
    return rest


def _context_of(address: int) -> int:
    return (address - reg.MpeLink.ADDRESS) // reg.MpeLink.STRIDES[0]
