// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared library of a compiled node: Verilator's model of rtl/machine/node.sv behind plain functions.
// Compiled by python/tidings/verilated_node.py with the TIDINGS_NODE_* parameters of node_parameters.h.
#include "sim/rtl/library/node_library.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vnode.h"
#include "sim/rtl/library/packed_bits.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace tidings {

struct NodeInstance {
  NodeSession* session;
  std::unique_ptr<Vnode> model;
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

constexpr NodeParameters kParameters{.dims = TIDINGS_NODE_DIMS,
                                     .num_slots = TIDINGS_NODE_NUM_SLOTS,
                                     .dateline = TIDINGS_NODE_DATELINE,
                                     .buffer_flits = TIDINGS_NODE_BUFFER_FLITS,
                                     .slot_buffer_flits = TIDINGS_NODE_SLOT_BUFFER_FLITS,
                                     .fixed_priority = TIDINGS_NODE_FIXED_PRIORITY,
                                     .mpe_buffer_words = TIDINGS_NODE_MPE_BUFFER_WORDS,
                                     .rma_command_depth = TIDINGS_NODE_RMA_COMMAND_DEPTH};

constexpr unsigned kPorts = 2 * kParameters.dims;
constexpr unsigned kSlots = kParameters.num_slots;

// Widths and places of fields in tidings_pkg.sv.
constexpr unsigned kWordBits = 32;
constexpr unsigned kNodeIdBits = 12;
constexpr unsigned kMaxDims = 4;
constexpr unsigned kMaxVcs = 4;
constexpr unsigned kFlitLast = 32, kFlitVc = 33, kVcBits = 2, kFlitBits = 35;
constexpr unsigned kBusAddress = 32, kBusAddressBits = 12, kBusWrite = 44, kBusBits = 45;
constexpr unsigned kWriteStrobe = 32, kStrobeBits = 4, kWriteAddress = 36, kWriteBits = 68;

void set_inputs(Vnode& model, const PortInput* ports, const SlotInput* slots) {
  std::uint32_t flit_valid = 0;
  for (unsigned p = 0; p < kPorts; ++p) {
    const PortInput& input = ports[p];
    flit_valid |= std::uint32_t{input.flit_valid} << p;
    if (input.flit_valid) {
      set_bits(model.flit_i, p * kFlitBits, kWordBits, input.flit.data);
      set_bits(model.flit_i, p * kFlitBits + kFlitLast, 1, input.flit.last ? 1 : 0);
      set_bits(model.flit_i, p * kFlitBits + kFlitVc, kVcBits, input.flit.vc);
    }
    set_bits(model.credit_i, p * kMaxVcs, kMaxVcs, input.credits);
  }
  if constexpr (kPorts > 0) set_bits(model.flit_valid_i, 0, kPorts, flit_valid);

  std::uint32_t bus_valid = 0;
  std::uint32_t memory_valid = 0;
  for (unsigned s = 0; s < kSlots; ++s) {
    const SlotInput& input = slots[s];
    bus_valid |= std::uint32_t{input.bus_valid} << s;
    if (input.bus_valid) {
      set_bits(model.bus_i, s * kBusBits, kWordBits, input.bus.data);
      set_bits(model.bus_i, s * kBusBits + kBusAddress, kBusAddressBits, input.bus.address);
      set_bits(model.bus_i, s * kBusBits + kBusWrite, 1, input.bus.write ? 1 : 0);
    }
    memory_valid |= std::uint32_t{input.memory_data_valid} << s;
    if (input.memory_data_valid) set_bits(model.memory_data_i, s * kWordBits, kWordBits, input.memory_data);
  }
  set_bits(model.bus_valid_i, 0, kSlots, bus_valid);
  set_bits(model.memory_data_valid_i, 0, kSlots, memory_valid);
}

/// Sidebands and data that do not count in a cycle read as zero, so that outputs can be compared.
void get_outputs(const Vnode& model, PortOutput* ports, SlotOutput* slots, bool* busy) {
  for (unsigned p = 0; p < kPorts; ++p) {
    PortOutput& output = ports[p];
    output.flit_valid = get_bits(model.flit_valid_o, p, 1) != 0;
    output.flit = {};
    if (output.flit_valid) {
      output.flit.data = get_bits(model.flit_o, p * kFlitBits, kWordBits);
      output.flit.last = get_bits(model.flit_o, p * kFlitBits + kFlitLast, 1) != 0;
      output.flit.vc = static_cast<std::uint8_t>(get_bits(model.flit_o, p * kFlitBits + kFlitVc, kVcBits));
    }
    output.credits = static_cast<std::uint8_t>(get_bits(model.credit_o, p * kMaxVcs, kMaxVcs));
  }
  for (unsigned s = 0; s < kSlots; ++s) {
    SlotOutput& output = slots[s];
    output = {};
    output.interrupt = get_bits(model.interrupt_o, s, 1) != 0;
    output.bus_read_valid = get_bits(model.bus_read_valid_o, s, 1) != 0;
    if (output.bus_read_valid) output.bus_read_data = get_bits(model.bus_read_data_o, s * kWordBits, kWordBits);
    output.memory_read_valid = get_bits(model.memory_read_valid_o, s, 1) != 0;
    if (output.memory_read_valid) {
      output.memory_read_address = get_bits(model.memory_read_address_o, s * kWordBits, kWordBits);
    }
    output.memory_write_valid = get_bits(model.memory_write_valid_o, s, 1) != 0;
    if (output.memory_write_valid) {
      output.memory_write.data = get_bits(model.memory_write_o, s * kWriteBits, kWordBits);
      output.memory_write.strobe =
          static_cast<std::uint8_t>(get_bits(model.memory_write_o, s * kWriteBits + kWriteStrobe, kStrobeBits));
      output.memory_write.address = get_bits(model.memory_write_o, s * kWriteBits + kWriteAddress, kWordBits);
    }
  }
  *busy = model.busy_o != 0;
}

/// One clock period; it ends with the clock high, so that waveforms show the edge.
void edge(Vnode& model) {
  model.clk_i = 0;
  model.eval();
  model.clk_i = 1;
  model.eval();
}

void reset(Vnode& model) {
  constexpr unsigned kResetCycles = 4;
  const std::vector<PortInput> ports(kPorts);
  const std::vector<SlotInput> slots(kSlots);
  set_inputs(model, ports.data(), slots.data());
  model.rst_ni = 0;
  for (unsigned cycle = 0; cycle < kResetCycles; ++cycle) edge(model);
  model.rst_ni = 1;
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
                   const bool* wrap, NodeInstance** instance) {
  return session->guarded([&] {
    auto node = std::make_unique<NodeInstance>();
    node->session = session;
    node->model = std::make_unique<Vnode>(&session->context, name);
    Vnode& model = *node->model;
    model.node_id_i = node_id;
    for (unsigned dim = 0; dim < kMaxDims; ++dim) {
      set_bits(model.radix_i, dim * kNodeIdBits, kNodeIdBits, radix[dim]);
      set_bits(model.wrap_i, dim, 1, wrap[dim] ? 1 : 0);
    }
    reset(model);
    *instance = node.get();
    session->nodes.push_back(std::move(node));
  });
}

void outputs(const NodeInstance* node, PortOutput* ports, SlotOutput* slots, bool* busy) {
  get_outputs(*node->model, ports, slots, busy);
}

const char* step(NodeInstance* node, const PortInput* ports, const SlotInput* slots) {
  return node->session->guarded([&] {
    set_inputs(*node->model, ports, slots);
    edge(*node->model);
  });
}

#if VM_TRACE

const char* show(NodeInstance* node, const PortInput* ports, const SlotInput* slots) {
  return node->session->guarded([&] {
    set_inputs(*node->model, ports, slots);
    node->model->clk_i = 0;
    node->model->eval();
  });
}

void wave_add(NodeInstance* node) {
  constexpr int kAllLevels = 99;
  node->model->trace(&node->session->waves, kAllLevels);
}

const char* wave_open(NodeSession* session, const char* path) {
  return session->guarded([&] {
    session->waves.set_time_unit("1ps");
    session->waves.set_time_resolution("1ps");
    session->waves.open(path);
    if (!session->waves.isOpen()) throw std::runtime_error("cannot write waveforms to " + std::string(path));
  });
}

void wave_dump(NodeSession* session, std::uint64_t picoseconds) { session->waves.dump(picoseconds); }

#endif

constexpr NodeLibrary kLibrary{
    .version = kNodeLibraryVersion,
    .parameters = kParameters,
    .waves = VM_TRACE != 0,
    .open = open,
    .close = close,
    .create = create,
    .outputs = outputs,
    .step = step,
#if VM_TRACE
    .show = show,
    .wave_add = wave_add,
    .wave_open = wave_open,
    .wave_dump = wave_dump,
#else
    .show = nullptr,
    .wave_add = nullptr,
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
void vl_fatal(const char* file, int line, const char* scope, const char*) VL_MT_UNSAFE {
  throw std::runtime_error("assertion failed in " + std::string(scope) + " at " + file + ":" + std::to_string(line));
}
