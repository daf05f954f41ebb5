// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "mpi/call.h"

namespace tidings {

Call::Call(const char* name, MPI_Comm communicator)
    : name_(name), communicator_(communicator), outer_(library().current) {
  library().current = this;
}

Call::~Call() {
  if (counted_) tidings_operation_end(outcome_.path, outcome_.reason);
  library().current = outer_;
}

std::string Call::text() const {
  if (descriptor_) return to_string(*descriptor_);
  std::string text = name_;
  if (direction_ == nullptr) return text;
  text += direction_;
  text += rank_ == MPI_ANY_SOURCE ? "any rank" : "rank " + std::to_string(rank_);
  text += tag_ == MPI_ANY_TAG ? ", any tag" : ", tag " + std::to_string(tag_);
  return text;
}

void Call::peer(const char* direction, int rank, int tag) {
  direction_ = direction;
  rank_ = rank;
  tag_ = tag;
}

void Call::begin(const Communicator& communicator, std::uint64_t bytes, std::uint64_t count) {
  const bool known = direction_ != nullptr && rank_ >= 0;
  const tidings_operation operation{
      .name = name_,
      .peer = known ? static_cast<std::int32_t>(communicator.world_rank(rank_)) : -1,
      .tag = direction_ != nullptr && tag_ >= 0 ? tag_ : -1,
      .communicator = communicator.id(),
      .bytes = bytes,
      .count = count,
      .peer_is_root = false,
      .any_peer = direction_ != nullptr && rank_ == MPI_ANY_SOURCE,
  };
  tidings_operation_begin(&operation);
  counted_ = true;
  tidings_work(TIDINGS_WORK_CALL, 1);
}

void Call::begin_collective(const Communicator& communicator, std::uint64_t bytes) {
  const bool rooted = has_root(descriptor_->kind);
  const tidings_operation operation{
      .name = name_,
      .peer = rooted ? static_cast<std::int32_t>(communicator.world_rank(descriptor_->root)) : -1,
      .tag = -1,
      .communicator = communicator.id(),
      .bytes = bytes,
      .count = descriptor_->count,
      .peer_is_root = rooted,
      .any_peer = false,
  };
  tidings_operation_begin(&operation);
  counted_ = true;
  tidings_work(TIDINGS_WORK_CALL, 1);
}

}  // namespace tidings
