// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/rma_sender.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "sim/machine/memory_port.h"

namespace tidings::test {
namespace {

using cycle::Header1;
using cycle::Kind;
using cycle::RmaSender;
using cycle::RmaTransfer;
using cycle::SteadyReads;

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

/// A sender with the memory that it reads, which answers after as many cycles as it says.
class SenderWithMemory {
 public:
  SenderWithMemory(std::span<std::byte> bytes, std::uint32_t latency) : memory_(Endpoint{}, latency) {
    memory_.attach(bytes);
  }

  [[nodiscard]] RmaSender& sender() { return sender_; }
  [[nodiscard]] const SteadyReads& reads() const { return reads_; }
  void start(const RmaTransfer& transfer) { edge({.start = &transfer}); }
  /// A cycle. @return the flit that leaves, if any.
  std::optional<Flit> step(bool ready) {
    std::optional<Flit> flit;
    if (ready && sender_.valid()) flit = sender_.flit();
    const bool answered = memory_.due(now_);
    const bool read = sender_.read_valid();
    reads_.asked += read ? 1 : 0;
    reads_.answered += answered ? 1 : 0;
    edge({.read_ready = read, .data_valid = answered, .data = answered ? memory_.take() : 0, .ready = ready});
    return flit;
  }
  [[nodiscard]] std::uint32_t steady_cycles(std::uint32_t most) const {
    return sender_.steady_cycles(memory_, now_, most);
  }
  SteadyReads send_on(std::span<std::uint32_t> words) {
    const SteadyReads reads = sender_.send_on(memory_, now_, words);
    now_ = now_ + words.size();
    return reads;
  }

 private:
  void edge(const RmaSender::Inputs& inputs) {
    sender_.clock(inputs);
    ++now_;
    if (sender_.read_valid()) memory_.read(sender_.read_address(), now_);
  }

  RmaSender sender_{64, NodeId{1}, SlotId{2}};
  MemoryPort memory_;
  Cycle now_;
  SteadyReads reads_;
};

/// What leaves in each cycle until the transfer has left, if flits may leave in some of them.
std::vector<std::optional<std::uint32_t>> rest_of(SenderWithMemory sender, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::optional<std::uint32_t>> words;
  while (sender.sender().busy()) {
    const std::optional<Flit> flit = sender.step(random() % 4 != 0);
    words.push_back(flit ? std::optional(flit->data << 1 | (flit->last ? 1U : 0)) : std::nullopt);
  }
  return words;
}

TEST(RmaSender, SendsOnAsItWouldWordByWord) {
  std::vector<std::byte> bytes(8192);
  std::mt19937 random(20261127);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  std::uint32_t runs = 0, with_full_buffer = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SenderWithMemory sender(bytes, 1 + seed % 12);
    sender.start({.kind = Kind::kPut, .addressed = true, .source = 4 * (seed % 64), .bytes = 1 + 23 * seed});
    std::uint32_t stalled = 0;  // cycles that are left in which nothing may leave
    while (sender.sender().busy()) {
      if (stalled == 0 && random() % 32 == 0) stalled = static_cast<std::uint32_t>(random() % 100);
      const std::uint32_t cycles =
          stalled == 0 ? sender.steady_cycles(1 + static_cast<std::uint32_t>(random() % 80)) : 0;
      if (cycles == 0) {
        static_cast<void>(sender.step(stalled == 0));
        stalled -= stalled == 0 ? 0 : 1;
        continue;
      }
      SenderWithMemory by_words = sender;
      const bool full = sender.sender().reads_left() != 0 && !sender.sender().read_valid();
      ++runs;
      with_full_buffer += full ? 1 : 0;
      std::vector<std::uint32_t> words(cycles);
      const SteadyReads reads = sender.send_on(words);
      const SteadyReads before = by_words.reads();
      for (const std::uint32_t word : words) {
        const std::optional<Flit> flit = by_words.step(true);
        ASSERT_TRUE(flit.has_value()) << "seed " << seed;
        EXPECT_EQ(word, flit->data) << "seed " << seed;
        EXPECT_FALSE(flit->last) << "seed " << seed;
      }
      EXPECT_EQ(reads.asked, by_words.reads().asked - before.asked) << "seed " << seed;
      EXPECT_EQ(reads.answered, by_words.reads().answered - before.answered) << "seed " << seed;
      ASSERT_EQ(rest_of(sender, seed), rest_of(by_words, seed)) << "seed " << seed;
    }
  }
  EXPECT_GT(runs, 1000U);
  EXPECT_GT(with_full_buffer, 10U);
}

}  // namespace
}  // namespace tidings::test
