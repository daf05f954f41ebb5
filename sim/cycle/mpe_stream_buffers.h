// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_stream_buffers.h
/// Twin of rtl/engine/mpe_stream_buffers.sv.
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/cycle/mpe_pkg.h"
#include "sim/machine/node.h"
#include "sim/machine/zeroed_array.h"

namespace tidings::cycle {

/// Stream buffers of all links, and the Credit packets that tell of words taken from them.
class MpeStreamBuffers {
 public:
  struct Inputs {
    bool rx_valid = false;
    MpeInfo rx_info;
    std::uint32_t rx_data = 0;
    unsigned tapped = 0;  ///< links that a word comes to directly, one bit each
    const MpeTap* taps = nullptr;
    unsigned context = 0;
    unsigned read = 0;  ///< its links to take a word from, one bit each
    bool reply_ready = false;
  };

  MpeStreamBuffers(std::uint32_t links, std::uint32_t contexts, std::uint32_t words, NodeId node, SlotId slot);

  /// A word of a Stream packet is taken.
  [[nodiscard]] bool rx_ready() const { return !held_; }
  /// Words in the buffer of a context's link; none if the link does not exist.
  [[nodiscard]] std::uint32_t count(unsigned context, unsigned link) const {
    const Buffer& buffer = buffers_[place(context, link)];
    return (buffer.write - buffer.read) & count_mask_;
  }
  /// The same, by place.
  [[nodiscard]] std::uint32_t count(std::size_t at) const {
    return (buffers_[at].write - buffers_[at].read) & count_mask_;
  }
  [[nodiscard]] std::size_t place(unsigned context, unsigned link) const {
    return std::size_t{context & context_mask_} * kMaxLinks + (link & (kMaxLinks - 1));
  }
  /// Word of a link last taken.
  [[nodiscard]] std::uint32_t data(unsigned link) const { return data_[link & (kMaxLinks - 1)]; }
  [[nodiscard]] bool reply_valid() const { return state_ != State::kIdle; }
  [[nodiscard]] Flit reply_flit(MpeLinks links) const;
  [[nodiscard]] bool active() const { return state_ != State::kIdle || due_contexts_ != 0 || held_; }

  // A piece of its own: `flow` hardly ever needs it, and is faster without.
  [[gnu::noinline]] void clock(const Inputs& inputs);
  /// The same without words that come. @param context,read,reply_ready as in Inputs.
  void flow(unsigned context, unsigned read, bool reply_ready) {
    if (active()) {
      clock({.rx_info = {}, .context = context, .read = read, .reply_ready = reply_ready});
    } else {
      take(context & context_mask_, read);
    }
  }
  /// Part of a clock edge: a word comes to a link.
  void write(unsigned context, unsigned link, std::uint32_t data) {
    const std::size_t at = place(context, link);
    Buffer& buffer = buffers_[at];
    word(at, buffer.write) = data;
    buffer.write = (buffer.write + 1) & count_mask_;
  }

 private:
  enum class State : std::uint8_t { kIdle, kHeader0, kHeader1 };

  /// Counts of words modulo twice the buffer's size.
  struct Buffer {
    std::uint32_t write = 0;
    std::uint32_t read = 0;
    std::uint32_t credited = 0;  ///< told to the neighbour
  };

  /// Part of a clock edge: words are taken from links of a context, one bit each.
  [[gnu::always_inline]] void take(unsigned context, unsigned links) {
    for (; links != 0; links &= links - 1) {
      const auto link = static_cast<unsigned>(std::countr_zero(links));
      const std::size_t at = place(context, link);
      Buffer& buffer = buffers_[at];
      data_[link] = word(at, buffer.read);
      buffer.read = (buffer.read + 1) & count_mask_;
      if (((buffer.read - buffer.credited) & count_mask_) >= words_ / 4) {
        due_[context] |= 1U << link;
        due_contexts_ |= 1U << context;
      }
    }
  }
  [[nodiscard]] std::uint32_t& word(std::size_t place, std::uint32_t count) {
    return memory_[place * words_ + (count & (words_ - 1))];
  }

  std::uint32_t words_;
  std::uint32_t count_mask_;
  unsigned context_mask_;
  unsigned link_mask_;
  NodeId node_;
  SlotId slot_;
  std::vector<Buffer> buffers_;  ///< kMaxLinks per context
  ZeroedArray<std::uint32_t> memory_;
  bool held_ = false;  ///< a word of a Stream packet, which has met one that came directly
  MpeInfo held_info_;
  std::uint32_t held_data_ = 0;
  State state_ = State::kIdle;
  std::array<std::uint32_t, kMaxLinks> data_{};
  std::array<unsigned, kMaxContexts> due_{};  ///< one bit per link
  unsigned due_contexts_ = 0;                 ///< those with a link that is due
  unsigned reply_context_ = 0;
  unsigned reply_link_ = 0;
};

}  // namespace tidings::cycle
