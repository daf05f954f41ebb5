// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared library of the compiled engine. Compiled by tests/equivalence/build_engine_libraries.py.
#include "tests/equivalence/mpe_library.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "Vmpe.h"
#include "sim/rtl/library/node_ports.h"
#include "verilated.h"

namespace tidings::test {

struct MpeInstance {
  VerilatedContext context;
  std::unique_ptr<Vmpe> model;
  std::string error;
};

namespace {

using cycle::MpeCommand;
using cycle::MpeInputs;
using cycle::MpeLink;
using cycle::MpeParameters;

constexpr MpeParameters kParameters{.links = TIDINGS_MPE_LINKS,
                                    .contexts = TIDINGS_MPE_CONTEXTS,
                                    .buffer_words = TIDINGS_MPE_BUFFER_WORDS,
                                    .packet_words = TIDINGS_MPE_PACKET_WORDS,
                                    .combine_ports = TIDINGS_MPE_COMBINE_PORTS,
                                    .fpu_stages = TIDINGS_MPE_FPU_STAGES,
                                    .direct_links = TIDINGS_MPE_DIRECT_LINKS,
                                    .multicast = TIDINGS_MPE_MULTICAST != 0,
                                    .forward_words = TIDINGS_MPE_FORWARD_WORDS,
                                    .wide_elements = TIDINGS_MPE_WIDE_ELEMENTS != 0};

// Widths of fields in mpe_pkg.sv.
constexpr unsigned kNodeBits = 12, kSlotBits = 4, kLinkBits = 4, kNeighbourBits = 1 + kNodeBits + kSlotBits + kLinkBits;
constexpr unsigned kContextBits = 3, kOperationBits = 2, kElementBits = 2, kCombineBits = 3, kChildrenBits = 8,
                   kSwapBits = 4, kLeftBits = 12;

/// Fills a packed structure from its last field to its first.
template <typename Port>
class Packer {
 public:
  explicit Packer(Port& port, unsigned lsb = 0) : port_(port), lsb_(lsb) {}
  Packer& put(unsigned width, std::uint32_t value) {
    set_bits(port_, lsb_, width, value);
    lsb_ += width;
    return *this;
  }

 private:
  Port& port_;
  unsigned lsb_;
};

void set_command(Vmpe& model, const MpeCommand& command) {
  Packer(model.command_i)
      .put(kWordBits, command.descriptor)
      .put(kWordBits, command.count)
      .put(kWordBits, command.destination)
      .put(kWordBits, command.source)
      .put(kChildrenBits, command.children)
      .put(kLinkBits, command.parent)
      .put(kCombineBits, static_cast<std::uint32_t>(command.combine))
      .put(kElementBits, static_cast<std::uint32_t>(command.element))
      .put(kOperationBits, static_cast<std::uint32_t>(command.operation))
      .put(kSwapBits, command.swap)
      .put(1, command.exchange ? 1 : 0)
      .put(kContextBits, command.context);
}

void set_inputs(Vmpe& model, const MpeInputs& inputs) {
  model.command_valid_i = inputs.command_valid;
  set_command(model, inputs.command);
  model.rx_valid_i = inputs.rx_valid;
  model.rx_info_i = inputs.rx_info.word();
  model.rx_data_i = inputs.rx_data;
  model.tap_valid_i = inputs.tapped;
  for (unsigned port = 0; port < kParameters.direct_links; ++port) {
    set_bits(model.tap_context_i, port * kContextBits, kContextBits, inputs.taps[port].context);
    set_bits(model.tap_left_i, port * kLeftBits, kLeftBits, inputs.taps[port].left);
    set_bits(model.tap_data_i, port * kWordBits, kWordBits, inputs.taps[port].data);
  }
  model.lane_ready_i = inputs.lane_ready;
  model.credit_valid_i = inputs.credit_valid;
  model.credit_info_i = inputs.credit_info.word();
  model.credit_count_i = inputs.credit_count;
  model.request_ready_i = inputs.request_ready;
  model.reply_ready_i = inputs.reply_ready;
  model.memory_read_ready_i = inputs.memory_read_ready;
  model.memory_data_valid_i = inputs.memory_data_valid;
  model.memory_data_i = inputs.memory_data;
  model.memory_write_ready_i = inputs.memory_write_ready;
}

MpeInstance* create(std::uint16_t node, std::uint8_t slot, int seed) {
  constexpr int kRandomState = 2;
  auto instance = std::make_unique<MpeInstance>();
  instance->context.randReset(kRandomState);
  instance->context.randSeed(seed);
  instance->model = std::make_unique<Vmpe>(&instance->context, "mpe");
  instance->model->node_id_i = node;
  instance->model->slot_id_i = slot;
  set_inputs(*instance->model, {});
  reset(*instance->model);
  return instance.release();
}

void destroy(MpeInstance* instance) { delete instance; }

Flit flit_of(std::uint64_t port) {
  return {.data = get_bits(port, 0, kWordBits),
          .vc = static_cast<std::uint8_t>(get_bits(port, kFlitVc, kVcBits)),
          .last = get_bits(port, kFlitLast, 1) != 0};
}

void outputs(MpeInstance* instance, const MpeLink* links, MpeOutputs* result) {
  Vmpe& model = *instance->model;
  for (unsigned context = 0; context < kParameters.contexts; ++context) {
    for (unsigned link = 0; link < kParameters.links; ++link) {
      const MpeLink& neighbour = links[context * cycle::kMaxLinks + link];
      Packer(model.links_i, (context * kParameters.links + link) * kNeighbourBits)
          .put(kLinkBits, neighbour.peer_link)
          .put(kSlotBits, neighbour.slot.value)
          .put(kNodeBits, neighbour.node.value)
          .put(1, neighbour.direct ? 1 : 0);
    }
  }
  model.eval();

  *result = {};
  result->command_ready = model.command_ready_o != 0;
  result->completed = model.completed_o;
  result->done = model.done_o != 0;
  unsigned lsb = 0;
  const auto take = [&](unsigned width) {
    lsb += width;
    return get_bits(model.error_o, lsb - width, width);
  };
  result->error.received = take(kWordBits);
  result->error.link = static_cast<std::uint8_t>(take(kLinkBits));
  result->error.context = static_cast<std::uint8_t>(take(kContextBits));
  result->error.mismatch = take(1) != 0;
  result->error.overflow = take(1) != 0;
  result->error.unsupported = take(1) != 0;
  result->failed = model.failed_o != 0;
  result->rx_ready = model.rx_ready_o != 0;
  result->lane_valid = model.lane_valid_o != 0;
  if (result->lane_valid) result->lane = flit_of(model.lane_flit_o);
  result->request_valid = model.request_valid_o != 0;
  if (result->request_valid) result->request = flit_of(model.request_flit_o);
  result->reply_valid = model.reply_valid_o != 0;
  if (result->reply_valid) result->reply = flit_of(model.reply_flit_o);
  result->memory_read_valid = model.memory_read_valid_o != 0;
  if (result->memory_read_valid) result->memory_read_address = model.memory_read_address_o;
  result->memory_write_valid = model.memory_write_valid_o != 0;
  if (result->memory_write_valid) {
    result->memory_write = {
        .address = get_bits(model.memory_write_o, kWriteAddress, kWordBits),
        .strobe = static_cast<std::uint8_t>(get_bits(model.memory_write_o, kWriteStrobe, kStrobeBits)),
        .data = get_bits(model.memory_write_o, 0, kWordBits)};
  }
  result->busy = model.busy_o != 0;
}

const char* step(MpeInstance* instance, const MpeInputs* inputs) {
  try {
    set_inputs(*instance->model, *inputs);
    clock_edge(*instance->model);
  } catch (const std::exception& exception) {
    instance->error = exception.what();
    return instance->error.c_str();
  }
  return nullptr;
}

constexpr MpeLibrary kLibrary{
    .parameters = kParameters, .create = create, .destroy = destroy, .outputs = outputs, .step = step};

}  // namespace
}  // namespace tidings::test

extern "C" __attribute__((visibility("default"))) const tidings::test::MpeLibrary* tidings_mpe_library() {
  return &tidings::test::kLibrary;
}

// What Verilator calls where an assertion fails (VL_USER_FATAL); it has printed which one.
void vl_fatal(const char* file, int line, const char*, const char*) VL_MT_UNSAFE {
  throw std::runtime_error("assertion failed at " + std::string(file) + ":" + std::to_string(line));
}
