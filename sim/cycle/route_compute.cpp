// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/route_compute.h"

#include <algorithm>
#include <utility>

#include "sim/machine/network_ports.h"

namespace tidings::cycle {

RouteShape::RouteShape(const NodeParameters& parameters, const NodePlace& place)
    : network_ports_(static_cast<std::uint8_t>(network_ports(parameters))),
      slots_(static_cast<std::uint8_t>(parameters.num_slots)),
      dateline_(parameters.dateline != 0),
      rows_(static_cast<std::uint32_t>(place.table.size())) {
  if (parameters.dims == 0) return;
  const unsigned width = kNodeIdWidth / parameters.dims;
  field_mask_ = static_cast<std::uint16_t>((1U << width) - 1);
  id_mask_ = static_cast<std::uint16_t>((1U << parameters.dims * width) - 1);
  for (unsigned d = 0; d < parameters.dims; ++d) {
    dimensions_[d] = {
        .radix = place.radix[d], .shift = static_cast<std::uint8_t>(d * width), .wrap = dateline_ && place.wrap[d]};
    std::fill_n(&dimension_of_[d * width], width, static_cast<std::uint8_t>(d));
  }
}

RouteCompute::RouteCompute(std::shared_ptr<const RouteShape> shape, const NodePlace& place)
    : shape_(std::move(shape)), here_(place.node_id) {
  if (place.table.empty()) return;
  auto table = std::make_unique<RouteRow[]>(place.table.size());
  std::ranges::copy(place.table, table.get());
  table_ = std::move(table);
}

}  // namespace tidings::cycle
