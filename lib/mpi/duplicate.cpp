// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file duplicate.cpp
/// Copies of communicators that are made while the program goes on.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/activities.h"
#include "mpi/attributes.h"
#include "mpi/communicators.h"
#include "mpi/error_handlers.h"
#include "mpi/nonblocking.h"

using namespace tidings;

namespace {

/// Agrees with all members on an id, and makes the copy.
class Duplication final : public Activity {
 public:
  Duplication(Library& lib, CommunicatorPointer parent, MPI_Comm handle, std::string choices)
      : lib_(lib), parent_(std::move(parent)), handle_(handle), choices_(std::move(choices)) {
    const CommunicatorPointer& among = parent_->inter == nullptr ? parent_ : parent_->inter->all();
    all_.resize(static_cast<std::size_t>(among->size()));
    PlannedCollective planned{among, {}, nullptr, {}};
    planned.call.descriptor.kind = Collective::CommDup;
    planned.call.descriptor.bytes = sizeof mine_;
    planned.call.input = Blocks::one({&mine_, sizeof mine_, &lib.bytes()});
    planned.call.output = Blocks::one({all_.data(), sizeof mine_, &lib.bytes()});
    exchange_ = repeated(lib, std::move(planned));
  }

  void start(RequestPointer whole) {
    whole_ = std::move(whole);
    vote_.emplace(ids_of_copies(), parent_->id(), false);
    mine_.key = fingerprint(choices_);
    say();
  }

  State advance() override {
    State state = State::Idle;
    while (exchange_->advance() == State::Finished) {
      state = State::Moved;
      const auto differs = [this](const Collectives::Offer& one) { return one.key != all_.front().key; };
      if (std::any_of(all_.begin(), all_.end(), differs)) mistake_ = unequal_choices();
      switch (vote_->hear(agreed_id(all_))) {
        case Vote::State::Agreed:
          make();
          whole_->complete = true;
          whole_ = nullptr;
          return State::Finished;
        case Vote::State::NoneLeft:
          lib_.fail(MPI_ERR_OTHER, "too many copies of communicators: no context is left, free some");
        case Vote::State::GoesOn:
          say();
      }
    }
    return state;
  }

  /// What the copy gets of its parent at once.
  Attributes attributes;

  [[nodiscard]] const std::string& mistake() const { return mistake_; }
  [[nodiscard]] Waiting describe() const { return exchange_->describe(); }

 private:
  void say() {
    mine_.id = vote_->say();
    exchange_->start(RequestPointer::make());
  }

  void make() {
    constexpr const char* kLabel = "communicator % (from MPI_Comm_idup)";
    CommunicatorPointer made;
    if (parent_->inter != nullptr) {
      made = parent_->inter->copy(lib_, *parent_, vote_->id(), kLabel);
    } else {
      // Other communicators may have been made since the exchange, so no context of the engine is sure to be free.
      made = std::make_shared<Communicator>(
          vote_->id(), kLabel, parent_->group(), lib_.messages().rank(), parent_->error_handler,
          lib_.collectives().algorithms_of(parent_->group()->ranks(), 0, mistake_.empty() ? choices_ : std::string()));
    }
    vote_.reset();  // the copy has the id
    made->topology = parent_->topology;
    made->attributes = std::move(attributes);
    const auto handler = handlers_of_copies().find(number(handle_));
    made->error_handler = std::move(handler->second);
    handlers_of_copies().erase(handler);
    lib_.communicators.fill(number(handle_), std::move(made));
  }

  Library& lib_;
  CommunicatorPointer parent_;
  MPI_Comm handle_;
  std::string choices_;
  Collectives::Offer mine_;
  std::vector<Collectives::Offer> all_;
  std::shared_ptr<RepeatedCollective> exchange_;
  RequestPointer whole_;
  std::optional<Vote> vote_;
  std::string mistake_;
};

class DuplicationRequest final : public RequestExtra {
 public:
  explicit DuplicationRequest(std::shared_ptr<Duplication> duplication) : duplication_(std::move(duplication)) {}
  int finish(const Request& /*request*/, MPI_Status* status) override {
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    return duplication_->mistake().empty() ? MPI_SUCCESS : MPI_ERR_INFO_VALUE;
  }
  [[nodiscard]] std::string failure(int /*code*/) const override { return duplication_->mistake(); }
  [[nodiscard]] Waiting describe() const override { return duplication_->describe(); }

 private:
  std::shared_ptr<Duplication> duplication_;
};

int duplicate(const char* name, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const CommunicatorPointer parent = lib.communicator(comm);
    std::string choices = info == MPI_INFO_NULL ? std::string() : checked_choices(*lib.info(info));
    Attributes attributes;
    tidings::copy_attributes(comm, parent->attributes, attributes);
    begin_exchange(call, Collective::CommDup, *parent);
    // The handle leads nowhere until the copy has been made.
    const auto handle = as_handle<MPI_Comm>(lib.communicators.add(nullptr));
    handlers_of_copies().emplace(number(handle), parent->error_handler);
    const auto duplication = std::make_shared<Duplication>(lib, parent, handle, std::move(choices));
    duplication->attributes = std::move(attributes);
    const auto whole = RequestPointer::make();
    *newcomm = handle;
    *request = hand_out(lib, std::make_unique<DuplicationRequest>(duplication), whole);
    duplication->start(whole);
    if (duplication->advance() != Activity::State::Finished) attach(lib.messages(), duplication);
  });
}

}  // namespace

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return duplicate("MPI_Comm_idup", comm, MPI_INFO_NULL, newcomm, request);
}

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  return duplicate("MPI_Comm_idup_with_info", comm, info, newcomm, request);
}
