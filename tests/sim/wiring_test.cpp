// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The C++ machine and the same machine wired in SystemVerilog agree on every output of every node in every cycle.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/cycle/machine_fabric.h"
#include "sim/cycle/node.h"
#include "sim/machine/machine.h"
#include "sim/rtl/verilated_node.h"
#include "tests/sim/libraries.h"
#include "tests/sim/traffic.h"
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
         << " last " << port.flit.last << ", credits " << int{port.credits} << ", tokens " << int{port.tokens}
         << ", switch " << port.link.word.encode() << ", stream " << port.link.stream.encode();
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

class Wiring : public testing::TestWithParam<const char*> {
 protected:
  /// Runs machines with such a fabric beside the SystemVerilog wiring.
  void compare(const FabricFactory& fabric) const {
    const std::vector<std::uint32_t> size(library_->radix, library_->radix + library_->parameters.dims);
    const MachineConfig config = test::config_of(library_->parameters, size, library_->link_latency);
    const std::uint32_t slots = Topology(config.topology).nodes() * config.topology.slots;
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Machine machine(config, slots, fabric);
      Comparison comparison(library_, machine);
      machine.observe(&comparison);
      test::Traffic(machine, seed).run(200);
      EXPECT_GT(machine.counters().cycles_stepped, 3000U);
      EXPECT_GT(machine.counters().cycles_skipped, 0U);
      if (library_->parameters.dims != 0) {
        EXPECT_GT(machine.counters().flit_hops, 1000U);
      }
    }
  }

  [[nodiscard]] NodeFactory verilated() const {
    const std::string node = test::library_path(std::string(GetParam()) + ".node.so");
    return VerilatedSession::load(node, library_->parameters)->factory();
  }

  const WholeMachineFile library_{test::library_path(std::string(GetParam()) + ".machine.so")};
};

TEST_P(Wiring, InSystemVerilogAndOfVerilatedNodesAgreesInEveryCycle) { compare(fabric_of(verilated())); }

TEST_P(Wiring, InSystemVerilogAndOfTheCycleModelAgreesInEveryCycle) { compare(cycle::machine_fabric_factory()); }

TEST_P(Wiring, InSystemVerilogAndOfBothKindsOfNodesAgreesInEveryCycle) {
  const NodeFactory twins = cycle::cycle_node_factory(library_->parameters);
  compare(fabric_of(mixed_factory({NodeIndex{0}, NodeIndex{2}}, verilated(), twins)));
}

INSTANTIATE_TEST_SUITE_P(Machines, Wiring,
                         testing::Values("ring3_latency5", "mesh2x2_latency1", "torus2x2x2_latency5", "crossbar3"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tidings
