// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Memory of the library, with an alignment that is asked for, and arithmetic with addresses.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int *mine = NULL, *theirs = NULL;
  MPI_Alloc_mem(1000 * sizeof(int), MPI_INFO_NULL, &mine);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_minimum_memory_alignment", "256");
  MPI_Alloc_mem(1000 * sizeof(int), info, &theirs);
  MPI_Info_free(&info);
  say("rank %d: aligned %d\n", rank, (uintptr_t)theirs % 256 == 0);
  for (int i = 0; i < 1000; ++i) mine[i] = rank + i;
  MPI_Sendrecv(mine, 1000, MPI_INT, (rank + 1) % ranks, 0, theirs, 1000, MPI_INT, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: %08x\n", rank, (unsigned)checksum(theirs, 1000 * sizeof(int)));
  MPI_Aint first, last;
  MPI_Get_address(&mine[0], &first);
  MPI_Get_address(&mine[999], &last);
  say("rank %d: %d bytes apart, and back %d\n", rank, (int)MPI_Aint_diff(last, first),
      MPI_Aint_add(first, MPI_Aint_diff(last, first)) == last);
  MPI_Free_mem(theirs);
  MPI_Free_mem(mine);
  void* nothing = &nothing;
  const int code = MPI_Alloc_mem(0, MPI_INFO_NULL, &nothing);
  say("rank %d: none %d\n", rank, code);
  MPI_Free_mem(nothing);
  int class = -1;
  MPI_Error_class(MPI_Alloc_mem(-1, MPI_INFO_NULL, &nothing), &class);
  say("rank %d: less than nothing %d\n", rank, class == MPI_ERR_ARG || class == MPI_ERR_SIZE);
  say_all();
  MPI_Finalize();
  return 0;
}
