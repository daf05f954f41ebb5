// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file port_waves.h
/// What shows at the ports of one node, by the names and bits of rtl/machine/node.sv.
#include <cstddef>
#include <string>
#include <vector>

#include "sim/machine/node.h"
#include "sim/machine/types.h"

namespace tidings::verify {

/// Changes of a node's signals, in order of time. Bits that do not count in a cycle, such as data without valid, are
/// unknown.
class PortWaves {
 public:
  struct Signal {
    std::string name;
    std::size_t width;
  };
  struct Change {
    Picoseconds time;
    std::size_t signal;
    std::string bits;  ///< '0', '1' or 'x', highest first
  };

  PortWaves(std::size_t ports, std::size_t slots);

  void show_clock(Picoseconds time, bool high);
  void show_inputs(Picoseconds time, const NodeInputs& inputs);
  void show_outputs(Picoseconds time, const NodeOutputs& outputs);

  [[nodiscard]] const std::vector<Signal>& signals() const { return signals_; }
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }

 private:
  void show(Picoseconds time, const std::string& name, std::string bits);

  std::vector<Signal> signals_;
  std::vector<std::string> shown_;  ///< of each signal
  std::vector<Change> changes_;
};

}  // namespace tidings::verify
