// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file selection.h
/// Which algorithm each collective uses: rules from a table (lib/coll/algorithms.table) and from the user.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coll/registry.h"

namespace tidings {

/// Who carries an algorithm out.
enum class Carrier : std::uint8_t { Engine, Messages };

/// Numbers from `least` to `most`, both among them.
struct Interval {
  std::uint64_t least = 0;
  std::uint64_t most = ~std::uint64_t{0};
  [[nodiscard]] bool holds(std::uint64_t value) const { return least <= value && value <= most; }
  [[nodiscard]] bool is_all() const { return least == 0 && most == ~std::uint64_t{0}; }
  bool operator==(const Interval&) const = default;
};

/// A line of a table.
struct Rule {
  const Algorithm* algorithm = nullptr;
  std::optional<Carrier> carrier;  ///< the only one
  bool neighbours = false;         ///< only if every edge joins neighbouring routers
  bool named = false;              ///< by the user or the program, not by a table
  Interval ranks;                  ///< of the communicator
  Interval bytes;                  ///< of the vector, or of one block
  Interval total;                  ///< bytes times ranks

  [[nodiscard]] constexpr bool allows(Carrier one) const { return !carrier || *carrier == one; }
  /// @param block bytes of the vector or of one block; nothing if blocks differ.
  [[nodiscard]] bool allows_bytes(std::optional<std::uint64_t> block, std::uint64_t size) const;
  /// Every call on the communicator meets its conditions, whatever its bytes.
  [[nodiscard]] bool ignores_bytes() const { return bytes.is_all() && total.is_all(); }
};

/// Environment variables that a launcher sets: the file of a table, and what with_choices() takes.
constexpr const char* kTableVariable = "TIDINGS_ALGORITHM_TABLE";
constexpr const char* kChoicesVariable = "TIDINGS_ALGORITHMS";

class Selection {
 public:
  /// The table that the library was built with, read when it was built. It has a rule for every call.
  [[nodiscard]] static const Selection& built_in();
  /// Its text: lib/coll/algorithms.table.
  [[nodiscard]] static std::string_view built_in_table();

  /// The built-in table after what the environment names. @throws std::invalid_argument saying what is wrong with it.
  [[nodiscard]] static Selection of_environment();

  /// The rules of a table, in front of these. @param source its name, for errors.
  /// @throws std::invalid_argument "source:line: what is wrong".
  [[nodiscard]] Selection with_table(std::string_view text, const std::string& source) const;
  /// Algorithms that a user names, in front of these rules: "allreduce=ring,bcast=chain".
  /// @throws std::invalid_argument saying what there is.
  [[nodiscard]] Selection with_choices(std::string_view choices) const;
  /// What with_choices() was given last, once more: "allreduce=ring,bcast=chain".
  [[nodiscard]] const std::string& choices() const { return choices_; }

  /// Rules of all collectives, in the order in which they are tried.
  [[nodiscard]] const std::vector<Rule>& all() const { return rules_; }
  /// Those of one collective.
  [[nodiscard]] std::vector<Rule> rules(Collective family) const;

 private:
  std::vector<Rule> rules_;
  std::string choices_;
};

}  // namespace tidings
