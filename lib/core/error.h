// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file error.h
/// An error in MPI's sense: a class and a text. The library's entry points turn it into a call of the error handler.
#include <stdexcept>
#include <string>

namespace tidings {

class Error : public std::runtime_error {
 public:
  Error(int error_class, const std::string& text) : std::runtime_error(text), error_class_(error_class) {}

  /// One of the MPI_ERR_ constants.
  [[nodiscard]] int error_class() const { return error_class_; }

 private:
  int error_class_;
};

/// The class is one of the standard's.
[[nodiscard]] bool error_class_is_known(int error_class);
/// What an error class means, in words.
[[nodiscard]] const char* error_class_text(int error_class);

}  // namespace tidings
