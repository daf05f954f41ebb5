// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/descriptor.h"

#include "core/abi.h"

namespace tidings {
namespace {

bool has_operation(Collective kind) {
  return kind == Collective::Reduce || kind == Collective::Allreduce || kind == Collective::Scan;
}

bool has_data(Collective kind) { return kind != Collective::Barrier && kind < Collective::CommDup; }

template <class Handle>
std::uint32_t constant(Handle handle) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
}

const char* operation_name(std::uint8_t operation) {
  struct Row {
    MPI_Op handle;
    const char* name;
  };
  for (const Row& row :
       {Row{MPI_SUM, "MPI_SUM"}, Row{MPI_MIN, "MPI_MIN"}, Row{MPI_MAX, "MPI_MAX"}, Row{MPI_PROD, "MPI_PROD"},
        Row{MPI_BAND, "MPI_BAND"}, Row{MPI_BOR, "MPI_BOR"}, Row{MPI_BXOR, "MPI_BXOR"}, Row{MPI_LAND, "MPI_LAND"},
        Row{MPI_LOR, "MPI_LOR"}, Row{MPI_LXOR, "MPI_LXOR"}, Row{MPI_MINLOC, "MPI_MINLOC"},
        Row{MPI_MAXLOC, "MPI_MAXLOC"}, Row{MPI_REPLACE, "MPI_REPLACE"}, Row{MPI_NO_OP, "MPI_NO_OP"}}) {
    if (constant(row.handle) == operation) return row.name;
  }
  return "user-defined operation";
}

/// How a number of elements is told, for the datatypes that most programs use; null: others are told as bytes.
const char* elements_text(std::uint16_t type) {
  struct Row {
    MPI_Datatype handle;
    const char* text;
  };
  for (const Row& row :
       {Row{MPI_INT, "% x MPI_INT"}, Row{MPI_DOUBLE, "% x MPI_DOUBLE"}, Row{MPI_FLOAT, "% x MPI_FLOAT"},
        Row{MPI_LONG, "% x MPI_LONG"}, Row{MPI_CHAR, "% x MPI_CHAR"}, Row{MPI_BYTE, "% x MPI_BYTE"},
        Row{MPI_UNSIGNED, "% x MPI_UNSIGNED"}, Row{MPI_UNSIGNED_LONG, "% x MPI_UNSIGNED_LONG"},
        Row{MPI_INT32_T, "% x MPI_INT32_T"}, Row{MPI_INT64_T, "% x MPI_INT64_T"},
        Row{MPI_UINT32_T, "% x MPI_UINT32_T"}, Row{MPI_UINT64_T, "% x MPI_UINT64_T"},
        Row{MPI_LONG_LONG, "% x MPI_LONG_LONG"}, Row{MPI_SHORT, "% x MPI_SHORT"}}) {
    if (constant(row.handle) == type) return row.text;
  }
  return nullptr;
}

}  // namespace

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
  }
  if (has_operation(d.kind)) arguments.add(operation_name(d.operation));
}

std::string to_string(const CollectiveDescriptor& descriptor) {
  CallArguments arguments;
  add_arguments(arguments, descriptor);
  return arguments.text(collective_name(descriptor.kind));
}

}  // namespace tidings
