// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file object.h
/// Kinds of objects to which programs attach functions of their own: error handlers and attributes.
#include <cstdint>

#include "core/abi.h"

namespace tidings {

enum class Object : std::uint8_t { Communicator, Datatype, Window, File, Session };

/// The kind that a type of handles names.
template <class Handle>
inline constexpr Object kObjectOf = Object::Communicator;
template <>
inline constexpr Object kObjectOf<MPI_Datatype> = Object::Datatype;
template <>
inline constexpr Object kObjectOf<MPI_Win> = Object::Window;
template <>
inline constexpr Object kObjectOf<MPI_File> = Object::File;
template <>
inline constexpr Object kObjectOf<MPI_Session> = Object::Session;

/// A function of the program whose type follows from the kind of object that it is for.
using ErasedFunction = void (*)();
template <class Function>
[[nodiscard]] ErasedFunction erased(Function* function) {
  return reinterpret_cast<ErasedFunction>(function);
}
template <class Function>
[[nodiscard]] Function* as_function(ErasedFunction function) {
  return reinterpret_cast<Function*>(function);
}

}  // namespace tidings
