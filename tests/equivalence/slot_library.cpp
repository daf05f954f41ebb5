// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared library of the compiled slot. Compiled by tests/equivalence/build_engine_libraries.py.
#include "tests/equivalence/slot_library.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "Vslot.h"
#include "generated/built_node.h"
#include "sim/rtl/library/node_ports.h"
#include "verilated.h"

namespace tidings::test {

struct SlotInstance {
  VerilatedContext context;
  std::unique_ptr<Vslot> model;
  std::string error;
};

namespace {

void set_direct_inputs(Vslot& model, const SlotDirect& direct) {
  for (unsigned l = 0; l < TIDINGS_SLOT_DIRECT_LINKS; ++l) {
    set_bits(model.tap_valid_i, l, 1, direct.tapped >> l & 1U);
    store(model.tap_flit_i, l * Flit::kWidth, direct.taps[l]);
  }
  model.lane_credit_i = direct.lane_credit ? 1 : 0;
  model.token_i = direct.tokens;
  for (unsigned p = 0; p < direct.links.size(); ++p) store(model.switch_i, p * SideLink::kWidth, direct.links[p]);
}

SlotInstance* create(std::uint16_t node, std::uint8_t slot, int seed) {
  constexpr int kRandomState = 2;
  auto instance = std::make_unique<SlotInstance>();
  instance->context.randReset(kRandomState);
  instance->context.randSeed(seed);
  instance->model = std::make_unique<Vslot>(&instance->context, "slot");
  instance->model->node_id_i = node;
  instance->model->slot_id_i = slot;
  instance->model->route_write_ready_i = 1;
  instance->model->route_refused_i = 0;
  const PortInput port;
  const SlotInput inputs;
  set_port_inputs<1>(*instance->model, &port);
  set_slot_inputs<1>(*instance->model, &inputs);
  set_direct_inputs(*instance->model, {});
  reset(*instance->model);
  return instance.release();
}

void destroy(SlotInstance* instance) { delete instance; }

void outputs(const SlotInstance* instance, SlotView* view) {
  get_port_outputs<1>(*instance->model, &view->port);
  get_slot_outputs<1>(*instance->model, &view->slot);
  const Vslot& model = *instance->model;
  view->lane_valid = model.lane_valid_o != 0;
  view->lane = load<Flit>(model.lane_flit_o, 0);
  view->tokens = model.token_o;
  for (unsigned p = 0; p < view->links.size(); ++p) {
    view->links[p] = load<SideLink>(model.switch_o, p * SideLink::kWidth);
  }
  view->busy = instance->model->busy_o != 0;
}

const char* step(SlotInstance* instance, const PortInput* port, const SlotInput* inputs, const SlotDirect* direct) {
  try {
    set_port_inputs<1>(*instance->model, port);
    set_slot_inputs<1>(*instance->model, inputs);
    set_direct_inputs(*instance->model, *direct);
    clock_edge(*instance->model);
  } catch (const std::exception& exception) {
    instance->error = exception.what();
    return instance->error.c_str();
  }
  return nullptr;
}

constexpr SlotLibrary kLibrary{.node = kBuiltNode,
                               .direct_links = TIDINGS_SLOT_DIRECT_LINKS,
                               .create = create,
                               .destroy = destroy,
                               .outputs = outputs,
                               .step = step};

}  // namespace
}  // namespace tidings::test

extern "C" __attribute__((visibility("default"))) const tidings::test::SlotLibrary* tidings_slot_library() {
  return &tidings::test::kLibrary;
}

// What Verilator calls where an assertion fails (VL_USER_FATAL); it has printed which one.
void vl_fatal(const char* file, int line, const char*, const char*) VL_MT_UNSAFE {
  throw std::runtime_error("assertion failed at " + std::string(file) + ":" + std::to_string(line));
}
