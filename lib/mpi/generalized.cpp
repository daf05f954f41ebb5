// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file generalized.cpp
/// Generalized requests: the program says when they are complete, and calls of its own tell the rest.
#include <memory>
#include <utility>

#include "mpi/messages.h"

using namespace tidings;

namespace {

class Generalized final : public RequestExtra {
 public:
  Generalized(MPI_Grequest_query_function* on_query, MPI_Grequest_free_function* on_free,
              MPI_Grequest_cancel_function* on_cancel, void* state)
      : query_(on_query), free_(on_free), cancel_(on_cancel), state_(state) {}
  ~Generalized() override { Generalized::release(); }

  void cancel(const RequestPointer& request) override {
    const int error = cancel_ == nullptr ? MPI_SUCCESS : cancel_(state_, request->complete);
    if (error != MPI_SUCCESS) throw Error(error, "the cancel function of the generalized request failed", "");
  }
  int finish(const Request& /*request*/, MPI_Status* status) override {
    MPI_Status own{};
    set_empty_status(&own);
    const int error = query_ == nullptr ? MPI_SUCCESS : query_(state_, &own);
    if (status != MPI_STATUS_IGNORE) {
      own.MPI_ERROR = status->MPI_ERROR;
      *status = own;
    }
    return error;
  }
  int release() override {
    const auto on_free = std::exchange(free_, nullptr);
    return on_free == nullptr ? MPI_SUCCESS : on_free(state_);
  }
  bool stays(const Request& request) override {
    given_up = !request.complete;
    return given_up;
  }
  [[nodiscard]] std::string failure(int /*code*/) const override {
    return "the query or free function of the generalized request failed";
  }
  [[nodiscard]] Waiting describe() const override { return {"MPI_Grequest_complete of a generalized request", {}}; }

  bool given_up = false;  ///< MPI_Request_free came first: the free function is called when the request is complete

 private:
  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* state_;
};

}  // namespace

int PMPI_Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                        MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request) {
  return serve("MPI_Grequest_start", [&](Library& lib, Call&) {
    *request =
        hand_out(lib, std::make_unique<Generalized>(query_fn, free_fn, cancel_fn, extra_state), RequestPointer::make());
  });
}

int PMPI_Grequest_complete(MPI_Request request) {
  return serve("MPI_Grequest_complete", [&](Library& lib, Call&) {
    const RequestPointer found = lib.request(request);
    const auto* const known =
        found->peer == Request::kOther ? dynamic_cast<const Generalized*>(found->extra.get()) : nullptr;
    if (known == nullptr) {
      throw Error(MPI_ERR_REQUEST, "the request is not a generalized one",
                  "Give a request that MPI_Grequest_start has made.");
    }
    found->complete = true;
    if (known->given_up) lib.requests.remove(number(request));
  });
}
