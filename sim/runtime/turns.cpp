// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/turns.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "sim/runtime/file_descriptor.h"

namespace tidings {
namespace {

std::uint32_t load(const std::uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

void store(std::uint32_t& word, tidings_turn turn) { __atomic_store_n(&word, turn, __ATOMIC_RELEASE); }

bool change(std::uint32_t& word, std::uint32_t from, tidings_turn to) {
  return __atomic_compare_exchange_n(&word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void wake(std::uint32_t& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

}  // namespace

Turns::Turns(int file, std::uint32_t ranks) : ranks_(ranks) {
  void* words = mmap(nullptr, bytes(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (words == MAP_FAILED) throw system_failure("mapping the turns of the ranks");
  words_ = static_cast<tidings_turn_word*>(words);
  for (std::uint32_t rank = 0; rank <= ranks; ++rank) words_[rank] = {.turn = TIDINGS_TURN_SIMULATOR, .next = ranks};
}

Turns::~Turns() { munmap(words_, bytes(ranks_)); }

tidings_turn Turns::of(std::uint32_t rank) const { return static_cast<tidings_turn>(load(word(rank))); }

void Turns::give(std::span<const std::uint32_t> ranks) {
  given_ = ranks;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    words_[ranks[i]].next = i + 1 < ranks.size() ? ranks[i + 1] : ranks_;
    change(word(ranks[i]), TIDINGS_TURN_SIMULATOR, TIDINGS_TURN_QUEUED);
  }
  all_back();
}

bool Turns::pass(std::uint32_t rank, tidings_turn from) {
  if (!change(word(rank), from, TIDINGS_TURN_RANK)) return false;
  wake(word(rank));
  return true;
}

bool Turns::all_back() {
  // From here on, whatever changes the state of a rank also changes the simulator's word.
  store(word(ranks_), TIDINGS_TURN_RANK);
  for (const std::uint32_t rank : given_) {
    if (load(word(rank)) == TIDINGS_TURN_RANK) {
      wake(word(rank));  // whoever gave it the turn may have been killed before it could do this
      return false;
    }
    if (pass(rank, TIDINGS_TURN_QUEUED)) return false;
  }
  return true;
}

bool Turns::wait() {
  if (load(word(ranks_)) == TIDINGS_TURN_RANK)
    syscall(SYS_futex, &word(ranks_), FUTEX_WAIT, TIDINGS_TURN_RANK, nullptr, nullptr, 0);
  return all_back();
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
