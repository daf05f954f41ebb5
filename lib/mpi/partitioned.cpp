// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file partitioned.cpp
/// Partitioned messages: parts of the buffer are sent when the program says that they are ready.
///
/// Each partition of a send is a message of its own. An introduction, sent when the send is made, tells the receiver
/// how many there are and by which tags they come; introductions are matched in the order in which both sides made
/// their requests. So the sides may divide the message differently.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/activities.h"
#include "core/packing.h"
#include "cost.h"
#include "mpi/messages.h"
#include "mpi/system_messages.h"

using namespace tidings;

namespace {

/// What the sender tells the receiver beforehand.
struct Introduction {
  std::uint64_t partitions = 0;
  std::uint64_t bytes = 0;  ///< in each
  std::uint64_t first = 0;  ///< number of the first one's tag
};

/// A buffer in equal parts.
struct Partitions {
  Buffer whole;
  std::size_t partitions = 0;

  [[nodiscard]] std::size_t bytes_each() const { return partitions == 0 ? 0 : whole.bytes() / partitions; }
  [[nodiscard]] Buffer part(std::size_t number) const {
    const std::size_t count = whole.count / partitions;
    const auto skipped = static_cast<std::ptrdiff_t>(number * count) * whole.type->extent();
    return {static_cast<std::byte*>(whole.base) + skipped, count, whole.type};
  }
};

RequestPointer message(const Library& lib, Request::Kind kind, const Communicator& communicator, std::uint32_t peer,
                       std::int32_t tag, const Buffer& buffer) {
  auto made = RequestPointer::make();
  made->kind = kind;
  made->buffer = buffer.type == nullptr ? Buffer{nullptr, 0, &lib.bytes()} : buffer;
  made->peer = static_cast<std::int32_t>(peer);
  made->tag = tag;
  made->context = communicator.collective();
  return made;
}

/// A partitioned send or receive.
class Partitioned : public Activity {
 public:
  Partitioned(Library& lib, CommunicatorPointer communicator, int peer, Partitions divided)
      : parts(divided), lib_(lib), communicator_(std::move(communicator)), peer_(peer) {}

  /// Begin, or begin again. @param whole is complete when all partitions are.
  virtual void start(RequestPointer whole) = 0;
  [[nodiscard]] virtual Waiting describe() const = 0;
  [[nodiscard]] const std::string& mistake() const { return mistake_; }
  [[nodiscard]] bool nobody() const { return peer_ == MPI_PROC_NULL; }
  /// The introduction has left, or has come.
  [[nodiscard]] bool introduced() const { return nobody() || introduction_message->complete; }

  const Partitions parts;

 protected:
  [[nodiscard]] Library& lib() const { return lib_; }
  [[nodiscard]] const Communicator& communicator() const { return *communicator_; }
  [[nodiscard]] std::uint32_t peer() const { return communicator_->peers()->world_rank(peer_); }
  [[nodiscard]] std::string peer_text() const {
    return "rank " + std::to_string(peer_) + ", communicator " + communicator_->name();
  }
  void fail(std::string mistake) { mistake_ = std::move(mistake); }
  void begin(RequestPointer whole) {
    whole_ = std::move(whole);
    mistake_.clear();
  }
  RequestPointer introduction_message;

  State finish() {
    whole_->complete = true;
    whole_ = nullptr;
    return State::Finished;
  }

 private:
  Library& lib_;
  CommunicatorPointer communicator_;
  int peer_;
  RequestPointer whole_;
  std::string mistake_;
};

class PartitionedSend final : public Partitioned {
 public:
  PartitionedSend(Library& lib, CommunicatorPointer communicator_of, int dest, int tag, Partitions parts_of)
      : Partitioned(lib, std::move(communicator_of), dest, parts_of), sent_(parts.partitions) {
    static std::uint64_t next = 0;
    introduction_ = {parts.partitions, parts.bytes_each(), next};
    next += parts.partitions;
    if (nobody()) return;
    introduction_message =
        message(lib, Request::Kind::Send, communicator(), peer(), system_tag(SystemTag::Partitioned, tag),
                {&introduction_, sizeof introduction_, &lib.bytes()});
    lib.messages().start(introduction_message);
  }

  void start(RequestPointer whole) override {
    begin(std::move(whole));
    std::fill(sent_.begin(), sent_.end(), RequestPointer());
  }

  void ready(int partition) {
    if (partition < 0 || static_cast<std::size_t>(partition) >= parts.partitions) {
      throw Error(
          MPI_ERR_ARG,
          "there is no partition " + std::to_string(partition) + ": there are " + std::to_string(parts.partitions),
          "Give a partition below their number.");
    }
    const auto number = static_cast<std::size_t>(partition);
    RequestPointer& sent = sent_[number];
    if (sent)
      throw Error(MPI_ERR_ARG, "partition " + std::to_string(partition) + " is ready already",
                  "Call MPI_Pready once for each partition and start.");
    const std::uint32_t to = nobody() ? lib().messages().rank() : peer();
    sent = message(lib(), Request::Kind::Send, communicator(), to,
                   system_tag(SystemTag::PartitionedData, static_cast<std::int64_t>(introduction_.first + number)),
                   parts.part(number));
    if (nobody()) {
      sent->complete = true;
    } else {
      lib().messages().start(sent);
    }
  }

  State advance() override {
    if (!introduced()) return State::Idle;
    const auto done = [](const RequestPointer& part) { return part && part->complete; };
    return std::all_of(sent_.begin(), sent_.end(), done) ? finish() : State::Idle;
  }

  [[nodiscard]] Waiting describe() const override {
    std::size_t missing = 0;
    for (const RequestPointer& part : sent_) missing += part ? 0 : 1;
    if (missing != 0) {
      return {"MPI_Pready of " + std::to_string(missing) + " of " + std::to_string(sent_.size()) +
                  " partitions of a send to " + peer_text(),
              {}};
    }
    return {"partitioned send to " + peer_text(), {peer()}};
  }

 private:
  Introduction introduction_;
  std::vector<RequestPointer> sent_;  ///< nothing of a partition that is not ready
};

class PartitionedReceive final : public Partitioned {
 public:
  PartitionedReceive(Library& lib, CommunicatorPointer communicator_of, int source, int tag, Partitions parts_of)
      : Partitioned(lib, std::move(communicator_of), source, parts_of) {
    if (nobody()) return;
    introduction_message =
        message(lib, Request::Kind::Receive, communicator(), peer(), system_tag(SystemTag::Partitioned, tag),
                {&introduction_, sizeof introduction_, &lib.bytes()});
    lib.messages().start(introduction_message);
  }

  void start(RequestPointer whole) override {
    begin(std::move(whole));
    received_.clear();
    packed_.clear();
    posted_ = false;
  }

  State advance() override {
    if (nobody()) return finish();
    if (!introduced()) return State::Idle;
    bool moved = false;
    if (!posted_) {
      post();
      moved = true;
    }
    bool all = true;
    for (std::size_t i = 0; i < received_.size(); ++i) {
      RequestPointer& part = received_[i];
      all &= part->complete;
      if (packed_.empty() || !part->complete || packed_[i].empty()) continue;
      unpack(parts.whole, i * introduction_.bytes, packed_[i].data(), packed_[i].size());
      packed_[i].clear();
      moved = true;
    }
    if (all) return finish();
    return moved ? State::Moved : State::Idle;
  }

  /// All data of one of our partitions are there.
  [[nodiscard]] bool arrived(int partition) const {
    if (partition < 0 || static_cast<std::size_t>(partition) >= parts.partitions) {
      throw Error(
          MPI_ERR_ARG,
          "there is no partition " + std::to_string(partition) + ": there are " + std::to_string(parts.partitions),
          "Give a partition below their number.");
    }
    if (nobody()) return true;
    if (!posted_) return false;
    const std::size_t each = parts.bytes_each();
    if (each == 0 || introduction_.bytes == 0) return true;
    const std::size_t first = static_cast<std::size_t>(partition) * each / introduction_.bytes;
    const std::size_t last = ((static_cast<std::size_t>(partition) + 1) * each - 1) / introduction_.bytes;
    for (std::size_t i = first; i <= last && i < received_.size(); ++i) {
      if (!received_[i]->complete || (!packed_.empty() && !packed_[i].empty())) return false;
    }
    return true;
  }

  [[nodiscard]] Waiting describe() const override {
    if (!posted_) return {"MPI_Psend_init of " + peer_text(), {peer()}};
    std::size_t missing = 0;
    for (const RequestPointer& part : received_) missing += part->complete ? 0 : 1;
    return {std::to_string(missing) + " of " + std::to_string(received_.size()) + " partitions from " + peer_text(),
            {peer()}};
  }

 private:
  /// Ask for all partitions of the sender.
  void post() {
    posted_ = true;
    const std::size_t sent = introduction_.partitions * introduction_.bytes;
    if (sent != parts.whole.bytes()) {
      fail(peer_text() + " sends " + std::to_string(introduction_.partitions) + " partitions of " +
           std::to_string(introduction_.bytes) + " bytes, " + std::to_string(sent) + " altogether, where " +
           std::to_string(parts.whole.bytes()) + " are expected");
    }
    // Whole elements go to their place; parts of elements, and what does not fit, are put there afterwards.
    const std::size_t size = parts.whole.type->size();
    const bool straight = mistake().empty() && (size == 0 || introduction_.bytes % size == 0);
    const Partitions theirs{parts.whole, static_cast<std::size_t>(introduction_.partitions)};
    if (!straight) packed_.resize(introduction_.partitions);
    for (std::size_t i = 0; i < introduction_.partitions; ++i) {
      Buffer place;
      if (straight) {
        place = theirs.part(i);
      } else {
        packed_[i].resize(introduction_.bytes);
        place = {packed_[i].data(), packed_[i].size(), &lib().bytes()};
      }
      received_.push_back(
          message(lib(), Request::Kind::Receive, communicator(), peer(),
                  system_tag(SystemTag::PartitionedData, static_cast<std::int64_t>(introduction_.first + i)), place));
      lib().messages().start(received_.back());
    }
  }

  Introduction introduction_;
  bool posted_ = false;  ///< the receives of this turn
  std::vector<RequestPointer> received_;
  std::vector<std::vector<std::byte>> packed_;  ///< of partitions that cannot go to their place at once
};

/// Keeps a message until its introduction has been made, whatever becomes of the request.
class Introducing final : public Activity {
 public:
  explicit Introducing(std::shared_ptr<const Partitioned> message) : message_(std::move(message)) {}
  State advance() override { return message_->introduced() ? State::Finished : State::Idle; }

 private:
  std::shared_ptr<const Partitioned> message_;
};

class PartitionedRequest final : public RequestExtra {
 public:
  explicit PartitionedRequest(std::shared_ptr<Partitioned> whole) : message(std::move(whole)) {
    persistent = true;
    active = false;
  }
  void start(const RequestPointer& request) override {
    request->complete = false;
    message->start(request);
    attach(library().messages(), message);
  }
  int finish(const Request& request, MPI_Status* status) override {
    const bool receives = request.kind == Request::Kind::Receive;
    set_status(status, receives ? source : static_cast<int>(MPI_ANY_SOURCE),
               receives ? tag : static_cast<int>(MPI_ANY_TAG), receives ? message->parts.whole.bytes() : 0);
    return message->mistake().empty() ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
  }
  [[nodiscard]] std::string failure(int /*code*/) const override { return message->mistake(); }
  [[nodiscard]] Waiting describe() const override { return message->describe(); }

  std::shared_ptr<Partitioned> message;
  int source = MPI_PROC_NULL;
  int tag = MPI_ANY_TAG;
};

template <class Kind>
int make(const char* name, Request::Kind kind, const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype,
         int peer, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    if (partitions < 0)
      throw Error(MPI_ERR_ARG, "the number of partitions is " + std::to_string(partitions),
                  "Give a number that is not negative.");
    if (info != MPI_INFO_NULL) static_cast<void>(lib.info(info));
    if (kind == Request::Kind::Send) {
      call.to(peer, tag);
    } else {
      call.from(peer, tag);
    }
    // Wildcards are for other receives.
    if (peer == MPI_ANY_SOURCE)
      throw Error(MPI_ERR_RANK, "a partitioned message has no wildcards", "Name the rank that sends it.");
    if (tag < 0) throw Error(MPI_ERR_TAG, "the tag is " + std::to_string(tag));
    if (peer != MPI_PROC_NULL) static_cast<void>(make_pattern(*communicator, peer, tag));
    const auto parts = static_cast<std::size_t>(partitions);
    Buffer whole = lib.buffer(buf, count, datatype);
    whole.count *= parts;
    call.begin(whole.bytes());
    const auto message = std::make_shared<Kind>(lib, communicator, peer, tag, Partitions{whole, parts});
    if (!message->introduced()) attach(lib.messages(), std::make_shared<Introducing>(message));
    auto made = std::make_unique<PartitionedRequest>(message);
    made->communicator = communicator;
    made->datatype = lib.type(datatype);
    if (peer != MPI_PROC_NULL) {
      made->source = peer;
      made->tag = tag;
    }
    auto inactive = RequestPointer::make();
    inactive->kind = kind;
    inactive->buffer = whole;
    *request = hand_out(lib, std::move(made), std::move(inactive));
  });
}

/// The message behind a request. @throws Error if it is not a partitioned one of this kind.
template <class Kind>
Kind& message_of(const Request& request) {
  if (request.peer == Request::kOther) {
    if (auto* const partitioned = dynamic_cast<PartitionedRequest*>(request.extra.get())) {
      if (auto* const found = dynamic_cast<Kind*>(partitioned->message.get())) return *found;
    }
  }
  throw Error(MPI_ERR_REQUEST, "the request is not a partitioned message of this kind",
              "Give a request that MPI_Psend_init or MPI_Precv_init has made.");
}

/// Serve a call that says of partitions that they are ready; `mark` names them.
template <class Mark>
int say_ready(const char* name, MPI_Request request, Mark mark) {
  return serve(name, [&](Library& lib, Call& call) {
    const RequestPointer found = lib.request(request);
    auto& message = message_of<PartitionedSend>(*found);
    if (found->inactive())
      throw Error(MPI_ERR_REQUEST, "the request is not active",
                  "Start it before, and cancel it before it has been waited for.");
    call.begin();
    mark(message);
    lib.messages().poll();
  });
}

}  // namespace

int PMPI_Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return make<PartitionedSend>("MPI_Psend_init", Request::Kind::Send, buf, partitions, count, datatype, dest, tag, comm,
                               info, request);
}

int PMPI_Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return make<PartitionedReceive>("MPI_Precv_init", Request::Kind::Receive, buf, partitions, count, datatype, source,
                                  tag, comm, info, request);
}

int PMPI_Pready(int partition, MPI_Request request) {
  return say_ready("MPI_Pready", request, [&](PartitionedSend& message) { message.ready(partition); });
}

int PMPI_Pready_range(int partition_low, int partition_high, MPI_Request request) {
  return say_ready("MPI_Pready_range", request, [&](PartitionedSend& message) {
    for (int partition = partition_low; partition <= partition_high; ++partition) message.ready(partition);
  });
}

int PMPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request) {
  return say_ready("MPI_Pready_list", request, [&](PartitionedSend& message) {
    for (int i = 0; i < length; ++i) message.ready(array_of_partitions[i]);
  });
}

int PMPI_Parrived(MPI_Request request, int partition, int* flag) {
  return serve("MPI_Parrived", [&](Library& lib, Call& call) {
    *flag = 1;
    if (request == MPI_REQUEST_NULL) return;
    const RequestPointer found = lib.request(request);
    auto& message = message_of<PartitionedReceive>(*found);
    if (found->inactive()) return;
    call.begin();
    if (!message.arrived(partition)) lib.messages().poll();
    *flag = message.arrived(partition);
    if (*flag == 0) tidings_work(TIDINGS_WORK_POLL, 1);
  });
}
