// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>

namespace tidings {
namespace {

MachineConfig valid() {
  MachineConfig config;
  config.topology = {TopologyKind::kTorus, {4, 4, 4}, 1};
  return config;
}

struct Mistake {
  std::string key;    ///< the message names it
  std::string value;  ///< and shows this
  std::function<void(MachineConfig&)> make;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.key << " = " << mistake.value; }

/// A test is named for the key; some keys have several.
std::string name_of(const testing::TestParamInfo<Mistake>& test) {
  std::string name = test.param.key + "_" + std::to_string(test.index);
  std::ranges::replace(name, '.', '_');
  return name;
}

class InvalidConfig : public testing::TestWithParam<Mistake> {};

TEST_P(InvalidConfig, IsRefusedWithKeyAndValue) {
  MachineConfig config = valid();
  GetParam().make(config);
  try {
    validate(config);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().key + ": is " + GetParam().value), std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, InvalidConfig,
    testing::Values(
        Mistake{"topology.size", "0", [](auto& c) { c.topology.size = {}; }},
        Mistake{"topology.size", "5", [](auto& c) { c.topology.size = {2, 2, 2, 2, 2}; }},
        Mistake{"topology.size", "0", [](auto& c) { c.topology.size = {4, 0, 4}; }},
        Mistake{"topology.size", "17", [](auto& c) { c.topology.size = {4, 17, 4}; }},
        Mistake{"topology.size", "65", [](auto& c) { c.topology.size = {65, 2}; }},
        Mistake{"topology.size", "2", [](auto& c) { c.topology = {TopologyKind::kRing, {2, 2}, 1}; }},
        Mistake{"topology.size", "1",
                [](auto& c) { c.topology.kind = TopologyKind::kCrossbar, c.topology.size = {4}; }},
        Mistake{"topology.hosts", "for kind = \"graph\" alone", [](auto& c) { c.topology.graph.hosts = 2; }},
        Mistake{"topology.next", "for kind = \"graph\" alone", [](auto& c) { c.topology.graph.next = {{0}}; }},
        Mistake{"topology.slots", "0", [](auto& c) { c.topology.slots = 0; }},
        Mistake{"topology.slots", "17", [](auto& c) { c.topology.slots = 17; }},
        Mistake{"fabric.clock_MHz", "0", [](auto& c) { c.fabric.clock_khz = 0; }},
        Mistake{"router.buffer_flits", "1", [](auto& c) { c.node.buffer_flits = 1; }},
        Mistake{"router.buffer_flits", "7", [](auto& c) { c.node.buffer_flits = 7; }},
        Mistake{"router.slot_buffer_flits", "0", [](auto& c) { c.node.slot_buffer_flits = 0; }},
        Mistake{"link.latency_cycles", "0", [](auto& c) { c.link.latency_cycles = 0; }},
        Mistake{"stream.network", "own",
                [](auto& c) {
                  c.topology = {TopologyKind::kTorus, {4, 4}, 1};
                  c.node.stream_slots = c.node.stream_own_network = 1;
                }},
        Mistake{"stream.network", "own",
                [](auto& c) {
                  c.topology = {TopologyKind::kMesh, {4, 4}, 2};
                  c.node.stream_slots = 2;
                  c.node.stream_own_network = 1;
                }},
        Mistake{"stream.network", "own",
                [](auto& c) {
                  c.topology = {TopologyKind::kMesh, {4, 4}, 1};
                  c.link.reliable = true;
                  c.node.stream_slots = c.node.stream_own_network = 1;
                }},
        Mistake{"rma.command_depth", "1", [](auto& c) { c.node.rma_command_depth = 1; }},
        Mistake{"rma.command_depth", "6", [](auto& c) { c.node.rma_command_depth = 6; }},
        Mistake{"rma.command_depth", "256", [](auto& c) { c.node.rma_command_depth = 256; }},
        Mistake{"mpe.buffer_words", "500", [](auto& c) { c.node.mpe_buffer_words = 500; }},
        Mistake{"mpe.combine_ports", "0", [](auto& c) { c.node.mpe_combine_ports = 0; }},
        Mistake{"mpe.combine_ports", "9", [](auto& c) { c.node.mpe_combine_ports = 9; }},
        Mistake{"mpe.forward_words", "0", [](auto& c) { c.node.mpe_forward_words = 0; }},
        Mistake{"mpe.forward_words", "65", [](auto& c) { c.node.mpe_forward_words = 65; }},
        Mistake{"memory.latency_cycles", "0", [](auto& c) { c.memory.latency_cycles = 0; }},
        Mistake{"memory.size_MiB", "100", [](auto& c) { c.memory.size_bytes = 100; }},
        Mistake{"processor.clock_MHz", "0", [](auto& c) { c.processor.clock_khz = 0; }},
        Mistake{"processor.compute_scale", "0.0", [](auto& c) { c.processor.compute_scale = 0; }},
        Mistake{"processor.compute_scale", "nan", [](auto& c) { c.processor.compute_scale = std::stod("nan"); }}),
    name_of);

TEST(MachineConfig, ValidOnesAreAccepted) {
  EXPECT_NO_THROW(validate(valid()));
  MachineConfig crossbar = valid();
  crossbar.topology = {TopologyKind::kCrossbar, {}, 16};
  EXPECT_NO_THROW(validate(crossbar));
}

TEST(MachineConfig, SaysWhatADepthOfCommandsMustBe) {
  MachineConfig config = valid();
  for (const std::uint32_t depth : {2U, 128U}) {
    config.node.rma_command_depth = depth;
    EXPECT_NO_THROW(validate(config));
  }
  config.node.rma_command_depth = 12;
  try {
    validate(config);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "rma.command_depth: is 12; must be a power of two and at least 2 and at most 128");
  }
}

TEST(MachineConfig, PartsAreApartByLinksAndReactionsButNotWhereOneOfThemTakesACycle) {
  MachineConfig config = valid();
  config.fabric.clock_khz = 100'000;  // 10 ns
  config.link.latency_cycles = 80;
  config.processor.interrupt_ps = 5'000'000;
  EXPECT_EQ(look_ahead_cycles(config), 80U);
  EXPECT_EQ(usable_threads(config, 3), 3U);
  config.processor.interrupt_ps = 70'000;
  EXPECT_EQ(look_ahead_cycles(config), 7U);
  config.processor.interrupt_ps = 19'000;
  EXPECT_EQ(usable_threads(config, 3), 1U);
  config.processor.interrupt_ps = 5'000'000;
  config.link.latency_cycles = 1;
  EXPECT_EQ(usable_threads(config, 3), 1U);
  config.link = {.latency_cycles = 80, .reliable = true};
  EXPECT_EQ(usable_threads(config, 3), 1U);
}

TEST(MachineConfig, OnlyWrappedTopologiesNeedDatelines) {
  MachineConfig config = valid();
  EXPECT_EQ(node_parameters(config).dateline, 1U);
  EXPECT_EQ(node_parameters(config).dims, 3U);
  config.topology.kind = TopologyKind::kMesh;
  EXPECT_EQ(node_parameters(config).dateline, 0U);
  config.topology = {TopologyKind::kCrossbar, {}, 16};
  EXPECT_EQ(node_parameters(config).dims, 0U);
  EXPECT_EQ(node_parameters(config).num_slots, 16U);
}

}  // namespace
}  // namespace tidings
