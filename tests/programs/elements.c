// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Elements of what arrives: whole types, parts of one, pairs; and the fields of statuses.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Datatype base, type;
  const int lengths[] = {2, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, places, types, &base);
  MPI_Type_contiguous(2, base, &type);
  MPI_Type_commit(&type);
  double room[16], sent[16] = {0};
  MPI_Status status;
  for (int bytes = 0; bytes <= 72; bytes += 4) {
    MPI_Request request;
    MPI_Irecv(room, 4, type, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(sent, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    int whole, elements;
    MPI_Count wide, large;
    MPI_Get_count(&status, type, &whole);
    MPI_Get_elements(&status, type, &elements);
    MPI_Get_elements_x(&status, type, &wide);
    MPI_Get_elements_c(&status, type, &large);
    say("rank %d: %d bytes, types %d, elements %d, the same %d\n", rank, bytes, whole == MPI_UNDEFINED ? -1 : whole,
        elements == MPI_UNDEFINED ? -1 : elements, wide == elements && large == elements);
  }
  for (int elements = 0; elements < 14; ++elements) {
    int back, whole;
    MPI_Status_set_elements(&status, type, elements);
    MPI_Get_elements(&status, type, &back);
    MPI_Get_count(&status, type, &whole);
    say("rank %d: set %d, told %d, types %d\n", rank, elements, back, whole == MPI_UNDEFINED ? -1 : whole);
  }
  MPI_Status_set_elements_x(&status, MPI_INT, 5);
  int count;
  MPI_Get_count(&status, MPI_INT, &count);
  say("rank %d: %d\n", rank, count);
  MPI_Status_set_elements_c(&status, MPI_DOUBLE, 6);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  say("rank %d: %d\n", rank, count);
  MPI_Type_free(&type);
  MPI_Type_free(&base);
  int source = -1, tag = -1, error = -1;
  MPI_Status_set_source(&status, 3);
  MPI_Status_set_tag(&status, 44);
  MPI_Status_set_error(&status, MPI_ERR_OTHER);
  MPI_Status_get_source(&status, &source);
  MPI_Status_get_tag(&status, &tag);
  MPI_Status_get_error(&status, &error);
  say("rank %d: fields %d %d %d\n", rank, source, tag, error == MPI_ERR_OTHER && status.MPI_ERROR == error);
  MPI_Request none = MPI_REQUEST_NULL;
  int flag = 0;
  status.MPI_ERROR = MPI_ERR_OTHER;
  MPI_Wait(&none, &status);
  MPI_Get_elements(&status, MPI_INT, &count);
  say("rank %d: of nothing %d %d %d %d\n", rank, status.MPI_SOURCE == MPI_ANY_SOURCE, status.MPI_TAG == MPI_ANY_TAG,
      status.MPI_ERROR == MPI_SUCCESS, count);
  status.MPI_ERROR = MPI_ERR_OTHER;
  MPI_Test(&none, &flag, &status);
  say("rank %d: of nothing %d %d\n", rank, flag, status.MPI_ERROR == MPI_SUCCESS);
  say_all();
  MPI_Finalize();
  return 0;
}
