# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What a run would gain, and runs side by side."""

import json
from pathlib import Path

import pytest

import tidings as package
from cli_support import ROOT, Tidings
from tidings.errors import RunError, UserError
from tidings.report.analysis import Analysis


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    return package.compile_program(ROOT / "tests" / "programs" / "heat.c", folder / "heat")


def test_each_gain_is_that_of_a_run_on_the_changed_machine(program: Path) -> None:
    rows = {row.change: row for row in package.whatif(program, machine="spirit", ranks=8)}
    spirit = package.machine("spirit")

    def elapsed_ps(changes: dict[str, object], **options: str) -> int:
        machine = package.machine(spirit, changes)
        return package.run(program, machine=machine, ranks=8, capture=True, **options).elapsed_ps  # type: ignore[arg-type]

    base = elapsed_ps({})
    assert (rows[""].elapsed_ps, rows[""].gain) == (base, 1.0)
    halved = elapsed_ps({"link.latency_cycles": spirit.link.latency_cycles // 2})
    assert rows["latency"].elapsed_ps == halved < base
    assert rows["latency"].gain == base / halved
    assert rows["collectives"].elapsed_ps == elapsed_ps({}, collectives="software") != base
    assert rows["software"].elapsed_ps < base
    faster = {
        "fabric.clock_MHz": 2 * spirit.fabric.clock_MHz,
        "memory.latency_cycles": 2 * spirit.memory.latency_cycles,
    }
    faster |= {"link.latency_cycles": 2 * spirit.link.latency_cycles, "router.buffer_flits": 512}
    assert rows["links"].elapsed_ps == elapsed_ps(faster) < base
    assert rows["ideal"].elapsed_ps == elapsed_ps({}, collectives="ideal") < base


def test_gains_with_a_profile_are_those_of_runs_with_it(program: Path, tidings: Tidings, tmp_path: Path) -> None:
    asked = ("whatif", "-n", "4", "-m", "tilepro64-2013", "--profile", "operampi", "--json", "gains.json", program)
    made = tidings(*asked)
    assert made.returncode == 0, made.stderr
    rows = {row["change"]: row for row in json.loads((tmp_path / "gains.json").read_text())}
    whole = package.machine("tilepro64-2013")

    def elapsed_ps(changes: dict[str, object], **options: str) -> int:
        machine = package.machine(whole, changes)
        run = package.run(program, machine=machine, ranks=4, profile="operampi", capture=True, **options)  # type: ignore[arg-type]
        return run.elapsed_ps

    assert rows[""]["elapsed_ps"] == elapsed_ps({})
    assert rows["ideal"]["elapsed_ps"] == elapsed_ps({}, collectives="ideal")
    costs = {f"processor.{name}": value / 2 for name, value in vars(whole.processor).items() if name.endswith("_ns")}
    costs |= {f"software.operampi.costs.{name}": value / 2 for name, value in whole.software["operampi"].costs.items()}
    assert rows["software"]["elapsed_ps"] == elapsed_ps(costs)
    # Nearly all of its time is the library's.
    assert rows["software"]["gain"] > 1.9
    assert "software.operampi.costs.*_ns / 2" in made.stdout
    assert rows["collectives"]["note"] == "profile operampi has none by the engines"
    refused = tidings(*asked[:-1], "--collectives", "hardware", program)
    assert refused.returncode == 2
    assert "collectives 'hardware': profile operampi has none by the engines" in refused.stderr


#: Ranks come one after the other to every kind of collective; each prints how long it was in it, in us, and a result.
STAGGERED = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
enum { LARGE = 50000 };
static int rank, ranks, mine[LARGE], all[LARGE];
static void come(void) {
  struct timespec t = {0, 1000000 + rank * 100000};
  MPI_Barrier(MPI_COMM_WORLD);
  nanosleep(&t, 0);
}
#define TRY(name, call) { come(); double began = MPI_Wtime(); call; double took = MPI_Wtime() - began; \
  printf("%s %d %.0f %d %d\n", name, rank, took * 1e6, all[0], all[ranks - 1]); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < LARGE; ++i) mine[i] = rank + 1;
  TRY("barrier", MPI_Barrier(MPI_COMM_WORLD))
  TRY("allreduce", MPI_Allreduce(mine, all, LARGE, MPI_INT, MPI_SUM, MPI_COMM_WORLD))
  TRY("reduce", MPI_Reduce(mine, all, LARGE, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD))
  memset(all, 0, sizeof all);
  if (rank == 1) memcpy(all, mine, sizeof all);
  TRY("bcast", MPI_Bcast(all, LARGE, MPI_INT, 1, MPI_COMM_WORLD))
  TRY("alltoall", MPI_Alltoall(mine, 1000, MPI_INT, all, 1000, MPI_INT, MPI_COMM_WORLD))
  TRY("allgather", MPI_Allgather(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD))
  /* Started before the others have come; a rank that is in another call lets them go on. */
  MPI_Request started[2], *const reduction = &started[1];
  int which, flag = 0;
  TRY("iallreduce", MPI_Iallreduce(mine, all, LARGE, MPI_INT, MPI_SUM, MPI_COMM_WORLD, started);
      MPI_Wait(started, MPI_STATUS_IGNORE))
  TRY("ibarrier", MPI_Ibarrier(MPI_COMM_WORLD, started); while (!flag) MPI_Test(started, &flag, MPI_STATUS_IGNORE))
  TRY("ialltoall", MPI_Irecv(&flag, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, started);
      MPI_Ialltoall(mine, 1000, MPI_INT, all, 1000, MPI_INT, MPI_COMM_WORLD, reduction);
      MPI_Waitany(2, started, &which, MPI_STATUS_IGNORE))
  MPI_Send(&flag, 1, MPI_INT, rank, 9, MPI_COMM_WORLD);
  MPI_Wait(&started[1 - which], MPI_STATUS_IGNORE);
  TRY("beside", MPI_Iallreduce(mine, all, LARGE, MPI_INT, MPI_SUM, MPI_COMM_WORLD, started);
      if (rank % 2) MPI_Wait(started, MPI_STATUS_IGNORE);
      MPI_Barrier(MPI_COMM_WORLD); MPI_Wait(started, MPI_STATUS_IGNORE))
  MPI_Finalize();
  return 0;
}
"""


def test_ideal_collectives_cost_only_that_ranks_wait_for_each_other(tmp_path: Path) -> None:
    source = tmp_path / "staggered.c"
    source.write_text(STAGGERED)
    program = package.compile_program(source, tmp_path / "staggered")

    def results(kind: str) -> dict[tuple[str, int], list[int]]:
        made = package.run(
            program, machine="spirit", ranks=4, collectives=kind, capture=True, event_file=tmp_path / kind
        )
        lines = [line.split() for line in str(made.stdout).splitlines()]
        return {(name, int(rank)): [int(value) for value in values] for name, rank, *values in lines}

    ideal, real = results("ideal"), results("hardware")
    assert len(ideal) == 40
    for (name, rank), (took, *values) in ideal.items():
        # Of a reduction only the root has the result.
        assert (name == "reduce" and rank != 1) or values == real[name, rank][1:]
        until = 3 if name not in ("reduce", "bcast") else 1 if name == "bcast" else 3 if rank == 1 else rank
        expected = max(until - rank, 0) * 100
        calls = {"iallreduce": 2, "ibarrier": 2, "ialltoall": 3, "beside": 3}.get(name, 1)
        assert took == pytest.approx(expected, abs=3 * calls), (name, rank)
        # The end of a barrier that the engine carries out beside the program is seen by the next test.
        least = took if name == "ibarrier" else took + 6
        assert real[name, rank][0] >= least or (name == "reduce" and rank != 1)
    # Who was late is told as of the engines' collectives.
    table = Analysis(package.load_events(tmp_path / "ideal")).wait_table()
    waited = table[(table["operation"] == "MPI_Allreduce") & (table["rank"] == 0)]
    assert set(waited["cause"]) == {3}
    assert waited["wait at a collective"].sum() / 1e6 == pytest.approx(300, abs=3)
    assert waited["transfer"].sum() / 1e6 < 3  # what the call itself takes the last rank


@pytest.mark.parametrize(
    "name",
    ["window_fence", "mixed_collectives", "gatherv_scatterv", "intercomm_collectives", "nonblocking_collectives"],
)
def test_programs_print_the_same_with_ideal_collectives(tmp_path: Path, name: str) -> None:
    """A rank that waits in a collective serves others: accesses to its windows, and messages that it has begun."""
    program = package.compile_program(ROOT / "tests" / "programs" / f"{name}.c", tmp_path / name)
    outputs = {
        kind: package.run(program, machine="spirit", ranks=8, collectives=kind, capture=True).stdout
        for kind in ("hardware", "ideal")
    }
    assert outputs["ideal"] == outputs["hardware"]


def test_ideal_collectives_that_do_not_match_are_told(tmp_path: Path) -> None:
    source = tmp_path / "apart.c"
    source.write_text(
        "#include <mpi.h>\nint main(int c, char** v) { int r, x = 0; MPI_Init(&c, &v);"
        "MPI_Comm_rank(MPI_COMM_WORLD, &r);"
        "if (r) MPI_Barrier(MPI_COMM_WORLD); else MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        "MPI_Finalize(); return 0; }\n"
    )
    program = package.compile_program(source, tmp_path / "apart")
    with pytest.raises(RunError, match=r"(?s)deadlock.*MPI_Barrier"):
        package.run(program, machine="spirit", ranks=2, collectives="ideal", capture=True)


def test_what_a_machine_cannot_have_is_said(program: Path) -> None:
    rows = {row.change: row for row in package.whatif(program, machine="crossbar", ranks=4, changes=["latency"])}
    assert rows["latency"].note == "crossbar has no links"
    assert rows["latency"].elapsed_ps == 0


def test_an_unknown_change_is_refused(program: Path) -> None:
    with pytest.raises(UserError, match="there is no change 'colour'"):
        package.whatif(program, machine="spirit", ranks=2, changes=["colour"])


def test_two_runs_are_compared_from_their_figures(program: Path, tidings: Tidings, tmp_path: Path) -> None:
    for name in ("hardware", "software"):
        made = tidings("run", "-n", "4", "-m", "spirit", "--collectives", name, "--json", f"{name}.json", program)
        assert made.returncode == 0, made.stderr
    compared = tidings("compare", "hardware.json", "software.json", "--json", "both.json")
    assert compared.returncode == 0, compared.stderr
    first, second = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("hardware", "software"))
    rows = {row["figure"]: row for row in json.loads((tmp_path / "both.json").read_text())}
    assert rows["virtual time"]["ratio"] == second["elapsed_ps"] / first["elapsed_ps"]
    allreduce = rows["MPI_Allreduce"]
    assert allreduce["first"] == first["operations"]["MPI_Allreduce"]["mean_ps"]
    assert allreduce["second"] == second["operations"]["MPI_Allreduce"]["mean_ps"]
    assert "MPI_Allreduce, mean" in compared.stdout


def test_a_file_without_figures_is_not_compared(tidings: Tidings, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    refused = tidings("compare", "other.json", "other.json")
    assert refused.returncode == 2
    assert "is not of tidings run --json: elapsed_ps is missing" in refused.stderr


def test_both_kinds_of_collectives_are_printed_side_by_side(program: Path, tidings: Tidings, tmp_path: Path) -> None:
    both = tidings(
        "run",
        "-n",
        "4",
        "-m",
        "spirit",
        "--collectives",
        "both",
        "--json",
        "both.json",
        "--report",
        "both.html",
        program,
    )
    assert both.returncode == 0, both.stderr
    runs = json.loads((tmp_path / "both.json").read_text())
    assert {name: run["collectives"] for name, run in runs.items()} == {"hardware": "hardware", "software": "software"}
    line = next(line for line in both.stderr.splitlines() if line.startswith("virtual time"))
    ratio = runs["software"]["elapsed_ps"] / runs["hardware"]["elapsed_ps"]
    assert f"{ratio:.3f}" in line
    assert '<option value="1">software</option>' in (tmp_path / "both.html").read_text()
