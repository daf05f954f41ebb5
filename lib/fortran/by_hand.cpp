// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file by_hand.cpp
/// Functions whose arguments mean something else in Fortran: callbacks, attributes, command lines.
///
/// As the generated wrappers, this file is compiled twice, for MPI_X and for PMPI_X.
#include <cstdint>

#include "core/kept.h"
#include "fortran/convert.h"

using namespace tidings::fortran;

namespace {

/// The library carries Fortran's integers in the place of C's pointers.
void* as_pointer(MPI_Aint value) { return reinterpret_cast<void*>(value); }
MPI_Aint as_integer(const void* pointer) { return reinterpret_cast<MPI_Aint>(pointer); }

// ---------------------------------------------------------------- attributes

/// Attributes of the functions of MPI-1 are default integers, all others have the size of an address.
template <class Value>
struct Keyval {
  using Copy = void (*)(const Integer* object, const Integer* keyval, const Value* extra_state, const Value* in,
                        Value* out, Integer* flag, Integer* ierror);
  using Delete = void (*)(const Integer* object, const Integer* keyval, const Value* value, const Value* extra_state,
                          Integer* ierror);
  Copy copy;
  Delete remove;
  Value extra_state;
};

template <class Handle, class Value>
int copy_attribute(Handle object, int keyval, void* extra_state, void* in, void* out, int* flag) {
  const auto* const known = static_cast<const Keyval<Value>*>(extra_state);
  const Integer number = Of<Handle>::number(object);
  const auto value = static_cast<Value>(as_integer(in));
  Value copied = value;
  Integer made = 0;
  Integer result = MPI_SUCCESS;
  known->copy(&number, &keyval, &known->extra_state, &value, &copied, &made, &result);
  *flag = made != 0 ? 1 : 0;
  *static_cast<void**>(out) = as_pointer(copied);
  return result;
}

template <class Handle, class Value>
int delete_attribute(Handle object, int keyval, void* held, void* extra_state) {
  const auto* const known = static_cast<const Keyval<Value>*>(extra_state);
  const Integer number = Of<Handle>::number(object);
  const auto value = static_cast<Value>(as_integer(held));
  Integer result = MPI_SUCCESS;
  known->remove(&number, &keyval, &value, &known->extra_state, &result);
  return result;
}

/// Make a keyval. The callbacks are kept until the process ends: attributes may outlive their keyval.
template <class Handle, class Value, class Create>
void create_keyval(Create create, typename Keyval<Value>::Copy copy, typename Keyval<Value>::Delete remove,
                   Integer* keyval, const Value* extra_state, Integer* ierror) {
  auto* const made = tidings::keep(Keyval<Value>{copy, remove, *extra_state});
  give(ierror, create(copy_attribute<Handle, Value>, delete_attribute<Handle, Value>, keyval, made));
}

/// A keyval that MPI has by itself.
bool is_predefined(int keyval) {
  switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_BASE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
    case MPI_WIN_SIZE:
      return true;
    default:
      return false;
  }
}

/// The keyval of C for one of Fortran.
int keyval_of(Integer keyval) {
#ifdef TIDINGS_MPICH
  // MPICH counts predefined keyvals from one in Fortran.
  if (is_predefined(keyval - 1)) return keyval - 1;
#endif
  return keyval;
}

/// The value of an attribute: of predefined ones, C has a pointer to it.
MPI_Aint value_of(int keyval, const void* held) {
  if (keyval == MPI_WIN_SIZE) return *static_cast<const MPI_Aint*>(held);
  if (keyval == MPI_WIN_BASE || !is_predefined(keyval)) return as_integer(held);
  return *static_cast<const int*>(held);
}

template <class Value, class Get, class Handle>
void get_attribute(Get get, Handle object, const Integer* keyval, Value* value, Integer* flag, Integer* ierror) {
  void* held = nullptr;
  int found = 0;
  const int number = keyval_of(*keyval);
  const int result = get(object, number, &held, &found);
  if (result == MPI_SUCCESS) {
    *flag = found != 0 ? 1 : 0;
    if (found != 0) *value = static_cast<Value>(value_of(number, held));
  }
  give(ierror, result);
}

}  // namespace

#define TIDINGS_ATTRIBUTES(name, lower, Handle)                                                                        \
  TIDINGS_EXPORT void TIDINGS_FORTRAN(lower##_create_keyval)(Keyval<MPI_Aint>::Copy copy,                              \
                                                             Keyval<MPI_Aint>::Delete remove, Integer * keyval,        \
                                                             const MPI_Aint* extra_state, Integer* ierror) {           \
    create_keyval<Handle, MPI_Aint>(TIDINGS_C(MPI_##name##_create_keyval), copy, remove, keyval, extra_state, ierror); \
  }                                                                                                                    \
  TIDINGS_EXPORT void TIDINGS_FORTRAN(lower##_set_attr)(const Integer* object, const Integer* keyval,                  \
                                                        const MPI_Aint* value, Integer* ierror) {                      \
    give(ierror, TIDINGS_C(MPI_##name##_set_attr)(Of<Handle>::handle(*object), *keyval, as_pointer(*value)));          \
  }                                                                                                                    \
  TIDINGS_EXPORT void TIDINGS_FORTRAN(lower##_get_attr)(const Integer* object, const Integer* keyval, MPI_Aint* value, \
                                                        Integer* flag, Integer* ierror) {                              \
    get_attribute(TIDINGS_C(MPI_##name##_get_attr), Of<Handle>::handle(*object), keyval, value, flag, ierror);         \
  }                                                                                                                    \
  TIDINGS_ALSO_F08(lower##_create_keyval);                                                                             \
  TIDINGS_ALSO_F08(lower##_set_attr);                                                                                  \
  TIDINGS_ALSO_F08(lower##_get_attr)

TIDINGS_ATTRIBUTES(Comm, comm, MPI_Comm);
TIDINGS_ATTRIBUTES(Type, type, MPI_Datatype);
TIDINGS_ATTRIBUTES(Win, win, MPI_Win);

TIDINGS_EXPORT void TIDINGS_FORTRAN(keyval_create)(Keyval<Integer>::Copy copy, Keyval<Integer>::Delete remove,
                                                   Integer* keyval, const Integer* extra_state, Integer* ierror) {
  create_keyval<MPI_Comm, Integer>(TIDINGS_C(MPI_Keyval_create), copy, remove, keyval, extra_state, ierror);
}
TIDINGS_EXPORT void TIDINGS_FORTRAN(attr_put)(const Integer* comm, const Integer* keyval, const Integer* value,
                                              Integer* ierror) {
  give(ierror, TIDINGS_C(MPI_Attr_put)(Of<MPI_Comm>::handle(*comm), *keyval, as_pointer(*value)));
}
TIDINGS_EXPORT void TIDINGS_FORTRAN(attr_get)(const Integer* comm, const Integer* keyval, Integer* value, Integer* flag,
                                              Integer* ierror) {
  get_attribute(TIDINGS_C(MPI_Attr_get), Of<MPI_Comm>::handle(*comm), keyval, value, flag, ierror);
}

// ---------------------------------------------------------------- generalized requests

namespace {

struct Grequest {
  void (*query)(const MPI_Aint* extra_state, void* status, Integer* ierror);
  void (*free)(const MPI_Aint* extra_state, Integer* ierror);
  void (*cancel)(const MPI_Aint* extra_state, const Integer* complete, Integer* ierror);
  MPI_Aint extra_state;
};

int query_request(void* extra_state, MPI_Status* status) {
  const auto* const known = static_cast<const Grequest*>(extra_state);
  Integer result = MPI_SUCCESS;
  known->query(&known->extra_state, status, &result);
  return result;
}

/// The last of the three to be called.
int free_request(void* extra_state) {
  const auto* const known = static_cast<const Grequest*>(extra_state);
  Integer result = MPI_SUCCESS;
  known->free(&known->extra_state, &result);
  delete known;
  return result;
}

int cancel_request(void* extra_state, int complete) {
  const auto* const known = static_cast<const Grequest*>(extra_state);
  Integer result = MPI_SUCCESS;
  known->cancel(&known->extra_state, &complete, &result);
  return result;
}

}  // namespace

TIDINGS_EXPORT void TIDINGS_FORTRAN(grequest_start)(decltype(Grequest::query) query, decltype(Grequest::free) free,
                                                    decltype(Grequest::cancel) cancel, const MPI_Aint* extra_state,
                                                    Integer* request, Integer* ierror) {
  const Entry entry(__builtin_return_address(0));
  auto* const known = new Grequest{query, free, cancel, *extra_state};
  HandleOf<MPI_Request> made;
  const int result = TIDINGS_C(MPI_Grequest_start)(query_request, free_request, cancel_request, known, made);
  if (result == MPI_SUCCESS) made.to(request);
  give(ierror, result);
}
TIDINGS_ALSO_F08(grequest_start);

// ---------------------------------------------------------------- data representations

extern "C" void mpi_conversion_fn_null_();
extern "C" void mpi_conversion_fn_null_c_();
#ifdef TIDINGS_MPICH
extern "C" void mpich_conversion_fn_null() __asm__("__mpi_f08_callbacks_MOD_mpi_conversion_fn_null");
extern "C" void mpich_conversion_fn_null_c() __asm__("__mpi_f08_callbacks_MOD_mpi_conversion_fn_null_c");
#endif

namespace {

/// Whether a function of a data representation is one that converts.
template <class Function>
bool converts(Function given) {
  const auto function = reinterpret_cast<void (*)()>(given);
#ifdef TIDINGS_MPICH
  if (function == mpich_conversion_fn_null || function == mpich_conversion_fn_null_c) return false;
#endif
  return function != mpi_conversion_fn_null_ && function != mpi_conversion_fn_null_c_;
}

template <class Count>
struct Representation {
  using Convert = void (*)(void* userbuf, const Integer* datatype, const Count* count, void* filebuf,
                           const MPI_Offset* position, const MPI_Aint* extra_state, Integer* ierror);
  using Extent = void (*)(const Integer* datatype, MPI_Aint* extent, const MPI_Aint* extra_state, Integer* ierror);
  Convert read;
  Convert write;
  Extent extent;
  MPI_Aint extra_state;
};

template <class Count, bool reads>
int convert(void* userbuf, MPI_Datatype datatype, Count count, void* filebuf, MPI_Offset position, void* extra_state) {
  const auto* const known = static_cast<const Representation<Count>*>(extra_state);
  const Integer type = Of<MPI_Datatype>::number(datatype);
  Integer result = MPI_SUCCESS;
  (reads ? known->read : known->write)(userbuf, &type, &count, filebuf, &position, &known->extra_state, &result);
  return result;
}

template <class Count>
int extent_of(MPI_Datatype datatype, MPI_Aint* extent, void* extra_state) {
  const auto* const known = static_cast<const Representation<Count>*>(extra_state);
  const Integer type = Of<MPI_Datatype>::number(datatype);
  Integer result = MPI_SUCCESS;
  known->extent(&type, extent, &known->extra_state, &result);
  return result;
}

/// A data representation is there until the process ends.
template <class Count, class Register>
void register_representation(Register call, const char* name, std::size_t length, const Representation<Count>& given,
                             Integer* ierror) {
  auto* const kept = tidings::keep(given);
  give(ierror, call(text(name, length).c_str(), converts(given.read) ? convert<Count, true> : nullptr,
                    converts(given.write) ? convert<Count, false> : nullptr, extent_of<Count>, kept));
}

}  // namespace

#define TIDINGS_DATAREP(suffix, Count)                                                                          \
  TIDINGS_EXPORT void TIDINGS_FORTRAN(register_datarep##suffix)(                                                \
      const char* name, Representation<Count>::Convert read, Representation<Count>::Convert write,              \
      Representation<Count>::Extent extent, const MPI_Aint* extra_state, Integer* ierror, std::size_t length) { \
    register_representation<Count>(TIDINGS_C(MPI_Register_datarep##suffix), name, length,                       \
                                   {read, write, extent, *extra_state}, ierror);                                \
  }                                                                                                             \
  TIDINGS_ALSO_F08(register_datarep##suffix)
TIDINGS_DATAREP(, int);
TIDINGS_DATAREP(_c, MPI_Count);

// ---------------------------------------------------------------- starting, and command lines

TIDINGS_EXPORT void TIDINGS_FORTRAN(init)(Integer* ierror) { give(ierror, TIDINGS_C(MPI_Init)(nullptr, nullptr)); }
TIDINGS_ALSO_F08(init);

TIDINGS_EXPORT void TIDINGS_FORTRAN(init_thread)(const Integer* required, Integer* provided, Integer* ierror) {
  give(ierror, TIDINGS_C(MPI_Init_thread)(nullptr, nullptr, *required, provided));
}
TIDINGS_ALSO_F08(init_thread);

TIDINGS_EXPORT void TIDINGS_FORTRAN(info_create_env)(Integer* info, Integer* ierror) {
  const Entry entry(__builtin_return_address(0));
  HandleOf<MPI_Info> made;
  const int result = TIDINGS_C(MPI_Info_create_env)(0, nullptr, made);
  if (result == MPI_SUCCESS) made.to(info);
  give(ierror, result);
}
TIDINGS_ALSO_F08(info_create_env);

namespace {

/// Arguments of a program: an array of texts that a blank one ends. C wants a null pointer there.
class Words {
 public:
  /// @param stride from one text to the next, in texts
  Words(const char* first, std::size_t stride, std::size_t length) {
    for (const char* word = first;; word += stride * length) {
      std::string next = text(word, length);
      if (next.empty()) break;
      texts_.push_back(std::move(next));
    }
    for (std::string& each : texts_) pointers_.push_back(each.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char** data() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

Integer* error_codes(Integer* given) { return given == kErrcodesIgnore ? MPI_ERRCODES_IGNORE : given; }

}  // namespace

TIDINGS_EXPORT void TIDINGS_FORTRAN(comm_spawn)(const char* command, const char* argv, const Integer* maxprocs,
                                                const Integer* info, const Integer* root, const Integer* comm,
                                                Integer* intercomm, Integer* codes, Integer* ierror,
                                                std::size_t command_length, std::size_t argv_length) {
  const bool none = argv == kArgvNull;
  Words words(none ? "" : argv, 1, none ? 0 : argv_length);
  HandleOf<MPI_Comm> made;
  const int result = TIDINGS_C(MPI_Comm_spawn)(text(command, command_length).c_str(), none ? nullptr : words.data(),
                                               *maxprocs, Of<MPI_Info>::handle(*info), *root,
                                               Of<MPI_Comm>::handle(*comm), made, error_codes(codes));
  if (result == MPI_SUCCESS) made.to(intercomm);
  give(ierror, result);
}
TIDINGS_ALSO_F08(comm_spawn);

TIDINGS_EXPORT void TIDINGS_FORTRAN(comm_spawn_multiple)(const Integer* count, const char* commands, const char* argvs,
                                                         const Integer* maxprocs, const Integer* infos,
                                                         const Integer* root, const Integer* comm, Integer* intercomm,
                                                         Integer* codes, Integer* ierror, std::size_t command_length,
                                                         std::size_t argv_length) {
  const bool none = argvs == kArgvsNull;
  std::vector<std::string> names;
  std::vector<Words> words;
  for (Integer i = 0; i < *count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    names.push_back(text(commands + at * command_length, command_length));
    if (!none) words.emplace_back(argvs + at * argv_length, static_cast<std::size_t>(*count), argv_length);
  }
  std::vector<char*> name_pointers;
  for (std::string& name : names) name_pointers.push_back(name.data());
  std::vector<char**> word_pointers;
  for (Words& each : words) word_pointers.push_back(each.data());
  HandlesOf<MPI_Info> given(infos, *count);
  HandleOf<MPI_Comm> made;
  const int result =
      TIDINGS_C(MPI_Comm_spawn_multiple)(*count, name_pointers.data(), none ? MPI_ARGVS_NULL : word_pointers.data(),
                                         maxprocs, given, *root, Of<MPI_Comm>::handle(*comm), made, error_codes(codes));
  if (result == MPI_SUCCESS) made.to(intercomm);
  give(ierror, result);
}
TIDINGS_ALSO_F08(comm_spawn_multiple);

// ---------------------------------------------------------------- texts with a length, which C counts with its end

TIDINGS_EXPORT void TIDINGS_FORTRAN(info_get)(const Integer* info, const char* key, const Integer* valuelen,
                                              char* value, Integer* flag, Integer* ierror, std::size_t key_length,
                                              std::size_t value_length) {
  TextMade made(static_cast<std::size_t>(std::max(*valuelen, 0)));
  int found = 0;
  const int result =
      TIDINGS_C(MPI_Info_get)(Of<MPI_Info>::handle(*info), stripped(key, key_length).c_str(), *valuelen, made, &found);
  if (result == MPI_SUCCESS) {
    *flag = found != 0 ? 1 : 0;
    if (found != 0) made.to(value, value_length);
  }
  give(ierror, result);
}
TIDINGS_ALSO_F08(info_get);

namespace {

/// Get a text through a length that is what there is room for, and then what there is.
template <class Get>
int get_text(Integer* length, char* value, std::size_t value_length, const Get& get) {
  const bool asks = *length > 0;
  TextMade made(static_cast<std::size_t>(std::max(*length, 0)));
  int room = asks ? *length + 1 : 0;
  bool found = true;
  const int result = get(&room, made, found);
  if (result != MPI_SUCCESS || !found) return result;
  if (asks) made.to(value, value_length);
  *length = room - 1;
  return result;
}

}  // namespace

TIDINGS_EXPORT void TIDINGS_FORTRAN(info_get_string)(const Integer* info, const char* key, Integer* buflen, char* value,
                                                     Integer* flag, Integer* ierror, std::size_t key_length,
                                                     std::size_t value_length) {
  const std::string name = stripped(key, key_length);
  give(ierror, get_text(buflen, value, value_length, [&](int* room, char* made, bool& found) {
         int flagged = 0;
         const int result =
             TIDINGS_C(MPI_Info_get_string)(Of<MPI_Info>::handle(*info), name.c_str(), room, made, &flagged);
         found = flagged != 0;
         if (result == MPI_SUCCESS) *flag = found ? 1 : 0;
         return result;
       }));
}
TIDINGS_ALSO_F08(info_get_string);

TIDINGS_EXPORT void TIDINGS_FORTRAN(session_get_nth_pset)(const Integer* session, const Integer* info, const Integer* n,
                                                          Integer* pset_len, char* pset_name, Integer* ierror,
                                                          std::size_t name_length) {
  give(ierror, get_text(pset_len, pset_name, name_length, [&](int* room, char* made, bool&) {
         return TIDINGS_C(MPI_Session_get_nth_pset)(Of<MPI_Session>::handle(*session), Of<MPI_Info>::handle(*info), *n,
                                                    room, made);
       }));
}
TIDINGS_ALSO_F08(session_get_nth_pset);

// ---------------------------------------------------------------- buffers that come back

// mpif.h and module mpi have no pointer for the buffer: their argument is not used. Module mpi_f08 has one.
#define TIDINGS_DETACH(lower, F08, name, Size, OBJECT, HANDLE)                            \
  TIDINGS_EXPORT void TIDINGS_FORTRAN(lower)(OBJECT void*, Size* size, Integer* ierror) { \
    void* address = nullptr;                                                              \
    give(ierror, TIDINGS_C(name)(HANDLE & address, size));                                \
  }                                                                                       \
  TIDINGS_EXPORT void F08(OBJECT void** address, Size* size, Integer* ierror) {           \
    give(ierror, TIDINGS_C(name)(HANDLE address, size));                                  \
  }
#define TIDINGS_NOTHING
#define TIDINGS_COMM const Integer *comm,
#define TIDINGS_COMM_HANDLE Of<MPI_Comm>::handle(*comm),
#define TIDINGS_SESSION const Integer *session,
#define TIDINGS_SESSION_HANDLE Of<MPI_Session>::handle(*session),
TIDINGS_DETACH(buffer_detach, TIDINGS_F08(buffer_detach), MPI_Buffer_detach, int, TIDINGS_NOTHING, TIDINGS_NOTHING)
TIDINGS_DETACH(buffer_detach_c, TIDINGS_LARGE_F08(buffer_detach), MPI_Buffer_detach_c, MPI_Count, TIDINGS_NOTHING,
               TIDINGS_NOTHING)
TIDINGS_DETACH(comm_detach_buffer, TIDINGS_F08(comm_detach_buffer), MPI_Comm_detach_buffer, int, TIDINGS_COMM,
               TIDINGS_COMM_HANDLE)
TIDINGS_DETACH(comm_detach_buffer_c, TIDINGS_LARGE_F08(comm_detach_buffer), MPI_Comm_detach_buffer_c, MPI_Count,
               TIDINGS_COMM, TIDINGS_COMM_HANDLE)
TIDINGS_DETACH(session_detach_buffer, TIDINGS_F08(session_detach_buffer), MPI_Session_detach_buffer, int,
               TIDINGS_SESSION, TIDINGS_SESSION_HANDLE)
TIDINGS_DETACH(session_detach_buffer_c, TIDINGS_LARGE_F08(session_detach_buffer), MPI_Session_detach_buffer_c,
               MPI_Count, TIDINGS_SESSION, TIDINGS_SESSION_HANDLE)
