# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""One comparison of the RTL and the cycle model on many machines, and what to do with a failure."""

import dataclasses
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tidings.build.verilated_node import Variant, node_library
from tidings.errors import UserError
from tidings.machines.file import Machine
from tidings.report.frames import frame_of
from tidings.report.progress import reporting
from tidings.verify import campaign, comparison, waves
from tidings.verify.comparison import Failure, Totals
from tidings.verify.shrink import shrink

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Verification:
    """What a comparison gave.

    Attributes
    ----------
    machines : list of Machine
        The kinds of nodes that were compared.
    totals : Totals
        How much was compared.
    failure : Failure or None
        The first difference, or machine that did not come to its end.
    """

    machines: list[Machine]
    totals: Totals
    failure: Failure | None

    @property
    def equal(self) -> bool:
        """Whether both sides were equal in every cycle."""
        return self.failure is None

    @property
    def missing(self) -> list[str]:
        """Kinds of operations and packets that were not seen."""
        return campaign.missing(self.totals, self.machines)

    @property
    def frame(self) -> "pd.DataFrame":
        """How often each kind of operation and packet was seen."""
        kinds = campaign.kinds_to_see(self.machines)
        return frame_of({"kind": kind, "seen": self.totals.seen[kind]} for kind in kinds)

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON's values."""
        counts = {"seen": dict(self.totals.seen), "coverage": dict(self.totals.coverage.seen)}
        values = {**vars(self.totals), **counts, "missing": self.missing}
        if self.failure is not None:
            finding = self.failure.finding
            values["failure"] = {"kind": type(finding).__name__.lower(), **dataclasses.asdict(finding)}
        return values

    def shrunk(self, seconds: float) -> "Verification":
        """Return the same with a failure that is as small as it becomes in some time."""
        if self.failure is None:
            return self
        small = shrink(self.failure, lambda case: comparison.compare(case, quick_node), seconds)
        return dataclasses.replace(self, failure=small)


def verify(
    machine: Machine | None, *, count: int, seed: int, hops: int | None, node_kinds: int, progress: TextIO | None
) -> Verification:
    """Compare machines until there is a failure, or enough has been compared.

    Parameters
    ----------
    machine : Machine or None
        A machine, as it is; None draws machines.
    count : int
        Machines to draw, or scripts on the one that is given.
    seed : int
        Of machines and traffic.
    hops : int or None
        Flit-hops to compare, at least; `campaign.HOPS` if None.
    node_kinds : int
        Sets of node parameters to compile.
    progress : text stream or None
        Where to say how far the work is.

    Raises
    ------
    UserError
        If flit-hops are asked for and no machine has links.
    """
    chosen = [machine] if machine else campaign.draw_kinds(random.Random(seed), node_kinds)  # noqa: S311 (no secret)
    linked = any(description.ports for description in chosen)
    if hops and not linked:
        message = f"{chosen[0].name} is a crossbar, which has no links and so no flit-hops: leave --hops out"
        raise UserError(message)
    for description in chosen:
        quick_node(description)
    with reporting(progress) as say:
        totals, failure = campaign.run(
            chosen,
            quick_node,
            count=count,
            seed=seed,
            hops=(campaign.HOPS if hops is None else hops) if linked else 0,
            progress=lambda done, flits: say(f"{done} machines, {flits:,} flit-hops", min(done / count, 1)),
            vary_machines=machine is None,
        )
    return Verification(chosen, totals, failure)


def replay(path: Path) -> Failure | None:
    """Run a failure again that was written to a file; None if it does not fail any more."""
    return comparison.compare(comparison.read(path), quick_node)


def quick_node(machine: Machine) -> Path:
    """Return the compiled node of a machine for a comparison."""
    return node_library(machine, Variant(quick=True))


def record_waves(failure: Failure, base: Path) -> tuple[Path, Path]:
    """Write the waveforms of the RTL and of the cycle model for a failure beside its file."""
    return waves.record(failure, lambda machine: node_library(machine, Variant(quick=True, waves=True)), base)
