// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Info objects keep keys and values; communicators take hints, and work on as before with those that they do not know.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Info info, copy;
  MPI_Info_create(&info);
  MPI_Info_set(info, "colour", "green");
  MPI_Info_set(info, "size", "large");
  MPI_Info_set(info, "colour", "red");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "size");
  char value[16], key[MPI_MAX_INFO_KEY];
  int keys, found, length;
  MPI_Info_get_nkeys(info, &keys);
  MPI_Info_get_nthkey(info, 0, key);
  say("rank %d: %d key, the first is %s\n", rank, keys, key);
  MPI_Info_get_nkeys(copy, &keys);
  length = 4;
  MPI_Info_get_string(copy, "size", &length, value, &found);
  say("of %d keys, size is found %d: %s, which needs %d\n", keys, found, value, length);
  length = (int)sizeof value;
  MPI_Info_get_string(info, "size", &length, value, &found);
  say("after the deletion it is found %d\n", found);
  MPI_Info_get_valuelen(info, "colour", &length, &found);
  MPI_Info_get(info, "colour", 15, value, &found);
  say("colour has %d characters: %s\n", length, value);
  MPI_Comm there;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &there);
  MPI_Comm_set_info(there, copy);
  MPI_Info_free(&copy);
  MPI_Info_free(&info);
  MPI_Info used;
  MPI_Comm_get_info(there, &used);
  say("a hint that nobody knows changes nothing: %d\n", used != MPI_INFO_NULL);
  MPI_Info_free(&used);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, there);
  say("freed is null %d, the sum is %d\n", info == MPI_INFO_NULL && used == MPI_INFO_NULL,
      sum == ranks * (ranks - 1) / 2);
  // A hint for this library, which others ignore.
  MPI_Info_create(&info);
  MPI_Info_set(info, "tidings_algorithms", "allreduce=ring,bcast=chain,barrier=binary");
  MPI_Comm_set_info(there, info);
  MPI_Info_free(&info);
  int values[40], sums[40];
  for (int i = 0; i < 40; ++i) values[i] = rank + i;
  MPI_Barrier(there);
  MPI_Allreduce(values, sums, 40, MPI_INT, MPI_SUM, there);
  MPI_Bcast(values, 40, MPI_INT, ranks - 1, there);
  say("sums %d to %d, from the last rank %d to %d\n", sums[0], sums[39], values[0], values[39]);
  MPI_Comm_free(&there);
  say_all();
  MPI_Finalize();
  return 0;
}
