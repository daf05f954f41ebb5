// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared library of the compiled engine. Compiled by tests/equivalence/build_engine_libraries.py.
#include "tests/equivalence/mpe_library.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "Vmpe.h"
#include "generated/built_node.h"
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

constexpr MpeParameters kParameters{
    .node = kBuiltNode, .direct_links = TIDINGS_MPE_DIRECT_LINKS, .multicast = TIDINGS_MPE_MULTICAST != 0};

void set_inputs(Vmpe& model, const MpeInputs& inputs) {
  model.command_valid_i = inputs.command_valid;
  store(model.command_i, 0, inputs.command);
  model.rx_valid_i = inputs.rx_valid;
  model.rx_info_i = static_cast<std::uint16_t>(inputs.rx_info.encode());
  model.rx_data_i = inputs.rx_data;
  model.tap_valid_i = inputs.tapped;
  for (unsigned port = 0; port < kParameters.direct_links; ++port) {
    set_bits(model.tap_context_i, port * cycle::kContextIdWidth, cycle::kContextIdWidth, inputs.taps[port].context);
    set_bits(model.tap_left_i, port * cycle::NeighbourHeader::kLengthField.width,
             cycle::NeighbourHeader::kLengthField.width, inputs.taps[port].left);
    set_bits(model.tap_data_i, port * kWordBits, kWordBits, inputs.taps[port].data);
  }
  model.lane_ready_i = inputs.lane_ready;
  model.credit_valid_i = inputs.credit_valid;
  model.credit_info_i = static_cast<std::uint16_t>(inputs.credit_info.encode());
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

void outputs(MpeInstance* instance, const MpeLink* links, MpeOutputs* result) {
  Vmpe& model = *instance->model;
  for (unsigned context = 0; context < kParameters.node.mpe_contexts; ++context) {
    for (unsigned link = 0; link < kParameters.node.mpe_links; ++link) {
      store(model.links_i, (context * kParameters.node.mpe_links + link) * MpeLink::kWidth,
            links[context * cycle::kMaxLinks + link]);
    }
  }
  model.eval();

  *result = {};
  result->command_ready = model.command_ready_o != 0;
  result->completed = model.completed_o;
  result->done = model.done_o != 0;
  result->error = load<cycle::MpeError>(model.error_o, 0);
  result->failed = model.failed_o != 0;
  result->rx_ready = model.rx_ready_o != 0;
  result->lane_valid = model.lane_valid_o != 0;
  if (result->lane_valid) result->lane = load<Flit>(model.lane_flit_o, 0);
  result->request_valid = model.request_valid_o != 0;
  if (result->request_valid) result->request = load<Flit>(model.request_flit_o, 0);
  result->reply_valid = model.reply_valid_o != 0;
  if (result->reply_valid) result->reply = load<Flit>(model.reply_flit_o, 0);
  result->memory_read_valid = model.memory_read_valid_o != 0;
  if (result->memory_read_valid) result->memory_read_address = model.memory_read_address_o;
  result->memory_write_valid = model.memory_write_valid_o != 0;
  if (result->memory_write_valid) {
    result->memory_write = load<MemoryWrite>(model.memory_write_o, 0);
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
