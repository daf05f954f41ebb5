// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/selection.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "coll/built_in_table.h"

namespace tidings {
namespace {

constexpr std::string_view kSpace = " \t\r";

// What reads a table also reads the built-in one, when the library is compiled.

/// Take the next word off a line.
constexpr std::string_view next_word(std::string_view& line) {
  const auto first = line.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return line = {};
  line.remove_prefix(first);
  const auto word = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(word.size());
  return word;
}

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

[[noreturn]] void refuse_condition(std::string_view word) {
  refuse("no condition '" + std::string(word) +
         "'; there are engine, messages, neighbours, and ranks, bytes and total with <, <=, > or >= and a number, as "
         "in bytes>=4096");
}

[[noreturn]] void refuse_engine(const Algorithm& algorithm) {
  refuse("the engine has no " + std::string(algorithm.name) + " for " + family_name(algorithm.collective));
}

[[noreturn]] void refuse_neighbours(const Algorithm& algorithm) {
  refuse(std::string(algorithm.name) + " has no edges that could join neighbours");
}

[[noreturn]] void refuse_no_name(Collective family) {
  refuse(std::string("which algorithm for ") + family_name(family) + "?");
}

/// Nothing for what is no number of 64 bits.
constexpr std::optional<std::uint64_t> number_in(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  std::uint64_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    const auto value = static_cast<std::uint64_t>(digit - '0');
    if (number > (kMost - value) / 10) return std::nullopt;
    number = 10 * number + value;
  }
  return number;
}

constexpr void add_condition(Rule& rule, std::string_view word) {
  if (word == "engine" || word == "messages") {
    const Carrier carrier = word == "engine" ? Carrier::Engine : Carrier::Messages;
    if (!rule.allows(carrier)) refuse("engine and messages exclude each other");
    if (carrier == Carrier::Engine && rule.algorithm->shape == nullptr) refuse_engine(*rule.algorithm);
    rule.carrier = carrier;
    return;
  }
  if (word == "neighbours") {
    if (rule.algorithm->shape == nullptr) refuse_neighbours(*rule.algorithm);
    rule.neighbours = true;
    return;
  }
  const auto sign = word.find_first_of("<>");
  if (sign == std::string_view::npos) refuse_condition(word);
  const auto name = word.substr(0, sign);
  Interval* const interval = name == "ranks"   ? &rule.ranks
                             : name == "bytes" ? &rule.bytes
                             : name == "total" ? &rule.total
                                               : nullptr;
  const bool equal = word.substr(sign + 1).starts_with('=');
  const auto number = number_in(word.substr(sign + (equal ? 2 : 1)));
  if (interval == nullptr || !number) refuse_condition(word);
  const bool below = word[sign] == '<';
  if (below && !equal && *number == 0) refuse("nothing is less than 0");
  if (below) {
    interval->most = equal ? *number : *number - 1;
  } else {
    interval->least = equal ? *number : *number + 1;
  }
}

constexpr Rule parse_rule(std::string_view line) {
  const Collective family = family_named(next_word(line));
  const auto name = next_word(line);
  if (name.empty()) refuse_no_name(family);
  Rule rule;
  rule.algorithm = &algorithm_named(family, name);
  for (auto word = next_word(line); !word.empty(); word = next_word(line)) add_condition(rule, word);
  return rule;
}

[[noreturn]] void refuse_line(std::string_view source, std::size_t number, const std::invalid_argument& error) {
  refuse(std::string(source) + ":" + std::to_string(number) + ": " + error.what());
}

constexpr std::vector<Rule> parse_table(std::string_view text, std::string_view source) {
  std::vector<Rule> rules;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(kSpace) == std::string_view::npos) continue;
    try {
      rules.push_back(parse_rule(line));
    } catch (const std::invalid_argument& error) {
      refuse_line(source, number, error);
    }
  }
  return rules;
}

/// What a file holds. Streams of C++ would bring all locales along.
std::string text_of(const char* path) {
  std::string text;
  std::array<char, 4096> piece{};
  std::FILE* const file = std::fopen(path, "r");
  bool good = file != nullptr;
  if (good) {
    while (const std::size_t bytes = std::fread(piece.data(), 1, piece.size(), file)) text.append(piece.data(), bytes);
    good = std::ferror(file) == 0;
    std::fclose(file);
  }
  if (!good) refuse(std::string(path) + ": cannot be read (named by " + kTableVariable + ")");
  return text;
}

constexpr auto kBuiltInRules = [] {
  constexpr std::size_t kRules = parse_table(kBuiltInTable, "").size();
  std::array<Rule, kRules> rules{};
  const std::vector<Rule> read = parse_table(kBuiltInTable, "");
  std::copy(read.begin(), read.end(), rules.begin());
  return rules;
}();

}  // namespace

bool Rule::allows_bytes(std::optional<std::uint64_t> block, std::uint64_t size) const {
  if (!block) return ignores_bytes();
  return bytes.holds(*block) && total.holds(*block * size);
}

const Selection& Selection::built_in() {
  static const Selection selection = [] {
    Selection made;
    made.rules_.assign(kBuiltInRules.begin(), kBuiltInRules.end());
    return made;
  }();
  return selection;
}

std::string_view Selection::built_in_table() { return kBuiltInTable; }

Selection Selection::of_environment() {
  Selection selection = built_in();
  if (const char* const path = std::getenv(kTableVariable); path != nullptr) {
    selection = selection.with_table(text_of(path), path);
  }
  if (const char* const choices = std::getenv(kChoicesVariable); choices != nullptr) {
    try {
      selection = selection.with_choices(choices);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string(kChoicesVariable) + ": " + error.what());
    }
  }
  return selection;
}

Selection Selection::with_table(std::string_view text, const std::string& source) const {
  Selection made = *this;
  const std::vector<Rule> rules = parse_table(text, source);
  made.rules_.insert(made.rules_.begin(), rules.begin(), rules.end());
  return made;
}

Selection Selection::with_choices(std::string_view choices) const {
  Selection made = *this;
  made.choices_ = choices;
  std::vector<Rule> rules;
  while (!choices.empty()) {
    const auto comma = choices.find(',');
    const auto choice = choices.substr(0, comma);
    choices.remove_prefix(comma == std::string_view::npos ? choices.size() : comma + 1);
    const auto equals = choice.find('=');
    if (equals == std::string_view::npos) {
      throw std::invalid_argument("'" + std::string(choice) + "' names no algorithm: write it as allreduce=ring");
    }
    Rule rule;
    rule.named = true;
    rule.algorithm = &algorithm_named(family_named(choice.substr(0, equals)), choice.substr(equals + 1));
    for (const Rule& other : rules) {
      if (other.algorithm->collective == rule.algorithm->collective) {
        throw std::invalid_argument(std::string("two algorithms for ") + family_name(rule.algorithm->collective) +
                                    ": " + std::string(other.algorithm->name) + " and " +
                                    std::string(rule.algorithm->name));
      }
    }
    rules.push_back(rule);
  }
  made.rules_.insert(made.rules_.begin(), rules.begin(), rules.end());
  return made;
}

std::vector<Rule> Selection::rules(Collective family) const {
  std::vector<Rule> found;
  for (const Rule& rule : rules_) {
    if (rule.algorithm->collective == family) found.push_back(rule);
  }
  return found;
}

}  // namespace tidings
