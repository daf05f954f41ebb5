// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file file.h
/// Files that ranks share. Each rank reads and writes by itself, as the operating system does it; ranks talk to each
/// other only to agree on what they all change, and for the shared file pointer, which is in a window of rank 0.
///
/// Only copies in memory are told as work (cost.h): what a disk takes, nobody says.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/datatype.h"
#include "core/error_handler.h"
#include "core/info.h"
#include "mpi/call.h"
#include "mpi/window.h"

namespace tidings {

/// An open file of the operating system.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~OpenFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Which bytes of a file a rank sees (MPI 5.0, section 14.3). Offsets are in elements of `etype`.
struct FileView {
  MPI_Offset displacement = 0;  ///< bytes before the first tile
  std::shared_ptr<Datatype> etype;
  std::shared_ptr<Datatype> filetype;  ///< a tile
  std::string representation = "native";

  [[nodiscard]] bool external() const { return representation == "external32"; }
  [[nodiscard]] MPI_Offset byte_of(MPI_Offset offset) const;
  /// First offset that is not before the end of a file of that many bytes.
  [[nodiscard]] MPI_Offset end(MPI_Offset file_bytes) const;
};

class File {
 public:
  /// A collective in two calls.
  struct Split {
    const char* name;  ///< of the call that ends it: "MPI_File_read_all_end"
    const void* buffer;
    std::size_t bytes;  ///< that were moved
  };

  File(Library& lib, std::shared_ptr<Window> window, OpenFile file, int mode, std::string name);

  [[nodiscard]] Communicator& communicator() const { return window_->communicator(); }
  [[nodiscard]] int mode() const { return mode_; }
  [[nodiscard]] bool may(int mode) const { return (mode_ & mode) != 0; }
  [[nodiscard]] MPI_Offset bytes() const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int descriptor() const { return file_.descriptor(); }

  /// All ranks are in the same call, and tell each other two numbers.
  std::vector<Collectives::Offer> meet(Collective kind, std::int64_t first = 0, std::int64_t second = 0);
  /// As meet() for numbers that must be equal everywhere.
  void agree(Collective kind, std::int64_t number, const char* what);

  /// Move elements from `offset` on; less than all of them at the file's end. @return bytes.
  std::size_t read(MPI_Offset offset, const Buffer& buffer);
  std::size_t write(MPI_Offset offset, const Buffer& buffer);
  /// Elements of the view that the buffer has room for. @throws Error unless it is a whole number.
  [[nodiscard]] MPI_Offset elements(const Buffer& buffer) const;

  /// The shared pointer as it was; it moves by `elements`.
  MPI_Offset advance_shared(MPI_Offset elements);
  /// Only rank 0 calls it, while no other rank can move the pointer.
  void set_shared(MPI_Offset offset);
  [[nodiscard]] MPI_Offset shared_at_rank_0() const;

  /// Within a collective call.
  void close(Call& call);

  FileView view;
  MPI_Offset position = 0;
  bool atomic = false;
  Info hints;
  std::shared_ptr<ErrorHandler> error_handler;
  std::optional<Split> split;

 private:
  template <class Move>
  std::size_t move(MPI_Offset offset, std::size_t bytes, Move move_piece);

  Library& lib_;
  std::shared_ptr<Window> window_;
  OpenFile file_;
  int mode_;
  std::string name_;
};

/// What a handle names; null if it names no open file.
[[nodiscard]] std::shared_ptr<File> find_file(MPI_File handle);
/// The handler of errors that belong to no open file.
[[nodiscard]] std::shared_ptr<ErrorHandler>& handler_of_no_file(const Library& lib);
/// What the operating system says. @param what could not be done.
[[nodiscard]] Error system_error(int number, const std::string& what);

/// As serve() for an open file: its error handler is called for errors.
template <class Body>
int serve_file(const char* name, MPI_File handle, Body body) {
  int raised = MPI_SUCCESS;
  const int outer = serve(name, [&](Library& lib, Call& call) {
    const std::shared_ptr<File> file = find_file(handle);
    try {
      if (file == nullptr) {
        throw Error(MPI_ERR_FILE, handle == MPI_FILE_NULL ? "the file is MPI_FILE_NULL" : "invalid file");
      }
      body(lib, call, *file);
    } catch (const Error& error) {
      const std::shared_ptr<const ErrorHandler> handler =
          file == nullptr ? handler_of_no_file(lib) : file->error_handler;
      raised = lib.raise(call, error, *handler, handle);
    }
  });
  return outer == MPI_SUCCESS ? raised : outer;
}

}  // namespace tidings
