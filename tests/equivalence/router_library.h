// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file router_library.h
/// A router of the RTL (rtl/network/router.sv or crosspoint_router.sv), compiled, as a shared library.
#include <cstdint>

#include "generated/node_parameters.h"
#include "sim/machine/node.h"

namespace tidings::test {

struct RouterInstance;

struct RouterLibrary {
  NodeParameters parameters;  ///< what a router has of them
  /// After reset, from state that is drawn from `seed`, which is not zero.
  /// @param radix,wrap kMaxDims entries each.
  RouterInstance* (*create)(std::uint16_t node, const std::uint16_t* radix, const bool* wrap, int seed);
  void (*destroy)(RouterInstance*);
  /// Network ports, then slots, then the taps of the network ports and the lane. @return busy_o.
  bool (*outputs)(const RouterInstance*, PortOutput*);
  /// One clock edge with the inputs of network ports, slots, and the lane. Returns null, or a message that is valid
  /// until the router's next call.
  const char* (*step)(RouterInstance*, const PortInput*);
  /// route_refused_o.
  bool (*refused)(const RouterInstance*);
  /// Between reset and the first step: a clock edge in which slot 0 changes a static route.
  void (*write_route)(RouterInstance*, std::uint32_t write);
};

inline constexpr char kRouterLibrarySymbol[] = "tidings_router_library";

}  // namespace tidings::test

extern "C" const tidings::test::RouterLibrary* tidings_router_library();
