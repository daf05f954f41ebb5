// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/router_input.h"

#include "sim/machine/network_ports.h"

namespace tidings::cycle {

RouterNumbers::RouterNumbers(const NodeParameters& parameters)
    : network_ports(static_cast<std::uint8_t>(tidings::network_ports(parameters))),
      ports(static_cast<std::uint8_t>(network_ports + parameters.num_slots)),
      classes(static_cast<std::uint8_t>(parameters.num_classes)),
      network_vcs(static_cast<std::uint8_t>(parameters.num_classes * (parameters.dateline != 0 ? 2 : 1))),
      vc_shift(static_cast<std::uint8_t>(std::bit_width(network_vcs - 1U))),
      slot0(static_cast<std::uint8_t>(network_ports << vc_shift)),
      lane(static_cast<std::uint8_t>(ports << vc_shift)),
      static_channel(lane),
      tap_channel(static_cast<std::uint8_t>(static_channel + 1)) {}

RouterInputs::RouterInputs(const NodeParameters& parameters, const NodePlace& place, const RouterNumbers& numbers)
    : route_(parameters, place) {
  const bool direct_links = parameters.direct_links != 0;
  channels_.resize(numbers.lane + (direct_links ? 1U : 0U));
  words_.resize(std::size_t{numbers.network_ports} * numbers.network_vcs * parameters.buffer_flits +
                (std::size_t{parameters.num_slots} * numbers.classes + (direct_links ? 1 : 0)) *
                    parameters.slot_buffer_flits);
  BufferedWord* words = words_.data();
  for (unsigned port = 0; port < numbers.ports; ++port) {
    const bool slot = port >= numbers.network_ports;
    const std::uint32_t depth = slot ? parameters.slot_buffer_flits : parameters.buffer_flits;
    for (unsigned vc = 0; vc < numbers.channels_of(port); ++vc) {
      const unsigned c = numbers.channel(port, vc);
      const auto message_class = static_cast<std::uint8_t>(vc % numbers.classes);
      const bool static_packets = parameters.num_routes != 0 && message_class == 0;
      std::uint8_t neighbour_channel = 0;
      if (direct_links && vc == 0 && c <= numbers.slot0) {
        neighbour_channel = slot ? numbers.static_channel : numbers.tap_channel;
      }
      channels_[c] = InputChannel(words, depth,
                                  {.dimension = slot ? static_cast<unsigned>(kMaxDims) : port / 2,
                                   .dateline = vc >= numbers.classes,
                                   .message_class = message_class,
                                   .classes = numbers.classes,
                                   .vc_shift = numbers.vc_shift,
                                   .static_channel = static_packets ? numbers.static_channel : std::uint8_t{0},
                                   .neighbour_channel = neighbour_channel});
      words += depth;
    }
  }
  if (direct_links) {
    channels_[numbers.lane] =
        InputChannel(words, parameters.slot_buffer_flits,
                     {.dimension = kMaxDims, .classes = numbers.classes, .vc_shift = numbers.vc_shift, .lane = true});
  }
}

}  // namespace tidings::cycle
