# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Algorithms for meshes: programs that name them print what MPICH prints."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tidings as api
from cli_support import Tidings
from tidings import _core
from tidings.machines.file import find_machine
from tidings.runtime.result import Run

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int rank, ranks;
static long sum_of(const int* values, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum = 31 * sum + values[i];
  return sum;
}
/* Every collective that has an algorithm for meshes, in a communicator; `given`: in memory of MPI_Alloc_mem. */
static long collectives(MPI_Comm comm, int count, int given) {
  int me, size;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  const size_t bytes = sizeof(int) * (size_t)(2 * size * count);
  int *in, *out;
  if (given) {
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &in);
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &out);
  } else {
    in = malloc(bytes), out = malloc(bytes);
  }
  memset(out, 0, bytes);
  int *counts = malloc(sizeof(int) * (size_t)size), *places = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < 2 * size * count; ++i) in[i] = 1000 * rank + i;
  MPI_Barrier(comm);
  MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
  long sum = sum_of(out, size * count);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out, count, MPI_INT, comm);
  sum = 7 * sum + sum_of(out, size * count);
  for (int i = 0; i < size; ++i) counts[i] = (i + me) % 3 * count / 2, places[i] = i * 2 * count;
  MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
  sum = 7 * sum + sum_of(out, 2 * size * count);
  for (int root = 0; root < size; root += size > 1 ? size - 1 : 1) {
    MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
    if (me == root) sum = 7 * sum + sum_of(out, count);
    MPI_Bcast(out, count, MPI_INT, root, comm);
    sum = 7 * sum + sum_of(out, count);
  }
  MPI_Allreduce(in, out, count, MPI_INT, MPI_MAX, comm);
  sum = 7 * sum + sum_of(out, count);
  memset(out, 0, bytes);
  for (int root = 0; root < size; root += size > 2 ? size / 2 : 1) {
    MPI_Gather(in + root, count, MPI_INT, out, count, MPI_INT, root, comm);
    if (me == root) {
      sum = 7 * sum + sum_of(out, size * count);
      MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, out, count, MPI_INT, root, comm);
    } else {
      MPI_Gather(in + 1, count, MPI_INT, NULL, 0, MPI_INT, root, comm);
    }
    if (me == root) sum = 7 * sum + sum_of(out, size * count);
    /* Bytes, which are no whole words. */
    MPI_Gather(in + 2, 2 * count + 3, MPI_BYTE, out, 2 * count + 3, MPI_BYTE, root, comm);
    if (me == root) sum = 7 * sum + sum_of(out, size * (2 * count + 3) / 4);
    MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, comm);
    sum = 7 * sum + sum_of(out, count);
    MPI_Scatter(in, count, MPI_INT, me == root ? MPI_IN_PLACE : out + 2, count, MPI_INT, root, comm);
    sum = 7 * sum + sum_of(out, count + 2);
    MPI_Scatter(in, 2 * count + 3, MPI_BYTE, out, 2 * count + 3, MPI_BYTE, root, comm);
    sum = 7 * sum + sum_of(out, (2 * count + 3) / 4);
  }
  MPI_Allgather(in + 3, count, MPI_INT, out, count, MPI_INT, comm);
  sum = 7 * sum + sum_of(out, size * count);
  out[me * count] += 5 * me;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, out, count, MPI_INT, comm);
  sum = 7 * sum + sum_of(out, size * count);
  MPI_Allgather(in + 1, 2 * count + 1, MPI_BYTE, out, 2 * count + 1, MPI_BYTE, comm);
  sum = 7 * sum + sum_of(out, size * (2 * count + 1) / 4);
  for (int i = 0; i < size; ++i) counts[i] = i % 4 * count / 2, places[i] = i * 2 * count;
  MPI_Allgatherv(in + 5, counts[me], MPI_INT, out, counts, places, MPI_INT, comm);
  sum = 7 * sum + sum_of(out, 2 * size * count);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, out, counts, places, MPI_INT, comm);
  sum = 7 * sum + sum_of(out, 2 * size * count);
  MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, comm);
  sum = 7 * sum + sum_of(out, count);
  for (int i = 0; i < size; ++i) counts[i] = (i + 1) % 3 * count / 2;
  MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_MAX, comm);
  sum = 7 * sum + sum_of(out, counts[me]);
  MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, comm);
  sum = 7 * sum + sum_of(in, counts[me]);
  MPI_Barrier(comm);
  if (given) {
    MPI_Free_mem(in), MPI_Free_mem(out);
  } else {
    free(in), free(out);
  }
  free(counts), free(places);
  return sum;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int width = atoi(argv[1]);
  MPI_Comm row, column;
  MPI_Comm_split(MPI_COMM_WORLD, rank / width, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % width, -rank, &column);
  const long sums[] = {collectives(MPI_COMM_WORLD, 1, 0), collectives(MPI_COMM_WORLD, 70, 0),
                       collectives(MPI_COMM_WORLD, 71, 1), collectives(row, 3, 1), collectives(column, 3, 0)};
  long all[5 * 64];
  MPI_Gather(sums, 5, MPI_LONG, all, 5, MPI_LONG, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < 5 * ranks; ++i) printf("%ld\n", all[i]);
  MPI_Finalize();
  return 0;
}
"""
#: Algorithms that fit into one run: the thesis's, and those of the library that it compares with.
CHOICES = {
    "nocmsg": {
        "alltoall": "rounds-latin",
        "barrier": "mesh-3-ary",
        "bcast": "dimension",
        "reduce": "row-column",
        "allreduce": "row-column",
    },
    "product": {"alltoall": "rounds-product", "barrier": "mesh-6-ary"},
    "networks": {
        "barrier": "wires",
        "bcast": "switches",
        "reduce": "switches",
        "allreduce": "switches",
        "alltoall": "switches",
        "gather": "switches",
        "scatter": "switches",
        "allgather": "switches",
        "reduce_scatter": "switches",
    },
    "operampi": {"alltoall": "stages", "bcast": "binomial", "reduce": "serial", "allreduce": "binomial"},
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the program once."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "mesh.c").write_text(PROGRAM)
    return api.compile_program(folder / "mesh.c", folder / "mesh")


def notes_of(result: Run) -> str:
    """Return what a run notes of its calls."""
    return "; ".join(note for entry in result.report.operations for note in entry.notes)


def by_mpich(program: Path, width: int, ranks: int) -> str:
    """Return what the program prints under MPICH."""
    mpiexec = Path(sys.executable).with_name("mpiexec")
    library = mpiexec.parents[1] / "lib"
    environment = os.environ | {"LD_LIBRARY_PATH": str(library), "UCX_LOG_LEVEL": "fatal"}
    command = [str(mpiexec), "-n", str(ranks), str(program), str(width)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=200, env=environment).stdout


@pytest.mark.parametrize(("width", "height"), [(2, 2), (3, 3), (3, 5), (8, 8)])
def test_programs_equal_mpich_with_every_algorithm(width: int, height: int, program: Path) -> None:
    ranks = width * height
    expected = by_mpich(program, width, ranks)
    machine = api.machine("mesh8x8", {"topology.size": [width, height]})
    for name, algorithms in CHOICES.items():
        result = api.run(
            [program, str(width)],
            machine=machine,
            ranks=ranks,
            collectives="hardware" if name == "networks" else "software",
            algorithms=algorithms,
            capture=True,
        )
        assert result.stdout == expected, name
        assert "was named but not used" not in notes_of(result), name


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("ring", [6]),
        ("torus", [4, 4]),
        ("torus", [3, 5]),
        ("torus", [2, 2, 2]),
        ("torus", [3, 3, 3]),
        ("mesh", [2, 3, 4]),
    ],
)
def test_programs_on_rings_and_tori_equal_mpich_over_switches(kind: str, size: list[int], program: Path) -> None:
    ranks = math.prod(size)
    changes: dict[str, Any] = {"topology.kind": kind, "topology.size": size, "alltoall.adders": 2 * max(2, len(size))}
    algorithms = dict(CHOICES["networks"])
    if len(size) > 2:  # no wires of barriers
        del algorithms["barrier"]
    result = api.run(
        [program, str(size[0])],
        machine=api.machine("mesh8x8", changes),
        ranks=ranks,
        collectives="hardware",
        algorithms=algorithms,
        capture=True,
    )
    assert result.stdout == by_mpich(program, size[0], ranks)
    assert "was named but not used" not in notes_of(result)


@pytest.mark.parametrize(("width", "height"), [(2, 2), (3, 3), (3, 5), (4, 4)])
def test_programs_with_the_profile_of_the_thesis_equal_mpich(width: int, height: int, program: Path) -> None:
    """Broadcasts go over the chip's static network, also those of rows and columns; all else by messages."""
    ranks = width * height
    machine = api.machine("tilepro64-2013", {"topology.size": [width, height]})
    result = api.run([program, str(width)], machine=machine, ranks=ranks, profile="nocmsg", capture=True)
    assert result.stdout == by_mpich(program, width, ranks)
    assert notes_of(result) == ""
    in_network = {entry.name: (entry.hardware, entry.software + entry.fallback) for entry in result.report.operations}
    broadcasts, others = in_network.pop("MPI_Bcast")
    assert broadcasts > 0 == others
    assert in_network["MPI_Reduce"][0] == in_network["MPI_Alltoall"][0] == 0


def test_a_profile_that_names_switches_has_its_sums_added_up_there(tmp_path: Path, program: Path) -> None:
    text = find_machine("mesh8x8").read_text()
    named = "".join(f'algorithms.{each} = "switches"\n' for each in ("bcast", "reduce", "allreduce"))
    machine = tmp_path / "mesh.toml"
    machine.write_text(f'{text}\n[software.mine]\nsummary = "for a test"\ncosts.message_ns = 24\n{named}')
    result = api.run(
        [program, "4"],
        machine=api.machine(machine, {"topology.size": [4, 4]}),
        ranks=16,
        profile="mine",
        capture=True,
    )
    assert result.stdout == by_mpich(program, 4, 16)
    over_switches = {entry.name: entry.hardware for entry in result.report.operations}
    assert min(over_switches[f"MPI_{each}"] for each in ("Bcast", "Reduce", "Allreduce")) > 0
    assert over_switches["MPI_Alltoall"] == 0


WAITING = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 3, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize(("machine", "profile"), [("tilepro64-2013", "nocmsg"), ("mesh8x8", None)])
def test_a_core_that_waits_for_ever_for_a_word_of_the_static_network_is_named(
    machine: str, profile: str | None, tmp_path: Path, tidings: Tidings
) -> None:
    (tmp_path / "waiting.c").write_text(WAITING)
    program = api.compile_program(tmp_path / "waiting.c", tmp_path / "waiting")
    library = ("--profile", profile) if profile else ("--algorithm", "bcast=switches")
    ended = tidings("run", "-m", machine, "-n", "4", *library, program)
    assert ended.returncode != 0
    assert "deadlock" in ended.stderr
    assert re.search(r"rank 0: in MPI_Recv\(source 3, tag 7", ended.stderr)
    assert re.search(r"ranks 1-3: in MPI_Bcast\(root 0.* over static switches, communicator", ended.stderr)
    assert re.search(r"rank 0 waits for rank 3, which waits for rank 0", ended.stderr)


def test_all_collectives_equal_mpich_on_squares_of_all_sides(tmp_path: Path) -> None:
    source = Path(__file__).parents[1] / "programs" / "collectives" / "squares.c"
    program = api.compile_program(source, tmp_path / "squares")

    def of_squares(text: str, largest: int) -> list[str]:
        lines = [line for line in text.splitlines() if line.startswith("square ")]
        return sorted(line for line in lines if int(line.split()[1]) <= largest)

    # What a square finds does not depend on the mesh that it is a part of, so MPICH runs once.
    expected = by_mpich(program, 8, 64)
    assert len(of_squares(expected, 8)) == 3 * sum(side * side for side in range(1, 9))
    for side in range(2, 9):
        machine = api.machine("mesh8x8", {"topology.size": [side, side]})
        for algorithms in ({}, CHOICES["networks"]):
            found = api.run([program, str(side)], machine=machine, ranks=side**2, algorithms=algorithms, capture=True)
            assert of_squares(found.stdout or "", side) == of_squares(expected, side), (side, algorithms)


def test_every_algorithm_for_meshes_is_run_here() -> None:
    named = {(collective, name) for choices in CHOICES.values() for collective, name in choices.items()}
    for_meshes = {
        (one.collective, one.name) for one in _core.algorithms() if "a rectangle of routers" in one.requirements
    }
    assert for_meshes <= named
    assert len(for_meshes) == 15


def test_a_group_that_is_no_rectangle_uses_another_algorithm_and_says_why(program: Path) -> None:
    machine = api.machine("mesh8x8", {"topology.size": [8, 8]})
    result = api.run([program, "7"], machine=machine, ranks=7, algorithms={"alltoall": "rounds-latin"}, capture=True)
    assert result.exit_status == 0
    cube = api.run(
        [program, "8"], machine="spirit", ranks=64, algorithms={"alltoall": "rounds-latin"}, capture=True, check=False
    )
    told = "rounds-latin was named but not used, because its ranks are in more than two dimensions"
    assert told in notes_of(cube)


TIMES = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { WORDS = 64, RANKS = 16, BYTES = WORDS * RANKS * sizeof(int) };
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, *given[2], *own[2] = {calloc(1, BYTES), calloc(1, BYTES)};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; ++i) MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &given[i]);
  for (int i = 0; i < WORDS * RANKS; ++i) own[0][i] = given[0][i] = i;
  /* The second of each, when programs are loaded. */
  for (int turn = 0; turn < 4; ++turn) {
    int** const memory = turn < 2 ? own : given;
    double start[3];
    MPI_Barrier(MPI_COMM_WORLD);
    start[0] = MPI_Wtime();
    MPI_Alltoall(memory[0], WORDS, MPI_INT, memory[1], WORDS, MPI_INT, MPI_COMM_WORLD);
    start[1] = MPI_Wtime();
    MPI_Bcast(memory[0], WORDS * RANKS, MPI_INT, 0, MPI_COMM_WORLD);
    start[2] = MPI_Wtime();
    if (rank == 0 && turn % 2 == 1) printf("%.9f %.9f\n", start[1] - start[0], start[2] - start[1]);
  }
  MPI_Finalize();
  return 0;
}
"""


def test_what_lies_in_node_memory_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "times.c").write_text(TIMES)
    program = api.compile_program(tmp_path / "times.c", tmp_path / "times")

    def times(kind: str) -> list[list[float]]:
        machine = api.machine("mesh8x8", {"topology.size": [4, 4], "memory.kind": kind})
        result = api.run([program], machine=machine, ranks=16, algorithms={"bcast": "switches"}, capture=True)
        return [[float(time) for time in line.split()] for line in (result.stdout or "").splitlines()]

    own, given = times("private")
    copied = 4096 * api.machine("mesh8x8").processor.payload_byte_ns * 1e-9  # 16 blocks of 64 words
    assert own[0] - given[0] > 1.8 * copied  # out and in
    assert own[1] - given[1] > 0.9 * copied  # at the root
    # Engines that reach all memory need no copies of the program's own either.
    for shared in times("shared"):
        assert shared == pytest.approx(given, abs=5e-9)


ALLTOALL = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { CALLS = 5, MOST = 300 };
static int rank, ranks, out_of_data[64 * MOST];
/* Blocks of the program's own: on the heap, static, on the stack, and of bytes that begin anywhere. */
static int wrong(int words, int* in, int* out, int bytes) {
  for (int i = 0; i < ranks * words; ++i) in[i] = rank * ranks + i / words + 10000 * (i % words), out[i] = -1;
  if (bytes) {
    MPI_Alltoall(in, words * 4, MPI_BYTE, out, words * 4, MPI_BYTE, MPI_COMM_WORLD);
  } else {
    MPI_Alltoall(in, words, MPI_INT, out, words, MPI_INT, MPI_COMM_WORLD);
  }
  int found = 0;
  for (int i = 0; i < ranks * words; ++i) found += out[i] != i / words * ranks + rank + 10000 * (i % words);
  return found;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int* const heap = malloc(sizeof(int) * (ranks * MOST + 1));
  int stack[64 * 7], found = 0, all = 0;
  found += wrong(64, heap, out_of_data, 0) + wrong(7, stack, heap, 0) + wrong(7, out_of_data, stack, 1);
  found += wrong(5, (int*)((char*)heap + 1), stack, 1) + wrong(5, stack, (int*)((char*)heap + 2), 1);
  found += wrong(MOST, heap, out_of_data, 0);
  MPI_Reduce(&found, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d\n", all);
  for (int words = 1; words <= 64; words *= 64) {
    double longest = 0;
    for (int call = 0; call < CALLS; ++call) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      MPI_Alltoall(heap, words, MPI_INT, out_of_data, words, MPI_INT, MPI_COMM_WORLD);
      const double time = MPI_Wtime() - start;
      MPI_Allreduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%.3f\n", longest * 1e6);
  }
  MPI_Finalize();
  return 0;
}
"""


def test_alltoall_of_49_ranks_is_at_the_bound_of_the_wires_and_a_call_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "alltoall.c").write_text(ALLTOALL)
    program = api.compile_program(tmp_path / "alltoall.c", tmp_path / "alltoall")
    machine = api.machine("mesh8x8", {"topology.size": [7, 7]})
    result = api.run([program], machine=machine, ranks=49, capture=True)
    wrong, *microseconds = (float(line) for line in (result.stdout or "").splitlines())
    assert wrong == 0
    assert microseconds[0] <= 1.5
    assert 64 * 84 / 700 < microseconds[1] <= 9  # 84 words cross the busiest link for each of a block


LENGTHS = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { RANKS = 16, MOST = 20000 };
/* Words from a rank to another: about 64; or hardly any, and one long block. */
static int length(int shape, int from, int to) {
  if (shape == 0) return 60 + (3 * from + to) % 5;
  return from == 3 && to == 9 ? MOST : (from + to) % 2;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, sent[RANKS], received[RANKS], places[RANKS];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int *in = malloc(sizeof(int) * RANKS * MOST), *out = malloc(sizeof(int) * RANKS * MOST);
  for (int shape = 0; shape < 2; ++shape) {
    for (int i = 0; i < RANKS; ++i) {
      sent[i] = length(shape, rank, i), received[i] = length(shape, i, rank), places[i] = i * MOST;
      for (int j = 0; j < sent[i]; ++j) in[i * MOST + j] = rank * 100000 + i * 1000 + j;
    }
    double time = 0, most = 0;
    for (int turn = 0; turn < 2; ++turn) { /* the first loads the programs */
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      MPI_Alltoallv(in, sent, places, MPI_INT, out, received, places, MPI_INT, MPI_COMM_WORLD);
      time = MPI_Wtime() - start;
    }
    int wrong = 0, all = 0;
    for (int i = 0; i < RANKS; ++i) {
      for (int j = 0; j < received[i]; ++j) wrong += out[i * MOST + j] != i * 100000 + rank * 1000 + j;
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&time, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d %.3f\n", all, most * 1e6);
  }
  MPI_Finalize();
  return 0;
}
"""


def test_blocks_of_several_lengths_go_over_switches_if_that_takes_less_time(tmp_path: Path) -> None:
    (tmp_path / "lengths.c").write_text(LENGTHS)
    program = api.compile_program(tmp_path / "lengths.c", tmp_path / "lengths")

    def microseconds(algorithms: dict[str, str], **processor: float) -> list[float]:
        changes: dict[str, object] = {f"processor.{key}": value for key, value in processor.items()}
        machine = api.machine("mesh8x8", {"topology.size": [4, 4], **changes})
        result = api.run(program, machine=machine, ranks=16, algorithms=algorithms, capture=True)
        lines = [line.split() for line in (result.stdout or "").splitlines()]
        assert [wrong for wrong, _ in lines] == ["0", "0"]
        return [float(time) for _, time in lines]

    unasked = microseconds({})
    named = microseconds({"alltoall": "switches"})
    messages = microseconds({"alltoall": "pairwise"})
    assert unasked[0] == named[0] < messages[0] / 3
    # One long block: all would be as long as that.
    assert unasked[1] < named[1] / 2
    assert unasked[1] < 1.1 * messages[1]
    # A message takes a processor that is twenty times as slow longer than the switches take for the whole.
    assert microseconds({}, cpi=16)[1] == microseconds({"alltoall": "switches"}, cpi=16)[1]


LONG_LINKS = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int words = 8; words <= 1024; words *= 128) {
    int *in = malloc(sizeof(int) * words * size), *out = malloc(sizeof(int) * words * size);
    for (int i = 0; i < words * size; ++i) in[i] = rank * 1000000 + i;
    double times[2], most[2];
    int wrong = 0, all;
    for (int turn = 0; turn < 2; ++turn) { /* the first loads the programs */
      MPI_Barrier(MPI_COMM_WORLD);
      double start = MPI_Wtime();
      MPI_Alltoall(in, words, MPI_INT, out, words, MPI_INT, MPI_COMM_WORLD);
      times[0] = MPI_Wtime() - start;
      for (int i = 0; i < words * size; ++i) wrong += out[i] != i / words * 1000000 + rank * words + i % words;
      MPI_Barrier(MPI_COMM_WORLD);
      start = MPI_Wtime();
      MPI_Allgather(in, words, MPI_INT, out, words, MPI_INT, MPI_COMM_WORLD);
      times[1] = MPI_Wtime() - start;
      for (int i = 0; i < words * size; ++i) wrong += out[i] != i / words * 1000000 + i % words;
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(times, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d %.3f %.3f\n", all, most[0] * 1e6, most[1] * 1e6);
  }
  MPI_Finalize();
  return 0;
}
"""


def test_long_blocks_go_by_messages_if_words_wait_for_room_on_long_links(tmp_path: Path) -> None:
    """Links of 160 cycles with eight words of room carry one in 40."""
    (tmp_path / "long_links.c").write_text(LONG_LINKS)
    program = api.compile_program(tmp_path / "long_links.c", tmp_path / "long_links")

    def microseconds(room: int, algorithms: dict[str, str]) -> list[list[float]]:
        changes = {"topology.size": [4, 4], "link.latency_cycles": 160, "alltoall.buffer_words": room}
        machine = api.machine("mesh8x8", changes)
        result = api.run(program, machine=machine, ranks=16, algorithms=algorithms, capture=True)
        lines = [line.split() for line in (result.stdout or "").splitlines()]
        assert [wrong for wrong, *_ in lines] == ["0", "0"]
        return [[float(time) for time in times] for _, *times in lines]

    switches = {"alltoall": "switches", "allgather": "switches"}
    (short_exchange, short_gather), (exchange, gather) = microseconds(8, {})
    named_short, (named_exchange, named_gather) = microseconds(8, switches)
    assert [short_exchange, short_gather] == named_short
    assert exchange < named_exchange / 1.2
    assert gather < named_gather / 2
    # With room for 2 x 160 words, words from near wait for those from far.
    (exchange, _) = microseconds(512, {})[1]
    assert exchange < microseconds(512, switches)[1][0] / 1.2
