// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file packing.cpp
/// Packing and unpacking.
#include "core/packing.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "core/external32.h"
#include "mpi/call.h"

using namespace tidings;

namespace {

/// A place of `size` bytes, of which those before `position` are taken.
template <class Count>
std::size_t checked_room(Count size, const Count* position, std::size_t bytes, const char* what) {
  if (position == nullptr)
    throw Error(MPI_ERR_ARG, "the position is a null pointer", "Give the address of the position.");
  if (size < 0) throw Error(MPI_ERR_COUNT, "the size is " + std::to_string(size));
  if (*position < 0 || *position > size || static_cast<std::size_t>(size - *position) < bytes) {
    throw Error(MPI_ERR_TRUNCATE,
                std::to_string(bytes) + " bytes from position " + std::to_string(*position) + " " + what + " " +
                    std::to_string(size),
                "Give a larger buffer: MPI_Pack_size tells how large.");
  }
  return static_cast<std::size_t>(*position);
}

constexpr const char* kDoNotFit = "do not fit into";
constexpr const char* kAreNotThere = "are more than the";

template <class Count>
int pack_into(const void* inbuf, Count incount, MPI_Datatype datatype, void* outbuf, Count outsize, Count* position,
              MPI_Comm comm) {
  return serve("MPI_Pack", comm, [&](Library& lib, Call&) {
    static_cast<void>(lib.communicator(comm));
    const Buffer buffer = lib.buffer(inbuf, incount, datatype);
    const std::size_t bytes = buffer.bytes();
    const std::size_t at = checked_room(outsize, position, bytes, kDoNotFit);
    pack(buffer, 0, bytes, static_cast<std::byte*>(outbuf) + at);
    *position = static_cast<Count>(at + bytes);
  });
}

template <class Count>
int unpack_from(const void* inbuf, Count insize, Count* position, void* outbuf, Count outcount, MPI_Datatype datatype,
                MPI_Comm comm) {
  return serve("MPI_Unpack", comm, [&](Library& lib, Call&) {
    static_cast<void>(lib.communicator(comm));
    const Buffer buffer = lib.buffer(outbuf, outcount, datatype);
    const std::size_t bytes = buffer.bytes();
    const std::size_t at = checked_room(insize, position, bytes, kAreNotThere);
    unpack(buffer, 0, static_cast<const std::byte*>(inbuf) + at, bytes);
    *position = static_cast<Count>(at + bytes);
  });
}

void check_representation(const char* name) {
  if (name == nullptr || std::strcmp(name, "external32") != 0) {
    throw Error(MPI_ERR_UNSUPPORTED_DATAREP, "the data representation is not \"external32\"", "Give \"external32\".");
  }
}

template <class Count, class Position>
int pack_external(const char* datarep, const void* inbuf, Count incount, MPI_Datatype datatype, void* outbuf,
                  Position outsize, Position* position) {
  return serve("MPI_Pack_external", [&](Library& lib, Call&) {
    check_representation(datarep);
    const Buffer buffer = lib.buffer(inbuf, incount, datatype);
    const std::size_t bytes = external_size(*buffer.type, buffer.count);
    const std::size_t at = checked_room(outsize, position, bytes, kDoNotFit);
    std::vector<std::byte> packed(buffer.bytes());
    pack(buffer, 0, packed.size(), packed.data());
    to_external(*buffer.type, buffer.count, packed.data(), static_cast<std::byte*>(outbuf) + at);
    *position = static_cast<Position>(at + bytes);
  });
}

template <class Count, class Position>
int unpack_external(const char* datarep, const void* inbuf, Position insize, Position* position, void* outbuf,
                    Count outcount, MPI_Datatype datatype) {
  return serve("MPI_Unpack_external", [&](Library& lib, Call&) {
    check_representation(datarep);
    const Buffer buffer = lib.buffer(outbuf, outcount, datatype);
    const std::size_t bytes = external_size(*buffer.type, buffer.count);
    const std::size_t at = checked_room(insize, position, bytes, kAreNotThere);
    std::vector<std::byte> packed(buffer.bytes());
    from_external(*buffer.type, buffer.count, static_cast<const std::byte*>(inbuf) + at, packed.data());
    unpack(buffer, 0, packed.data(), packed.size());
    *position = static_cast<Position>(at + bytes);
  });
}

/// A number of bytes as the program counts them.
template <class Count>
Count told(std::size_t bytes) {
  if (!std::in_range<Count>(bytes)) throw Error(MPI_ERR_VALUE_TOO_LARGE, std::to_string(bytes) + " bytes are too many");
  return static_cast<Count>(bytes);
}

template <class Count>
int pack_size(Count incount, MPI_Datatype datatype, MPI_Comm comm, Count* size) {
  return serve("MPI_Pack_size", comm, [&](Library& lib, Call&) {
    static_cast<void>(lib.communicator(comm));
    if (incount < 0) throw Error(MPI_ERR_COUNT, "the count is " + std::to_string(incount));
    *size = told<Count>(static_cast<std::size_t>(incount) * lib.committed_type(datatype)->size());
  });
}

template <class Count, class Size>
int pack_external_size(const char* datarep, Count incount, MPI_Datatype datatype, Size* size) {
  return serve("MPI_Pack_external_size", [&](Library& lib, Call&) {
    check_representation(datarep);
    if (incount < 0) throw Error(MPI_ERR_COUNT, "the count is " + std::to_string(incount));
    *size = told<Size>(external_size(*lib.committed_type(datatype), static_cast<std::size_t>(incount)));
  });
}

}  // namespace

int PMPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position,
              MPI_Comm comm) {
  return pack_into(inbuf, incount, datatype, outbuf, outsize, position, comm);
}

int PMPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
                MPI_Count* position, MPI_Comm comm) {
  return pack_into(inbuf, incount, datatype, outbuf, outsize, position, comm);
}

int PMPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype,
                MPI_Comm comm) {
  return unpack_from(inbuf, insize, position, outbuf, outcount, datatype, comm);
}

int PMPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
                  MPI_Datatype datatype, MPI_Comm comm) {
  return unpack_from(inbuf, insize, position, outbuf, outcount, datatype, comm);
}

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  return pack_size(incount, datatype, comm, size);
}

int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size) {
  return pack_size(incount, datatype, comm, size);
}

int PMPI_Pack_external(const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
                       MPI_Aint outsize, MPI_Aint* position) {
  return pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position);
}

int PMPI_Pack_external_c(const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
                         MPI_Count outsize, MPI_Count* position) {
  return pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position);
}

int PMPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
                         int outcount, MPI_Datatype datatype) {
  return unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype);
}

int PMPI_Unpack_external_c(const char datarep[], const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                           MPI_Count outcount, MPI_Datatype datatype) {
  return unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype);
}

int PMPI_Pack_external_size(const char* datarep, int incount, MPI_Datatype datatype, MPI_Aint* size) {
  return pack_external_size(datarep, incount, datatype, size);
}

int PMPI_Pack_external_size_c(const char* datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count* size) {
  return pack_external_size(datarep, incount, datatype, size);
}
