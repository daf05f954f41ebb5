// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/request.h"

#include "core/error.h"

namespace tidings {

void RequestExtra::start(const RequestPointer& /*request*/) {
  throw Error(MPI_ERR_REQUEST, "the request is not persistent");
}

void RequestExtra::cancel(const RequestPointer& /*request*/) {}

int RequestExtra::finish(const Request& /*request*/, MPI_Status* /*status*/) { return MPI_SUCCESS; }

int RequestExtra::release() { return MPI_SUCCESS; }

std::string RequestExtra::failure(int code) const { return error_class_text(code); }

Waiting RequestExtra::describe() const { return {"a request", {}}; }

}  // namespace tidings
