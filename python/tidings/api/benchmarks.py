# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Benchmarks: what simulator, library, links, engines and networks do, beside their bounds."""

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tidings.api.machines import machine_of
from tidings.errors import UserError

if TYPE_CHECKING:
    from tidings.api.types import MachineLike
    from tidings.bench.core_counts import CoreCost
    from tidings.bench.library import CallCost
    from tidings.bench.links import LinkCost
    from tidings.bench.osu import Figure
    from tidings.bench.pages import PageFigure
    from tidings.bench.programs import Measured
    from tidings.bench.simulator import Speed
    from tidings.collectives.measurement import Study as CollectivesStudy
    from tidings.report.frames import Rows
    from tidings.rma.measurement import Study as RmaStudy
    from tidings.traffic.measurement import Study as TrafficStudy


def bench_simulator(
    machines: "Sequence[MachineLike] | None" = None,
    *,
    fidelity: str = "cycle",
    cycles: int | None = None,
    threads: int | None = None,
    against: "str | PathLike[str] | None" = None,
    repeat: int = 3,
    progress: TextIO | None = None,
) -> "Rows[Speed]":
    """Measure how fast machines are simulated, without ranks and without idle time.

    Parameters
    ----------
    machines : sequence of Machine, str or path, optional
        Machines to simulate; four networks and ``spirit`` if not given.
    fidelity : str
        ``cycle`` or ``rtl``.
    cycles : int, optional
        Fabric cycles per load; what takes about a second if not given.
    threads : int, optional
        Compare 1 to N threads, by the cycle model.
    against : path, optional
        Another checkout in which ``make`` has built Tidings: both builds are measured in turn, and the ratio is that of
        speeds, to the other build. Machines are then given by name or path.
    repeat : int
        With ``threads`` or ``against``: each is measured this number of times, and the best is kept.
    progress : text stream, optional
        Where to say what is measured.

    Raises
    ------
    UserError
        If the request makes no sense, or the other checkout is not built.
    """
    from tidings.bench import simulator
    from tidings.report.frames import Rows

    if against is not None:
        if threads is not None:
            message = "threads and builds are compared one at a time: leave --threads or --against out"
            raise UserError(message)
        names = [fspath(name) for name in machines or () if isinstance(name, str | PathLike)]
        if len(names) != len(machines or ()):
            message = "with another checkout, machines are given by name or path"
            raise UserError(message)
        compared = simulator.speeds_against(Path(against), names, fidelity, cycles, repeat, progress)
        return Rows(compared)
    chosen = None if not machines else [machine_of(one) for one in machines]
    return Rows(simulator.speeds(chosen, fidelity, cycles, threads, repeat, progress))


def bench_library(machine: "MachineLike" = "spirit") -> "Rows[CallCost]":
    """Count the instructions that calls of the MPI library execute.

    Parameters
    ----------
    machine : Machine, str or path
        Where the program that makes the calls runs, with two ranks.

    Raises
    ------
    UserError
        If there is no valgrind or no C compiler.
    """
    from tidings.bench import library
    from tidings.report.frames import Rows

    return Rows(library.call_costs(machine_of(machine)))


def bench_soft_core(
    image: "str | PathLike[str]", machine: "MachineLike" = "spirit", *, update: bool = False
) -> "Rows[CoreCost]":
    """Count what calls of the MPI library execute on an emulated soft core, beside what machines charge for them.

    Parameters
    ----------
    image : str or path
        ``tidings_rv32_counted``, which ``make rv32-counted`` builds.
    machine : Machine, str or path
        Where it runs, with two ranks.
    update : bool
        The machines charge from now on what has been counted.

    Raises
    ------
    UserError
        If there is no such image, or it does not run.
    """
    from tidings.bench import core_counts
    from tidings.report.frames import Rows

    costs = core_counts.core_costs(Path(image), machine_of(machine))
    if update:
        core_counts.update(costs)
        costs = [cost.charged_anew() for cost in costs]
    return Rows(costs)


def bench_programs(
    patterns: Sequence[str] = (),
    *,
    most_ranks: int = 1024,
    against: "str | PathLike[str] | None" = None,
    repeat: int = 3,
    events: bool = False,
    progress: TextIO | None = None,
) -> "Rows[Measured]":
    """Measure how much wall time programs take.

    Parameters
    ----------
    patterns : sequence of str
        What the programs do; all patterns if empty.
    most_ranks : int
        Patterns of more ranks are left out.
    against : path, optional
        Another checkout in which ``make`` has built Tidings: both builds are measured in turn.
    repeat : int
        Measurements of each build; the best is kept.
    events : bool
        Compare runs that store their events with runs that do not.
    progress : text stream, optional
        Where to say what is measured.

    Raises
    ------
    UserError
        If a pattern is not known, the other checkout is not built, there is no C compiler, or a run fails.
    """
    from tidings.bench import programs
    from tidings.report.frames import Rows

    other = None if against is None else Path(against)
    return Rows(programs.measure(patterns, most_ranks, other, repeat, progress, events=events))


def bench_osu(
    machine: "MachineLike" = "spirit",
    *,
    benchmarks: Sequence[str] = (),
    ranks: int | None = None,
    least_bytes: int = 1,
    most_bytes: int = 1 << 16,
    iterations: int = 4,
    collectives: str | None = None,
    profile: str | None = None,
    fidelity: str = "cycle",
    progress: TextIO | None = None,
) -> "Rows[Figure]":
    """Measure what OSU's micro-benchmarks measure, in virtual time, beside what the machine could do at best.

    Parameters
    ----------
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    benchmarks : sequence of str
        Names such as ``latency``, ``bw``, ``allreduce``, ``iallreduce`` and ``put_latency``, or families; all if empty.
    ranks : int, optional
        Ranks; 8 or all slots if not given.
    least_bytes, most_bytes : int
        Sizes, from the least doubled up to the most.
    iterations : int
        Repetitions of each measurement.
    collectives : str, optional
        ``hardware``, ``software`` or ``ideal``, as in `run`.
    profile : str, optional
        One of the machine's profiles, as in `run`.
    fidelity : str
        ``cycle`` or ``rtl``.
    progress : text stream, optional
        Where to say what is measured.

    Raises
    ------
    UserError
        If there is no such benchmark, the ranks do not fit, there is no C compiler, or a run fails.
    """
    from tidings.bench import osu
    from tidings.report.frames import Rows

    plan = osu.Plan(
        machine=machine_of(machine),
        benchmarks=tuple(benchmarks),
        ranks=ranks,
        bytes=(least_bytes, most_bytes),
        iterations=iterations,
        fidelity=fidelity,
        collectives=collectives,
        profile=profile,
    )
    return Rows(osu.measure(plan, progress))


def bench_report(*, steps: int = 100, repeat: int = 3, progress: TextIO | None = None) -> "Rows[PageFigure]":
    """Measure how long the report of a run of 64 ranks takes to be written, opened and moved about in.

    Parameters
    ----------
    steps : int
        Steps of the program that is run: each has about a thousand events.
    repeat : int
        How often the page is opened; the best is kept.
    progress : text stream, optional
        Where to say what is measured.

    Raises
    ------
    UserError
        If there is no browser, or no C compiler.
    """
    from tidings.bench import pages
    from tidings.report.frames import Rows

    return Rows(pages.measure(steps, repeat, progress))


def bench_links(machine: "MachineLike" = "spirit", *, cycles: int = 200_000, seed: int = 1) -> "Rows[LinkCost]":
    """Measure what bit errors cost on a link that loses nothing.

    Parameters
    ----------
    machine : Machine, str or path
        Its link latency and buffers are taken.
    cycles : int
        Fabric cycles per bit error rate and load.
    seed : int
        Seed of traffic and errors.

    Raises
    ------
    UserError
        If the machine has no links.
    """
    from tidings.bench import links
    from tidings.report.frames import Rows

    return Rows(links.link_costs(machine_of(machine), cycles, seed))


def bench_collectives(
    machine: "MachineLike" = "spirit",
    *,
    operations: Sequence[str] = (),
    trees: Sequence[str] = (),
    nodes: Sequence[int] = (),
    words: Sequence[int] = (),
    vectors: int = 1,
    element: str = "double",
    fidelity: str = "cycle",
    progress: TextIO | None = None,
) -> "CollectivesStudy":
    """Measure how many cycles collectives take in the engines, without ranks and software.

    Parameters
    ----------
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    operations : sequence of str
        Collectives to measure; all if not given.
    trees : sequence of str
        Trees to measure; all if not given.
    nodes : sequence of int
        Numbers of nodes; powers of two up to 64 if not given.
    words : sequence of int
        Words of a vector; 8, 256, 4096 and 65536 if not given.
    vectors : int
        Vectors one after the other, which give the sustained rate.
    element : str
        What reductions sum.
    fidelity : str
        ``cycle`` or ``rtl``.
    progress : text stream, optional
        Where to say how far the work is.

    Returns
    -------
    Study
        Its ``frame`` has a row per collective.

    Raises
    ------
    UserError
        If there is no such measurement.
    """
    from tidings.collectives import study

    plan = study.Plan(
        machine=machine_of(machine),
        operations=tuple(operations),
        trees=tuple(trees),
        nodes=tuple(nodes),
        words=tuple(words),
        vectors=vectors,
        element=element,
        fidelity=fidelity,
    )
    study.check(plan)
    return study.execute(plan, progress)


def bench_rma(
    machine: "MachineLike" = "crossbar",
    *,
    slots: Sequence[int] = (),
    words: Sequence[int] = (),
    exchange: Sequence[int] = (),
    fidelity: str = "cycle",
    progress: TextIO | None = None,
) -> "RmaStudy":
    """Measure how many cycles PUTs, GETs and barriers behind them take in the engines, without software.

    Parameters
    ----------
    machine : Machine, str or path
        A machine, the name of a shipped one, or the path of a machine file.
    slots : sequence of int
        Slots of barriers and total exchanges; powers of two up to 32 if not given.
    words : sequence of int
        Words of a PUT or GET; those of Ziavras 2006 if not given.
    exchange : sequence of int
        Words of a block of total exchanges; 1, 2, ... 1024 if not given.
    fidelity : str
        ``cycle`` or ``rtl``.
    progress : text stream, optional
        Where to say how far the work is.

    Returns
    -------
    Study
        Its ``frame`` has a row per measurement: cycles, and the published value, the floor and the target if there are
        any.

    Raises
    ------
    UserError
        If there is no such measurement, or a word is not where it belongs.
    """
    from tidings.rma import study

    plan = study.Plan(
        machine=machine_of(machine),
        slots=tuple(slots),
        words=tuple(words),
        exchange=tuple(exchange),
        fidelity=fidelity,
    )
    study.check(plan)
    return study.execute(plan, progress)


def bench_traffic(
    machine: "MachineLike",
    *,
    pattern: str = "uniform",
    loads: Sequence[float] | None = None,
    packet_flits: int = 1,
    burst_packets: int = 1,
    vcs: int | None = None,
    hot_endpoints: Sequence[int] = (),
    hot_share: float = 0.1,
    seed: int = 1,
    threads: int = 1,
    warmup_cycles: int = 5000,
    measure_cycles: int = 20_000,
    drain_cycles: int = 200_000,
    saturation: bool | None = None,
    exchange: bool = False,
    progress: TextIO | None = None,
) -> "TrafficStudy":
    """Send synthetic traffic through a machine's network and measure latency and throughput.

    Parameters
    ----------
    machine : Machine, str or path
        A machine; ``tidings.machine(name, changes)`` makes one with another topology, size or buffers.
    pattern : str
        Who sends to whom.
    loads : sequence of float, optional
        Offered loads in flits per endpoint and cycle; the whole curve if not given.
    packet_flits : int
        Length of a packet.
    burst_packets : int
        Packets that an endpoint creates at once, all for one destination.
    vcs : int, optional
        Virtual channels of a link; the fewest if not given.
    hot_endpoints : sequence of int
        Endpoints that pattern ``hotspot`` prefers; the router in the middle if not given.
    hot_share : float
        Share of the packets that go to them.
    seed : int
        Seed of the random numbers.
    threads : int
        Threads that simulate the network; results do not depend on it.
    warmup_cycles : int
        Cycles before the measurement.
    measure_cycles : int
        Cycles whose packets are measured.
    drain_cycles : int
        Cycles after which packets that are still on their way are given up.
    saturation : bool, optional
        Find the load up to which the machine keeps up; if not given, unless there is a single load.
    exchange : bool
        Time one packet from everyone to everyone else instead.
    progress : text stream, optional
        Where to say how far the work is.

    Returns
    -------
    Study
        Its ``curve`` has a row per load, its ``links`` a row per load and link.

    Raises
    ------
    UserError
        If there is no such traffic.
    """
    from tidings.traffic import study
    from tidings.traffic.measurement import Traffic

    plan = study.Plan(
        traffic=Traffic(
            machine=machine_of(machine),
            vcs=vcs,
            pattern=pattern,
            hot_endpoints=tuple(hot_endpoints),
            hot_share=hot_share,
            packet_flits=packet_flits,
            burst_packets=burst_packets,
            seed=seed,
            threads=threads,
            warmup_cycles=warmup_cycles,
            measure_cycles=measure_cycles,
            drain_cycles=drain_cycles,
        ),
        loads=None if loads is None else list(loads),
        saturation=saturation,
        exchange=exchange,
    )
    study.check(plan)
    return study.execute(plan, progress)
