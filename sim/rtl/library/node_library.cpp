// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared library of a compiled node: Verilator's model of rtl/machine/node.sv behind plain functions.
// Compiled by python/tidings/build/verilated_node.py, with the parameters of built_node.h.
#include "sim/rtl/library/node_library.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "Vnode.h"
#include "generated/built_node.h"
#include "generated/tidings_pkg.h"
#include "sim/machine/network_ports.h"
#include "sim/rtl/library/node_ports.h"
#include "verilated.h"
#include "verilated_syms.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

// What Vnode::eval() calls in loops until nothing changes: regions of the standard's scheduling.
bool Vnode___024root___eval_ico(Vnode___024root* root, CData first);
bool Vnode___024root___eval_act(Vnode___024root* root);
bool Vnode___024root___eval_nba(Vnode___024root* root);

namespace tidings {

/// A part of a node whose clock stands still while the part sleeps (skip.sv).
struct Part {
  const CData* awake;
  CData* clock;
};

struct NodeInstance {
  NodeSession* session;
  std::unique_ptr<Vnode> model;
  std::vector<Part> parts;

  /// Let the inputs through, without an edge.
  void settle() {
    model->clk_i = 0;
    for (const Part& part : parts) *part.clock = 0;
    model->eval();
  }

  /// One clock period; it ends with the clock high, so that waveforms show the edge.
  void clock_edge() {
    if (VM_TRACE == 0 && !parts.empty()) return part_edges();
    settle();
    model->clk_i = 1;
    for (const Part& part : parts) *part.clock = *part.awake;
    model->eval();
  }

 private:
  /// One clock period of the parts, which have all flip-flops of a node; the node's own clock stays low.
  ///
  /// Two calls of Vnode::eval() would look eight times for what triggers anything, which is a fifth of the time. The
  /// first look here takes the parts' clocks up to where edges are seen. The second sees them, and takes the clocks
  /// down again: the next period's first look notes that. Then the flip-flops change, and what depends on them.
  void part_edges() {
    Vnode___024root* const root = model->rootp;
    Vnode___024root___eval_ico(root, 0);
    for (const Part& part : parts) *part.clock = *part.awake;
    Vnode___024root___eval_act(root);
    for (const Part& part : parts) *part.clock = 0;
    Vnode___024root___eval_act(root);
    Vnode___024root___eval_nba(root);
  }
};

struct NodeSession {
  VerilatedContext context;
#if VM_TRACE
  VerilatedFstC waves;
#endif
  std::vector<std::unique_ptr<NodeInstance>> nodes;
  std::string error;

  /// Runs `function`; an assertion that fails in the model becomes a message.
  template <typename Function>
  const char* guarded(Function&& function) {
    try {
      function();
    } catch (const std::exception& exception) {
      error = exception.what();
      return error.c_str();
    }
    return nullptr;
  }
};

namespace {

constexpr unsigned kPorts = network_ports(kBuiltNode);
constexpr unsigned kSlots = kBuiltNode.num_slots;

using tidings_pkg::kMaxDims;
using tidings_pkg::kNodeIdWidth;

/// The variable of a scope, or null.
CData* variable(const VerilatedScope& scope, const char* name) {
  const VerilatedVar* const found = scope.varFind(name);
  return found == nullptr ? nullptr : static_cast<CData*>(found->datap());
}

/// Take over the clocks of the parts that have a skip.sv in them; builds with assertions have none.
std::vector<Part> take_over_parts(VerilatedContext& context, const std::string& node) {
  constexpr std::string_view kBound = ".u_skip";
  std::vector<Part> parts;
  for (const auto& [text, bound] : *context.scopeNameMap()) {
    const std::string_view name = text;
    if (!name.starts_with(node + '.') || !name.ends_with(kBound)) continue;
    const std::string part(name.substr(0, name.size() - kBound.size()));
    const VerilatedScope* const scope = context.scopeFind(part.c_str());
    if (scope == nullptr) throw std::logic_error(part + " has no clock that can be driven: see skip.vlt");
    *variable(*scope, "clk_i__VforceEn") = 1;
    parts.push_back({variable(*bound, "awake_i"), variable(*scope, "clk_i__VforceVal")});
  }
  return parts;
}

NodeSession* open() {
  auto session = std::make_unique<NodeSession>();
  // Builds with assertions start from random state, the same in every run: reset must be enough.
  constexpr int kRandomState = 2;
  session->context.randReset(kRandomState);
  session->context.randSeed(1);
#if VM_TRACE
  session->context.traceEverOn(true);
#endif
  return session.release();
}

void close(NodeSession* session) {
#if VM_TRACE
  if (session->waves.isOpen()) session->waves.close();
#endif
  delete session;
}

const char* create(NodeSession* session, const char* name, std::uint16_t node_id, const std::uint16_t* radix,
                   const bool* wrap, const RouteRow* table, NodeInstance** instance) {
  return session->guarded([&] {
    auto node = std::make_unique<NodeInstance>();
    node->session = session;
    node->model = std::make_unique<Vnode>(&session->context, name);
    Vnode& model = *node->model;
    model.node_id_i = node_id;
    for (unsigned dim = 0; dim < kMaxDims; ++dim) {
      set_bits(model.radix_i, dim * kNodeIdWidth, kNodeIdWidth, radix[dim]);
      set_bits(model.wrap_i, dim, 1, wrap[dim] ? 1 : 0);
    }
    for (unsigned row = 0; row < kBuiltNode.table_rows; ++row) {
      const RouteRow& entry = table[row];
      entry.store(
          [&](unsigned lsb, unsigned width, std::uint32_t value) { set_bits(model.table_i, lsb, width, value); },
          row * tidings_pkg::RouteRow::kWidth);
    }
    const std::array<PortInput, kPorts> ports{};
    const std::array<SlotInput, kSlots> slots{};
    set_port_inputs<kPorts>(model, ports.data());
    set_sideband_inputs<kPorts>(model, ports.data());
    set_slot_inputs<kSlots>(model, slots.data());
    reset(model);
    node->parts = take_over_parts(session->context, name);
    node->settle();
    *instance = node.get();
    session->nodes.push_back(std::move(node));
  });
}

void outputs(const NodeInstance* node, PortOutput* ports, SlotOutput* slots, bool* busy) {
  get_port_outputs<kPorts>(*node->model, ports);
  get_sideband_outputs<kPorts>(*node->model, ports);
  get_slot_outputs<kSlots>(*node->model, slots);
  *busy = node->model->busy_o != 0;
}

const char* step(NodeInstance* node, const PortInput* ports, const SlotInput* slots) {
  return node->session->guarded([&] {
    set_port_inputs<kPorts>(*node->model, ports);
    set_sideband_inputs<kPorts>(*node->model, ports);
    set_slot_inputs<kSlots>(*node->model, slots);
    node->clock_edge();
  });
}

#if VM_TRACE

const char* show(NodeInstance* node, const PortInput* ports, const SlotInput* slots) {
  return node->session->guarded([&] {
    set_port_inputs<kPorts>(*node->model, ports);
    set_sideband_inputs<kPorts>(*node->model, ports);
    set_slot_inputs<kSlots>(*node->model, slots);
    node->settle();
  });
}

const char* wave_open(NodeSession* session, const char* path, const NodeInstance* only) {
  constexpr int kAllLevels = 99;
  return session->guarded([&] {
    session->context.trace(&session->waves, kAllLevels);
    if (only != nullptr) session->waves.dumpvars(kAllLevels, only->model->name());
    session->waves.set_time_unit("1ps");
    session->waves.set_time_resolution("1ps");
    session->waves.open(path);
  });
}

void wave_dump(NodeSession* session, std::uint64_t picoseconds) { session->waves.dump(picoseconds); }

#endif

constexpr NodeLibrary kLibrary{
    .version = kNodeLibraryVersion,
    .parameters = kBuiltNode,
    .waves = VM_TRACE != 0,
    .open = open,
    .close = close,
    .create = create,
    .outputs = outputs,
    .step = step,
#if VM_TRACE
    .show = show,
    .wave_open = wave_open,
    .wave_dump = wave_dump,
#else
    .show = nullptr,
    .wave_open = nullptr,
    .wave_dump = nullptr,
#endif
};

}  // namespace
}  // namespace tidings

extern "C" __attribute__((visibility("default"))) const tidings::NodeLibrary* tidings_node_library() {
  return &tidings::kLibrary;
}

// What Verilator calls where an assertion fails (VL_USER_FATAL); it has printed which one.
void vl_fatal(const char* file, int line, const char*, const char*) VL_MT_UNSAFE {
  throw std::runtime_error("assertion failed at " + std::string(file) + ":" + std::to_string(line));
}
