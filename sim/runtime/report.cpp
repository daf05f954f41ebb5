// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/report.h"

#include <algorithm>

#include "sim/runtime/segment.h"

namespace tidings {
namespace {

void add(OperationStatistics& to, const OperationStatistics& more) {
  if (more.calls == 0) return;
  to.min_ps = to.calls == 0 ? more.min_ps : std::min(to.min_ps, more.min_ps);
  to.max_ps = std::max(to.max_ps, more.max_ps);
  to.calls += more.calls;
  to.bytes += more.bytes;
  to.total_ps += more.total_ps;
  to.hardware += more.hardware;
  to.software += more.software;
  to.fallback += more.fallback;
  for (const auto& [reason, calls] : more.fallback_reasons) to.fallback_reasons[reason] += calls;
  for (const auto& [note, calls] : more.notes) to.notes[note] += calls;
}

}  // namespace

RankReport rank_report(const tidings_channel& channel) {
  RankReport report{.rank = channel.rank,
                    .elapsed_ps = channel.local_ps,
                    .communication_ps = std::min(channel.communication_ps, channel.local_ps),
                    .operations = {}};
  const std::size_t rows = std::min<std::size_t>(channel.operation_rows, TIDINGS_MAX_OPERATIONS);
  const std::size_t reasons = std::min<std::size_t>(channel.reason_rows, TIDINGS_MAX_REASONS);
  for (std::size_t row = 0; row < rows; ++row) {
    const tidings_operation_totals& totals = channel.operations[row];
    if (totals.calls == 0) continue;  // begun and never left
    OperationStatistics operation{.name = text_of(totals.name),
                                  .calls = totals.calls,
                                  .bytes = totals.bytes,
                                  .min_ps = totals.min_ps,
                                  .total_ps = totals.total_ps,
                                  .max_ps = totals.max_ps,
                                  .hardware = totals.hardware,
                                  .software = totals.software,
                                  .fallback = totals.fallback,
                                  .fallback_reasons = {},
                                  .notes = {}};
    for (std::size_t i = 0; i < reasons; ++i) {
      const tidings_reason_totals& reason = channel.reasons[i];
      if (reason.operation != row) continue;
      (reason.is_note != 0 ? operation.notes : operation.fallback_reasons)[text_of(reason.text)] += reason.calls;
    }
    report.operations.push_back(std::move(operation));
  }
  std::ranges::sort(report.operations, {}, &OperationStatistics::name);
  return report;
}

std::uint64_t RunReport::elapsed_ps() const {
  std::uint64_t latest = 0;
  for (const RankReport& rank : ranks) latest = std::max(latest, rank.elapsed_ps);
  return latest;
}

std::vector<OperationStatistics> RunReport::operations() const {
  std::map<std::string, OperationStatistics> by_name;
  for (const RankReport& rank : ranks)
    for (const OperationStatistics& operation : rank.operations) add(by_name[operation.name], operation);
  std::vector<OperationStatistics> result;
  for (auto& [name, operation] : by_name) {
    operation.name = name;
    result.push_back(std::move(operation));
  }
  return result;
}

double RunReport::communication_share() const {
  double communication = 0;
  double elapsed = 0;
  for (const RankReport& rank : ranks) {
    communication += static_cast<double>(rank.communication_ps);
    elapsed += static_cast<double>(rank.elapsed_ps);
  }
  return elapsed == 0 ? 0 : communication / elapsed;
}

}  // namespace tidings
