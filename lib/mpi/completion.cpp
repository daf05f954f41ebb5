// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file completion.cpp
/// Waiting for requests and testing them.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cost.h"
#include "mpi/messages.h"
#include "trace.h"

using namespace tidings;

namespace {

bool is_null(MPI_Request handle) { return handle == MPI_REQUEST_NULL; }

/// The request behind a handle; nothing behind a null handle and behind one of an inactive request.
RequestPointer active_request(const Library& lib, MPI_Request handle) {
  if (is_null(handle)) return nullptr;
  const RequestPointer& found = lib.request(handle);
  return found->inactive() ? nullptr : found;
}

/// The requests behind an array of handles; nothing behind those that are null or inactive.
class Requests {
 public:
  Requests(Library& lib, int count, const MPI_Request handles[]) : list_(lib.request_lists.take()) {
    if (count < 0)
      throw Error(MPI_ERR_ARG, "the count is " + std::to_string(count), "Give a count that is not negative.");
    if (count > 0) static_cast<void>(at(handles, "requests"));
    list_->clear();
    list_->reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) list_->push_back(active_request(lib, handles[i]));
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests() { list_->clear(); }

  [[nodiscard]] std::size_t size() const { return list_->size(); }
  [[nodiscard]] auto begin() const { return list_->cbegin(); }
  [[nodiscard]] auto end() const { return list_->cend(); }
  [[nodiscard]] const RequestPointer& operator[](std::size_t index) const { return (*list_)[index]; }

  [[nodiscard]] bool all_done() {
    // What is complete stays so: the next look goes on where this one stopped.
    while (done_ < size() && ((*this)[done_] == nullptr || (*this)[done_]->complete)) ++done_;
    return done_ == size();
  }

 private:
  std::shared_ptr<std::vector<RequestPointer>> list_;
  std::size_t done_ = 0;  ///< the first ones, which are complete
};

/// What a set of requests waits for: the first one in words, the peers of all.
Waiting describe_all(const Requests& requests) {
  Waiting all;
  std::size_t more = 0;
  for (const RequestPointer& request : requests) {
    if (request == nullptr || request->complete) continue;
    Waiting one = describe(*request);
    if (all.text.empty()) {
      all.text = one.text;
    } else {
      ++more;
    }
    all.ranks.insert(all.ranks.end(), one.ranks.begin(), one.ranks.end());
  }
  if (more > 0) all.text += " and " + std::to_string(more) + " more";
  std::sort(all.ranks.begin(), all.ranks.end());
  all.ranks.erase(std::unique(all.ranks.begin(), all.ranks.end()), all.ranks.end());
  return all;
}

MPI_Status* status_of(MPI_Status* statuses, int index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

/// Hand over one complete request: its status, and its handle is null from now on, or the persistent request behind it
/// inactive. @param came counts the bytes that it has received. @return its error class.
int hand_over(Library& lib, const Request& request, MPI_Request& handle, MPI_Status* status, std::uint64_t& came) {
  int error = complete(request, status);
  if (request.kind == Request::Kind::Receive) came += request.message_bytes;
  if (request.peer == Request::kOther) came += request.extra->received_bytes();
  if (request.extra->persistent) {
    request.extra->active = false;
  } else {
    if (request.peer == Request::kOther) {
      const int released = request.extra->release();
      if (error == MPI_SUCCESS) error = released;
    }
    lib.requests.remove(number(handle));
    handle = MPI_REQUEST_NULL;
  }
  return error;
}

/// Hand over one complete request of a call that completes one.
void hand_over_one(Library& lib, const Request& request, MPI_Request& handle, MPI_Status* status) {
  std::uint64_t came = 0;
  const int error = hand_over(lib, request, handle, status, came);
  tidings_trace_bytes(came);
  if (error != MPI_SUCCESS) throw failure(request, error);
}

auto first_error(const std::vector<int>& errors) {
  return std::find_if(errors.begin(), errors.end(), [](int error) { return error != MPI_SUCCESS; });
}

/// Hand over complete requests of a call that completes several.
void hand_over_all(Library& lib, const Requests& requests, MPI_Request handles[], MPI_Status* statuses) {
  const Request* failed = nullptr;
  std::uint64_t came = 0;
  std::vector<int> errors;  // none unless a request has failed
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MPI_Status* const status = status_of(statuses, static_cast<int>(i));
    if (requests[i] == nullptr) {
      set_empty_status(status);
      continue;
    }
    const int error = hand_over(lib, *requests[i], handles[i], status, came);
    if (error == MPI_SUCCESS) continue;
    if (failed == nullptr) failed = &*requests[i];
    errors.resize(requests.size(), MPI_SUCCESS);
    errors[i] = error;
  }
  tidings_trace_bytes(came);
  if (failed == nullptr) return;
  if (statuses != MPI_STATUSES_IGNORE) {
    for (std::size_t i = 0; i < requests.size(); ++i) statuses[i].MPI_ERROR = errors[i];
  }
  const Error first = failure(*failed, *first_error(errors));
  throw Error(MPI_ERR_IN_STATUS, first.what(), first.remedy());
}

/// Index of a complete request; -1 where all are null, -2 where none is complete.
int any_done(const Requests& requests) {
  int answer = -1;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == nullptr) continue;
    if (requests[i]->complete) return static_cast<int>(i);
    answer = -2;
  }
  return answer;
}

/// Indices of the complete requests; MPI_UNDEFINED where all are null.
void hand_over_some(Library& lib, const Requests& requests, MPI_Request handles[], int* outcount, int indices[],
                    MPI_Status* statuses) {
  if (std::all_of(requests.begin(), requests.end(), [](const auto& r) { return r == nullptr; })) {
    *outcount = MPI_UNDEFINED;
    return;
  }
  int found = 0;
  std::uint64_t came = 0;
  const Request* failed = nullptr;
  std::vector<int> errors;  // none unless a request has failed
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == nullptr || !requests[i]->complete) continue;
    const int error = hand_over(lib, *requests[i], handles[i], status_of(statuses, found), came);
    indices[found++] = static_cast<int>(i);
    if (error == MPI_SUCCESS) continue;
    if (failed == nullptr) failed = &*requests[i];
    errors.resize(static_cast<std::size_t>(found), MPI_SUCCESS);
    errors.back() = error;
  }
  *outcount = found;
  tidings_trace_bytes(came);
  if (failed == nullptr) return;
  errors.resize(static_cast<std::size_t>(found), MPI_SUCCESS);
  if (statuses != MPI_STATUSES_IGNORE) {
    for (int i = 0; i < found; ++i) statuses[i].MPI_ERROR = errors[static_cast<std::size_t>(i)];
  }
  const Error first = failure(*failed, *first_error(errors));
  throw Error(MPI_ERR_IN_STATUS, first.what(), first.remedy());
}

}  // namespace

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  return serve("MPI_Wait", [&](Library& lib, Call& call) {
    const auto found = active_request(lib, at(request, "request"));
    if (found == nullptr) {
      set_empty_status(status);
      return;
    }
    call.begin();
    wait(lib, found);
    hand_over_one(lib, *found, *request, status);
  });
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return serve("MPI_Test", [&](Library& lib, Call& call) {
    at(flag, "flag") = 1;
    const auto found = active_request(lib, at(request, "request"));
    if (found == nullptr) {
      set_empty_status(status);
      return;
    }
    call.begin();
    if (!found->complete) lib.messages().poll();
    *flag = found->complete;
    if (found->complete) {
      hand_over_one(lib, *found, *request, status);
    } else {
      tidings_work(TIDINGS_WORK_POLL, 1);
    }
  });
}

int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses) {
  return serve("MPI_Waitall", [&](Library& lib, Call& call) {
    Requests requests(lib, count, array_of_requests);
    call.begin();
    lib.messages().wait([&] { return requests.all_done(); }, [&] { return describe_all(requests); });
    hand_over_all(lib, requests, array_of_requests, array_of_statuses);
  });
}

int PMPI_Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses) {
  return serve("MPI_Testall", [&](Library& lib, Call& call) {
    Requests requests(lib, count, array_of_requests);
    call.begin();
    if (!requests.all_done()) lib.messages().poll();
    *flag = requests.all_done();
    if (*flag != 0) {
      hand_over_all(lib, requests, array_of_requests, array_of_statuses);
    } else {
      tidings_work(TIDINGS_WORK_POLL, 1);
    }
  });
}

int PMPI_Waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  return serve("MPI_Waitany", [&](Library& lib, Call& call) {
    Requests requests(lib, count, array_of_requests);
    call.begin();
    tidings_work(TIDINGS_WORK_LOOK, requests.size());
    int index = -1;
    lib.messages().wait([&] { return (index = any_done(requests)) != -2; }, [&] { return describe_all(requests); });
    if (index < 0) {
      *indx = MPI_UNDEFINED;
      set_empty_status(status);
      return;
    }
    *indx = index;
    hand_over_one(lib, *requests[static_cast<std::size_t>(index)], array_of_requests[index], status);
  });
}

int PMPI_Testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  return serve("MPI_Testany", [&](Library& lib, Call& call) {
    Requests requests(lib, count, array_of_requests);
    call.begin();
    tidings_work(TIDINGS_WORK_LOOK, requests.size());
    if (any_done(requests) == -2) lib.messages().poll();
    const int index = any_done(requests);
    *flag = index != -2;
    *indx = MPI_UNDEFINED;
    if (index == -2) {
      tidings_work(TIDINGS_WORK_POLL, 1);
    } else if (index < 0) {
      set_empty_status(status);
    } else {
      *indx = index;
      hand_over_one(lib, *requests[static_cast<std::size_t>(index)], array_of_requests[index], status);
    }
  });
}

int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                  MPI_Status* array_of_statuses) {
  return serve("MPI_Waitsome", [&](Library& lib, Call& call) {
    const Requests requests(lib, incount, array_of_requests);
    call.begin();
    tidings_work(TIDINGS_WORK_LOOK, requests.size());
    lib.messages().wait([&] { return any_done(requests) != -2; }, [&] { return describe_all(requests); });
    hand_over_some(lib, requests, array_of_requests, outcount, array_of_indices, array_of_statuses);
  });
}

int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                  MPI_Status* array_of_statuses) {
  return serve("MPI_Testsome", [&](Library& lib, Call& call) {
    const Requests requests(lib, incount, array_of_requests);
    call.begin();
    tidings_work(TIDINGS_WORK_LOOK, requests.size());
    if (any_done(requests) == -2) lib.messages().poll();
    hand_over_some(lib, requests, array_of_requests, outcount, array_of_indices, array_of_statuses);
    if (*outcount == 0) tidings_work(TIDINGS_WORK_POLL, 1);
  });
}

int PMPI_Request_free(MPI_Request* request) {
  return serve("MPI_Request_free", [&](Library& lib, Call&) {
    const RequestPointer found = lib.request(at(request, "request"));
    // The message layer keeps the request until it is complete.
    const bool stays = found->peer == Request::kOther && found->extra != nullptr && found->extra->stays(*found);
    if (!stays) lib.requests.remove(number(*request));
    *request = MPI_REQUEST_NULL;
  });
}

int PMPI_Cancel(MPI_Request* request) {
  return serve("MPI_Cancel", [&](Library& lib, Call& call) {
    const auto found = active_request(lib, at(request, "request"));
    if (found == nullptr)
      throw Error(MPI_ERR_REQUEST, "the request is not active",
                  "Start it before, and cancel it before it has been waited for.");
    call.begin();
    if (found->peer == Request::kOther) {
      found->extra->cancel(found);
    } else if (!found->complete && found->kind == Request::Kind::Receive && lib.messages().withdraw(found)) {
      found->peer = Request::kCancelled;
      found->complete = true;
    }
    // A send cannot be cancelled: its message has left, or will.
  });
}

int PMPI_Status_set_cancelled(MPI_Status* status, int flag) {
  set_status_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}

int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  *flag = status_cancelled(*status);
  return MPI_SUCCESS;
}

// ---------------------------------------------------------------- looking without completing

namespace {

void look(Library& lib, const Requests& requests) {
  if (any_done(requests) == -2) lib.messages().poll();
}

}  // namespace

int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return serve("MPI_Request_get_status", [&](Library& lib, Call& call) {
    const auto found = active_request(lib, request);
    *flag = 1;
    if (found == nullptr) {
      set_empty_status(status);
      return;
    }
    call.begin();
    if (!found->complete) lib.messages().poll();
    *flag = found->complete;
    if (found->complete) {
      complete(*found, status);
    } else {
      tidings_work(TIDINGS_WORK_POLL, 1);
    }
  });
}

int PMPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag,
                                MPI_Status* array_of_statuses) {
  return serve("MPI_Request_get_status_all", [&](Library& lib, Call& call) {
    Requests requests(lib, count, array_of_requests);
    call.begin();
    if (!requests.all_done()) lib.messages().poll();
    *flag = requests.all_done();
    if (*flag == 0) {
      tidings_work(TIDINGS_WORK_POLL, 1);
      return;
    }
    for (int i = 0; i < count; ++i) {
      const RequestPointer& request = requests[static_cast<std::size_t>(i)];
      if (request == nullptr) {
        set_empty_status(status_of(array_of_statuses, i));
      } else {
        complete(*request, status_of(array_of_statuses, i));
      }
    }
  });
}

int PMPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int* indx, int* flag,
                                MPI_Status* status) {
  return serve("MPI_Request_get_status_any", [&](Library& lib, Call& call) {
    const Requests requests(lib, count, array_of_requests);
    call.begin();
    look(lib, requests);
    const int index = any_done(requests);
    *flag = index != -2;
    *indx = index < 0 ? static_cast<int>(MPI_UNDEFINED) : index;
    if (index == -2) {
      tidings_work(TIDINGS_WORK_POLL, 1);
    } else if (index == -1) {
      set_empty_status(status);
    } else {
      complete(*requests[static_cast<std::size_t>(index)], status);
    }
  });
}

int PMPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount,
                                 int array_of_indices[], MPI_Status* array_of_statuses) {
  return serve("MPI_Request_get_status_some", [&](Library& lib, Call& call) {
    const Requests requests(lib, incount, array_of_requests);
    call.begin();
    look(lib, requests);
    const int index = any_done(requests);
    *outcount = index == -1 ? static_cast<int>(MPI_UNDEFINED) : 0;
    if (index == -2) tidings_work(TIDINGS_WORK_POLL, 1);
    if (index < 0) return;
    for (int i = index; i < incount; ++i) {
      const RequestPointer& request = requests[static_cast<std::size_t>(i)];
      if (request == nullptr || !request->complete) continue;
      complete(*request, status_of(array_of_statuses, *outcount));
      array_of_indices[(*outcount)++] = i;
    }
  });
}
