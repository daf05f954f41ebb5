// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_stream_buffers.h
/// Twin of rtl/engine/mpe_stream_buffers.sv.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/cycle/mpe_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Stream buffers of all links, and the Credit packets that tell of words taken from them.
class MpeStreamBuffers {
 public:
  struct Inputs {
    bool rx_valid = false;
    unsigned rx_link = 0;
    std::uint32_t rx_data = 0;
    unsigned read = 0;  ///< links to take a word from, one bit each
    bool reply_ready = false;
  };

  MpeStreamBuffers(std::uint32_t links, std::uint32_t words, NodeId node, SlotId slot);

  /// Words in a link's buffer; none where the link does not exist.
  [[nodiscard]] std::uint32_t count(unsigned link) const {
    const Buffer& buffer = buffers_[link & (kMaxLinks - 1)];
    return (buffer.write - buffer.read) & count_mask_;
  }
  /// Word of a link last taken.
  [[nodiscard]] std::uint32_t data(unsigned link) const { return buffers_[link & (kMaxLinks - 1)].data; }
  [[nodiscard]] bool reply_valid() const { return state_ != State::kIdle; }
  [[nodiscard]] Flit reply_flit(std::span<const MpeLink> links) const;
  [[nodiscard]] bool active() const { return state_ != State::kIdle || due_ != 0; }

  void clock(const Inputs& inputs);

 private:
  enum class State : std::uint8_t { kIdle, kHeader0, kHeader1 };

  /// Counts of words modulo twice the buffer's size.
  struct Buffer {
    std::uint32_t write = 0;
    std::uint32_t read = 0;
    std::uint32_t credited = 0;  ///< told to the neighbour
    std::uint32_t data = 0;      ///< word last taken
  };

  [[nodiscard]] std::uint32_t& word(unsigned link, std::uint32_t count) {
    return memory_[link * words_ + (count & (words_ - 1))];
  }

  std::uint32_t words_;
  std::uint32_t count_mask_;
  unsigned link_mask_;
  NodeId node_;
  SlotId slot_;
  std::array<Buffer, kMaxLinks> buffers_;
  std::vector<std::uint32_t> memory_;
  State state_ = State::kIdle;
  unsigned due_ = 0;  ///< one bit a link
  unsigned reply_link_ = 0;
};

}  // namespace tidings::cycle
