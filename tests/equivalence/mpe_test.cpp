// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "tests/equivalence/mpe_library.h"
#include "tests/equivalence/mpe_surroundings.h"

namespace tidings::test {
namespace {

using cycle::Collective;
using cycle::Element;
using cycle::Mpe;
using cycle::MpeInputs;
using cycle::MpeParameters;

constexpr NodeId kNode{0xa53};
constexpr SlotId kSlot{0x6};

const MpeLibrary& load(const std::string& name) {
  const std::string path = std::string(TIDINGS_ENGINE_LIBRARIES) + "/mpe_" + name + ".so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays until the process ends
  void* const symbol = handle == nullptr ? nullptr : dlsym(handle, kMpeLibrarySymbol);
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return *reinterpret_cast<const MpeLibrary* (*)()>(symbol)();
}

/// The RTL's engine.
class VerilatedMpe {
 public:
  VerilatedMpe(const MpeLibrary& library, int seed)
      : library_(library), instance_(library.create(kNode.value, kSlot.value, seed), library.destroy) {}

  [[nodiscard]] MpeOutputs outputs(cycle::MpeLinks links) {
    MpeOutputs outputs;
    library_.outputs(instance_.get(), links.data(), &outputs);
    return outputs;
  }

  void step(const MpeInputs& inputs) {
    const char* const error = library_.step(instance_.get(), &inputs);
    if (error != nullptr) throw std::runtime_error(error);
  }

 private:
  const MpeLibrary& library_;
  std::unique_ptr<MpeInstance, void (*)(MpeInstance*)> instance_;
};

MpeOutputs outputs_of(const Mpe& mpe, cycle::MpeLinks links) {
  MpeOutputs outputs;
  outputs.command_ready = mpe.command_ready();
  outputs.completed = mpe.completed();
  outputs.done = mpe.done();
  outputs.error = mpe.error();
  outputs.failed = mpe.failed();
  outputs.rx_ready = mpe.rx_ready();
  if (const std::optional<Flit> lane = mpe.lane(links)) {
    outputs.lane_valid = true;
    outputs.lane = *lane;
  }
  outputs.request_valid = mpe.request_valid();
  if (outputs.request_valid) outputs.request = mpe.request_flit(links);
  outputs.reply_valid = mpe.reply_valid();
  if (outputs.reply_valid) outputs.reply = mpe.reply_flit(links);
  outputs.memory_read_valid = mpe.memory_read_valid();
  if (outputs.memory_read_valid) outputs.memory_read_address = mpe.memory_read_address();
  outputs.memory_write_valid = mpe.memory_write_valid();
  if (outputs.memory_write_valid) mpe.show_write(outputs.memory_write);
  outputs.busy = mpe.busy(links);
  return outputs;
}

/// Compares all outputs; a difference ends the run with the field, the RTL's value and the twin's.
class Comparison {
 public:
  Comparison(const MpeOutputs& rtl, const MpeOutputs& twin, std::uint32_t cycle) : cycle_(cycle) {
    compare("command_ready", rtl.command_ready, twin.command_ready);
    compare("completed", rtl.completed, twin.completed);
    compare("done", rtl.done, twin.done);
    compare("error.overflow", rtl.error.overflow, twin.error.overflow);
    compare("error.unsupported", rtl.error.unsupported, twin.error.unsupported);
    compare("error.mismatch", rtl.error.mismatch, twin.error.mismatch);
    compare("error.context_id", rtl.error.context_id, twin.error.context_id);
    compare("error.link", rtl.error.link, twin.error.link);
    compare("error.received", rtl.error.received, twin.error.received);
    compare("failed", rtl.failed, twin.failed);
    compare("rx_ready", rtl.rx_ready, twin.rx_ready);
    compare("lane_valid", rtl.lane_valid, twin.lane_valid);
    compare("lane.data", rtl.lane.data, twin.lane.data);
    compare("lane.vc", rtl.lane.vc, twin.lane.vc);
    compare("lane.last", rtl.lane.last, twin.lane.last);
    compare("request_valid", rtl.request_valid, twin.request_valid);
    compare("request.data", rtl.request.data, twin.request.data);
    compare("request.vc", rtl.request.vc, twin.request.vc);
    compare("request.last", rtl.request.last, twin.request.last);
    compare("reply_valid", rtl.reply_valid, twin.reply_valid);
    compare("reply.data", rtl.reply.data, twin.reply.data);
    compare("reply.vc", rtl.reply.vc, twin.reply.vc);
    compare("reply.last", rtl.reply.last, twin.reply.last);
    compare("memory_read_valid", rtl.memory_read_valid, twin.memory_read_valid);
    compare("memory_read_address", rtl.memory_read_address, twin.memory_read_address);
    compare("memory_write_valid", rtl.memory_write_valid, twin.memory_write_valid);
    compare("memory_write.address", rtl.memory_write.address, twin.memory_write.address);
    compare("memory_write.strobe", rtl.memory_write.strobe, twin.memory_write.strobe);
    compare("memory_write.data", rtl.memory_write.data, twin.memory_write.data);
    compare("busy", rtl.busy, twin.busy);
  }

 private:
  void compare(const char* field, std::uint32_t rtl, std::uint32_t twin) const {
    if (rtl == twin) return;
    throw std::runtime_error("cycle " + std::to_string(cycle_) + ": " + field + " is " + std::to_string(rtl) +
                             " in the RTL and " + std::to_string(twin) + " in its twin");
  }

  std::uint32_t cycle_;
};

/// What a run has covered.
struct Covered {
  std::uint32_t collectives = 0;
  std::uint32_t overflows = 0;
  std::uint32_t unsupported = 0;
  std::uint32_t mismatches = 0;
  std::uint32_t calm_cycles = 0;
  std::uint32_t writes = 0;
  std::uint32_t lane_flits = 0;
  std::uint32_t held_words = 0;
  std::uint32_t packets_for_several = 0;
  std::uint32_t mixed_trees = 0;
};

/// Both engines among the same surroundings, from reset on.
void run(const MpeLibrary& library, const MpeTraffic& traffic, std::uint32_t seed, std::uint32_t cycles,
         Covered& covered) {
  constexpr std::uint32_t kAfterMismatch = 300;
  VerilatedMpe rtl(library, static_cast<int>(seed));
  Mpe twin(library.parameters, kNode, kSlot);
  MpeSurroundings surroundings(library.parameters, traffic, seed);
  MpeOutputs outputs;
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
    outputs = rtl.outputs(surroundings.links());
    Comparison(outputs, outputs_of(twin, surroundings.links()), cycle);
    const MpeInputs inputs = surroundings.inputs(outputs);
    // Flits carry what the registers of links hold now.
    outputs = rtl.outputs(surroundings.links());
    Comparison(outputs, outputs_of(twin, surroundings.links()), cycle);
    rtl.step(inputs);
    twin.clock(inputs, surroundings.links());
    surroundings.after_edge(outputs, inputs);
    covered.calm_cycles += outputs.busy ? 0 : 1;
    covered.lane_flits += inputs.lane_ready ? 1 : 0;
    covered.held_words += outputs.rx_ready ? 0 : 1;
    covered.writes += inputs.memory_write_ready ? 1 : 0;
    if (outputs.failed && outputs.error.mismatch) cycles = std::min(cycles, cycle + kAfterMismatch);
  }
  covered.collectives += outputs.completed;
  covered.overflows += outputs.error.overflow ? 1 : 0;
  covered.unsupported += outputs.error.unsupported ? 1 : 0;
  covered.mismatches += outputs.error.mismatch ? 1 : 0;
  covered.packets_for_several += surroundings.direct_traffic().packets_for_several;
  covered.mixed_trees += surroundings.direct_traffic().mixed_trees;
}

class MpeEquivalence : public testing::TestWithParam<std::string> {
 protected:
  void run_all(const MpeTraffic& traffic, std::uint32_t runs, std::uint32_t cycles) {
    for (std::uint32_t seed = 1; seed <= runs; ++seed) {
      ASSERT_NO_THROW(run(library_, traffic, seed, cycles, covered_)) << "seed " << seed;
    }
  }

  const MpeLibrary& library_ = load(GetParam());
  Covered covered_;
};

TEST_P(MpeEquivalence, CollectivesInRandomSurroundings) {
  run_all({.most_elements = 40}, 40, 8000);
  EXPECT_GT(covered_.collectives, 1000U);
  EXPECT_GT(covered_.overflows, 0U);
  EXPECT_EQ(covered_.unsupported != 0, library_.parameters.node.mpe_wide_elements == 0);
  EXPECT_EQ(covered_.mismatches, 0U);
  EXPECT_GT(covered_.calm_cycles, 1000U);
  if (library_.parameters.direct_links != 0) {
    EXPECT_GT(covered_.lane_flits, 1000U);
  } else {
    EXPECT_EQ(covered_.lane_flits, 0U);
  }
  if (library_.parameters.node.mpe_contexts > 1) {
    EXPECT_GT(covered_.held_words, 100U);
  }
}

TEST_P(MpeEquivalence, ExchangesAmongOtherCollectives) {
  run_all({.most_elements = 40, .exchanges = true}, 30, 8000);
  EXPECT_GT(covered_.collectives, 1000U);
  EXPECT_EQ(covered_.mismatches, 0U);
}

TEST_P(MpeEquivalence, StreamsLongerThanBuffers) {
  run_all({.most_elements = 1500}, 30, 30'000);
  EXPECT_GT(covered_.collectives, 50U);
  const MpeParameters& parameters = library_.parameters;
  if (parameters.direct_links != 0 && parameters.multicast) {
    EXPECT_GT(covered_.packets_for_several, 100U);
    EXPECT_GT(covered_.mixed_trees, 20U);
  } else {
    EXPECT_EQ(covered_.packets_for_several, 0U);
  }
}

TEST_P(MpeEquivalence, DescriptorsThatDiffer) {
  run_all({.most_elements = 20, .mismatch_percent = 10}, 60, 3000);
  EXPECT_GT(covered_.mismatches, 30U);
}

TEST_P(MpeEquivalence, SumsOfSpecialFloats) {
  run_all({.most_elements = 1000, .only_sums = true}, 4, 30'000);
  EXPECT_GT(covered_.writes, 30'000U);
}

INSTANTIATE_TEST_SUITE_P(Parameters, MpeEquivalence,
                         testing::Values("default", "smallest", "uneven", "close", "indirect"),
                         [](const auto& test) { return test.param; });

TEST(MpeTwin, WithoutWideElementsDropsOnlyCommandsThatCombineSuch) {
  const std::array<cycle::MpeLink, std::size_t{cycle::kMaxContexts} * cycle::kMaxLinks> links{};
  Mpe engine({.node = {.mpe_wide_elements = 0}}, kNode, kSlot);
  const auto completed_after = [&](Collective operation, Element element) {
    constexpr unsigned kEnough = 20;
    MpeInputs inputs;
    inputs.command_valid = true;
    inputs.command.operation = operation;
    inputs.command.element = element;
    inputs.command.parent = cycle::kNoLink;
    engine.clock(inputs, links);
    for (unsigned cycle = 0; cycle < kEnough; ++cycle) engine.clock({}, links);
    return engine.completed();
  };
  EXPECT_EQ(completed_after(Collective::kAllreduce, Element::kFloat), 1U);
  EXPECT_EQ(completed_after(Collective::kBarrier, Element::kDouble), 2U);
  EXPECT_EQ(completed_after(Collective::kBroadcast, Element::kInt64), 3U);
  EXPECT_FALSE(engine.error().unsupported);
  EXPECT_EQ(completed_after(Collective::kReduce, Element::kInt64), 3U);
  EXPECT_TRUE(engine.error().unsupported);
  EXPECT_EQ(completed_after(Collective::kAllreduce, Element::kDouble), 3U);
  EXPECT_EQ(completed_after(Collective::kBarrier, Element::kInt32), 4U);
}

TEST(MpeTwin, RefusesParametersThatTheRtlRefuses) {
  EXPECT_THROW(Mpe({.node = {.mpe_links = 9}}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {.mpe_contexts = 3}}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {.mpe_contexts = 16}}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {.mpe_buffer_words = 96}}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {.mpe_buffer_words = 64, .mpe_packet_words = 64}}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {.mpe_combine_ports = 0}}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {.mpe_combine_ports = 9}}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {.mpe_forward_words = 65}}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {.mpe_forward_words = 0}}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {}, .direct_links = 9}, kNode, kSlot), std::invalid_argument);
  EXPECT_THROW(Mpe({.node = {.fpu_stages = 2}}, kNode, kSlot), std::invalid_argument);
}

}  // namespace
}  // namespace tidings::test
