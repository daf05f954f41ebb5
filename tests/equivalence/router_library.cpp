// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared library of a compiled router. Compiled by tests/equivalence/build_engine_libraries.py.
#include "tests/equivalence/router_library.h"

#include <memory>
#include <stdexcept>
#include <string>

#ifdef TIDINGS_ROUTER_CROSSPOINT
#include "Vcrosspoint_router.h"
#else
#include "Vrouter.h"
#endif
#include "generated/tidings_pkg.h"
#include "sim/machine/machine_config.h"
#include "sim/rtl/library/node_ports.h"
#include "verilated.h"

namespace tidings::test {

#ifdef TIDINGS_ROUTER_CROSSPOINT
using Model = Vcrosspoint_router;
#else
using Model = Vrouter;
#endif

struct RouterInstance {
  VerilatedContext context;
  std::unique_ptr<Model> model;
  std::string error;
};

namespace {

#ifdef TIDINGS_ROUTER_CROSSPOINT
constexpr NodeParameters kParameters{.dims = 0,
                                     .num_slots = TIDINGS_ROUTER_NUM_SLOTS,
                                     .num_classes = TIDINGS_ROUTER_NUM_CLASSES,
                                     .dateline = 0,
                                     .slot_buffer_flits = TIDINGS_ROUTER_SLOT_BUFFER_FLITS,
                                     .fixed_priority = TIDINGS_ROUTER_FIXED_PRIORITY,
                                     .num_routes = TIDINGS_ROUTER_NUM_ROUTES,
                                     .crosspoint = 1,
                                     .voq_flits = TIDINGS_ROUTER_VOQ_FLITS,
                                     .crosspoint_flits = TIDINGS_ROUTER_CROSSPOINT_FLITS,
                                     .fullest_first = TIDINGS_ROUTER_FULLEST_FIRST,
                                     .direct_links = 0};
#else
constexpr NodeParameters kParameters{.dims = TIDINGS_ROUTER_DIMS,
                                     .num_slots = TIDINGS_ROUTER_NUM_SLOTS,
                                     .num_classes = TIDINGS_ROUTER_NUM_CLASSES,
                                     .dateline = TIDINGS_ROUTER_DATELINE,
                                     .buffer_flits = TIDINGS_ROUTER_BUFFER_FLITS,
                                     .slot_buffer_flits = TIDINGS_ROUTER_SLOT_BUFFER_FLITS,
                                     .fixed_priority = TIDINGS_ROUTER_FIXED_PRIORITY,
                                     .num_routes = TIDINGS_ROUTER_NUM_ROUTES,
                                     .router_pipeline = TIDINGS_ROUTER_PIPELINE,
                                     .turn_cycle = TIDINGS_ROUTER_TURN_CYCLE,
                                     .direct_links = TIDINGS_ROUTER_DIRECT_LINKS};
#endif
constexpr unsigned kNetworkPorts = 2 * kParameters.dims;
constexpr unsigned kPorts = kNetworkPorts + kParameters.num_slots;

/// A router with crosspoint buffers has slot ports alone.
template <typename Router>
void set_inputs(Router& model, const PortInput* ports) {
  set_port_inputs<kPorts>(model, ports);
  if constexpr (requires { model.lane_valid_i; }) {
    const PortInput& lane = ports[kPorts];
    model.lane_valid_i = lane.flit_valid ? 1 : 0;
    store(model.lane_flit_i, 0, lane.flit);
  }
}

template <typename Router>
void set_place(Router& model, std::uint16_t node, const std::uint16_t* radix, const bool* wrap) {
  if constexpr (requires { model.node_id_i; }) {
    model.node_id_i = node;
    for (unsigned d = 0; d < kMaxDims; ++d) {
      set_bits(model.radix_i, d * kNodeIdWidth, kNodeIdWidth, radix[d]);
      set_bits(model.wrap_i, d, 1, wrap[d] ? 1 : 0);
    }
  }
}

/// Taps of the network ports, and the lane.
template <typename Router>
void get_direct_outputs(const Router& model, PortOutput* taps) {
  if constexpr (requires { model.tap_valid_o; }) {
    for (unsigned p = 0; p < kNetworkPorts; ++p) {
      taps[p] = {};
      taps[p].flit_valid = get_bits(model.tap_valid_o, p, 1) != 0;
      if (taps[p].flit_valid) taps[p].flit = load<Flit>(model.tap_flit_o, p * Flit::kWidth);
    }
  }
  taps[kNetworkPorts] = {};
  if constexpr (requires { model.lane_credit_o; }) taps[kNetworkPorts].credits = model.lane_credit_o;
}

RouterInstance* create(std::uint16_t node, const std::uint16_t* radix, const bool* wrap, int seed) {
  constexpr int kRandomState = 2;
  auto instance = std::make_unique<RouterInstance>();
  instance->context.randReset(kRandomState);
  instance->context.randSeed(seed);
  instance->model = std::make_unique<Model>(&instance->context, "router");
  set_place(*instance->model, node, radix, wrap);
  const PortInput ports[kPorts + 1];
  set_inputs(*instance->model, ports);
  instance->model->route_write_valid_i = 0;
  reset(*instance->model);
  return instance.release();
}

void destroy(RouterInstance* instance) { delete instance; }

bool outputs(const RouterInstance* instance, PortOutput* ports) {
  get_port_outputs<kPorts>(*instance->model, ports);
  get_direct_outputs(*instance->model, ports + kPorts);
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

bool refused(const RouterInstance* instance) { return instance->model->route_refused_o != 0; }

void write_route(RouterInstance* instance, std::uint32_t write) {
  Model& model = *instance->model;
  model.route_write_valid_i = 1;
  set_bits(model.route_write_i, 0, tidings_pkg::RouteWrite::kWidth, write);
  clock_edge(model);
  model.route_write_valid_i = 0;
}

constexpr RouterLibrary kLibrary{.parameters = kParameters,
                                 .create = create,
                                 .destroy = destroy,
                                 .outputs = outputs,
                                 .step = step,
                                 .refused = refused,
                                 .write_route = write_route};

}  // namespace
}  // namespace tidings::test

extern "C" __attribute__((visibility("default"))) const tidings::test::RouterLibrary* tidings_router_library() {
  return &tidings::test::kLibrary;
}

// What Verilator calls where an assertion fails (VL_USER_FATAL); it has printed which one.
void vl_fatal(const char* file, int line, const char*, const char*) VL_MT_UNSAFE {
  throw std::runtime_error("assertion failed at " + std::string(file) + ":" + std::to_string(line));
}
