// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/router.h"

namespace tidings::cycle {

Router::Router(const NodeParameters& parameters, const NodePlace& place)
    : route_(parameters, place),
      vc_shift_(
          static_cast<std::uint8_t>(std::bit_width(parameters.num_classes * (parameters.dateline != 0 ? 2 : 1) - 1))),
      network_ports_(static_cast<std::uint8_t>(2 * parameters.dims)),
      network_vcs_(static_cast<std::uint8_t>(parameters.num_classes * (parameters.dateline != 0 ? 2 : 1))),
      classes_(static_cast<std::uint8_t>(parameters.num_classes)),
      fixed_priority_(parameters.fixed_priority != 0) {
  const unsigned ports = network_ports_ + parameters.num_slots;
  inputs_.resize(std::size_t{ports} << vc_shift_);
  outputs_.resize(inputs_.size());
  words_.resize(std::size_t{network_ports_} * network_vcs_ * parameters.buffer_flits +
                std::size_t{parameters.num_slots} * classes_ * parameters.slot_buffer_flits);
  BufferedWord* words = words_.data();
  for (unsigned port = 0; port < ports; ++port) {
    const bool slot = port >= network_ports_;
    const std::uint32_t depth = slot ? parameters.slot_buffer_flits : parameters.buffer_flits;
    for (unsigned vc = 0; vc < channels_of(port); ++vc) {
      const unsigned c = channel(port, vc);
      inputs_[c] = InputChannel(words, depth, slot ? kMaxDims : port / 2, vc >= classes_,
                                static_cast<std::uint8_t>(vc % classes_), classes_, vc_shift_);
      outputs_[c].credits = depth;
      words += depth;
    }
  }
}

}  // namespace tidings::cycle
