// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_fetch.h"

namespace tidings::cycle {

void MpeFetch::clock(const Inputs& inputs) {
  const bool request = memory_read_valid() && inputs.memory_read_ready;

  if (inputs.start) {
    address_ = inputs.address >> 2;
    left_ = inputs.words;
  } else {
    if (request) ++address_;
    if (inputs.stop) {
      left_ = 0;
    } else if (request) {
      --left_;
    }
  }

  if (request) ++reserved_;
  if (inputs.pop) {
    --reserved_;
    buffer_.pop();
  }
  if (inputs.memory_data_valid) buffer_.push(inputs.memory_data);
}

}  // namespace tidings::cycle
