// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/neighbourhood.h"

#include "core/topology.h"

namespace tidings {

Neighbours neighbours_of(const Communicator& communicator) {
  if (communicator.topology == nullptr) {
    throw Error(MPI_ERR_TOPOLOGY, "the communicator has no topology, so its ranks have no neighbours");
  }
  const Topology& topology = *communicator.topology;
  Neighbours near;
  const auto add = [](std::vector<Neighbour>& to, const std::vector<int>& ranks) {
    for (const int rank : ranks) to.push_back({rank, 0});
  };
  switch (topology.kind) {
    case Topology::Kind::Cartesian:
      for (std::size_t dimension = 0; dimension < topology.dims.size(); ++dimension) {
        const int below = topology.shifted(communicator.rank(), dimension, -1, MPI_PROC_NULL);
        const int above = topology.shifted(communicator.rank(), dimension, 1, MPI_PROC_NULL);
        near.sources.insert(near.sources.end(), {{below, 1}, {above, 0}});
        near.destinations.insert(near.destinations.end(), {{below, 0}, {above, 1}});
      }
      break;
    case Topology::Kind::Graph:
      add(near.sources, topology.graph_neighbours(communicator.rank()));
      near.destinations = near.sources;
      break;
    case Topology::Kind::DistributedGraph:
      add(near.sources, topology.sources);
      add(near.destinations, topology.destinations);
      break;
  }
  return near;
}

}  // namespace tidings
