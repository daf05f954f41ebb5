// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file topology.cpp
/// Virtual topologies.
#include "core/topology.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "mpi/communicators.h"

using namespace tidings;

namespace {

/// The topology of a communicator. @throws Error if it has none of this kind.
const Topology& topology_of(const Library& lib, MPI_Comm comm, Topology::Kind kind, const char* what) {
  const auto& topology = lib.communicator(comm)->topology;
  if (topology == nullptr || topology->kind != kind) {
    throw Error(MPI_ERR_TOPOLOGY, std::string("the communicator has no ") + what + " topology");
  }
  return *topology;
}
const Topology& cartesian(const Library& lib, MPI_Comm comm) {
  return topology_of(lib, comm, Topology::Kind::Cartesian, "Cartesian");
}
const Topology& graph(const Library& lib, MPI_Comm comm) {
  return topology_of(lib, comm, Topology::Kind::Graph, "graph");
}
const Topology& distributed(const Library& lib, MPI_Comm comm) {
  return topology_of(lib, comm, Topology::Kind::DistributedGraph, "distributed graph");
}

void check_rank(const Communicator& communicator, int rank) {
  if (rank < 0 || rank >= communicator.size()) {
    throw Error(MPI_ERR_RANK, "rank " + std::to_string(rank) + " is not in " + communicator.name());
  }
}

void copy_out(const std::vector<int>& from, int room, int to[]) {
  std::copy_n(from.begin(), std::min<std::size_t>(from.size(), static_cast<std::size_t>(std::max(room, 0))), to);
}

/// Make a communicator of the parent's first `members` ranks, with a topology; MPI_COMM_NULL at the others.
MPI_Comm make(Library& lib, Call& call, const char* label, MPI_Comm comm_old, int members, Topology topology) {
  const CommunicatorPointer parent = lib.intracommunicator(comm_old);
  if (members > parent->size()) {
    throw Error(MPI_ERR_DIMS, "the topology has " + std::to_string(members) + " ranks and the communicator " +
                                  std::to_string(parent->size()));
  }
  begin_exchange(call, Collective::CommCreate, *parent);
  const auto all = exchange_offers(lib, *parent, Collective::CommCreate);
  if (parent->rank() >= members) return MPI_COMM_NULL;
  const auto& ranks = parent->group()->ranks();
  const MPI_Comm made = make_communicator(lib, label, *parent, all, {ranks.begin(), ranks.begin() + members});
  lib.communicator(made)->topology = std::make_shared<const Topology>(std::move(topology));
  return made;
}

Topology checked_grid(int ndims, const int dims[], const int periods[]) {
  if (ndims < 0)
    throw Error(MPI_ERR_DIMS, "the number of dimensions is " + std::to_string(ndims),
                "Give a number of dimensions that is not negative.");
  Topology topology;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] <= 0) throw Error(MPI_ERR_DIMS, "dimension " + std::to_string(i) + " is " + std::to_string(dims[i]));
    topology.dims.push_back(dims[i]);
    topology.periods.push_back(periods[i] != 0);
  }
  return topology;
}

/// Divide `count` into `places` factors that are as close to each other as possible, the largest first.
std::vector<int> balanced(int count, std::size_t places) {
  // Of all ways, the one whose largest factor is least; among those, whose next is, and so on.
  std::vector<int> best;
  std::vector<int> factors;
  const auto search = [&](auto& self, int rest, int most) -> void {
    if (factors.size() + 1 == places) {
      if (rest > most) return;
      factors.push_back(rest);
      if (best.empty() || factors < best) best = factors;
      factors.pop_back();
      return;
    }
    for (int factor = std::min(rest, most); factor > 0; --factor) {
      if (rest % factor != 0) continue;
      factors.push_back(factor);
      if (best.empty() || factors.front() <= best.front()) self(self, rest / factor, factor);
      factors.pop_back();
    }
  };
  search(search, count, count);
  return best;
}

}  // namespace

int PMPI_Topo_test(MPI_Comm comm, int* status) {
  return serve("MPI_Topo_test", comm, [&](Library& lib, Call&) {
    const auto& topology = lib.communicator(comm)->topology;
    constexpr int kConstants[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
    *status = topology == nullptr ? static_cast<int>(MPI_UNDEFINED) : kConstants[static_cast<int>(topology->kind)];
  });
}

int PMPI_Dims_create(int nnodes, int ndims, int dims[]) {
  return serve("MPI_Dims_create", [&](Library&, Call&) {
    if (nnodes <= 0 || ndims < 0)
      throw Error(MPI_ERR_DIMS, "there are no ranks or no dimensions", "Give a positive number of ranks.");
    int rest = nnodes;
    std::size_t open = 0;
    for (int i = 0; i < ndims; ++i) {
      if (dims[i] < 0) throw Error(MPI_ERR_DIMS, "dimension " + std::to_string(i) + " is " + std::to_string(dims[i]));
      open += dims[i] == 0 ? 1 : 0;
      if (dims[i] == 0) continue;
      if (rest % dims[i] != 0) {
        throw Error(MPI_ERR_DIMS, std::to_string(nnodes) + " ranks do not divide by the dimensions that are set");
      }
      rest /= dims[i];
    }
    if (open == 0) {
      if (rest != 1 && ndims > 0) throw Error(MPI_ERR_DIMS, "the dimensions do not make up the number of ranks");
      return;
    }
    const auto factors = balanced(rest, open);
    auto next = factors.begin();
    for (int i = 0; i < ndims; ++i) {
      if (dims[i] == 0) dims[i] = *next++;
    }
  });
}

// ---------------------------------------------------------------- Cartesian

int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int /*reorder*/,
                     MPI_Comm* comm_cart) {
  return serve("MPI_Cart_create", comm_old, [&](Library& lib, Call& call) {
    Topology topology = checked_grid(ndims, dims, periods);
    const int members = topology.size();
    *comm_cart = make(lib, call, "communicator % (from MPI_Cart_create)", comm_old, members, std::move(topology));
  });
}

int PMPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  return serve("MPI_Cartdim_get", comm,
               [&](Library& lib, Call&) { *ndims = static_cast<int>(cartesian(lib, comm).dims.size()); });
}

int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  return serve("MPI_Cart_get", comm, [&](Library& lib, Call&) {
    const Topology& topology = cartesian(lib, comm);
    copy_out(topology.dims, maxdims, dims);
    copy_out(topology.periods, maxdims, periods);
    copy_out(topology.coordinates(lib.communicator(comm)->rank()), maxdims, coords);
  });
}

int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  return serve("MPI_Cart_rank", comm, [&](Library& lib, Call&) {
    const Topology& topology = cartesian(lib, comm);
    *rank = topology.rank_at({coords, coords + topology.dims.size()}, -1);
    if (*rank < 0)
      throw Error(MPI_ERR_RANK, "a coordinate is outside a dimension that is not periodic",
                  "Give coordinates within the grid.");
  });
}

int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  return serve("MPI_Cart_coords", comm, [&](Library& lib, Call&) {
    const Topology& topology = cartesian(lib, comm);
    check_rank(*lib.communicator(comm), rank);
    copy_out(topology.coordinates(rank), maxdims, coords);
  });
}

int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
  return serve("MPI_Cart_shift", comm, [&](Library& lib, Call&) {
    const Topology& topology = cartesian(lib, comm);
    if (direction < 0 || direction >= static_cast<int>(topology.dims.size())) {
      throw Error(MPI_ERR_DIMS, "there is no dimension " + std::to_string(direction),
                  "Give a number below that of the dimensions, which are counted from 0 on.");
    }
    const int me = lib.communicator(comm)->rank();
    const auto dimension = static_cast<std::size_t>(direction);
    *rank_source = topology.shifted(me, dimension, -disp, MPI_PROC_NULL);
    *rank_dest = topology.shifted(me, dimension, disp, MPI_PROC_NULL);
  });
}

int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  return serve("MPI_Cart_sub", comm, [&](Library& lib, Call& call) {
    const Topology& topology = cartesian(lib, comm);
    const CommunicatorPointer parent = lib.communicator(comm);
    Topology part;
    // Ranks with equal coordinates in the dimensions that go belong together, in row-major order of those that stay.
    const auto color_of = [&](int rank) {
      int color = 0;
      const auto at = topology.coordinates(rank);
      for (std::size_t i = 0; i < at.size(); ++i) {
        if (remain_dims[i] == 0) color = color * topology.dims[i] + at[i];
      }
      return color;
    };
    for (std::size_t i = 0; i < topology.dims.size(); ++i) {
      if (remain_dims[i] == 0) continue;
      part.dims.push_back(topology.dims[i]);
      part.periods.push_back(topology.periods[i]);
    }
    begin_exchange(call, Collective::CommSplit, *parent);
    const auto all = exchange_offers(lib, *parent, Collective::CommSplit);
    std::vector<std::uint32_t> members;
    for (int rank = 0; rank < parent->size(); ++rank) {
      if (color_of(rank) == color_of(parent->rank())) members.push_back(parent->world_rank(rank));
    }
    *newcomm = make_communicator(lib, "communicator % (from MPI_Cart_sub)", *parent, all, std::move(members));
    lib.communicator(*newcomm)->topology = std::make_shared<const Topology>(std::move(part));
  });
}

int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
  return serve("MPI_Cart_map", comm, [&](Library& lib, Call&) {
    const int members = checked_grid(ndims, dims, periods).size();
    const auto& communicator = lib.communicator(comm);
    if (members > communicator->size()) throw Error(MPI_ERR_DIMS, "the grid has more ranks than the communicator");
    *newrank = communicator->rank() < members ? communicator->rank() : static_cast<int>(MPI_UNDEFINED);
  });
}

// ---------------------------------------------------------------- graphs

int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int /*reorder*/,
                      MPI_Comm* comm_graph) {
  return serve("MPI_Graph_create", comm_old, [&](Library& lib, Call& call) {
    if (nnodes < 0)
      throw Error(MPI_ERR_ARG, "the number of nodes is " + std::to_string(nnodes),
                  "Give a number that is not negative.");
    Topology topology;
    topology.kind = Topology::Kind::Graph;
    topology.index.assign(indx, indx + nnodes);
    topology.edges.assign(edges, edges + (nnodes == 0 ? 0 : indx[nnodes - 1]));
    for (const int edge : topology.edges) {
      if (edge < 0 || edge >= nnodes)
        throw Error(MPI_ERR_ARG, "an edge leads to rank " + std::to_string(edge),
                    "Give ranks below the number of nodes.");
    }
    *comm_graph = make(lib, call, "communicator % (from MPI_Graph_create)", comm_old, nnodes, std::move(topology));
  });
}

int PMPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  return serve("MPI_Graphdims_get", comm, [&](Library& lib, Call&) {
    const Topology& topology = graph(lib, comm);
    *nnodes = static_cast<int>(topology.index.size());
    *nedges = static_cast<int>(topology.edges.size());
  });
}

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[]) {
  return serve("MPI_Graph_get", comm, [&](Library& lib, Call&) {
    const Topology& topology = graph(lib, comm);
    copy_out(topology.index, maxindex, indx);
    copy_out(topology.edges, maxedges, edges);
  });
}

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  return serve("MPI_Graph_neighbors_count", comm, [&](Library& lib, Call&) {
    const Topology& topology = graph(lib, comm);
    check_rank(*lib.communicator(comm), rank);
    *nneighbors = static_cast<int>(topology.graph_neighbours(rank).size());
  });
}

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  return serve("MPI_Graph_neighbors", comm, [&](Library& lib, Call&) {
    const Topology& topology = graph(lib, comm);
    check_rank(*lib.communicator(comm), rank);
    copy_out(topology.graph_neighbours(rank), maxneighbors, neighbors);
  });
}

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int /*indx*/[], const int /*edges*/[], int* newrank) {
  return serve("MPI_Graph_map", comm, [&](Library& lib, Call&) {
    const auto& communicator = lib.communicator(comm);
    if (nnodes > communicator->size())
      throw Error(MPI_ERR_ARG, "the graph has more nodes than the communicator ranks",
                  "Give at most as many nodes as the communicator has ranks.");
    *newrank = communicator->rank() < nnodes ? communicator->rank() : static_cast<int>(MPI_UNDEFINED);
  });
}

// ---------------------------------------------------------------- distributed graphs

namespace {

bool has_weights(const int* weights) { return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY; }

void add_neighbours(const Communicator& parent, int degree, const int ranks[], const int* weights,
                    std::vector<int>& to_ranks, std::vector<int>& to_weights) {
  if (degree < 0)
    throw Error(MPI_ERR_ARG, "the degree is " + std::to_string(degree), "Give a degree that is not negative.");
  for (int i = 0; i < degree; ++i) {
    check_rank(parent, ranks[i]);
    to_ranks.push_back(ranks[i]);
    if (has_weights(weights)) to_weights.push_back(weights[i]);
  }
}

}  // namespace

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int* sourceweights,
                                    int outdegree, const int destinations[], const int* destweights, MPI_Info /*info*/,
                                    int /*reorder*/, MPI_Comm* comm_dist_graph) {
  return serve("MPI_Dist_graph_create_adjacent", comm_old, [&](Library& lib, Call& call) {
    const CommunicatorPointer parent = lib.intracommunicator(comm_old);
    Topology topology;
    topology.kind = Topology::Kind::DistributedGraph;
    topology.weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
    add_neighbours(*parent, indegree, sources, sourceweights, topology.sources, topology.source_weights);
    add_neighbours(*parent, outdegree, destinations, destweights, topology.destinations, topology.destination_weights);
    *comm_dist_graph = make(lib, call, "communicator % (from MPI_Dist_graph_create_adjacent)", comm_old, parent->size(),
                            std::move(topology));
  });
}

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
                           const int* weights, MPI_Info /*info*/, int /*reorder*/, MPI_Comm* comm_dist_graph) {
  return serve("MPI_Dist_graph_create", comm_old, [&](Library& lib, Call& call) {
    const CommunicatorPointer parent = lib.intracommunicator(comm_old);
    if (n < 0)
      throw Error(MPI_ERR_ARG, "the number of sources is " + std::to_string(n), "Give a number that is not negative.");
    // Every rank tells all others its edges: source, destination, weight.
    std::vector<int> mine;
    for (int i = 0, at = 0; i < n; ++i) {
      check_rank(*parent, sources[i]);
      for (int k = 0; k < degrees[i]; ++k, ++at) {
        check_rank(*parent, destinations[at]);
        mine.insert(mine.end(), {sources[i], destinations[at], has_weights(weights) ? weights[at] : 1});
      }
    }
    begin_exchange(call, Collective::CommCreate, *parent);
    const auto ranks = static_cast<std::size_t>(parent->size());
    const auto count = static_cast<int>(mine.size());
    std::vector<int> counts(ranks);
    std::vector<int> places(ranks);
    PMPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_old);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    std::vector<int> all(static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)) + 1);
    PMPI_Allgatherv(mine.data(), count, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, comm_old);
    Topology topology;
    topology.kind = Topology::Kind::DistributedGraph;
    topology.weighted = weights != MPI_UNWEIGHTED;
    const int me = parent->rank();
    for (std::size_t i = 0; i + 3 <= all.size(); i += 3) {
      if (all[i + 1] == me) {
        topology.sources.push_back(all[i]);
        if (topology.weighted) topology.source_weights.push_back(all[i + 2]);
      }
      if (all[i] == me) {
        topology.destinations.push_back(all[i + 1]);
        if (topology.weighted) topology.destination_weights.push_back(all[i + 2]);
      }
    }
    *comm_dist_graph =
        make(lib, call, "communicator % (from MPI_Dist_graph_create)", comm_old, parent->size(), std::move(topology));
  });
}

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  return serve("MPI_Dist_graph_neighbors_count", comm, [&](Library& lib, Call&) {
    const Topology& topology = distributed(lib, comm);
    *indegree = static_cast<int>(topology.sources.size());
    *outdegree = static_cast<int>(topology.destinations.size());
    *weighted = topology.weighted;
  });
}

int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int* sourceweights, int maxoutdegree,
                              int destinations[], int* destweights) {
  return serve("MPI_Dist_graph_neighbors", comm, [&](Library& lib, Call&) {
    const Topology& topology = distributed(lib, comm);
    copy_out(topology.sources, maxindegree, sources);
    copy_out(topology.destinations, maxoutdegree, destinations);
    if (!topology.weighted) return;
    if (has_weights(sourceweights)) copy_out(topology.source_weights, maxindegree, sourceweights);
    if (has_weights(destweights)) copy_out(topology.destination_weights, maxoutdegree, destweights);
  });
}
