// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file collective.cpp
/// The collective operations.
#include <string>
#include <utility>
#include <vector>

#include "mpi/collective_arguments.h"

using namespace tidings;

namespace {

/// Find out all that follows from a call, and check it.
[[gnu::noinline]] void learn(const Library& lib, const Communicator& communicator, Collective kind, const CallKey& key,
                             const void* shown, KnownCall& known) {
  known.key = {};
  if (has_root(kind)) check_root(communicator, key.root);
  Buffer buffer;
  if (has_data(kind)) buffer = lib.buffer(shown, key.count, as_handle<MPI_Datatype>(key.type));
  known.type = buffer.type;
  known.operation = nullptr;
  if (has_data(kind)) {
    known.bytes = buffer.bytes();
    known.descriptor = describe(kind, key.root, buffer, known.bytes);
  } else {
    known.bytes = 0;
    known.descriptor = {};
    known.descriptor.kind = kind;
  }
  if (has_operation(kind)) {
    known.operation = lib.operation(as_handle<MPI_Op>(key.operation)).get();
    check_reduction(*known.operation, *known.type);
    known.descriptor.operation = known.operation->code();
  }
  known.arguments = {};
  add_arguments(known.arguments, known.descriptor);
  add_arguments(known.arguments, communicator);
  known.group = communicator.unique_id();
  known.signature = known.descriptor.signature();
  known.choice =
      lib.collectives().choice_of(communicator, {known.descriptor, Blocks::one(buffer), {}, known.operation});
  // An object of the program's own may be gone when its handle comes next.
  if (HandleTable<Datatype>::is_constant(key.type) && HandleTable<Operation>::is_constant(key.operation)) {
    known.key = key;
  }
}

/// What follows from a call of a collective that has no blocks; null of an intercommunicator.
/// @param shown the buffer whose elements are counted.
[[gnu::always_inline]] inline const KnownCall* know(const Library& lib, const Communicator& communicator,
                                                    Collective kind, const CallKey& key, const void* shown) {
  KnownCall& known = communicator.algorithms->of(kind).known;
  if (!(known.key == key)) [[unlikely]] {
    if (communicator.inter != nullptr) return nullptr;
    learn(lib, communicator, kind, key, shown, known);
  }
  return &known;
}

}  // namespace

int PMPI_Barrier(MPI_Comm comm) {
  return serve("MPI_Barrier", comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    const KnownCall* const known = know(lib, communicator, Collective::Barrier, {0, 0, 0, 0}, nullptr);
    if (known == nullptr) return communicator.inter->run(lib, call, communicator, {});
    call.begin_known(*known);
    call.end(lib.collectives().run(communicator, *known, {}, {}));
  });
}

int PMPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return serve("MPI_Bcast", comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    const KnownCall* const known =
        know(lib, communicator, Collective::Bcast, {number(datatype), 0, count, root}, buffer);
    if (known == nullptr) {
      return communicator.inter->run(lib, call, communicator,
                                     {Collective::Bcast, buffer, buffer, count, datatype, MPI_OP_NULL, root});
    }
    const Buffer data = Library::buffer(buffer, count, *known->type);
    call.begin_known(*known);
    call.end(lib.collectives().run(communicator, *known, {}, data));
  });
}

int PMPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                  MPI_Comm comm) {
  return serve("MPI_Reduce", comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    const bool is_root = communicator.rank() == root;
    if (in_place(sendbuf) && !is_root) throw Error(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone");
    const void* const mine = in_place(sendbuf) ? recvbuf : sendbuf;
    const KnownCall* const known =
        know(lib, communicator, Collective::Reduce, {number(datatype), number(op), count, root}, mine);
    if (known == nullptr) {
      return communicator.inter->run(lib, call, communicator,
                                     {Collective::Reduce, sendbuf, recvbuf, count, datatype, op, root});
    }
    const Buffer input = Library::buffer(mine, count, *known->type);
    const Buffer result = is_root ? Library::buffer(recvbuf, count, *known->type) : Buffer{};
    call.begin_known(*known);
    call.end(lib.collectives().run(communicator, *known, input, result));
  });
}

namespace {

/// A reduction whose result all ranks get.
int reduce_for_all(const char* name, Collective kind, const void* sendbuf, void* recvbuf, MPI_Count count,
                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    const void* const mine = in_place(sendbuf) ? recvbuf : sendbuf;
    const KnownCall* const known = know(lib, communicator, kind, {number(datatype), number(op), count, 0}, mine);
    if (known == nullptr) {
      return communicator.inter->run(lib, call, communicator, {kind, sendbuf, recvbuf, count, datatype, op, 0});
    }
    const Buffer input = Library::buffer(mine, count, *known->type);
    const Buffer result = Library::buffer(recvbuf, count, *known->type);
    call.begin_known(*known);
    call.end(lib.collectives().run(communicator, *known, input, result));
  });
}

}  // namespace

int PMPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm) {
  return reduce_for_all("MPI_Allreduce", Collective::Allreduce, sendbuf, recvbuf, count, datatype, op, comm);
}

int PMPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_for_all("MPI_Scan", Collective::Scan, sendbuf, recvbuf, count, datatype, op, comm);
}

int PMPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gather(
      "MPI_Gather", Collective::Gather, sendbuf, sendcount, sendtype, root, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); },
      Blocking{});
}

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                 const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gatherv("MPI_Gatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                 Blocking{});
}

int PMPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm) {
  return gatherv("MPI_Gatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                 Blocking{});
}

int PMPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatter(
      "MPI_Scatter", Collective::Scatter, recvbuf, recvcount, recvtype, root, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, sendbuf, sendcount, sendtype); },
      Blocking{});
}

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatterv("MPI_Scatterv", sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  Blocking{});
}

int PMPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatterv("MPI_Scatterv", sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  Blocking{});
}

int PMPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather(
      "MPI_Allgather", Collective::Allgather, sendbuf, sendcount, sendtype, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); },
      Blocking{});
}

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                    const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return allgatherv("MPI_Allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                    Blocking{});
}

int PMPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return allgatherv("MPI_Allgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                    Blocking{});
}

int PMPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoall(
      "MPI_Alltoall", Collective::Alltoall, sendbuf, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, sendbuf, sendcount, sendtype); },
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); },
      Blocking{});
}

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoallv("MPI_Alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                   comm, Blocking{});
}

int PMPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm) {
  return alltoallv("MPI_Alltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                   comm, Blocking{});
}

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                   void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm) {
  return alltoallw("MPI_Alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                   comm, Blocking{});
}

int PMPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return alltoallw("MPI_Alltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                   comm, Blocking{});
}

int PMPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
  return reduction("MPI_Exscan", Collective::Exscan, sendbuf, recvbuf, count, datatype, op, 0, comm, Blocking{});
}

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm) {
  return reduce_scatter("MPI_Reduce_scatter", sendbuf, recvbuf, recvcounts, 0, datatype, op, comm, Blocking{});
}

int PMPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm) {
  return reduce_scatter("MPI_Reduce_scatter", sendbuf, recvbuf, recvcounts, 0, datatype, op, comm, Blocking{});
}

int PMPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm comm) {
  constexpr const int* kEqual = nullptr;
  return reduce_scatter("MPI_Reduce_scatter_block", sendbuf, recvbuf, kEqual, recvcount, datatype, op, comm,
                        Blocking{});
}
