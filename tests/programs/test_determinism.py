# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Two runs of one program give the same report but for wall time, also where nodes are simulated in different ways."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.programs import harness

#: Program, ranks, machine, and the routers that are SystemVerilog in a mixed machine.
_RUNS = (
    ("mixed_collectives", 6, "spirit", "0,3"),
    ("nonblocking_storm", 9, "mesh8x8", "4,5,8"),
    ("master_worker", 7, "crossbar", "0"),
    ("test_polling", 5, "spirit", "1"),
    ("clocks", 3, "mesh8x8", "2"),
    ("mixed_collectives", 7, "star", "0,16"),
    ("nonblocking_storm", 10, "dragonfly", "1,3,19"),
)


#: Its nodes are compiled as users' are, for speed.
_AS_USERS = "star"


def _report(program: str, ranks: int, machine: str, options: Sequence[str], file: Path) -> dict[str, Any]:
    """Return a run's JSON without what two runs may differ in: the wall time, and what was asked for."""
    binary = harness.build(harness.source_of(program))
    outcome = harness.run_tidings([binary], ranks, machine, [*options, "--json", str(file)])
    assert outcome.status == 0, outcome.stderr
    report: dict[str, Any] = json.loads(file.read_text())
    assert len(report) > 10
    asked = ("wall_seconds", "fidelity", "rtl_nodes", "threads")
    return {key: value for key, value in report.items() if key not in asked}


@pytest.mark.parametrize("collectives", harness.COLLECTIVES)
@pytest.mark.parametrize(("program", "ranks", "machine", "rtl_nodes"), _RUNS)
def test_runs_give_the_same_json_at_every_fidelity(
    program: str,
    ranks: int,
    machine: str,
    rtl_nodes: str,
    collectives: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if machine == _AS_USERS:
        monkeypatch.delenv("TIDINGS_QUICK_NODES", raising=False)
    fidelities = (["--fidelity", "cycle"], ["--fidelity", "cycle"], ["--fidelity", "rtl"], ["--rtl-nodes", rtl_nodes])
    first, *others = [
        _report(program, ranks, machine, ["--collectives", collectives, *options], tmp_path / "run.json")
        for options in fidelities
    ]
    for options, other in zip(fidelities[1:], others, strict=True):
        assert other == first, options


@pytest.mark.parametrize("collectives", harness.COLLECTIVES)
@pytest.mark.parametrize(("program", "ranks", "machine"), [("mixed_collectives", 16, "spirit"), ("heat", 9, "spirit")])
def test_runs_give_the_same_json_in_any_number_of_threads(
    program: str, ranks: int, machine: str, collectives: str, tmp_path: Path
) -> None:
    alone, *others = [
        _report(program, ranks, machine, ["--collectives", collectives, "--threads", threads], tmp_path / "run.json")
        for threads in ("1", "2", "3")
    ]
    for other in others:
        assert other == alone


def test_json_has_what_users_rely_on(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    binary = harness.build(harness.source_of("heat"))
    harness.run_tidings([binary], 4, "spirit", ["--json", str(file)])
    report = json.loads(file.read_text())
    assert report["ranks"] == 4
    assert report["machine"] == "spirit"
    assert report["fidelity"] == "cycle"
    assert report["exit_status"] == 0
    assert report["elapsed_ps"] > 0
    assert report["simulated_cycles"] > 0
    assert report["wall_seconds"] > 0
    sendrecv, allreduce = report["operations"]["MPI_Sendrecv"], report["operations"]["MPI_Allreduce"]
    assert sendrecv["calls"] == 4 * 2 * 12
    assert allreduce["calls"] == allreduce["hardware"] == 4 * 12
    assert 0 < allreduce["min_ps"] <= allreduce["mean_ps"] <= allreduce["max_ps"] < report["elapsed_ps"]


_SESSIONS_AT_ONCE = """
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static int sums[4];
static void* body(void* argument) {
  int* const mine = argument;
  char name[16];
  snprintf(name, sizeof name, "thread %d", (int)(mine - sums));
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  int value = 10 + (int)(mine - sums);
  MPI_Allreduce(&value, mine, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Info_free(&info);
  MPI_Session_finalize(&session);
  return NULL;
}
int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, body, &sums[i]);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("%d %d %d %d\\n", sums[0], sums[1], sums[2], sums[3]);
}
"""


def test_threads_open_the_first_sessions_at_once(tmp_path: Path) -> None:
    source = tmp_path / "sessions_at_once.c"
    source.write_text(_SESSIONS_AT_ONCE)
    binary = harness.build(source, ["-pthread"])
    for ranks in (1, 3):
        outcome = harness.run_tidings([binary], ranks, "spirit")
        assert outcome.status == 0, outcome.stderr
        assert outcome.stdout == ranks * f"{10 * ranks} {11 * ranks} {12 * ranks} {13 * ranks}\n"
