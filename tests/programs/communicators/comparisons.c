// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Communicators compare as identical, congruent, similar or unequal.
#include "program.h"

static const char* name_of(int result) {
  return result == MPI_IDENT       ? "identical"
         : result == MPI_CONGRUENT ? "congruent"
         : result == MPI_SIMILAR   ? "similar"
                                   : "unequal";
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Comm copy, backwards, odd;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &odd);
  const MPI_Comm all[5] = {MPI_COMM_WORLD, copy, backwards, odd, MPI_COMM_SELF};
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 5; ++k) {
      int result;
      MPI_Comm_compare(all[i], all[k], &result);
      say(" %s", name_of(result));
    }
    say("\n");
  }
  MPI_Comm_free(&copy);
  MPI_Comm_free(&backwards);
  MPI_Comm_free(&odd);
  say_all();
  MPI_Finalize();
  return 0;
}
