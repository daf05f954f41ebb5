# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What a run of a program gives to a Python program."""

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tidings import _core
from tidings.report import summary
from tidings.report.frames import frame_of
from tidings.runtime.mistakes import Mistake
from tidings.runtime.run import Job

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Run:
    """What came of a run.

    Attributes
    ----------
    job : Job
        What was run, and on what.
    report : _core.RunReport
        Everything that the simulator says of it.
    stdout, stderr : str or None
        What the ranks printed, if that was captured.
    event_error : str
        Why the file of events is not complete; empty if it is.
    mistakes : list of Mistake
        What the program did wrong with MPI, if that was looked for.
    """

    job: Job
    report: _core.RunReport
    stdout: str | None = field(default=None)
    stderr: str | None = field(default=None)
    event_error: str = ""
    mistakes: list[Mistake] = field(default_factory=list)

    @property
    def exit_status(self) -> int:
        """Exit status of the program: 0 if all went well."""
        failed = self.job.mistakes == "error" and bool(self.mistakes)
        return self.report.exit_status or int(failed)

    @property
    def error(self) -> str:
        """Why the run failed; empty if it did not."""
        return self.report.error

    @property
    def elapsed_ps(self) -> int:
        """Virtual time of the run in picoseconds: the end of the last rank."""
        return self.report.elapsed_ps

    @property
    def elapsed(self) -> float:
        """Virtual time of the run in seconds."""
        return self.report.elapsed_ps / 1e12

    @property
    def communication_share(self) -> float:
        """Share of the ranks' time inside MPI, 0 to 1."""
        return self.report.communication_share

    @property
    def operations(self) -> "pd.DataFrame":
        """Each MPI operation over all ranks: calls, bytes, times in picoseconds, and who carried it out."""
        return frame_of(self.operation_rows(), "operation")

    @property
    def ranks(self) -> "pd.DataFrame":
        """Each rank: when it ended, and its time inside MPI and outside, in picoseconds."""
        return frame_of(self.as_json()["per_rank"], "rank")

    @property
    def rank_operations(self) -> "pd.DataFrame":
        """Each MPI operation of each rank, as in `operations`."""
        rows = (
            {"rank": rank.rank} | operation for rank in self.report.ranks for operation in _operations(rank.operations)
        )
        return frame_of(rows, ["rank", "operation"])

    def operation_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of `operations`."""
        return _operations(self.report.operations)

    def as_json(self) -> dict[str, Any]:
        """Return everything that was found, as ``tidings run --json`` writes it."""
        figures = summary.as_json(self.job, self.report)
        if self.job.mistakes == "off":
            return figures
        return figures | {
            "exit_status": self.exit_status,
            "mistakes": [mistake.as_json() for mistake in self.mistakes],
        }

    def __repr__(self) -> str:
        return f"<Run: {summary.headline(self.job, self.report)}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(summary.headline(self.job, self.report))}</p>{self.operations.to_html()}"


def _operations(operations: list[_core.OperationStatistics]) -> Iterator[dict[str, Any]]:
    for operation in operations:
        yield {"operation": operation.name} | summary.operation_values(operation)
