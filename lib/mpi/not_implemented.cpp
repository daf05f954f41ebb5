// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/not_implemented.h"

#include <string>

#include "mpi/library.h"

namespace tidings {

void not_implemented(const char* function, const char* reason) {
  library().fail(MPI_ERR_UNSUPPORTED_OPERATION,
                 reason == nullptr ? std::string(function) + " is not implemented in Tidings " TIDINGS_VERSION
                                   : std::string(function) + " is left out of Tidings: " + reason);
}

}  // namespace tidings
