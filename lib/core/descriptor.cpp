// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/descriptor.h"

#include <array>
#include <initializer_list>

#include "core/abi.h"

namespace tidings {
namespace {

template <class Handle>
std::uint32_t constant(Handle handle) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
}

/// Texts by the ABI's constants, which are small.
template <std::size_t kSize, class Row>
std::array<const char*, kSize> by_constant(std::initializer_list<Row> rows, const char* other) {
  std::array<const char*, kSize> texts;
  texts.fill(other);
  for (const Row& row : rows) texts.at(constant(row.handle)) = row.text;
  return texts;
}

const char* operation_name(std::uint8_t operation) {
  struct Row {
    MPI_Op handle;
    const char* text;
  };
  static const auto names = by_constant<256, Row>({{MPI_SUM, "MPI_SUM"},
                                                   {MPI_MIN, "MPI_MIN"},
                                                   {MPI_MAX, "MPI_MAX"},
                                                   {MPI_PROD, "MPI_PROD"},
                                                   {MPI_BAND, "MPI_BAND"},
                                                   {MPI_BOR, "MPI_BOR"},
                                                   {MPI_BXOR, "MPI_BXOR"},
                                                   {MPI_LAND, "MPI_LAND"},
                                                   {MPI_LOR, "MPI_LOR"},
                                                   {MPI_LXOR, "MPI_LXOR"},
                                                   {MPI_MINLOC, "MPI_MINLOC"},
                                                   {MPI_MAXLOC, "MPI_MAXLOC"},
                                                   {MPI_REPLACE, "MPI_REPLACE"},
                                                   {MPI_NO_OP, "MPI_NO_OP"}},
                                                  "user-defined operation");
  return names[operation];
}

/// How a number of elements is told, for the datatypes that most programs use; null: others are told as bytes.
const char* elements_text(std::uint16_t type) {
  struct Row {
    MPI_Datatype handle;
    const char* text;
  };
  static const auto texts = by_constant<1024, Row>({{MPI_INT, "% x MPI_INT"},
                                                    {MPI_LONG, "% x MPI_LONG"},
                                                    {MPI_FLOAT, "% x MPI_FLOAT"},
                                                    {MPI_DOUBLE, "% x MPI_DOUBLE"},
                                                    {MPI_CHAR, "% x MPI_CHAR"},
                                                    {MPI_BYTE, "% x MPI_BYTE"},
                                                    {MPI_UNSIGNED, "% x MPI_UNSIGNED"},
                                                    {MPI_UNSIGNED_LONG, "% x MPI_UNSIGNED_LONG"},
                                                    {MPI_INT32_T, "% x MPI_INT32_T"},
                                                    {MPI_INT64_T, "% x MPI_INT64_T"},
                                                    {MPI_UINT32_T, "% x MPI_UINT32_T"},
                                                    {MPI_UINT64_T, "% x MPI_UINT64_T"},
                                                    {MPI_LONG_LONG, "% x MPI_LONG_LONG"},
                                                    {MPI_SHORT, "% x MPI_SHORT"}},
                                                   nullptr);
  return type < texts.size() ? texts[type] : nullptr;
}

}  // namespace

bool has_operation(Collective kind) {
  return kind == Collective::Reduce || kind == Collective::Allreduce || kind == Collective::Scan ||
         kind == Collective::Exscan || kind == Collective::ReduceScatter || kind == Collective::ReduceScatterBlock;
}

bool has_data(Collective kind) { return kind != Collective::Barrier && kind < Collective::CommDup; }

bool has_root(Collective kind) {
  switch (kind) {
    case Collective::Bcast:
    case Collective::Reduce:
    case Collective::Gather:
    case Collective::Gatherv:
    case Collective::Scatter:
    case Collective::Scatterv:
      return true;
    default:
      return false;
  }
}

const char* collective_name(Collective kind) {
  switch (kind) {
    case Collective::Barrier:
      return "MPI_Barrier";
    case Collective::Bcast:
      return "MPI_Bcast";
    case Collective::Reduce:
      return "MPI_Reduce";
    case Collective::Allreduce:
      return "MPI_Allreduce";
    case Collective::Gather:
      return "MPI_Gather";
    case Collective::Gatherv:
      return "MPI_Gatherv";
    case Collective::Scatter:
      return "MPI_Scatter";
    case Collective::Scatterv:
      return "MPI_Scatterv";
    case Collective::Allgather:
      return "MPI_Allgather";
    case Collective::Allgatherv:
      return "MPI_Allgatherv";
    case Collective::Alltoall:
      return "MPI_Alltoall";
    case Collective::Alltoallv:
      return "MPI_Alltoallv";
    case Collective::Scan:
      return "MPI_Scan";
    case Collective::Exscan:
      return "MPI_Exscan";
    case Collective::ReduceScatter:
      return "MPI_Reduce_scatter";
    case Collective::ReduceScatterBlock:
      return "MPI_Reduce_scatter_block";
    case Collective::Alltoallw:
      return "MPI_Alltoallw";
    case Collective::CommDup:
      return "MPI_Comm_dup";
    case Collective::CommSplit:
      return "MPI_Comm_split";
    case Collective::CommCreate:
      return "MPI_Comm_create";
    case Collective::Finalize:
      return "MPI_Finalize";
    case Collective::Init:
      return "MPI_Init";
    case Collective::CommSetInfo:
      return "MPI_Comm_set_info";
    case Collective::WinCreate:
      return "MPI_Win_create";
    case Collective::WinFence:
      return "MPI_Win_fence";
    case Collective::IntercommCreate:
      return "MPI_Intercomm_create";
    case Collective::IntercommMerge:
      return "MPI_Intercomm_merge";
    case Collective::NeighborAllgather:
      return "MPI_Neighbor_allgather";
    case Collective::NeighborAllgatherv:
      return "MPI_Neighbor_allgatherv";
    case Collective::NeighborAlltoall:
      return "MPI_Neighbor_alltoall";
    case Collective::NeighborAlltoallv:
      return "MPI_Neighbor_alltoallv";
    case Collective::NeighborAlltoallw:
      return "MPI_Neighbor_alltoallw";
    case Collective::FileOpen:
      return "MPI_File_open";
    case Collective::FileClose:
      return "MPI_File_close";
    case Collective::FileSetView:
      return "MPI_File_set_view";
    case Collective::FileSetSize:
      return "MPI_File_set_size";
    case Collective::FilePreallocate:
      return "MPI_File_preallocate";
    case Collective::FileSetInfo:
      return "MPI_File_set_info";
    case Collective::FileSetAtomicity:
      return "MPI_File_set_atomicity";
    case Collective::FileSync:
      return "MPI_File_sync";
    case Collective::FileSeekShared:
      return "MPI_File_seek_shared";
    case Collective::FileReadOrdered:
      return "MPI_File_read_ordered";
    case Collective::FileWriteOrdered:
      return "MPI_File_write_ordered";
    case Collective::None:
      break;
  }
  return "no collective";
}

void add_arguments(CallArguments& arguments, const CollectiveDescriptor& d) {
  if (has_root(d.kind)) arguments.add("root %", d.root);
  if (has_data(d.kind)) {
    if (const char* const elements = elements_text(d.type)) {
      arguments.add(elements, static_cast<std::int64_t>(d.count));
    } else if (d.bytes != 0) {
      arguments.add("% bytes", static_cast<std::int64_t>(d.bytes));
    }
    if (d.receivers != 0) arguments.add("to each of % ranks", d.receivers);
  }
  if (has_operation(d.kind)) arguments.add(operation_name(d.operation));
}

std::string to_string(const CollectiveDescriptor& descriptor) {
  CallArguments arguments;
  add_arguments(arguments, descriptor);
  return arguments.text(collective_name(descriptor.kind));
}

}  // namespace tidings
