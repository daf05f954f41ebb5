# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Runs of one program with several values of what it runs on."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidings.report.frames import frame_of
from tidings.runtime.result import Run

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Sweep:
    """Runs of one program, one for each combination of values.

    Attributes
    ----------
    runs : tuple of (dict, Run)
        Each run with the values that it stands for.
    """

    runs: tuple[tuple[dict[str, Any], Run], ...]

    @property
    def frame(self) -> "pd.DataFrame":
        """A row per run: its values, then virtual time, share of communication and the work of the simulator."""
        return frame_of(values | _figures(run) for values, run in self.runs)

    @property
    def operations(self) -> "pd.DataFrame":
        """The operations of all runs, as in `Run.operations`, with the values of the run before them."""
        return frame_of(values | row for values, run in self.runs for row in run.operation_rows())

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Run]]:
        return iter(self.runs)

    def _repr_html_(self) -> str:
        return self.frame.to_html()


def combinations(axes: Mapping[str, object]) -> Iterator[dict[str, Any]]:
    """Yield every combination of values; what is not a list, tuple or range is a single value."""
    lists = [list(values) if isinstance(values, (list, tuple, range)) else [values] for values in axes.values()]
    for combination in itertools.product(*lists):
        yield dict(zip(axes, combination, strict=True))


def _figures(run: Run) -> dict[str, Any]:
    report = run.report
    return {
        "exit_status": report.exit_status,
        "elapsed_ps": report.elapsed_ps,
        "communication_share": report.communication_share,
        "simulated_cycles": report.simulated_cycles,
        "flit_hops": report.flit_hops,
        "wall_seconds": report.wall_seconds,
    }
