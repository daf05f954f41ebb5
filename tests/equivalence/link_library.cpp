// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared library of a compiled link end. Compiled by tests/equivalence/build_engine_libraries.py.
#include "tests/equivalence/link_library.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "Vreliable_link.h"
#include "sim/rtl/library/node_ports.h"
#include "verilated.h"

namespace tidings::test {

struct LinkInstance {
  VerilatedContext context;
  std::unique_ptr<Vreliable_link> model;
  std::string error;
};

namespace {

using cycle::LinkOutput;
using cycle::PackedFrame;

void set_inputs(Vreliable_link& model, const PortOutput& router, const PackedFrame* frame) {
  model.flit_valid_i = router.flit_valid;
  store(model.flit_i, 0, router.flit);
  model.credit_i = router.credits;
  model.frame_valid_i = frame != nullptr;
  const PackedFrame bits = frame == nullptr ? PackedFrame{} : *frame;
  store(model.frame_i, 0, cycle::Frame{.content = cycle::LinkContent::decode(bits.content), .check = bits.check});
}

LinkInstance* create(int seed) {
  constexpr int kRandomState = 2;
  auto instance = std::make_unique<LinkInstance>();
  instance->context.randReset(kRandomState);
  instance->context.randSeed(seed);
  instance->model = std::make_unique<Vreliable_link>(&instance->context, "link");
  set_inputs(*instance->model, {}, nullptr);
  reset(*instance->model);
  return instance.release();
}

void destroy(LinkInstance* instance) { delete instance; }

void outputs(const LinkInstance* instance, LinkOutput* output) {
  const Vreliable_link& model = *instance->model;
  *output = {};
  output->router.flit_valid = model.flit_valid_o != 0;
  if (output->router.flit_valid) {
    output->router.flit = load<Flit>(model.flit_o, 0);
  }
  output->router.credits = model.credit_o;
  output->frame_valid = model.frame_valid_o != 0;
  const auto frame = load<cycle::Frame>(model.frame_o, 0);
  output->frame = {.content = frame.content.encode(), .check = frame.check};
  output->dead = model.dead_o != 0;
  output->resent = model.resent_o != 0;
  output->damaged = model.damaged_o != 0;
  output->busy = model.busy_o != 0;
}

const char* step(LinkInstance* instance, const PortOutput* router, const PackedFrame* frame) {
  try {
    set_inputs(*instance->model, *router, frame);
    clock_edge(*instance->model);
  } catch (const std::exception& exception) {
    instance->error = exception.what();
    return instance->error.c_str();
  }
  return nullptr;
}

constexpr LinkLibrary kLibrary{.parameters = {.queue_flits = TIDINGS_LINK_QUEUE_FLITS,
                                              .window = TIDINGS_LINK_WINDOW,
                                              .timeout = TIDINGS_LINK_TIMEOUT,
                                              .max_retries = TIDINGS_LINK_MAX_RETRIES},
                               .create = create,
                               .destroy = destroy,
                               .outputs = outputs,
                               .step = step};

}  // namespace
}  // namespace tidings::test

extern "C" __attribute__((visibility("default"))) const tidings::test::LinkLibrary* tidings_link_library() {
  return &tidings::test::kLibrary;
}

// What Verilator calls where an assertion fails (VL_USER_FATAL); it has printed which one.
void vl_fatal(const char* file, int line, const char*, const char*) VL_MT_UNSAFE {
  throw std::runtime_error("assertion failed at " + std::string(file) + ":" + std::to_string(line));
}
