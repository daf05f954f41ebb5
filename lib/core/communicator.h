// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file communicator.h
/// Groups and communicators.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/attributes.h"
#include "core/call_arguments.h"
#include "core/communicator_ids.h"
#include "core/error_handler.h"
#include "core/topology.h"

namespace tidings {

/// An ordered set of processes.
class Group {
 public:
  /// @param ranks world rank of each member.
  explicit Group(std::vector<std::uint32_t> ranks) : ranks_(std::move(ranks)) {
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) places_.emplace(ranks_[i], i);
    if (!ranks_.empty()) lowest_ = *std::min_element(ranks_.begin(), ranks_.end());
  }

  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] std::uint32_t world_rank(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const std::vector<std::uint32_t>& ranks() const { return ranks_; }
  /// Lowest world rank of a member.
  [[nodiscard]] std::uint32_t lowest() const { return lowest_; }
  /// Rank in this group of a process; -1 if it is not a member.
  [[nodiscard]] int rank_of(std::uint32_t world_rank) const {
    if (world_rank < ranks_.size() && ranks_[world_rank] == world_rank) return static_cast<int>(world_rank);
    const auto found = places_.find(world_rank);
    return found == places_.end() ? -1 : static_cast<int>(found->second);
  }

 private:
  std::vector<std::uint32_t> ranks_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;
  std::uint32_t lowest_ = 0;
};

class CommunicatorAlgorithms;
class Intercommunicator;

/// A communicator: a group with matching of its own.
class Communicator {
 public:
  /// The id of MPI_COMM_WORLD.
  static constexpr std::uint32_t kWorldId = 0;

  /// @param id equal on all members, and different from that of every other communicator of a member.
  /// @param label "communicator" and how it is told, with a percent sign for its id; lives as long as the process.
  /// @param remote of an intercommunicator, which has its `inter` set as well; null of others.
  Communicator(std::uint32_t id, const char* label, std::shared_ptr<const Group> group, std::uint32_t me,
               std::shared_ptr<ErrorHandler> handler, std::shared_ptr<const CommunicatorAlgorithms> chosen,
               std::shared_ptr<const Group> remote = nullptr)
      : error_handler(std::move(handler)),
        algorithms(std::move(chosen)),
        id_(id),
        label_(label),
        group_(std::move(group)),
        peers_(remote == nullptr ? group_ : std::move(remote)),
        rank_(group_->rank_of(me)) {}

  [[nodiscard]] std::uint32_t id() const { return id_; }
  /// As an argument of a call: "communicator % (from MPI_Comm_split)".
  [[nodiscard]] const char* label() const { return label_; }
  /// "2 (from MPI_Comm_split)".
  [[nodiscard]] std::string name() const {
    std::string text = label_ + std::strlen("communicator ");
    const std::size_t percent = text.find('%');
    return percent == std::string::npos ? text : text.replace(percent, 1, std::to_string(id_));
  }
  [[nodiscard]] const std::shared_ptr<const Group>& group() const { return group_; }
  [[nodiscard]] int size() const { return group_->size(); }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] std::uint32_t world_rank(int rank) const { return group_->world_rank(rank); }
  /// A member, as people should be told: "rank 2", or "rank 2 of the remote group".
  [[nodiscard]] std::string member_text(std::uint32_t world_rank) const {
    const int rank = group_->rank_of(world_rank);
    if (first_group == 0) return "rank " + std::to_string(rank);
    const bool in_first = rank < first_group;
    return "rank " + std::to_string(in_first ? rank : rank - first_group) + " of the " +
           (in_first == (rank_ < first_group) ? "local" : "remote") + " group";
  }
  /// The group that the ranks of sources and destinations are of: the remote one of an intercommunicator.
  [[nodiscard]] const std::shared_ptr<const Group>& peers() const { return peers_; }

  /// Differs from that of every communicator with a member in common, and of every one made with the same id.
  [[nodiscard]] std::uint64_t unique_id() const {
    return static_cast<std::uint64_t>(collective()) << 32 | std::min(group_->lowest(), peers_->lowest());
  }

  /// Context of the program's messages.
  [[nodiscard]] std::uint32_t point_to_point() const { return 2 * id_; }
  /// Context of the messages inside collectives.
  [[nodiscard]] std::uint32_t collective() const { return 2 * id_ + 1; }
  /// Communicator that a context belongs to.
  [[nodiscard]] static std::uint32_t id_of(std::uint32_t context) { return context / 2; }

  /// Number of the next collective: the tag of its messages.
  std::int32_t next_collective() {
    const std::int32_t number = collectives_;
    collectives_ = static_cast<std::int32_t>((static_cast<std::uint32_t>(number) + 1) & 0x7fffffffU);
    return number;
  }

  std::shared_ptr<ErrorHandler> error_handler;
  /// What the program attaches to it.
  Attributes attributes;
  /// The name that the program has given it.
  std::optional<std::string> title;
  /// Null if it has none.
  std::shared_ptr<const Topology> topology;
  /// What its collectives use; never null.
  std::shared_ptr<const CommunicatorAlgorithms> algorithms;
  /// The program promises that its collectives begin in one order everywhere, among all that their ranks begin.
  bool in_order = false;
  /// Ranks in the first of two groups, if it is the communicator of all ranks of an intercommunicator; else 0.
  int first_group = 0;
  /// What an intercommunicator does otherwise; null of others.
  std::shared_ptr<const Intercommunicator> inter;

 private:
  const CommunicatorId id_;
  const char* label_;
  std::shared_ptr<const Group> group_;
  std::shared_ptr<const Group> peers_;
  int rank_;
  std::int32_t collectives_ = 0;
};

/// Add which communicator it is, unless it is MPI_COMM_WORLD.
inline void add_arguments(CallArguments& arguments, const Communicator& communicator) {
  if (communicator.id() != Communicator::kWorldId) arguments.add(communicator.label(), communicator.id());
}

using CommunicatorPointer = std::shared_ptr<Communicator>;

}  // namespace tidings
