// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file entry.h
/// Wrappers of another language or ABI say where the program called them, for lib/check.

namespace tidings {

/// Where the program called the wrapper that this thread is in. Each library with wrappers has one.
extern constinit thread_local const void* caller __attribute__((tls_model("initial-exec")));

/// A call of the program while it lasts. Each wrapper has one.
class Entry {
 public:
  /// @param address that the wrapper returns to
  explicit Entry(const void* address) : outer_(caller) { caller = address; }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry() { caller = outer_; }

 private:
  const void* outer_;
};

}  // namespace tidings
