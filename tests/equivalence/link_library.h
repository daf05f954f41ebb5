// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file link_library.h
/// An end of a link that loses nothing (rtl/network/reliable_link.sv), compiled, as a shared library.
#include "sim/cycle/reliable_link.h"

namespace tidings::test {

struct LinkInstance;

struct LinkLibrary {
  cycle::LinkParameters parameters;
  /// After reset, from state that is drawn from `seed`, which is not zero.
  LinkInstance* (*create)(int seed);
  void (*destroy)(LinkInstance*);
  void (*outputs)(const LinkInstance*, cycle::LinkOutput*);
  /// One clock edge. `frame` is null if nothing comes from the wire. Returns null, or a message that is valid until
  /// the link's next call.
  const char* (*step)(LinkInstance*, const PortOutput*, const cycle::PackedFrame* frame);
};

inline constexpr char kLinkLibrarySymbol[] = "tidings_link_library";

}  // namespace tidings::test

extern "C" const tidings::test::LinkLibrary* tidings_link_library();
