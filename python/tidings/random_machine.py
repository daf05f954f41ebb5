# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machines drawn from a seed: whatever a machine file may say."""

import random

from tidings.machine_file import (
    MAX_DIMENSIONS,
    NODE_ID_BITS,
    Fabric,
    Link,
    Machine,
    Memory,
    Mpe,
    Processor,
    Rma,
    Router,
    Topology,
)


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
    kind = rng.choice(("torus", "torus", "mesh", "mesh", "ring", "crossbar"))
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


def random_machine(rng: random.Random, most_routers: int = 256, most_slots: int = 16) -> Machine:
    """Draw a machine; parameters are those of `random_topology`."""

    def power(low: int, high: int) -> int:
        return 1 << rng.randint(low.bit_length() - 1, high.bit_length() - 1)

    return Machine(
        name="random",
        summary="drawn from a seed",
        topology=random_topology(rng, most_routers, most_slots),
        fabric=Fabric(clock_MHz=float(rng.choice((50, 100, 300, 700, 1000)))),
        router=Router(power(2, 256), power(2, 64), rng.choice(("round-robin", "fixed-priority"))),
        rma=Rma(power(2, 32)),
        mpe=Mpe(power(128, 1024)),
        memory=Memory(1, rng.choice((1, 1, 2, 3, 8, 20))),
        processor=Processor(300.0, 10.0, 30.0, 500.0, 100.0, 5.0, 10.0, 5.0, 20.0, 0.5, 10.0, 1.0),
        link=Link(rng.choice((1, 1, 1, 2, 3, 5, 10, 80))),
    )
