// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The measurements of `tidings bench rma`: an engine that loses or changes a word, or never ends, is found.
#include "sim/benchmark/rma_benchmark.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "generated/registers.h"
#include "sim/cycle/machine_fabric.h"

namespace tidings {
namespace {

/// A machine's fabric whose slots show and see what `spoil` leaves of their outputs and inputs.
class SpoiledFabric : public Fabric {
 public:
  using Spoil = std::function<void(std::size_t slot, SlotInput&, SlotOutput&)>;

  SpoiledFabric(std::unique_ptr<Fabric> whole, Spoil spoil)
      : whole_(std::move(whole)), spoil_(std::move(spoil)), outputs_(whole_->slots()) {}

  [[nodiscard]] SlotInput& slot_input(std::size_t slot) override {
    asked_.push_back(slot);
    return whole_->slot_input(slot);
  }
  [[nodiscard]] std::span<const NodeInputs> inputs(Cycle cycle) override { return whole_->inputs(cycle); }
  Stepped step(Cycle cycle) override {
    SlotOutput unused;
    for (const std::size_t slot : asked_) spoil_(slot, whole_->slot_input(slot), unused);
    asked_.clear();
    const Stepped stepped = whole_->step(cycle);
    SlotInput none;
    for (std::size_t slot = 0; slot < outputs_.size(); ++slot) {
      outputs_[slot] = whole_->slot_output(slot);
      spoil_(slot, none, outputs_[slot]);
    }
    return stepped;
  }
  [[nodiscard]] bool busy() const override { return whole_->busy(); }
  [[nodiscard]] std::optional<Cycle> next_arrival() const override { return whole_->next_arrival(); }
  [[nodiscard]] const SlotOutput& slot_output(std::size_t slot) const override { return outputs_[slot]; }
  [[nodiscard]] const NodeOutputs& outputs(NodeIndex node, Cycle cycle) const override {
    return whole_->outputs(node, cycle);
  }
  [[nodiscard]] std::size_t slots() const override { return whole_->slots(); }
  [[nodiscard]] std::uint64_t node_evaluations() const override { return whole_->node_evaluations(); }
  [[nodiscard]] std::uint64_t flit_hops() const override { return whole_->flit_hops(); }
  [[nodiscard]] std::uint64_t link_flits(NodeIndex node, PortId port) const override {
    return whole_->link_flits(node, port);
  }
  [[nodiscard]] std::uint32_t nodes() const override { return whole_->nodes(); }

 private:
  std::unique_ptr<Fabric> whole_;
  Spoil spoil_;
  std::vector<SlotOutput> outputs_;
  std::vector<std::size_t> asked_;
};

FabricFactory spoiled(SpoiledFabric::Spoil spoil) {
  return [spoil = std::move(spoil)](const MachineConfig& config, const Topology& topology) {
    std::vector<std::unique_ptr<Fabric>> parts = cycle::machine_fabric_factory()(config, topology);
    for (std::unique_ptr<Fabric>& part : parts) part = std::make_unique<SpoiledFabric>(std::move(part), spoil);
    return parts;
  };
}

MachineConfig crossbar() {
  MachineConfig config;
  config.topology = {TopologyKind::kCrossbar, {}, 4};
  config.memory.latency_cycles = 1;
  return config;
}

RmaPlan plan_of(RmaPattern pattern, std::uint32_t words) {
  RmaPlan plan;
  plan.pattern = pattern;
  plan.words = words;
  return plan;
}

/// Two ranks whose engines swap a word.
RmaPlan with_barrier(RmaPlan plan) {
  plan.barrier = RmaBarrier::kEngine;
  plan.engine_barrier.exchange = true;
  plan.engine_barrier.ways = {{.children = 1}, {.children = 1}};
  plan.engine_barrier.links = {{.rank = 0, .neighbour = 1}, {.rank = 1, .neighbour = 0}};
  return plan;
}

std::string failure(const RmaPlan& plan, SpoiledFabric::Spoil spoil) {
  try {
    (void)benchmark_rma(crossbar(), spoiled(std::move(spoil)), plan);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(RmaBenchmark, EachWordIsAWriteAndACycleMore) {
  const FabricFactory whole = cycle::machine_fabric_factory();
  for (const RmaPattern pattern : {RmaPattern::kPut, RmaPattern::kGet}) {
    const RmaTimes one = benchmark_rma(crossbar(), whole, plan_of(pattern, 1));
    const RmaTimes many = benchmark_rma(crossbar(), whole, plan_of(pattern, 30));
    EXPECT_EQ(one.memory_writes, 1U);
    EXPECT_EQ(many.memory_writes, 30U);
    EXPECT_EQ(one.first_write, one.last_write);
    // A PUT of one word has a word of header less.
    const std::uint32_t headers = pattern == RmaPattern::kPut ? 1 : 0;
    EXPECT_EQ(many.first_write, one.first_write + headers);
    EXPECT_EQ(many.last_write, one.last_write + headers + 29);
    EXPECT_GT(one.met, one.last_write);
    EXPECT_EQ(one.operand_writes, 4U);
  }
}

TEST(RmaBenchmark, ExchangesMoveAllBlocksBeforeTheRanksMeet) {
  const RmaPlan exchange = with_barrier(plan_of(RmaPattern::kExchange, 8));
  const RmaTimes times = benchmark_rma(crossbar(), cycle::machine_fabric_factory(), exchange);
  EXPECT_EQ(times.memory_writes, 2U * 2U * 8U);
  const RmaTimes barrier =
      benchmark_rma(crossbar(), cycle::machine_fabric_factory(), with_barrier(plan_of(RmaPattern::kNothing, 1)));
  EXPECT_EQ(barrier.memory_writes, 0U);
  EXPECT_GT(times.met, times.last_write + barrier.met);
}

TEST(RmaBenchmark, ARowIsAsFastAsTheEngine) {
  RmaPlan row = plan_of(RmaPattern::kPutRow, 1);
  row.blocks = 50;
  MachineConfig config = crossbar();
  config.node.rma_command_depth = 64;  // the processor need not ask how far the engine is
  const RmaTimes times = benchmark_rma(config, cycle::machine_fabric_factory(), row);
  EXPECT_EQ(times.memory_writes, 50U);
  // The packet of a word has three, and the processor writes as many registers for it.
  EXPECT_EQ(times.last_write - times.first_write, 3U * 49U);
  row.blocks = 200;
  const RmaTimes asked = benchmark_rma(crossbar(), cycle::machine_fabric_factory(), row);
  EXPECT_GT(asked.last_write - asked.first_write, 3U * 199U);
  EXPECT_LT(asked.last_write - asked.first_write, 4U * 199U);
}

TEST(RmaBenchmark, AWordInTheCommandWaitsForNoMemory) {
  RmaPlan row = plan_of(RmaPattern::kPutInline, 1);
  MachineConfig config = crossbar();
  config.node.rma_command_depth = 64;
  for (const std::uint32_t latency : {1U, 40U}) {
    config.memory.latency_cycles = latency;
    row.blocks = 1;
    EXPECT_EQ(benchmark_rma(config, cycle::machine_fabric_factory(), row).last_write, 5U);
    row.blocks = 50;
    const RmaTimes times = benchmark_rma(config, cycle::machine_fabric_factory(), row);
    EXPECT_EQ(times.memory_writes, 50U);
    EXPECT_EQ(times.last_write - times.first_write, 3U * 49U);
  }
  EXPECT_THROW((void)benchmark_rma(config, cycle::machine_fabric_factory(), plan_of(RmaPattern::kPutInline, 2)),
               std::invalid_argument);
}

MachineConfig with_atomics() {
  MachineConfig config = crossbar();
  config.node.rma_atomics = 1;
  return config;
}

TEST(RmaBenchmark, AnAddWritesTheSumAndThenTheOldValue) {
  RmaPlan add = plan_of(RmaPattern::kAdd, 1);
  const RmaTimes one = benchmark_rma(with_atomics(), cycle::machine_fabric_factory(), add);
  EXPECT_EQ(one.memory_writes, 2U);
  EXPECT_GT(one.last_write, one.first_write);
  add.blocks = 20;
  const RmaTimes row = benchmark_rma(with_atomics(), cycle::machine_fabric_factory(), add);
  EXPECT_EQ(row.memory_writes, 2U * 20U);
  EXPECT_EQ(row.first_write, one.first_write);
}

TEST(RmaBenchmark, AWrongWordIsFound) {
  const auto change = [](std::size_t, SlotInput&, SlotOutput& output) { output.memory_write.data ^= 4; };
  EXPECT_NE(failure(plan_of(RmaPattern::kPut, 3), change).find("wrong word at rank 1, address 12"), std::string::npos);
  EXPECT_NE(failure(plan_of(RmaPattern::kGet, 3), change).find("wrong word at rank 0, address 12"), std::string::npos);
}

TEST(RmaBenchmark, ALostWordIsFound) {
  const auto lose = [](std::size_t, SlotInput&, SlotOutput& output) {
    if (output.memory_write.address == 28) output.memory_write_valid = false;
  };
  EXPECT_NE(failure(with_barrier(plan_of(RmaPattern::kExchange, 2)), lose).find("address 28: expected"),
            std::string::npos);
}

TEST(RmaBenchmark, ABarrierThatNeverEndsIsFound) {
  const auto ignore = [](std::size_t slot, SlotInput& input, SlotOutput&) {
    if (slot == 1 && input.bus.address == registers::MpeCommand::kAddress) input.bus_valid = false;
  };
  EXPECT_EQ(failure(with_barrier(plan_of(RmaPattern::kPut, 1)), ignore),
            "it never ends: rank 0 waits for the others, rank 1 waits for the others");
}

TEST(RmaBenchmark, APutThatIsNeverAcknowledgedIsFound) {
  const auto ignore = [](std::size_t, SlotInput&, SlotOutput& output) {
    if (output.bus_read_valid) output.bus_read_data |= 1;
  };
  EXPECT_NE(failure(plan_of(RmaPattern::kPut, 1), ignore).find("rank 0 has commands under way"), std::string::npos);
}

TEST(RmaBenchmark, WhatIsNotPossibleIsRefused) {
  const FabricFactory whole = cycle::machine_fabric_factory();
  EXPECT_THROW((void)benchmark_rma(crossbar(), whole, plan_of(RmaPattern::kAdd, 1)), std::invalid_argument);
  RmaPlan wires = plan_of(RmaPattern::kPut, 1);
  wires.barrier = RmaBarrier::kWires;
  EXPECT_THROW((void)benchmark_rma(crossbar(), whole, wires), std::invalid_argument);
  EXPECT_THROW((void)benchmark_rma(crossbar(), whole, plan_of(RmaPattern::kPut, 0)), std::invalid_argument);
  RmaPlan alone = plan_of(RmaPattern::kPut, 1);
  alone.ranks = 1;
  EXPECT_THROW((void)benchmark_rma(crossbar(), whole, alone), std::invalid_argument);
  RmaPlan others = with_barrier(plan_of(RmaPattern::kPut, 1));
  others.ranks = 3;
  EXPECT_THROW((void)benchmark_rma(crossbar(), whole, others), std::invalid_argument);
}

}  // namespace
}  // namespace tidings
