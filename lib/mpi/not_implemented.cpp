// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/not_implemented.h"

#include <string>

#include "mpi/call.h"

namespace tidings {

int not_implemented(const char* function, const char* reason) {
  Library& lib = library();
  const Call call(lib, function, MPI_COMM_WORLD);
  return lib.raise(call, Error(MPI_ERR_UNSUPPORTED_OPERATION, std::string("left out of Tidings: ") + reason,
                               "docs/mpi.md lists what there is instead."));
}

}  // namespace tidings
