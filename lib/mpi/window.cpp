// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file window.cpp
/// Windows: how they are made, accessed and synchronized.
#include "mpi/window.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "cost.h"
#include "mpi/attributes.h"
#include "mpi/communicators.h"
#include "mpi/error_handlers.h"
#include "mpi/messages.h"
#include "mpi/names.h"

using namespace tidings;

namespace {

HandleTable<Window>& windows() {
  static auto* const table = new HandleTable<Window>;
  return *table;
}

std::shared_ptr<Window> window_of(MPI_Win handle) {
  const auto& found = windows().find(number(handle));
  if (found == nullptr) {
    throw Error(MPI_ERR_WIN, handle == MPI_WIN_NULL ? "the window is MPI_WIN_NULL" : "invalid window");
  }
  return found;
}

/// As serve() for a window: its error handler is called for errors.
template <class Body>
int serve_window(const char* name, MPI_Win win, Body body) {
  std::shared_ptr<Window> window;
  int raised = MPI_SUCCESS;
  const int outer = serve(name, [&](Library& lib, Call& call) {
    window = window_of(win);
    try {
      body(lib, call, *window);
    } catch (const Error& error) {
      const std::shared_ptr<const ErrorHandler> handler = window->error_handler;
      raised = lib.raise(call, error, *handler, win);
    }
  });
  return outer == MPI_SUCCESS ? raised : outer;
}

// ---------------------------------------------------------------- making

void check_size(MPI_Aint size, MPI_Count unit) {
  if (size < 0) throw Error(MPI_ERR_SIZE, "the size is " + std::to_string(size));
  if (unit <= 0 || unit > std::numeric_limits<int>::max()) {
    throw Error(MPI_ERR_DISP, "the displacement unit is " + std::to_string(unit));
  }
}

constexpr const char* kLabel = "communicator % (from MPI_Win_create)";

MPI_Win hand_out(std::shared_ptr<Window> window, MPI_Info info) {
  if (info != MPI_INFO_NULL) window->hints = *library().info(info);
  return as_handle<MPI_Win>(windows().add(std::move(window)));
}

/// Whether accumulates may be atomic for each element alone: a program that says otherwise combines many at a time,
/// which the owner's library does in fewer steps (MPI 5.0, section 12.2.1).
bool elementwise(const Library& lib, MPI_Info info) {
  if (info == MPI_INFO_NULL) return true;
  const std::string* const granularity = lib.info(info)->find("mpi_accumulate_granularity");
  return granularity == nullptr || std::strtoull(granularity->c_str(), nullptr, 10) <= sizeof(std::int64_t);
}

int allocate_window(const char* name, MPI_Aint size, MPI_Count unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                    MPI_Win* win, int flavor) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    check_size(size, unit);
    if (flavor == MPI_WIN_FLAVOR_SHARED && lib.communicator(comm)->size() > 1) {
      throw Error(MPI_ERR_RMA_SHARED,
                  "each rank has a memory of its own: take a communicator of "
                  "MPI_Comm_split_type with MPI_COMM_TYPE_SHARED");
    }
    const auto bytes = static_cast<std::size_t>(size);
    WindowMemory memory = flavor == MPI_WIN_FLAVOR_ALLOCATE && lib.communicator(comm)->size() > 1
                              ? allocate_in_reach(lib, flavor, bytes, unit)
                              : allocate(flavor, bytes, unit);
    memory.elementwise = elementwise(lib, info);
    void* const base = memory.base;
    *win = hand_out(make_window(lib, call, Collective::WinCreate, kLabel, comm, std::move(memory)), info);
    std::memcpy(baseptr, &base, sizeof base);
  });
}

template <class Unit>
int shared_query(MPI_Win win, int rank, MPI_Aint* size, Unit* disp_unit, void* baseptr) {
  return serve_window("MPI_Win_shared_query", win, [&](Library&, Call&, Window& window) {
    if (window.flavor != MPI_WIN_FLAVOR_SHARED) {
      throw Error(MPI_ERR_RMA_FLAVOR, "the window is not one of MPI_Win_allocate_shared",
                  "Make it with MPI_Win_allocate_shared.");
    }
    if (rank != MPI_PROC_NULL && rank != 0) {
      throw Error(MPI_ERR_RANK, "rank " + std::to_string(rank) + " is not in the window");
    }
    const Window::Part& part = window.part(0);
    *size = part.bytes;
    *disp_unit = static_cast<Unit>(part.unit);
    void* const base = window.base();
    std::memcpy(baseptr, &base, sizeof base);
  });
}

// ---------------------------------------------------------------- accesses

/// Arguments of one side of an access.
struct Side {
  const void* address;
  MPI_Count count;
  MPI_Datatype type;
};
/// Those of the target.
struct TargetArguments {
  int rank;
  MPI_Aint displacement;
  MPI_Count count;
  MPI_Datatype type;
};

/// MPI_BOTTOM is an address too: a datatype may hold absolute ones.
Buffer side(const Library& lib, const Side& arguments) {
  if (arguments.count < 0) throw Error(MPI_ERR_COUNT, "the count is " + std::to_string(arguments.count));
  return {const_cast<void*>(arguments.address), static_cast<std::size_t>(arguments.count),
          lib.committed_type(arguments.type).get()};
}

TargetElements elements(const Library& lib, const TargetArguments& arguments) {
  if (arguments.count < 0) throw Error(MPI_ERR_COUNT, "the count is " + std::to_string(arguments.count));
  return {arguments.rank, arguments.displacement, static_cast<std::size_t>(arguments.count),
          lib.committed_type(arguments.type).get()};
}

const Operation& predefined_operation(const Library& lib, MPI_Op op) {
  const Operation& operation = *lib.operation(op);
  if (!operation.predefined())
    throw Error(MPI_ERR_OP, "accumulates take predefined operations only", "Give one such as MPI_SUM.");
  return operation;
}

void check_equal_sizes(const Buffer& origin, const TargetElements& target) {
  if (origin.bytes() == target.count * target.type->size()) return;
  throw Error(MPI_ERR_TRUNCATE,
              "the origin describes " + std::to_string(origin.bytes()) + " bytes of data and the target " +
                  std::to_string(target.count * target.type->size()),
              "Give both the same number of bytes.");
}

/// An access. @param start makes it and returns what must be waited for.
/// @param request null unless the program waits for this access by itself.
template <class Start>
int access(const char* name, MPI_Win win, const TargetArguments& target, MPI_Request* request, Start start) {
  return serve_window(name, win, [&](Library& lib, Call& call, Window& window) {
    std::shared_ptr<Window::Access> made;
    if (target.rank != MPI_PROC_NULL) {
      const TargetElements there = elements(lib, target);
      window.check_access(there);
      call.begin(there.count * there.type->size());
      made = start(lib, window, there);
    }
    if (request == nullptr) return;
    auto whole = RequestPointer::make();
    attach(lib.messages(),
           std::make_shared<Composite>(whole, made == nullptr ? std::vector<RequestPointer>{} : made->parts));
    *request = hand_out(lib, std::make_unique<RequestExtra>(), std::move(whole));
  });
}

int put(const char* name, const Side& origin, const TargetArguments& target, MPI_Win win, MPI_Request* request) {
  return access(name, win, target, request, [&](Library& lib, Window& window, const TargetElements& there) {
    const Buffer from = side(lib, origin);
    check_equal_sizes(from, there);
    auto made = window.put(from, there);
    made->origin_type = lib.type(origin.type);
    return made;
  });
}

int get(const char* name, const Side& origin, const TargetArguments& target, MPI_Win win, MPI_Request* request) {
  return access(name, win, target, request, [&](Library& lib, Window& window, const TargetElements& there) {
    const Buffer to = side(lib, origin);
    check_equal_sizes(to, there);
    auto made = window.get(to, there);
    made->origin_type = lib.type(origin.type);
    return made;
  });
}

int accumulate(const char* name, const Side& origin, const TargetArguments& target, MPI_Op op, MPI_Win win,
               MPI_Request* request) {
  return access(name, win, target, request, [&](Library& lib, Window& window, const TargetElements& there) {
    const Buffer from = side(lib, origin);
    check_equal_sizes(from, there);
    auto made = window.accumulate(from, there, predefined_operation(lib, op));
    made->origin_type = lib.type(origin.type);
    return made;
  });
}

int get_accumulate(const char* name, const Side& origin, const Side& result, const TargetArguments& target, MPI_Op op,
                   MPI_Win win, MPI_Request* request) {
  return access(name, win, target, request, [&](Library& lib, Window& window, const TargetElements& there) {
    const Operation& operation = predefined_operation(lib, op);
    const Buffer to = side(lib, result);
    check_equal_sizes(to, there);
    Buffer from;
    if (operation.combine() != Combine::NoOp) {
      from = side(lib, origin);
      check_equal_sizes(from, there);
    }
    auto made = window.get_accumulate(from, to, there, operation);
    if (from.type != nullptr) made->origin_type = lib.type(origin.type);
    made->result_type = lib.type(result.type);
    return made;
  });
}

void check_assertion(int assertion) {
  constexpr int kKnown = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  if ((assertion & ~kKnown) != 0) throw Error(MPI_ERR_ASSERT, "the assertion is " + std::to_string(assertion));
}

}  // namespace

int PMPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return serve("MPI_Win_create", comm, [&](Library& lib, Call& call) {
    check_size(size, disp_unit);
    WindowMemory memory{MPI_WIN_FLAVOR_CREATE, base, size, disp_unit, nullptr, true, elementwise(lib, info)};
    *win = hand_out(make_window(lib, call, Collective::WinCreate, kLabel, comm, std::move(memory)), info);
  });
}

int PMPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return PMPI_Win_create_c(base, size, disp_unit, info, comm, win);
}

int PMPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return allocate_window("MPI_Win_allocate", size, disp_unit, info, comm, baseptr, win, MPI_WIN_FLAVOR_ALLOCATE);
}

int PMPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return PMPI_Win_allocate_c(size, disp_unit, info, comm, baseptr, win);
}

int PMPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                               MPI_Win* win) {
  return allocate_window("MPI_Win_allocate_shared", size, disp_unit, info, comm, baseptr, win, MPI_WIN_FLAVOR_SHARED);
}

int PMPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return PMPI_Win_allocate_shared_c(size, disp_unit, info, comm, baseptr, win);
}

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return serve("MPI_Win_create_dynamic", comm, [&](Library& lib, Call& call) {
    WindowMemory memory{MPI_WIN_FLAVOR_DYNAMIC, nullptr, 0, 1, nullptr};
    *win = hand_out(make_window(lib, call, Collective::WinCreate, kLabel, comm, std::move(memory)), info);
  });
}

int PMPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  return serve_window("MPI_Win_attach", win, [&](Library&, Call&, Window& window) {
    if (size < 0) throw Error(MPI_ERR_SIZE, "the size is " + std::to_string(size));
    if (window.flavor != MPI_WIN_FLAVOR_DYNAMIC)
      throw Error(MPI_ERR_RMA_FLAVOR, "the window is not a dynamic one", "Make it with MPI_Win_create_dynamic.");
    window.attach_memory(base, size);
  });
}

int PMPI_Win_detach(MPI_Win win, const void* base) {
  return serve_window("MPI_Win_detach", win, [&](Library&, Call&, Window& window) { window.detach_memory(base); });
}

int PMPI_Win_free(MPI_Win* win) {
  return serve_window("MPI_Win_free", *win, [&](Library&, Call& call, Window& window) {
    delete_attributes(*win, window.attributes);
    window.close(call);
    windows().remove(number(*win));
    *win = MPI_WIN_NULL;
  });
}

int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr) {
  return shared_query(win, rank, size, disp_unit, baseptr);
}

int PMPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit, void* baseptr) {
  return shared_query(win, rank, size, disp_unit, baseptr);
}

// ---------------------------------------------------------------- what a window has

int PMPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  return serve_window("MPI_Win_get_group", win, [&](Library& lib, Call&, Window& window) {
    *group = as_handle<MPI_Group>(lib.groups.add(window.communicator().group()));
  });
}

int PMPI_Win_set_name(MPI_Win win, const char* win_name) {
  return serve_window("MPI_Win_set_name", win,
                      [&](Library&, Call&, Window& window) { window.title = checked_name(win_name); });
}

int PMPI_Win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  if (win == MPI_WIN_NULL) {
    get_name("MPI_WIN_NULL", win_name, resultlen);
    return MPI_SUCCESS;
  }
  return serve_window("MPI_Win_get_name", win, [&](Library&, Call&, Window& window) {
    get_name(window.title.value_or(""), win_name, resultlen);
  });
}

int PMPI_Win_set_info(MPI_Win win, MPI_Info info) {
  return serve_window("MPI_Win_set_info", win,
                      [&](Library& lib, Call&, Window& window) { window.hints = *lib.info(info); });
}

int PMPI_Win_get_info(MPI_Win win, MPI_Info* info_used) {
  return serve_window("MPI_Win_get_info", win, [&](Library& lib, Call&, Window& window) {
    *info_used = as_handle<MPI_Info>(lib.infos.add(std::make_shared<Info>(window.hints)));
  });
}

int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void* attribute_val) {
  return serve_window("MPI_Win_set_attr", win, [&](Library& lib, Call&, Window& window) {
    set_attribute(lib, win, window.attributes, win_keyval, attribute_val);
  });
}

int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
  return serve_window("MPI_Win_get_attr", win, [&](Library&, Call&, Window& window) {
    // All but the base are pointers to what the window keeps.
    static int model = MPI_WIN_UNIFIED;
    Window::Part& own = window.part(window.rank());
    void* value = nullptr;
    switch (win_keyval) {
      case MPI_WIN_BASE:
        value = window.base();
        break;
      case MPI_WIN_SIZE:
        value = &own.bytes;
        break;
      case MPI_WIN_DISP_UNIT:
        value = &own.unit;
        break;
      case MPI_WIN_CREATE_FLAVOR:
        value = &window.flavor;
        break;
      case MPI_WIN_MODEL:
        value = &model;
        break;
      default:
        get_attribute(Object::Window, window.attributes, win_keyval, attribute_val, flag);
        return;
    }
    std::memcpy(attribute_val, &value, sizeof value);
    *flag = 1;
  });
}

int PMPI_Win_delete_attr(MPI_Win win, int win_keyval) {
  return serve_window("MPI_Win_delete_attr", win,
                      [&](Library&, Call&, Window& window) { delete_attribute(win, window.attributes, win_keyval); });
}

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
  return serve_window("MPI_Win_set_errhandler", win, [&](Library& lib, Call&, Window& window) {
    window.error_handler = handler_for(lib, Object::Window, errhandler);
  });
}

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) {
  return serve_window("MPI_Win_get_errhandler", win,
                      [&](Library& lib, Call&, Window& window) { *errhandler = hand_out(lib, window.error_handler); });
}

int PMPI_Win_call_errhandler(MPI_Win win, int errorcode) {
  return serve("MPI_Win_call_errhandler", [&](Library& lib, Call& call) {
    const std::shared_ptr<const ErrorHandler> handler = window_of(win)->error_handler;
    lib.raise(call, Error(errorcode, error_class_text(errorcode), ""), *handler, win);
  });
}

// ---------------------------------------------------------------- accesses

int PMPI_Put_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return put("MPI_Put", {origin_addr, origin_count, origin_datatype},
             {target_rank, target_disp, target_count, target_datatype}, win, nullptr);
}

int PMPI_Rput_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
                MPI_Request* request) {
  return put("MPI_Rput", {origin_addr, origin_count, origin_datatype},
             {target_rank, target_disp, target_count, target_datatype}, win, request);
}

int PMPI_Get_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return get("MPI_Get", {origin_addr, origin_count, origin_datatype},
             {target_rank, target_disp, target_count, target_datatype}, win, nullptr);
}

int PMPI_Rget_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
                MPI_Request* request) {
  return get("MPI_Rget", {origin_addr, origin_count, origin_datatype},
             {target_rank, target_disp, target_count, target_datatype}, win, request);
}

int PMPI_Accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                      MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                      MPI_Win win) {
  return accumulate("MPI_Accumulate", {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, op, win, nullptr);
}

int PMPI_Raccumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                       MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                       MPI_Win win, MPI_Request* request) {
  return accumulate("MPI_Raccumulate", {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, op, win, request);
}

int PMPI_Get_accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                          void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                          MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                          MPI_Win win) {
  return get_accumulate("MPI_Get_accumulate", {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {target_rank, target_disp, target_count, target_datatype}, op, win, nullptr);
}

int PMPI_Rget_accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                           void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                           MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                           MPI_Win win, MPI_Request* request) {
  return get_accumulate("MPI_Rget_accumulate", {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {target_rank, target_disp, target_count, target_datatype}, op, win, request);
}

int PMPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                      MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  return get_accumulate("MPI_Fetch_and_op", {origin_addr, 1, datatype}, {result_addr, 1, datatype},
                        {target_rank, target_disp, 1, datatype}, op, win, nullptr);
}

int PMPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype datatype,
                          int target_rank, MPI_Aint target_disp, MPI_Win win) {
  return access("MPI_Compare_and_swap", win, {target_rank, target_disp, 1, datatype}, nullptr,
                [&](Library& lib, Window& window, const TargetElements& there) {
                  if (!there.type->predefined())
                    throw Error(MPI_ERR_TYPE, "the datatype is not a predefined one", "Give a predefined datatype.");
                  return window.compare_and_swap(side(lib, {origin_addr, 1, datatype}), compare_addr,
                                                 side(lib, {result_addr, 1, datatype}), there);
                });
}

// ---------------------------------------------------------------- synchronization

int PMPI_Win_fence(int assert, MPI_Win win) {
  return serve_window("MPI_Win_fence", win, [&](Library&, Call& call, Window& window) {
    check_assertion(assert);
    window.fence(call, assert);
  });
}

int PMPI_Win_post(MPI_Group group, int assert, MPI_Win win) {
  return serve_window("MPI_Win_post", win, [&](Library& lib, Call& call, Window& window) {
    check_assertion(assert);
    call.begin();
    window.post(*lib.group(group));
  });
}

int PMPI_Win_start(MPI_Group group, int assert, MPI_Win win) {
  return serve_window("MPI_Win_start", win, [&](Library& lib, Call& call, Window& window) {
    check_assertion(assert);
    call.begin();
    window.start(*lib.group(group));
  });
}

int PMPI_Win_complete(MPI_Win win) {
  return serve_window("MPI_Win_complete", win, [&](Library&, Call& call, Window& window) {
    call.begin();
    window.complete();
  });
}

int PMPI_Win_wait(MPI_Win win) {
  return serve_window("MPI_Win_wait", win, [&](Library&, Call& call, Window& window) {
    call.begin();
    window.finish_exposure(true);
  });
}

int PMPI_Win_test(MPI_Win win, int* flag) {
  return serve_window("MPI_Win_test", win, [&](Library&, Call& call, Window& window) {
    call.begin();
    *flag = window.finish_exposure(false);
    if (*flag == 0) tidings_work(TIDINGS_WORK_POLL, 1);
  });
}

int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  return serve_window("MPI_Win_lock", win, [&](Library&, Call& call, Window& window) {
    check_assertion(assert);
    if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED) {
      throw Error(MPI_ERR_LOCKTYPE, "the type of the lock is " + std::to_string(lock_type));
    }
    call.begin();
    if (rank == MPI_PROC_NULL) return;
    window.lock(rank, lock_type == MPI_LOCK_EXCLUSIVE, (assert& MPI_MODE_NOCHECK) == 0);
  });
}

int PMPI_Win_lock_all(int assert, MPI_Win win) {
  return serve_window("MPI_Win_lock_all", win, [&](Library&, Call& call, Window& window) {
    check_assertion(assert);
    call.begin();
    window.lock_all((assert& MPI_MODE_NOCHECK) == 0);
  });
}

int PMPI_Win_unlock(int rank, MPI_Win win) {
  return serve_window("MPI_Win_unlock", win, [&](Library&, Call& call, Window& window) {
    call.begin();
    if (rank != MPI_PROC_NULL) window.unlock(rank);
  });
}

int PMPI_Win_unlock_all(MPI_Win win) {
  return serve_window("MPI_Win_unlock_all", win, [&](Library&, Call& call, Window& window) {
    call.begin();
    window.unlock_all();
  });
}

int PMPI_Win_flush(int rank, MPI_Win win) {
  return serve_window("MPI_Win_flush", win, [&](Library&, Call& call, Window& window) {
    if (rank == MPI_PROC_NULL) return;
    window.check_locked(rank);
    call.begin();
    window.flush(rank);
  });
}

int PMPI_Win_flush_all(MPI_Win win) {
  return serve_window("MPI_Win_flush_all", win, [&](Library&, Call& call, Window& window) {
    window.check_locked(-1);
    call.begin();
    window.flush_all();
  });
}

int PMPI_Win_flush_local(int rank, MPI_Win win) {
  return serve_window("MPI_Win_flush_local", win, [&](Library&, Call& call, Window& window) {
    if (rank == MPI_PROC_NULL) return;
    window.check_locked(rank);
    call.begin();
    window.flush_local(rank);
  });
}

int PMPI_Win_flush_local_all(MPI_Win win) {
  return serve_window("MPI_Win_flush_local_all", win, [&](Library&, Call& call, Window& window) {
    window.check_locked(-1);
    call.begin();
    window.flush_local(-1);
  });
}

int PMPI_Win_sync(MPI_Win win) {
  return serve_window("MPI_Win_sync", win, [&](Library& lib, Call& call, Window&) {
    call.begin();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    // A program that waits for what others write calls this again and again: time passes, and messages move.
    lib.messages().poll();
    tidings_work(TIDINGS_WORK_POLL, 1);
  });
}
