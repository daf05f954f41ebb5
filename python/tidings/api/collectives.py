# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Algorithms of collectives: what they are, what they cost, and what papers printed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from tidings.api.machines import machine_of

if TYPE_CHECKING:
    import pandas as pd

    from tidings.analyze.contention import Analysis, Summary
    from tidings.analyze.word_schedules import Length
    from tidings.api.types import MachineLike
    from tidings.experiment.paper import Compared
    from tidings.report.frames import Rows


def list_algorithms() -> "pd.DataFrame":
    """Return the algorithms of the library's collectives: what carries them out, what they need, and what they do."""
    from tidings.collectives.view import algorithm_rows
    from tidings.report.frames import frame_of

    return frame_of(algorithm_rows())


def analyze_collective(
    collective: str,
    algorithm: str,
    *,
    machine: "MachineLike",
    ranks: int | None = None,
    words: int = 1,
    limit: float | None = None,
) -> "Analysis":
    """Return where the messages of a collective meet: links and conflicts of each step, and the bound.

    Parameters
    ----------
    collective, algorithm : str
        As `list_algorithms` names them; or ``alltoall`` and ``scheduled``, words that switches forward in an order.
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    ranks : int, optional
        Ranks; all slots if not given.
    words : int
        Words of the vector or of one block.
    limit : float, optional
        Seconds of the search for a schedule of words, by default `tidings.analyze.word_schedules.LIMIT_SECONDS`.

    Raises
    ------
    UserError
        If there is no such algorithm, or the ranks cannot have it.
    """
    from tidings.analyze import contention

    found = machine_of(machine)
    return contention.analyze(found, collective, algorithm, ranks or found.slots, words, limit)


def compare_algorithms(
    collective: str, *, machine: "MachineLike", ranks: int | None = None, words: int = 1
) -> "tuple[Rows[Summary], dict[str, str]]":
    """Return a line for each algorithm of a collective, as `analyze_collective` finds it, and why others are left out.

    Parameters
    ----------
    collective : str
        As `list_algorithms` names it.
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    ranks : int, optional
        Ranks; all slots if not given.
    words : int
        Words of the vector or of one block.

    Raises
    ------
    UserError
        If there is no such collective.
    """
    from tidings.analyze import contention

    found = machine_of(machine)
    return contention.compare(found, collective, ranks or found.slots, words)


def word_schedules(
    meshes: Iterable[tuple[int, int]],
    *,
    closed: bool = False,
    limit: float | None = None,
    progress: TextIO | None = None,
) -> "Rows[Length]":
    """Return how long all-to-alls of single words take in which no two words meet, beside the bound.

    Parameters
    ----------
    meshes : iterable of pairs
        Routers in x and in y.
    closed : bool
        Both dimensions are rings, so that the meshes are tori.
    limit : float, optional
        Seconds of the search for one mesh, by default `tidings.analyze.word_schedules.LIMIT_SECONDS`. A mesh without a
        schedule says why.
    progress : text stream, optional
        Where to say which mesh is next.
    """
    from tidings.analyze import word_schedules as schedules
    from tidings.report.frames import Rows

    def found(width: int, height: int) -> "Length":
        if progress is not None:
            print(f"tidings: {width}x{height}", file=progress, flush=True)
        grid = schedules.switch_grid((width, height), (closed, closed))
        return schedules.length(grid, schedules.LIMIT_SECONDS if limit is None else limit)

    return Rows(found(width, height) for width, height in meshes)


def compare_with_paper(
    name: str,
    place: str | None = None,
    *,
    kind: str | None = None,
    long: bool = False,
    progress: TextIO | None = None,
) -> "Rows[Compared]":
    """Return the values that a paper publishes beside ours, each with a verdict.

    Parameters
    ----------
    name : str
        A paper, as ``tidings experiment list`` names it.
    place : str, optional
        Only one table, figure or section, such as ``Table 4.1``.
    kind : str, optional
        Only values of a class: ``computed``, ``measured``, ``resource`` or ``lost``.
    long : bool
        Compute also those values of ours that take long.
    progress : text stream, optional
        Where to say how far a long comparison is.

    Raises
    ------
    UserError
        If there is no such paper, or it has no such values.
    """
    from tidings.experiment import paper

    return paper.compare(paper.paper(name), place, kind, long=long, progress=progress)
