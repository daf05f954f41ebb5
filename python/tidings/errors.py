# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The errors of the package."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidings.runtime.result import Run


class UserError(Exception):
    """Something that the user asked for cannot be done; the message says what, where, and what to do."""

    #: Exit status of the command line.
    status = 2


class ProgramMissingError(UserError):
    """There is no program of the name that was given."""

    status = 127


class ProgramNotExecutableError(UserError):
    """The program is there but is none, or may not be executed."""

    status = 126


class RunError(Exception):
    """A program that was run failed; the message says why.

    Attributes
    ----------
    run : Run
        What came of it.
    """

    def __init__(self, run: "Run") -> None:
        self.run = run
        status = f"{run.job.program[0]} ended with exit status {run.exit_status}"
        mistakes = [str(mistake) for mistake in run.mistakes]
        super().__init__("\n".join([run.error or (status if run.exit_status else run.event_error), *mistakes]))
