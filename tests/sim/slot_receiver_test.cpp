// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/slot_receiver.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tidings::test {
namespace {

using cycle::Header0;
using cycle::Header1;
using cycle::Kind;
using cycle::SlotReceiver;

Flit flit_of(std::uint32_t data) { return {.vc = 0, .last = false, .data = data}; }

/// A receiver inside a packet, with some words of payload in its buffer.
SlotReceiver with_payload(std::uint32_t words) {
  SlotReceiver receiver(8, engine_bit(tidings_pkg::Engine::kRma));
  const Flit header0 = flit_of(Header0{.kind = Kind::kPut}.encode()),
             header1 = flit_of(Header1{.length = 400}.encode());
  receiver.clock(false, &header0);
  receiver.clock(true, &header1);
  for (std::uint32_t i = 0; i < words; ++i) {
    const Flit word = flit_of(100 + i);
    receiver.clock(i == 0, &word);
  }
  return receiver;
}

/// What it offers until it is empty.
std::vector<std::uint32_t> rest_of(SlotReceiver receiver) {
  std::vector<std::uint32_t> words;
  for (; receiver.busy(); receiver.clock(true, nullptr)) words.push_back(receiver.word().data);
  return words;
}

TEST(SlotReceiver, MovesInsideAPacketAsItWouldWordByWord) {
  for (std::uint32_t here = 1; here <= 8; ++here) {
    for (std::uint32_t cycles = 1; cycles <= 20; ++cycles) {
      SlotReceiver at_once = with_payload(here), by_words = at_once;
      ASSERT_TRUE(at_once.inside_packet());
      std::vector<std::uint32_t> arrivals, shown(cycles), shown_by_words;
      for (std::uint32_t i = 0; i < cycles; ++i) arrivals.push_back(1000 + i);
      at_once.clock_inside(arrivals, shown);
      for (const std::uint32_t word : arrivals) {
        const Flit flit = flit_of(word);
        by_words.clock(true, &flit);
        shown_by_words.push_back(by_words.word().data);
      }
      EXPECT_EQ(shown, shown_by_words) << here << " words, " << cycles << " cycles";
      EXPECT_EQ(rest_of(at_once), rest_of(by_words)) << here << " words, " << cycles << " cycles";
    }
  }
}

}  // namespace
}  // namespace tidings::test
