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

constexpr Row kClassRemedies[] = {
    {MPI_ERR_BUFFER, "Give memory that holds as many elements as the count says."},
    {MPI_ERR_COUNT, "Give a count that is not negative."},
    {MPI_ERR_TYPE, "Give a datatype that has been made and not freed."},
    {MPI_ERR_TAG, "Give a tag from 0 to the value of MPI_TAG_UB; MPI_ANY_TAG is for receives and probes."},
    {MPI_ERR_COMM, "Give a communicator that has been made and not freed."},
    {MPI_ERR_RANK, "Give a rank of the communicator or group: they are counted from 0 on."},
    {MPI_ERR_REQUEST, "Give a request that has been made, and neither freed nor handed over as complete."},
    {MPI_ERR_ROOT, "Give the same rank of the communicator at all its members."},
    {MPI_ERR_GROUP, "Give a group that has been made and not freed."},
    {MPI_ERR_OP, "Give an operation that the standard defines on the datatype, or one of MPI_Op_create."},
    {MPI_ERR_TOPOLOGY, "Give a communicator of MPI_Cart_create, MPI_Graph_create or MPI_Dist_graph_create."},
    {MPI_ERR_DIMS, "Give sizes whose product is the number of ranks; MPI_Dims_create chooses them."},
    {MPI_ERR_TRUNCATE, "Receive with a buffer as large as the message: MPI_Probe and MPI_Get_count tell its size."},
    {MPI_ERR_INTERN, "This is a fault of Tidings: please report it."},
    {MPI_ERR_ACCESS, "Open it with rights and a mode that allow this."},
    {MPI_ERR_AMODE, "Give MPI_File_open one mode of access, and others that go with it."},
    {MPI_ERR_ASSERT, "Give a sum of constants that this call knows, or 0."},
    {MPI_ERR_BAD_FILE, "Give the name of a file."},
    {MPI_ERR_CONVERSION, "Use the representation native or internal, or datatypes of a size that external32 has."},
    {MPI_ERR_DISP, "Give a displacement that is not negative, and a unit of at least a byte."},
    {MPI_ERR_DUP_DATAREP, "Define it once, or under another name."},
    {MPI_ERR_FILE_EXISTS, "Delete it before, or open it without MPI_MODE_EXCL."},
    {MPI_ERR_FILE_IN_USE, "Close it before."},
    {MPI_ERR_FILE, "Give a file that MPI_File_open has opened and that has not been closed."},
    {MPI_ERR_INFO_KEY, "Give a key of fewer than MPI_MAX_INFO_KEY characters."},
    {MPI_ERR_INFO_NOKEY, "Set it before, or ask MPI_Info_get_string whether it is set."},
    {MPI_ERR_INFO_VALUE, "Give a value of fewer than MPI_MAX_INFO_VAL characters."},
    {MPI_ERR_INFO, "Give an info object that has been made and not freed."},
    {MPI_ERR_IO, "Look at the file, and at the device that it is on."},
    {MPI_ERR_KEYVAL, "Give a keyval that has been created for objects of this kind and not been freed."},
    {MPI_ERR_LOCKTYPE, "Give MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE."},
    {MPI_ERR_NO_MEM, "Ask for less memory, or start fewer ranks."},
    {MPI_ERR_NOT_SAME, "Give the same value at all ranks."},
    {MPI_ERR_NO_SPACE, "Make room on the device that the file is on."},
    {MPI_ERR_NO_SUCH_FILE, "Look at its name, or open it with MPI_MODE_CREATE."},
    {MPI_ERR_QUOTA, "Make room on the device that the file is on."},
    {MPI_ERR_READ_ONLY, "Open it with MPI_MODE_WRONLY or MPI_MODE_RDWR, where it may be written."},
    {MPI_ERR_RMA_ATTACH, "Give memory that is attached, or not yet attached, as the call wants it."},
    {MPI_ERR_RMA_RANGE, "Access no more than the target has given to the window."},
    {MPI_ERR_RMA_SHARED, "Give a communicator of MPI_Comm_split_type with MPI_COMM_TYPE_SHARED."},
    {MPI_ERR_RMA_SYNC, "Begin an epoch before an access, and end it with the call that belongs to it."},
    {MPI_ERR_SIZE, "Give a size that is not negative."},
    {MPI_ERR_UNSUPPORTED_DATAREP, "Give native, internal or external32."},
    {MPI_ERR_WIN, "Give a window that has been made and not freed."},
    {MPI_ERR_RMA_FLAVOR, "Give a window that the right call for this has made."},
    {MPI_ERR_VALUE_TOO_LARGE, "Call the function whose name ends in _c, which has large counts."},
    {MPI_ERR_SESSION, "Give a session that has been initialized and not finalized."},
    {MPI_ERR_ERRHANDLER, "Give an error handler that has been created for objects of this kind and not been freed."},
    {MPI_ERR_ABI, "Set it once, before it is used."},
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

const char* error_class_remedy(int error_class) {
  if constexpr (kRemedies) {
    for (const Row& row : kClassRemedies) {
      if (row.error_class == error_class) return row.text;
    }
  }
  return "";
}

const char* Error::remedy() const { return remedy_ == nullptr ? error_class_remedy(error_class_) : remedy_; }

}  // namespace tidings
