// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/route_compute.h"

#include "sim/machine/network_ports.h"

namespace tidings::cycle {

RouteCompute::RouteCompute(const NodeParameters& parameters, const NodePlace& place)
    : dims_(static_cast<std::uint8_t>(parameters.dims)),
      network_ports_(static_cast<std::uint8_t>(network_ports(parameters))),
      slots_(static_cast<std::uint8_t>(parameters.num_slots)),
      dateline_(parameters.dateline != 0),
      here_(place.node_id),
      table_(place.table) {
  if (dims_ == 0) return;
  const unsigned width = kNodeIdWidth / dims_;
  field_mask_ = static_cast<std::uint16_t>((1U << width) - 1);
  for (unsigned d = 0; d < dims_; ++d) {
    dimensions_[d] = {.coordinate = static_cast<std::uint16_t>(place.node_id >> (d * width) & field_mask_),
                      .radix = place.radix[d],
                      .shift = static_cast<std::uint8_t>(d * width),
                      .wrap = dateline_ && place.wrap[d]};
  }
}

RouteCompute::Way RouteCompute::towards(unsigned d, std::uint32_t there, unsigned dimension, bool dateline) const {
  const Dimension& here = dimensions_[d];
  bool plus = there > here.coordinate;
  if (here.wrap) {
    const std::uint32_t forward = there - here.coordinate + (plus ? 0 : here.radix);
    plus = 2 * forward <= here.radix;
  }
  const bool over_wrap = plus ? here.coordinate + 1U == here.radix : here.coordinate == 0;
  return {.port = static_cast<std::uint8_t>(2 * d + (plus ? 0 : 1)),
          .dateline = dateline_ && ((dateline && dimension == d) || over_wrap)};
}

}  // namespace tidings::cycle
