// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file by_hand.cpp
/// Functions whose arguments mean more than their types say: callbacks, attributes, buffers, contents of datatypes; and
/// those that MPICH has beside the standard ABI.
///
/// As the generated wrappers, this file is compiled twice, for MPI_X and for PMPI_X.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/kept.h"
#include "mpich_abi/convert.h"

using namespace tidings::mpich;

#ifndef TIDINGS_PROFILING

namespace tidings::mpich {

int partners(int comm) {
  const MPI_Comm handle = Of<MPI_Comm>::to_abi(comm);
  int inter = 0;
  int size = 0;
  TIDINGS_C(MPI_Comm_test_inter)(handle, &inter);
  if (inter != 0) {
    TIDINGS_C(MPI_Comm_remote_size)(handle, &size);
  } else {
    TIDINGS_C(MPI_Comm_size)(handle, &size);
  }
  return size;
}

Neighbours neighbours(int comm) {
  const MPI_Comm handle = Of<MPI_Comm>::to_abi(comm);
  Neighbours found;
  int topology = MPI_UNDEFINED;
  TIDINGS_C(MPI_Topo_test)(handle, &topology);
  if (topology == MPI_CART) {
    int dimensions = 0;
    TIDINGS_C(MPI_Cartdim_get)(handle, &dimensions);
    found.sources = found.destinations = 2 * dimensions;
  } else if (topology == MPI_GRAPH) {
    int rank = 0;
    TIDINGS_C(MPI_Comm_rank)(handle, &rank);
    TIDINGS_C(MPI_Graph_neighbors_count)(handle, rank, &found.sources);
    found.destinations = found.sources;
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    TIDINGS_C(MPI_Dist_graph_neighbors_count)(handle, &found.sources, &found.destinations, &weighted);
  }
  return found;
}

constinit thread_local LastMade last_made{};
constinit thread_local bool handled_in_cpp = false;
constinit std::array<MPI_Errhandler, 3> throwing_errhandlers{};

int left_out(const char* function) {
  std::fprintf(stderr, "tidings: %s is MPICH's own, beside the standard: it is left out\n", function);
  return ended(TIDINGS_C(MPI_Comm_call_errhandler)(MPI_COMM_WORLD, MPI_ERR_UNSUPPORTED_OPERATION) == MPI_SUCCESS
                   ? MPI_ERR_UNSUPPORTED_OPERATION
                   : MPI_ERR_OTHER);
}

}  // namespace tidings::mpich

#endif

namespace {

template <class State>
void destroy(void* state) {
  delete static_cast<State*>(state);
}

// ---------------------------------------------------------------- reduction operations

/// @tparam Count of the elements, as the program's function has it
template <class Count>
struct Operation {
  void (*function)(void* in, void* inout, Count* count, int* datatype);
  Proxy proxy = nullptr;  ///< if the function is in C++
};
using OperationProxy = void (*)(const void* in, void* inout, int count, int datatype, Proxy function);

template <class Count>
void reduce(void* in, void* inout, MPI_Count count, MPI_Datatype datatype, void* state) {
  auto elements = static_cast<Count>(count);
  int type = Of<MPI_Datatype>::to_mpich(datatype);
  const auto* const known = static_cast<const Operation<Count>*>(state);
  if (known->proxy == nullptr) return known->function(in, inout, &elements, &type);
  reinterpret_cast<OperationProxy>(known->proxy)(in, inout, static_cast<int>(count), type,
                                                 reinterpret_cast<Proxy>(known->function));
}

template <class Count>
int create_operation(decltype(Operation<Count>::function) function, int commute, int* op) {
  HandleOf<MPI_Op> made;
  auto state = std::make_unique<Operation<Count>>(Operation<Count>{function});
  const int result = TIDINGS_C(MPIX_Op_create_x)(function == nullptr ? nullptr : reduce<Count>,
                                                 destroy<Operation<Count>>, commute, state.get(), made);
  if (result == MPI_SUCCESS) {
    made.to(op);
    last_made = {*op, &state.release()->proxy, nullptr};
  }
  return ended(result);
}

// ---------------------------------------------------------------- error handlers

template <class Handle>
struct Handler {
  using Number = typename Of<Handle>::Number;
  void (*function)(Number* object, int* code, ...);
  Proxy proxy = nullptr;  ///< if the function is in C++
};
using HandlerProxy = void (*)(int kind, void* object, int* code, Proxy function);
template <class Handle>
constexpr int kind_of = std::is_same_v<Handle, MPI_File>  ? 1
                        : std::is_same_v<Handle, MPI_Win> ? 2
                                                          : 0;

template <class Handle>
void handle_error(Handle object, int code, void* state) {
  auto number = Of<Handle>::to_mpich(object);
  int error = code_to_mpich(code);
  const auto* const known = static_cast<const Handler<Handle>*>(state);
  if (known->proxy == nullptr) return known->function(&number, &error);
  reinterpret_cast<HandlerProxy>(known->proxy)(kind_of<Handle>, &number, &error,
                                               reinterpret_cast<Proxy>(known->function));
  handled_in_cpp = true;
}

template <class Handle, class Create>
int create_handler(Create create, decltype(Handler<Handle>::function) function, int* errhandler) {
  HandleOf<MPI_Errhandler> made;
  auto state = std::make_unique<Handler<Handle>>(Handler<Handle>{function});
  const int result =
      create(function == nullptr ? nullptr : handle_error<Handle>, destroy<Handler<Handle>>, state.get(), made);
  if (result == MPI_SUCCESS) {
    made.to(errhandler);
    last_made = {*errhandler, &state.release()->proxy, nullptr};
  }
  return ended(result);
}

// ---------------------------------------------------------------- attributes

template <class Handle>
struct Keyval {
  using Copy = int (*)(int object, int keyval, void* extra_state, void* in, void* out, int* flag);
  using Delete = int (*)(int object, int keyval, void* value, void* extra_state);
  Copy copy;
  Delete remove;
  void* extra_state;
  Proxy copy_proxy = nullptr;  ///< if the functions are in C++
  Proxy remove_proxy = nullptr;
};
/// How an attribute was set: by C, as a pointer.
constexpr int attribute_is_pointer = 0;
using CopyProxy = int (*)(Proxy function, int object, int keyval, void* extra_state, int type, void* in, void** out,
                          int* flag);
using DeleteProxy = int (*)(Proxy function, int object, int keyval, int type, void* value, void* extra_state);

template <class Handle>
int copy_attribute(Handle object, int keyval, void* state, void* in, void* out, int* flag) {
  const auto* const known = static_cast<const Keyval<Handle>*>(state);
  const int number = Of<Handle>::to_mpich(object);
  if (known->copy_proxy == nullptr) {
    return code_to_abi(known->copy(number, keyval, known->extra_state, in, out, flag));
  }
  return code_to_abi(reinterpret_cast<CopyProxy>(known->copy_proxy)(reinterpret_cast<Proxy>(known->copy), number,
                                                                    keyval, known->extra_state, attribute_is_pointer,
                                                                    in, static_cast<void**>(out), flag));
}

template <class Handle>
int delete_attribute(Handle object, int keyval, void* value, void* state) {
  const auto* const known = static_cast<const Keyval<Handle>*>(state);
  const int number = Of<Handle>::to_mpich(object);
  if (known->remove_proxy == nullptr) return code_to_abi(known->remove(number, keyval, value, known->extra_state));
  return code_to_abi(reinterpret_cast<DeleteProxy>(known->remove_proxy)(
      reinterpret_cast<Proxy>(known->remove), number, keyval, attribute_is_pointer, value, known->extra_state));
}

/// Make a keyval. The callbacks are kept until the process ends: attributes may outlive their keyval.
template <class Handle, class Create>
int create_keyval(Create create, typename Keyval<Handle>::Copy copy, typename Keyval<Handle>::Delete remove,
                  int* keyval, void* extra_state) {
  auto* const state = tidings::keep(Keyval<Handle>{copy, remove, extra_state});
  const int result = create(copy == nullptr ? nullptr : copy_attribute<Handle>,
                            remove == nullptr ? nullptr : delete_attribute<Handle>, keyval, state);
  if (result == MPI_SUCCESS) {
    *keyval = keyval_to_mpich(*keyval);
    last_made = {*keyval, &state->copy_proxy, &state->remove_proxy};
  }
  return ended(result);
}

/// An integer of the library's that an attribute points to, as MPICH's. It is there as long as the process.
int* kept(int value) {
  static std::mutex mutex;
  static auto* const values = new std::map<int, int>;
  const std::scoped_lock lock(mutex);
  return &values->try_emplace(value, value).first->second;
}

/// @param value where a pointer has been put
void convert_attribute(int keyval, void* value) {
  auto& held = *static_cast<int**>(value);
  switch (keyval) {
    case MPI_IO:
    case MPI_HOST:
      held = kept(rank_to_mpich(*held));
      break;
    case MPI_LASTUSEDCODE:
      held = kept(code_to_mpich(*held));
      break;
    case MPI_WIN_CREATE_FLAVOR:
      held = kept(flavor_to_mpich(*held));
      break;
    case MPI_WIN_MODEL:
      held = kept(model_to_mpich(*held));
      break;
    default:  // the same in both: attributes of the program, numbers, sizes and addresses
      break;
  }
}

template <class Handle, class Get>
int get_attribute(Get get, int object, int keyval, void* value, int* flag) {
  const int known = keyval_to_abi(keyval);
  const int result = get(Of<Handle>::to_abi(object), known, value, flag);
  if (result == MPI_SUCCESS && *flag != 0) convert_attribute(known, value);
  return ended(result);
}

}  // namespace

TIDINGS_FACE(int, MPI_Op_create, decltype(Operation<int>::function) user_fn, int commute, int* op) {
  const Entry entry(__builtin_return_address(0));
  return create_operation<int>(user_fn, commute, op);
}
TIDINGS_FACE(int, MPI_Op_create_c, decltype(Operation<MPI_Count>::function) user_fn, int commute, int* op) {
  const Entry entry(__builtin_return_address(0));
  return create_operation<MPI_Count>(user_fn, commute, op);
}

#define TIDINGS_HANDLER(name, Handle)                                                                         \
  TIDINGS_FACE(int, MPI_##name##_create_errhandler, decltype(Handler<Handle>::function) f, int* errhandler) { \
    const Entry entry(__builtin_return_address(0));                                                           \
    return create_handler<Handle>(TIDINGS_C(MPIX_##name##_create_errhandler_x), f, errhandler);               \
  }
TIDINGS_HANDLER(Comm, MPI_Comm)
TIDINGS_HANDLER(File, MPI_File)
TIDINGS_HANDLER(Session, MPI_Session)
TIDINGS_HANDLER(Win, MPI_Win)

namespace {

template <class Handle>
void let_return(Handle /*object*/, int /*code*/, void* /*state*/) {}

/// An error handler that a program sets.
template <class Handle, class Create>
MPI_Errhandler handler_to_abi(Create create, int errhandler) {
  auto& throwing = throwing_errhandlers[kind_of<Handle>];
  if (errhandler != throwing_errhandler) return Of<MPI_Errhandler>::to_abi(errhandler);
  static const int made = create(let_return<Handle>, nullptr, nullptr, &throwing);
  return made == MPI_SUCCESS ? throwing : MPI_ERRORS_RETURN;
}

/// Give an error handler that the library has found. MPICH's own needs no free.
int give_handler(int result, HandleOf<MPI_Errhandler>& found, int* errhandler) {
  if (result == MPI_SUCCESS) {
    found.to(errhandler);
    if (*errhandler == throwing_errhandler) TIDINGS_C(MPI_Errhandler_free)(found);
  }
  return ended(result);
}

}  // namespace

// What looks for mistakes does not see the handlers that stand for MPICH's: they are never freed.
#define TIDINGS_SET_HANDLER(name, Handle)                                                                              \
  TIDINGS_FACE(int, MPI_##name##_set_errhandler, Of<Handle>::Number object, int errhandler) {                          \
    const Entry entry(__builtin_return_address(0));                                                                    \
    const auto create = reinterpret_cast<decltype(&MPIX_##name##_create_errhandler_x)>(                                \
        library().profiling[static_cast<std::size_t>(Function::MPIX_##name##_create_errhandler_x)]);                   \
    return ended(TIDINGS_C(MPI_##name##_set_errhandler)(Of<Handle>::to_abi(object),                                    \
                                                        handler_to_abi<Handle>(create, errhandler)));                  \
  }                                                                                                                    \
  TIDINGS_FACE(int, MPI_##name##_get_errhandler, Of<Handle>::Number object, int* errhandler) {                         \
    const Entry entry(__builtin_return_address(0));                                                                    \
    HandleOf<MPI_Errhandler> found;                                                                                    \
    return give_handler(TIDINGS_C(MPI_##name##_get_errhandler)(Of<Handle>::to_abi(object), found), found, errhandler); \
  }
TIDINGS_SET_HANDLER(Comm, MPI_Comm)
TIDINGS_SET_HANDLER(File, MPI_File)
TIDINGS_SET_HANDLER(Win, MPI_Win)

TIDINGS_FACE(int, MPI_Errhandler_free, int* errhandler) {
  const Entry entry(__builtin_return_address(0));
  if (*errhandler == throwing_errhandler) {
    *errhandler = Of<MPI_Errhandler>::to_mpich(MPI_ERRHANDLER_NULL);
    return 0;
  }
  HandleOf<MPI_Errhandler> used(errhandler);
  const int result = TIDINGS_C(MPI_Errhandler_free)(used);
  used.to(errhandler);
  return ended(result);
}

#define TIDINGS_ATTRIBUTES(name, Handle)                                                                               \
  TIDINGS_FACE(int, MPI_##name##_create_keyval, Keyval<Handle>::Copy copy, Keyval<Handle>::Delete remove, int* keyval, \
               void* extra_state) {                                                                                    \
    const Entry entry(__builtin_return_address(0));                                                                    \
    return create_keyval<Handle>(TIDINGS_C(MPI_##name##_create_keyval), copy, remove, keyval, extra_state);            \
  }                                                                                                                    \
  TIDINGS_FACE(int, MPI_##name##_get_attr, int object, int keyval, void* value, int* flag) {                           \
    const Entry entry(__builtin_return_address(0));                                                                    \
    return get_attribute<Handle>(TIDINGS_C(MPI_##name##_get_attr), object, keyval, value, flag);                       \
  }
TIDINGS_ATTRIBUTES(Comm, MPI_Comm)
TIDINGS_ATTRIBUTES(Type, MPI_Datatype)
TIDINGS_ATTRIBUTES(Win, MPI_Win)

TIDINGS_FACE(int, MPI_Keyval_create, Keyval<MPI_Comm>::Copy copy, Keyval<MPI_Comm>::Delete remove, int* keyval,
             void* extra_state) {
  const Entry entry(__builtin_return_address(0));
  return create_keyval<MPI_Comm>(TIDINGS_C(MPI_Keyval_create), copy, remove, keyval, extra_state);
}
TIDINGS_FACE(int, MPI_Attr_get, int comm, int keyval, void* value, int* flag) {
  return get_attribute<MPI_Comm>(TIDINGS_C(MPI_Attr_get), comm, keyval, value, flag);
}

#ifndef TIDINGS_PROFILING
// What MPICH's library for C++ calls right after it has made something with callbacks in C++.
TIDINGS_EXPORT void MPII_Op_set_cxx(int op, Proxy proxy) {
  if (last_made.number == op) *last_made.first = proxy;
}
TIDINGS_EXPORT void MPII_Errhandler_set_cxx(int errhandler, Proxy proxy) {
  if (last_made.number == errhandler) *last_made.first = proxy;
}
TIDINGS_EXPORT void MPII_Keyval_set_proxy(int keyval, Proxy copy, Proxy remove) {
  if (last_made.number != keyval) return;
  *last_made.first = copy;
  *last_made.second = remove;
}

/// The function that copies an attribute as it is: MPICH has one, the standard ABI a constant.
TIDINGS_EXPORT int MPIR_Dup_fn(int /*object*/, int /*keyval*/, void* /*extra_state*/, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return 0;
}
#endif

// ---------------------------------------------------------------- generalized requests

namespace {

struct Grequest {
  int (*query)(void* extra_state, Status* status);
  int (*free)(void* extra_state);
  int (*cancel)(void* extra_state, int complete);
  void* extra_state;
};

int query_request(void* state, MPI_Status* status) {
  const auto* const known = static_cast<const Grequest*>(state);
  Status mpich{0, 0, rank_to_mpich(MPI_ANY_SOURCE), tag_to_mpich(MPI_ANY_TAG), 0};
  const MPI_Status before = status_to_abi(mpich);
  change_status(mpich, before, *status);
  const int result = known->query(known->extra_state, &mpich);
  *status = status_to_abi(mpich);
  return code_to_abi(result);
}

/// The last of the three to be called.
int free_request(void* state) {
  const std::unique_ptr<const Grequest> known(static_cast<const Grequest*>(state));
  return known->free == nullptr ? MPI_SUCCESS : code_to_abi(known->free(known->extra_state));
}

int cancel_request(void* state, int complete) {
  const auto* const known = static_cast<const Grequest*>(state);
  return code_to_abi(known->cancel(known->extra_state, complete));
}

}  // namespace

TIDINGS_FACE(int, MPI_Grequest_start, decltype(Grequest::query) query, decltype(Grequest::free) free,
             decltype(Grequest::cancel) cancel, void* extra_state, int* request) {
  const Entry entry(__builtin_return_address(0));
  auto state = std::make_unique<Grequest>(Grequest{query, free, cancel, extra_state});
  HandleOf<MPI_Request> made;
  const int result = TIDINGS_C(MPI_Grequest_start)(query == nullptr ? nullptr : query_request, free_request,
                                                   cancel == nullptr ? nullptr : cancel_request, state.get(), made);
  if (result == MPI_SUCCESS) {
    static_cast<void>(state.release());
    made.to(request);
  }
  return ended(result);
}

// ---------------------------------------------------------------- data representations

// Their functions are never called: the library refuses all but those that convert nothing.
#define TIDINGS_DATAREP(suffix)                                                                            \
  TIDINGS_FACE(int, MPI_Register_datarep##suffix, const char* name, void* read, void* write, void* extent, \
               void* extra_state) {                                                                        \
    return ended(TIDINGS_C(MPI_Register_datarep##suffix)(                                                  \
        name, reinterpret_cast<MPI_Datarep_conversion_function##suffix*>(read),                            \
        reinterpret_cast<MPI_Datarep_conversion_function##suffix*>(write),                                 \
        reinterpret_cast<MPI_Datarep_extent_function*>(extent), extra_state));                             \
  }
TIDINGS_DATAREP()
TIDINGS_DATAREP(_c)

// ---------------------------------------------------------------- contents of datatypes

namespace {

/// Convert the integers that are constants: the order of a subarray, and the distributions of an array.
void convert_contents(int combiner, int* integers, long long count) {
  if (count < 1) return;
  if (combiner == MPI_COMBINER_SUBARRAY || combiner == MPI_COMBINER_DARRAY) {
    convert(integers + count - 1, order_to_mpich);
  }
  if (combiner != MPI_COMBINER_DARRAY) return;
  // The size, the rank, the dimensions, and for each of these a size, unless it is a large count.
  const long long dimensions = integers[2];
  const long long first = count - 1 - 3 * dimensions;
  for (long long i = first; i < first + dimensions; ++i) {
    convert(integers + i, distribution_to_mpich);
    convert(integers + i + dimensions, distribution_argument_to_mpich);
  }
}

}  // namespace

TIDINGS_FACE(int, MPI_Type_get_contents, int datatype, int max_integers, int max_addresses, int max_datatypes,
             int integers[], MPI_Aint addresses[], int datatypes[]) {
  const MPI_Datatype type = Of<MPI_Datatype>::to_abi(datatype);
  Room<MPI_Datatype> made(max_datatypes);
  int result = TIDINGS_C(MPI_Type_get_contents)(type, max_integers, max_addresses, max_datatypes, integers, addresses,
                                                made.data());
  if (result != MPI_SUCCESS) return ended(result);
  int counts[3] = {};
  int combiner = 0;
  result = TIDINGS_C(MPI_Type_get_envelope)(type, &counts[0], &counts[1], &counts[2], &combiner);
  if (result != MPI_SUCCESS) return ended(result);
  convert_contents(combiner, integers, counts[0]);
  for (int i = 0; i < counts[2]; ++i) datatypes[i] = Of<MPI_Datatype>::to_mpich(made.data()[i]);
  return ended(result);
}

TIDINGS_FACE(int, MPI_Type_get_contents_c, int datatype, MPI_Count max_integers, MPI_Count max_addresses,
             MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[], MPI_Aint addresses[],
             MPI_Count large_counts[], int datatypes[]) {
  const MPI_Datatype type = Of<MPI_Datatype>::to_abi(datatype);
  Room<MPI_Datatype> made(max_datatypes);
  int result = TIDINGS_C(MPI_Type_get_contents_c)(type, max_integers, max_addresses, max_large_counts, max_datatypes,
                                                  integers, addresses, large_counts, made.data());
  if (result != MPI_SUCCESS) return ended(result);
  MPI_Count counts[4] = {};
  int combiner = 0;
  result = TIDINGS_C(MPI_Type_get_envelope_c)(type, &counts[0], &counts[1], &counts[2], &counts[3], &combiner);
  if (result != MPI_SUCCESS) return ended(result);
  convert_contents(combiner, integers, counts[0]);
  for (MPI_Count i = 0; i < counts[3]; ++i) datatypes[i] = Of<MPI_Datatype>::to_mpich(made.data()[i]);
  return ended(result);
}

// ---------------------------------------------------------------- buffers of buffered sends

namespace {

/// A program adds MPICH's MPI_BSEND_OVERHEAD to each message, which is less than the library's. So the library gets
/// memory of the face's own, with room for as many messages.
struct SendBuffer {
  void* program;
  long long size;
};

/// Those that are attached, by the library's memory.
class SendBuffers {
 public:
  void add(void* memory, const SendBuffer& buffer) {
    const std::lock_guard lock(mutex_);
    all_[memory] = buffer;
  }
  std::optional<SendBuffer> take(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.extract(memory);
    return found.empty() ? std::nullopt : std::optional(found.mapped());
  }

 private:
  std::mutex mutex_;
  std::map<void*, SendBuffer> all_;
};

SendBuffers& send_buffers() {
  static auto* const buffers = new SendBuffers;
  return *buffers;
}

/// @param attach calls the library with an address and a size
template <class Size, class Attach>
int attach_buffer(const Attach& attach, void* buffer, Size size) {
  if (buffer_to_abi(buffer) == MPI_BUFFER_AUTOMATIC || size <= 0) {
    return ended(attach(buffer_to_abi(buffer), MPI_Count{size}));
  }
  const long long messages = size / kMpich_MPI_BSEND_OVERHEAD + 1;
  const MPI_Count room = size + messages * (MPI_BSEND_OVERHEAD - kMpich_MPI_BSEND_OVERHEAD);
  std::unique_ptr<void, decltype(&std::free)> memory(std::malloc(static_cast<std::size_t>(room)), std::free);
  if (memory == nullptr) return ended(MPI_ERR_NO_MEM);
  const int result = attach(memory.get(), room);
  if (result == MPI_SUCCESS) send_buffers().add(memory.release(), {buffer, size});
  return ended(result);
}

/// @param detach calls the library with places for an address and a size
template <class Size, class Detach>
int detach_buffer(const Detach& detach, void* buffer_addr, Size* size) {
  void* memory = nullptr;
  MPI_Count room = 0;
  const int result = detach(&memory, &room);
  if (result != MPI_SUCCESS) return ended(result);
  if (const std::optional<SendBuffer> found = send_buffers().take(memory)) {
    *static_cast<void**>(buffer_addr) = found->program;
    *size = static_cast<Size>(found->size);
    std::free(memory);
  } else {
    const bool automatic = memory == MPI_BUFFER_AUTOMATIC;
    *static_cast<void**>(buffer_addr) =
        automatic ? reinterpret_cast<void*>(address_to_mpich(reinterpret_cast<std::intptr_t>(memory))) : memory;
    *size = static_cast<Size>(room);
  }
  return ended(result);
}

}  // namespace

#define TIDINGS_BUFFERS(attach_name, detach_name, suffix, Size, OBJECT, HANDLE)                                       \
  TIDINGS_FACE(int, attach_name##suffix, OBJECT void* buffer, Size size) {                                            \
    return attach_buffer(                                                                                             \
        [&](void* memory, MPI_Count room) { return TIDINGS_C(attach_name##_c)(HANDLE memory, room); }, buffer, size); \
  }                                                                                                                   \
  TIDINGS_FACE(int, detach_name##suffix, OBJECT void* buffer_addr, Size* size) {                                      \
    return detach_buffer(                                                                                             \
        [&](void* memory, MPI_Count* room) { return TIDINGS_C(detach_name##_c)(HANDLE memory, room); }, buffer_addr,  \
        size);                                                                                                        \
  }
#define TIDINGS_NOTHING
#define TIDINGS_OF_COMM int comm,
#define TIDINGS_COMM_HANDLE Of<MPI_Comm>::to_abi(comm),
#define TIDINGS_OF_SESSION int session,
#define TIDINGS_SESSION_HANDLE Of<MPI_Session>::to_abi(session),
TIDINGS_BUFFERS(MPI_Buffer_attach, MPI_Buffer_detach, , int, TIDINGS_NOTHING, TIDINGS_NOTHING)
TIDINGS_BUFFERS(MPI_Buffer_attach, MPI_Buffer_detach, _c, MPI_Count, TIDINGS_NOTHING, TIDINGS_NOTHING)
TIDINGS_BUFFERS(MPI_Comm_attach_buffer, MPI_Comm_detach_buffer, , int, TIDINGS_OF_COMM, TIDINGS_COMM_HANDLE)
TIDINGS_BUFFERS(MPI_Comm_attach_buffer, MPI_Comm_detach_buffer, _c, MPI_Count, TIDINGS_OF_COMM, TIDINGS_COMM_HANDLE)
TIDINGS_BUFFERS(MPI_Session_attach_buffer, MPI_Session_detach_buffer, , int, TIDINGS_OF_SESSION, TIDINGS_SESSION_HANDLE)
TIDINGS_BUFFERS(MPI_Session_attach_buffer, MPI_Session_detach_buffer, _c, MPI_Count, TIDINGS_OF_SESSION,
                TIDINGS_SESSION_HANDLE)

// ---------------------------------------------------------------- processes

// The library starts none, and says so.
TIDINGS_FACE(int, MPI_Comm_spawn, const char* command, char* argv[], int maxprocs, int info, int root, int comm,
             int* intercomm, int errcodes[]) {
  HandleOf<MPI_Comm> made;
  const int result = TIDINGS_C(MPI_Comm_spawn)(command, argv, maxprocs, Of<MPI_Info>::to_abi(info), rank_to_abi(root),
                                               Of<MPI_Comm>::to_abi(comm), made, errcodes);
  if (result == MPI_SUCCESS) made.to(intercomm);
  return ended(result);
}
TIDINGS_FACE(int, MPI_Comm_spawn_multiple, int count, char* commands[], char** argvs[], const int maxprocs[],
             const int infos[], int root, int comm, int* intercomm, int errcodes[]) {
  HandlesOf<MPI_Info> given(infos, count);
  HandleOf<MPI_Comm> made;
  const int result = TIDINGS_C(MPI_Comm_spawn_multiple)(count, commands, argvs, maxprocs, given, rank_to_abi(root),
                                                        Of<MPI_Comm>::to_abi(comm), made, errcodes);
  if (result == MPI_SUCCESS) made.to(intercomm);
  return ended(result);
}

// ---------------------------------------------------------------- versions and levels

/// This is not the standard ABI, whose first version is 1.
TIDINGS_FACE(int, MPI_Abi_get_version, int* major, int* minor) {
  *major = *minor = -1;
  return 0;
}
TIDINGS_FACE(int, MPI_Pcontrol, int level, ...) { return ended(TIDINGS_C(MPI_Pcontrol)(level)); }

// ---------------------------------------------------------------- integers of Fortran, which MPICH's handles are

#define TIDINGS_INTEGERS(name)                                         \
  TIDINGS_FACE(int, MPI_##name##_c2f, int handle) { return handle; }   \
  TIDINGS_FACE(int, MPI_##name##_f2c, int handle) { return handle; }   \
  TIDINGS_FACE(int, MPI_##name##_toint, int handle) { return handle; } \
  TIDINGS_FACE(int, MPI_##name##_fromint, int handle) { return handle; }
TIDINGS_INTEGERS(Comm)
TIDINGS_INTEGERS(Errhandler)
TIDINGS_INTEGERS(Group)
TIDINGS_INTEGERS(Info)
TIDINGS_INTEGERS(Message)
TIDINGS_INTEGERS(Op)
TIDINGS_INTEGERS(Request)
TIDINGS_INTEGERS(Session)
TIDINGS_INTEGERS(Type)
TIDINGS_INTEGERS(Win)
TIDINGS_FACE(int, MPI_File_c2f, void* file) {
  return file == nullptr ? 0 : TIDINGS_C(MPI_File_toint)(Of<MPI_File>::to_abi(file));
}
TIDINGS_FACE(void*, MPI_File_f2c, int file) {
  return file == 0 ? nullptr : Of<MPI_File>::to_mpich(TIDINGS_C(MPI_File_fromint)(file));
}
TIDINGS_FACE(int, MPI_File_toint, void* file) {
  return file == nullptr ? 0 : TIDINGS_C(MPI_File_toint)(Of<MPI_File>::to_abi(file));
}
TIDINGS_FACE(void*, MPI_File_fromint, int file) {
  return file == 0 ? nullptr : Of<MPI_File>::to_mpich(TIDINGS_C(MPI_File_fromint)(file));
}

// A status is the same in both languages.
#define TIDINGS_STATUS(name)                                             \
  TIDINGS_FACE(int, MPI_Status_##name, const Status* from, Status* to) { \
    *to = *from;                                                         \
    return 0;                                                            \
  }
TIDINGS_STATUS(c2f)
TIDINGS_STATUS(f2c)
TIDINGS_STATUS(c2f08)
TIDINGS_STATUS(f082c)
TIDINGS_STATUS(f2f08)
TIDINGS_STATUS(f082f)

// ---------------------------------------------------------------- names of MPI-1

TIDINGS_FACE(int, MPI_Address, const void* location, MPI_Aint* address) {
  return ended(TIDINGS_C(MPI_Get_address)(buffer_to_abi(location), address));
}
TIDINGS_FACE(int, MPI_Errhandler_create, decltype(Handler<MPI_Comm>::function) function, int* errhandler) {
  const Entry entry(__builtin_return_address(0));
  return create_handler<MPI_Comm>(TIDINGS_C(MPIX_Comm_create_errhandler_x), function, errhandler);
}
TIDINGS_FACE(int, MPI_Errhandler_get, int comm, int* errhandler) {
  const Entry entry(__builtin_return_address(0));
  HandleOf<MPI_Errhandler> found;
  return give_handler(TIDINGS_C(MPI_Comm_get_errhandler)(Of<MPI_Comm>::to_abi(comm), found), found, errhandler);
}
TIDINGS_FACE(int, MPI_Errhandler_set, int comm, int errhandler) {
  return ended(TIDINGS_C(MPI_Comm_set_errhandler)(Of<MPI_Comm>::to_abi(comm), Of<MPI_Errhandler>::to_abi(errhandler)));
}
TIDINGS_FACE(int, MPI_Type_hindexed, int count, int lengths[], MPI_Aint displacements[], int oldtype, int* newtype) {
  const Entry entry(__builtin_return_address(0));
  HandleOf<MPI_Datatype> made;
  const int result =
      TIDINGS_C(MPI_Type_create_hindexed)(count, lengths, displacements, Of<MPI_Datatype>::to_abi(oldtype), made);
  if (result == MPI_SUCCESS) made.to(newtype);
  return ended(result);
}
TIDINGS_FACE(int, MPI_Type_hvector, int count, int length, MPI_Aint stride, int oldtype, int* newtype) {
  const Entry entry(__builtin_return_address(0));
  HandleOf<MPI_Datatype> made;
  const int result = TIDINGS_C(MPI_Type_create_hvector)(count, length, stride, Of<MPI_Datatype>::to_abi(oldtype), made);
  if (result == MPI_SUCCESS) made.to(newtype);
  return ended(result);
}

namespace {

/// MPI_LB and MPI_UB of MPICH, which are members of MPI_Type_struct alone: the standard ABI has no handles for them.
constexpr int lower_bound_mark = 0x4c000010;
constexpr int upper_bound_mark = 0x4c000011;

/// The members of an MPI_Type_struct without its marks, and the bounds that those set: the lowest and the highest.
struct MarkedMembers {
  MarkedMembers(int count, const int* given_lengths, const MPI_Aint* given_displacements, const int* given_types) {
    for (int i = 0; i < count; ++i) {
      const MPI_Aint at = given_displacements[i];
      if (given_types[i] == lower_bound_mark) {
        low = std::min(low.value_or(at), at);
      } else if (given_types[i] == upper_bound_mark) {
        high = std::max(high.value_or(at), at);
      } else {
        lengths.push_back(given_lengths[i]);
        displacements.push_back(at);
        types.push_back(given_types[i]);
      }
    }
  }
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  std::vector<int> types;
  std::optional<MPI_Aint> low;
  std::optional<MPI_Aint> high;
};

}  // namespace

TIDINGS_FACE(int, MPI_Type_struct, int count, int lengths[], MPI_Aint displacements[], int types[], int* newtype) {
  const Entry entry(__builtin_return_address(0));
  HandleOf<MPI_Datatype> made;
  int result = MPI_SUCCESS;
  if (types == nullptr || std::none_of(types, types + std::max(count, 0),
                                       [](int type) { return type == lower_bound_mark || type == upper_bound_mark; })) {
    HandlesOf<MPI_Datatype> given(types, count);
    result = TIDINGS_C(MPI_Type_create_struct)(count, lengths, displacements, given, made);
  } else {
    const MarkedMembers members(count, lengths, displacements, types);
    HandlesOf<MPI_Datatype> given(members.types.data(), static_cast<long long>(members.types.size()));
    MPI_Datatype plain = MPI_DATATYPE_NULL;
    result = TIDINGS_C(MPI_Type_create_struct)(static_cast<int>(members.types.size()), members.lengths.data(),
                                               members.displacements.data(), given, &plain);
    if (result == MPI_SUCCESS) {
      MPI_Aint lower = 0;
      MPI_Aint extent = 0;
      result = TIDINGS_C(MPI_Type_get_extent)(plain, &lower, &extent);
      const MPI_Aint low = members.low.value_or(lower);
      const MPI_Aint high = members.high.value_or(lower + extent);
      if (result == MPI_SUCCESS) result = TIDINGS_C(MPI_Type_create_resized)(plain, low, high - low, made);
      TIDINGS_C(MPI_Type_free)(&plain);
    }
  }
  if (result == MPI_SUCCESS) made.to(newtype);
  return ended(result);
}

namespace {

/// The bounds of a datatype: two of them, of which a function of MPI-1 gives one or their sum.
struct Bounds {
  explicit Bounds(int datatype)
      : result(TIDINGS_C(MPI_Type_get_extent)(Of<MPI_Datatype>::to_abi(datatype), &lower, &extent)) {}
  int give(MPI_Aint value, MPI_Aint* to) const {
    if (result == MPI_SUCCESS) *to = value;
    return ended(result);
  }
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  int result;
};

}  // namespace

TIDINGS_FACE(int, MPI_Type_extent, int datatype, MPI_Aint* extent) {
  const Bounds bounds(datatype);
  return bounds.give(bounds.extent, extent);
}
TIDINGS_FACE(int, MPI_Type_lb, int datatype, MPI_Aint* displacement) {
  const Bounds bounds(datatype);
  return bounds.give(bounds.lower, displacement);
}
TIDINGS_FACE(int, MPI_Type_ub, int datatype, MPI_Aint* displacement) {
  const Bounds bounds(datatype);
  return bounds.give(bounds.lower + bounds.extent, displacement);
}

// ---------------------------------------------------------------- extensions that the library has, too

// Their callbacks have handles by value, which differ: so the program's functions get the state with their own.
namespace {

struct StatefulOperation {
  void (*function)(void* in, void* inout, MPI_Count count, int datatype, void* extra_state);
  void (*destructor)(void* extra_state);
  void* extra_state;
};

void reduce_with_state(void* in, void* inout, MPI_Count count, MPI_Datatype datatype, void* state) {
  const auto* const known = static_cast<const StatefulOperation*>(state);
  known->function(in, inout, count, Of<MPI_Datatype>::to_mpich(datatype), known->extra_state);
}

template <class Handle>
struct StatefulHandler {
  void (*function)(typename Of<Handle>::Number object, int code, void* extra_state);
  void (*destructor)(void* extra_state);
  void* extra_state;
};

template <class Handle>
void handle_error_with_state(Handle object, int code, void* state) {
  const auto* const known = static_cast<const StatefulHandler<Handle>*>(state);
  known->function(Of<Handle>::to_mpich(object), code_to_mpich(code), known->extra_state);
}

template <class State>
void destroy_with_state(void* state) {
  const std::unique_ptr<const State> known(static_cast<const State*>(state));
  if (known->destructor != nullptr) known->destructor(known->extra_state);
}

}  // namespace

TIDINGS_FACE(int, MPIX_Op_create_x, decltype(StatefulOperation::function) function,
             decltype(StatefulOperation::destructor) destructor, int commute, void* extra_state, int* op) {
  const Entry entry(__builtin_return_address(0));
  HandleOf<MPI_Op> made;
  auto state = std::make_unique<StatefulOperation>(StatefulOperation{function, destructor, extra_state});
  const int result = TIDINGS_C(MPIX_Op_create_x)(function == nullptr ? nullptr : reduce_with_state,
                                                 destroy_with_state<StatefulOperation>, commute, state.get(), made);
  if (result == MPI_SUCCESS) {
    static_cast<void>(state.release());
    made.to(op);
  }
  return ended(result);
}

#define TIDINGS_STATEFUL_HANDLER(name, Handle)                                                                        \
  TIDINGS_FACE(int, MPIX_##name##_create_errhandler_x, decltype(StatefulHandler<Handle>::function) function,          \
               decltype(StatefulHandler<Handle>::destructor) destructor, void* extra_state, int* errhandler) {        \
    const Entry entry(__builtin_return_address(0));                                                                   \
    HandleOf<MPI_Errhandler> made;                                                                                    \
    auto state =                                                                                                      \
        std::make_unique<StatefulHandler<Handle>>(StatefulHandler<Handle>{function, destructor, extra_state});        \
    const int result =                                                                                                \
        TIDINGS_C(MPIX_##name##_create_errhandler_x)(function == nullptr ? nullptr : handle_error_with_state<Handle>, \
                                                     destroy_with_state<StatefulHandler<Handle>>, state.get(), made); \
    if (result == MPI_SUCCESS) {                                                                                      \
      static_cast<void>(state.release());                                                                             \
      made.to(errhandler);                                                                                            \
    }                                                                                                                 \
    return ended(result);                                                                                             \
  }
TIDINGS_STATEFUL_HANDLER(Comm, MPI_Comm)
TIDINGS_STATEFUL_HANDLER(File, MPI_File)
TIDINGS_STATEFUL_HANDLER(Session, MPI_Session)
TIDINGS_STATEFUL_HANDLER(Win, MPI_Win)

// ---------------------------------------------------------------- extensions of MPICH that are questions

TIDINGS_FACE(int, MPIX_Query_cuda_support) { return 0; }
TIDINGS_FACE(int, MPIX_Query_hip_support) { return 0; }
TIDINGS_FACE(int, MPIX_Query_ze_support) { return 0; }
TIDINGS_FACE(int, MPIX_GPU_query_support, int /*type*/, int* supported) {
  *supported = 0;
  return 0;
}
TIDINGS_FACE(void*, MPIX_Async_get_state, void* /*thing*/) {
  left_out("MPIX_Async_get_state");
  return nullptr;
}
