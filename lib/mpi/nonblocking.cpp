// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file nonblocking.cpp
/// Nonblocking collectives, and persistent ones.
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
    bool moved = false;
    for (; round_ < own_->schedule.size(); ++round_) {
      const Round& round = own_->schedule[round_];
      if (!under_way_) start_round(messages_, collective, round, transfers_);
      moved |= !under_way_;
      under_way_ = true;
      for (const RequestPointer& transfer : transfers_) {
        if (!transfer->complete) return moved ? State::Moved : State::Idle;
      }
      for (const RequestPointer& transfer : transfers_) {
        if (mistake_.empty()) mistake_ = transfer_mistake(*planned_.communicator, *transfer);
      }
      run_steps(collective, round);
      under_way_ = false;
    }
    transfers_.clear();
    if (own_->ready.after) copy_elements(own_->ready.after->first, own_->ready.after->second);
    whole_->complete = true;
    whole_ = nullptr;
    return State::Finished;
  }

  [[nodiscard]] const std::string& mistake() const { return mistake_; }
  [[nodiscard]] Waiting describe() const override {
    Waiting waiting{
        to_string(planned_.call.descriptor) + " (nonblocking), communicator " + planned_.communicator->name(), {}};
    for (const RequestPointer& transfer : transfers_) {
      if (!transfer->complete) waiting.ranks.push_back(static_cast<std::uint32_t>(transfer->peer));
    }
    return waiting;
  }

 private:
  /// By the algorithm that the communicator uses.
  static std::shared_ptr<const OwnSchedule> scheduled(Library& lib, const PlannedCollective& planned) {
    const Communicator& communicator = *planned.communicator;
    const Algorithm& algorithm = lib.collectives().message_algorithm(communicator, planned.call);
    auto made = std::make_shared<OwnSchedule>();
    made->schedule =
        algorithm.schedule(communicator.algorithms->placement, communicator.rank(), planned.call.descriptor.root);
    made->ready = lib.collectives().ready(communicator, planned.call, algorithm, scratch_blocks(made->schedule));
    return made;
  }

  MessageLayer& messages_;
  PlannedCollective planned_;
  std::int32_t tag_;
  std::shared_ptr<const OwnSchedule> own_;
  RequestPointer whole_;
  std::size_t round_ = 0;
  bool under_way_ = false;  ///< the round's transfers have been started
  std::vector<RequestPointer> transfers_;
  std::string mistake_;
};

class CollectiveRequest final : public RequestExtra {
 public:
  CollectiveRequest(std::shared_ptr<RunningCollective> running, bool starts_again) : running_(std::move(running)) {
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
  std::shared_ptr<RunningCollective> running_;
};

}  // namespace

namespace tidings {

std::shared_ptr<RepeatedCollective> repeated(Library& lib, PlannedCollective&& planned) {
  const std::int64_t number = planned.communicator->next_collective();
  return std::make_shared<RunningCollective>(lib, std::move(planned), number);
}

void Starting::operator()(Library& lib, Call& call, PlannedCollective&& planned) const {
  call.end({TIDINGS_PATH_SOFTWARE, nullptr});
  const std::int64_t number = planned.communicator->next_collective();
  auto extra =
      std::make_unique<CollectiveRequest>(std::make_shared<RunningCollective>(lib, std::move(planned), number), false);
  CollectiveRequest& collective = *extra;
  const auto whole = RequestPointer::make();
  const MPI_Request handle = hand_out(lib, std::move(extra), whole);
  collective.begin(whole);
  *request = handle;
}

void Initializing::operator()(Library& lib, Call& /*call*/, PlannedCollective&& planned) const {
  const std::int64_t number = planned.communicator->next_collective();
  *request = hand_out(
      lib,
      std::make_unique<CollectiveRequest>(std::make_shared<RunningCollective>(lib, std::move(planned), number), true),
      RequestPointer::make());
}

void Finishing::operator()(Library& lib, Call& call, PlannedCollective&& planned) const {
  call.end({planned.communicator->size() == 1 ? TIDINGS_PATH_NONE : TIDINGS_PATH_SOFTWARE, nullptr});
  const std::int64_t number = planned.communicator->next_collective();
  const auto running = std::make_shared<RunningCollective>(lib, std::move(planned), number);
  const auto whole = RequestPointer::make();
  running->start(whole);
  if (running->advance() != Activity::State::Finished) {
    attach(lib.messages(), running);
    lib.messages().wait([&] { return whole->complete; }, [&] { return running->describe(); });
  }
  if (!running->mistake().empty()) throw Error(MPI_ERR_TRUNCATE, running->mistake());
}

}  // namespace tidings

namespace {

template <class Way>
int barrier(const char* name, MPI_Comm comm, const Way& way) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    if (const auto inter = communicator->inter) {
      way(lib, call, inter->plan(lib, call, *communicator, {}));
      return;
    }
    CollectiveDescriptor descriptor;
    descriptor.kind = Collective::Barrier;
    begin(call, *communicator, descriptor, 0);
    way(lib, call, {communicator, {descriptor, {}, {}, nullptr}, nullptr, {}});
  });
}

template <class Way>
int broadcast(const char* name, void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
              const Way& way) {
  return serve(name, comm, [&](Library& lib, Call& call) {
    const auto& communicator = lib.communicator(comm);
    if (const auto inter = communicator->inter) {
      way(lib, call,
          inter->plan(lib, call, *communicator,
                      {Collective::Bcast, buffer, buffer, count, datatype, MPI_OP_NULL, root}));
      return;
    }
    check_root(*communicator, root);
    const Buffer data = lib.buffer(buffer, count, datatype);
    const auto descriptor = describe(Collective::Bcast, root, data, data.bytes());
    begin(call, *communicator, descriptor, data.bytes());
    PlannedCollective planned{communicator, {descriptor, {}, Blocks::one(data), nullptr}, nullptr, {}};
    planned.keep(lib, datatype);
    way(lib, call, std::move(planned));
  });
}

}  // namespace

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) { return barrier("MPI_Ibarrier", comm, Starting{request}); }

int PMPI_Barrier_init(MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return barrier("MPI_Barrier_init", comm, Initializing{request});
}

int PMPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request) {
  return broadcast("MPI_Ibcast", buffer, count, datatype, root, comm, Starting{request});
}

int PMPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info,
                      MPI_Request* request) {
  return broadcast("MPI_Bcast_init", buffer, count, datatype, root, comm, Initializing{request});
}

int PMPI_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                   MPI_Comm comm, MPI_Request* request) {
  return reduction("MPI_Ireduce", Collective::Reduce, sendbuf, recvbuf, count, datatype, op, root, comm,
                   Starting{request});
}

int PMPI_Reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                       MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduction("MPI_Reduce_init", Collective::Reduce, sendbuf, recvbuf, count, datatype, op, root, comm,
                   Initializing{request});
}

int PMPI_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request) {
  return reduction("MPI_Iallreduce", Collective::Allreduce, sendbuf, recvbuf, count, datatype, op, 0, comm,
                   Starting{request});
}

int PMPI_Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduction("MPI_Allreduce_init", Collective::Allreduce, sendbuf, recvbuf, count, datatype, op, 0, comm,
                   Initializing{request});
}

int PMPI_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                 MPI_Request* request) {
  return reduction("MPI_Iscan", Collective::Scan, sendbuf, recvbuf, count, datatype, op, 0, comm, Starting{request});
}

int PMPI_Scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduction("MPI_Scan_init", Collective::Scan, sendbuf, recvbuf, count, datatype, op, 0, comm,
                   Initializing{request});
}

int PMPI_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  return reduction("MPI_Iexscan", Collective::Exscan, sendbuf, recvbuf, count, datatype, op, 0, comm,
                   Starting{request});
}

int PMPI_Exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduction("MPI_Exscan_init", Collective::Exscan, sendbuf, recvbuf, count, datatype, op, 0, comm,
                   Initializing{request});
}

int PMPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return gather(
      "MPI_Igather", Collective::Gather, sendbuf, sendcount, sendtype, root, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); },
      Starting{request});
}

int PMPI_Gather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                       MPI_Request* request) {
  return gather(
      "MPI_Gather_init", Collective::Gather, sendbuf, sendcount, sendtype, root, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); },
      Initializing{request});
}

int PMPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return scatter(
      "MPI_Iscatter", Collective::Scatter, recvbuf, recvcount, recvtype, root, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, sendbuf, sendcount, sendtype); },
      Starting{request});
}

int PMPI_Scatter_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                        MPI_Request* request) {
  return scatter(
      "MPI_Scatter_init", Collective::Scatter, recvbuf, recvcount, recvtype, root, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, sendbuf, sendcount, sendtype); },
      Initializing{request});
}

int PMPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return allgather(
      "MPI_Iallgather", Collective::Allgather, sendbuf, sendcount, sendtype, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); },
      Starting{request});
}

int PMPI_Allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return allgather(
      "MPI_Allgather_init", Collective::Allgather, sendbuf, sendcount, sendtype, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); },
      Initializing{request});
}

int PMPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return alltoall(
      "MPI_Ialltoall", Collective::Alltoall, sendbuf, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, sendbuf, sendcount, sendtype); },
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); },
      Starting{request});
}

int PMPI_Alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return alltoall(
      "MPI_Alltoall_init", Collective::Alltoall, sendbuf, comm,
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, sendbuf, sendcount, sendtype); },
      [&](const Library& lib, const Communicator&) { return uniform_blocks(lib, recvbuf, recvcount, recvtype); },
      Initializing{request});
}

int PMPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                  const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return gatherv("MPI_Igatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                 Starting{request});
}

int PMPI_Igatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                    MPI_Comm comm, MPI_Request* request) {
  return gatherv("MPI_Igatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                 Starting{request});
}

int PMPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                      const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                      MPI_Request* request) {
  return gatherv("MPI_Gatherv_init", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                 Initializing{request});
}

int PMPI_Gatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                        MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return gatherv("MPI_Gatherv_init", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                 Initializing{request});
}

int PMPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return scatterv("MPI_Iscatterv", sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  Starting{request});
}

int PMPI_Iscatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
                     void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     MPI_Request* request) {
  return scatterv("MPI_Iscatterv", sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  Starting{request});
}

int PMPI_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                       void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                       MPI_Request* request) {
  return scatterv("MPI_Scatterv_init", sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  Initializing{request});
}

int PMPI_Scatterv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                         MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return scatterv("MPI_Scatterv_init", sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  Initializing{request});
}

int PMPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                     const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return allgatherv("MPI_Iallgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                    Starting{request});
}

int PMPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                       MPI_Request* request) {
  return allgatherv("MPI_Iallgatherv", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                    Starting{request});
}

int PMPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                         MPI_Request* request) {
  return allgatherv("MPI_Allgatherv_init", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                    Initializing{request});
}

int PMPI_Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                           MPI_Info, MPI_Request* request) {
  return allgatherv("MPI_Allgatherv_init", sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                    Initializing{request});
}

int PMPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request* request) {
  return alltoallv("MPI_Ialltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                   comm, Starting{request});
}

int PMPI_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return alltoallv("MPI_Ialltoallv", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                   comm, Starting{request});
}

int PMPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                        void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                        MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return alltoallv("MPI_Alltoallv_init", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                   comm, Initializing{request});
}

int PMPI_Alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                          MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return alltoallv("MPI_Alltoallv_init", sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                   comm, Initializing{request});
}

int PMPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                    void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                    MPI_Comm comm, MPI_Request* request) {
  return alltoallw("MPI_Ialltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                   comm, Starting{request});
}

int PMPI_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  return alltoallw("MPI_Ialltoallw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                   comm, Starting{request});
}

int PMPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                        const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return alltoallw("MPI_Alltoallw_init", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                   recvtypes, comm, Initializing{request});
}

int PMPI_Alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                          const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                          const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info,
                          MPI_Request* request) {
  return alltoallw("MPI_Alltoallw_init", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                   recvtypes, comm, Initializing{request});
}

int PMPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Request* request) {
  return reduce_scatter("MPI_Ireduce_scatter", sendbuf, recvbuf, recvcounts, 0, datatype, op, comm, Starting{request});
}

int PMPI_Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return reduce_scatter("MPI_Ireduce_scatter", sendbuf, recvbuf, recvcounts, 0, datatype, op, comm, Starting{request});
}

int PMPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduce_scatter("MPI_Reduce_scatter_init", sendbuf, recvbuf, recvcounts, 0, datatype, op, comm,
                        Initializing{request});
}

int PMPI_Reduce_scatter_init_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduce_scatter("MPI_Reduce_scatter_init", sendbuf, recvbuf, recvcounts, 0, datatype, op, comm,
                        Initializing{request});
}

int PMPI_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                 MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return reduce_scatter("MPI_Ireduce_scatter_block", sendbuf, recvbuf, static_cast<const int*>(nullptr), recvcount,
                        datatype, op, comm, Starting{request});
}

int PMPI_Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                     MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduce_scatter("MPI_Reduce_scatter_block_init", sendbuf, recvbuf, static_cast<const int*>(nullptr), recvcount,
                        datatype, op, comm, Initializing{request});
}
