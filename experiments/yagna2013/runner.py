# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What Tidings computes or simulates today of the values that the thesis of Yagna prints."""

import functools
import itertools
import json
import math
import re
import tempfile
from pathlib import Path

import tidings
from tidings import _core
from tidings.analyze.contention import Analysis
from tidings.generated import packets, registers
from tidings.layout import share_folder
from tidings.machines.configuration import configuration

MACHINE = "tilepro64-2013"
SIDES = range(2, 8)
_LARGEST = max(SIDES)


def clock() -> float:
    """Return the clock of the machine's fabric in MHz."""
    return float(tidings.machine(MACHINE).fabric.clock_MHz)


def tiles() -> float:
    """Return the cores of the machine."""
    return tidings.machine(MACHINE).slots


def words_of_store() -> float:
    """Return the words that all receive queues of a slot together have room for."""
    return float(tidings.machine(MACHINE).stream.store_words)


def longest_packet() -> float:
    """Return the most words that a packet of the engine for words has, without its headers."""
    return float(packets.STREAM_LONGEST_PACKET)


def receive_queues() -> float:
    """Return the receive queues that a tag chooses."""
    return registers.StreamMatch.DIMENSIONS[0]


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
enum { TRIALS = 3 };
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
    if (rank == 0) printf("%s%.9f", which ? "," : "[", most / TRIALS * 1e6);
  }
  double start = 0;
  for (int trial = 0; trial <= TRIALS; ++trial) {  // to rank 1 and back; the first time is not counted
    if (trial == 1) start = MPI_Wtime();
    if (rank == 0) MPI_Send(value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank < 2) MPI_Recv(value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf(",%.9f]\n", (MPI_Wtime() - start) / (2 * TRIALS) * 1e6);
  MPI_Finalize();
  return 0;
}
"""


#: The same once for each number of words that is given.
_PROGRAM_OF_SIZES = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int a = 1; a < argc; ++a) {
    const int words = atoi(argv[a]);
    int *in = calloc((size_t)(words * ranks), sizeof *in), *out = calloc((size_t)(words * ranks), sizeof *out);
    for (int which = 0; which < 4; ++which) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      switch (which) {
        case 0: MPI_Alltoall(in, words, MPI_INT, out, words, MPI_INT, MPI_COMM_WORLD); break;
        case 1: MPI_Bcast(in, words, MPI_INT, 0, MPI_COMM_WORLD); break;
        case 2: MPI_Reduce(in, out, words, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); break;
        default: MPI_Allreduce(in, out, words, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
      }
      double time = MPI_Wtime() - start, most = 0;
      MPI_Reduce(&time, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      if (rank == 0) printf("%s%.9f%s", which ? "," : "[", most * 1e6, which == 3 ? "]\n" : "");
    }
    free(in);
    free(out);
  }
  MPI_Finalize();
  return 0;
}
"""


def _output_of(source: str, arguments: list[str], profile: str, side: int) -> str:
    """Return what a C program prints with a task on each router of a square."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text(source, encoding="utf-8")
        result = tidings.run(
            [tidings.compile_program([file, "-lm"], Path(folder) / "program"), *arguments],
            machine=tidings.machine(MACHINE, {"topology.size": [side, side]}),
            ranks=side * side,
            profile=profile,
            capture=True,
        )
    return result.stdout or ""


@functools.cache
def _microseconds(profile: str, side: int) -> dict[str, float]:
    """Return the mean time of each collective with one word, at the rank that takes longest, and of a message."""
    names = ("alltoall", "barrier", "bcast", "reduce", "allreduce", "message")
    return dict(zip(names, json.loads(_output_of(_PROGRAM, [], profile, side)), strict=True))


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


def small_message() -> float:
    """Return the time of a message of one word between neighbours, with OperaMPI."""
    return round(_microseconds("operampi", min(SIDES))["message"], 2)


def growth_of_broadcast() -> float:
    """Return how much longer a broadcast takes at 7x7 than at 2x2."""
    return round(_microseconds("nocmsg", _LARGEST)["bcast"] / _microseconds("nocmsg", min(SIDES))["bcast"], 2)


# ---------------------------------------------------------------- longer messages (section 4.3)

#: Bytes of a block or a vector. Beyond that, an all-to-all of 49 ranks takes minutes to simulate.
SIZES = (4, 16, 64, 256, 1024, 4096)


@functools.cache
def _microseconds_by_size(profile: str, side: int) -> dict[str, list[float]]:
    """Return the time of each collective that has data, for each of the sizes, at the rank that takes longest."""
    output = _output_of(_PROGRAM_OF_SIZES, [str(size // 4) for size in SIZES], profile, side)
    times = [json.loads(line) for line in output.splitlines()]
    names = ("alltoall", "bcast", "reduce", "allreduce")
    return {name: [row[i] for row in times] for i, name in enumerate(names)}


def _saved_by_size(collective: str, side: int = _LARGEST) -> list[float]:
    """Return how much less time NoCMsg's algorithm takes than OperaMPI's, in per cent, for each of the sizes."""
    ours, theirs = (_microseconds_by_size(profile, side)[collective] for profile in ("nocmsg", "operampi"))
    return [100 * (1 - a / b) for a, b in zip(ours, theirs, strict=True)]


def saved_alltoall_short() -> float:
    """Return the least time that the all-to-all in rounds saves with blocks of up to 256 bytes."""
    return round(min(saved for saved, size in zip(_saved_by_size("alltoall"), SIZES, strict=True) if size <= 256), 1)


def _threshold(side: int) -> float:
    """Return the shortest block with which OperaMPI's all-to-all is faster; twice the longest one if none is."""
    slower = [size for saved, size in zip(_saved_by_size("alltoall", side), SIZES, strict=True) if saved < 0]
    return min(slower, default=2 * max(SIZES))


def least_threshold() -> float:
    """Return the least threshold of all grids."""
    return min(_threshold(side) for side in SIDES)


def greatest_threshold() -> float:
    """Return the greatest threshold of all grids."""
    return max(_threshold(side) for side in SIDES)


def saved_reductions() -> float:
    """Return the least time that reduce and allreduce save, of all sizes."""
    return round(min(_saved_by_size("reduce") + _saved_by_size("allreduce")), 1)


def constant_bcast() -> float:
    """Return the longest message whose broadcast takes at most a tenth longer than that of a word."""
    times = _microseconds_by_size("nocmsg", _LARGEST)["bcast"]
    return max(size for time, size in zip(times, SIZES, strict=True) if time <= 1.1 * times[0])


# ---------------------------------------------------------------- variances (Tables 4.1 and 4.2)

#: Most nanoseconds that ranks begin a trial late: assumed, one figure per library, as the noise of the thesis's system
#: is not known. A uniform delay of d has the variance d^2 / 12: 1.3 and 2,080 us^2 here.
_NOISE_NS = {"nocmsg": 4_000, "operampi": 158_000}
_NOISE_SEED = 2013
_TRIALS = 30

_PROGRAM_OF_VARIANCES = r"""
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static int in[64], out[64], value[2];
/* SplitMix64. */
static uint64_t random_bits(uint64_t* state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const uint64_t noise = strtoull(argv[1], NULL, 10);
  const int trials = atoi(argv[3]);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  uint64_t state = (strtoull(argv[2], NULL, 10) << 16) + (uint64_t)rank;
  for (int which = 0; which < 5; ++which) {
    double sum = 0, squares = 0;
    for (int trial = 0; trial < trials; ++trial) {
      MPI_Barrier(MPI_COMM_WORLD);
      const struct timespec pause = {.tv_sec = 0, .tv_nsec = (long)(random_bits(&state) % noise)};
      nanosleep(&pause, NULL);
      const double start = floor(MPI_Wtime() * 1e6); /* the timer counts microseconds */
      switch (which) {
        case 0: MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD); break;
        case 1: MPI_Barrier(MPI_COMM_WORLD); break;
        case 2: MPI_Bcast(value, 1, MPI_INT, 0, MPI_COMM_WORLD); break;
        case 3: MPI_Reduce(in, value, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); break;
        default: MPI_Allreduce(in, value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
      }
      const double time = floor(MPI_Wtime() * 1e6) - start;
      sum += time;
      squares += time * time;
    }
    if (rank == 0) {
      printf("%s%.3f", which ? "," : "[", (squares - sum * sum / trials) / (trials - 1));
    }
  }
  if (rank == 0) printf("]\n");
  MPI_Finalize();
  return 0;
}
"""


@functools.cache
def _variances(profile: str, side: int) -> dict[str, float]:
    """Return the variance of each collective's time at rank 0 with one word."""
    arguments = [str(number) for number in (_NOISE_NS[profile], _NOISE_SEED, _TRIALS)]
    names = ("all-to-all", "barrier", "broadcast", "reduce", "allreduce")
    return dict(zip(names, json.loads(_output_of(_PROGRAM_OF_VARIANCES, arguments, profile, side)), strict=True))


def variance(profile: str, collective: str, column: str) -> float:
    """Return the variance of a collective's time with the tasks of a column, such as ``9 tasks``."""
    return round(_variances(profile, math.isqrt(int(column.split()[0])))[collective], 2)


# ---------------------------------------------------------------- kernels like the NAS benchmarks (sections 2.3, 4.4)

#: The same chip with our engines.
_ENGINES = "mesh8x8"
#: Numbers of tasks: powers of 2, five of them.
TASKS = (2, 4, 8, 16, 32)
#: Points of FT in x, y, z by tasks: 512 per task. Tasks divide y and z.
_BOXES = {2: (8, 8, 16), 4: (16, 8, 16), 8: (16, 16, 16), 16: (16, 16, 32), 32: (16, 32, 32)}
#: Virtual time of an operation, assumed: 50 cycles of 700 MHz in floating point, which a tile has no unit for, and 4
#: for an integer that is counted.
_FLOATING_NS, _INTEGER_NS = 71, 6


def _parameters(kernel: str, tasks: int) -> list[str]:
    """Return a kernel's parameters: one cube for MG, and about the same per task for the others."""
    match kernel:
        case "mg":
            chosen = {"points": 32, "levels": 4, "cycles": 1}
        case "is":
            chosen = {"keys": 1024 * tasks, "range": 256 * tasks, "buckets": 256, "rounds": 3}
        case "cg":
            chosen = {"rows": 64 * tasks, "pairs": 4, "steps": 25, "rounds": 1}
        case "ft":
            chosen = dict(zip("xyz", _BOXES[tasks], strict=True)) | {"rounds": 1}
        case _:
            chosen = {"points": round((512 * tasks) ** (1 / 3)), "rounds": 3}
    operation = _INTEGER_NS if kernel == "is" else _FLOATING_NS
    return [f"{name}={value}" for name, value in {**chosen, "op_ns": operation}.items()]


def _source(kernel: str) -> Path:
    return share_folder() / "examples" / "kernels" / f"{kernel}.c"


@functools.cache
def _kernel_milliseconds(kernel: str, profile: str, tasks: int) -> float:
    """Return the time that a kernel prints; ``hardware`` is no profile, but our engines."""
    with tempfile.TemporaryDirectory() as folder:
        program = tidings.compile_program([_source(kernel), "-lm"], Path(folder) / kernel)
        result = tidings.run(
            [program, *_parameters(kernel, tasks)],
            machine=_ENGINES if profile == "hardware" else MACHINE,
            ranks=tasks,
            profile=None if profile == "hardware" else profile,
            capture=True,
        )
    (seconds,) = re.findall(r"^verified +yes\ntime +([\d.]+) s$", result.stdout or "", re.MULTILINE)
    return round(float(seconds) * 1e3, 3)


def milliseconds(kernel: str, profile: str, column: str) -> float:
    """Return the time of a kernel with the tasks of a column, such as ``8 tasks``."""
    return _kernel_milliseconds(kernel, profile, int(column.split()[0]))


def _differences(kernel: str) -> list[float]:
    """Return by how much NoCMsg's algorithms are faster than OperaMPI's, by number of tasks."""
    return [_kernel_milliseconds(kernel, "operampi", n) - _kernel_milliseconds(kernel, "nocmsg", n) for n in TASKS]


def _rises(values: list[float]) -> int:
    """Return how many values are greater than the one before."""
    return sum(after > before for before, after in itertools.pairwise(values))


def faster(kernel: str) -> float:
    """Return with how many numbers of tasks NoCMsg's algorithms are faster."""
    return sum(difference > 0 for difference in _differences(kernel))


def faster_at_first(kernel: str) -> float:
    """Return whether they are faster with the fewest tasks."""
    return _differences(kernel)[0] > 0


def faster_at_last(kernel: str) -> float:
    """Return whether they are faster with the most tasks."""
    return _differences(kernel)[-1] > 0


def shorter(kernel: str) -> float:
    """Return how many doublings of the tasks shorten the time of NoCMsg's algorithms."""
    return _rises([-_kernel_milliseconds(kernel, "nocmsg", tasks) for tasks in TASKS])


def closer(kernel: str) -> float:
    """Return how many doublings of the tasks make the difference smaller."""
    return _rises([-difference for difference in _differences(kernel)])


def wider(kernel: str) -> float:
    """Return how many doublings of the tasks make the difference greater."""
    return _rises(_differences(kernel))


def call_sites(benchmark: str, column: str) -> float:
    """Return how many calls of a function a kernel's source has, with what it shares with the others."""
    function = {"Broadcast": "Bcast"}.get(column, column)
    text = _source(benchmark.lower()).read_text(encoding="utf-8")
    shared = _source("kernel").with_suffix(".h").read_text(encoding="utf-8")
    return len(re.findall(rf"\bMPI_{function}\(", text + shared))
