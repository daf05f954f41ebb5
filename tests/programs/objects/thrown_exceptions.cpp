// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Exceptions of C++ that an error handler and an operation throw reach the caller of MPI, through the library.
#include <exception>
#include <stdexcept>

#include "program.h"

namespace {

void throw_class(MPI_Comm*, int* code, ...) {
  int error_class;
  MPI_Error_class(*code, &error_class);
  throw std::runtime_error(error_class == MPI_ERR_RANK ? "wrong rank" : "another error");
}

void throw_values(void* in, void* inout, int* count, MPI_Datatype*) {
  throw *static_cast<const int*>(in) * *static_cast<const int*>(inout) + *count;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(throw_class, &handler);
  MPI_Comm_set_errhandler(own, handler);
  MPI_Op product;
  MPI_Op_create(throw_values, 1, &product);
  const int factor = my_rank() + 2;
  for (int turn = 1; turn <= 3; ++turn) {
    int value = turn;
    try {
      MPI_Send(&value, 1, MPI_INT, turn, 0, own);
      say(" nothing");
    } catch (const std::runtime_error& error) {
      say(" %s", error.what());
    }
    try {
      MPI_Reduce_local(&factor, &value, 1, MPI_INT, product);
      say(" nothing");
    } catch (const int thrown) {
      say(" %d", thrown);
    }
    say(" %d", std::uncaught_exceptions());
  }
  say("\n");
  MPI_Op_free(&product);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&own);
  say_all();
  MPI_Finalize();
  return 0;
}
