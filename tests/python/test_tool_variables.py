# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The performance variables of MPI's tool interface count what the engines do."""

from pathlib import Path

from cli_support import Tidings

PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
enum { VARIABLES = 3 };
static const struct { const char *name; int kind; } wanted[VARIABLES] = {
  {"mpe_commands", MPI_T_PVAR_CLASS_COUNTER},
  {"mpe_under_way", MPI_T_PVAR_CLASS_LEVEL},
  {"elapsed_time", MPI_T_PVAR_CLASS_TIMER},
};
int main(int argc, char **argv) {
  int provided, index, count;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handles[VARIABLES];
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_pvar_session_create(&session);
  for (int i = 0; i < VARIABLES; ++i) {
    MPI_T_pvar_get_index(wanted[i].name, wanted[i].kind, &index);
    MPI_T_pvar_handle_alloc(session, index, NULL, &handles[i], &count);
  }
  MPI_Init(&argc, &argv);
  for (int turn = 0; turn < 2; ++turn) {
    unsigned long long values[VARIABLES];
    if (turn == 0) MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(1000);
    MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES);
    for (int i = 0; i < VARIABLES; ++i) MPI_T_pvar_read(session, handles[i], &values[i]);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("%llu %llu %llu\\n", values[0], values[1], values[2] / 100000);
  }
  MPI_T_pvar_session_free(&session);
  MPI_T_finalize();
  return MPI_Finalize();
}
"""


def _printed(tidings: Tidings, folder: Path, collectives: str) -> list[str]:
    (folder / "tool.c").write_text(PROGRAM)
    made = tidings("cc", "tool.c", "-o", "tool")
    assert made.returncode == 0, made.stderr
    ran = tidings("run", "-m", "spirit", "-n", "4", "--compute", "none", "--collectives", collectives, "./tool")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_commands_and_time_are_counted_from_a_start_to_a_stop(tidings: Tidings, tmp_path: Path) -> None:
    """Three barriers are three commands, and what follows the stop does not count."""
    assert _printed(tidings, tmp_path, "hardware") == ["3 0 10"] * 2


def test_engine_for_collectives_has_no_commands_if_messages_carry_them_out(tidings: Tidings, tmp_path: Path) -> None:
    assert _printed(tidings, tmp_path, "software") == ["0 0 11"] * 2
