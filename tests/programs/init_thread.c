// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Every level of thread support can be asked for; the answer is one of the four levels, in order.
#include "program.h"

int main(void) {
  int provided = -1;
  const int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  const bool ordered = MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED &&
                       MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE;
  say("rank %d: success %d, level known %d, levels ordered %d\n", my_rank(), code == MPI_SUCCESS,
      provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE, ordered);
  say_all();
  MPI_Finalize();
  return 0;
}
