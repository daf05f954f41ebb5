// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/verilated_node.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/benchmark/slot_commands.h"
#include "sim/cycle/node.h"
#include "tests/sim/libraries.h"

namespace tidings {
namespace {

constexpr std::uint32_t kMemory = 16384;
constexpr std::uint32_t kQueue = 4096;
constexpr std::uint32_t kRegion = 8192;
constexpr std::uint32_t kRegionBytes = 4096;
constexpr std::uint32_t kMessageInterrupt =
    registers::IrqStatus{.waiting = engine_bit(tidings_pkg::Engine::kRma)}.encode();
constexpr std::uint32_t kNotRegistered = 1;
constexpr std::uint32_t kBounds = 2;
constexpr std::uint32_t kRights = 3;
constexpr std::uint32_t kRootParent = 15;

/// A machine of compiled nodes with memory, receive queue and two regions (1 cannot be written) in every slot.
class System {
 public:
  System(const std::string& name, const std::vector<std::uint32_t>& size, std::uint32_t latency)
      : System(test::library_path(name + ".node.so"),
               LoadedNodeLibrary(test::library_path(name + ".node.so"))->parameters, size, latency) {}

  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }
  Machine& machine() { return machine_; }
  VerilatedSession& session() { return *session_; }
  std::shared_ptr<VerilatedSession> shared_session() { return session_; }
  SlotCommands& slot(std::uint32_t rank) { return slots_[rank]; }
  std::byte* memory(std::uint32_t rank) { return memory_.data() + std::size_t{rank} * kMemory; }

  template <typename Value>
  Value& at(std::uint32_t rank, std::uint32_t address, std::size_t index = 0) {
    return reinterpret_cast<Value*>(memory(rank) + address)[index];
  }

  void settle() {
    constexpr std::uint64_t kPatience = 100'000;
    const Cycle limit = machine_.now() + kPatience;
    while (!machine_.run_until(limit).quiescent) {
      if (machine_.now() >= limit) throw std::runtime_error("the machine does not come to rest");
    }
  }

  std::uint32_t read(std::uint32_t rank, std::uint16_t address) {
    slots_[rank].read(machine_.now(), address);
    return machine_.run_until(Cycle::max()).reads.at(0).data;
  }

 private:
  System(const std::string& path, const NodeParameters& parameters, const std::vector<std::uint32_t>& size,
         std::uint32_t latency)
      : session_(VerilatedSession::load(path, parameters)),
        config_(test::config_of(parameters, size, latency)),
        machine_(config_, Topology(config_.topology).nodes() * config_.topology.slots, session_->factory()),
        memory_(std::size_t{machine_.topology().nodes()} * config_.topology.slots * kMemory) {
    const std::uint32_t slots = machine_.topology().nodes() * machine_.topology().slots();
    for (std::uint32_t rank = 0; rank < slots; ++rank) {
      const Endpoint endpoint = machine_.topology().endpoint(rank);
      machine_.attach_memory(endpoint, std::span(memory_).subspan(std::size_t{rank} * kMemory, kMemory));
      slots_.emplace_back(machine_, endpoint);
      slots_.back().set_queue(Cycle{0}, kQueue, 3);
      slots_.back().register_region(Cycle{0}, 0, kRegion, kRegionBytes, true, true);
      slots_.back().register_region(Cycle{0}, 1, kRegion, kRegionBytes, true, false);
    }
    settle();
  }

  std::shared_ptr<VerilatedSession> session_;
  MachineConfig config_;
  Machine machine_;
  std::vector<std::byte> memory_;
  std::vector<SlotCommands> slots_;
};

struct Shape {
  const char* library;
  std::vector<std::uint32_t> size;
  std::uint32_t latency;
};

void PrintTo(const Shape& shape, std::ostream* stream) { *stream << shape.library; }

/// One library serves machines of other sizes and latencies than the one it was built beside.
class VerilatedMachine : public testing::TestWithParam<Shape> {
 protected:
  VerilatedMachine() : system(GetParam().library, GetParam().size, GetParam().latency) {}
  System system;
};

INSTANTIATE_TEST_SUITE_P(Shapes, VerilatedMachine,
                         testing::Values(Shape{"ring3_latency5", {5}, 3}, Shape{"mesh2x2_latency1", {3, 2}, 1},
                                         Shape{"torus2x2x2_latency5", {3, 2, 2}, 80}, Shape{"crossbar3", {}, 1}),
                         [](const auto& test) { return std::string(test.param.library); });

TEST_P(VerilatedMachine, DeliversMessagesWithAnInterrupt) {
  const std::string text = "all to all, one by one: thirty-seven b";
  for (std::uint32_t to = 1; to < system.slots(); ++to) {
    std::memcpy(system.memory(0), text.data(), text.size());
    system.slot(to).enable_interrupts(system.machine().now(), kMessageInterrupt);
    system.settle();
    system.slot(0).message(system.machine().now(), system.slot(to).endpoint(), 0,
                           static_cast<std::uint32_t>(text.size()));
    system.machine().watch(system.slot(to).endpoint(), Cycle{0});
    EXPECT_EQ(system.machine().run_until(Cycle::max()).interrupts.size(), 1U);
    const Endpoint source = system.slot(0).endpoint();
    EXPECT_EQ(system.at<std::uint32_t>(to, kQueue),
              (tidings_pkg::Header1{
                  .src_slot = source.slot, .info = source.node.value, .length = static_cast<std::uint16_t>(text.size())}
                   .encode()));
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(system.memory(to) + kQueue + 8), text.size()), text);
    EXPECT_EQ(system.read(to, registers::RmaQueueTail::kAddress), 1U);
  }
}

TEST_P(VerilatedMachine, PutsAnyNumberOfBytesAndNoMore) {
  const std::uint32_t last = system.slots() - 1;
  for (const std::uint32_t bytes : {1U, 4U, 7U, 256U, 257U, 3001U}) {
    for (std::uint32_t i = 0; i < kRegionBytes; ++i) {
      system.memory(0)[i] = static_cast<std::byte>(i * 7 + bytes);
      system.memory(last)[kRegion + i] = std::byte{0xee};
    }
    system.slot(0).put(system.machine().now(), system.slot(last).endpoint(), 0, 0, 16, bytes);
    system.settle();
    EXPECT_EQ(std::memcmp(system.memory(0), system.memory(last) + kRegion + 16, bytes), 0) << bytes;
    EXPECT_EQ(system.memory(last)[kRegion + 15], std::byte{0xee});
    EXPECT_EQ(system.memory(last)[kRegion + 16 + bytes], std::byte{0xee}) << bytes;
    EXPECT_EQ(system.read(0, registers::RmaUnacknowledged::kAddress), 0U);
    EXPECT_EQ(system.read(0, registers::RmaError::kAddress), 0U);
  }
}

TEST_P(VerilatedMachine, GetsAnyNumberOfBytesAndNoMore) {
  const std::uint32_t last = system.slots() - 1;
  for (const std::uint32_t bytes : {1U, 4U, 255U, 256U, 1027U}) {
    for (std::uint32_t i = 0; i < kRegionBytes; ++i) {
      system.memory(last)[kRegion + i] = static_cast<std::byte>(i * 5 + bytes);
      system.memory(0)[i] = std::byte{0xee};
    }
    system.slot(0).get(system.machine().now(), system.slot(last).endpoint(), 32, 1, 8, bytes);
    system.settle();
    EXPECT_EQ(std::memcmp(system.memory(0) + 32, system.memory(last) + kRegion + 8, bytes), 0) << bytes;
    EXPECT_EQ(system.memory(0)[32 + bytes], std::byte{0xee}) << bytes;
  }
}

TEST_P(VerilatedMachine, RefusesWhatTheRegionDoesNotAllow) {
  const std::uint32_t last = system.slots() - 1;
  const std::uint32_t node = system.slot(last).endpoint().node.value;
  const std::uint32_t slot = system.slot(last).endpoint().slot.value;
  const std::vector<std::byte> before(system.memory(last), system.memory(last) + kMemory);
  struct Case {
    std::uint32_t region, offset, code;
  };
  for (const Case& refused : {Case{2, 0, kNotRegistered}, Case{0, kRegionBytes - 4, kBounds}, Case{1, 0, kRights}}) {
    system.slot(0).put(system.machine().now(), system.slot(last).endpoint(), 0, refused.region, refused.offset, 8);
    system.settle();
    EXPECT_EQ(system.read(0, registers::RmaError::kAddress),
              (registers::RmaError{.code = refused.code, .node = node, .slot = slot}.encode()));
    EXPECT_EQ(std::memcmp(before.data(), system.memory(last), kMemory), 0);
    system.slot(0).clear_error(system.machine().now());
  }
}

TEST_P(VerilatedMachine, ReducesAndBroadcastsOverTheTree) {
  constexpr std::uint32_t kCount = 100;
  constexpr std::uint32_t kResult = 8192;
  const std::uint32_t slots = system.slots();
  for (std::uint32_t rank = 0; rank < slots; ++rank) {
    for (std::uint32_t i = 0; i < kCount; ++i) system.at<double>(rank, 0, i) = rank * 1000.0 + i;
    for (std::uint32_t child = 0; child < 2 && 2 * rank + 1 + child < slots; ++child) {
      system.slot(rank).tree_link(Cycle{0}, child, system.slot(2 * rank + 1 + child).endpoint(), 2);
      system.slot(2 * rank + 1 + child).tree_link(Cycle{0}, 2, system.slot(rank).endpoint(), child);
    }
  }
  system.settle();
  for (std::uint32_t rank = 0; rank < slots; ++rank) {
    const std::uint32_t children = (2 * rank + 1 < slots ? 1U : 0U) | (2 * rank + 2 < slots ? 2U : 0U);
    system.slot(rank).collective(system.machine().now(), tidings_pkg::Collective::kAllreduce,
                                 tidings_pkg::Element::kDouble, rank == 0 ? kRootParent : 2, children, 0, kResult,
                                 kCount);
  }
  system.settle();
  for (std::uint32_t rank = 0; rank < slots; ++rank) {
    EXPECT_EQ(system.read(rank, registers::MpeCompleted::kAddress), 1U);
    EXPECT_EQ(system.read(rank, registers::MpeError::kAddress), 0U);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(system.at<double>(rank, kResult, i), 1000.0 * slots * (slots - 1) / 2 + 1.0 * i * slots) << i;
    }
  }
}

TEST_P(VerilatedMachine, ABarrierThatSomeoneMissesLeavesTheMachineQuiescent) {
  system.slot(0).tree_link(Cycle{0}, 0, system.slot(1).endpoint(), 2);
  system.slot(1).tree_link(Cycle{0}, 2, system.slot(0).endpoint(), 0);
  system.slot(0).collective(system.machine().now(), tidings_pkg::Collective::kBarrier, tidings_pkg::Element::kInt32,
                            kRootParent, 1, 0, 0, 0);
  system.settle();
  EXPECT_EQ(system.read(0, registers::MpeCompleted::kAddress), 0U);
}

TEST(VerilatedSession, RefusesALibraryOfOtherParameters) {
  const std::string path = test::library_path("ring3_latency5.node.so");
  NodeParameters parameters = LoadedNodeLibrary(path)->parameters;
  parameters.buffer_flits *= 2;
  EXPECT_THROW((void)VerilatedSession::load(path, parameters), std::runtime_error);
}

TEST(VerilatedSession, RefusesFilesThatAreNotNodes) {
  EXPECT_THROW((void)LoadedNodeLibrary("/nowhere/node.so"), std::runtime_error);
  EXPECT_THROW((void)LoadedNodeLibrary(test::library_path("ring3_latency5.machine.so")), std::runtime_error);
}

/// The fields of an FST file's header that matter here.
struct FstHeader {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t scopes = 0;
  std::uint64_t variables = 0;
  int timescale = 0;
};

FstHeader read_header(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 80> bytes{};
  file.read(bytes.data(), bytes.size());
  const auto number = [&bytes](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  return {.start = number(9),
          .end = number(17),
          .scopes = number(41),
          .variables = number(49),
          .timescale = static_cast<signed char>(bytes[73])};
}

class Waves : public testing::Test {
 protected:
  Waves() { std::filesystem::remove(path); }
  ~Waves() override { std::filesystem::remove(path); }
  // Tests run at the same time, each in a process of its own.
  const std::string path = testing::TempDir() + "tidings_waves_test_" + std::to_string(getpid()) + ".fst";
};

TEST_F(Waves, HaveTheTimesOfTheFabricClockAcrossIdleTime) {
  Picoseconds end;
  {
    System system("ring3_waves", {3}, 5);
    WaveRecorder recorder(system.shared_session(), system.machine(), path, std::nullopt);
    const Cycle begin = system.machine().now();
    EXPECT_GT(begin, Cycle{0});
    system.machine().observe(&recorder);
    system.slot(0).put(begin + 1'000'000, system.slot(2).endpoint(), 0, 0, 0, 100);
    while (!system.machine().run_until(Cycle::max()).quiescent) {
    }
    EXPECT_GT(system.machine().counters().cycles_skipped, 900'000U);
    end = system.machine().time_of(system.machine().now());
    system.machine().observe(nullptr);
  }
  const FstHeader header = read_header(path);
  EXPECT_EQ(header.timescale, -12);
  EXPECT_EQ(header.end, end.value);
  EXPECT_LT(header.start, Picoseconds{1'000'000'000}.value);
}

TEST_F(Waves, CanBeOfOneNode) {
  const auto variables = [this](std::optional<NodeIndex> node) {
    {
      System system("ring3_waves", {3}, 5);
      WaveRecorder recorder(system.shared_session(), system.machine(), path, node);
      system.machine().observe(&recorder);
      (void)system.read(0, registers::Id::kAddress);
      system.machine().observe(nullptr);
    }
    return read_header(path).variables;
  };
  const std::uint64_t one = variables(NodeIndex{1});
  EXPECT_GT(one, 100U);
  EXPECT_EQ(variables(std::nullopt), 3 * one);
}

TEST_F(Waves, OfAMixedMachineAreThoseOfItsVerilatedNodes) {
  const std::string library = test::library_path("ring3_waves.node.so");
  const NodeParameters parameters = LoadedNodeLibrary(library)->parameters;
  {
    const auto session = VerilatedSession::load(library, parameters);
    Machine machine(test::config_of(parameters, {3}, 5), 3,
                    mixed_factory({NodeIndex{2}}, session->factory(), cycle::cycle_node_factory(parameters)));
    EXPECT_THROW(WaveRecorder(session, machine, path, NodeIndex{0}), std::out_of_range);
    WaveRecorder recorder(session, machine, path, NodeIndex{2});
    machine.observe(&recorder);
    SlotCommands(machine, machine.topology().endpoint(2)).read(Cycle{10}, registers::Id::kAddress);
    EXPECT_EQ(machine.run_until(Cycle::max()).reads.size(), 1U);
    machine.observe(nullptr);
  }
  EXPECT_GT(read_header(path).variables, 100U);
}

TEST_F(Waves, NeedANodeCompiledWithTracingThatExistsAndAFileThatCanBeWritten) {
  System plain("ring3_latency5", {3}, 5);
  EXPECT_THROW(WaveRecorder(plain.shared_session(), plain.machine(), path, std::nullopt), std::runtime_error);
  System traced("ring3_waves", {3}, 5);
  EXPECT_THROW(WaveRecorder(traced.shared_session(), traced.machine(), path, NodeIndex{3}), std::out_of_range);
  EXPECT_THROW(WaveRecorder(traced.shared_session(), traced.machine(), "/nowhere/x.fst", std::nullopt),
               std::runtime_error);
}

}  // namespace
}  // namespace tidings
