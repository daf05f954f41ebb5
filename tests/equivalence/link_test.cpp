// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The twin of a link that loses nothing and the Verilated one agree on every output in every cycle, whatever the wire
// between the ends does.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "sim/cycle/reliable_link.h"
#include "tests/equivalence/link_library.h"

namespace tidings::test {
namespace {

using cycle::LinkOutput;
using cycle::PackedFrame;
using cycle::ReliableLink;

const LinkLibrary& load_library() {
  const std::string path = std::string(TIDINGS_ENGINE_LIBRARIES) + "/link_small.so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays until the process ends
  void* const symbol = handle == nullptr ? nullptr : dlsym(handle, kLinkLibrarySymbol);
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return *reinterpret_cast<const LinkLibrary* (*)()>(symbol)();
}

/// The RTL's end and its twin, with the same inputs.
class EndPair {
 public:
  EndPair(const LinkLibrary& library, int seed)
      : library_(library), rtl_(library.create(seed), library.destroy), twin_(library.parameters) {}

  /// What both show in this cycle.
  LinkOutput outputs() const {
    LinkOutput rtl;
    library_.outputs(rtl_.get(), &rtl);
    const LinkOutput twin = twin_.outputs();
    expect("flit and credits", rtl.router == twin.router);
    expect("frame", rtl.frame_valid == twin.frame_valid && rtl.frame == twin.frame);
    expect("dead", rtl.dead == twin.dead);
    expect("resent", rtl.resent == twin.resent);
    expect("damaged", rtl.damaged == twin.damaged);
    expect("busy", rtl.busy == twin.busy);
    return twin;
  }

  void step(const PortOutput& router, const PackedFrame* frame) {
    if (const char* error = library_.step(rtl_.get(), &router, frame)) throw std::runtime_error(error);
    twin_.clock(router, frame);
    ++cycle_;
  }

 private:
  void expect(const char* what, bool equal) const {
    if (!equal) throw std::runtime_error("cycle " + std::to_string(cycle_) + ": " + what + " differs");
  }

  const LinkLibrary& library_;
  std::unique_ptr<LinkInstance, void (*)(LinkInstance*)> rtl_;
  ReliableLink twin_;
  std::uint64_t cycle_ = 0;
};

/// Two ends, wires with errors, and routers that send at random what their credits allow.
class LinkPair {
 public:
  static constexpr unsigned kLatency = 5, kChannels = 4;

  LinkPair(const LinkLibrary& library, unsigned seed) : random_(seed), ends_{EndPair(library, 1), EndPair(library, 2)} {
    for (auto& credits : credits_) credits.fill(library.parameters.queue_flits / kChannels);
    for (auto& wire : wires_) wire.resize(kLatency - 1);
  }

  void step(double load, double bit_error_rate, bool cut) {
    std::array<LinkOutput, 2> shown;
    std::array<PortOutput, 2> router;
    std::array<std::optional<PackedFrame>, 2> come;
    for (unsigned e = 0; e < 2; ++e) {
      shown[e] = ends_[e].outputs();
      take(e, shown[e].router);
      router[e] = send(e, load);
      wires_[e].push_back(shown[e].frame_valid ? std::optional(shown[e].frame) : std::nullopt);
      resent_ += shown[e].resent ? 1 : 0;
      dead_ = dead_ || shown[e].dead;
    }
    for (unsigned e = 0; e < 2; ++e) {
      come[e] = wires_[1 - e].front();
      wires_[1 - e].pop_front();
      if (cut) come[e].reset();
      if (come[e]) damage(*come[e], bit_error_rate);
    }
    for (unsigned e = 0; e < 2; ++e) ends_[e].step(router[e], come[e] ? &*come[e] : nullptr);
  }

  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  [[nodiscard]] std::uint64_t resent() const { return resent_; }
  [[nodiscard]] bool dead() const { return dead_; }

 private:
  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }

  void take(unsigned end, const PortOutput& output) {
    for (unsigned v = 0; v < kChannels; ++v) credits_[end][v] += output.credits >> v & 1U;
    if (!output.flit_valid) return;
    if (sent_[1 - end].empty() || sent_[1 - end].front() != output.flit) throw std::runtime_error("another flit");
    sent_[1 - end].pop_front();
    ++held_[end][output.flit.vc];
    ++delivered_;
  }

  PortOutput send(unsigned end, double load) {
    PortOutput output;
    const auto vc = static_cast<std::uint8_t>(random_() % kChannels);
    if (chance(load) && credits_[end][vc] != 0) {
      --credits_[end][vc];
      output.flit_valid = true;
      output.flit = {.vc = vc, .last = chance(0.5), .data = static_cast<std::uint32_t>(random_())};
      sent_[end].push_back(output.flit);
    }
    for (unsigned v = 0; v < kChannels; ++v) {
      if (held_[end][v] == 0 || !chance(0.6)) continue;
      --held_[end][v];
      output.credits |= static_cast<std::uint8_t>(1U << v);
    }
    return output;
  }

  void damage(PackedFrame& frame, double bit_error_rate) {
    if (bit_error_rate == 0) return;
    for (unsigned bit = 0; bit < cycle::Frame::kWidth; ++bit) {
      if (!chance(bit_error_rate)) continue;
      if (bit < cycle::kCheckWidth) {
        frame.check = static_cast<std::uint16_t>(frame.check ^ 1U << bit);
      } else {
        frame.content ^= std::uint64_t{1} << (bit - cycle::kCheckWidth);
      }
    }
  }

  std::mt19937 random_;
  std::array<EndPair, 2> ends_;
  std::array<std::deque<std::optional<PackedFrame>>, 2> wires_;  ///< what end e sends
  std::array<std::array<std::uint32_t, kChannels>, 2> credits_{};
  std::array<std::array<std::uint32_t, kChannels>, 2> held_{};
  std::array<std::deque<Flit>, 2> sent_;
  std::uint64_t delivered_ = 0;
  std::uint64_t resent_ = 0;
  bool dead_ = false;
};

TEST(ReliableLinkTwin, HasTheOutputsOfTheRtlWhateverTheWireDoes) {
  for (const double rate : {0.0, 1e-4, 1e-3, 1e-2}) {
    for (const double load : {0.05, 1.0}) {
      LinkPair pair(load_library(), 7);
      for (int cycle = 0; cycle < 4000; ++cycle) pair.step(load, rate, false);
      EXPECT_GT(pair.delivered(), rate == 1e-2 ? 20U : 200U) << "rate " << rate << ", load " << load;
      EXPECT_EQ(pair.resent() != 0, rate != 0.0) << "rate " << rate << ", load " << load;
    }
  }
}

TEST(ReliableLinkTwin, HasTheOutputsOfTheRtlWhereTheWireIsCutForATimeAndForGood) {
  LinkPair pair(load_library(), 8);
  const auto cycles = [&pair](int count, bool cut) {
    for (int cycle = 0; cycle < count; ++cycle) pair.step(0.3, 1e-4, cut);
  };
  for (int time = 0; time < 5; ++time) {
    cycles(100, false);
    cycles(60, true);
  }
  EXPECT_FALSE(pair.dead());
  cycles(1000, true);
  EXPECT_TRUE(pair.dead());
  cycles(300, false);
}

}  // namespace
}  // namespace tidings::test
