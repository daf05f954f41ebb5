// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/memory_layout.h"
#include "driver.h"

namespace tidings {
namespace {

TEST(MemoryLayout, PartsDoNotOverlapAndFitForAnyNumberOfRanks) {
  for (const std::size_t memory : {std::size_t{1} << 19, std::size_t{1} << 20, std::size_t{4} << 20}) {
    for (const std::uint32_t ranks : {1U, 2U, 3U, 16U, 64U, 100U}) {
      const MemoryLayout l = MemoryLayout::divide(memory, ranks);
      EXPECT_GE(l.transmit_base, l.queue_base + (TIDINGS_QUEUE_SLOT_BYTES << l.queue_log2));
      EXPECT_GE(l.staging_base, l.transmit_base + l.transmit_slots * TIDINGS_QUEUE_SLOT_BYTES);
      EXPECT_GE(l.collective_base, l.staging_base + l.staging_buffers * l.chunk);
      EXPECT_GE(l.window_base, l.collective_base + 4 * l.chunk);
      EXPECT_LE(l.window_base + l.windows * l.chunk, memory);
      EXPECT_GE(l.windows, 2U);
      EXPECT_GE(l.beside, 2 * l.chunk);
      EXPECT_EQ(l.beside % 8, 0U);
      EXPECT_EQ(l.given_base % 64, 0U);
      const bool apart = l.beside_base >= l.window_base + l.windows * l.chunk;
      EXPECT_TRUE(apart || (l.beside_base == l.collective_base && l.beside == 2 * l.chunk));
      EXPECT_GE(l.given_base, l.window_base + l.windows * l.chunk);
      EXPECT_GE(l.given_base, l.beside_base + 2 * l.beside);
      EXPECT_LE(l.given_base + l.given, memory);
      EXPECT_EQ(l.collective_base % 8, 0U);
    }
  }
}

TEST(MemoryLayout, RingHoldsTheCreditsOfAllOtherRanks) {
  for (const std::uint32_t ranks : {2U, 17U, 64U, 500U}) {
    const MemoryLayout l = MemoryLayout::divide(std::size_t{4} << 20, ranks);
    EXPECT_GE(1U << l.queue_log2, (ranks - 1) * l.credits);
    EXPECT_GE(l.credits, 4U);
  }
}

TEST(MemoryLayout, TooLittleMemoryIsAnErrorThatSaysHowMuchThereIs) {
  try {
    MemoryLayout::divide(16384, 64);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("16384 bytes is too small for 64 ranks"), std::string::npos);
  }
}

}  // namespace
}  // namespace tidings
