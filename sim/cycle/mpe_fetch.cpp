// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_fetch.h"

namespace tidings::cycle {

void MpeFetch::clock(const Inputs& inputs) {
  flow(inputs.memory_read_ready, inputs.memory_data_valid, inputs.memory_data, inputs.pop);
  if (inputs.start) {
    address_ = inputs.address >> 2;
    left_ = inputs.words;
  } else if (inputs.stop) {
    left_ = 0;
  }
}

}  // namespace tidings::cycle
