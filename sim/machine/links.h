// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file links.h
/// What joins the ports of a machine's nodes.
#include <functional>
#include <memory>
#include <optional>

#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"
#include "sim/machine/topology.h"
#include "sim/machine/types.h"

namespace tidings {

/// All links of a machine, both directions, flits and credits.
class Links {
 public:
  struct Arrival {
    Cycle cycle;
    Topology::NetworkPort to;
    PortInput input;
  };

  Links() = default;
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  virtual ~Links() = default;

  /// Take what a port shows in `cycle`. Cycles may not go backwards. What leaves over the edge of a mesh is lost.
  virtual void send(Cycle cycle, NodeIndex node, PortId port, const PortOutput& output) = 0;
  /// When the next arrival is due, or links must be asked again.
  [[nodiscard]] virtual std::optional<Cycle> next() const = 0;
  /// Take the next arrival, which must be due in `cycle`; nothing if there is none left.
  [[nodiscard]] virtual std::optional<Arrival> take(Cycle cycle) = 0;
};

using LinksFactory = std::function<std::unique_ptr<Links>(const MachineConfig&, const Topology&)>;

}  // namespace tidings
