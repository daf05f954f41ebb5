// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Handles and statuses go to Fortran and come back, as in a library in C that Fortran calls.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Group group;
  MPI_Comm_group(copy, &group);
  const int me = my_rank(), ranks = all_ranks();
  const int out[2] = {me, -me};
  int in[2] = {0, 0};
  MPI_Request request;
  MPI_Irecv(in, 1, MPI_Type_f2c(MPI_Type_c2f(pair)), (me + ranks - 1) % ranks, 4, MPI_Comm_f2c(MPI_Comm_c2f(copy)),
            &request);
  MPI_Send(out, 1, pair, (me + 1) % ranks, 4, copy);
  const MPI_Fint number = MPI_Request_c2f(request);
  request = MPI_Request_f2c(number);
  MPI_Status status, back;
  MPI_Wait(&request, &status);
  MPI_Fint fortran[MPI_F_STATUS_SIZE];
  MPI_F08_status modern;
  MPI_Status_c2f(&status, fortran);
  MPI_Status_f2f08(fortran, &modern);
  MPI_Status_f082c(&modern, &back);
  int count = 0;
  MPI_Get_count(&back, pair, &count);
  say("rank %d: %d %d from %d, tag %d, %d pair; fields %d %d\n", me, in[0], in[1], back.MPI_SOURCE, back.MPI_TAG, count,
      fortran[MPI_F_SOURCE], fortran[MPI_F_TAG]);
  say("the same: %d %d %d %d\n", MPI_Group_f2c(MPI_Group_c2f(group)) == group,
      MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM, MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL,
      MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
  MPI_Group_free(&group);
  MPI_Type_free(&pair);
  MPI_Comm_free(&copy);
  say_all();
  MPI_Finalize();
  return 0;
}
