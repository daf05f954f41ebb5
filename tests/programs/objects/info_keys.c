// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Info objects: keys are set, replaced, listed in their order, deleted and copied.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Info info, copy;
  char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
  int count, flag, length;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alpha", "1");
  MPI_Info_set(info, "beta", "two words");
  MPI_Info_set(info, "gamma", "");
  MPI_Info_set(info, "alpha", "once more");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "beta");
  const MPI_Info both[2] = {info, copy};
  for (int i = 0; i < 2; ++i) {
    MPI_Info_get_nkeys(both[i], &count);
    say("%d keys:", count);
    for (int k = 0; k < count; ++k) {
      MPI_Info_get_nthkey(both[i], k, key);
      length = (int)sizeof value;
      MPI_Info_get_string(both[i], key, &length, value, &flag);
      say(" %s=%s(%d)", key, value, length);
    }
    say("\n");
  }
  length = 4;
  MPI_Info_get_string(copy, "beta", &length, value, &flag);
  say("%d, cut %s, needs %d", flag, value, length);
  length = (int)sizeof value;
  MPI_Info_get_string(copy, "delta", &length, value, &flag);
  say(", missing %d, rank %d\n", flag, rank);
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  say("null %d\n", info == MPI_INFO_NULL);
  say_all();
  MPI_Finalize();
  return 0;
}
