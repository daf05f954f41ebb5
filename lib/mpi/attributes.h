// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file attributes.h
/// Attributes of any kind of object that has them: what its entry points call.
#include <string>

#include "core/attributes.h"
#include "mpi/call.h"

namespace tidings {

template <class Handle>
using CopyFunction = int(Handle, int, void*, void*, void*, int*);
template <class Handle>
using DeleteFunction = int(Handle, int, void*, void*);

/// The standard's constant for "copy the value as it is" stands in the place of a function.
template <class Handle>
[[nodiscard]] bool copies_as_is(CopyFunction<Handle>* function) {
  return erased(function) == erased(MPI_COMM_DUP_FN);
}

/// Keep a new keyval. @return its number.
int add_keyval(Keyval keyval);
/// @throws Error if there is no such keyval for objects of this kind.
[[nodiscard]] std::shared_ptr<const Keyval> keyval_of(Object object, int number);
/// The program has done with a keyval; attributes that are set keep it, and its number can be used for them. @throws
/// Error if there is no such keyval.
void free_keyval(Object object, int number);
/// From now on MPI_Finalize looks for attributes.
void finalize_deletes_attributes(Library& lib);

/// What an attribute's function returns ends the call.
inline void check_result(int code, const char* function, const Keyval& keyval) {
  if (code == MPI_SUCCESS) return;
  throw Error(code,
              std::string("the ") + function + " function of keyval " + std::to_string(keyval.number) + " returned " +
                  std::to_string(code),
              "");
}

template <class Handle>
int create_keyval(const char* name, CopyFunction<Handle>* copy, DeleteFunction<Handle>* remove, int* keyval,
                  void* extra_state) {
  return serve(name, [&](Library&, Call&) {
    const bool as_is = copies_as_is<Handle>(copy);
    *keyval = add_keyval(
        {kObjectOf<Handle>, MPI_KEYVAL_INVALID, as_is ? nullptr : erased(copy), as_is, erased(remove), extra_state});
  });
}

template <class Handle>
int free_keyval(const char* name, int* keyval) {
  return serve(name, [&](Library&, Call&) {
    free_keyval(kObjectOf<Handle>, *keyval);
    *keyval = MPI_KEYVAL_INVALID;
  });
}

/// Delete one attribute, unless its function refuses.
template <class Handle>
void delete_attribute(Handle handle, Attributes& attributes, const Attribute& attribute) {
  const Attribute kept = attribute;  // the function may change the list
  if (kept.keyval->remove != nullptr) {
    check_result(as_function<DeleteFunction<Handle>>(kept.keyval->remove)(handle, kept.keyval->number, kept.value,
                                                                          kept.keyval->extra_state),
                 "delete", *kept.keyval);
  }
  attributes.remove(*kept.keyval);
}

/// Delete all, the last one first: the object is freed.
template <class Handle>
void delete_attributes(Handle handle, Attributes& attributes) {
  while (!attributes.list().empty()) delete_attribute(handle, attributes, attributes.list().back());
}

/// Give the copy of an object the attributes whose functions want it.
template <class Handle>
void copy_attributes(Handle from_handle, const Attributes& from, Attributes& to) {
  const std::vector<Attribute> list = from.list();
  for (const Attribute& attribute : list) {
    const Keyval& keyval = *attribute.keyval;
    if (keyval.copy_as_is) to.add(attribute);
    if (keyval.copy == nullptr) continue;
    int flag = 0;
    void* value = nullptr;
    check_result(as_function<CopyFunction<Handle>>(keyval.copy)(from_handle, keyval.number, keyval.extra_state,
                                                                attribute.value, &value, &flag),
                 "copy", keyval);
    if (flag != 0) to.add({attribute.keyval, value});
  }
}

template <class Handle>
void set_attribute(Library& lib, Handle handle, Attributes& attributes, int number, void* value) {
  const auto keyval = keyval_of(kObjectOf<Handle>, number);
  finalize_deletes_attributes(lib);
  if (const Attribute* const old = attributes.find(*keyval)) delete_attribute(handle, attributes, *old);
  attributes.add({keyval, value});
}

/// @param value where a pointer goes.
inline void get_attribute(Object object, const Attributes& attributes, int number, void* value, int* flag) {
  const Attribute* const found = attributes.find(*keyval_of(object, number));
  *flag = found != nullptr;
  if (found != nullptr) *static_cast<void**>(value) = found->value;
}

template <class Handle>
void delete_attribute(Handle handle, Attributes& attributes, int number) {
  const auto keyval = keyval_of(kObjectOf<Handle>, number);
  const Attribute* const found = attributes.find(*keyval);
  if (found == nullptr)
    throw Error(MPI_ERR_KEYVAL, "the object has no attribute of keyval " + std::to_string(number),
                "Set it before, or ask whether it is set.");
  delete_attribute(handle, attributes, *found);
}

}  // namespace tidings
