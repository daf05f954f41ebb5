// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include "core/abi.h"

namespace tidings {

const char* error_class_text(int error_class) {
  switch (error_class) {
    case MPI_SUCCESS:
      return "no error";
    case MPI_ERR_BUFFER:
      return "invalid buffer";
    case MPI_ERR_COUNT:
      return "invalid count";
    case MPI_ERR_TYPE:
      return "invalid datatype";
    case MPI_ERR_TAG:
      return "invalid tag";
    case MPI_ERR_COMM:
      return "invalid communicator";
    case MPI_ERR_RANK:
      return "invalid rank";
    case MPI_ERR_REQUEST:
      return "invalid request";
    case MPI_ERR_ROOT:
      return "invalid root";
    case MPI_ERR_GROUP:
      return "invalid group";
    case MPI_ERR_OP:
      return "invalid reduction operation";
    case MPI_ERR_TOPOLOGY:
      return "invalid topology";
    case MPI_ERR_DIMS:
      return "invalid dimensions";
    case MPI_ERR_ARG:
      return "invalid argument";
    case MPI_ERR_UNKNOWN:
      return "unknown error";
    case MPI_ERR_TRUNCATE:
      return "message truncated";
    case MPI_ERR_OTHER:
      return "other error";
    case MPI_ERR_INTERN:
      return "internal error";
    case MPI_ERR_PENDING:
      return "request is pending";
    case MPI_ERR_IN_STATUS:
      return "the error is in the statuses";
    case MPI_ERR_NO_MEM:
      return "out of memory";
    case MPI_ERR_KEYVAL:
      return "invalid key value";
    case MPI_ERR_INFO:
      return "invalid info";
    case MPI_ERR_INFO_KEY:
      return "invalid key of an info";
    case MPI_ERR_INFO_VALUE:
      return "invalid value in an info";
    case MPI_ERR_INFO_NOKEY:
      return "no such key in an info";
    case MPI_ERR_WIN:
      return "invalid window";
    case MPI_ERR_FILE:
      return "invalid file";
    case MPI_ERR_SESSION:
      return "invalid session";
    case MPI_ERR_ERRHANDLER:
      return "invalid error handler";
    case MPI_ERR_VALUE_TOO_LARGE:
      return "value too large for its type";
    case MPI_ERR_UNSUPPORTED_OPERATION:
      return "operation is not supported";
    case MPI_ERR_RMA_RANGE:
      return "access outside the window";
    default:
      return "error";
  }
}

}  // namespace tidings
