// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file file.cpp
/// Files: how they are opened, seen and closed, and what they have.
#include "mpi/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/external32.h"
#include "core/packing.h"
#include "mpi/communicators.h"
#include "mpi/error_handlers.h"
#include "mpi/text.h"
#include "mpi/types.h"

namespace tidings {

namespace {

HandleTable<File>& files() {
  static auto* const table = new HandleTable<File>;
  return *table;
}

/// A place in a file, as Datatype::visit() counts.
struct FilePlace {
  MPI_Offset byte;
  FilePlace operator+(std::size_t bytes) const { return {byte + static_cast<MPI_Offset>(bytes)}; }
  FilePlace operator+(std::ptrdiff_t bytes) const { return {byte + bytes}; }
};

/// Keeps others out of a piece of the file, while the file is in atomic mode.
class Lock {
 public:
  Lock(const File& file, short kind, MPI_Offset first, MPI_Offset bytes) : file_(file) {
    if (file.atomic && !set(kind, first, bytes)) throw system_error(errno, "lock of " + file.name());
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (file_.atomic) static_cast<void>(set(F_UNLCK, 0, 0));
  }

 private:
  [[nodiscard]] bool set(short kind, MPI_Offset first, MPI_Offset bytes) const {
    struct flock range{};
    range.l_type = kind;
    range.l_whence = SEEK_SET;
    range.l_start = first;
    range.l_len = bytes;
    int done = 0;
    do {
      done = fcntl(file_.descriptor(), F_SETLKW, &range);
    } while (done != 0 && errno == EINTR);
    return done == 0;
  }
  const File& file_;
};

int class_of(int number) {
  switch (number) {
    case ENOENT:
      return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
      return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
      return MPI_ERR_ACCESS;
    case EROFS:
      return MPI_ERR_READ_ONLY;
    case ENOSPC:
      return MPI_ERR_NO_SPACE;
    case EDQUOT:
      return MPI_ERR_QUOTA;
    case ETXTBSY:
      return MPI_ERR_FILE_IN_USE;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
      return MPI_ERR_BAD_FILE;
    default:
      return MPI_ERR_IO;
  }
}

}  // namespace

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Error system_error(int number, const std::string& what) {
  return {class_of(number), what + ": " + std::generic_category().message(number)};
}

std::shared_ptr<File> find_file(MPI_File handle) { return files().find(number(handle)); }

std::shared_ptr<ErrorHandler>& handler_of_no_file(const Library& lib) {
  static auto* const handler = new std::shared_ptr<ErrorHandler>(lib.error_handler(MPI_ERRORS_RETURN));
  return *handler;
}

MPI_Offset FileView::byte_of(MPI_Offset offset) const {
  if (filetype->size() == 0) return displacement;
  MPI_Offset byte = displacement;
  filetype->visit(FilePlace{displacement}, static_cast<std::size_t>(offset) * etype->size(), 1,
                  [&](FilePlace place, std::size_t) { byte = place.byte; });
  return byte;
}

MPI_Offset FileView::end(MPI_Offset file_bytes) const {
  const auto tile = static_cast<MPI_Offset>(filetype->size());
  const auto element = static_cast<MPI_Offset>(etype->size());
  const MPI_Offset left = file_bytes - displacement;
  if (left <= 0 || tile == 0 || element == 0) return 0;
  const auto extent = static_cast<MPI_Offset>(filetype->extent());
  const MPI_Offset tiles = left / extent;
  const MPI_Offset in_last = left % extent;
  MPI_Offset bytes = tiles * tile;
  for (const Segment& segment : filetype->segments()) {
    bytes += std::clamp<MPI_Offset>(in_last - segment.offset, 0, static_cast<MPI_Offset>(segment.bytes));
  }
  return (bytes + element - 1) / element;
}

File::File(Library& lib, std::shared_ptr<Window> window, OpenFile file, int mode, std::string name)
    : error_handler(handler_of_no_file(lib)),
      lib_(lib),
      window_(std::move(window)),
      file_(std::move(file)),
      mode_(mode),
      name_(std::move(name)) {
  view.etype = view.filetype = lib.type(MPI_BYTE);
}

MPI_Offset File::bytes() const {
  struct stat about{};
  if (fstat(descriptor(), &about) != 0) throw system_error(errno, "size of " + name_);
  return about.st_size;
}

std::vector<Collectives::Offer> File::meet(Collective kind, std::int64_t first, std::int64_t second) {
  return lib_.collectives().exchange(communicator(), kind, {.color = first, .key = second});
}

void File::agree(Collective kind, std::int64_t number, const char* what) {
  const auto all = meet(kind, number);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].color != all.front().color) {
      throw Error(MPI_ERR_NOT_SAME, std::string(what) + " is " + std::to_string(all.front().color) + " at rank 0 and " +
                                        std::to_string(all[rank].color) + " at rank " + std::to_string(rank) +
                                        " of the file");
    }
  }
}

MPI_Offset File::elements(const Buffer& buffer) const {
  const std::size_t element = view.etype->size();
  const std::size_t bytes = buffer.bytes();
  if (bytes == 0) return 0;
  if (element == 0 || bytes % element != 0) {
    throw Error(MPI_ERR_IO,
                std::to_string(bytes) + " bytes are no whole number of elements of the view, which have " +
                    std::to_string(element),
                "Move whole elements of the view's etype.");
  }
  if (view.external() && external_size(*buffer.type, buffer.count) != bytes) {
    throw Error(MPI_ERR_CONVERSION, "the datatype has another size in the representation external32");
  }
  return static_cast<MPI_Offset>(bytes / element);
}

template <class Move>
std::size_t File::move(MPI_Offset offset, std::size_t bytes, Move move_piece) {
  if (bytes == 0) return 0;
  if (view.filetype->size() == 0)
    throw Error(MPI_ERR_IO, "the view shows nothing of the file", "Give MPI_File_set_view a filetype that has data.");
  const std::size_t first = static_cast<std::size_t>(offset) * view.etype->size();
  std::size_t moved = 0;
  bool more = true;
  view.filetype->visit(FilePlace{view.displacement}, first, bytes, [&](FilePlace place, std::size_t piece) {
    while (more && piece > 0) {
      const ssize_t done = move_piece(moved, piece, place.byte);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw system_error(errno, name_);
      more = done > 0;
      moved += static_cast<std::size_t>(done);
      piece -= static_cast<std::size_t>(done);
      place.byte += done;
    }
  });
  return moved;
}

std::size_t File::read(MPI_Offset offset, const Buffer& buffer) {
  const std::size_t bytes = buffer.bytes();
  if (bytes == 0) return 0;
  const bool direct = buffer.type->is_contiguous() && !view.external();
  std::vector<std::byte> packed(direct ? 0 : bytes);
  std::byte* const to = direct ? static_cast<std::byte*>(buffer.base) : packed.data();
  const MPI_Offset first = view.byte_of(offset);
  const Lock lock(*this, F_RDLCK, first, 0);
  const std::size_t moved = move(offset, bytes, [&](std::size_t at, std::size_t piece, MPI_Offset place) {
    return pread(descriptor(), to + at, piece, place);
  });
  if (view.external()) {
    std::vector<std::byte> native(bytes);
    from_external(*buffer.type, moved / buffer.type->size(), packed.data(), native.data());
    packed = std::move(native);
  }
  if (!direct) unpack(buffer, 0, packed.data(), moved);
  return moved;
}

std::size_t File::write(MPI_Offset offset, const Buffer& buffer) {
  const std::size_t bytes = buffer.bytes();
  if (bytes == 0) return 0;
  const bool direct = buffer.type->is_contiguous() && !view.external();
  std::vector<std::byte> packed(direct ? 0 : bytes);
  if (!direct) pack(buffer, 0, bytes, packed.data());
  if (view.external()) {
    std::vector<std::byte> external(bytes);
    to_external(*buffer.type, buffer.count, packed.data(), external.data());
    packed = std::move(external);
  }
  const std::byte* const from = direct ? static_cast<const std::byte*>(buffer.base) : packed.data();
  const Lock lock(*this, F_WRLCK, view.byte_of(offset), 0);
  return move(offset, bytes, [&](std::size_t at, std::size_t piece, MPI_Offset place) {
    return pwrite(descriptor(), from + at, piece, place);
  });
}

MPI_Offset File::advance_shared(MPI_Offset elements) {
  const Datatype& offsets = *lib_.type(MPI_OFFSET);
  MPI_Offset before = 0;
  window_->get_accumulate({&elements, 1, &offsets}, {&before, 1, &offsets}, {0, 0, 1, &offsets},
                          *lib_.operation(MPI_SUM));
  window_->flush(0);
  return before;
}

void File::set_shared(MPI_Offset offset) { std::memcpy(window_->base(), &offset, sizeof offset); }

MPI_Offset File::shared_at_rank_0() const {
  MPI_Offset offset = 0;
  std::memcpy(&offset, window_->base(), sizeof offset);
  return offset;
}

void File::close(Call& call) {
  meet(Collective::FileClose);
  file_ = OpenFile();
  if (may(MPI_MODE_DELETE_ON_CLOSE) && communicator().rank() == 0) unlink(name_.c_str());
  window_->unlock_all();
  window_->drain(call);
}

}  // namespace tidings

using namespace tidings;

namespace {

/// As serve() for a call without an open file: the error handler of MPI_FILE_NULL is called for errors.
template <class Body>
int serve_without_file(const char* name, MPI_Comm comm, Body body) {
  int raised = MPI_SUCCESS;
  const int outer = serve(name, comm, [&](Library& lib, Call& call) {
    try {
      body(lib, call);
    } catch (const Error& error) {
      const std::shared_ptr<const ErrorHandler> handler = handler_of_no_file(lib);
      raised = lib.raise(call, error, *handler, MPI_FILE_NULL);
    }
  });
  return outer == MPI_SUCCESS ? raised : outer;
}

/// As serve_file() for a call that all ranks of the file make.
template <class Body>
int serve_collective(const char* name, MPI_File handle, Collective kind, Body body) {
  return serve_file(name, handle, [&](Library& lib, Call& call, File& file) {
    if (file.split)
      throw Error(MPI_ERR_IO, std::string(file.split->name) + " has not been called",
                  "Call it before the next collective access to the file.");
    begin_exchange(call, kind, file.communicator());
    body(lib, call, file);
  });
}

/// Serve a call about the error handler of a file, or of none: runs body(library, call, handler).
template <class Body>
int serve_handler(const char* name, MPI_File handle, Body body) {
  Library& lib = library();
  Call call(lib, name, MPI_COMM_WORLD);
  std::shared_ptr<ErrorHandler>* handler = &handler_of_no_file(lib);
  const std::shared_ptr<File> file = handle == MPI_FILE_NULL ? nullptr : find_file(handle);
  try {
    if (handle != MPI_FILE_NULL && file == nullptr) throw Error(MPI_ERR_FILE, "invalid file");
    if (file != nullptr) handler = &file->error_handler;
    body(lib, call, *handler);
    return MPI_SUCCESS;
  } catch (const Error& error) {
    const std::shared_ptr<const ErrorHandler> held = *handler;
    return lib.raise(call, error, *held, handle);
  }
}

/// The path in a file name, which may name a kind of file system in front.
std::string path_of(const char* filename) {
  if (filename == nullptr) throw Error(MPI_ERR_BAD_FILE, "the name is a null pointer");
  std::string_view path = filename;
  if (path.starts_with("ufs:")) path.remove_prefix(4);
  return std::string(path);
}

void check_mode(int mode) {
  const int access = mode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
  if (access != MPI_MODE_RDONLY && access != MPI_MODE_WRONLY && access != MPI_MODE_RDWR) {
    throw Error(MPI_ERR_AMODE, "the mode needs one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
  }
  if (access == MPI_MODE_RDONLY && (mode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0) {
    throw Error(MPI_ERR_AMODE, "a file to be made cannot be for reading only");
  }
  if (access == MPI_MODE_RDWR && (mode & MPI_MODE_SEQUENTIAL) != 0) {
    throw Error(MPI_ERR_AMODE, "a sequential file is either read or written");
  }
}

int system_flags(int mode) {
  int flags = O_CLOEXEC;
  flags |= (mode & MPI_MODE_RDONLY) != 0 ? O_RDONLY : (mode & MPI_MODE_WRONLY) != 0 ? O_WRONLY : O_RDWR;
  if ((mode & MPI_MODE_CREATE) != 0) flags |= O_CREAT;
  if ((mode & MPI_MODE_EXCL) != 0) flags |= O_EXCL;
  return flags;
}

/// Open for all ranks, or for none. @throws Error, the same at all ranks.
OpenFile open_everywhere(Library& lib, Communicator& communicator, const std::string& path, int mode) {
  constexpr mode_t kRights = 0666;
  const auto tell = [&](std::int64_t error) {
    return lib.collectives().exchange(communicator, Collective::FileOpen, {.color = error, .key = mode});
  };
  OpenFile file;
  const auto open_it = [&](int flags) -> std::int64_t {
    file = OpenFile(::open(path.c_str(), flags, kRights));
    return file.descriptor() < 0 ? errno : 0;
  };
  const auto refuse = [&](std::size_t rank, std::int64_t error) {
    if (error != 0) throw system_error(static_cast<int>(error), "rank " + std::to_string(rank) + ", " + path);
  };
  // Rank 0 makes the file; after that it is there for all.
  const auto first = tell(communicator.rank() == 0 ? open_it(system_flags(mode)) : 0);
  for (std::size_t rank = 0; rank < first.size(); ++rank) {
    if (first[rank].key != mode) {
      throw Error(MPI_ERR_NOT_SAME, "rank " + std::to_string(rank) + " opens the file with mode " +
                                        std::to_string(first[rank].key) + " and this rank with " +
                                        std::to_string(mode));
    }
  }
  refuse(0, first.front().color);
  const auto all = tell(communicator.rank() == 0 ? 0 : open_it(system_flags(mode) & ~(O_CREAT | O_EXCL)));
  for (std::size_t rank = 0; rank < all.size(); ++rank) refuse(rank, all[rank].color);
  return file;
}

/// A datatype for a view.
std::shared_ptr<Datatype> view_type(const Library& lib, MPI_Datatype handle, const char* what) {
  const auto& type = lib.committed_type(handle);
  MPI_Offset before = 0;
  for (const Segment& segment : type->segments()) {
    if (segment.offset < before) {
      throw Error(MPI_ERR_IO, std::string("the displacements of the ") + what + " are negative or do not ascend",
                  "Give a datatype whose displacements ascend from 0 on.");
    }
    before = segment.offset;
  }
  if (type->size() > 0 && type->extent() <= 0) {
    throw Error(MPI_ERR_ARG,
                std::string("the extent of the ") + what + " is " + std::to_string(type->extent()) +
                    ": its tiles would not follow one another",
                "Make it with MPI_Type_create_resized as long as its data.");
  }
  return type;
}

/// Data representations: the standard's, and those of the program.
std::vector<std::string>& representations() {
  static auto* const names = new std::vector<std::string>{"native", "internal", "external32"};
  return *names;
}

bool is_known(const std::string& representation) {
  const auto& known = representations();
  return std::find(known.begin(), known.end(), representation) != known.end();
}

void check_representation(const char* name) {
  if (name == nullptr)
    throw Error(MPI_ERR_ARG, "the data representation is a null pointer", "Give native, internal or external32.");
  if (is_known(name)) return;
  throw Error(
      MPI_ERR_UNSUPPORTED_DATAREP,
      std::string("there is no data representation \"") + name + "\": there are native, internal and external32",
      "Give one of them.");
}

int register_representation(const char* name, bool is_native) {
  return serve_without_file("MPI_Register_datarep", MPI_COMM_WORLD, [&](Library&, Call&) {
    if (name == nullptr || std::strlen(name) >= MPI_MAX_DATAREP_STRING) {
      throw Error(MPI_ERR_ARG, "the name of the data representation is a null pointer or too long",
                  "Give native, internal or external32.");
    }
    if (is_known(name)) {
      throw Error(MPI_ERR_DUP_DATAREP, std::string("there is a data representation \"") + name + "\" already");
    }
    if (!is_native) {
      throw Error(MPI_ERR_CONVERSION, "the program's conversion functions are never called");
    }
    representations().emplace_back(name);
  });
}

/// The program's handle of a type of the view, which it frees unless the type is predefined.
MPI_Datatype handle_of(Library& lib, const std::shared_ptr<Datatype>& type) {
  if (type->predefined()) return as_handle<MPI_Datatype>(type->handle());
  Datatype copy = Datatype::duplicate(*type);
  copy.set_recipe({MPI_COMBINER_DUP, {}, {}, {}, {type}});
  return add_type(lib, std::move(copy));
}

template <class Extent>
int get_type_extent(MPI_File fh, MPI_Datatype datatype, Extent* extent) {
  return serve_file("MPI_File_get_type_extent", fh,
                    [&](Library& lib, Call&, File&) { *extent = lib.type(datatype)->extent(); });
}

void refuse_sequential(const File& file) {
  if (file.may(MPI_MODE_SEQUENTIAL)) {
    throw Error(MPI_ERR_UNSUPPORTED_OPERATION, "the file was opened with MPI_MODE_SEQUENTIAL",
                "Open it without this mode.");
  }
}

/// Where a seek ends. @param from the pointer as it is.
MPI_Offset target_of(const File& file, MPI_Offset from, MPI_Offset offset, int whence) {
  MPI_Offset base = 0;
  if (whence == MPI_SEEK_CUR) {
    base = from;
  } else if (whence == MPI_SEEK_END) {
    base = file.view.end(file.bytes());
  } else if (whence != MPI_SEEK_SET) {
    throw Error(MPI_ERR_ARG, "whence is " + std::to_string(whence), "Give MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END.");
  }
  if (base + offset < 0)
    throw Error(MPI_ERR_ARG, "the pointer would be " + std::to_string(base + offset),
                "Give an offset that does not lead before the file's begin.");
  return base + offset;
}

/// Change the file's size at rank 0; all ranks know how that went.
template <class Change>
void change_size(File& file, Collective kind, MPI_Offset size, Change change) {
  if (size < 0) throw Error(MPI_ERR_ARG, "the size is " + std::to_string(size), "Give a size that is not negative.");
  file.agree(kind, size, "the size");
  const std::int64_t error = file.communicator().rank() == 0 ? change(file.descriptor()) : 0;
  const auto all = file.meet(kind, error);
  if (all.front().color != 0) throw system_error(static_cast<int>(all.front().color), file.name());
}

}  // namespace

int PMPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  return serve_without_file("MPI_File_open", comm, [&](Library& lib, Call& call) {
    const std::string path = path_of(filename);
    check_mode(amode);
    const bool first = lib.communicator(comm)->rank() == 0;
    const auto window = make_window(lib, call, Collective::FileOpen, "communicator % (from MPI_File_open)", comm,
                                    allocate(MPI_WIN_FLAVOR_ALLOCATE, first ? sizeof(MPI_Offset) : 0, 1));
    std::shared_ptr<File> file;
    try {
      OpenFile opened = open_everywhere(lib, window->communicator(), path, amode);
      file = std::make_shared<File>(lib, window, std::move(opened), amode, path);
    } catch (const Error&) {
      window->drain(call);
      throw;
    }
    if (info != MPI_INFO_NULL) file->hints = *lib.info(info);
    if ((amode & MPI_MODE_APPEND) != 0) file->position = file->bytes();
    if (first) file->set_shared(file->position);
    file->meet(Collective::FileOpen);
    window->lock_all(false);
    *fh = as_handle<MPI_File>(files().add(std::move(file)));
  });
}

int PMPI_File_close(MPI_File* fh) {
  return serve_collective("MPI_File_close", *fh, Collective::FileClose, [&](Library&, Call& call, File& file) {
    file.close(call);
    files().remove(number(*fh));
    *fh = MPI_FILE_NULL;
  });
}

int PMPI_File_delete(const char* filename, MPI_Info /*info*/) {
  return serve_without_file("MPI_File_delete", MPI_COMM_WORLD, [&](Library&, Call&) {
    const std::string path = path_of(filename);
    if (unlink(path.c_str()) != 0) throw system_error(errno, path);
  });
}

int PMPI_File_set_size(MPI_File fh, MPI_Offset size) {
  return serve_collective("MPI_File_set_size", fh, Collective::FileSetSize, [&](Library&, Call&, File& file) {
    change_size(file, Collective::FileSetSize, size,
                [&](int descriptor) { return ftruncate(descriptor, size) == 0 ? 0 : errno; });
  });
}

int PMPI_File_preallocate(MPI_File fh, MPI_Offset size) {
  return serve_collective("MPI_File_preallocate", fh, Collective::FilePreallocate, [&](Library&, Call&, File& file) {
    change_size(file, Collective::FilePreallocate, size,
                [&](int descriptor) { return size == 0 ? 0 : posix_fallocate(descriptor, 0, size); });
  });
}

int PMPI_File_get_size(MPI_File fh, MPI_Offset* size) {
  return serve_file("MPI_File_get_size", fh, [&](Library&, Call&, File& file) { *size = file.bytes(); });
}

int PMPI_File_get_group(MPI_File fh, MPI_Group* group) {
  return serve_file("MPI_File_get_group", fh, [&](Library& lib, Call&, File& file) {
    *group = as_handle<MPI_Group>(lib.groups.add(file.communicator().group()));
  });
}

int PMPI_File_get_amode(MPI_File fh, int* amode) {
  return serve_file("MPI_File_get_amode", fh, [&](Library&, Call&, File& file) { *amode = file.mode(); });
}

int PMPI_File_set_info(MPI_File fh, MPI_Info info) {
  return serve_collective("MPI_File_set_info", fh, Collective::FileSetInfo, [&](Library& lib, Call&, File& file) {
    file.meet(Collective::FileSetInfo);
    if (info != MPI_INFO_NULL) file.hints = *lib.info(info);
  });
}

int PMPI_File_get_info(MPI_File fh, MPI_Info* info_used) {
  return serve_file("MPI_File_get_info", fh, [&](Library& lib, Call&, File& file) {
    *info_used = as_handle<MPI_Info>(lib.infos.add(std::make_shared<Info>(file.hints)));
  });
}

int PMPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
                       MPI_Info info) {
  return serve_collective("MPI_File_set_view", fh, Collective::FileSetView, [&](Library& lib, Call&, File& file) {
    check_representation(datarep);
    FileView view{disp, view_type(lib, etype, "etype"), view_type(lib, filetype, "filetype"), datarep};
    if (disp == MPI_DISPLACEMENT_CURRENT) {
      if (!file.may(MPI_MODE_SEQUENTIAL)) {
        throw Error(MPI_ERR_ARG, "MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL",
                    "Give the displacement in bytes.");
      }
      view.displacement = file.view.byte_of(file.advance_shared(0));
    } else if (disp < 0) {
      throw Error(MPI_ERR_ARG, "the displacement is " + std::to_string(disp),
                  "Give a displacement that is not negative.");
    }
    const std::size_t element = view.etype->size();
    if (element == 0 || view.filetype->size() % element != 0) {
      throw Error(MPI_ERR_ARG, "the filetype is not made of whole elements of the etype",
                  "Make the filetype of the etype.");
    }
    if (view.external() && external_size(*view.etype, 1) != element) {
      throw Error(MPI_ERR_CONVERSION, "the etype has another size in the representation external32");
    }
    file.agree(Collective::FileSetView, static_cast<std::int64_t>(element), "the size of the etype");
    file.view = std::move(view);
    file.position = 0;
    if (info != MPI_INFO_NULL) file.hints = *lib.info(info);
    if (file.communicator().rank() == 0) file.set_shared(0);
    file.meet(Collective::FileSetView);
  });
}

int PMPI_File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep) {
  return serve_file("MPI_File_get_view", fh, [&](Library& lib, Call&, File& file) {
    *disp = file.view.displacement;
    *etype = handle_of(lib, file.view.etype);
    *filetype = handle_of(lib, file.view.filetype);
    copy_text(file.view.representation, datarep, MPI_MAX_DATAREP_STRING);
  });
}

int PMPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
  return get_type_extent(fh, datatype, extent);
}

int PMPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent) {
  return get_type_extent(fh, datatype, extent);
}

int PMPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
  return serve_file("MPI_File_seek", fh, [&](Library&, Call&, File& file) {
    refuse_sequential(file);
    file.position = target_of(file, file.position, offset, whence);
  });
}

int PMPI_File_get_position(MPI_File fh, MPI_Offset* offset) {
  return serve_file("MPI_File_get_position", fh, [&](Library&, Call&, File& file) {
    refuse_sequential(file);
    *offset = file.position;
  });
}

int PMPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
  return serve_file("MPI_File_get_byte_offset", fh, [&](Library&, Call&, File& file) {
    refuse_sequential(file);
    if (offset < 0)
      throw Error(MPI_ERR_ARG, "the offset is " + std::to_string(offset), "Give an offset that is not negative.");
    *disp = file.view.byte_of(offset);
  });
}

int PMPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  return serve_collective("MPI_File_seek_shared", fh, Collective::FileSeekShared, [&](Library&, Call&, File& file) {
    refuse_sequential(file);
    file.agree(Collective::FileSeekShared, offset, "the offset");
    // Rank 0 finds out where the pointer is to be, and whether it may.
    MPI_Offset target = 0;
    if (file.communicator().rank() == 0) {
      try {
        target = target_of(file, file.shared_at_rank_0(), offset, whence);
        file.set_shared(target);
      } catch (const Error&) {
        target = -1;
      }
    }
    const auto all = file.meet(Collective::FileSeekShared, target);
    if (all.front().color < 0) {
      throw Error(MPI_ERR_ARG,
                  "offset " + std::to_string(offset) + " with whence " + std::to_string(whence) +
                      " is before the file's begin or is none",
                  "Give MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END, and an offset that leads into the file.");
    }
  });
}

int PMPI_File_get_position_shared(MPI_File fh, MPI_Offset* offset) {
  return serve_file("MPI_File_get_position_shared", fh, [&](Library&, Call& call, File& file) {
    refuse_sequential(file);
    call.begin();
    *offset = file.advance_shared(0);
  });
}

int PMPI_File_set_atomicity(MPI_File fh, int flag) {
  return serve_collective("MPI_File_set_atomicity", fh, Collective::FileSetAtomicity, [&](Library&, Call&, File& file) {
    file.agree(Collective::FileSetAtomicity, flag != 0 ? 1 : 0, "the flag");
    file.atomic = flag != 0;
  });
}

int PMPI_File_get_atomicity(MPI_File fh, int* flag) {
  return serve_file("MPI_File_get_atomicity", fh, [&](Library&, Call&, File& file) { *flag = file.atomic ? 1 : 0; });
}

int PMPI_File_sync(MPI_File fh) {
  return serve_collective("MPI_File_sync", fh, Collective::FileSync, [&](Library&, Call&, File& file) {
    if (!file.may(MPI_MODE_RDONLY) && fsync(file.descriptor()) != 0 && errno != EINVAL) {
      throw system_error(errno, file.name());
    }
    file.meet(Collective::FileSync);
  });
}

int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  return serve_handler("MPI_File_set_errhandler", file,
                       [&](Library& lib, Call&, std::shared_ptr<ErrorHandler>& handler) {
                         handler = handler_for(lib, Object::File, errhandler);
                       });
}

int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
  return serve_handler(
      "MPI_File_get_errhandler", file,
      [&](Library& lib, Call&, std::shared_ptr<ErrorHandler>& handler) { *errhandler = hand_out(lib, handler); });
}

int PMPI_File_call_errhandler(MPI_File fh, int errorcode) {
  return serve_handler("MPI_File_call_errhandler", fh,
                       [&](Library& lib, Call& call, std::shared_ptr<ErrorHandler>& handler) {
                         const std::shared_ptr<const ErrorHandler> held = handler;
                         lib.raise(call, Error(errorcode, error_class_text(errorcode), ""), *held, fh);
                       });
}

int PMPI_Register_datarep(const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn,
                          MPI_Datarep_conversion_function* write_conversion_fn,
                          MPI_Datarep_extent_function* /*dtype_file_extent_fn*/, void* /*extra_state*/) {
  return register_representation(datarep, read_conversion_fn == nullptr && write_conversion_fn == nullptr);
}

int PMPI_Register_datarep_c(const char* datarep, MPI_Datarep_conversion_function_c* read_conversion_fn,
                            MPI_Datarep_conversion_function_c* write_conversion_fn,
                            MPI_Datarep_extent_function* /*dtype_file_extent_fn*/, void* /*extra_state*/) {
  return register_representation(datarep, read_conversion_fn == nullptr && write_conversion_fn == nullptr);
}
