// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/library.h"

#include <numeric>
#include <utility>

#include "core/activities.h"
#include "core/predefined_types.h"
#include "mpi/communicators.h"
#include "platform.h"
#include "trace.h"

namespace tidings {
namespace {

constexpr std::uint32_t kSelfId = 1;

/// Tell the trace our words. At load time, so that even a program that never gets to MPI_Init is explained in them.
[[gnu::constructor]] void introduce() {
  const tidings_library_words words{.call = "MPI call", .open = "MPI_Init", .close = "MPI_Finalize"};
  tidings_trace_library(&words);
}

Selection selection_of_environment() {
  try {
    return Selection::of_environment();
  } catch (const std::invalid_argument& error) {
    throw Error(MPI_ERR_OTHER, error.what(), "`tidings algorithms` lists what can be named.");
  }
}

}  // namespace

Library::Library() {
  define_predefined_types(types);
  define_predefined_operations(operations);
  bytes_ = types.find(number(MPI_BYTE));
  infos.define(number(MPI_INFO_ENV), std::make_shared<Info>());
  groups.define(number(MPI_GROUP_EMPTY), std::make_shared<Group>(std::vector<std::uint32_t>{}));
  using Kind = ErrorHandler::Kind;
  const auto define = [this](Kind kind, MPI_Errhandler handle) {
    error_handlers.define(number(handle), std::make_shared<ErrorHandler>(kind, handle));
  };
  define(Kind::Fatal, MPI_ERRORS_ARE_FATAL);
  define(Kind::Fatal, MPI_ERRORS_ABORT);
  define(Kind::Return, MPI_ERRORS_RETURN);
}

void begin_threads(Library& library) {
  if constexpr (kMayHaveThreads) {
    attach(library.messages(), nullptr);
    Threads::begin();
  }
}

[[gnu::cold, gnu::noinline]] Library& make_library() {
  static auto* const instance = new Library;  // threads may ask for it at once, before MPI_Init too
  the_library = instance;
  return *instance;
}

void Library::start() {
  if (phase_ != Phase::Before)
    throw Error(MPI_ERR_OTHER, "MPI has been initialized before",
                "Call MPI_Init once: MPI_Initialized tells whether it has been called.");
  tidings_platform platform{};
  if (const char* const reason = tidings_platform_read(&platform)) {
    fail(1, std::string("MPI_Init: this program ") + reason);
  }
  messages_ = MessageLayer::open(platform, [this](const std::string& text) {
    fail(MPI_ERR_OTHER, (current() == nullptr ? "" : current()->text() + ": ") + text);
  });
  introduce();
  collectives_ = std::make_unique<Collectives>(*messages_, *bytes_, selection_of_environment());
  std::vector<std::uint32_t> all(messages_->ranks());
  std::iota(all.begin(), all.end(), 0U);
  const std::uint32_t me = messages_->rank();
  const auto of_all = collectives_->algorithms_of(all, collectives_->free_contexts());
  const auto fatal = error_handler(MPI_ERRORS_ARE_FATAL);
  communicators.define(number(MPI_COMM_WORLD), std::make_shared<Communicator>(
                                                   Communicator::kWorldId, "communicator MPI_COMM_WORLD",
                                                   std::make_shared<const Group>(std::move(all)), me, fatal, of_all));
  communicators.define(number(MPI_COMM_SELF),
                       std::make_shared<Communicator>(kSelfId, "communicator MPI_COMM_SELF",
                                                      std::make_shared<const Group>(std::vector<std::uint32_t>{me}), me,
                                                      fatal, collectives_->algorithms_of({me}, 0)));
  phase_ = Phase::Running;
  running_ = this;
}

void Library::meet() { collectives_->meet(*communicator(MPI_COMM_WORLD)); }

void Library::meet_at_end() {
  CollectiveCall barrier;
  barrier.descriptor.kind = Collective::Finalize;
  collectives_->run(*communicator(MPI_COMM_WORLD), barrier);
}

void Library::finish() {
  meet_at_end();
  messages_->flush();
  messages_->close();
  phase_ = Phase::After;
  running_ = nullptr;
}

void Library::refuse(const HandleKind& kind, std::intptr_t handle) {
  const std::string what = kind.what;
  throw Error(kind.error_class, handle == kind.null ? "the " + what + " is " + kind.null_name : "invalid " + what);
}

void Library::refuse_intercommunicator() {
  throw Error(MPI_ERR_COMM, "the communicator is an intercommunicator, which cannot do this",
              "Give a communicator of one group, as MPI_Intercomm_merge makes it.");
}

void Library::refuse_uncommitted() {
  throw Error(MPI_ERR_TYPE, "the datatype has not been committed", "Call MPI_Type_commit before it is used.");
}

void Library::check_buffer(MPI_Count count, const Datatype& type) {
  constexpr std::ptrdiff_t kFirstPage = 4096;  // nothing is there; below it are displacements, not addresses
  if (count < 0) throw Error(MPI_ERR_COUNT, "the count is " + std::to_string(count));
  if (count == 0 || type.size() == 0 || type.true_lower_bound() >= kFirstPage) return;
  throw Error(MPI_ERR_BUFFER, "the buffer is a null pointer");
}

MPI_Comm Library::add_communicator(std::uint32_t id, const char* label, const Communicator& parent,
                                   std::vector<std::uint32_t> members,
                                   std::shared_ptr<const CommunicatorAlgorithms> algorithms) {
  auto made = std::make_shared<Communicator>(id, label, std::make_shared<const Group>(std::move(members)),
                                             messages_->rank(), parent.error_handler, std::move(algorithms));
  return as_handle<MPI_Comm>(communicators.add(std::move(made)));
}

int Library::raise(const Call& call, const Error& error) {
  // An error without a valid communicator is one of MPI_COMM_WORLD.
  MPI_Comm on = call.communicator();
  auto raised_on = communicators.find(number(on));
  if (raised_on == nullptr) raised_on = communicators.find(number(on = MPI_COMM_WORLD));
  if (raised_on == nullptr) fail(call, error);
  // The handler may be replaced while it runs.
  const std::shared_ptr<const ErrorHandler> handler = raised_on->error_handler;
  return raise(call, error, *handler, on);
}

void Library::fail(const Call& call, const Error& error) const {
  if (error.earlier() != nullptr) tidings_trace_earlier(error.earlier());
  std::string text = call.text() + ": " + error.what();
  if constexpr (kRemedies) {
    if (*error.remedy() != '\0') text += std::string(". ") + error.remedy();
  }
  fail(error.error_class(), text);
}

void Library::fail(int code, const std::string& text) const { tidings_fail(code, text.c_str()); }

}  // namespace tidings
