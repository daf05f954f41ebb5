// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/request.h"

#include <new>
#include <utility>

#include "core/error.h"

namespace tidings {
namespace {

/// Memory for a RequestExtra that is not in use.
struct FreePlace {
  FreePlace* next;
};
FreePlace* free_places = nullptr;

}  // namespace

void* RequestExtra::operator new(std::size_t bytes) {
  if (bytes != sizeof(RequestExtra) || free_places == nullptr) return ::operator new(bytes);
  return std::exchange(free_places, free_places->next);
}

void RequestExtra::operator delete(void* memory, std::size_t bytes) {
  if (bytes != sizeof(RequestExtra)) {
    ::operator delete(memory);
  } else {
    free_places = new (memory) FreePlace{free_places};
  }
}

void RequestExtra::start(const RequestPointer& /*request*/) {
  throw Error(MPI_ERR_REQUEST, "the request is not persistent",
              "Start requests that functions with _init in their names have made.");
}

void RequestExtra::cancel(const RequestPointer& /*request*/) {}

int RequestExtra::finish(const Request& /*request*/, MPI_Status* /*status*/) { return MPI_SUCCESS; }

int RequestExtra::release() { return MPI_SUCCESS; }

std::string RequestExtra::failure(int code) const { return error_class_text(code); }

Waiting RequestExtra::describe() const { return {"a request", {}}; }

}  // namespace tidings
