// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file collective.cpp
/// Collectives that programs call most, at once, with what is known of earlier calls.
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
    known.descriptor = describe(kind, key.root, buffer, buffer.bytes());
    known.bytes = buffer.bytes() * (kind == Collective::Alltoall ? static_cast<std::uint64_t>(communicator.size()) : 1);
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
  known.switches =
      kind == Collective::Alltoall ? lib.collectives().switches_for(communicator, known.descriptor) : nullptr;
  // An object of the program's own may be gone when its handle comes next.
  if (HandleTable<Datatype>::is_constant(key.type) && HandleTable<Operation>::is_constant(key.operation)) {
    known.key = key;
  }
}

/// What follows from a call of a collective that has no blocks or equal ones; null of an intercommunicator.
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

int PMPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm) {
  return serve("MPI_Alltoall", comm, [&](Library& lib, Call& call) {
    const bool alike = sendtype == recvtype && sendcount == recvcount && !in_place(sendbuf) &&
                       HandleTable<Datatype>::is_constant(number(recvtype));
    Communicator& communicator = *lib.communicator(comm);
    const KnownCall* const known =
        alike ? know(lib, communicator, Collective::Alltoall, {number(recvtype), 0, recvcount, 0}, recvbuf) : nullptr;
    if (known == nullptr) {
      return exchange_all(lib, call, Collective::Alltoall, sendbuf, comm, equal_blocks(sendbuf, sendcount, sendtype),
                          equal_blocks(recvbuf, recvcount, recvtype), Blocking{});
    }
    const Buffer input = Library::buffer(sendbuf, sendcount, *known->type);
    const Buffer output = Library::buffer(recvbuf, recvcount, *known->type);
    check_apart(sendbuf, recvbuf, known->bytes);
    call.begin_known(*known);
    call.end(lib.collectives().run(communicator, *known, input, output));
  });
}

int PMPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                  MPI_Comm comm) {
  return serve("MPI_Reduce", comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    const bool is_root = communicator.rank() == root;
    if (in_place(sendbuf) && !is_root)
      throw Error(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone", "Give a buffer at the other ranks.");
    const void* const mine = in_place(sendbuf) ? recvbuf : sendbuf;
    const KnownCall* const known =
        know(lib, communicator, Collective::Reduce, {number(datatype), number(op), count, root}, mine);
    if (known == nullptr) {
      return communicator.inter->run(lib, call, communicator,
                                     {Collective::Reduce, sendbuf, recvbuf, count, datatype, op, root});
    }
    const Buffer input = Library::buffer(mine, count, *known->type);
    const Buffer result = is_root ? Library::buffer(recvbuf, count, *known->type) : Buffer{};
    if (is_root) check_apart(sendbuf, recvbuf, input.bytes());
    call.begin_known(*known);
    call.end(lib.collectives().run(communicator, *known, input, result));
  });
}

namespace {

/// A reduction whose result all ranks get. A template, so that the compiler can merge it with its one caller.
template <Collective kKind>
int reduce_for_all(const char* name, const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    const void* const mine = in_place(sendbuf) ? recvbuf : sendbuf;
    const KnownCall* const known = know(lib, communicator, kKind, {number(datatype), number(op), count, 0}, mine);
    if (known == nullptr) {
      return communicator.inter->run(lib, call, communicator, {kKind, sendbuf, recvbuf, count, datatype, op, 0});
    }
    const Buffer input = Library::buffer(mine, count, *known->type);
    const Buffer result = Library::buffer(recvbuf, count, *known->type);
    check_apart(sendbuf, recvbuf, input.bytes());
    call.begin_known(*known);
    call.end(lib.collectives().run(communicator, *known, input, result));
  });
}

}  // namespace

int PMPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm) {
  return reduce_for_all<Collective::Allreduce>("MPI_Allreduce", sendbuf, recvbuf, count, datatype, op, comm);
}

int PMPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_for_all<Collective::Scan>("MPI_Scan", sendbuf, recvbuf, count, datatype, op, comm);
}
