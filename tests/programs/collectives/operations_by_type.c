// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Every predefined operation on every type that it is defined for, by all ways of reducing.
#include "program.h"
#include "reduction.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  struct element_type types[ELEMENT_TYPES];
  struct operation list[OPERATIONS];
  element_types(types);
  operations(list);
  for (int t = 0; t < ELEMENT_TYPES; t += 1) {
    for (int o = 0; o < OPERATIONS; ++o) {
      if (list[o].integers_only && !types[t].integer) continue;
      int64_t mine[4], reduced[4] = {0}, scanned[4] = {0};
      for (int i = 0; i < 4; ++i) types[t].store(mine, (size_t)i, contribution(&types[t], &list[o], rank, i));
      if ((t + o) % 3 == 0) {
        MPI_Reduce(mine, reduced, 4, types[t].type, list[o].op, (t + o) % ranks, MPI_COMM_WORLD);
      } else {
        MPI_Scan(mine, scanned, 4, types[t].type, list[o].op, MPI_COMM_WORLD);
      }
      long long sum = 0;
      for (size_t i = 0; i < 4; ++i) sum += types[t].load(reduced, i) * 3 + types[t].load(scanned, i);
      say(" %lld", sum);
    }
    say(" %s\n", types[t].name);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
