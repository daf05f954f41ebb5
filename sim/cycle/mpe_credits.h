// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_credits.h
/// Twin of rtl/engine/mpe_credits.sv.
#include <cstdint>
#include <vector>

#include "sim/cycle/mpe_pkg.h"

namespace tidings::cycle {

/// Room that the neighbours have for words, in each context and at each link.
class MpeCredits {
 public:
  explicit MpeCredits(const MpeParameters& parameters)
      : links_(parameters.node.mpe_links),
        context_mask_(parameters.node.mpe_contexts - 1),
        credit_mask_(2 * parameters.node.mpe_buffer_words - 1),
        credits_(std::size_t{parameters.node.mpe_contexts} * kMaxLinks) {
    for (std::size_t i = 0; i < credits_.size(); ++i)
      credits_[i] = i % kMaxLinks < links_ ? parameters.node.mpe_buffer_words : 0;
  }

  /// None if the link does not exist.
  [[nodiscard]] std::uint32_t room(unsigned context, unsigned link) const {
    return credits_[place(context, link & (kMaxLinks - 1))];
  }
  /// At the clock edge: a packet starts to each of `links`.
  void take(unsigned context, unsigned links, std::uint32_t words) {
    for (; links != 0; links = without_lowest_link(links)) change(context, lowest_link(links), 0 - words);
  }
  /// At the clock edge: a neighbour has freed words.
  void give(const MpeInfo& info, std::uint32_t words) { change(info.context_id, info.link, words); }

 private:
  [[nodiscard]] std::size_t place(unsigned context, unsigned link) const {
    return std::size_t{context & context_mask_} * kMaxLinks + link;
  }
  void change(unsigned context, unsigned link, std::uint32_t difference) {
    if (link >= links_) return;
    std::uint32_t& room = credits_[place(context, link)];
    room = (room + difference) & credit_mask_;
  }

  std::uint32_t links_;
  unsigned context_mask_;
  std::uint32_t credit_mask_;
  std::vector<std::uint32_t> credits_;  ///< kMaxLinks per context
};

}  // namespace tidings::cycle
