// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Attributes of communicators, types and windows: copied or not with their objects, deleted with them.
#include "program.h"

static int copies, deletions;

static int copy_comm(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_comm(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value;
  deletions += *(int*)extra;
  return MPI_SUCCESS;
}
static int copy_type(MPI_Datatype type, int key, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)key, (void)extra, (void)in, (void)out;
  ++copies;
  *flag = 0;
  return MPI_SUCCESS;
}
static int delete_win(MPI_Win win, int key, void* value, void* extra) {
  (void)win, (void)key, (void)extra;
  deletions += *(int*)value;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  static int ten = 10, hundred = 100;
  static char letters[] = "abcdef";
  int of_comm, of_type, of_win, flag;
  char* value;
  MPI_Comm_create_keyval(copy_comm, delete_comm, &of_comm, &ten);
  MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, &of_type, NULL);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_win, &of_win, NULL);
  MPI_Comm first, second, third;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, of_comm, letters + rank % 3);
  MPI_Comm_dup(first, &second);
  MPI_Comm_dup(second, &third);
  MPI_Comm_get_attr(third, of_comm, &value, &flag);
  say("%d: %c, copies %d\n", flag, *value, copies);
  MPI_Comm_set_attr(third, of_comm, letters);
  say("replaced: deletions %d\n", deletions);
  MPI_Comm_delete_attr(third, of_comm);
  MPI_Comm_get_attr(third, of_comm, &value, &flag);
  say("deleted: %d, deletions %d\n", flag, deletions);
  MPI_Comm_free_keyval(&of_comm);
  MPI_Comm_get_attr(first, MPI_TAG_UB, &value, &flag);
  say("freed %d\n", of_comm == MPI_KEYVAL_INVALID);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  MPI_Comm_free(&third);
  say("deletions %d\n", deletions);
  MPI_Datatype type, other;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_set_attr(type, of_type, letters);
  MPI_Type_dup(type, &other);
  MPI_Type_get_attr(other, of_type, &value, &flag);
  say("type: %d, copies %d\n", flag, copies);
  MPI_Type_free(&type);
  MPI_Type_free(&other);
  MPI_Type_free_keyval(&of_type);
  MPI_Win win;
  int memory[1];
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_attr(win, of_win, &hundred);
  MPI_Win_free(&win);
  MPI_Win_free_keyval(&of_win);
  say("window: deletions %d\n", deletions);
  say_all();
  MPI_Finalize();
  return 0;
}
