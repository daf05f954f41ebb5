// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file operation.h
/// Reduction operations.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/abi.h"
#include "core/datatype.h"
#include "core/handle_table.h"

namespace tidings {

/// The operations that the standard names, and user-defined ones.
enum class Combine {
  Sum,
  Product,
  Min,
  Max,
  And,
  Or,
  Xor,
  LogicalAnd,
  LogicalOr,
  LogicalXor,
  MinLoc,
  MaxLoc,
  Replace,
  NoOp,
  User
};

class Operation {
 public:
  Operation(std::string name, Combine combine, std::uint8_t code);
  Operation(MPI_User_function* function, bool commutative)
      : name_("user-defined operation"), combine_(Combine::User), commutative_(commutative), function_(function) {}
  Operation(MPI_User_function_c* function, bool commutative)
      : name_("user-defined operation"), combine_(Combine::User), commutative_(commutative), function_c_(function) {}

  Operation(MPIX_User_function_x* function, MPIX_Destructor_function* destroy, void* state, bool commutative)
      : name_("user-defined operation"),
        combine_(Combine::User),
        commutative_(commutative),
        function_x_(function),
        destroy_(destroy),
        state_(state) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation() {
    if (destroy_ != nullptr) destroy_(state_);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Combine combine() const { return combine_; }
  [[nodiscard]] bool commutative() const { return commutative_; }
  [[nodiscard]] bool predefined() const { return combine_ != Combine::User; }
  /// Low byte of the ABI's constant; 255 for a user's operation.
  [[nodiscard]] std::uint8_t code() const { return code_; }

  /// The operation is defined on elements of this type.
  [[nodiscard]] bool accepts(const Datatype& type) const {
    return (accepted_ >> static_cast<unsigned>(type.basic()) & 1U) != 0;
  }

  /// inout[i] = in[i] ∘ inout[i] for `count` elements of `type`, which it accepts.
  void apply(const void* in, void* inout, std::size_t count, const Datatype& type) const;

 private:
  std::string name_;
  Combine combine_;
  bool commutative_ = true;
  std::uint8_t code_ = 255;
  std::uint64_t accepted_ = ~std::uint64_t{0};  ///< one bit for each Basic
  MPI_User_function* function_ = nullptr;
  MPI_User_function_c* function_c_ = nullptr;
  MPIX_User_function_x* function_x_ = nullptr;  ///< with a state of its own
  MPIX_Destructor_function* destroy_ = nullptr;
  void* state_ = nullptr;
};

/// @throws Error if the operation is not defined on elements of this type.
void check_reduction(const Operation& operation, const Datatype& type);

using OperationPointer = std::shared_ptr<const Operation>;

/// Put every predefined operation of the standard ABI behind its handle. Each is made when it is first looked for.
void define_predefined_operations(HandleTable<const Operation>& table);

}  // namespace tidings
