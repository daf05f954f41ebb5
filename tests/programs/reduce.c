// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Reduce of every type with every operation that fits, the root going round; other ranks' buffers stay alone.
#include "reduction.h"

enum { COUNT = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  struct element_type types[ELEMENT_TYPES];
  struct operation list[OPERATIONS];
  element_types(types);
  operations(list);
  int root = 0;
  for (int t = 0; t < ELEMENT_TYPES; ++t) {
    // The engine's types meet all operations, the others two each, so that the run stays short.
    for (int o = 0; o < OPERATIONS; ++o) {
      if (list[o].integers_only && !types[t].integer) continue;
      if (t >= 5 && o != t % OPERATIONS && o != (t + 3) % OPERATIONS) continue;
      uint64_t in[COUNT], out[COUNT] = {0};
      for (int i = 0; i < COUNT; ++i) types[t].store(in, (size_t)i, contribution(&types[t], &list[o], rank, i));
      MPI_Reduce(in, out, COUNT, types[t].type, list[o].op, root, MPI_COMM_WORLD);
      if (rank == root) {
        say("%s %s at %d:", types[t].name, list[o].name, root);
        for (int i = 0; i < COUNT; ++i) say(" %lld", types[t].load(out, (size_t)i));
        say("\n");
      } else if (out[0] != 0 || out[1] != 0 || out[2] != 0) {
        say("rank %d: %s %s: a buffer that is not the root's was written\n", rank, types[t].name, list[o].name);
      }
      root = (root + 1) % ranks;
    }
  }
  say_all();
  MPI_Finalize();
  return 0;
}
