// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file neighbourhood.cpp
/// Collectives of neighbours in a virtual topology: blocking, nonblocking and persistent.
#include <memory>
#include <utility>
#include <vector>

#include "core/topology.h"
#include "mpi/nonblocking.h"

using namespace tidings;

namespace {

struct Neighbour {
  int rank = MPI_PROC_NULL;
  /// Of two channels. In a grid that is one or two ranks wide, a rank is its neighbour on both sides: what leaves
  /// downwards comes from above.
  int channel = 0;
};
struct Neighbours {
  std::vector<Neighbour> sources;
  std::vector<Neighbour> destinations;
};

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

/// Blocks to and from the neighbours. @param sent, received make the blocks of a number of neighbours.
/// @param same all destinations get the same block.
template <class Sent, class Received, class Way>
int exchange(const char* name, Collective kind, bool same, MPI_Comm comm, Sent sent, Received received,
             const Way& way) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    const Neighbours near = neighbours_of(*communicator);
    auto out = sent(lib, static_cast<int>(near.destinations.size()));
    auto in = received(lib, static_cast<int>(near.sources.size()));
    PlannedCollective planned{communicator, {{}, out, in, nullptr}, nullptr, {}};
    planned.call.descriptor.kind = kind;
    auto own = std::make_shared<OwnSchedule>();
    const auto view = [&](const Blocks& blocks) {
      return blocks.type == nullptr ? View::uniform(nullptr, 0, &lib.bytes()) : blocks.view();
    };
    own->ready.views = {view(planned.call.input), view(planned.call.output), {}};
    Round round;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < near.sources.size(); ++i) {
      const auto& [rank, channel] = near.sources[i];
      if (rank == MPI_PROC_NULL) continue;
      const Range range{Place::Output, static_cast<std::uint32_t>(i), 1};
      round.transfers.push_back({Transfer::Direction::Receive, rank, range, channel});
    }
    for (std::size_t i = 0; i < near.destinations.size(); ++i) {
      const auto& [rank, channel] = near.destinations[i];
      if (rank == MPI_PROC_NULL) continue;
      const Range range{Place::Input, same ? 0 : static_cast<std::uint32_t>(i), 1};
      round.transfers.push_back({Transfer::Direction::Send, rank, range, channel});
      bytes += block(planned.call.input, static_cast<int>(range.first)).bytes();
    }
    if (!round.transfers.empty()) own->schedule.push_back(std::move(round));
    planned.own = std::move(own);
    begin(call, *communicator, planned.call.descriptor, bytes);
    planned.keep(std::move(out));
    planned.keep(std::move(in));
    way(lib, call, std::move(planned));
  });
}

/// Blocks of equal size that keep their datatype.
auto equal_blocks(const void* base, MPI_Count count, MPI_Datatype type) {
  struct Kept {
    Blocks blocks;
    std::shared_ptr<const Datatype> datatype;
    operator Blocks() const { return blocks; }  // NOLINT(google-explicit-constructor): as other blocks
  };
  return [=](const Library& lib, int) { return Kept{uniform_blocks(lib, base, count, type), lib.type(type)}; };
}
template <class Count, class Displacement>
auto varying_blocks(const void* base, const Count counts[], const Displacement displacements[], MPI_Datatype type) {
  return [=](const Library& lib, int blocks) { return VaryingBlocks(lib, blocks, base, counts, displacements, type); };
}
template <class Count>
auto mixed_blocks(const void* base, const Count counts[], const MPI_Aint displacements[], const MPI_Datatype types[]) {
  return [=](const Library& lib, int blocks) { return MixedBlocks(lib, blocks, base, counts, displacements, types); };
}

}  // namespace

int PMPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange("MPI_Neighbor_allgather", Collective::NeighborAllgather, true, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), equal_blocks(recvbuf, recvcount, recvtype), Finishing{});
}

int PMPI_Ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return exchange("MPI_Ineighbor_allgather", Collective::NeighborAllgather, true, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), equal_blocks(recvbuf, recvcount, recvtype),
                  Starting{request});
}

int PMPI_Neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                                   MPI_Request* request) {
  return exchange("MPI_Neighbor_allgather_init", Collective::NeighborAllgather, true, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), equal_blocks(recvbuf, recvcount, recvtype),
                  Initializing{request});
}

int PMPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange("MPI_Neighbor_allgatherv", Collective::NeighborAllgatherv, true, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), varying_blocks(recvbuf, recvcounts, displs, recvtype),
                  Finishing{});
}

int PMPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                               MPI_Comm comm) {
  return exchange("MPI_Neighbor_allgatherv", Collective::NeighborAllgatherv, true, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), varying_blocks(recvbuf, recvcounts, displs, recvtype),
                  Finishing{});
}

int PMPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Request* request) {
  return exchange("MPI_Ineighbor_allgatherv", Collective::NeighborAllgatherv, true, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), varying_blocks(recvbuf, recvcounts, displs, recvtype),
                  Starting{request});
}

int PMPI_Ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                                MPI_Comm comm, MPI_Request* request) {
  return exchange("MPI_Ineighbor_allgatherv", Collective::NeighborAllgatherv, true, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), varying_blocks(recvbuf, recvcounts, displs, recvtype),
                  Starting{request});
}

int PMPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Info, MPI_Request* request) {
  return exchange("MPI_Neighbor_allgatherv_init", Collective::NeighborAllgatherv, true, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), varying_blocks(recvbuf, recvcounts, displs, recvtype),
                  Initializing{request});
}

int PMPI_Neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                                    MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return exchange("MPI_Neighbor_allgatherv_init", Collective::NeighborAllgatherv, true, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), varying_blocks(recvbuf, recvcounts, displs, recvtype),
                  Initializing{request});
}

int PMPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange("MPI_Neighbor_alltoall", Collective::NeighborAlltoall, false, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), equal_blocks(recvbuf, recvcount, recvtype), Finishing{});
}

int PMPI_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return exchange("MPI_Ineighbor_alltoall", Collective::NeighborAlltoall, false, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), equal_blocks(recvbuf, recvcount, recvtype),
                  Starting{request});
}

int PMPI_Neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                                  MPI_Request* request) {
  return exchange("MPI_Neighbor_alltoall_init", Collective::NeighborAlltoall, false, comm,
                  equal_blocks(sendbuf, sendcount, sendtype), equal_blocks(recvbuf, recvcount, recvtype),
                  Initializing{request});
}

int PMPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                            void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                            MPI_Comm comm) {
  return exchange("MPI_Neighbor_alltoallv", Collective::NeighborAlltoallv, false, comm,
                  varying_blocks(sendbuf, sendcounts, sdispls, sendtype),
                  varying_blocks(recvbuf, recvcounts, rdispls, recvtype), Finishing{});
}

int PMPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                              const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange("MPI_Neighbor_alltoallv", Collective::NeighborAlltoallv, false, comm,
                  varying_blocks(sendbuf, sendcounts, sdispls, sendtype),
                  varying_blocks(recvbuf, recvcounts, rdispls, recvtype), Finishing{});
}

int PMPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                             void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                             MPI_Comm comm, MPI_Request* request) {
  return exchange("MPI_Ineighbor_alltoallv", Collective::NeighborAlltoallv, false, comm,
                  varying_blocks(sendbuf, sendcounts, sdispls, sendtype),
                  varying_blocks(recvbuf, recvcounts, rdispls, recvtype), Starting{request});
}

int PMPI_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                               MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return exchange("MPI_Ineighbor_alltoallv", Collective::NeighborAlltoallv, false, comm,
                  varying_blocks(sendbuf, sendcounts, sdispls, sendtype),
                  varying_blocks(recvbuf, recvcounts, rdispls, recvtype), Starting{request});
}

int PMPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                                 MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return exchange("MPI_Neighbor_alltoallv_init", Collective::NeighborAlltoallv, false, comm,
                  varying_blocks(sendbuf, sendcounts, sdispls, sendtype),
                  varying_blocks(recvbuf, recvcounts, rdispls, recvtype), Initializing{request});
}

int PMPI_Neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                   MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                   const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                                   MPI_Request* request) {
  return exchange("MPI_Neighbor_alltoallv_init", Collective::NeighborAlltoallv, false, comm,
                  varying_blocks(sendbuf, sendcounts, sdispls, sendtype),
                  varying_blocks(recvbuf, recvcounts, rdispls, recvtype), Initializing{request});
}

int PMPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return exchange("MPI_Neighbor_alltoallw", Collective::NeighborAlltoallw, false, comm,
                  mixed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                  mixed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Finishing{});
}

int PMPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return exchange("MPI_Neighbor_alltoallw", Collective::NeighborAlltoallw, false, comm,
                  mixed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                  mixed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Finishing{});
}

int PMPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                             MPI_Request* request) {
  return exchange("MPI_Ineighbor_alltoallw", Collective::NeighborAlltoallw, false, comm,
                  mixed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                  mixed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Starting{request});
}

int PMPI_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                               const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                               MPI_Request* request) {
  return exchange("MPI_Ineighbor_alltoallw", Collective::NeighborAlltoallw, false, comm,
                  mixed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                  mixed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Starting{request});
}

int PMPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info,
                                 MPI_Request* request) {
  return exchange("MPI_Neighbor_alltoallw_init", Collective::NeighborAlltoallw, false, comm,
                  mixed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                  mixed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Initializing{request});
}

int PMPI_Neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                   const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info,
                                   MPI_Request* request) {
  return exchange("MPI_Neighbor_alltoallw_init", Collective::NeighborAlltoallw, false, comm,
                  mixed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                  mixed_blocks(recvbuf, recvcounts, rdispls, recvtypes), Initializing{request});
}
