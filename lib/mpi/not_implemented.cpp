// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/not_implemented.h"

#include <string>

#include "mpi/library.h"

namespace tidings {

void not_implemented(const char* function) {
  library().fail(MPI_ERR_UNSUPPORTED_OPERATION,
                 std::string(function) + " is not implemented in Tidings " TIDINGS_VERSION);
}

}  // namespace tidings
