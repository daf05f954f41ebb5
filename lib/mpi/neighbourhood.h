// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file neighbourhood.h
/// Collectives of neighbours in a virtual topology, in all their ways.
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpi/nonblocking.h"

namespace tidings {

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

[[nodiscard]] Neighbours neighbours_of(const Communicator& communicator);

/// Blocks to and from the neighbours. @param sent, received make the blocks of a number of neighbours.
/// @param same all destinations get the same block.
template <class Sent, class Received, class Way>
int exchange_near(const char* name, Collective kind, bool same, MPI_Comm comm, Sent sent, Received received,
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
    planned.keep_for(way, std::move(out));
    planned.keep_for(way, std::move(in));
    if constexpr (std::is_same_v<Way, Blocking>) {
      Finishing{}(lib, call, std::move(planned));
    } else {
      way(lib, call, std::move(planned));
    }
  });
}

/// As those of planned.h.
namespace planned {

template <class Way>
int neighbor_allgather(const char* name, const Way& way, const void* sendbuf, MPI_Count sendcount,
                       MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                       MPI_Comm comm) {
  return exchange_near(name, Collective::NeighborAllgather, true, comm, equal_blocks(sendbuf, sendcount, sendtype),
                       equal_blocks(recvbuf, recvcount, recvtype), way);
}

template <class Way, class Count, class Displacement>
int neighbor_allgatherv(const char* name, const Way& way, const void* sendbuf, MPI_Count sendcount,
                        MPI_Datatype sendtype, void* recvbuf, const Count recvcounts[], const Displacement displs[],
                        MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_near(name, Collective::NeighborAllgatherv, true, comm, equal_blocks(sendbuf, sendcount, sendtype),
                       varying_blocks(recvbuf, recvcounts, displs, recvtype), way);
}

template <class Way>
int neighbor_alltoall(const char* name, const Way& way, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_near(name, Collective::NeighborAlltoall, false, comm, equal_blocks(sendbuf, sendcount, sendtype),
                       equal_blocks(recvbuf, recvcount, recvtype), way);
}

template <class Way, class Count, class Displacement>
int neighbor_alltoallv(const char* name, const Way& way, const void* sendbuf, const Count sendcounts[],
                       const Displacement sdispls[], MPI_Datatype sendtype, void* recvbuf, const Count recvcounts[],
                       const Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_near(name, Collective::NeighborAlltoallv, false, comm,
                       varying_blocks(sendbuf, sendcounts, sdispls, sendtype),
                       varying_blocks(recvbuf, recvcounts, rdispls, recvtype), way);
}

template <class Way, class Count, class Displacement>
int neighbor_alltoallw(const char* name, const Way& way, const void* sendbuf, const Count sendcounts[],
                       const Displacement sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                       const Count recvcounts[], const Displacement rdispls[], const MPI_Datatype recvtypes[],
                       MPI_Comm comm) {
  return exchange_near(name, Collective::NeighborAlltoallw, false, comm,
                       mixed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                       mixed_blocks(recvbuf, recvcounts, rdispls, recvtypes), way);
}

}  // namespace planned
}  // namespace tidings
