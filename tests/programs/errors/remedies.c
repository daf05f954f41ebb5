// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A call that the library refuses, for each class of errors that a program can make alone.
#include "program.h"

enum { MANY = 1 << 20 };

static int value, values[4];
static MPI_Request request;
static MPI_Win window;
static MPI_File file;
static MPI_Datatype pair;
static char text[MPI_MAX_INFO_KEY + 10];

static void make_window(void) { MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window); }
static void open_file(int mode) {
  MPI_File_open(MPI_COMM_SELF, "remedies.data", mode | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
}

static void err_buffer(void) { MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); }
static void err_buffer_in_place(void) { MPI_Allreduce(values, values, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void err_buffer_none(void) { MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); }
static void err_count(void) { MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD); }
static void err_type(void) { MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD); }
static void err_type_uncommitted(void) {
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Send(&value, 1, pair, 0, 0, MPI_COMM_WORLD);
}
static void err_tag(void) { MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD); }
static void err_comm(void) { MPI_Barrier(MPI_COMM_NULL); }
static void err_comm_predefined(void) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_free(&world);
}
static void err_rank(void) { MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD); }
static void err_request(void) {
  request = MPI_REQUEST_NULL;
  MPI_Request_free(&request);
}
static void err_request_started(void) {
  MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
}
static void err_root(void) { MPI_Bcast(&value, 1, MPI_INT, 99, MPI_COMM_WORLD); }
static void err_group(void) { MPI_Group_size(MPI_GROUP_NULL, &value); }
static void err_op(void) { MPI_Allreduce(&values[0], &values[1], 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD); }
static void err_topology(void) { MPI_Cartdim_get(MPI_COMM_WORLD, &value); }
static void err_dims(void) {
  values[0] = 7;
  MPI_Dims_create(3, 1, values);
}
static void err_arg(void) { MPI_Comm_split(MPI_COMM_WORLD, -77, 0, &(MPI_Comm){0}); }
static void err_truncate(void) {
  MPI_Isend(values, 4, MPI_INT, my_rank(), 0, MPI_COMM_WORLD, &request);
  MPI_Recv(&value, 1, MPI_INT, my_rank(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void err_truncate_in_waitall(void) {
  MPI_Request both[2];
  MPI_Irecv(&value, 1, MPI_INT, my_rank(), 0, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(values, 4, MPI_INT, my_rank(), 0, MPI_COMM_WORLD, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
static void err_other(void) { MPI_Init(NULL, NULL); }
static void err_amode(void) { open_file(MPI_MODE_RDONLY | MPI_MODE_CREATE); }
static void err_no_such_file(void) {
  MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}
static void err_assert(void) {
  make_window();
  MPI_Win_fence(1 << 30, window);
}
static void err_disp(void) { MPI_Win_create(&value, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &window); }
static void err_info(void) { MPI_Info_get_nkeys(MPI_INFO_NULL, &value); }
static void err_info_key(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  memset(text, 'k', sizeof text - 1);
  MPI_Info_set(info, text, "value");
}
static void err_keyval(void) { MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value); }
static void err_locktype(void) {
  make_window();
  MPI_Win_lock(12345, 0, 0, window);
}
static void err_rma_range(void) {
  make_window();
  MPI_Win_fence(0, window);
  MPI_Put(values, 4, MPI_INT, 0, 0, 4, MPI_INT, window);
}
static void err_rma_sync(void) {
  make_window();
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
}
static void err_size(void) { MPI_Win_create(&value, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window); }
static void err_win(void) { MPI_Win_fence(0, MPI_WIN_NULL); }
static void err_rma_flavor(void) {
  make_window();
  MPI_Win_attach(window, values, sizeof values);
}
static void err_session(void) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_finalize(&session);
}
static void err_errhandler(void) { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL); }
static void err_value_too_large(void) {
  MPI_Type_contiguous(MANY, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  MPI_Pack_size(MANY, pair, MPI_COMM_WORLD, &value);
}
static void after_finalize(void) {
  MPI_Finalize();
  MPI_Barrier(MPI_COMM_WORLD);
}

#define MISTAKE(name) {#name, name}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*make)(void);
  } mistakes[] = {
      MISTAKE(err_buffer),       MISTAKE(err_buffer_in_place),
      MISTAKE(err_buffer_none),  MISTAKE(err_count),
      MISTAKE(err_type),         MISTAKE(err_type_uncommitted),
      MISTAKE(err_tag),          MISTAKE(err_comm),
      MISTAKE(err_rank),         MISTAKE(err_comm_predefined),
      MISTAKE(err_request),      MISTAKE(err_request_started),
      MISTAKE(err_root),         MISTAKE(err_group),
      MISTAKE(err_op),           MISTAKE(err_topology),
      MISTAKE(err_dims),         MISTAKE(err_arg),
      MISTAKE(err_truncate),     MISTAKE(err_truncate_in_waitall),
      MISTAKE(err_other),        MISTAKE(err_amode),
      MISTAKE(err_no_such_file), MISTAKE(err_assert),
      MISTAKE(err_disp),         MISTAKE(err_info),
      MISTAKE(err_info_key),     MISTAKE(err_keyval),
      MISTAKE(err_locktype),     MISTAKE(err_rma_range),
      MISTAKE(err_rma_sync),     MISTAKE(err_size),
      MISTAKE(err_win),          MISTAKE(err_rma_flavor),
      MISTAKE(err_session),      MISTAKE(err_errhandler),
      MISTAKE(after_finalize),   MISTAKE(err_value_too_large),
  };
  MPI_Init(&argc, &argv);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
    if (argc > 1 && strcmp(argv[1], mistakes[i].name) == 0) mistakes[i].make();
  }
  MPI_Finalize();
  return 0;
}
