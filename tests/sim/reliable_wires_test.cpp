// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Machines whose links have bit errors: nothing is lost, errors cost cycles, and a dead link ends the run.
#include "sim/cycle/reliable_wires.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/machine/link_error.h"

namespace tidings::cycle {
namespace {

constexpr std::uint32_t kLatency = 20;
constexpr std::uint32_t kFlits = 256;

/// Two routers that send to each other what credits allow, and give each flit's credit back at once.
class TwoRouters {
 public:
  explicit TwoRouters(double bit_error_rate, std::uint64_t seed = 1)
      : wires_({.link = link_parameters(kLatency, kFlits),
                .latency = kLatency,
                .bit_error_rate = bit_error_rate,
                .seed = seed},
               {1, 0}, [](std::uint32_t end) { return "end " + std::to_string(end); }) {}

  void run(std::uint64_t cycles, bool both = true) {
    for (const Cycle stop = now_ + cycles; now_ < stop; ++now_) {
      std::vector<std::uint32_t> freed;
      wires_.arrive(
          now_,
          [&](std::uint32_t link, const Flit& flit) {
            ASSERT_FALSE(sent_[link].empty());
            EXPECT_EQ(flit.data, sent_[link].front());
            sent_[link].pop_front();
            ++delivered_;
            freed.push_back(1 - link);
          },
          [&](std::uint32_t link, unsigned) { ++credits_[1 - link]; });
      for (std::uint32_t end = 0; end < (both ? 2U : 1U); ++end) {
        if (credits_[end] == 0) continue;
        --credits_[end];
        sent_[end].push_back(next_);
        wires_.send(end, Flit{.vc = 0, .last = false, .data = next_++});
      }
      for (const std::uint32_t end : freed) wires_.send_credit(end, 0);
      wires_.close(now_ + kLatency);
    }
  }

  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  [[nodiscard]] const ReliableWires& wires() const { return wires_; }

 private:
  ReliableWires wires_;
  Cycle now_;
  std::uint32_t next_ = 0;
  std::deque<std::uint32_t> sent_[2];
  std::uint32_t credits_[2] = {kFlits, kFlits};
  std::uint64_t delivered_ = 0;
};

TEST(ReliableWires, WithoutErrorsCarryAWordACycle) {
  TwoRouters routers(0);
  routers.run(1000);
  const std::uint64_t before = routers.delivered();
  routers.run(1000);
  EXPECT_EQ(routers.delivered() - before, 2 * 1000U);
  EXPECT_EQ(routers.wires().damaged_frames(), 0U);
  EXPECT_EQ(routers.wires().resent_frames(), 0U);
}

TEST(ReliableWires, WithErrorsLoseNothingAndTakeLonger) {
  std::uint64_t faster = 2 * 20000;
  for (const double rate : {1e-5, 1e-4, 1e-3}) {
    TwoRouters routers(rate);
    routers.run(20000);
    EXPECT_LT(routers.delivered(), faster) << rate;
    EXPECT_GT(routers.delivered(), 500U) << rate;
    EXPECT_GT(routers.wires().damaged_frames(), 0U) << rate;
    EXPECT_GT(routers.wires().resent_frames(), 0U) << rate;
    faster = routers.delivered();
  }
}

TEST(ReliableWires, DamageAsManyBitsAsTheRateSays) {
  TwoRouters routers(1e-4);
  routers.run(100000);
  // Each direction sends a frame in nearly every cycle; one of about 128 has a wrong bit.
  const double damaged = static_cast<double>(routers.wires().damaged_frames()) / (2 * 100000);
  EXPECT_NEAR(damaged, 78e-4, 78e-5);
}

TEST(ReliableWires, ErrorsFollowFromTheSeed) {
  const auto delivered = [](std::uint64_t seed) {
    TwoRouters routers(1e-3, seed);
    routers.run(5000);
    return routers.delivered();
  };
  EXPECT_EQ(delivered(5), delivered(5));
  EXPECT_NE(delivered(5), delivered(6));
}

TEST(ReliableWires, ADeadLinkIsReportedWithBothEnds) {
  TwoRouters routers(0.4);
  try {
    routers.run(100000, false);
    FAIL() << "the link did not die";
  } catch (const LinkError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("from end 0 to end 1 is dead"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tidings::cycle
