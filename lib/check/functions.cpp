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
  /// Those have been handed over that done(index) holds for, and those whose handles are null now.
  template <class Done>
  void compare(const MPI_Request now[], const Site& site, Done done) const {
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i] == MPI_REQUEST_NULL) continue;
      if (now[i] == MPI_REQUEST_NULL || done(static_cast<int>(i))) handed_over(handles_[i], now[i], site);
    }
  }

 private:
  std::vector<MPI_Request> handles_;
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
  const int result = PMPI_Wait(request, status);
  before.compare(request, site, kAll);
  return result;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  CALLED_HERE("MPI_Test");
  const Before before(1, request);
  const int result = PMPI_Test(request, flag, status);
  before.compare(request, site, [&](int) { return result == MPI_SUCCESS && *flag != 0; });
  return result;
}

int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses) {
  CALLED_HERE("MPI_Waitall");
  const Before before(count, array_of_requests);
  const int result = PMPI_Waitall(count, array_of_requests, array_of_statuses);
  before.compare(array_of_requests, site, kAll);
  return result;
}

int MPI_Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses) {
  CALLED_HERE("MPI_Testall");
  const Before before(count, array_of_requests);
  const int result = PMPI_Testall(count, array_of_requests, flag, array_of_statuses);
  before.compare(array_of_requests, site, [&](int) { return result == MPI_SUCCESS && *flag != 0; });
  return result;
}

int MPI_Waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  CALLED_HERE("MPI_Waitany");
  const Before before(count, array_of_requests);
  const int result = PMPI_Waitany(count, array_of_requests, indx, status);
  before.compare(array_of_requests, site, one(result == MPI_SUCCESS ? *indx : static_cast<int>(MPI_UNDEFINED)));
  return result;
}

int MPI_Testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  CALLED_HERE("MPI_Testany");
  const Before before(count, array_of_requests);
  const int result = PMPI_Testany(count, array_of_requests, indx, flag, status);
  before.compare(array_of_requests, site,
                 one(result == MPI_SUCCESS && *flag != 0 ? *indx : static_cast<int>(MPI_UNDEFINED)));
  return result;
}

int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                 MPI_Status* array_of_statuses) {
  CALLED_HERE("MPI_Waitsome");
  const Before before(incount, array_of_requests);
  const int result = PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
  before.compare(array_of_requests, site, some(result == MPI_SUCCESS ? *outcount : 0, array_of_indices));
  return result;
}

int MPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                 MPI_Status* array_of_statuses) {
  CALLED_HERE("MPI_Testsome");
  const Before before(incount, array_of_requests);
  const int result = PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
  before.compare(array_of_requests, site, some(result == MPI_SUCCESS ? *outcount : 0, array_of_indices));
  return result;
}

int MPI_Request_free(MPI_Request* request) {
  const MPI_Request before = *request;
  const int result = PMPI_Request_free(request);
  if (result == MPI_SUCCESS) dropped(before);
  return result;
}

int MPI_Start(MPI_Request* request) {
  CALLED_HERE("MPI_Start");
  const int result = PMPI_Start(request);
  if (result == MPI_SUCCESS) started(*request, site);
  return result;
}

int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  CALLED_HERE("MPI_Startall");
  const int result = PMPI_Startall(count, array_of_requests);
  for (int i = 0; result == MPI_SUCCESS && i < count; ++i) started(array_of_requests[i], site);
  return result;
}
