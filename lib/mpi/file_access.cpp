// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file file_access.cpp
/// Files: how they are read and written.
///
/// An access has been made when its call returns, also if it is a nonblocking or a split one.
#include <algorithm>
#include <limits>
#include <numeric>

#include "mpi/communicators.h"
#include "mpi/file.h"
#include "mpi/messages.h"

using namespace tidings;

namespace {

/// Elements in the program's memory.
struct Elements {
  const void* address;
  MPI_Count count;
  MPI_Datatype type;
};

/// What an access does, with the names of its call.
struct Access {
  const char* name;
  bool writes;
  const char* end = nullptr;  ///< of a split collective: the call that ends it
};

constexpr bool kRead = false;
constexpr bool kWrite = true;

/// A nonblocking access, which is over.
class Accessed final : public RequestExtra {
 public:
  explicit Accessed(std::size_t bytes) : bytes_(bytes) {}
  int finish(const Request& /*request*/, MPI_Status* status) override {
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, bytes_);
    return MPI_SUCCESS;
  }

 private:
  std::size_t bytes_;
};

/// The access at an offset, with all its checks. @return bytes that were moved.
std::size_t access(File& file, bool writes, MPI_Offset offset, const Buffer& buffer) {
  if (offset < 0)
    throw Error(MPI_ERR_ARG, "the offset is " + std::to_string(offset), "Give an offset that is not negative.");
  return writes ? file.write(offset, buffer) : file.read(offset, buffer);
}

Collective ordered(bool writes) { return writes ? Collective::FileWriteOrdered : Collective::FileReadOrdered; }

/// The buffer of an access that the file allows.
Buffer checked(const Library& lib, const File& file, bool writes, bool own, const Elements& elements) {
  if (writes && file.may(MPI_MODE_RDONLY)) throw Error(MPI_ERR_READ_ONLY, "the file was opened with MPI_MODE_RDONLY");
  if (!writes && file.may(MPI_MODE_WRONLY)) throw Error(MPI_ERR_ACCESS, "the file was opened with MPI_MODE_WRONLY");
  if (own && file.may(MPI_MODE_SEQUENTIAL)) {
    throw Error(MPI_ERR_UNSUPPORTED_OPERATION, "the file was opened with MPI_MODE_SEQUENTIAL",
                "Open it without this mode.");
  }
  const Buffer buffer = lib.buffer(elements.address, elements.count, elements.type);
  static_cast<void>(file.elements(buffer));
  return buffer;
}

/// As MPI counts, the pointer moves by what was asked for, even if the file ends before.
std::size_t at_pointer(File& file, bool writes, const Buffer& buffer) {
  const MPI_Offset offset = file.position;
  const std::size_t moved = access(file, writes, offset, buffer);
  file.position = offset + file.elements(buffer);
  return moved;
}

std::size_t at_shared(File& file, bool writes, const Buffer& buffer) {
  const MPI_Offset elements = file.elements(buffer);
  return access(file, writes, file.advance_shared(elements), buffer);
}

/// All ranks, one behind the other in the order of their ranks.
std::size_t in_order(File& file, bool writes, const Buffer& buffer) {
  const Collective kind = ordered(writes);
  const bool first = file.communicator().rank() == 0;
  const auto all = file.meet(kind, file.elements(buffer), first ? file.shared_at_rank_0() : 0);
  const auto sum = [](MPI_Offset so_far, const Collectives::Offer& one) { return so_far + one.color; };
  const MPI_Offset start = all.front().key;
  if (first) file.set_shared(std::accumulate(all.begin(), all.end(), start, sum));
  file.meet(kind);  // the pointer has its new place
  return access(file, writes, std::accumulate(all.begin(), all.begin() + file.communicator().rank(), start, sum),
                buffer);
}

enum class Pointer { Own, Shared, Ordered };

/// Where an access is: at an offset of its own, or at a pointer.
struct Where {
  Pointer pointer = Pointer::Own;
  const MPI_Offset* offset = nullptr;
};

std::size_t move_elements(const Library& lib, Call& call, File& file, const Access& what, const Where& where,
                          const Elements& elements) {
  const Buffer buffer = checked(lib, file, what.writes, where.pointer == Pointer::Own, elements);
  if (where.pointer == Pointer::Ordered) {
    begin_exchange(call, ordered(what.writes), file.communicator());
    tidings_trace_bytes(buffer.bytes());
    return in_order(file, what.writes, buffer);
  }
  call.begin(buffer.bytes());
  if (where.offset != nullptr) return access(file, what.writes, *where.offset, buffer);
  return where.pointer == Pointer::Own ? at_pointer(file, what.writes, buffer) : at_shared(file, what.writes, buffer);
}

/// A call that returns a status.
int now(const Access& what, MPI_File fh, const Where& where, const Elements& elements, MPI_Status* status) {
  return serve_file(what.name, fh, [&](Library& lib, Call& call, File& file) {
    const std::size_t moved = move_elements(lib, call, file, what, where, elements);
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, moved);
  });
}

/// A call that returns a request.
int later(const Access& what, MPI_File fh, const Where& where, const Elements& elements, MPI_Request* request) {
  return serve_file(what.name, fh, [&](Library& lib, Call& call, File& file) {
    const std::size_t moved = move_elements(lib, call, file, what, where, elements);
    auto made = RequestPointer::make();
    made->complete = true;
    *request = hand_out(lib, std::make_unique<Accessed>(moved), std::move(made));
  });
}

/// First half of a collective in two calls.
int begin(const Access& what, MPI_File fh, const Where& where, const Elements& elements) {
  return serve_file(what.name, fh, [&](Library& lib, Call& call, File& file) {
    if (file.split)
      throw Error(MPI_ERR_IO, std::string(file.split->name) + " has not been called",
                  "Call it before the next collective access to the file.");
    const std::size_t moved = move_elements(lib, call, file, what, where, elements);
    file.split = File::Split{what.end, elements.address, moved};
  });
}

/// Second half.
int end(const char* name, MPI_File fh, const void* buffer, MPI_Status* status) {
  return serve_file(name, fh, [&](Library&, Call&, File& file) {
    if (!file.split)
      throw Error(MPI_ERR_IO, "no access that this call ends has begun",
                  "Call the function of this name that ends in _begin before.");
    if (std::string_view(file.split->name) != name) {
      throw Error(MPI_ERR_IO, std::string("the access that has begun ends with ") + file.split->name,
                  "Call that function first.");
    }
    if (file.split->buffer != buffer)
      throw Error(MPI_ERR_ARG, "the access began with another buffer", "Give the buffer with which it began.");
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, file.split->bytes);
    file.split.reset();
  });
}

}  // namespace

int PMPI_File_read_at_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Status* status) {
  return now({"MPI_File_read_at", kRead}, fh, {.offset = &offset}, {buf, count, datatype}, status);
}

int PMPI_File_iread_at_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                         MPI_Request* request) {
  return later({"MPI_File_iread_at", kRead}, fh, {.offset = &offset}, {buf, count, datatype}, request);
}

int PMPI_File_read_at_all_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Status* status) {
  return now({"MPI_File_read_at_all", kRead}, fh, {.offset = &offset}, {buf, count, datatype}, status);
}

int PMPI_File_iread_at_all_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                             MPI_Request* request) {
  return later({"MPI_File_iread_at_all", kRead}, fh, {.offset = &offset}, {buf, count, datatype}, request);
}

int PMPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin({"MPI_File_read_at_all_begin", kRead, "MPI_File_read_at_all_end"}, fh, {.offset = &offset},
               {buf, count, datatype});
}

int PMPI_File_read_at_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  return end("MPI_File_read_at_all_end", fh, buf, status);
}

int PMPI_File_read_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return now({"MPI_File_read", kRead}, fh, {}, {buf, count, datatype}, status);
}

int PMPI_File_iread_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return later({"MPI_File_iread", kRead}, fh, {}, {buf, count, datatype}, request);
}

int PMPI_File_read_all_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return now({"MPI_File_read_all", kRead}, fh, {}, {buf, count, datatype}, status);
}

int PMPI_File_iread_all_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return later({"MPI_File_iread_all", kRead}, fh, {}, {buf, count, datatype}, request);
}

int PMPI_File_read_all_begin_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin({"MPI_File_read_all_begin", kRead, "MPI_File_read_all_end"}, fh, {}, {buf, count, datatype});
}

int PMPI_File_read_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  return end("MPI_File_read_all_end", fh, buf, status);
}

int PMPI_File_read_shared_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return now({"MPI_File_read_shared", kRead}, fh, {.pointer = Pointer::Shared}, {buf, count, datatype}, status);
}

int PMPI_File_iread_shared_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return later({"MPI_File_iread_shared", kRead}, fh, {.pointer = Pointer::Shared}, {buf, count, datatype}, request);
}

int PMPI_File_read_ordered_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return now({"MPI_File_read_ordered", kRead}, fh, {.pointer = Pointer::Ordered}, {buf, count, datatype}, status);
}

int PMPI_File_read_ordered_begin_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin({"MPI_File_read_ordered_begin", kRead, "MPI_File_read_ordered_end"}, fh, {.pointer = Pointer::Ordered},
               {buf, count, datatype});
}

int PMPI_File_read_ordered_end(MPI_File fh, void* buf, MPI_Status* status) {
  return end("MPI_File_read_ordered_end", fh, buf, status);
}

int PMPI_File_write_at_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                         MPI_Status* status) {
  return now({"MPI_File_write_at", kWrite}, fh, {.offset = &offset}, {buf, count, datatype}, status);
}

int PMPI_File_iwrite_at_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                          MPI_Request* request) {
  return later({"MPI_File_iwrite_at", kWrite}, fh, {.offset = &offset}, {buf, count, datatype}, request);
}

int PMPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                             MPI_Status* status) {
  return now({"MPI_File_write_at_all", kWrite}, fh, {.offset = &offset}, {buf, count, datatype}, status);
}

int PMPI_File_iwrite_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                              MPI_Request* request) {
  return later({"MPI_File_iwrite_at_all", kWrite}, fh, {.offset = &offset}, {buf, count, datatype}, request);
}

int PMPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count,
                                   MPI_Datatype datatype) {
  return begin({"MPI_File_write_at_all_begin", kWrite, "MPI_File_write_at_all_end"}, fh, {.offset = &offset},
               {buf, count, datatype});
}

int PMPI_File_write_at_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return end("MPI_File_write_at_all_end", fh, buf, status);
}

int PMPI_File_write_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return now({"MPI_File_write", kWrite}, fh, {}, {buf, count, datatype}, status);
}

int PMPI_File_iwrite_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return later({"MPI_File_iwrite", kWrite}, fh, {}, {buf, count, datatype}, request);
}

int PMPI_File_write_all_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return now({"MPI_File_write_all", kWrite}, fh, {}, {buf, count, datatype}, status);
}

int PMPI_File_iwrite_all_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return later({"MPI_File_iwrite_all", kWrite}, fh, {}, {buf, count, datatype}, request);
}

int PMPI_File_write_all_begin_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin({"MPI_File_write_all_begin", kWrite, "MPI_File_write_all_end"}, fh, {}, {buf, count, datatype});
}

int PMPI_File_write_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return end("MPI_File_write_all_end", fh, buf, status);
}

int PMPI_File_write_shared_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return now({"MPI_File_write_shared", kWrite}, fh, {.pointer = Pointer::Shared}, {buf, count, datatype}, status);
}

int PMPI_File_iwrite_shared_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype,
                              MPI_Request* request) {
  return later({"MPI_File_iwrite_shared", kWrite}, fh, {.pointer = Pointer::Shared}, {buf, count, datatype}, request);
}

int PMPI_File_write_ordered_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype,
                              MPI_Status* status) {
  return now({"MPI_File_write_ordered", kWrite}, fh, {.pointer = Pointer::Ordered}, {buf, count, datatype}, status);
}

int PMPI_File_write_ordered_begin_c(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin({"MPI_File_write_ordered_begin", kWrite, "MPI_File_write_ordered_end"}, fh,
               {.pointer = Pointer::Ordered}, {buf, count, datatype});
}

int PMPI_File_write_ordered_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return end("MPI_File_write_ordered_end", fh, buf, status);
}
