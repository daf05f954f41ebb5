# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What bit errors cost on links that lose nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from tidings import _core
from tidings.errors import UserError
from tidings.machines.file import Machine

#: Bit error rates that are shown.
BIT_ERROR_RATES = (0.0, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3)
#: Probability that a router sends in a cycle.
LOADS = (1.0, 0.1)


@dataclass(frozen=True)
class LinkCost:
    """What came over a link in both directions, at one bit error rate and load."""

    machine: str
    latency_cycles: int
    bit_error_rate: float
    load: float
    cycles: int
    flits_per_cycle: float
    mean_latency: float
    longest_latency: int
    damaged_frames: int
    resent_frames: int


def link_costs(machine: Machine, cycles: int, seed: int) -> Iterator[LinkCost]:
    """Measure one link of a machine at each bit error rate and load.

    Parameters
    ----------
    machine : Machine
        Its link latency and the buffers of its routers are taken.
    cycles : int
        Fabric cycles for each figure.
    seed : int
        Of traffic and errors.

    Raises
    ------
    UserError
        If the machine has no links.
    """
    if not machine.ports:
        message = f"{machine.name} is a single router and has no links"
        raise UserError(message)
    channels = 2 * machine.layers
    for load in LOADS:
        for rate in BIT_ERROR_RATES:
            result = _core.benchmark_link(
                latency=machine.link.latency_cycles,
                buffer_flits=channels * machine.router.buffer_flits,
                bit_error_rate=rate,
                load=load,
                cycles=cycles,
                seed=seed,
            )
            yield LinkCost(
                machine=machine.name,
                latency_cycles=machine.link.latency_cycles,
                bit_error_rate=rate,
                load=load,
                cycles=cycles,
                flits_per_cycle=result.flits / (2 * cycles),
                mean_latency=result.mean_latency,
                longest_latency=result.longest_latency,
                damaged_frames=result.damaged_frames,
                resent_frames=result.resent_frames,
            )


def as_table(costs: Sequence[LinkCost]) -> Table:
    """Return the figures as a table."""
    title = f"A link of {costs[0].machine}, {costs[0].latency_cycles} cycles, {costs[0].cycles:,} cycles per line"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    headings = ("load", "bit error rate", "flits/cycle", "mean latency", "longest", "frames damaged", "sent again")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for cost in costs:
        table.add_row(
            f"{cost.load:g}",
            f"{cost.bit_error_rate:.0e}" if cost.bit_error_rate else "0",
            f"{cost.flits_per_cycle:.4f}",
            f"{cost.mean_latency:.1f}",
            f"{cost.longest_latency:,}",
            f"{cost.damaged_frames:,}",
            f"{cost.resent_frames:,}",
        )
    return table
