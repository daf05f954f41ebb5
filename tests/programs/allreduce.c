// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Allreduce of the engine's types with the engine's operations, then of others; every rank has the same result.
#include "reduction.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  struct element_type types[ELEMENT_TYPES];
  struct operation list[OPERATIONS];
  element_types(types);
  operations(list);
  uint32_t trail = 0;  // equal on all ranks
  for (int t = 0; t < ELEMENT_TYPES; ++t) {
    for (int o = 0; o < OPERATIONS; ++o) {
      if (list[o].integers_only && !types[t].integer) continue;
      if (t >= 5 && o != (t + 1) % OPERATIONS && o != (t + 4) % OPERATIONS) continue;
      const int count = 1 + (t + o) % 4;
      uint64_t in[4], out[4] = {0};
      for (int i = 0; i < count; ++i) types[t].store(in, (size_t)i, contribution(&types[t], &list[o], rank, i));
      MPI_Allreduce(in, out, count, types[t].type, list[o].op, MPI_COMM_WORLD);
      trail = trail * 31 + checksum(out, types[t].bytes * (size_t)count);
      if (rank == 0) {
        say("%s %s:", types[t].name, list[o].name);
        for (int i = 0; i < count; ++i) say(" %lld", types[t].load(out, (size_t)i));
        say("\n");
      }
    }
  }
  say("rank %d: %08x\n", rank, (unsigned)trail);
  say_all();
  MPI_Finalize();
  return 0;
}
