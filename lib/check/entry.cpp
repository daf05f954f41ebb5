// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "check/entry.h"

constinit thread_local const void* tidings::caller = nullptr;

/// What lib/check asks for: where the program called the wrapper that calls the library now, or null.
extern "C" __attribute__((visibility("default"))) const void* tidings_caller() { return tidings::caller; }
