// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file error_codes.h
/// Error classes and codes that the program has added.

namespace tidings {

/// The largest error code or class that is in use, the program's own included.
[[nodiscard]] int last_used_code();

}  // namespace tidings
