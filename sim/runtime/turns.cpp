// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/turns.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#include <utility>

#include "sim/machine/patience.h"
#include "sim/runtime/file_descriptor.h"

namespace tidings {
namespace {

/// A rank on a core of its own, which nobody else wants, mostly gives the turn back sooner: time to look who wants it.
constexpr timespec kFirstSleep{.tv_sec = 0, .tv_nsec = 1'000'000};

static_assert(sizeof(tidings_turn_word) == 64);

std::uint32_t load(const std::uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

void store(std::uint32_t& word, tidings_turn turn) { __atomic_store_n(&word, turn, __ATOMIC_RELEASE); }

bool change(std::uint32_t& word, std::uint32_t from, tidings_turn to) {
  return __atomic_compare_exchange_n(&word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

void wake(std::uint32_t& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

}  // namespace

Turns::Turns(int file, std::uint32_t ranks) : ranks_(ranks) {
  void* words = mmap(nullptr, bytes(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (words == MAP_FAILED) throw system_failure("mapping the turns of the ranks");
  words_ = static_cast<tidings_turn_word*>(words);
  for (std::uint32_t rank = 0; rank <= ranks; ++rank) words_[rank].turn = TIDINGS_TURN_SIMULATOR;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    words_[rank].next = ranks;
    words_[rank].sleeps = 1;
  }
}

Turns::~Turns() { munmap(words_, bytes(ranks_)); }

tidings_turn Turns::of(std::uint32_t rank) const { return static_cast<tidings_turn>(load(word(rank))); }

void Turns::give(std::span<const std::uint32_t> ranks) {
  given_ = ranks;
  has_slept_ = all_back_ = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    words_[ranks[i]].next = i + 1 < ranks.size() ? ranks[i + 1] : ranks_;
    change(word(ranks[i]), TIDINGS_TURN_SIMULATOR, TIDINGS_TURN_QUEUED);
  }
  pass_on();
}

bool Turns::pass(std::uint32_t rank, tidings_turn from) {
  if (!change(word(rank), from, TIDINGS_TURN_RANK)) return false;
  __atomic_store_n(&words_[ranks_].called, rank + 1, __ATOMIC_RELAXED);
  rouse(rank);
  return true;
}

bool Turns::sleeps(std::uint32_t rank) const { return __atomic_load_n(&words_[rank].sleeps, __ATOMIC_SEQ_CST) != 0; }

unsigned Turns::awake() const {
  unsigned count = 0;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) count += sleeps(rank) || of(rank) == TIDINGS_TURN_ENDED ? 0 : 1;
  return count;
}

void Turns::rouse(std::uint32_t rank) {
  if (!sleeps(rank)) return;
  if (looks_ && last_ && !sleeps(*last_) && of(*last_) == TIDINGS_TURN_SIMULATOR) {
    std::uint32_t& named = words_[*last_].wake;
    __atomic_store_n(&named, rank + 1, __ATOMIC_SEQ_CST);
    if (!sleeps(*last_) || __atomic_exchange_n(&named, 0, __ATOMIC_SEQ_CST) == 0) return;
  }
  wake(word(rank));
}

bool Turns::pass_on() {
  // From here on, whatever changes the state of a rank also changes the simulator's word.
  store(word(ranks_), TIDINGS_TURN_RANK);
  for (const std::uint32_t rank : given_) {
    if (load(word(rank)) == TIDINGS_TURN_RANK) {
      wake(word(rank));  // whoever gave it the turn may have been killed before it could do this
      return false;
    }
    if (pass(rank, TIDINGS_TURN_QUEUED)) return false;
  }
  __atomic_store_n(&words_[ranks_].called, 0, __ATOMIC_RELAXED);
  if (!given_.empty()) last_ = given_.back();
  return all_back_ = true;
}

bool Turns::wait() {
  if (all_back_) return true;
  if (!look_for_turn()) sleep();
  return pass_on();
}

bool Turns::are_back() { return all_back_ || (load(word(ranks_)) != TIDINGS_TURN_RANK && pass_on()); }

bool Turns::wait_for(std::uint32_t rank) {
  const auto is_back = [&] { return of(rank) == TIDINGS_TURN_SIMULATOR || of(rank) == TIDINGS_TURN_ENDED; };
  return looks_ ? look_for(is_back, [] {}) || wait() : is_back() || wait();
}

bool Turns::look_for_turn() const {
  const auto comes = [this] { return load(word(ranks_)) != TIDINGS_TURN_RANK; };
  return looks_ ? look_for(comes, [] {}) : comes();
}

void Turns::sleep() {
  std::uint32_t& sleeps = words_[ranks_].sleeps;
  __atomic_store_n(&sleeps, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&word(ranks_), __ATOMIC_SEQ_CST) == TIDINGS_TURN_RANK) {
    const bool first = looks_ && !std::exchange(has_slept_, true);
    syscall(SYS_futex, &word(ranks_), FUTEX_WAIT, TIDINGS_TURN_RANK, first ? &kFirstSleep : nullptr, nullptr, 0);
  }
  __atomic_store_n(&sleeps, 0, __ATOMIC_SEQ_CST);
}

void Turns::look(bool looks) {
  looks_ = looks;
  __atomic_store_n(&words_[ranks_].looks, looks ? 1 : 0, __ATOMIC_SEQ_CST);
}

void Turns::interrupt() { wake(word(ranks_)); }

void Turns::take_back() {
  for (const std::uint32_t rank : given_) change(word(rank), TIDINGS_TURN_QUEUED, TIDINGS_TURN_SIMULATOR);
}

void Turns::mark_ended(std::uint32_t rank) {
  store(word(rank), TIDINGS_TURN_ENDED);
  wake(word(rank));
  store(word(ranks_), TIDINGS_TURN_SIMULATOR);
  wake(word(ranks_));
}

}  // namespace tidings
