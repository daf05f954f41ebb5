// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file verilated_node.h
/// Nodes that are SystemVerilog, compiled by Verilator into a shared library.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/machine/clock.h"
#include "sim/machine/machine.h"
#include "sim/machine/node.h"
#include "sim/machine/topology.h"
#include "sim/rtl/library/node_library.h"

namespace tidings {

/// "node_2_0_1": what waveforms call a node, by its coordinates, dimension 0 first.
[[nodiscard]] std::string instance_name(const NodePlace& place);

/// A node's library in memory.
class LoadedNodeLibrary {
 public:
  /// @throws std::runtime_error where it cannot be loaded or is of another version.
  explicit LoadedNodeLibrary(const std::string& path);

  const NodeLibrary& operator*() const { return *functions_; }
  const NodeLibrary* operator->() const { return functions_; }

 private:
  struct Close {
    void operator()(void* handle) const;
  };

  std::unique_ptr<void, Close> handle_;
  const NodeLibrary* functions_ = nullptr;
};

/// The Verilated nodes of one machine. Shared by its nodes, which may outlive the caller's handle.
class VerilatedSession : public std::enable_shared_from_this<VerilatedSession> {
 public:
  /// Load the library that `python/tidings/build/verilated_node.py` has built.
  /// @throws std::runtime_error where it cannot be loaded, is of another version, or was built with other parameters.
  [[nodiscard]] static std::shared_ptr<VerilatedSession> load(const std::string& path,
                                                              const NodeParameters& parameters);

  VerilatedSession(const VerilatedSession&) = delete;
  VerilatedSession& operator=(const VerilatedSession&) = delete;
  ~VerilatedSession();

  /// Makes the nodes of a machine, or some of them.
  [[nodiscard]] NodeFactory factory();

 private:
  friend class VerilatedNode;
  friend class WaveRecorder;

  VerilatedSession(const std::string& path, const NodeParameters& parameters);

  LoadedNodeLibrary library_;
  NodeSession* session_ = nullptr;
  std::vector<std::pair<NodeIndex, NodeInstance*>> instances_;
};

/// Writes the waveforms of Verilated nodes into an FST file, in picoseconds of the fabric's clock. A node that is not
/// evaluated in a cycle has no clock edge there. Inputs change at the falling edge.
class WaveRecorder : public CycleObserver {
 public:
  /// Call when the machine has been made and before its first cycle; then Machine::observe().
  /// @param node the only node to record; all without one.
  /// @throws std::runtime_error where the library was built without tracing or the file cannot be written.
  /// @throws std::out_of_range where that node is not a Verilated one.
  WaveRecorder(std::shared_ptr<VerilatedSession> session, const Machine& machine, const std::string& path,
               std::optional<NodeIndex> node);
  /// The same for nodes of a machine that is not there, or from a cycle on. @param now the cycle that shows.
  WaveRecorder(std::shared_ptr<VerilatedSession> session, const Clock& clock, const Topology& topology, Cycle now,
               const std::string& path, std::optional<NodeIndex> node);

  void before_edge(Cycle cycle, std::span<const NodeInputs> inputs) override;
  void after_edge(Cycle cycle) override;

 private:
  void show(Cycle cycle, std::span<const NodeInputs> inputs);

  std::shared_ptr<VerilatedSession> session_;
  Clock clock_;
  std::vector<NodeInputs> idle_;
  Cycle next_;  ///< the cycle after the last one recorded
};

}  // namespace tidings
