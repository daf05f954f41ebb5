// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file planned.h
/// Collectives in all their ways: at once, nonblocking, persistent.
///
/// A function of MPI's name, in small letters, has MPI's arguments in MPI's order. generate.py makes of it all entry
/// points that no source defines: MPI_Gather, MPI_Igather and MPI_Gather_init of gather(), and those with large counts.
#include "mpi/nonblocking.h"

namespace tidings::planned {

template <class Way>
int barrier(const char* name, const Way& way, MPI_Comm comm) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    if (const auto inter = communicator->inter) {
      way(lib, call, inter->plan(lib, call, *communicator, {}));
      return;
    }
    CollectiveDescriptor descriptor;
    descriptor.kind = Collective::Barrier;
    begin(call, *communicator, descriptor, 0);
    way(lib, call, {communicator, {descriptor, {}, {}, nullptr}, nullptr, {}});
  });
}

template <class Way>
int bcast(const char* name, const Way& way, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
          MPI_Comm comm) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    if (const auto inter = communicator->inter) {
      way(lib, call,
          inter->plan(lib, call, *communicator,
                      {Collective::Bcast, buffer, buffer, count, datatype, MPI_OP_NULL, root}));
      return;
    }
    check_root(*communicator, root);
    const Buffer data = lib.buffer(buffer, count, datatype);
    const auto descriptor = describe(Collective::Bcast, root, data, data.bytes());
    begin(call, *communicator, descriptor, data.bytes());
    PlannedCollective planned{communicator, {descriptor, {}, Blocks::one(data), nullptr}, nullptr, {}};
    planned.keep_for(way, lib, datatype);
    way(lib, call, std::move(planned));
  });
}

template <class Way>
int reduce(const char* name, const Way& way, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
           MPI_Op op, int root, MPI_Comm comm) {
  return reduction(name, Collective::Reduce, sendbuf, recvbuf, count, datatype, op, root, comm, way);
}

template <class Way>
int allreduce(const char* name, const Way& way, const void* sendbuf, void* recvbuf, MPI_Count count,
              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduction(name, Collective::Allreduce, sendbuf, recvbuf, count, datatype, op, 0, comm, way);
}

template <class Way>
int scan(const char* name, const Way& way, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
         MPI_Op op, MPI_Comm comm) {
  return reduction(name, Collective::Scan, sendbuf, recvbuf, count, datatype, op, 0, comm, way);
}

template <class Way>
int exscan(const char* name, const Way& way, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
           MPI_Op op, MPI_Comm comm) {
  return reduction(name, Collective::Exscan, sendbuf, recvbuf, count, datatype, op, 0, comm, way);
}

template <class Way>
int gather(const char* name, const Way& way, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
           void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return rooted(name, Collective::Gather, sendbuf, sendcount, sendtype, root, comm,
                equal_blocks(recvbuf, recvcount, recvtype), way);
}

template <class Way, class Count, class Displacement>
int gatherv(const char* name, const Way& way, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
            void* recvbuf, const Count recvcounts[], const Displacement displs[], MPI_Datatype recvtype, int root,
            MPI_Comm comm) {
  return rooted(name, Collective::Gatherv, sendbuf, sendcount, sendtype, root, comm,
                varying_blocks(recvbuf, recvcounts, displs, recvtype), way);
}

template <class Way>
int scatter(const char* name, const Way& way, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
            void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return rooted(name, Collective::Scatter, recvbuf, recvcount, recvtype, root, comm,
                equal_blocks(sendbuf, sendcount, sendtype), way);
}

template <class Way, class Count, class Displacement>
int scatterv(const char* name, const Way& way, const void* sendbuf, const Count sendcounts[],
             const Displacement displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return rooted(name, Collective::Scatterv, recvbuf, recvcount, recvtype, root, comm,
                varying_blocks(sendbuf, sendcounts, displs, sendtype), way);
}

template <class Way>
int allgather(const char* name, const Way& way, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return gather_for_all(name, Collective::Allgather, sendbuf, sendcount, sendtype, comm,
                        equal_blocks(recvbuf, recvcount, recvtype), way);
}

template <class Way, class Count, class Displacement>
int allgatherv(const char* name, const Way& way, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, const Count recvcounts[], const Displacement displs[], MPI_Datatype recvtype,
               MPI_Comm comm) {
  return gather_for_all(name, Collective::Allgatherv, sendbuf, sendcount, sendtype, comm,
                        varying_blocks(recvbuf, recvcounts, displs, recvtype), way);
}

template <class Way>
int alltoall(const char* name, const Way& way, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_all(name, Collective::Alltoall, sendbuf, comm, equal_blocks(sendbuf, sendcount, sendtype),
                      equal_blocks(recvbuf, recvcount, recvtype), way);
}

template <class Way, class Count, class Displacement>
int alltoallv(const char* name, const Way& way, const void* sendbuf, const Count sendcounts[],
              const Displacement sdispls[], MPI_Datatype sendtype, void* recvbuf, const Count recvcounts[],
              const Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_all(name, Collective::Alltoallv, sendbuf, comm,
                      varying_blocks(sendbuf, sendcounts, sdispls, sendtype),
                      varying_blocks(recvbuf, recvcounts, rdispls, recvtype), way);
}

template <class Way, class Count, class Displacement>
int alltoallw(const char* name, const Way& way, const void* sendbuf, const Count sendcounts[],
              const Displacement sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const Count recvcounts[],
              const Displacement rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return exchange_all(name, Collective::Alltoallw, sendbuf, comm, mixed_blocks(sendbuf, sendcounts, sdispls, sendtypes),
                      mixed_blocks(recvbuf, recvcounts, rdispls, recvtypes), way);
}

template <class Way, class Count>
int reduce_scatter(const char* name, const Way& way, const void* sendbuf, void* recvbuf, const Count recvcounts[],
                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_to_blocks(name, sendbuf, recvbuf, recvcounts, 0, datatype, op, comm, way);
}

template <class Way>
int reduce_scatter_block(const char* name, const Way& way, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  constexpr const int* kEqual = nullptr;
  return reduce_to_blocks(name, sendbuf, recvbuf, kEqual, recvcount, datatype, op, comm, way);
}

}  // namespace tidings::planned
