// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file variable.h
/// How the checker is told where its findings go.

namespace tidings::check {

/// Names a file that findings are appended to. Each is a line of fields with tabs between them: the rank; file, offset,
/// function and arguments of the call; the text; and the first four once more for another call that "{}" stands for in
/// the text, behind them its rank if it is another one's. Files of which this name is the beginning hold what ranks
/// tell each other.
inline constexpr const char* kFileVariable = "TIDINGS_CHECK_FILE";

/// Names the checker's library for a program in MPICH's ABI, whose face of the library loads it (lib/mpich_abi). For
/// other programs it is loaded before they start.
inline constexpr const char* kLibraryVariable = "TIDINGS_CHECK_LIBRARY";

}  // namespace tidings::check
