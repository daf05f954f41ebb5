// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file functions.cpp
/// Functions of the standard of which the checker wants to know more than that they were called.
#include <vector>

#include "check/checker.h"

using namespace tidings::check;

namespace {

#define CALLED_HERE(name) \
  const Site site(name, __builtin_return_address(0))  // in the function that the program calls itself

/// The handles before a call that may complete some of them.
class Before {
 public:
  Before(int count, const MPI_Request handles[]) {
    if (count > 0 && handles != nullptr) handles_.assign(handles, handles + count);
  }
  /// Those have been handed over that are done, and those whose handles are null now.
  /// @param done(index) the request is complete @param status_of(index) its status; null if it is not known
  template <class Done, class StatusOf>
  void compare(const MPI_Request now[], const Site& site, Done done, StatusOf status_of) const {
    const Lock lock;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const int index = static_cast<int>(i);
      if (handles_[i] == MPI_REQUEST_NULL) continue;
      if (now[i] == MPI_REQUEST_NULL || done(index)) handed_over(handles_[i], now[i], site, status_of(index));
    }
    all_handed_over();
  }

 private:
  std::vector<MPI_Request> handles_;
};

/// The statuses of a call, though the program may ignore them.
class Statuses {
 public:
  Statuses(int count, MPI_Status* given) : given_(given) {
    if (given == MPI_STATUSES_IGNORE && count > 0) own_.resize(static_cast<std::size_t>(count));
  }
  [[nodiscard]] MPI_Status* get() { return given_ == MPI_STATUSES_IGNORE ? own_.data() : given_; }
  /// The status of each request by its index, if the call has succeeded.
  auto each(int result) {
    return [all = get(), result](int index) { return result == MPI_SUCCESS ? &all[index] : nullptr; };
  }
  /// The status of the only request.
  auto only(int result) {
    return [one = get(), result](int) { return result == MPI_SUCCESS ? one : nullptr; };
  }
  /// Statuses in the order of indices.
  auto some(int result, const int* count, const int indices[]) {
    return [all = get(), result, count, indices](int index) -> MPI_Status* {
      for (int k = 0; result == MPI_SUCCESS && k < *count; ++k) {
        if (indices[k] == index) return &all[k];
      }
      return nullptr;
    };
  }

 private:
  MPI_Status* given_;
  std::vector<MPI_Status> own_;
};

constexpr auto kAll = [](int) { return true; };

auto one(int index) {
  return [index](int i) { return i == index; };
}
auto some(int count, const int indices[]) {
  return [=](int i) {
    for (int k = 0; k < count; ++k) {
      if (indices[k] == i) return true;
    }
    return false;
  };
}

}  // namespace

int MPI_Init(int* argc, char*** argv) {
  const int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) begin();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) begin();
  return result;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  CALLED_HERE("MPI_Wait");
  const Before before(1, request);
  Statuses known(1, status);
  const int result = PMPI_Wait(request, known.get());
  before.compare(request, site, kAll, known.only(result));
  return result;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  CALLED_HERE("MPI_Test");
  const Before before(1, request);
  Statuses known(1, status);
  const int result = PMPI_Test(request, flag, known.get());
  before.compare(request, site, [&](int) { return result == MPI_SUCCESS && *flag != 0; }, known.only(result));
  return result;
}

int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses) {
  CALLED_HERE("MPI_Waitall");
  const Before before(count, array_of_requests);
  Statuses known(count, array_of_statuses);
  const int result = PMPI_Waitall(count, array_of_requests, known.get());
  before.compare(array_of_requests, site, kAll, known.each(result));
  return result;
}

int MPI_Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses) {
  CALLED_HERE("MPI_Testall");
  const Before before(count, array_of_requests);
  Statuses known(count, array_of_statuses);
  const int result = PMPI_Testall(count, array_of_requests, flag, known.get());
  before.compare(array_of_requests, site, [&](int) { return result == MPI_SUCCESS && *flag != 0; }, known.each(result));
  return result;
}

int MPI_Waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  CALLED_HERE("MPI_Waitany");
  const Before before(count, array_of_requests);
  Statuses known(1, status);
  const int result = PMPI_Waitany(count, array_of_requests, indx, known.get());
  before.compare(array_of_requests, site, one(result == MPI_SUCCESS ? *indx : static_cast<int>(MPI_UNDEFINED)),
                 known.only(result));
  return result;
}

int MPI_Testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  CALLED_HERE("MPI_Testany");
  const Before before(count, array_of_requests);
  Statuses known(1, status);
  const int result = PMPI_Testany(count, array_of_requests, indx, flag, known.get());
  before.compare(array_of_requests, site,
                 one(result == MPI_SUCCESS && *flag != 0 ? *indx : static_cast<int>(MPI_UNDEFINED)),
                 known.only(result));
  return result;
}

int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                 MPI_Status* array_of_statuses) {
  CALLED_HERE("MPI_Waitsome");
  const Before before(incount, array_of_requests);
  Statuses known(incount, array_of_statuses);
  const int result = PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, known.get());
  before.compare(array_of_requests, site, some(result == MPI_SUCCESS ? *outcount : 0, array_of_indices),
                 known.some(result, outcount, array_of_indices));
  return result;
}

int MPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                 MPI_Status* array_of_statuses) {
  CALLED_HERE("MPI_Testsome");
  const Before before(incount, array_of_requests);
  Statuses known(incount, array_of_statuses);
  const int result = PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, known.get());
  before.compare(array_of_requests, site, some(result == MPI_SUCCESS ? *outcount : 0, array_of_indices),
                 known.some(result, outcount, array_of_indices));
  return result;
}

int MPI_Request_free(MPI_Request* request) {
  const MPI_Request before = *request;
  const int result = PMPI_Request_free(request);
  const Lock lock;
  if (result == MPI_SUCCESS) dropped(before);
  return result;
}

int MPI_Start(MPI_Request* request) {
  CALLED_HERE("MPI_Start");
  const int result = PMPI_Start(request);
  const Lock lock;
  if (result == MPI_SUCCESS) started(*request, site);
  return result;
}

int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  CALLED_HERE("MPI_Startall");
  const int result = PMPI_Startall(count, array_of_requests);
  const Lock lock;
  for (int i = 0; result == MPI_SUCCESS && i < count; ++i) started(array_of_requests[i], site);
  return result;
}
