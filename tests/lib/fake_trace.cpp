// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// A trace that keeps how the calls of rank 0 were carried out. Tests that do not ask for it have none at all.
#include <array>
#include <cstdio>

#include "fake_device.h"
#include "trace.h"

namespace {

std::array<char, 32> name_of_call{};
int depth = 0;
const char* note = nullptr;

}  // namespace

void tidings_trace_library(const tidings_library_words*) {}

bool tidings_trace_enter(const char* name) {
  if (depth++ != 0) return false;
  std::snprintf(name_of_call.data(), name_of_call.size(), "%s", name);
  return true;
}

void tidings_trace_call(const tidings_call*) {}

void tidings_trace_bytes(std::uint64_t) {}

void tidings_trace_wait(void (*)(const void*), const void*) {}

void tidings_trace_waiting(const char*, const std::uint32_t*, std::uint32_t) {}

void tidings_trace_message(std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t) {}

void tidings_trace_note(const char* text) { note = text; }

void tidings_trace_site(tidings_site* site, const char* call) { *site = {.call = call, .count = 0, .returns = {}}; }

void tidings_trace_earlier(const tidings_site*) {}

void tidings_trace_leave(tidings_path path, const char* reason) {
  if (--depth != 0) return;
  tidings::fake::log_operation(name_of_call.data(), path, reason, note);
  note = nullptr;
}
