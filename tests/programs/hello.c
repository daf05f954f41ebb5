// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Who is there: initialisation, rank, size, processor name.
#include "program.h"

int main(int argc, char** argv) {
  int before, after, finalized_early, finalized_late;
  MPI_Initialized(&before);
  MPI_Init(&argc, &argv);
  MPI_Initialized(&after);
  MPI_Finalized(&finalized_early);
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = -1;
  MPI_Get_processor_name(name, &length);
  const bool name_fits = length > 0 && length < MPI_MAX_PROCESSOR_NAME && strlen(name) == (size_t)length;
  say("rank %d of %d: initialized %d then %d, finalized %d, name %s, arguments %d\n", my_rank(), all_ranks(), before,
      after, finalized_early, name_fits ? "fits" : "does not fit", argc);
  const int rank = my_rank();
  say_all();
  MPI_Finalize();
  MPI_Finalized(&finalized_late);
  MPI_Initialized(&after);
  if (rank == 0) printf("at the end: initialized %d, finalized %d\n", after, finalized_late);
  return 0;
}
