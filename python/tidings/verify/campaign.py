# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings verify`: the RTL and the cycle model, given the same, compared in every cycle."""

import dataclasses
import random
from collections.abc import Callable

from rich.table import Table

from tidings.machines.draw import random_link, random_machine, random_section
from tidings.machines.file import SECTIONS, Link, Machine, Memory, switch_ports
from tidings.machines.schema import schema
from tidings.verify.comparison import Case, Failure, Library, Totals, addresses, compare, packet_kinds
from tidings.verify.engine_uses import ENGINE_KINDS
from tidings.verify.plans import Grid
from tidings.verify.writer import GRID_KINDS, STATIC_KINDS, ScriptWriter, all_kinds

#: Operations of a script, beside its set-up.
OPERATIONS = 120
#: Flit-hops of a run that does not say how many.
HOPS = 1_000_000
#: Most routers of a machine that is drawn.
_MOST_ROUTERS = 12
#: Cycles under random packets for a run without a number of flit-hops.
_NODE_CYCLES = 4000


def draw_kinds(rng: random.Random, count: int) -> list[Machine]:
    """Draw machines of different nodes, one with links among them.

    What does not need another node is drawn again for each run.
    """
    kinds: list[Machine] = []
    while len(kinds) < count:
        machine = random_machine(rng, _MOST_ROUTERS, 2)
        if len(kinds) == count - 1 and not any(kind.ports for kind in [*kinds, machine]):
            continue
        kinds.append(machine)
    return kinds


def vary(machine: Machine, rng: random.Random) -> Machine:
    """Draw a machine of the same node: other sizes, links and latencies."""
    size, room = [], _MOST_ROUTERS
    for left in range(len(machine.topology.size), 0, -1):
        size.append(rng.randint(2, max(2, min(4, room >> (left - 1)))))
        room //= size[-1]
    topology = dataclasses.replace(machine.topology, size=tuple(size))
    memory = Memory(**random_section(rng, "memory"))
    link = random_link(rng, topology)
    if (
        machine.barrier.slots or machine.alltoall.slots or machine.stream.network == "own"
    ):  # whose wires have no errors to mend
        link = Link(link.latency_cycles)
    return dataclasses.replace(machine, topology=topology, link=link, memory=memory)


def grid_of(machine: Machine) -> Grid | None:
    """Return how the routers of a machine are joined; None for a crossbar, or without engines."""
    if not machine.topology.size or 0 not in machine.mpe.slots:
        return None
    return Grid(
        machine.topology.size,
        machine.topology.slots,
        any(machine.network().wraps),
        machine.mpe.direct_links,
        machine.alltoall.adders,
        machine.mpe.wide_elements,
    )


def engines_of(machine: Machine) -> dict[str, list[int]]:
    """Return, for each engine that slots may lack, the ranks whose slots have it."""
    ranks, slots = len(addresses(machine)), machine.topology.slots
    return {
        name: [rank for rank in range(ranks) if rank % slots in getattr(machine, name).slots]
        for name in SECTIONS
        if "slots" in schema()[name]
    }


def run(
    machines: list[Machine],
    library: Library,
    *,
    count: int,
    seed: int,
    hops: int,
    progress: Callable[[int, int], None],
    vary_machines: bool = True,
    complete_within: int = 0,
) -> tuple[Totals, Failure | None]:
    """Compare scripts and random packets on many machines, until the first failure.

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
        Flit-hops to compare, at least; one of the machines must have links.
    progress : callable
        Is told machines and flit-hops so far.
    vary_machines : bool
        Draw sizes and latencies; otherwise machines are taken as they are.
    complete_within : int
        Flit-hops within which the run goes on for as long as something is missing.
    """
    rng = random.Random(seed)  # noqa: S311 (not for secrets)
    writer = ScriptWriter(rng)
    totals = Totals(node_kinds=len(machines))
    while (
        totals.machines < count
        or totals.flit_hops < hops
        or (totals.flit_hops < complete_within and missing(totals, machines))
    ):
        machine = machines[totals.machines % len(machines)]
        if vary_machines:
            machine = vary(machine, rng)
        ports = machine.ports + machine.topology.slots
        ranks = len(addresses(machine))
        script = writer.draw(
            ranks,
            OPERATIONS,
            machine.router.routes,
            ports,
            grid_of(machine),
            engines_of(machine),
            switch_ports(len(machine.topology.size)),
        )
        cases = [Case(machine, rng.randrange(1, 1 << 30), script)]
        if machine.ports:
            cases.append(Case(machine, rng.randrange(1, 1 << 30), [], _NODE_CYCLES))
        for case in cases:
            failure = compare(case, library, totals)
            if failure is not None:
                return totals, failure
        totals.machines += 1
        totals.with_reliable_links += machine.link.reliable
        progress(totals.machines, totals.flit_hops)
    return totals, None


def kinds_to_see(machines: list[Machine]) -> list[str]:
    """Return the kinds of operations and packets that a run on such machines should see."""
    kinds = all_kinds()
    if any(machine.router.routes for machine in machines):
        kinds += STATIC_KINDS
    if any(machine.ports for machine in machines):
        kinds += packet_kinds()
    if any(grid_of(machine) for machine in machines):
        kinds += GRID_KINDS
    for engine, own in ENGINE_KINDS.items():
        kinds += own if any(engines_of(machine)[engine] for machine in machines) else ()
    return kinds


def missing(totals: Totals, machines: list[Machine]) -> list[str]:
    """Return what a run has not seen."""
    grids = [grid for machine in machines if (grid := grid_of(machine)) is not None]
    features = {
        "static_routes": any(machine.router.routes for machine in machines),
        "direct_links": any(grid.direct_links for grid in grids),
        "network": bool(grids),
        "slots": any(machine.topology.slots > 1 for machine in machines),
        "narrow": any(not machine.mpe.wide_elements for machine in machines),
        "names": any(machine.rma.names for machine in machines),
        "atomics": any(machine.rma.atomics for machine in machines),
        "many_names": any(machine.rma.names == schema()["rma"]["names"].rule.high for machine in machines),
    }
    return [kind for kind in kinds_to_see(machines) if not totals.seen[kind]] + totals.coverage.missing(
        {name for name, there in features.items() if there},
        without={
            engine for engine in engines_of(machines[0]) if not any(engines_of(machine)[engine] for machine in machines)
        },
    )


def as_table(totals: Totals, machines: list[Machine]) -> Table:
    """Return what was compared as a table."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name in (
        "machines",
        "with_reliable_links",
        "node_kinds",
        "cycles",
        "flit_hops",
        "bus_reads",
        "interrupts",
        "memory_words",
    ):
        table.add_row(name.replace("_", " "), f"{getattr(totals, name):,}")
    for kind in kinds_to_see(machines):
        table.add_row(f"  {kind}", f"{totals.seen[kind]:,}")
    for name, (seen, total) in totals.coverage.summary().items():
        table.add_row(f"  {name}", f"{seen} of {total}")
    return table
