// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file topology.h
/// Virtual topologies of communicators: who is whose neighbour.
#include <vector>

namespace tidings {

struct Topology {
  enum class Kind { Cartesian, Graph, DistributedGraph };
  Kind kind = Kind::Cartesian;

  // Cartesian: ranks are in row-major order.
  std::vector<int> dims;
  std::vector<int> periods;
  // Graph: the standard's arrays.
  std::vector<int> index;
  std::vector<int> edges;
  // Distributed graph: this rank's.
  std::vector<int> sources;
  std::vector<int> source_weights;
  std::vector<int> destinations;
  std::vector<int> destination_weights;
  bool weighted = false;

  [[nodiscard]] int size() const {
    int size = 1;
    for (const int dim : dims) size *= dim;
    return size;
  }
  [[nodiscard]] std::vector<int> coordinates(int rank) const {
    std::vector<int> coordinates(dims.size());
    for (std::size_t i = dims.size(); i > 0; --i) {
      coordinates[i - 1] = rank % dims[i - 1];
      rank /= dims[i - 1];
    }
    return coordinates;
  }
  /// The rank at coordinates; `outside` if one is outside a dimension that is not periodic.
  [[nodiscard]] int rank_at(std::vector<int> coordinates, int outside) const {
    int rank = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      int& at = coordinates[i];
      if (periods[i] != 0) {
        at = (at % dims[i] + dims[i]) % dims[i];
      } else if (at < 0 || at >= dims[i]) {
        return outside;
      }
      rank = rank * dims[i] + at;
    }
    return rank;
  }
  /// The rank at a distance in one dimension.
  [[nodiscard]] int shifted(int rank, std::size_t dimension, int distance, int outside) const {
    auto at = coordinates(rank);
    at[dimension] += distance;
    return rank_at(std::move(at), outside);
  }
  [[nodiscard]] std::vector<int> graph_neighbours(int rank) const {
    const auto place = static_cast<std::size_t>(rank);
    return {edges.begin() + (rank == 0 ? 0 : index[place - 1]), edges.begin() + index[place]};
  }
};

}  // namespace tidings
