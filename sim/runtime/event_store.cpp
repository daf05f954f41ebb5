// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/event_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "sim/runtime/events.h"

namespace tidings {
namespace {

constexpr std::size_t kMostWindows = 256;
constexpr std::uint64_t kFirstCycles = 64;
constexpr int kFileMode = 0666;

template <typename Entry>
void add(std::vector<std::byte>& to, std::span<const Entry> entries) {
  const auto bytes = std::as_bytes(entries);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <typename Entry>
void add(std::vector<std::byte>& to, const Entry& entry) {
  add(to, std::span<const Entry>(&entry, 1));
}

}  // namespace

LinkWindows::LinkWindows(const Machine& machine)
    : links_(std::max<std::size_t>(std::size_t{machine.topology().nodes()} * machine.topology().ports(), 1)),
      cycles_(kFirstCycles),
      before_(links_) {}

void LinkWindows::look(const Machine& machine) {
  if (machine.topology().ports() == 0) {
    now_.assign(links_, 0);
  } else {
    machine.link_flits(now_);
  }
  for (std::size_t link = 0; link < links_; ++link)
    windows_.push_back(static_cast<std::uint32_t>(now_[link] - before_[link]));
  before_.swap(now_);
  if (windows_.size() == kMostWindows * links_) halve();
}

void LinkWindows::halve() {
  for (std::size_t window = 0; window < kMostWindows / 2; ++window) {
    for (std::size_t link = 0; link < links_; ++link) {
      windows_[window * links_ + link] =
          windows_[2 * window * links_ + link] + windows_[(2 * window + 1) * links_ + link];
    }
  }
  windows_.resize(kMostWindows / 2 * links_);
  cycles_ *= 2;
}

EventStore::EventStore(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, kFileMode)) {
  if (!file_) throw system_failure("the file of events " + path);
}

void EventStore::append(std::uint32_t kind, std::uint32_t rank, const std::vector<std::byte>& bytes) {
  const tidings_event_chunk chunk{.kind = kind, .rank = rank, .bytes = bytes.size()};
  std::vector<std::byte> all;
  add(all, chunk);
  add(all, std::span(bytes));
  for (std::size_t done = 0; done < all.size();) {
    const ssize_t written = write(file_.get(), all.data() + done, all.size() - done);
    if (written < 0 && errno != EINTR) throw system_failure(path_ + " cannot be written");
    done += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
}

void EventStore::finish(const Segment& segment, std::uint32_t rank) {
  const tidings_channel& channel = segment.channel();
  const tidings_events& events = *segment.events();
  std::vector<std::byte> bytes;
  add(bytes,
      std::span<const tidings_call_event>(events.calls, std::min<std::size_t>(events.call_count, TIDINGS_EVENT_CALLS)));
  append(TIDINGS_CHUNK_CALLS, rank, bytes);
  bytes.clear();
  add(bytes, std::span<const tidings_moment>(events.moments,
                                             std::min<std::size_t>(events.moment_count, TIDINGS_EVENT_MOMENTS)));
  append(TIDINGS_CHUNK_MOMENTS, rank, bytes);

  const tidings_names names{.operations = std::min<std::uint32_t>(channel.operation_rows, TIDINGS_MAX_OPERATIONS),
                            .labels = std::min<std::uint32_t>(channel.label_rows, TIDINGS_MAX_LABELS),
                            .text_bytes = TIDINGS_NAME_BYTES,
                            .reserved = 0};
  bytes.clear();
  add(bytes, names);
  for (std::uint32_t row = 0; row < names.operations; ++row)
    add(bytes, std::span<const char>(channel.operations[row].name));
  for (std::uint32_t row = 0; row < names.labels; ++row) add(bytes, std::span<const char>(channel.labels[row]));
  append(TIDINGS_CHUNK_NAMES, rank, bytes);

  bytes.clear();
  add(bytes, tidings_rank_events{.elapsed_ps = channel.local_ps, .lost = events.lost});
  append(TIDINGS_CHUNK_RANK, rank, bytes);
}

void EventStore::finish(const LinkWindows& links, const Machine& machine) {
  std::vector<std::byte> bytes;
  add(bytes, tidings_link_windows{.cycles = links.cycles(),
                                  .window_ps = machine.time_of(Cycle{links.cycles()}).value,
                                  .windows = static_cast<std::uint32_t>(links.counts().size() / links.links()),
                                  .nodes = machine.topology().nodes(),
                                  .ports = static_cast<std::uint32_t>(links.links() / machine.topology().nodes()),
                                  .reserved = 0});
  add(bytes, std::span(links.counts()));
  append(TIDINGS_CHUNK_LINKS, 0, bytes);
}

}  // namespace tidings
