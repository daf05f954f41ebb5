// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// What windows have: attributes, names, hints, groups, error handlers; dynamic memory; memory that ranks share.
#include "program.h"

static int deleted, handled;

static int on_delete(MPI_Win win, int keyval, void* value, void* state) {
  (void)win, (void)keyval, (void)state;
  deleted += *(int*)value;
  return MPI_SUCCESS;
}
static void on_error(MPI_Win* win, int* code, ...) {
  (void)win;
  int class;
  MPI_Error_class(*code, &class);
  handled += class == MPI_ERR_RMA_SYNC;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int memory[16] = {0}, flag, keyval, seven = 7, length;
  MPI_Win win;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Win_create(memory, sizeof memory, 4, info, MPI_COMM_WORLD, &win);
  void* base;
  MPI_Aint* size;
  int *unit, *flavor, *model;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
  MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
  say("base %d size %d unit %d flavor %d model %d\n", base == memory, (int)*size, *unit,
      *flavor == MPI_WIN_FLAVOR_CREATE, *model == MPI_WIN_UNIFIED);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &keyval, NULL);
  MPI_Win_set_attr(win, keyval, &seven);
  int* value;
  MPI_Win_get_attr(win, keyval, &value, &flag);
  say("attribute %d %d\n", flag, *value);
  MPI_Win_delete_attr(win, keyval);
  MPI_Win_get_attr(win, keyval, &value, &flag);
  say("deleted %d, there %d\n", deleted, flag);
  MPI_Win_set_attr(win, keyval, &seven);
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Win_set_name(win, "shelf");
  MPI_Win_get_name(win, name, &length);
  say("name %s %d\n", name, length);
  MPI_Info used;
  MPI_Win_set_info(win, info);
  MPI_Win_get_info(win, &used);
  say("hints %d\n", used != MPI_INFO_NULL);
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_Group group;
  MPI_Win_get_group(win, &group);
  MPI_Group_size(group, &length);
  say("group %d\n", length == ranks);
  MPI_Group_free(&group);
  MPI_Errhandler handler, back;
  MPI_Win_create_errhandler(on_error, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Win_get_errhandler(win, &back);
  say("handler %d\n", back == handler);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&back);
  MPI_Win_call_errhandler(win, MPI_ERR_RMA_SYNC);
  // An access that nothing allows, an end without a beginning.
  MPI_Put(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_complete(win);
  MPI_Win_unlock(0, win);
  MPI_Win_flush(0, win);
  say("handled %d\n", handled);
  MPI_Win_free(&win);
  say("deleted %d\n", deleted);
  MPI_Win_free_keyval(&keyval);
  // Memory that is attached later, by its address.
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Aint here, there;
  MPI_Get_address(memory, &here);
  MPI_Sendrecv(&here, 1, MPI_AINT, left, 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, right, MPI_Aint_add(there, 8), 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  say("dynamic %d\n", memory[2] == left);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
  // Memory of ranks that share one.
  MPI_Comm shared;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  int* own;
  MPI_Win_allocate_shared(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, shared, &own, &win);
  own[0] = rank + 1;
  MPI_Win_fence(0, win);
  int here_rank, *found;
  MPI_Aint bytes;
  MPI_Comm_rank(shared, &here_rank);
  MPI_Win_shared_query(win, here_rank, &bytes, &length, &found);
  say("shared %d %d %d\n", (int)bytes, length, found[0] == rank + 1);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&shared);
  say_all();
  MPI_Finalize();
  return 0;
}
