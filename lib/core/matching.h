// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file matching.h
/// Matching of messages and receives in the order that MPI asks for.
///
/// Both queues find an exact match through a hash table, so the cost does not grow with the number of ranks or of
/// waiting entries. Only a receive with a wildcard looks through the messages that wait in its communicator.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tidings {

/// Stands for any source or any tag in a pattern; sources and tags of messages are not negative.
inline constexpr std::int32_t kAny = -1;

/// What a message is matched by.
struct Envelope {
  std::uint32_t context = 0;
  std::int32_t source = 0;  ///< world rank
  std::int32_t tag = 0;
  bool operator==(const Envelope&) const = default;
};

/// An envelope in which source and tag may be kAny.
using Pattern = Envelope;

[[nodiscard]] inline bool matches(const Pattern& pattern, const Envelope& message) {
  return pattern.context == message.context && (pattern.source == kAny || pattern.source == message.source) &&
         (pattern.tag == kAny || pattern.tag == message.tag);
}

struct EnvelopeHash {
  std::size_t operator()(const Envelope& e) const {
    std::uint64_t h = (static_cast<std::uint64_t>(e.context) << 32) ^ static_cast<std::uint32_t>(e.source);
    h = h * 0x9e3779b97f4a7c15ULL ^ static_cast<std::uint32_t>(e.tag);
    return static_cast<std::size_t>((h * 0x9e3779b97f4a7c15ULL) >> 7);
  }
};

/// Receives that wait for a message.
template <class Item>
class PostedQueue {
 public:
  void post(const Pattern& pattern, Item item) { lists_[pattern].push_back({next_++, std::move(item)}); }

  /// Take the oldest receive that the message matches. @param looked counts the entries looked at.
  std::optional<Item> match(const Envelope& message, std::size_t& looked) {
    typename Lists::iterator best = lists_.end();
    for (const std::int32_t source : {message.source, kAny}) {
      for (const std::int32_t tag : {message.tag, kAny}) {
        const auto found = lists_.find({message.context, source, tag});
        if (found == lists_.end()) continue;
        ++looked;
        if (best == lists_.end() || found->second.front().order < best->second.front().order) best = found;
      }
    }
    if (best == lists_.end()) return std::nullopt;
    Item item = std::move(best->second.front().item);
    best->second.pop_front();
    if (best->second.empty()) lists_.erase(best);
    return item;
  }

 private:
  struct Entry {
    std::uint64_t order;
    Item item;
  };
  using Lists = std::unordered_map<Pattern, std::deque<Entry>, EnvelopeHash>;

  Lists lists_;
  std::uint64_t next_ = 0;
};

/// Messages that wait for a receive.
template <class Item>
class UnexpectedQueue {
 public:
  struct Message {
    Envelope envelope;
    Item item;
  };

  void add(const Envelope& envelope, Item item) {
    Arrivals& arrivals = arrivals_[envelope.context];
    arrivals.push_back({envelope, std::move(item)});
    index_[envelope].push_back(std::prev(arrivals.end()));
  }

  /// The oldest message that matches, left in place. @param looked counts the entries looked at.
  [[nodiscard]] const Message* find(const Pattern& pattern, std::size_t& looked) const {
    const Found found = locate(pattern, looked);
    return found ? &**found : nullptr;
  }

  /// Take the oldest message that matches. @param looked counts the entries looked at.
  std::optional<Message> take(const Pattern& pattern, std::size_t& looked) {
    const Found found = locate(pattern, looked);
    if (!found) return std::nullopt;
    const typename Arrivals::iterator at = *found;
    Message message = std::move(*at);
    // Equal envelopes are taken in order, so the one found is the first of its list.
    const auto list = index_.find(message.envelope);
    list->second.pop_front();
    if (list->second.empty()) index_.erase(list);
    const auto arrivals = arrivals_.find(message.envelope.context);
    arrivals->second.erase(at);
    if (arrivals->second.empty()) arrivals_.erase(arrivals);
    return message;
  }

  /// Visit the messages of one context, oldest first.
  template <class Visit>
  void for_each(std::uint32_t context, Visit visit) const {
    const auto found = arrivals_.find(context);
    if (found == arrivals_.end()) return;
    for (const Message& message : found->second) visit(message);
  }

 private:
  using Arrivals = std::list<Message>;
  using Found = std::optional<typename Arrivals::iterator>;

  Found locate(const Pattern& pattern, std::size_t& looked) const {
    if (pattern.source != kAny && pattern.tag != kAny) {
      const auto found = index_.find(pattern);
      if (found == index_.end()) return std::nullopt;
      ++looked;
      return found->second.front();
    }
    const auto arrivals = arrivals_.find(pattern.context);
    if (arrivals == arrivals_.end()) return std::nullopt;
    for (const Message& message : arrivals->second) {
      ++looked;
      if (matches(pattern, message.envelope)) return index_.find(message.envelope)->second.front();
    }
    return std::nullopt;
  }

  std::unordered_map<std::uint32_t, Arrivals> arrivals_;  ///< of each context, oldest first
  std::unordered_map<Envelope, std::deque<typename Arrivals::iterator>, EnvelopeHash> index_;
};

}  // namespace tidings
