// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/verilated_node.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

#include "sim/machine/network_ports.h"

namespace tidings {
namespace {

void check(const char* error, const std::string& where) {
  if (error != nullptr) throw std::runtime_error(where + ": " + error);
}

std::string describe(const NodeParameters& parameters) {
  std::string text;
  visit_fields(&parameters, [&](const char* name, auto member) {
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(parameters.*member);
  });
  return text;
}

}  // namespace

std::string instance_name(const NodePlace& place) {
  std::string name = "node";
  if (!place.table.empty()) return name + "_" + std::to_string(place.node_id);
  const unsigned bits = place.radix.empty() ? 0 : kNodeIdWidth / static_cast<unsigned>(place.radix.size());
  for (unsigned dim = 0; dim < place.radix.size(); ++dim) {
    name += "_" + std::to_string(place.node_id >> (dim * bits) & ((1U << bits) - 1));
  }
  return name;
}

class VerilatedNode : public Node {
 public:
  VerilatedNode(std::shared_ptr<VerilatedSession> session, NodeIndex node, const NodePlace& place)
      : session_(std::move(session)), library_(*session_->library_), name_(instance_name(place)) {
    std::array<std::uint16_t, kMaxDims> radix{};
    std::array<bool, kMaxDims> wrap{};
    std::copy(place.radix.begin(), place.radix.end(), radix.begin());
    std::copy(place.wrap.begin(), place.wrap.end(), wrap.begin());
    if (place.table.size() != library_.parameters.table_rows) {
      throw std::invalid_argument(name_ + " has a routing table of " + std::to_string(place.table.size()) +
                                  " rows, and the compiled node one of " +
                                  std::to_string(library_.parameters.table_rows));
    }
    check(library_.create(session_->session_, name_.c_str(), place.node_id, radix.data(), wrap.data(),
                          place.table.data(), &instance_),
          name_);
    session_->instances_.emplace_back(node, instance_);
    outputs_.ports.resize(network_ports(library_.parameters));
    outputs_.slots.resize(library_.parameters.num_slots);
    take_outputs();
  }

  [[nodiscard]] const NodeOutputs& outputs() const override { return outputs_; }

  void step(const NodeInputs& inputs) override {
    check(library_.step(instance_, inputs.ports.data(), inputs.slots.data()), name_);
    take_outputs();
  }

 private:
  void take_outputs() { library_.outputs(instance_, outputs_.ports.data(), outputs_.slots.data(), &outputs_.busy); }

  std::shared_ptr<VerilatedSession> session_;
  const NodeLibrary& library_;
  std::string name_;
  NodeInstance* instance_ = nullptr;
  NodeOutputs outputs_;
};

LoadedNodeLibrary::LoadedNodeLibrary(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) throw std::runtime_error("cannot load the compiled node: " + std::string(dlerror()));
  void* const symbol = dlsym(handle_.get(), kNodeLibrarySymbol);
  if (symbol == nullptr) throw std::runtime_error(path + " is not a compiled node: " + dlerror());
  functions_ = reinterpret_cast<const NodeLibrary* (*)()>(symbol)();
  if (functions_->version != kNodeLibraryVersion) {
    throw std::runtime_error(path + " has version " + std::to_string(functions_->version) + ", not " +
                             std::to_string(kNodeLibraryVersion) + ": delete it, so that it is built again");
  }
}

void LoadedNodeLibrary::Close::operator()(void* handle) const { dlclose(handle); }

std::shared_ptr<VerilatedSession> VerilatedSession::load(const std::string& path, const NodeParameters& parameters) {
  return std::shared_ptr<VerilatedSession>(new VerilatedSession(path, parameters));
}

VerilatedSession::VerilatedSession(const std::string& path, const NodeParameters& parameters) : library_(path) {
  if (library_->parameters != parameters) {
    throw std::runtime_error(path + " was built with " + describe(library_->parameters) + "; the machine needs " +
                             describe(parameters));
  }
  session_ = library_->open();
}

VerilatedSession::~VerilatedSession() { library_->close(session_); }

NodeFactory VerilatedSession::factory() {
  return [self = shared_from_this()](NodeIndex node, const NodePlace& place) -> std::unique_ptr<Node> {
    return std::make_unique<VerilatedNode>(self, node, place);
  };
}

WaveRecorder::WaveRecorder(std::shared_ptr<VerilatedSession> session, const Machine& machine, const std::string& path,
                           std::optional<NodeIndex> node)
    : WaveRecorder(std::move(session), Clock(machine.config().fabric.clock_khz), machine.topology(), machine.now(),
                   path, node) {}

WaveRecorder::WaveRecorder(std::shared_ptr<VerilatedSession> session, const Clock& clock, const Topology& topology,
                           Cycle now, const std::string& path, std::optional<NodeIndex> node)
    : session_(std::move(session)), clock_(clock), next_(now) {
  if (!session_->library_->waves) {
    throw std::runtime_error("waveforms need a node that was compiled with tracing");
  }
  const NodeInstance* only = nullptr;
  if (node) {
    const auto found = std::find_if(session_->instances_.begin(), session_->instances_.end(),
                                    [node](const auto& instance) { return instance.first == *node; });
    if (found == session_->instances_.end()) {
      throw std::out_of_range("no waveforms of node " + std::to_string(node->value) + ": the machine has " +
                              std::to_string(topology.nodes()) + " nodes, " +
                              std::to_string(session_->instances_.size()) + " of them Verilated");
    }
    only = found->second;
  }
  if (!std::ofstream(path)) throw std::runtime_error("cannot write waveforms to " + path);
  check(session_->library_->wave_open(session_->session_, path.c_str(), only), "waveforms");
  idle_.resize(topology.nodes());
  for (NodeInputs& inputs : idle_) {
    inputs.ports.resize(topology.ports());
    inputs.slots.resize(topology.slots());
  }
  session_->library_->wave_dump(session_->session_, clock_.time_of(next_).value);
}

void WaveRecorder::before_edge(Cycle cycle, std::span<const NodeInputs> inputs) {
  if (cycle != next_) show(next_, idle_);  // time was skipped: nothing is on the wires meanwhile
  show(cycle, inputs);
}

void WaveRecorder::after_edge(Cycle cycle) {
  session_->library_->wave_dump(session_->session_, clock_.time_of(cycle).value);
  next_ = cycle;
}

void WaveRecorder::show(Cycle cycle, std::span<const NodeInputs> inputs) {
  for (const auto& [node, instance] : session_->instances_) {
    const NodeInputs& entering = inputs[node.value];
    check(session_->library_->show(instance, entering.ports.data(), entering.slots.data()), "waveforms");
  }
  const std::uint64_t begin = clock_.time_of(cycle).value;
  const std::uint64_t end = clock_.time_of(cycle + 1).value;
  session_->library_->wave_dump(session_->session_, begin + (end - begin) / 2);
}

}  // namespace tidings
