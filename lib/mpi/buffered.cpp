// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file buffered.cpp
/// Buffered sends: the message is copied into memory that the program has attached.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/activities.h"
#include "core/packing.h"
#include "mpi/persistent.h"
#include "mpi/sessions.h"

using namespace tidings;

namespace {

/// Memory for messages that have not left yet.
class SendBuffer {
 public:
  SendBuffer(void* base, std::size_t bytes) : base_(static_cast<std::byte*>(base)), bytes_(bytes) {}

  /// The library allocates as it needs.
  [[nodiscard]] bool automatic() const { return base_ == static_cast<void*>(MPI_BUFFER_AUTOMATIC); }
  [[nodiscard]] void* base() const { return base_; }
  [[nodiscard]] std::size_t bytes() const { return automatic() ? 0 : bytes_; }

  /// Send a copy of what `original` describes.
  void send(Library& lib, const Request& original) {
    reclaim();
    const std::size_t bytes = original.buffer.bytes();
    Piece piece = automatic() ? Piece{0, bytes, std::make_unique<std::byte[]>(std::max<std::size_t>(bytes, 1)), {}}
                              : find_room(lib, bytes);
    std::byte* const memory = automatic() ? piece.own.get() : base_ + piece.offset;
    pack(original.buffer, 0, bytes, memory);
    auto copy = RequestPointer::make();
    copy->kind = Request::Kind::Send;
    copy->communicator = original.communicator;
    copy->buffer = {memory, bytes, &lib.bytes()};
    copy->peer = original.peer;
    copy->tag = original.tag;
    copy->context = original.context;
    copy->extra = std::make_unique<RequestExtra>();
    piece.request = copy;
    const auto place =
        std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& other) { return other.offset > piece.offset; });
    pieces_.insert(place, std::move(piece));
    lib.messages().start(copy);
  }

  /// Messages that have not left.
  [[nodiscard]] std::vector<RequestPointer> pending() {
    reclaim();
    std::vector<RequestPointer> requests;
    for (const Piece& piece : pieces_) requests.push_back(piece.request);
    return requests;
  }

  /// Block until all have left.
  void flush(Library& lib) {
    lib.messages().wait(
        [this] {
          reclaim();
          return pieces_.empty();
        },
        [this] { return describe(*pieces_.front().request); });
  }

 private:
  struct Piece {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    std::unique_ptr<std::byte[]> own;  ///< of an automatic buffer
    RequestPointer request;
  };

  void reclaim() {
    std::erase_if(pieces_, [](const Piece& piece) { return piece.request->complete; });
  }

  Piece find_room(Library& lib, std::size_t bytes) {
    const std::size_t needed = bytes + MPI_BSEND_OVERHEAD;
    std::size_t largest = 0;
    for (int attempt = 0; attempt < 2; ++attempt) {
      std::size_t start = 0;
      largest = 0;
      for (std::size_t i = 0; i <= pieces_.size(); ++i) {
        const std::size_t end = i < pieces_.size() ? pieces_[i].offset : bytes_;
        if (end - start >= needed) return {start, needed, nullptr, {}};
        largest = std::max(largest, end - start);
        if (i < pieces_.size()) start = pieces_[i].offset + pieces_[i].bytes;
      }
      lib.messages().poll();
      reclaim();
    }
    throw Error(MPI_ERR_BUFFER,
                "the message needs " + std::to_string(needed) + " bytes (with MPI_BSEND_OVERHEAD) of " +
                    "the attached buffer, which has " + std::to_string(largest) + " free in one piece",
                "Attach a larger one, or call MPI_Buffer_flush before.");
  }

  std::byte* base_;
  std::size_t bytes_;
  std::vector<Piece> pieces_;  ///< lowest offset first
};

/// The buffers that the program has attached: one of the process, and those of communicators and sessions.
class SendBuffers {
 public:
  static SendBuffers& all() {
    static auto* const instance = new SendBuffers;
    return *instance;
  }

  /// @param owner a communicator or session; null: the process.
  std::unique_ptr<SendBuffer>& of(const void* owner) { return buffers_[owner]; }
  /// Its buffers may serve from now on, until the session ends.
  void know(Session& session) {
    if (session.before_finalize != nullptr) return;
    session.before_finalize = [](Library& lib, const Session& ends) { all().forget(lib, ends); };
    sessions_.push_back(&session);
  }
  /// The buffer that a send uses: that of the communicator, of the process, or of a session. Which session a
  /// communicator comes from is not known, so the first one that has a buffer serves. @throws Error if there is none.
  SendBuffer& for_send(const Communicator* communicator) {
    for (const Communicator* const owner : {communicator, static_cast<const Communicator*>(nullptr)}) {
      const auto found = buffers_.find(owner);
      if (found != buffers_.end() && found->second != nullptr) return *found->second;
    }
    for (const Session* const session : sessions_) {
      const auto found = buffers_.find(session);
      if (found != buffers_.end() && found->second != nullptr) return *found->second;
    }
    throw Error(MPI_ERR_BUFFER, "no buffer is attached", "Call MPI_Buffer_attach before a buffered send.");
  }
  void flush(Library& lib) {
    for (const auto& [owner, buffer] : buffers_) {
      if (buffer != nullptr) buffer->flush(lib);
    }
  }

 private:
  void forget(Library& lib, const Session& session) {
    std::erase(sessions_, &session);
    if (const auto& buffer = of(&session)) buffer->flush(lib);
    buffers_.erase(&session);
  }

  std::map<const void*, std::unique_ptr<SendBuffer>> buffers_;
  std::vector<const Session*> sessions_;  ///< that have had one, the first first
};

void flush_all(Library& lib) { SendBuffers::all().flush(lib); }

/// Whose buffer a call means: a communicator's, a session's, or the one of the process.
using Owner = std::variant<std::monostate, MPI_Comm, MPI_Session>;
constexpr Owner kProcess{};

/// As serve() for the buffer of an owner: body(library, call, buffer).
template <class Body>
int serve_buffer(const char* name, const Owner& owner, Body body) {
  if (const auto* const session = std::get_if<MPI_Session>(&owner)) {
    return serve_session(name, *session, [&](Library& lib, Call& call, Session& found) {
      SendBuffers::all().know(found);
      body(lib, call, SendBuffers::all().of(&found));
    });
  }
  const auto* const comm = std::get_if<MPI_Comm>(&owner);
  return serve(name, comm == nullptr ? MPI_COMM_WORLD : *comm, [&](Library& lib, Call& call) {
    body(lib, call, SendBuffers::all().of(comm == nullptr ? nullptr : lib.communicator(*comm).get()));
  });
}

int attach_buffer(const char* name, const Owner& owner, void* buffer, MPI_Count size) {
  return serve_buffer(name, owner, [&](Library& lib, Call&, std::unique_ptr<SendBuffer>& place) {
    if (size < 0) throw Error(MPI_ERR_ARG, "the size is " + std::to_string(size), "Give a size that is not negative.");
    if (place != nullptr) throw Error(MPI_ERR_BUFFER, "a buffer is attached already", "Call MPI_Buffer_detach before.");
    place = std::make_unique<SendBuffer>(buffer, static_cast<std::size_t>(size));
    lib.do_before_finish(flush_all);
  });
}

template <class Size>
int detach_buffer(const char* name, const Owner& owner, void* buffer_addr, Size* size) {
  return serve_buffer(name, owner, [&](Library& lib, Call& call, std::unique_ptr<SendBuffer>& place) {
    if (place == nullptr) throw Error(MPI_ERR_BUFFER, "no buffer is attached", "Call MPI_Buffer_attach before.");
    call.begin();
    place->flush(lib);
    void* const base = place->base();
    std::memcpy(buffer_addr, &base, sizeof base);
    constexpr std::uint64_t kMost = std::numeric_limits<Size>::max();
    *size = static_cast<Size>(std::min<std::uint64_t>(place->bytes(), kMost));
    place.reset();
  });
}

int flush_buffer(const char* name, const Owner& owner) {
  return serve_buffer(name, owner, [&](Library& lib, Call& call, const std::unique_ptr<SendBuffer>& place) {
    call.begin();
    if (place != nullptr) place->flush(lib);
  });
}

int iflush_buffer(const char* name, const Owner& owner, MPI_Request* request) {
  return serve_buffer(name, owner, [&](Library& lib, Call& call, const std::unique_ptr<SendBuffer>& place) {
    call.begin();
    auto made = RequestPointer::make();
    auto composite =
        std::make_shared<Composite>(made, place == nullptr ? std::vector<RequestPointer>{} : place->pending());
    attach(lib.messages(), composite);
    *request = hand_out(lib, std::make_unique<RequestExtra>(), std::move(made));
  });
}

class PersistentBuffered final : public PersistentMessage {
  void begin(const RequestPointer& request) override {
    SendBuffers::all().for_send(request->communicator).send(library(), *request);
    request->complete = true;
  }
};

void send_now(Library& lib, Call& call, const RequestPointer& request) {
  call.begin(request->buffer.bytes());
  if (request->peer == Request::kProcNull) return;
  SendBuffers::all().for_send(request->communicator).send(lib, *request);
  request->complete = true;
}

}  // namespace

int PMPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return serve("MPI_Bsend", comm, [&](Library& lib, Call& call) {
    send_now(lib, call, make_send(lib, call, buf, count, datatype, dest, tag, comm, SendMode::Standard));
  });
}

int PMPI_Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return serve("MPI_Ibsend", comm, [&](Library& lib, Call& call) {
    const auto made = make_send(lib, call, buf, count, datatype, dest, tag, comm, SendMode::Standard);
    send_now(lib, call, made);
    *request = hand_out(lib, made, datatype, comm);
  });
}

int PMPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                      MPI_Request* request) {
  return serve("MPI_Bsend_init", comm, [&](Library& lib, Call& call) {
    auto made = make_send(lib, call, buf, count, datatype, dest, tag, comm, SendMode::Standard);
    *request = hand_out_inactive(lib, std::move(made), datatype, comm, std::make_unique<PersistentBuffered>());
  });
}

int PMPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  return attach_buffer("MPI_Buffer_attach", kProcess, buffer, size);
}

int PMPI_Buffer_detach(void* buffer_addr, int* size) {
  return detach_buffer("MPI_Buffer_detach", kProcess, buffer_addr, size);
}

int PMPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  return detach_buffer("MPI_Buffer_detach", kProcess, buffer_addr, size);
}

int PMPI_Buffer_flush(void) { return flush_buffer("MPI_Buffer_flush", kProcess); }

int PMPI_Buffer_iflush(MPI_Request* request) { return iflush_buffer("MPI_Buffer_iflush", kProcess, request); }

int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
  return attach_buffer("MPI_Comm_attach_buffer", comm, buffer, size);
}

int PMPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
  return detach_buffer("MPI_Comm_detach_buffer", comm, buffer_addr, size);
}

int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  return detach_buffer("MPI_Comm_detach_buffer", comm, buffer_addr, size);
}

int PMPI_Comm_flush_buffer(MPI_Comm comm) { return flush_buffer("MPI_Comm_flush_buffer", comm); }

int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  return iflush_buffer("MPI_Comm_iflush_buffer", comm, request);
}

int PMPI_Session_attach_buffer_c(MPI_Session session, void* buffer, MPI_Count size) {
  return attach_buffer("MPI_Session_attach_buffer", session, buffer, size);
}

int PMPI_Session_detach_buffer(MPI_Session session, void* buffer_addr, int* size) {
  return detach_buffer("MPI_Session_detach_buffer", session, buffer_addr, size);
}

int PMPI_Session_detach_buffer_c(MPI_Session session, void* buffer_addr, MPI_Count* size) {
  return detach_buffer("MPI_Session_detach_buffer", session, buffer_addr, size);
}

int PMPI_Session_flush_buffer(MPI_Session session) { return flush_buffer("MPI_Session_flush_buffer", session); }

int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  return iflush_buffer("MPI_Session_iflush_buffer", session, request);
}
