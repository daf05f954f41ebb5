// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/router_static.h"

#include <algorithm>
#include <bit>

#include "sim/cycle/tidings_pkg.h"

namespace tidings::cycle {

std::uint32_t static_flits(const NodeParameters& parameters) {
  constexpr std::uint32_t kLongest = 68;  // 64 words of payload with their headers
  return std::min(parameters.crosspoint != 0 ? parameters.crosspoint_flits : parameters.buffer_flits, kLongest);
}

RouterStatic::RouterStatic(const NodeParameters& parameters, const NodePlace& place, const RouterNumbers& numbers)
    : numbers_(numbers),
      direct_links_(parameters.direct_links != 0),
      pipeline_(parameters.router_pipeline != 0),
      static_flits_(static_flits(parameters)),
      table_(parameters.num_routes, numbers.ports),
      packets_(numbers.lane, StaticRoute(pipeline_)) {
  for (unsigned port = 0; port < numbers.ports; ++port) {
    if (port >= numbers.network_ports || parameters.dims == 0) {
      linked_ |= 1U << port;
      continue;
    }
    const unsigned d = port / 2;
    const unsigned width = kNodeIdWidth / parameters.dims;
    const unsigned here = place.node_id >> (d * width) & ((1U << width) - 1);
    const bool edge = port % 2 == 0 ? here + 1 == place.radix[d] : here == 0;
    if (edge) wraps_ |= 1U << port;
    if (!edge || place.wrap[d]) linked_ |= 1U << port;
  }
}

std::vector<RouterStatic::Branch> RouterStatic::branches(unsigned c, const RouteEntry& entry) const {
  const std::uint32_t may = entry.switched ? linked_ : linked_ & turns(c);
  std::vector<Branch> list;
  for (std::uint32_t rest = entry.ports & may; rest != 0; rest &= rest - 1) {
    const auto out = static_cast<unsigned>(std::countr_zero(rest));
    list.push_back({.port = static_cast<std::uint8_t>(out),
                    .channel = static_cast<std::uint8_t>(numbers_.vc(branch_channel(c, out)))});
  }
  return list;
}

std::uint32_t RouterStatic::turns(unsigned c) const {
  const unsigned from = numbers_.port(c);
  if (from >= numbers_.network_ports) return ~0U;
  const std::uint32_t straight = 1U << (from ^ 1U);
  const std::uint32_t higher = ~0U << (2 * (from / 2) + 2);
  const bool behind = numbers_.vc(c) >= numbers_.classes;
  return higher | (behind ? straight & ~wraps_ : straight);
}

void RouterStatic::serve(unsigned c, const RouteEntry& entry, const Surroundings& around) {
  if (packets_[c].serve(entry, linked_, turns(c), outputs(c, (1U << numbers_.ports) - 1, around))) refused_ = true;
}

bool RouterStatic::serve_neighbour(unsigned c, const Surroundings& around) {
  if (c != numbers_.slot0) return false;
  const std::uint32_t header = around.input(c).front().data;
  adjacent_ = direct_links_ && kind_of(header) == Kind::kNeighbour;
  if (!adjacent_) return false;
  const std::uint32_t ports = NeighbourHeader::decode(header).ports & ((1U << numbers_.network_ports) - 1);
  serve(c, {.switched = false, .ports = ports}, around);
  return true;
}

std::uint8_t RouterStatic::choose_lookup(const Surroundings& around) {
  std::uint8_t chosen = RouterAllocator::kNone;
  unsigned best = RouterAllocator::kRound;
  around.inputs.for_each_waiting(around.node, [&](std::uint32_t channel) {
    const unsigned c = around.plan.within(channel);
    const unsigned place = (c - first_reader_) % RouterAllocator::kRound;
    if (around.input(c).wanted() == numbers_.static_channel && packets_[c].asks() && place < best) {
      chosen = static_cast<std::uint8_t>(c);
      best = place;
    }
  });
  if (chosen != RouterAllocator::kNone) first_reader_ = static_cast<std::uint8_t>(chosen + 1);
  return chosen;
}

std::uint8_t RouterStatic::serve_lookup(const Surroundings& around) {
  std::uint8_t served = looking_;
  const auto look_up = [&] {
    if (served == RouterAllocator::kNone) return;
    const std::uint32_t route = Header0::decode(around.input(served).front().data).dst_node.value % kMaxRoutes;
    const RouteTable::Row row = table_.look_up(route);
    serve(served, {.switched = row.switched, .ports = static_cast<std::uint32_t>(row.ports)}, around);
  };
  if (pipeline_) {
    look_up();
    looking_ = choose_lookup(around);
  } else {
    served = choose_lookup(around);
    look_up();
  }
  return served;
}

}  // namespace tidings::cycle
