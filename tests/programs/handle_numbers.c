// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Handles as integers and back: predefined ones and those of objects that the program makes, null handles too.
#include "program.h"

#define THERE_AND_BACK(kind, handle) \
  say("rank %d: " #kind " " #handle " %s\n", my_rank(), kind##_is_back(handle) ? "is the same" : "DIFFERS")
#define DEFINE_IS_BACK(kind, Handle, to, from) \
  static bool kind##_is_back(Handle handle) { return from(to(handle)) == handle; }

// Each function is named here, with its parenthesis, so that the test of coverage finds it.
static int comm_to(MPI_Comm h) { return MPI_Comm_toint(h); }
static MPI_Comm comm_from(int i) { return MPI_Comm_fromint(i); }
static int errhandler_to(MPI_Errhandler h) { return MPI_Errhandler_toint(h); }
static MPI_Errhandler errhandler_from(int i) { return MPI_Errhandler_fromint(i); }
static int file_to(MPI_File h) { return MPI_File_toint(h); }
static MPI_File file_from(int i) { return MPI_File_fromint(i); }
static int group_to(MPI_Group h) { return MPI_Group_toint(h); }
static MPI_Group group_from(int i) { return MPI_Group_fromint(i); }
static int info_to(MPI_Info h) { return MPI_Info_toint(h); }
static MPI_Info info_from(int i) { return MPI_Info_fromint(i); }
static int message_to(MPI_Message h) { return MPI_Message_toint(h); }
static MPI_Message message_from(int i) { return MPI_Message_fromint(i); }
static int op_to(MPI_Op h) { return MPI_Op_toint(h); }
static MPI_Op op_from(int i) { return MPI_Op_fromint(i); }
static int request_to(MPI_Request h) { return MPI_Request_toint(h); }
static MPI_Request request_from(int i) { return MPI_Request_fromint(i); }
static int session_to(MPI_Session h) { return MPI_Session_toint(h); }
static MPI_Session session_from(int i) { return MPI_Session_fromint(i); }
static int type_to(MPI_Datatype h) { return MPI_Type_toint(h); }
static MPI_Datatype type_from(int i) { return MPI_Type_fromint(i); }
static int win_to(MPI_Win h) { return MPI_Win_toint(h); }
static MPI_Win win_from(int i) { return MPI_Win_fromint(i); }

DEFINE_IS_BACK(comm, MPI_Comm, comm_to, comm_from)
DEFINE_IS_BACK(errhandler, MPI_Errhandler, errhandler_to, errhandler_from)
DEFINE_IS_BACK(file, MPI_File, file_to, file_from)
DEFINE_IS_BACK(group, MPI_Group, group_to, group_from)
DEFINE_IS_BACK(info, MPI_Info, info_to, info_from)
DEFINE_IS_BACK(message, MPI_Message, message_to, message_from)
DEFINE_IS_BACK(op, MPI_Op, op_to, op_from)
DEFINE_IS_BACK(request, MPI_Request, request_to, request_from)
DEFINE_IS_BACK(session, MPI_Session, session_to, session_from)
DEFINE_IS_BACK(type, MPI_Datatype, type_to, type_from)
DEFINE_IS_BACK(win, MPI_Win, win_to, win_from)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm copy;
  MPI_Group world;
  MPI_Info info;
  MPI_Datatype pair;
  MPI_Request request;
  int value = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Info_create(&info);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Irecv(&value, 1, MPI_INT, my_rank(), 1, MPI_COMM_WORLD, &request);
  THERE_AND_BACK(comm, MPI_COMM_WORLD);
  THERE_AND_BACK(comm, MPI_COMM_NULL);
  THERE_AND_BACK(comm, copy);
  THERE_AND_BACK(errhandler, MPI_ERRORS_RETURN);
  THERE_AND_BACK(errhandler, MPI_ERRHANDLER_NULL);
  THERE_AND_BACK(file, MPI_FILE_NULL);
  THERE_AND_BACK(group, MPI_GROUP_EMPTY);
  THERE_AND_BACK(group, world);
  THERE_AND_BACK(info, MPI_INFO_NULL);
  THERE_AND_BACK(info, info);
  THERE_AND_BACK(message, MPI_MESSAGE_NULL);
  THERE_AND_BACK(message, MPI_MESSAGE_NO_PROC);
  THERE_AND_BACK(op, MPI_SUM);
  THERE_AND_BACK(request, MPI_REQUEST_NULL);
  THERE_AND_BACK(request, request);
  THERE_AND_BACK(session, MPI_SESSION_NULL);
  THERE_AND_BACK(type, MPI_DOUBLE);
  THERE_AND_BACK(type, pair);
  THERE_AND_BACK(win, MPI_WIN_NULL);
  const int sent = 7;
  MPI_Send(&sent, 1, MPI_INT, my_rank(), 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
  MPI_Info_free(&info);
  MPI_Group_free(&world);
  MPI_Comm_free(&copy);
  say_all();
  MPI_Finalize();
  return 0;
}
