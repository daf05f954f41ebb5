// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Reduce_local: predefined operations, operations of the user, and what is refused.
#include "program.h"

static void subtract(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] = ((int*)in)[i] - ((int*)inout)[i];
}

#pragma weak MPIX_Op_create_x  // MPICH's library does not have it
static int states_gone;
static void add_state(void* in, void* inout, MPI_Count count, MPI_Datatype type, void* state) {
  (void)type;
  for (MPI_Count i = 0; i < count; ++i) ((int*)inout)[i] += ((int*)in)[i] + *(int*)state;
}
static void forget(void* state) {
  (void)state;
  ++states_gone;
}

static void with_state(void) {
  if (MPIX_Op_create_x == NULL) return;
  MPI_Op op;
  int state = 100, in = 1, inout = 2;
  MPIX_Op_create_x(add_state, forget, 1, &state, &op);
  MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
  MPI_Op_free(&op);
  must("an operation has its state", inout == 103 && states_gone == 1);
}

static void tell_class(const char* what, int code, int expected) {
  int class = -1;
  MPI_Error_class(code, &class);
  say("rank %d: %s %s\n", my_rank(), what, class == expected ? "as expected" : "OTHER");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int a[5], b[5];
  const MPI_Op operations[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND};
  for (size_t o = 0; o < sizeof operations / sizeof operations[0]; ++o) {
    for (int i = 0; i < 5; ++i) a[i] = rank + i, b[i] = 3 - i;
    MPI_Reduce_local(a, b, 5, MPI_INT, operations[o]);
    say("rank %d: %d %d %d %d %d\n", rank, b[0], b[1], b[2], b[3], b[4]);
  }
  MPI_Op difference;
  int commutes = -1;
  MPI_Op_create(subtract, 0, &difference);
  MPI_Op_commutative(difference, &commutes);
  for (int i = 0; i < 5; ++i) a[i] = rank + i, b[i] = 3 - i;
  MPI_Reduce_local_c(a, b, 5, MPI_INT, difference);
  say("rank %d: commutes %d: %d %d %d %d %d\n", rank, commutes, b[0], b[1], b[2], b[3], b[4]);
  MPI_Op_free(&difference);
  say("rank %d: none %d\n", rank, MPI_Reduce_local(a, b, 0, MPI_INT, MPI_SUM));
  tell_class("no operation", MPI_Reduce_local(a, b, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
  tell_class("operation on another type", MPI_Reduce_local(a, b, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
  must("a negative count is refused", on_mpich() || MPI_Reduce_local(a, b, -1, MPI_INT, MPI_SUM) == MPI_ERR_COUNT);
  with_state();
  say_all();
  MPI_Finalize();
  return 0;
}
