// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file place.h
/// Calls of the program that are remembered, and how what is found of them is written down.
#include <memory>
#include <string>
#include <string_view>

#include "check/checker.h"
#include "check/signature.h"

namespace tidings::check {

/// Where a request's call came from, with what can only be asked while its communicator and datatype are there.
struct Place {
  Site site;
  std::string arguments{};                               ///< "destination 1, tag 7"
  std::shared_ptr<const Signature> signature = nullptr;  ///< of the message; null if it is of no interest
};

[[nodiscard]] Place place_of(const Site& site);
/// File and offset of the call, its function and its arguments: the fields of variable.h.
[[nodiscard]] std::string fields_of(const Place& place);
/// Write a finding down. @param text in which "{}" stands for the other call, if there is one.
void report(const Place& place, const std::string& text, const Place* other = nullptr);
/// The same for any ranks. @param fields of the call of a rank, as fields_of() has them
void report(int rank, const std::string& fields, const std::string& text, int other_rank,
            const std::string& other_fields);

/// What is written there is lost.
inline constexpr int kNowhere = -1;
/// Open a file for what is found or compared. What cannot be opened or written ends the run.
/// @param name empty: the file is nowhere
[[nodiscard]] int opened(const std::string& name, int flags);
void write_down(int file, std::string_view bytes);

}  // namespace tidings::check
