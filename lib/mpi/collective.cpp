// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file collective.cpp
/// The collective operations.
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/packing.h"
#include "mpi/call.h"
#include "mpi/messages.h"

using namespace tidings;

namespace {

bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

void check_root(const Communicator& communicator, int root) {
  if (root >= 0 && root < communicator.size()) return;
  throw Error(MPI_ERR_ROOT, rank_text(root, "root") + " is not in " + communicator.name() + ", which has " +
                                std::to_string(communicator.size()) + " ranks");
}

/// @param block what all ranks must agree on; empty where they may differ.
CollectiveDescriptor describe(Collective kind, int root, const Buffer& shown, std::uint64_t block) {
  CollectiveDescriptor descriptor;
  descriptor.kind = kind;
  descriptor.root = static_cast<std::uint16_t>(root);
  descriptor.count = shown.count;
  descriptor.type = shown.type->predefined() ? static_cast<std::uint16_t>(shown.type->handle()) : std::uint16_t{0};
  descriptor.bytes = block;
  return descriptor;
}

/// Blocks of equal size.
Blocks uniform_blocks(const Library& lib, const void* base, MPI_Count count, MPI_Datatype datatype) {
  return Blocks::one(lib.buffer(base, count, datatype));
}

/// Blocks with counts and displacements of their own.
class VaryingBlocks {
 public:
  VaryingBlocks() = default;
  template <class Count, class Displacement>
  VaryingBlocks(const Library& lib, const Communicator& communicator, const void* base, const Count counts[],
                const Displacement displacements[], MPI_Datatype datatype)
      : base_(const_cast<void*>(base)), type_(lib.committed_type(datatype).get()) {
    const auto size = static_cast<std::size_t>(communicator.size());
    counts_.reserve(size);
    displacements_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      if (counts[i] < 0) {
        throw Error(MPI_ERR_COUNT, "the count of rank " + std::to_string(i) + " is " + std::to_string(counts[i]));
      }
      if (base == nullptr && counts[i] > 0 && type_->size() > 0) {
        throw Error(MPI_ERR_BUFFER, "the buffer is a null pointer");
      }
      counts_.push_back(static_cast<std::size_t>(counts[i]));
      displacements_.push_back(static_cast<std::ptrdiff_t>(displacements[i]));
    }
  }

  /// As long as this lives.
  operator Blocks() const {  // NOLINT(google-explicit-constructor): blocks that know their arrays
    return {base_, type_, 0, counts_.data(), displacements_.data()};
  }

 private:
  void* base_ = nullptr;
  const Datatype* type_ = nullptr;
  std::vector<std::size_t> counts_;
  std::vector<std::ptrdiff_t> displacements_;
};

Buffer block(const Blocks& blocks, int rank) { return blocks.view().range(static_cast<std::uint32_t>(rank), 1); }

/// A packed copy of blocks, for an exchange in place.
class PackedCopy {
 public:
  PackedCopy(const Blocks& from, int size, const Datatype& bytes) : type_(bytes) {
    std::size_t total = 0;
    for (int i = 0; i < size; ++i) {
      counts_.push_back(block(from, i).bytes());
      displacements_.push_back(static_cast<std::ptrdiff_t>(total));
      total += counts_.back();
    }
    memory_.resize(total);
    for (int i = 0; i < size; ++i) copy_elements(block(from, i), block(blocks(), i));
  }

  /// As long as this lives.
  [[nodiscard]] Blocks blocks() { return {memory_.data(), &type_, 0, counts_.data(), displacements_.data()}; }

 private:
  const Datatype& type_;
  std::vector<std::byte> memory_;
  std::vector<std::size_t> counts_;
  std::vector<std::ptrdiff_t> displacements_;
};

void begin(Call& call, const Communicator& communicator, const CollectiveDescriptor& descriptor, std::uint64_t bytes) {
  call.collective(descriptor);
  call.begin_collective(communicator, bytes);
}

/// Find out all that follows from a call, and check it.
[[gnu::noinline]] void learn(const Library& lib, const Communicator& communicator, Collective kind, const CallKey& key,
                             const void* shown, KnownCall& known) {
  known.key = {};
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

/// What follows from a call of a collective that has no blocks. @param shown the buffer whose elements are counted.
const KnownCall& know(const Library& lib, const Communicator& communicator, Collective kind, const CallKey& key,
                      const void* shown) {
  KnownCall& known = communicator.algorithms->of(kind).known;
  if (!(known.key == key)) [[unlikely]] {
    learn(lib, communicator, kind, key, shown, known);
  }
  return known;
}

/// Gather with blocks that all_blocks() makes at the root.
template <class AllBlocks>
int gather(const char* name, Collective kind, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int root,
           MPI_Comm comm, AllBlocks all_blocks) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    check_root(*communicator, root);
    decltype(all_blocks(lib, *communicator)) at_root;
    Buffer mine;
    if (communicator->rank() == root) at_root = all_blocks(lib, *communicator);
    const Blocks all = at_root;
    if (in_place(sendbuf)) {
      if (communicator->rank() != root) throw Error(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone");
      mine = block(all, root);
    } else {
      mine = lib.buffer(sendbuf, sendcount, sendtype);
    }
    const std::uint64_t agreed = kind == Collective::Gatherv    ? 0
                                 : communicator->rank() == root ? block(all, root).bytes()
                                                                : mine.bytes();
    const auto descriptor = describe(kind, root, mine, agreed);
    begin(call, *communicator, descriptor, mine.bytes());
    call.end(lib.collectives().run(*communicator, {descriptor, Blocks::one(mine), all}));
  });
}

/// Scatter with blocks that all_blocks() makes at the root.
template <class AllBlocks>
int scatter(const char* name, Collective kind, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
            MPI_Comm comm, AllBlocks all_blocks) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    check_root(*communicator, root);
    decltype(all_blocks(lib, *communicator)) at_root;
    Buffer mine;
    if (communicator->rank() == root) at_root = all_blocks(lib, *communicator);
    const Blocks all = at_root;
    if (in_place(recvbuf)) {
      if (communicator->rank() != root) throw Error(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone");
      mine = block(all, root);
    } else {
      mine = lib.buffer(recvbuf, recvcount, recvtype);
    }
    const std::uint64_t agreed = kind == Collective::Scatterv   ? 0
                                 : communicator->rank() == root ? block(all, root).bytes()
                                                                : mine.bytes();
    const auto descriptor = describe(kind, root, mine, agreed);
    begin(call, *communicator, descriptor, mine.bytes());
    call.end(lib.collectives().run(*communicator, {descriptor, all, Blocks::one(mine)}));
  });
}

template <class AllBlocks>
int allgather(const char* name, Collective kind, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
              MPI_Comm comm, AllBlocks all_blocks) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    const auto blocks = all_blocks(lib, *communicator);
    const Blocks all = blocks;
    const Buffer own = block(all, communicator->rank());
    const Buffer mine = in_place(sendbuf) ? own : lib.buffer(sendbuf, sendcount, sendtype);
    const auto descriptor = describe(kind, 0, mine, kind == Collective::Allgatherv ? 0 : own.bytes());
    begin(call, *communicator, descriptor, mine.bytes());
    call.end(lib.collectives().run(*communicator, {descriptor, Blocks::one(mine), all}));
  });
}

template <class OutBlocks, class InBlocks>
int alltoall(const char* name, Collective kind, const void* sendbuf, MPI_Comm comm, OutBlocks out_blocks,
             InBlocks in_blocks) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    const auto received = in_blocks(lib, *communicator);
    const Blocks in = received;
    const Buffer first = block(in, 0);
    const auto descriptor = describe(kind, 0, first, kind == Collective::Alltoallv ? 0 : first.bytes());
    std::uint64_t bytes = 0;
    for (int i = 0; i < communicator->size(); ++i) bytes += block(in, i).bytes();
    if (in_place(sendbuf)) {
      begin(call, *communicator, descriptor, bytes);
      PackedCopy copy(in, communicator->size(), lib.bytes());
      call.end(lib.collectives().run(*communicator, {descriptor, copy.blocks(), in}));
      return;
    }
    const auto sent = out_blocks(lib, *communicator);
    const Blocks out = sent;
    begin(call, *communicator, descriptor, bytes);
    call.end(lib.collectives().run(*communicator, {descriptor, out, in}));
  });
}

template <class Count, class Displacement>
int gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const Count recvcounts[],
            const Displacement displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gather("MPI_Gatherv", Collective::Gatherv, sendbuf, sendcount, sendtype, root, comm,
                [&](const Library& lib, const Communicator& communicator) {
                  return VaryingBlocks(lib, communicator, recvbuf, recvcounts, displs, recvtype);
                });
}

template <class Count, class Displacement>
int scatterv(const void* sendbuf, const Count sendcounts[], const Displacement displs[], MPI_Datatype sendtype,
             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatter("MPI_Scatterv", Collective::Scatterv, recvbuf, recvcount, recvtype, root, comm,
                 [&](const Library& lib, const Communicator& communicator) {
                   return VaryingBlocks(lib, communicator, sendbuf, sendcounts, displs, sendtype);
                 });
}

template <class Count, class Displacement>
int allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const Count recvcounts[],
               const Displacement displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather("MPI_Allgatherv", Collective::Allgatherv, sendbuf, sendcount, sendtype, comm,
                   [&](const Library& lib, const Communicator& communicator) {
                     return VaryingBlocks(lib, communicator, recvbuf, recvcounts, displs, recvtype);
                   });
}

template <class Count, class Displacement>
int alltoallv(const void* sendbuf, const Count sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype,
              void* recvbuf, const Count recvcounts[], const Displacement rdispls[], MPI_Datatype recvtype,
              MPI_Comm comm) {
  return alltoall(
      "MPI_Alltoallv", Collective::Alltoallv, sendbuf, comm,
      [&](const Library& lib, const Communicator& communicator) {
        return VaryingBlocks(lib, communicator, sendbuf, sendcounts, sdispls, sendtype);
      },
      [&](const Library& lib, const Communicator& communicator) {
        return VaryingBlocks(lib, communicator, recvbuf, recvcounts, rdispls, recvtype);
      });
}

}  // namespace

int PMPI_Barrier(MPI_Comm comm) {
  return serve("MPI_Barrier", comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    const KnownCall& known = know(lib, communicator, Collective::Barrier, {0, 0, 0, 0}, nullptr);
    call.begin_known(known);
    call.end(lib.collectives().run(communicator, known, {}, {}));
  });
}

int PMPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return serve("MPI_Bcast", comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    check_root(communicator, root);
    const KnownCall& known = know(lib, communicator, Collective::Bcast, {number(datatype), 0, count, root}, buffer);
    const Buffer data = Library::buffer(buffer, count, *known.type);
    call.begin_known(known);
    call.end(lib.collectives().run(communicator, known, {}, data));
  });
}

int PMPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                  MPI_Comm comm) {
  return serve("MPI_Reduce", comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    check_root(communicator, root);
    const bool is_root = communicator.rank() == root;
    if (in_place(sendbuf) && !is_root) throw Error(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone");
    const void* const mine = in_place(sendbuf) ? recvbuf : sendbuf;
    const KnownCall& known =
        know(lib, communicator, Collective::Reduce, {number(datatype), number(op), count, root}, mine);
    const Buffer input = Library::buffer(mine, count, *known.type);
    const Buffer result = is_root ? Library::buffer(recvbuf, count, *known.type) : Buffer{};
    call.begin_known(known);
    call.end(lib.collectives().run(communicator, known, input, result));
  });
}

namespace {

/// A reduction whose result all ranks get.
int reduce_for_all(const char* name, Collective kind, const void* sendbuf, void* recvbuf, MPI_Count count,
                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    Communicator& communicator = *lib.communicator(comm);
    const void* const mine = in_place(sendbuf) ? recvbuf : sendbuf;
    const KnownCall& known = know(lib, communicator, kind, {number(datatype), number(op), count, 0}, mine);
    const Buffer input = Library::buffer(mine, count, *known.type);
    const Buffer result = Library::buffer(recvbuf, count, *known.type);
    call.begin_known(known);
    call.end(lib.collectives().run(communicator, known, input, result));
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
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); });
}

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                 const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
}

int PMPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm) {
  return gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
}

int PMPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatter(
      "MPI_Scatter", Collective::Scatter, recvbuf, recvcount, recvtype, root, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, sendbuf, sendcount, sendtype); });
}

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int PMPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int PMPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather(
      "MPI_Allgather", Collective::Allgather, sendbuf, sendcount, sendtype, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); });
}

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                    const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

int PMPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
}

int PMPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoall(
      "MPI_Alltoall", Collective::Alltoall, sendbuf, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, sendbuf, sendcount, sendtype); },
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); });
}

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}

int PMPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm) {
  return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
}
