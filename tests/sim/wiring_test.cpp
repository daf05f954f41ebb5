// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The C++ machine and the same machine wired in SystemVerilog agree on every output of every node in every cycle.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/benchmark/slot_commands.h"
#include "sim/machine/machine.h"
#include "sim/rtl/verilated_node.h"
#include "tests/sim/libraries.h"
#include "tests/sim/whole_machine_library.h"

namespace tidings {
namespace {

/// The library of a machine wired in SystemVerilog, loaded.
class WholeMachineFile {
 public:
  explicit WholeMachineFile(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) throw std::runtime_error(dlerror());
    void* const symbol = dlsym(handle_.get(), kWholeMachineSymbol);
    if (symbol == nullptr) throw std::runtime_error(dlerror());
    functions_ = reinterpret_cast<const WholeMachineLibrary* (*)()>(symbol)();
  }
  const WholeMachineLibrary* operator->() const { return functions_; }

 private:
  struct Close {
    void operator()(void* handle) const { dlclose(handle); }
  };
  std::unique_ptr<void, Close> handle_;
  const WholeMachineLibrary* functions_ = nullptr;
};

/// Runs the SystemVerilog wiring beside a machine, on the same bus operations and memory answers.
class Comparison : public CycleObserver {
 public:
  Comparison(const WholeMachineFile& library, const Machine& machine)
      : library_(library),
        machine_(machine),
        whole_(library->open(), library->close),
        node_ports_(machine.topology().ports()),
        node_slots_(machine.topology().slots()),
        ports_(std::size_t{machine.topology().nodes()} * node_ports_),
        slots_(std::size_t{machine.topology().nodes()} * node_slots_),
        inputs_(slots_.size()),
        busy_(new bool[machine.topology().nodes()]) {
    compare();
  }

  void before_edge(Cycle cycle, std::span<const NodeInputs> inputs) override {
    std::fill(inputs_.begin(), inputs_.end(), SlotInput{});
    while (now_ < cycle) advance();  // what the machine skipped
    for (std::size_t node = 0; node < inputs.size(); ++node) {
      std::copy(inputs[node].slots.begin(), inputs[node].slots.end(),
                inputs_.begin() + static_cast<std::ptrdiff_t>(node * node_slots_));
    }
  }

  void after_edge(Cycle cycle) override {
    advance();
    if (now_ != cycle) throw std::logic_error("the comparison is out of step");
  }

 private:
  /// One cycle of the SystemVerilog wiring; the machine shows its outputs of that cycle already.
  void advance() {
    if (const char* const error = library_->step(whole_.get(), inputs_.data())) throw std::runtime_error(error);
    ++now_;
    compare();
  }

  void compare() {
    library_->outputs(whole_.get(), ports_.data(), slots_.data(), busy_.get());
    for (std::uint32_t node = 0; node < machine_.topology().nodes(); ++node) {
      const NodeOutputs& got = machine_.outputs(NodeIndex{node});
      for (std::size_t p = 0; p < node_ports_; ++p) {
        const PortOutput& expected = ports_[node * node_ports_ + p];
        if (got.ports[p] != expected) fail(node, "port", p, describe(expected), describe(got.ports[p]));
      }
      for (std::size_t s = 0; s < node_slots_; ++s) {
        const SlotOutput& expected = slots_[node * node_slots_ + s];
        if (got.slots[s] != expected) fail(node, "slot", s, describe(expected), describe(got.slots[s]));
      }
      if (got.busy != busy_[node]) fail(node, "busy", 0, std::to_string(busy_[node]), std::to_string(got.busy));
    }
  }

  static std::string describe(const PortOutput& port) {
    std::ostringstream text;
    text << std::hex << "flit valid " << port.flit_valid << " data " << port.flit.data << " vc " << int{port.flit.vc}
         << " last " << port.flit.last << ", credits " << int{port.credits};
    return text.str();
  }

  static std::string describe(const SlotOutput& slot) {
    std::ostringstream text;
    text << std::hex << "read valid " << slot.bus_read_valid << " data " << slot.bus_read_data << ", interrupt "
         << slot.interrupt << ", memory read valid " << slot.memory_read_valid << " address "
         << slot.memory_read_address << ", write valid " << slot.memory_write_valid << " address "
         << slot.memory_write.address << " strobe " << int{slot.memory_write.strobe} << " data "
         << slot.memory_write.data;
    return text.str();
  }

  [[noreturn]] void fail(std::uint32_t node, const char* field, std::size_t index, const std::string& expected,
                         const std::string& got) const {
    std::ostringstream text;
    text << "cycle " << now_.value << ", node " << node << ", " << field << " " << index << ": SystemVerilog has "
         << expected << "; C++ has " << got;
    throw std::runtime_error(text.str());
  }

  const WholeMachineFile& library_;
  const Machine& machine_;
  std::unique_ptr<WholeMachine, void (*)(WholeMachine*)> whole_;
  std::size_t node_ports_;
  std::size_t node_slots_;
  std::vector<PortOutput> ports_;
  std::vector<SlotOutput> slots_;
  std::vector<SlotInput> inputs_;
  std::unique_ptr<bool[]> busy_;
  Cycle now_;
};

constexpr std::uint32_t kMemory = 8192;
constexpr std::uint32_t kQueue = 4096;  ///< the receive ring: 8 messages of 256 bytes
constexpr std::uint32_t kRegions = 6144;
constexpr std::uint32_t kRegionBytes = 1024;
constexpr std::uint32_t kRootParent = 15;

/// Random commands from all slots to all slots: messages, PUTs and GETs, some of them refused, and collectives.
class Traffic {
 public:
  Traffic(Machine& machine, std::uint32_t seed) : machine_(machine), generator_(seed) {
    const std::uint32_t slots = machine.topology().nodes() * machine.topology().slots();
    memory_.resize(std::size_t{slots} * kMemory);
    reads_.resize(slots);
    for (std::byte& byte : memory_) byte = static_cast<std::byte>(random(256));
    for (std::uint32_t rank = 0; rank < slots; ++rank) {
      const Endpoint endpoint = machine.topology().endpoint(rank);
      machine.attach_memory(endpoint, std::span(memory_).subspan(std::size_t{rank} * kMemory, kMemory));
      slots_.emplace_back(machine, endpoint);
      slots_.back().enable_interrupts(Cycle{0}, random(32));
      slots_.back().set_queue(Cycle{0}, kQueue, 3);
      slots_.back().register_region(Cycle{0}, 0, kRegions, kRegionBytes, true, true);
      slots_.back().register_region(Cycle{0}, 1, kRegions + kRegionBytes, kRegionBytes, true, false);
    }
    for (std::uint32_t rank = 0; rank < slots; ++rank) {
      for (std::uint32_t child = 0; child < 2 && 2 * rank + 1 + child < slots; ++child) {
        slots_[rank].tree_link(Cycle{0}, child, slots_[2 * rank + 1 + child].endpoint(), 2);
        slots_[2 * rank + 1 + child].tree_link(Cycle{0}, 2, slots_[rank].endpoint(), child);
      }
    }
  }

  void run(std::uint32_t commands) {
    for (std::uint32_t i = 0; i < commands; ++i) {
      if (i % 50 == 0) {
        settle();  // a collective that is lost to a full queue would leave its tree unusable
        collective();
      }
      command(random(static_cast<std::uint32_t>(slots_.size())));
      if (random(2) == 0) advance(random(400));
    }
    settle();
  }

 private:
  std::uint32_t random(std::uint32_t bound) { return static_cast<std::uint32_t>(generator_() >> 4) % bound; }

  void command(std::size_t slot) {
    SlotCommands& commands = slots_[slot];
    const Cycle at = machine_.now() + random(100);
    const Endpoint other = slots_[random(static_cast<std::uint32_t>(slots_.size()))].endpoint();
    const std::uint32_t local = random(500) * 4;
    const SlotRegisters& registers = slot_registers();
    const std::array<std::uint16_t, 6> readable{registers.id,         registers.irq_status,
                                                registers.queue_tail, registers.rma_completed,
                                                registers.rma_error,  registers.mpe_completed};
    switch (random(8)) {
      case 0:
      case 1:
        commands.message(at, other, local, 1 + random(248));
        break;
      case 2:
      case 3:
        commands.put(at, other, local, random(3), random(200) * 4, 1 + random(600));
        break;
      case 4:
        commands.get(at, other, local, random(3), random(200) * 4, 1 + random(600));
        break;
      case 5:
        commands.clear_interrupts(at, random(32));
        break;
      default:
        reads_[slot].push_back(readable[random(readable.size())]);
        commands.read(at, reads_[slot].back());
        break;
    }
  }

  /// Empties the receive queues that have been looked at.
  void serve(const RunResult& result) {
    for (const CompletedRead& read : result.reads) {
      const std::size_t slot =
          machine_.topology().index(read.endpoint.node).value * machine_.topology().slots() + read.endpoint.slot.value;
      if (reads_[slot].front() == slot_registers().queue_tail) slots_[slot].set_queue_head(machine_.now(), read.data);
      reads_[slot].pop_front();
    }
  }

  /// The same collective on all slots, each at a time of its own.
  void collective() {
    const auto operation = static_cast<CollectiveOperation>(random(4));
    const auto element = static_cast<ElementType>(random(4));
    const std::uint32_t count = 1 + random(200);
    for (std::uint32_t rank = 0; rank < slots_.size(); ++rank) {
      const auto has = [&](std::uint32_t child) { return 2 * rank + 1 + child < slots_.size() ? 1U << child : 0U; };
      slots_[rank].collective(machine_.now() + random(300), operation, element, rank == 0 ? kRootParent : 2,
                              has(0) | has(1), 0, 2048, count);
    }
  }

  /// Runs for `cycles`, or until nothing is left to happen. @return whether that is so.
  bool advance(std::uint64_t cycles) {
    const Cycle end = machine_.now() + cycles;
    while (machine_.now() < end) {
      const RunResult result = machine_.run_until(end);
      serve(result);
      if (result.quiescent) return true;
    }
    return false;
  }

  /// Lets everything end that is under way.
  void settle() {
    constexpr std::uint64_t kPatience = 100'000;
    if (!advance(kPatience)) throw std::runtime_error("the machine does not come to rest");
  }

  Machine& machine_;
  std::minstd_rand generator_;
  std::vector<std::byte> memory_;
  std::vector<SlotCommands> slots_;
  std::vector<std::deque<std::uint16_t>> reads_;  ///< a slot: registers that have been asked for
};

class Wiring : public testing::TestWithParam<const char*> {};

TEST_P(Wiring, InSystemVerilogAndInCppAgreesInEveryCycle) {
  const WholeMachineFile library(test::library_path(std::string(GetParam()) + ".machine.so"));
  const std::vector<std::uint32_t> size(library->radix, library->radix + library->parameters.dims);
  const MachineConfig config = test::config_of(library->parameters, size, library->link_latency);
  const std::uint32_t slots = Topology(config.topology).nodes() * config.topology.slots;
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string node = test::library_path(std::string(GetParam()) + ".node.so");
    Machine machine(config, slots, VerilatedSession::load(node, library->parameters)->factory());
    Comparison comparison(library, machine);
    machine.observe(&comparison);
    Traffic(machine, seed).run(200);
    EXPECT_GT(machine.counters().cycles_stepped, 3000U);
    EXPECT_GT(machine.counters().cycles_skipped, 0U);
    if (library->parameters.dims != 0) {
      EXPECT_GT(machine.counters().flit_hops, 1000U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Wiring,
                         testing::Values("ring3_latency5", "mesh2x2_latency1", "torus2x2x2_latency5", "crossbar3"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tidings
