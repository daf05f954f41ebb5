// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file nonblocking.cpp
/// Collectives that go on beside the rest of the program.
#include "mpi/nonblocking.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/activities.h"
#include "mpi/messages.h"
#include "mpi/system_messages.h"

using namespace tidings;

namespace {

class RunningCollective final : public RepeatedCollective {
 public:
  RunningCollective(Library& lib, PlannedCollective planned, std::int64_t number)
      : messages_(lib.messages()),
        planned_(std::move(planned)),
        // Two channels each.
        tag_(system_tag(SystemTag::Numbered, 2 * number)),
        own_(planned_.own == nullptr ? scheduled(lib, planned_) : planned_.own) {}

  void start(RequestPointer whole) override {
    const FreeWork free;
    tidings_work(TIDINGS_WORK_SCHEDULE, 1);
    whole_ = std::move(whole);
    round_ = 0;
    under_way_ = false;
    mistake_.clear();
    if (planned_.copy != nullptr) planned_.copy->fill();
    if (own_->ready.before) copy_elements(own_->ready.before->first, own_->ready.before->second);
  }

  State advance() override {
    const ScheduledCollective collective{*planned_.communicator, tag_, std::nullopt, own_->ready.views,
                                         planned_.call.operation};
    const FreeWork free;
    bool moved = false;
    for (; round_ < own_->schedule.size(); ++round_) {
      const Round& round = own_->schedule[round_];
      if (!under_way_) start(collective, round);
      moved |= !under_way_;
      under_way_ = true;
      if (!go_on(collective, round)) return moved ? State::Moved : State::Idle;
      run_steps(collective, round);
      under_way_ = false;
    }
    transfers_.clear();
    if (own_->ready.after) copy_elements(own_->ready.after->first, own_->ready.after->second);
    whole_->complete = true;
    whole_ = nullptr;
    return State::Finished;
  }

  [[nodiscard]] std::string mistake() const override { return mistake_; }
  [[nodiscard]] Waiting describe() const override {
    Waiting waiting{
        to_string(planned_.call.descriptor) + " (nonblocking), communicator " + planned_.communicator->name(), {}};
    for (const RequestPointer& transfer : transfers_) {
      if (!transfer->complete) waiting.ranks.push_back(static_cast<std::uint32_t>(transfer->peer));
    }
    if (ideal() && under_way_)
      waiting.ranks.push_back(planned_.communicator->world_rank(own_->schedule[round_].transfers[taken_].peer));
    return waiting;
  }

 private:
  void start(const ScheduledCollective& collective, const Round& round) {
    if (!ideal()) return start_round(messages_, collective, round, transfers_);
    give_round(collective, round);
    taken_ = 0;
  }
  /// @return whether the round's transfers are complete.
  bool go_on(const ScheduledCollective& collective, const Round& round) {
    const auto note = [this](const std::string& mistake) {
      if (mistake_.empty()) mistake_ = mistake;
    };
    if (ideal()) {
      while (true) {
        const std::string mistake = take_round(collective, round, taken_);
        if (mistake.empty()) return taken_ == round.transfers.size();
        note(mistake);
      }
    }
    for (const RequestPointer& transfer : transfers_) {
      if (!transfer->complete) return false;
    }
    for (const RequestPointer& transfer : transfers_) note(transfer_mistake(*planned_.communicator, *transfer));
    return true;
  }
  /// By the algorithm that the communicator uses.
  static std::shared_ptr<const OwnSchedule> scheduled(Library& lib, const PlannedCollective& planned) {
    const FreeWork free;
    const Communicator& communicator = *planned.communicator;
    const Algorithm& algorithm = lib.collectives().message_algorithm(communicator, planned.call);
    auto made = std::make_shared<OwnSchedule>();
    made->schedule =
        algorithm.schedule(communicator.algorithms->placement, communicator.rank(), planned.call.descriptor.root);
    lib.collectives().make_ready(communicator, planned.call, algorithm, scratch_blocks(made->schedule), made->ready);
    return made;
  }

  MessageLayer& messages_;
  PlannedCollective planned_;
  std::int32_t tag_;
  std::shared_ptr<const OwnSchedule> own_;
  RequestPointer whole_;
  std::size_t round_ = 0;
  bool under_way_ = false;  ///< the round's transfers have been started
  std::size_t taken_ = 0;   ///< of them, if they take no time
  std::vector<RequestPointer> transfers_;
  std::string mistake_;
};

/// A collective that the engine carries out.
class EngineCollective final : public RepeatedCollective {
 public:
  EngineCollective(Library& lib, PlannedCollective planned, std::unique_ptr<BesideCollective> made)
      : collectives_(lib.collectives()), planned_(std::move(planned)), made_(std::move(made)) {}

  void start(RequestPointer whole) override {
    whole_ = std::move(whole);
    collectives_.start(*made_);
  }
  State advance() override {
    const bool moved = collectives_.advance_beside();
    if (!made_->over()) return moved ? State::Moved : State::Idle;
    whole_->complete = true;
    whole_ = nullptr;
    return State::Finished;
  }
  [[nodiscard]] Waiting describe() const override { return made_->describe(); }

 private:
  Collectives& collectives_;
  PlannedCollective planned_;  ///< what the engine's collective refers to
  std::unique_ptr<BesideCollective> made_;
  RequestPointer whole_;
};

/// A collective for a request, in the engine or by messages. @param starts_in_order as Collectives::beside() takes it.
std::shared_ptr<RepeatedCollective> made_of(Library& lib, PlannedCollective&& planned, bool starts_in_order,
                                            Outcome& outcome) {
  const CommunicatorPointer communicator = planned.communicator;
  if (auto made = lib.collectives().beside(communicator, planned.call, starts_in_order, outcome)) {
    lib.collectives().begin_beside(*communicator, planned.call.descriptor);
    return std::make_shared<EngineCollective>(lib, std::move(planned), std::move(made));
  }
  return repeated(lib, std::move(planned));
}

/// What is said to carry a collective out.
tidings_path carried() { return ideal() ? TIDINGS_PATH_HARDWARE : TIDINGS_PATH_SOFTWARE; }

class CollectiveRequest final : public RequestExtra {
 public:
  CollectiveRequest(std::shared_ptr<RepeatedCollective> running, bool starts_again) : running_(std::move(running)) {
    persistent = starts_again;
    active = !starts_again;
  }
  void start(const RequestPointer& request) override {
    if (!persistent) RequestExtra::start(request);
    begin(request);
  }
  void begin(const RequestPointer& request) {
    MessageLayer& messages = library().messages();
    request->complete = false;
    running_->start(request);
    // What can be done at once is done before the call returns.
    if (running_->advance() != Activity::State::Finished) attach(messages, running_);
  }
  int finish(const Request& /*request*/, MPI_Status* status) override {
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    return running_->mistake().empty() ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
  }
  [[nodiscard]] std::string failure(int /*code*/) const override { return running_->mistake(); }
  [[nodiscard]] Waiting describe() const override { return running_->describe(); }

 private:
  std::shared_ptr<RepeatedCollective> running_;
};

}  // namespace

namespace tidings {

std::shared_ptr<RepeatedCollective> repeated(Library& lib, PlannedCollective&& planned) {
  const std::int64_t number = planned.communicator->next_collective();
  return std::make_shared<RunningCollective>(lib, std::move(planned), number);
}

void Starting::operator()(Library& lib, Call& call, PlannedCollective&& planned) const {
  Outcome outcome;
  auto made = made_of(lib, std::move(planned), true, outcome);
  call.end(outcome);
  auto extra = std::make_unique<CollectiveRequest>(std::move(made), false);
  CollectiveRequest& collective = *extra;
  const auto whole = RequestPointer::make();
  const MPI_Request handle = hand_out(lib, std::move(extra), whole);
  collective.begin(whole);
  *request = handle;
}

void Initializing::operator()(Library& lib, Call& call, PlannedCollective&& planned) const {
  Outcome outcome;
  auto made = made_of(lib, std::move(planned), false, outcome);
  call.end(outcome);
  *request = hand_out(lib, std::make_unique<CollectiveRequest>(std::move(made), true), RequestPointer::make());
}

void Finishing::operator()(Library& lib, Call& call, PlannedCollective&& planned) const {
  call.end({planned.communicator->size() == 1 ? TIDINGS_PATH_NONE : carried(), nullptr});
  const std::int64_t number = planned.communicator->next_collective();
  const auto running = std::make_shared<RunningCollective>(lib, std::move(planned), number);
  const auto whole = RequestPointer::make();
  running->start(whole);
  if (running->advance() != Activity::State::Finished) {
    attach(lib.messages(), running);
    lib.messages().wait([&] { return whole->complete; }, [&] { return running->describe(); });
  }
  if (!running->mistake().empty())
    throw Error(MPI_ERR_TRUNCATE, running->mistake(), "Give the same count and datatype on both sides.");
}

}  // namespace tidings
