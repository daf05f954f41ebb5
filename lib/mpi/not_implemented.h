// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file not_implemented.h
/// For the functions of the standard that Tidings does not have yet.

namespace tidings {

/// End the run with the name of the function. @param reason why it is left out; null if it is still to come.
[[noreturn]] void not_implemented(const char* function, const char* reason);

}  // namespace tidings
