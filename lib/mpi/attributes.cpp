// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file attributes.cpp
/// Keyvals, and the attributes of communicators and datatypes.
#include "mpi/attributes.h"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "mpi/error_codes.h"

using namespace tidings;

namespace {

/// Keyvals by number. Numbers are not used again, and predefined ones are below the first.
struct Keyvals {
  static constexpr int kFirst = 0x1000;
  struct Known {
    std::shared_ptr<const Keyval> own;  ///< null when the program has freed it
    std::weak_ptr<const Keyval> used;   ///< then it is there as long as an object has such an attribute
  };
  int next = kFirst;
  std::map<int, Known> list;
};

Keyvals& keyvals() {
  static auto* const instance = new Keyvals;  // never destroyed, as the library
  return *instance;
}

[[noreturn]] void refuse_keyval(int number) {
  if (number == MPI_KEYVAL_INVALID) throw Error(MPI_ERR_KEYVAL, "the keyval is MPI_KEYVAL_INVALID");
  throw Error(MPI_ERR_KEYVAL, std::to_string(number) + " is not a keyval for objects of this kind");
}

/// Delete the attributes of MPI_COMM_SELF first, as the standard says.
void delete_all_attributes(Library& lib) {
  for (MPI_Comm handle : {MPI_COMM_SELF, MPI_COMM_WORLD}) {
    delete_attributes(handle, lib.communicator(handle)->attributes);
  }
}

/// The value of a predefined attribute of communicators, which the program gets a pointer to.
int* predefined(const Library& lib, int number) {
  static int tag_ub = std::numeric_limits<int>::max();
  static int host = MPI_PROC_NULL;
  static int io = MPI_ANY_SOURCE;
  static int wtime_is_global = 1;
  static int appnum = 0;
  static int universe_size = 0;
  static int last_used_code = 0;
  switch (number) {
    case MPI_TAG_UB:
      return &tag_ub;
    case MPI_HOST:
      return &host;
    case MPI_IO:
      return &io;
    case MPI_WTIME_IS_GLOBAL:
      return &wtime_is_global;
    case MPI_APPNUM:
      appnum = static_cast<int>(library().messages().platform().program);
      return &appnum;
    case MPI_UNIVERSE_SIZE:
      universe_size = lib.communicator(MPI_COMM_WORLD)->size();
      return &universe_size;
    case MPI_LASTUSEDCODE:
      last_used_code = tidings::last_used_code();
      return &last_used_code;
    default:
      return nullptr;
  }
}

void refuse_predefined(const Library& lib, int number) {
  if (predefined(lib, number) != nullptr)
    throw Error(MPI_ERR_KEYVAL, "predefined attributes cannot be changed", "Make a keyval of the program's own.");
}

int set_attr(const char* name, MPI_Comm comm, int keyval, void* value) {
  return serve(name, comm, [&](Library& lib, Call&) {
    const CommunicatorPointer communicator = lib.communicator(comm);
    refuse_predefined(lib, keyval);
    set_attribute(lib, comm, communicator->attributes, keyval, value);
  });
}

int get_attr(const char* name, MPI_Comm comm, int keyval, void* value, int* flag) {
  return serve(name, comm, [&](Library& lib, Call&) {
    const CommunicatorPointer& communicator = lib.communicator(comm);
    if (int* const known = predefined(lib, keyval)) {
      *static_cast<int**>(value) = known;
      *flag = 1;
      return;
    }
    get_attribute(Object::Communicator, communicator->attributes, keyval, value, flag);
  });
}

int delete_attr(const char* name, MPI_Comm comm, int keyval) {
  return serve(name, comm, [&](Library& lib, Call&) {
    const CommunicatorPointer communicator = lib.communicator(comm);
    refuse_predefined(lib, keyval);
    delete_attribute(comm, communicator->attributes, keyval);
  });
}

}  // namespace

namespace tidings {

int add_keyval(Keyval keyval) {
  keyval.number = keyvals().next++;
  auto made = std::make_shared<const Keyval>(keyval);
  keyvals().list[keyval.number] = {made, made};
  return keyval.number;
}

std::shared_ptr<const Keyval> keyval_of(Object object, int number) {
  const auto known = keyvals().list.find(number);
  const auto found = known == keyvals().list.end() ? nullptr : known->second.used.lock();
  if (found == nullptr || found->object != object) refuse_keyval(number);
  return found;
}

void free_keyval(Object object, int number) {
  static_cast<void>(keyval_of(object, number));
  const auto known = keyvals().list.find(number);
  known->second.own.reset();
  if (known->second.used.expired()) keyvals().list.erase(known);
}

void finalize_deletes_attributes(Library& lib) { lib.do_before_finish(delete_all_attributes); }

}  // namespace tidings

// ---------------------------------------------------------------- communicators

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                            MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
  return create_keyval<MPI_Comm>("MPI_Comm_create_keyval", comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval,
                                 extra_state);
}

int PMPI_Comm_free_keyval(int* comm_keyval) { return free_keyval<MPI_Comm>("MPI_Comm_free_keyval", comm_keyval); }

int PMPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return set_attr("MPI_Comm_set_attr", comm, comm_keyval, attribute_val);
}

int PMPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
  return get_attr("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}

int PMPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  return delete_attr("MPI_Comm_delete_attr", comm, comm_keyval);
}

int PMPI_Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state) {
  return create_keyval<MPI_Comm>("MPI_Keyval_create", copy_fn, delete_fn, keyval, extra_state);
}

int PMPI_Keyval_free(int* keyval) { return free_keyval<MPI_Comm>("MPI_Keyval_free", keyval); }

int PMPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val) {
  return set_attr("MPI_Attr_put", comm, keyval, attribute_val);
}

int PMPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return get_attr("MPI_Attr_get", comm, keyval, attribute_val, flag);
}

int PMPI_Attr_delete(MPI_Comm comm, int keyval) { return delete_attr("MPI_Attr_delete", comm, keyval); }

// ---------------------------------------------------------------- datatypes

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                            MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state) {
  return create_keyval<MPI_Datatype>("MPI_Type_create_keyval", type_copy_attr_fn, type_delete_attr_fn, type_keyval,
                                     extra_state);
}

int PMPI_Type_free_keyval(int* type_keyval) { return free_keyval<MPI_Datatype>("MPI_Type_free_keyval", type_keyval); }

int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  return serve("MPI_Type_set_attr", [&](Library& lib, Call&) {
    const std::shared_ptr<Datatype> type = lib.type(datatype);
    set_attribute(lib, datatype, type->attributes, type_keyval, attribute_val);
  });
}

int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag) {
  return serve("MPI_Type_get_attr", [&](Library& lib, Call&) {
    get_attribute(Object::Datatype, lib.type(datatype)->attributes, type_keyval, attribute_val, flag);
  });
}

int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval) {
  return serve("MPI_Type_delete_attr", [&](Library& lib, Call&) {
    const std::shared_ptr<Datatype> type = lib.type(datatype);
    delete_attribute(datatype, type->attributes, type_keyval);
  });
}

// ---------------------------------------------------------------- windows

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn,
                           MPI_Win_delete_attr_function* win_delete_attr_fn, int* win_keyval, void* extra_state) {
  return create_keyval<MPI_Win>("MPI_Win_create_keyval", win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state);
}

int PMPI_Win_free_keyval(int* win_keyval) { return free_keyval<MPI_Win>("MPI_Win_free_keyval", win_keyval); }
