// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file error.h
/// An error in MPI's sense: a class and a text. The library's entry points turn it into a call of the error handler.
#include <stdexcept>
#include <string>

struct tidings_site;

namespace tidings {

class Error : public std::runtime_error {
 public:
  /// @param earlier call of the program because of which this one is wrong; null if there is none. It stays where it
  ///   is until the error has been handled.
  Error(int error_class, const std::string& text, const tidings_site* earlier = nullptr)
      : std::runtime_error(text), error_class_(error_class), earlier_(earlier) {}

  /// One of the MPI_ERR_ constants.
  [[nodiscard]] int error_class() const { return error_class_; }
  [[nodiscard]] const tidings_site* earlier() const { return earlier_; }

 private:
  int error_class_;
  const tidings_site* earlier_;
};

/// The class is one of the standard's.
[[nodiscard]] bool error_class_is_known(int error_class);
/// What an error class means, in words.
[[nodiscard]] const char* error_class_text(int error_class);

}  // namespace tidings
