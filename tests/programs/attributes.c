// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Attributes of communicators and datatypes: functions that copy and delete them, and when they are called.
#include "program.h"

enum { REFUSED = 77 };

static char trail[2048];
static int refuse_copy, refuse_delete;

static void note(const char* what, int keyval, const void* state, const void* value) {
  (void)keyval;
  snprintf(trail + strlen(trail), sizeof trail - strlen(trail), " %s:%s=%d", what, (const char*)state,
           *(const int*)value);
}

static void tell(const char* what) {
  say("rank %d: %s:%s\n", my_rank(), what, trail);
  trail[0] = '\0';
}

static int copy_comm(MPI_Comm comm, int keyval, void* state, void* in, void* out, int* flag) {
  (void)comm;
  note("copy", keyval, state, in);
  *flag = *(const int*)in >= 0;
  *(void**)out = (int*)in + 1;
  return refuse_copy ? MPI_ERR_OTHER : MPI_SUCCESS;
}
static int delete_comm(MPI_Comm comm, int keyval, void* value, void* state) {
  (void)comm;
  note("delete", keyval, state, value);
  return refuse_delete ? MPI_ERR_OTHER : MPI_SUCCESS;
}
static int copy_type(MPI_Datatype type, int keyval, void* state, void* in, void* out, int* flag) {
  (void)type;
  note("copy", keyval, state, in);
  *flag = 1;
  *(void**)out = in;
  return MPI_SUCCESS;
}
static int delete_type(MPI_Datatype type, int keyval, void* value, void* state) {
  (void)type;
  note("delete", keyval, state, value);
  return MPI_SUCCESS;
}

static int copy_win(MPI_Win win, int keyval, void* state, void* in, void* out, int* flag) {
  (void)win, (void)keyval, (void)state;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static void tell_value(const char* what, MPI_Comm comm, int keyval) {
  void* value = NULL;
  int flag = -1;
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  say("rank %d: %s flag %d", my_rank(), what, flag);
  if (flag) say(" value %d", *(int*)value);
  say("\n");
}

static void tell_class(const char* what, int code, int expected) {
  int class = -1;
  MPI_Error_class(code, &class);
  say("rank %d: %s %s\n", my_rank(), what, class == expected ? "as expected" : "OTHER");
}

static int end_order[3], ends;
static int delete_at_end(MPI_Comm comm, int keyval, void* value, void* state) {
  (void)comm, (void)keyval, (void)state;
  end_order[ends++] = *(const int*)value;
  int flag = -1;
  MPI_Finalized(&flag);
  if (ends == 3) {
    int initialized = -1;
    MPI_Initialized(&initialized);
    if (end_order[0] != 30 || end_order[1] != 20 || end_order[2] != 10 || flag || !initialized) {
      fprintf(stderr, "attributes of MPI_COMM_SELF are deleted in another order\n");
      abort();
    }
  }
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

  // Predefined ones.
  int* value = NULL;
  int flag = -1;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  say("rank %d: flag %d, tags up to 32767 or more %d\n", my_rank(), flag, *value >= 32767);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
  say("rank %d: flag %d\n", my_rank(), flag);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
  say("rank %d: flag %d, yes or no %d\n", my_rank(), flag, *value == 0 || *value == 1);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
  say("rank %d: flag %d, at least the last class %d\n", my_rank(), flag, *value >= MPI_ERR_LASTCODE);
  MPI_Attr_get(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
  say("rank %d: number of the program %d\n", my_rank(), flag ? *value : 0);
  MPI_Attr_get(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
  say("rank %d: room for all ranks %d\n", my_rank(), flag ? *value >= all_ranks() : 1);
  tell_class("setting a predefined one", MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, value), MPI_ERR_KEYVAL);

  // Communicators.
  int numbers[] = {10, 20, 30, 40, -5, 50};
  int a, b, plain, none;
  MPI_Comm_create_keyval(copy_comm, delete_comm, &a, "a");
  MPI_Keyval_create(copy_comm, delete_comm, &b, "b");
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &none, NULL);
  MPI_Comm comm, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  tell_value("before", comm, a);
  MPI_Comm_set_attr(comm, a, &numbers[0]);
  MPI_Attr_put(comm, b, &numbers[4]);
  MPI_Comm_set_attr(comm, plain, &numbers[2]);
  MPI_Comm_set_attr(comm, none, &numbers[3]);
  tell("set");
  MPI_Comm_set_attr(comm, a, &numbers[1]);
  tell("set again");
  tell_value("a", comm, a);
  MPI_Comm_dup(comm, &copy);
  say("rank %d: copied a %d, b %d\n", my_rank(), strstr(trail, "copy:a=20") != NULL,
      strstr(trail, "copy:b=-5") != NULL);
  trail[0] = '\0';
  tell_value("a of copy", copy, a);
  tell_value("b of copy", copy, b);
  tell_value("plain of copy", copy, plain);
  tell_value("none of copy", copy, none);
  MPI_Comm_delete_attr(copy, a);
  tell("deleted");
  tell_value("a of copy", copy, a);
  MPI_Attr_delete(comm, b);
  tell("deleted");
  MPI_Comm_free(&copy);
  tell("freed copy");
  refuse_copy = 1;
  tell_class("refused copy", MPI_Comm_dup(comm, &copy), MPI_ERR_OTHER);
  refuse_copy = 0;
  trail[0] = '\0';
  refuse_delete = 1;
  tell_class("refused deletion", MPI_Comm_delete_attr(comm, a), MPI_ERR_OTHER);
  trail[0] = '\0';
  tell_value("still there", comm, a);
  refuse_delete = 0;
  int freed = a;
  MPI_Comm_free_keyval(&a);
  MPI_Keyval_free(&b);
  say("rank %d: freed keyvals are invalid %d %d\n", my_rank(), a == MPI_KEYVAL_INVALID, b == MPI_KEYVAL_INVALID);
  (void)freed;
  MPI_Comm_free(&comm);
  tell("freed with the freed keyval's attribute");
  MPI_Comm_free_keyval(&plain);
  MPI_Comm_free_keyval(&none);
  tell_class("no keyval", MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &numbers[0]), MPI_ERR_KEYVAL);
  tell_class("no keyval", MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value, &flag), MPI_ERR_KEYVAL);

  // Datatypes.
  int of_type;
  MPI_Type_create_keyval(copy_type, delete_type, &of_type, "t");
  MPI_Datatype type, type_copy;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_set_attr(type, of_type, &numbers[5]);
  MPI_Type_dup(type, &type_copy);
  tell("copied type");
  MPI_Type_get_attr(type_copy, of_type, &value, &flag);
  say("rank %d: type flag %d value %d\n", my_rank(), flag, flag ? *value : 0);
  MPI_Type_delete_attr(type_copy, of_type);
  tell("deleted of type");
  MPI_Type_get_attr(type_copy, of_type, &value, &flag);
  say("rank %d: type flag %d\n", my_rank(), flag);
  MPI_Type_free(&type_copy);
  tell("freed type without");
  MPI_Type_free(&type);
  tell("freed type with");
  tell_class("keyval of types", MPI_Comm_set_attr(MPI_COMM_WORLD, of_type, &numbers[0]), MPI_ERR_KEYVAL);
  MPI_Type_free_keyval(&of_type);

  int of_window;
  MPI_Win_create_keyval(copy_win, MPI_WIN_NULL_DELETE_FN, &of_window, NULL);
  tell_class("keyval of windows", MPI_Comm_set_attr(MPI_COMM_WORLD, of_window, &numbers[0]), MPI_ERR_KEYVAL);
  MPI_Win_free_keyval(&of_window);

  // At the end, the last one first.
  for (int i = 0; i < 3; ++i) {
    int end;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_at_end, &end, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, end, &numbers[i]);
    MPI_Comm_free_keyval(&end);
  }
  say_all();
  MPI_Finalize();
  if (ends != 3) abort();
  return 0;
}
