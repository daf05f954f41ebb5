# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Algorithms that a user names: `tidings run --algorithm`, tables of algorithms, and the list of them."""

import json
from pathlib import Path

import pytest

import tidings as api
from cli_support import Tidings
from tidings import _core

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
enum { COUNT = 24 };
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int root = 0; root < ranks; root += ranks - 1) {
    double in[COUNT], out[COUNT], message[COUNT];
    for (int i = 0; i < COUNT; ++i) in[i] = rank + i, message[i] = rank == root ? i : -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(message, COUNT, MPI_DOUBLE, root, MPI_COMM_WORLD);
    MPI_Reduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; ++i)
      wrong += message[i] != i || (rank == root && out[i] != ranks * (ranks - 1) / 2 + ranks * i);
    MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; ++i) wrong += out[i] != ranks * (ranks - 1) / 2 + ranks * i;
  }
  if (wrong != 0) printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
"""
RANKS = 16
SHAPES = _core.shapes()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the program once."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "all.c").write_text(PROGRAM)
    return api.compile_program(folder / "all.c", folder / "all")


def engine_calls(result: object, name: str) -> tuple[int, int]:
    """Return the calls that the engine and messages carried out."""
    row = result.operations.loc[f"MPI_{name.capitalize()}"]  # type: ignore[attr-defined]
    return int(row["hardware"]), int(row["software"] + row["fallback"])


@pytest.mark.parametrize("shape", [shape.name for shape in SHAPES])
def test_every_shape_that_the_bench_measures_can_be_named_by_a_program(shape: str, program: Path) -> None:
    there = [one.collective for one in _core.algorithms() if one.name == shape and one.in_engine]
    machine = api.machine("spirit")
    result = api.run(program, machine=machine, ranks=RANKS, algorithms=dict.fromkeys(there, shape))
    software = api.run(
        program, machine=machine, ranks=RANKS, algorithms=dict.fromkeys(there, shape), collectives="software"
    )
    assert (result.exit_status, software.exit_status) == (0, 0)
    for collective in there:
        engine, messages = engine_calls(result, collective)
        # Sixteen ranks are more than a star's centre has links for, so messages are a star instead.
        assert (engine == 0) == (shape == "star") == (messages > 0)
        assert engine_calls(software, collective)[0] == 0


def test_named_algorithms_take_other_times_and_the_default_ones_named_the_same(program: Path) -> None:
    def elapsed(**algorithms: str) -> int:
        return api.run(program, machine="spirit", ranks=RANKS, algorithms=algorithms).report.elapsed_ps

    default = elapsed()
    assert elapsed(bcast="dimension", reduce="dimension", allreduce="exchange", barrier="exchange") == default
    times = {elapsed(bcast=name) for name in ("dimension", "chain", "binary")}
    assert len(times) == 3
    assert default in times


def test_a_table_of_ones_own_comes_before_the_built_in_one(tidings: Tidings, program: Path, tmp_path: Path) -> None:
    table = tmp_path / "my.table"
    table.write_text("# chains for short messages\nbcast chain bytes<1000\nallreduce ring messages bytes<1000\n")
    request = ("run", "-n", RANKS, "-m", "spirit", "--algorithm-table", "my.table", "--json", "run.json", program)
    result = tidings(*map(str, request))
    assert result.returncode == 0, result.stderr
    found = json.loads((tmp_path / "run.json").read_text())["operations"]
    assert found["MPI_Allreduce"]["software"] == 2 * RANKS
    assert found["MPI_Bcast"]["hardware"] == 2 * RANKS
    # What the command prints of the built-in table can be given back to it, and changes nothing.
    (tmp_path / "same.table").write_text(tidings("algorithms", "--table").stdout)
    same = api.run(program, machine="spirit", ranks=RANKS, algorithm_table=tmp_path / "same.table")
    assert same.report.elapsed_ps == api.run(program, machine="spirit", ranks=RANKS).report.elapsed_ps


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--algorithm", "allreduce=rng"),
            "no algorithm 'rng' for allreduce; there are recursive-doubling, ring, row-column, switches, halving",
        ),
        (("--algorithm", "broadcast=ring"), "no collective 'broadcast'; there are barrier, bcast"),
        (("--algorithm", "ring"), "--algorithm ring: write it as allreduce=ring"),
        (("--algorithm", "bcast=chain", "--algorithm", "bcast=star"), "two algorithms for bcast: chain and star"),
        (("--algorithm-table", "none.table"), "--algorithm-table none.table: No such file"),
        (("--algorithm-table", "bad.table"), "bad.table:2: no condition 'fast'; there are engine, messages"),
    ],
)
def test_what_is_wrong_is_said_before_the_run(
    tidings: Tidings, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "bad.table").write_text("barrier star\nbcast chain fast\n")
    result = tidings("run", "-n", "2", "-m", "spirit", *options, "true")
    assert result.returncode == 2
    assert said in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stderr


def test_the_list_has_every_algorithm_of_the_registry(tidings: Tidings) -> None:
    found = json.loads(tidings("algorithms", "--json", "-").stdout)
    assert [(row["collective"], row["algorithm"]) for row in found] == [
        (one.collective, one.name) for one in _core.algorithms()
    ]
    assert {row["algorithm"] for row in found if row["collective"] == "scan"} == {"doubling", "linear", "two-level"}
