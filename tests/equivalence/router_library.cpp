// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared library of the compiled router. Compiled by tests/equivalence/build_engine_libraries.py.
#include "tests/equivalence/router_library.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "Vrouter.h"
#include "sim/machine/machine_config.h"
#include "sim/rtl/library/node_ports.h"
#include "verilated.h"

namespace tidings::test {

struct RouterInstance {
  VerilatedContext context;
  std::unique_ptr<Vrouter> model;
  std::string error;
};

namespace {

constexpr NodeParameters kParameters{.dims = TIDINGS_ROUTER_DIMS,
                                     .num_slots = TIDINGS_ROUTER_NUM_SLOTS,
                                     .num_classes = TIDINGS_ROUTER_NUM_CLASSES,
                                     .dateline = TIDINGS_ROUTER_DATELINE,
                                     .buffer_flits = TIDINGS_ROUTER_BUFFER_FLITS,
                                     .slot_buffer_flits = TIDINGS_ROUTER_SLOT_BUFFER_FLITS,
                                     .fixed_priority = TIDINGS_ROUTER_FIXED_PRIORITY,
                                     .num_routes = TIDINGS_ROUTER_NUM_ROUTES,
                                     .router_pipeline = TIDINGS_ROUTER_PIPELINE,
                                     .direct_links = TIDINGS_ROUTER_DIRECT_LINKS};
constexpr unsigned kNetworkPorts = 2 * kParameters.dims;
constexpr unsigned kPorts = kNetworkPorts + kParameters.num_slots;

void set_inputs(Vrouter& model, const PortInput* ports) {
  set_port_inputs<kPorts>(model, ports);
  const PortInput& lane = ports[kPorts];
  model.lane_valid_i = lane.flit_valid ? 1 : 0;
  store(model.lane_flit_i, 0, lane.flit);
}

RouterInstance* create(std::uint16_t node, const std::uint16_t* radix, const bool* wrap, int seed) {
  constexpr int kRandomState = 2;
  auto instance = std::make_unique<RouterInstance>();
  instance->context.randReset(kRandomState);
  instance->context.randSeed(seed);
  instance->model = std::make_unique<Vrouter>(&instance->context, "router");
  instance->model->node_id_i = node;
  for (unsigned d = 0; d < kMaxDims; ++d) {
    set_bits(instance->model->radix_i, d * kNodeIdWidth, kNodeIdWidth, radix[d]);
    set_bits(instance->model->wrap_i, d, 1, wrap[d] ? 1 : 0);
  }
  const PortInput ports[kPorts + 1];
  set_inputs(*instance->model, ports);
  reset(*instance->model);
  return instance.release();
}

void destroy(RouterInstance* instance) { delete instance; }

bool outputs(const RouterInstance* instance, PortOutput* ports) {
  const Vrouter& model = *instance->model;
  get_port_outputs<kPorts>(model, ports);
  for (unsigned p = 0; p < kNetworkPorts; ++p) {
    PortOutput& tap = ports[kPorts + p];
    tap = {};
    tap.flit_valid = get_bits(model.tap_valid_o, p, 1) != 0;
    if (!tap.flit_valid) continue;
    tap.flit = load<Flit>(model.tap_flit_o, p * Flit::kWidth);
  }
  ports[kPorts + kNetworkPorts] = {};
  ports[kPorts + kNetworkPorts].credits = model.lane_credit_o;
  return instance->model->busy_o != 0;
}

const char* step(RouterInstance* instance, const PortInput* ports) {
  try {
    set_inputs(*instance->model, ports);
    clock_edge(*instance->model);
  } catch (const std::exception& exception) {
    instance->error = exception.what();
    return instance->error.c_str();
  }
  return nullptr;
}

constexpr RouterLibrary kLibrary{
    .parameters = kParameters, .create = create, .destroy = destroy, .outputs = outputs, .step = step};

}  // namespace
}  // namespace tidings::test

extern "C" __attribute__((visibility("default"))) const tidings::test::RouterLibrary* tidings_router_library() {
  return &tidings::test::kLibrary;
}

// What Verilator calls where an assertion fails (VL_USER_FATAL); it has printed which one.
void vl_fatal(const char* file, int line, const char*, const char*) VL_MT_UNSAFE {
  throw std::runtime_error("assertion failed at " + std::string(file) + ":" + std::to_string(line));
}
