// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include "core/abi.h"

namespace tidings {
namespace {

struct Row {
  int error_class;
  const char* text;
};

constexpr Row kRows[] = {
    {MPI_SUCCESS, "no error"},
    {MPI_ERR_BUFFER, "invalid buffer"},
    {MPI_ERR_COUNT, "invalid count"},
    {MPI_ERR_TYPE, "invalid datatype"},
    {MPI_ERR_TAG, "invalid tag"},
    {MPI_ERR_COMM, "invalid communicator"},
    {MPI_ERR_RANK, "invalid rank"},
    {MPI_ERR_REQUEST, "invalid request"},
    {MPI_ERR_ROOT, "invalid root"},
    {MPI_ERR_GROUP, "invalid group"},
    {MPI_ERR_OP, "invalid reduction operation"},
    {MPI_ERR_TOPOLOGY, "invalid topology"},
    {MPI_ERR_DIMS, "invalid dimensions"},
    {MPI_ERR_ARG, "invalid argument"},
    {MPI_ERR_UNKNOWN, "unknown error"},
    {MPI_ERR_TRUNCATE, "message truncated"},
    {MPI_ERR_OTHER, "other error"},
    {MPI_ERR_INTERN, "internal error"},
    {MPI_ERR_PENDING, "request is pending"},
    {MPI_ERR_IN_STATUS, "the error is in the statuses"},
    {MPI_ERR_ACCESS, "permission denied"},
    {MPI_ERR_AMODE, "invalid mode of access to a file"},
    {MPI_ERR_ASSERT, "invalid assertion"},
    {MPI_ERR_BAD_FILE, "invalid file name"},
    {MPI_ERR_BASE, "invalid base address"},
    {MPI_ERR_CONVERSION, "a conversion of data failed"},
    {MPI_ERR_DISP, "invalid displacement"},
    {MPI_ERR_DUP_DATAREP, "the data representation is already defined"},
    {MPI_ERR_FILE_EXISTS, "the file exists"},
    {MPI_ERR_FILE_IN_USE, "the file is in use"},
    {MPI_ERR_FILE, "invalid file"},
    {MPI_ERR_INFO_KEY, "invalid key of an info"},
    {MPI_ERR_INFO_NOKEY, "no such key in an info"},
    {MPI_ERR_INFO_VALUE, "invalid value in an info"},
    {MPI_ERR_INFO, "invalid info"},
    {MPI_ERR_IO, "input or output failed"},
    {MPI_ERR_KEYVAL, "invalid keyval"},
    {MPI_ERR_LOCKTYPE, "invalid type of lock"},
    {MPI_ERR_NAME, "the service name has not been published"},
    {MPI_ERR_NO_MEM, "out of memory"},
    {MPI_ERR_NOT_SAME, "the ranks name different arguments"},
    {MPI_ERR_NO_SPACE, "no space left for the file"},
    {MPI_ERR_NO_SUCH_FILE, "no such file"},
    {MPI_ERR_PORT, "invalid port name"},
    {MPI_ERR_QUOTA, "quota exceeded"},
    {MPI_ERR_READ_ONLY, "the file or file system is read-only"},
    {MPI_ERR_RMA_ATTACH, "memory cannot be attached to the window"},
    {MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"},
    {MPI_ERR_RMA_RANGE, "access outside the window"},
    {MPI_ERR_RMA_SHARED, "memory cannot be shared"},
    {MPI_ERR_RMA_SYNC, "wrong synchronization of a window"},
    {MPI_ERR_SERVICE, "invalid service name"},
    {MPI_ERR_SIZE, "invalid size"},
    {MPI_ERR_SPAWN, "processes cannot be started"},
    {MPI_ERR_UNSUPPORTED_DATAREP, "the data representation is not supported"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "operation is not supported"},
    {MPI_ERR_WIN, "invalid window"},
    {MPI_ERR_RMA_FLAVOR, "wrong flavor of window"},
    {MPI_ERR_PROC_ABORTED, "a peer process has aborted"},
    {MPI_ERR_VALUE_TOO_LARGE, "value too large for its type"},
    {MPI_ERR_SESSION, "invalid session"},
    {MPI_ERR_ERRHANDLER, "invalid error handler"},
    {MPI_ERR_ABI, "the ABI does not provide this"},
    {MPI_T_ERR_CANNOT_INIT, "the tool interface cannot be initialized"},
    {MPI_T_ERR_NOT_ACCESSIBLE, "the tool interface is not accessible"},
    {MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialized"},
    {MPI_T_ERR_NOT_SUPPORTED, "the tool interface does not support this"},
    {MPI_T_ERR_MEMORY, "the tool interface is out of memory"},
    {MPI_T_ERR_INVALID, "invalid use of the tool interface"},
    {MPI_T_ERR_INVALID_INDEX, "invalid index in the tool interface"},
    {MPI_T_ERR_INVALID_ITEM, "invalid item of an enumeration"},
    {MPI_T_ERR_INVALID_SESSION, "invalid session of the tool interface"},
    {MPI_T_ERR_INVALID_HANDLE, "invalid handle of the tool interface"},
    {MPI_T_ERR_INVALID_NAME, "no variable, category or event has this name"},
    {MPI_T_ERR_OUT_OF_HANDLES, "the tool interface has no more handles"},
    {MPI_T_ERR_OUT_OF_SESSIONS, "the tool interface has no more sessions"},
    {MPI_T_ERR_CVAR_SET_NOT_NOW, "the control variable cannot be set now"},
    {MPI_T_ERR_CVAR_SET_NEVER, "the control variable cannot be set"},
    {MPI_T_ERR_PVAR_NO_WRITE, "the performance variable cannot be written"},
    {MPI_T_ERR_PVAR_NO_STARTSTOP, "the performance variable cannot be started or stopped"},
    {MPI_T_ERR_PVAR_NO_ATOMIC, "the performance variable cannot be read and reset at once"},
};

const Row* find(int error_class) {
  for (const Row& row : kRows) {
    if (row.error_class == error_class) return &row;
  }
  return nullptr;
}

}  // namespace

bool error_class_is_known(int error_class) { return find(error_class) != nullptr; }

const char* error_class_text(int error_class) {
  const Row* const row = find(error_class);
  return row == nullptr ? "error" : row->text;
}

}  // namespace tidings
