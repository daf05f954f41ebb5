// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file operation.cpp
/// Reduction operations.
#include <memory>

#include "mpi/call.h"

using namespace tidings;

namespace {

template <class Function>
int create(Function* function, int commute, MPI_Op* op) {
  return serve("MPI_Op_create", [&](Library& lib, Call&) {
    if (function == nullptr)
      throw Error(MPI_ERR_ARG, "the function is a null pointer", "Give the address of a function.");
    *op = as_handle<MPI_Op>(lib.operations.add(std::make_shared<const Operation>(function, commute != 0)));
  });
}

}  // namespace

int PMPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) { return create(user_fn, commute, op); }

int PMPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) { return create(user_fn, commute, op); }

// The header declares no profiling name for it.
extern "C" [[gnu::visibility("default")]] int PMPIX_Op_create_x(MPIX_User_function_x* user_fn_x,
                                                                MPIX_Destructor_function* destructor_fn, int commute,
                                                                void* extra_state, MPI_Op* op);

int PMPIX_Op_create_x(MPIX_User_function_x* user_fn_x, MPIX_Destructor_function* destructor_fn, int commute,
                      void* extra_state, MPI_Op* op) {
  return serve("MPIX_Op_create_x", [&](Library& lib, Call&) {
    if (user_fn_x == nullptr)
      throw Error(MPI_ERR_ARG, "the function is a null pointer", "Give the address of a function.");
    *op = as_handle<MPI_Op>(
        lib.operations.add(std::make_shared<const Operation>(user_fn_x, destructor_fn, extra_state, commute != 0)));
  });
}

int PMPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  return serve("MPI_Reduce_local", [&](Library& lib, Call&) {
    const OperationPointer operation = lib.operation(op);
    const Buffer in = lib.buffer(inbuf, count, datatype);
    const Buffer inout = lib.buffer(inoutbuf, count, datatype);
    if (inbuf == MPI_IN_PLACE || inoutbuf == MPI_IN_PLACE)
      throw Error(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for this call", "Give a buffer.");
    check_reduction(*operation, *in.type);
    operation->apply(in.base, inout.base, in.count, *in.type);
  });
}

int PMPI_Op_commutative(MPI_Op op, int* commute) {
  return serve("MPI_Op_commutative", [&](Library& lib, Call&) { *commute = lib.operation(op)->commutative(); });
}

int PMPI_Op_free(MPI_Op* op) {
  return serve("MPI_Op_free", [&](Library& lib, Call&) {
    if (lib.operation(*op)->predefined())
      throw Error(MPI_ERR_OP, "a predefined operation cannot be freed", "Free what the program itself has made.");
    lib.operations.remove(number(*op));
    *op = MPI_OP_NULL;
  });
}
