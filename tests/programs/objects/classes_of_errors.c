// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Wrong arguments have the error class that the standard names, and every class has a text.
#include "program.h"

static void check(const char* name, int code, int expected) {
  int class, length;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Error_class(code, &class);
  MPI_Error_string(code, text, &length);
  say("%s %d, text %d\n", name, class == expected, length > 0 && length == (int)strlen(text));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int value = 0, other;
  check("rank", MPI_Send(&value, 1, MPI_INT, -17, 0, comm), MPI_ERR_RANK);
  check("tag", MPI_Send(&value, 1, MPI_INT, 0, -17, comm), MPI_ERR_TAG);
  check("count", MPI_Send(&value, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
  check("type", MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm), MPI_ERR_TYPE);
  check("communicator", MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  check("root", MPI_Bcast(&value, 1, MPI_INT, ranks, comm), MPI_ERR_ROOT);
  check("operation", MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
  check("source", MPI_Recv(&value, 1, MPI_INT, ranks, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  const int outside[2] = {0, ranks};
  MPI_Group wrong;
  check("group", MPI_Group_incl(group, 2, outside, &wrong), MPI_ERR_RANK);
  int dims[2] = {0, 3};
  check("dims", MPI_Dims_create(7, 2, dims), MPI_ERR_DIMS);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  say("rank %d\n", rank);
  say_all();
  MPI_Finalize();
  return 0;
}
