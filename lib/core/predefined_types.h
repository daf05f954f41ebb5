// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file predefined_types.h
/// The datatypes that the standard names.
#include "core/datatype.h"
#include "core/handle_table.h"

namespace tidings {

/// Put every predefined datatype of the standard ABI behind its handle. Each is made when it is first looked for.
void define_predefined_types(HandleTable<Datatype>& table);

}  // namespace tidings
