# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machines: what there is, what a machine file says, and whether it keeps its promises."""

import sys
from collections.abc import Mapping, Sequence
from os import fspath
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import pandas as pd

    from tidings.analyze.deadlock import ChannelCheck, RandomCheck, StaticEntry
    from tidings.api.types import MachineLike
    from tidings.machines.file import Machine
    from tidings.report.frames import Rows
    from tidings.synth.synthesis import Result as SynthesisResult
    from tidings.verify.session import Verification


def machine(machine: "MachineLike", changes: Mapping[str, object] | None = None) -> "Machine":
    """Return a machine, on request with other values than its file has.

    Parameters
    ----------
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    changes : dict, optional
        Values by the keys of machine files, as in ``{"link.latency_cycles": 40, "topology.size": [8, 8]}``.

    Raises
    ------
    UserError
        If there is no such machine, or its file or the changes are not valid.
    """
    from tidings.machines.change import changed
    from tidings.machines.file import Machine, find_machine, load_machine

    found = machine if isinstance(machine, Machine) else load_machine(find_machine(fspath(machine)))
    return changed(found, changes or {})


#: The same for functions that call their own parameter `machine`.
machine_of = machine


def list_machines() -> "pd.DataFrame":
    """Return the machines that come with Tidings: name, slots, routers, topology and summary."""
    from tidings.machines.view import catalogue_rows
    from tidings.report.frames import frame_of

    return frame_of(catalogue_rows(), "machine")


def check_machine(
    machine: "MachineLike",
    ranks: int | None = None,
    *,
    dateline: bool = True,
    routes: "Sequence[StaticEntry] | None" = None,
    without: str | None = None,
) -> "ChannelCheck":
    """Check that the network of a machine cannot deadlock, from its channel dependency graph.

    Parameters
    ----------
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    ranks : int, optional
        Cut the machine as a run of that number of ranks does.
    dateline : bool
        False leaves the dateline channels of wrap-around links out.
    routes : sequence of StaticEntry, optional
        Static routes to check; trees of all kinds at once if not given.
    without : str, optional
        A rule of static routes that is left out: ``turns``, ``order`` or ``room``.

    Raises
    ------
    UserError
        If there is no such machine.
    """
    from tidings.analyze import deadlock

    return deadlock.check_channels(machine_of(machine), ranks, dateline=dateline, routes=routes, without=without)


def check_random_machines(count: int, seed: int = 1) -> "RandomCheck":
    """Check machines that are drawn from a seed as `check_machine` does."""
    from tidings.analyze import deadlock

    return deadlock.check_random(count, seed, lambda _: None)


def verify_machines(
    machine: "MachineLike | None" = None,
    *,
    count: int = 30,
    seed: int = 1,
    hops: int | None = None,
    node_kinds: int = 3,
    progress: TextIO | None = None,
) -> "Verification":
    """Compare the RTL and the cycle model in every cycle, on machines and traffic that are drawn from a seed.

    Parameters
    ----------
    machine : Machine, str or path, optional
        A machine, as it is; without, machines are drawn.
    count : int
        Machines to draw, or scripts on the one that is given.
    seed : int
        Of machines and traffic.
    hops : int, optional
        Flit-hops to compare, at least; a million if not given.
    node_kinds : int
        Sets of node parameters to compile, each of which takes half a minute.
    progress : text stream, optional
        Where to say how far the work is.

    Returns
    -------
    Verification
        Whether both were ``equal``, the first ``failure``, and what was seen.

    Raises
    ------
    UserError
        If there is no such comparison.
    """
    from tidings.verify import session

    chosen = None if machine is None else machine_of(machine)
    return session.verify(chosen, count=count, seed=seed, hops=hops, node_kinds=node_kinds, progress=progress)


def synthesize(
    design: str,
    targets: Sequence[str] = ("ecp5",),
    *,
    parameters: Mapping[str, int] | None = None,
    parts: Sequence[str] = (),
    seed: int = 1,
    seeds: int = 1,
    progress: TextIO | None = sys.stderr,
) -> "Rows[SynthesisResult]":
    """Synthesize a module or the node of a machine: what it costs on FPGAs, and on ECP5 how fast it runs.

    Parameters
    ----------
    design : str
        A module of the RTL, or a machine, which stands for its node.
    targets : sequence of str
        Families of FPGAs: ecp5, xc7, xc4v, xc2v, or xc2v-luts, which is xc2v without block RAMs.
    parameters : dict, optional
        Parameters of the module by name.
    parts : sequence of str
        Modules in it that are mapped once each, for all their instances.
    seed : int
        Where place and route starts (ECP5).
    seeds : int
        Seeds from there on that place and route starts from: the result is that of the median Fmax.
    progress : text stream, optional
        Where to say what takes long.

    Raises
    ------
    UserError
        If there is no such design or target, or a tool fails.
    """
    from tidings.report.frames import Rows
    from tidings.synth import synthesis

    def say(text: str) -> None:
        if progress is not None:
            print(f"tidings: {text}", file=progress, flush=True)

    found = synthesis.find_design(design, parameters or {}, parts=parts)
    places = range(seed, seed + seeds)
    return Rows(synthesis.synthesize_median(found, target, seeds=places, say=say) for target in targets)
