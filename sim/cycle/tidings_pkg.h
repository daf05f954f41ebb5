// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file tidings_pkg.h
/// Twin of rtl/common/tidings_pkg.sv. Types and constants are generated from it; the functions are here.
#include "generated/tidings_pkg.h"

namespace tidings::cycle {

using namespace tidings_pkg;

/// True for the kinds that travel in the reply class.
constexpr bool is_reply(Kind kind) { return (static_cast<unsigned>(kind) & 8U) != 0; }

/// True for the kinds that follow a static route.
constexpr bool is_static(Kind kind) { return static_cast<unsigned>(kind) >> 2U == 1; }

/// The engine that packets of a kind are for.
constexpr Engine engine_of(Kind kind) {
  switch (kind) {
    case Kind::kStream:
    case Kind::kCredit:
      return Engine::kMpe;
    case Kind::kWords:
    case Kind::kWordsCredit:
      return Engine::kStream;
    default:
      return Engine::kRma;
  }
}

/// The kind in a packet's first word.
constexpr Kind kind_of(std::uint32_t header) { return Header0::decode(header).kind; }

/// An element fills two words.
constexpr bool is_wide(Element element) { return element == Element::kInt64 || element == Element::kDouble; }

/// The operation combines elements.
constexpr bool combines(Collective operation) {
  return operation == Collective::kReduce || operation == Collective::kAllreduce;
}

}  // namespace tidings::cycle
