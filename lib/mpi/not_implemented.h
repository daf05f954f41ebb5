// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file not_implemented.h
/// For the functions of the standard that Tidings does not have yet.

namespace tidings {

/// End the run with the name of the function.
[[noreturn]] void not_implemented(const char* function);

}  // namespace tidings
