# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What Tidings computes or simulates today of the values that the thesis of Yagna prints."""

import functools
import json
import tempfile
from pathlib import Path

import tidings
from tidings import _core
from tidings.analyze.contention import Analysis
from tidings.machines.configuration import configuration

#: The mesh that stands in for the TILEPro64 until the machine tilepro64-2013 is there.
MACHINE = "mesh8x8"
SIDES = range(2, 8)
_LARGEST = max(SIDES)

#: The algorithms of both libraries, by messages.
PROFILES = {
    "nocmsg": {
        "alltoall": "rounds-latin",
        "barrier": "mesh-3-ary",
        "bcast": "dimension",
        "reduce": "row-column",
        "allreduce": "row-column",
    },
    "operampi": {
        "alltoall": "pairwise",
        "barrier": "binomial",
        "bcast": "binomial",
        "reduce": "binomial",
        "allreduce": "binomial",
    },
}


def clock() -> float:
    """Return the clock of the machine's fabric in MHz."""
    return float(tidings.machine(MACHINE).fabric.clock_MHz)


def tiles() -> float:
    """Return the cores of the machine."""
    return tidings.machine(MACHINE).slots


def _analysis(collective: str, algorithm: str, side: int = _LARGEST, ranks: int | None = None) -> Analysis:
    machine = tidings.machine(MACHINE, {"topology.size": [side, side]})
    return tidings.analyze_collective(collective, algorithm, machine=machine, ranks=ranks)


def example_of_contention() -> float:
    """Return the messages that share a link in Figure 1.6."""
    machine = configuration(tidings.machine(MACHINE, {"topology.size": [3, 3]}))
    return _core.step_loads(machine, 9, [(0, 3, 8, 1), (0, 4, 2, 1)])[0].most_messages


def binomial_steps() -> float:
    """Return the steps of a broadcast to 32 ranks."""
    machine = tidings.machine(MACHINE, {"topology.size": [8, 4]})
    return len(tidings.analyze_collective("bcast", "binomial", machine=machine).steps)


def pairwise_stages() -> float:
    """Return the steps of an all-to-all in which every rank sends and receives at the same time."""
    return len(_analysis("alltoall", "pairwise").steps)


def paired_stages() -> float:
    """Return the stages of an all-to-all in which half of the ranks sends to the other half, and back."""
    analysis = _analysis("alltoall", "stages")
    return analysis.messages / (2 * (analysis.ranks // 2))  # all pairs exchange in each


def colliding_rounds() -> float:
    """Return the most messages beside one on a link in a round."""
    return max(_analysis("alltoall", "rounds-latin", side).most_messages - 1 for side in SIDES)


def rounds() -> float:
    """Return the rounds of an all-to-all."""
    return len(_analysis("alltoall", "rounds-latin").steps)


def least_rounds() -> float:
    """Return the rounds that no all-to-all can do without: messages across the busiest link."""
    return _analysis("alltoall", "rounds-latin").bound


@functools.cache
def _children() -> tuple[int, int]:
    """Return the most children of the root and of other ranks of a barrier's tree on 16 cores."""
    machine = configuration(tidings.machine(MACHINE, {"topology.size": [4, 4]}))
    (algorithm,) = (one for one in _core.algorithms() if (one.collective, one.name) == ("barrier", "mesh-3-ary"))
    first: dict[int, tuple[int, int]] = {}  # when and to whom a rank sends first: to its parent, but for the root
    for step, sender, receiver, _ in algorithm.steps(_core.placement(machine, 16, 8)).messages:
        first.setdefault(sender, (step, receiver))
    root = max(first, key=lambda rank: first[rank][0])
    parents = [receiver for rank, (_, receiver) in first.items() if rank != root]
    children = {rank: parents.count(rank) for rank in first}
    return children.pop(root), max(children.values())


def children_of_root() -> float:
    """Return the most children of the root of a barrier's tree on 16 cores."""
    return _children()[0]


def children_of_others() -> float:
    """Return the most children of the other ranks."""
    return _children()[1]


def colliding_broadcast() -> float:
    """Return the most messages beside one on a link in a step of the broadcast along rows and columns."""
    return max(_analysis("bcast", "dimension", side).most_messages - 1 for side in SIDES)


def reduce_steps() -> float:
    """Return the steps of the reduction in two steps: the most on all grids."""
    return max(len(_analysis("reduce", "row-column", side).steps) for side in SIDES)


def colliding_reduce() -> float:
    """Return the steps of the reduction in which messages share a link."""
    return _analysis("reduce", "row-column").conflicting_steps


# ---------------------------------------------------------------- the thesis's micro-benchmark (section 4.1)

_PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
enum { TRIALS = 5 };
static int in[64], out[64], value[2];
static void call(int which) {
  switch (which) {
    case 0: MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD); break;
    case 1: MPI_Barrier(MPI_COMM_WORLD); break;
    case 2: MPI_Bcast(value, 1, MPI_INT, 0, MPI_COMM_WORLD); break;
    case 3: MPI_Reduce(in, value, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); break;
    default: MPI_Allreduce(in, value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
  }
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int which = 0; which < 5; ++which) {
    call(which);
    double sum = 0, most = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      call(which);
      sum += MPI_Wtime() - start;
    }
    MPI_Reduce(&sum, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s%.9f%s", which ? "," : "[", most / TRIALS * 1e6, which < 4 ? "" : "]\n");
  }
  MPI_Finalize();
  return 0;
}
"""


@functools.cache
def _microseconds(profile: str, side: int) -> dict[str, float]:
    """Return the mean time of each collective with one word, at the rank that takes longest."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "benchmark.c"
        source.write_text(_PROGRAM, encoding="utf-8")
        program = tidings.compile_program(source, Path(folder) / "benchmark")
        machine = tidings.machine(MACHINE, {"topology.size": [side, side]})
        result = tidings.run(
            program,
            machine=machine,
            ranks=side * side,
            collectives="software",
            algorithms=PROFILES[profile],
            capture=True,
        )
    names = ("alltoall", "barrier", "bcast", "reduce", "allreduce")
    return dict(zip(names, json.loads(result.stdout or ""), strict=True))


def _saved(collective: str) -> float:
    """Return how much less time NoCMsg's algorithm takes than OperaMPI's at 7x7, in per cent."""
    ours, theirs = (_microseconds(profile, _LARGEST)[collective] for profile in ("nocmsg", "operampi"))
    return round(100 * (1 - ours / theirs), 1)


def saved_alltoall() -> float:
    """Return the time that the all-to-all in rounds saves."""
    return _saved("alltoall")


def saved_barrier() -> float:
    """Return the time that the barrier saves."""
    return _saved("barrier")


def saved_bcast() -> float:
    """Return the time that the broadcast saves."""
    return _saved("bcast")


def saved_reduce() -> float:
    """Return the time that the reduction saves."""
    return _saved("reduce")


def saved_allreduce() -> float:
    """Return the time that the allreduce saves."""
    return _saved("allreduce")


def growth_of_broadcast() -> float:
    """Return how much longer a broadcast takes at 7x7 than at 2x2."""
    return round(_microseconds("nocmsg", _LARGEST)["bcast"] / _microseconds("nocmsg", min(SIDES))["bcast"], 2)
