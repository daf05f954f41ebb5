# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench programs``."""

import sys
from typing import Annotated

import typer

import tidings
from tidings.bench import programs
from tidings.cli.options import Against, CsvFile, JsonFile, Repeat, at_least
from tidings.cli.output import console_beside, write_results
from tidings.errors import UserError


def bench_programs(
    patterns: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern",
            metavar="PATTERN",
            help="What the program does: "
            + ", ".join(sorted({pattern.name for pattern in programs.PATTERNS}))
            + ". May be given again. Without it, all.",
            show_default=False,
        ),
    ] = None,
    most_ranks: Annotated[
        int, typer.Option("--most-ranks", metavar="N", **at_least(2), help="Leave out patterns of more ranks.")
    ] = 1024,
    against: Against = None,
    events: Annotated[
        bool, typer.Option("--events", help="Compare runs that store their events with runs that do not.")
    ] = False,
    repeat: Repeat = 3,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print how much wall time programs take: a message, a collective, the start of a rank.

    The programs run on tori with the links and engines of spirit, by the cycle model, and compute nothing. The start of
    the ranks is taken off if the unit is per event. With --against, the last column says how much better the targets
    are than the commit with which they were set: that holds on any computer.

    For example:

    tidings bench programs --most-ranks 64 --json programs.json

    tidings bench programs --pattern round-trip --pattern alltoall --repeat 5

    tidings bench programs --against ../tidings-before

    tidings bench programs --most-ranks 64 --events
    """
    if events and against is not None:
        message = "--events compares runs of this build: leave out --against"
        raise UserError(message)
    rows = tidings.bench_programs(
        patterns or (), most_ranks=most_ranks, against=against, repeat=repeat, events=events, progress=sys.stderr
    )
    console_beside(json_file, csv_file).print(programs.as_table(rows))
    write_results(json_file, rows.as_json(), csv_file, rows)
