// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file executor.h
/// Runs a schedule over point-to-point messages.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coll/schedule.h"
#include "core/free_work.h"
#include "core/message_layer.h"
#include "core/operation.h"

namespace tidings {

/// Where the blocks of one array are in memory.
class View {
 public:
  View() = default;
  /// One block.
  static View whole(const Buffer& buffer);
  /// Blocks of `count` elements one after the other.
  static View uniform(void* base, std::size_t count, const Datatype* type);
  /// The elements of a buffer divided into `blocks` nearly equal blocks.
  static View split(const Buffer& buffer, std::uint32_t blocks);
  /// Block i: counts[i] elements from displacements[i], in elements. Both arrays outlive the view.
  static View varying(void* base, const std::size_t* counts, const std::ptrdiff_t* displacements, const Datatype* type);
  /// Block i: counts[i] elements of types[i] from displacements[i], in bytes. The arrays outlive the view.
  static View mixed(void* base, const std::size_t* counts, const std::ptrdiff_t* displacements,
                    const Datatype* const* types);

  /// Memory of consecutive blocks. More than one block only if they lie one after the other.
  [[nodiscard]] Buffer range(std::uint32_t first, std::uint32_t blocks) const;

 private:
  void* base_ = nullptr;
  const Datatype* type_;
  std::size_t uniform_ = 0;                        ///< elements in each block, unless they differ
  std::size_t longer_ = 0;                         ///< how many of the first blocks have one element more
  const std::size_t* counts_ = nullptr;            ///< elements in each block
  const std::ptrdiff_t* displacements_ = nullptr;  ///< in elements
  const Datatype* const* types_ = nullptr;         ///< of each block; then displacements are in bytes
};

/// The arrays of a schedule.
struct Views {
  View input;
  View output;
  View scratch;
};

/// A collective whose schedule is run.
struct ScheduledCollective {
  const Communicator& communicator;
  std::int32_t tag;
  std::optional<CollectiveDescriptor> descriptor;  ///< that messages carry; none in a nonblocking collective
  const Views& views;
  const Operation* operation;  ///< null if nothing is combined
};
/// Start the transfers of a round.
void start_round(MessageLayer& messages, const ScheduledCollective& collective, const Round& round,
                 std::vector<RequestPointer>& requests);
/// What is wrong with a complete transfer: another rank sent more or less than is expected. Empty if nothing is.
[[nodiscard]] std::string transfer_mistake(const Communicator& communicator, const Request& request);
/// The local steps of a round whose transfers are complete.
void run_steps(const ScheduledCollective& collective, const Round& round);

/// The sends of a round whose transfers take no time.
void give_round(const ScheduledCollective& collective, const Round& round);
/// Take what has come of a round whose transfers take no time. Does not wait.
/// @param next transfer that has not come yet; counts up to their number, with which the round is complete.
/// @return what is wrong with a transfer: another rank sent more or less than is expected. Empty if nothing is.
[[nodiscard]] std::string take_round(const ScheduledCollective& collective, const Round& round, std::size_t& next);

/// Run the schedule of this rank, by messages or, if `ideal()`, at once. @param operation null if nothing is combined.
/// @param transfers memory for those of a round.
/// @throws Error if another rank sends more or less than is expected.
void run_schedule(MessageLayer& messages, const Communicator& communicator, std::int32_t tag,
                  const CollectiveDescriptor& descriptor, const Schedule& schedule, const Views& views,
                  const Operation* operation, std::vector<RequestPointer>& transfers);

}  // namespace tidings
