// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file name_table.h
/// Twin of rtl/engine/name_table.sv: gives registered regions numbers, and finds them again by their address.
#include <cstdint>
#include <span>
#include <vector>

#include "sim/cycle/rma_pkg.h"

namespace tidings::cycle {

class NameTable {
 public:
  /// @param names numbers; 0: none, and commands come to nothing.
  explicit NameTable(std::uint32_t names) : rows_(names) {}

  [[nodiscard]] const NameResult& result() const { return result_; }
  [[nodiscard]] bool busy() const { return state_ != State::kIdle; }
  /// A command that comes in this cycle is dropped.
  [[nodiscard]] bool loses() const { return !rows_.empty() && busy(); }
  /// The row of a number; not valid if no region has it.
  [[nodiscard]] RmaRegion row(std::uint8_t number) const { return number < rows_.size() ? rows_[number] : RmaRegion{}; }

  /// One clock edge. @param command that comes, if any. @param filled the rows that software can fill itself.
  void clock(const NameCommand* command, std::span<const RmaRegion> filled) {
    switch (state_) {
      case State::kIdle:
        if (command != nullptr && !rows_.empty()) begin(*command, filled);
        break;
      case State::kWrite:
        rows_[number_] = {.valid = true,
                          .readable = command_.readable,
                          .writable = command_.writable,
                          .routes = false,
                          .base = command_.base & ~3U,
                          .length = command_.length};
        end();
        break;
      case State::kRead:
        state_ = State::kErase;
        break;
      case State::kErase:
        rows_[number_].valid = false;
        end();
        break;
    }
  }

 private:
  enum class State : std::uint8_t { kIdle, kWrite, kRead, kErase };

  void begin(const NameCommand& command, std::span<const RmaRegion> filled) {
    command_ = command;
    std::size_t number = 0;
    switch (command.operation) {
      case NameOperation::kRegister:
        while (number < rows_.size() && (rows_[number].valid || (number < filled.size() && filled[number].valid))) {
          ++number;
        }
        break;
      case NameOperation::kRelease:
        number = command.number < rows_.size() && rows_[command.number].valid ? command.number : rows_.size();
        break;
      default:
        while (number < rows_.size() && !(rows_[number].valid && rows_[number].base == (command.base & ~3U))) ++number;
        break;
    }
    const bool found = number < rows_.size();
    const bool at_once = !found || command.operation == NameOperation::kLookup;
    number_ = static_cast<std::uint8_t>(found ? number : 0);
    result_ = {.busy = !at_once, .found = found && at_once, .number = at_once ? number_ : std::uint8_t{0}};
    if (!at_once) state_ = command.operation == NameOperation::kRegister ? State::kWrite : State::kRead;
  }

  void end() {
    result_ = {.busy = false, .found = true, .number = number_};
    state_ = State::kIdle;
  }

  std::vector<RmaRegion> rows_;
  State state_ = State::kIdle;
  NameCommand command_;
  std::uint8_t number_ = 0;
  NameResult result_;
};

}  // namespace tidings::cycle
