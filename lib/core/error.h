// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file error.h
/// An error in MPI's sense: a class, a text, and what to do about it. The library's entry points turn it into a call of
/// the error handler.
#include <stdexcept>
#include <string>

struct tidings_site;

namespace tidings {

/// Errors say what to do. A soft core's library has no room for these texts.
#ifdef TIDINGS_REMEDIES
inline constexpr bool kRemedies = true;
#else
inline constexpr bool kRemedies = false;
#endif

class Error : public std::runtime_error {
 public:
  /// What to do is the same for all errors of the class.
  Error(int error_class, const std::string& text) : Error(error_class, text, nullptr) {}
  /// @param remedy what to do: a sentence that lives as long as the process; empty if the program has made the error
  /// @param earlier call of the program because of which this one is wrong; null if there is none. It stays where it
  ///   is until the error has been handled.
  Error(int error_class, const std::string& text, [[maybe_unused]] const char* remedy,
        const tidings_site* earlier = nullptr)
      : std::runtime_error(text), error_class_(error_class), remedy_(kRemedies ? remedy : nullptr), earlier_(earlier) {}

  /// One of the MPI_ERR_ constants.
  [[nodiscard]] int error_class() const { return error_class_; }
  /// What to do, or nothing.
  [[nodiscard]] const char* remedy() const;
  [[nodiscard]] const tidings_site* earlier() const { return earlier_; }

 private:
  int error_class_;
  const char* remedy_;  ///< null: that of the class
  const tidings_site* earlier_;
};

/// The class is one of the standard's.
[[nodiscard]] bool error_class_is_known(int error_class);
/// What an error class means, in words.
[[nodiscard]] const char* error_class_text(int error_class);
/// What to do about errors of a class; empty if that depends on the error.
[[nodiscard]] const char* error_class_remedy(int error_class);

}  // namespace tidings
