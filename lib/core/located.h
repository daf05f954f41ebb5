// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file located.h
/// The value-and-index pairs of MPI_MINLOC and MPI_MAXLOC.

namespace tidings {

template <class Value, class Index = int>
struct Located {
  Value value;
  Index index;
};

}  // namespace tidings
