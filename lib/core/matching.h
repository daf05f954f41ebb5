// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file matching.h
/// Matching of messages and receives in the order that MPI asks for.
///
/// Both queues find an exact match through a hash table, so the cost does not grow with the number of ranks or of
/// waiting entries. Only a receive with a wildcard looks through the messages that wait in its communicator.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

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

/// What looking for a match took.
struct Search {
  std::size_t looked = 0;  ///< entries
  bool in_table = false;   ///< of receives that wait behind the oldest
};

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

/// First-in, first-out lists of items by envelope. Allocates only while it grows.
template <class Item>
class EnvelopeLists {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[nodiscard]] bool empty() const { return heads_ == 0; }
  /// Place of the oldest item of an envelope; kNone if there is none.
  [[nodiscard]] std::uint32_t find(const Envelope& envelope) const {
    if (heads_ == 0) return kNone;
    std::uint32_t at = buckets_[bucket(envelope)];
    while (at != kNone && !(nodes_[at].envelope == envelope)) at = nodes_[at].next;
    return at;
  }
  [[nodiscard]] const Item& at(std::uint32_t place) const { return nodes_[place].item; }

  void push(const Envelope& envelope, Item item) {
    const std::uint32_t head = find(envelope);
    const std::uint32_t made = take();
    Node& node = nodes_[made];
    node.envelope = envelope;
    node.item = std::move(item);
    node.newer = kNone;
    if (head != kNone) {
      nodes_[nodes_[head].newest].newer = made;
      nodes_[head].newest = made;
      return;
    }
    if (heads_++ >= buckets_.size()) grow();
    node.newest = made;
    node.next = std::exchange(buckets_[bucket(envelope)], made);
  }

  /// Take the item at a place that find() has returned.
  Item pop(std::uint32_t head) {
    Node& node = nodes_[head];
    std::uint32_t* link = &buckets_[bucket(node.envelope)];
    while (*link != head) link = &nodes_[*link].next;
    if (node.newer == kNone) {
      *link = node.next;
      --heads_;
    } else {
      *link = node.newer;
      nodes_[node.newer].next = node.next;
      nodes_[node.newer].newest = node.newest;
    }
    node.next = std::exchange(free_, head);
    return std::move(node.item);
  }

 private:
  struct Node {
    Envelope envelope;
    Item item{};
    std::uint32_t next = kNone;    ///< of the oldest of an envelope: in its bucket; or among the free nodes
    std::uint32_t newer = kNone;   ///< of the same envelope
    std::uint32_t newest = kNone;  ///< of the same envelope, known to the oldest
  };
  static constexpr std::size_t kLeastBuckets = 16;

  [[nodiscard]] std::size_t bucket(const Envelope& envelope) const {
    return EnvelopeHash{}(envelope) & (buckets_.size() - 1);
  }
  std::uint32_t take() {
    if (free_ != kNone) return std::exchange(free_, nodes_[free_].next);
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  void grow() {
    const std::vector<std::uint32_t> old =
        std::exchange(buckets_, std::vector<std::uint32_t>(std::max(kLeastBuckets, 2 * buckets_.size()), kNone));
    for (std::uint32_t at : old) {
      while (at != kNone) {
        const std::uint32_t next = nodes_[at].next;
        nodes_[at].next = std::exchange(buckets_[bucket(nodes_[at].envelope)], at);
        at = next;
      }
    }
  }

  std::vector<std::uint32_t> buckets_;  ///< a power of two: the first head of each
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::size_t heads_ = 0;  ///< envelopes that have items
};

/// Receives that wait for a message. The oldest stands apart: a rank that waits for one message at a time needs no
/// table.
template <class Item>
class PostedQueue {
 public:
  /// @return whether others wait already.
  bool post(const Pattern& pattern, Item item) {
    if (!has_oldest_ && lists_.empty()) {
      has_oldest_ = true;
      oldest_ = pattern;
      oldest_item_ = std::move(item);
      return false;
    }
    if (is_wildcard(pattern)) ++wildcards_;
    lists_.push(pattern, {next_++, std::move(item)});
    return true;
  }

  /// Take the oldest receive that the message matches; an empty one if there is none. @param search what
  /// that took.
  Item match(const Envelope& message, Search& search) {
    if (has_oldest_ && matches(oldest_, message)) {
      ++search.looked;
      has_oldest_ = false;
      return std::move(oldest_item_);
    }
    return lists_.empty() ? Item{} : match_listed(message, search);
  }

  /// Take back a receive. @return false if it is not waiting.
  bool remove(const Pattern& pattern, const Item& item) {
    if (has_oldest_ && oldest_item_ == item) {
      has_oldest_ = false;
      oldest_item_ = {};
      return true;
    }
    std::vector<Entry> kept;  // those of the same pattern, in order
    bool found = false;
    for (std::uint32_t at = lists_.find(pattern); at != Lists::kNone; at = lists_.find(pattern)) {
      Entry entry = lists_.pop(at);
      if (entry.item == item) {
        found = true;
      } else {
        kept.push_back(std::move(entry));
      }
    }
    for (Entry& entry : kept) lists_.push(pattern, std::move(entry));
    if (found && is_wildcard(pattern)) --wildcards_;
    return found;
  }

 private:
  struct Entry {
    std::uint64_t order = 0;
    Item item{};
  };
  using Lists = EnvelopeLists<Entry>;

  [[nodiscard]] static bool is_wildcard(const Pattern& pattern) {
    return pattern.source == kAny || pattern.tag == kAny;
  }

  /// As match(), among the others than the oldest.
  [[gnu::noinline]] Item match_listed(const Envelope& message, Search& search) {
    search.in_table = true;
    std::uint32_t best = lists_.find(message);
    bool wildcard = false;
    if (best != Lists::kNone) ++search.looked;
    if (wildcards_ != 0) {
      for (const Pattern& pattern :
           {Pattern{message.context, message.source, kAny}, Pattern{message.context, kAny, message.tag},
            Pattern{message.context, kAny, kAny}}) {
        const std::uint32_t found = lists_.find(pattern);
        if (found == Lists::kNone) continue;
        ++search.looked;
        if (best != Lists::kNone && lists_.at(best).order < lists_.at(found).order) continue;
        best = found;
        wildcard = true;
      }
    }
    if (best == Lists::kNone) return {};
    if (wildcard) --wildcards_;
    return lists_.pop(best).item;
  }

  bool has_oldest_ = false;
  Pattern oldest_;  ///< older than all in the lists
  Item oldest_item_;
  Lists lists_;
  std::size_t wildcards_ = 0;  ///< receives in the lists with one or two
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
    std::uint32_t at = free_;
    if (at == kNone) {
      at = static_cast<std::uint32_t>(arrivals_.size());
      arrivals_.emplace_back();
    } else {
      free_ = arrivals_[at].next;
    }
    Context& context = context_of(envelope.context);
    arrivals_[at] = {{envelope, std::move(item)}, context.last, kNone};
    (context.last == kNone ? context.first : arrivals_[context.last].next) = at;
    context.last = at;
    index_.push(envelope, at);
  }

  /// The oldest message that matches, left in place. @param search what that took.
  [[nodiscard]] const Message* find(const Pattern& pattern, Search& search) const {
    const std::uint32_t list = locate(pattern, search);
    return list == kNone ? nullptr : &arrivals_[index_.at(list)].message;
  }

  /// Take the oldest message that matches. @param search what that took.
  std::optional<Message> take(const Pattern& pattern, Search& search) {
    const std::uint32_t list = locate(pattern, search);
    if (list == kNone) return std::nullopt;
    // Equal envelopes are taken in order, so the one found is the first of its list.
    const std::uint32_t at = index_.pop(list);
    Arrival& arrival = arrivals_[at];
    Context& context = context_of(arrival.message.envelope.context);
    (arrival.previous == kNone ? context.first : arrivals_[arrival.previous].next) = arrival.next;
    (arrival.next == kNone ? context.last : arrivals_[arrival.next].previous) = arrival.previous;
    if (context.first == kNone) {
      context = contexts_.back();
      contexts_.pop_back();
    }
    std::optional<Message> message = std::move(arrival.message);
    arrival.next = std::exchange(free_, at);
    return message;
  }

  /// Visit the messages of one context, oldest first.
  template <class Visit>
  void for_each(std::uint32_t context, Visit visit) const {
    for (const Context& one : contexts_) {
      if (one.number != context) continue;
      for (std::uint32_t at = one.first; at != kNone; at = arrivals_[at].next) visit(arrivals_[at].message);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Arrival {
    Message message{};
    std::uint32_t previous = kNone;  ///< of its context
    std::uint32_t next = kNone;      ///< of its context, or among the free ones
  };
  /// Messages of a context that has some.
  struct Context {
    std::uint32_t number = 0;
    std::uint32_t first = kNone;  ///< oldest
    std::uint32_t last = kNone;
  };

  Context& context_of(std::uint32_t number) {
    for (Context& context : contexts_) {
      if (context.number == number) return context;
    }
    return contexts_.emplace_back(Context{number, kNone, kNone});
  }

  /// List in the index of the oldest message that matches; kNone if there is none.
  [[nodiscard]] std::uint32_t locate(const Pattern& pattern, Search& search) const {
    if (pattern.source != kAny && pattern.tag != kAny) {
      const std::uint32_t list = index_.find(pattern);
      if (list != kNone) ++search.looked;
      return list;
    }
    for (const Context& context : contexts_) {
      if (context.number != pattern.context) continue;
      for (std::uint32_t at = context.first; at != kNone; at = arrivals_[at].next) {
        ++search.looked;
        const Envelope& envelope = arrivals_[at].message.envelope;
        if (matches(pattern, envelope)) return index_.find(envelope);
      }
    }
    return kNone;
  }

  std::vector<Arrival> arrivals_;
  std::uint32_t free_ = kNone;
  std::vector<Context> contexts_;
  EnvelopeLists<std::uint32_t> index_;  ///< places among the arrivals
};

}  // namespace tidings
