// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/rma_sender.h"

#include <gtest/gtest.h>

#include <vector>

namespace tidings::test {
namespace {

using cycle::Header1;
using cycle::Kind;
using cycle::RmaSender;
using cycle::RmaTransfer;

/// The lengths that the headers of a transfer's packets say, in bytes.
std::vector<std::uint32_t> lengths_of(RmaSender& sender, const RmaTransfer& transfer) {
  std::vector<std::uint32_t> lengths;
  std::uint32_t word = 0;  // of the packet
  bool read = false;
  const RmaTransfer* start = &transfer;
  do {
    // The clock edge of a transfer that is taken comes with its first word.
    const bool valid = start != nullptr || sender.valid();
    const Flit flit = start != nullptr ? sender.first_flit(transfer) : sender.flit();
    const bool reads = start != nullptr || sender.read_valid();
    sender.clock({.start = start, .read_ready = true, .data_valid = read, .data = 7, .ready = true});
    start = nullptr;
    read = reads;
    if (!valid) continue;
    if (word == 1) lengths.push_back(Header1::decode(flit.data).length);
    word = flit.last ? 0 : word + 1;
  } while (sender.busy());
  return lengths;
}

TEST(RmaSender, APutIsSplitIntoPackets) {
  RmaSender sender(30, NodeId{1}, SlotId{2});
  using Lengths = std::vector<std::uint32_t>;
  EXPECT_EQ(lengths_of(sender, {.kind = Kind::kPut, .addressed = true, .bytes = 248}), (Lengths{120, 120, 8}));
  EXPECT_EQ(lengths_of(sender, {.kind = Kind::kPut, .addressed = true, .bytes = 120}), (Lengths{120}));
}

TEST(RmaSender, AMessageIsOnePacketHoweverShortPacketsOfPutsAre) {
  RmaSender sender(5, NodeId{1}, SlotId{2});
  using Lengths = std::vector<std::uint32_t>;
  EXPECT_EQ(lengths_of(sender, {.kind = Kind::kMessage, .whole = true, .bytes = 248}), (Lengths{248}));
  EXPECT_EQ(lengths_of(sender, {.kind = Kind::kMessage, .whole = true, .bytes = 3}), (Lengths{3}));
  EXPECT_EQ(lengths_of(sender, {.kind = Kind::kPut, .addressed = true, .bytes = 21}), (Lengths{20, 1}));
}

}  // namespace
}  // namespace tidings::test
