// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file handle_table.h
/// Objects behind handles of the standard ABI, which are small integers in pointer's clothes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tidings {

/// Maps handles to objects. A place is used again under another handle, so a stale handle is noticed. Handles fit into
/// the 31 bits of a Fortran integer.
template <class Object, class Pointer = std::shared_ptr<Object>>
class HandleTable {
 public:
  /// First handle that is not one of the ABI's constants.
  static constexpr std::intptr_t kFirst = 0x1000;

  /// The handle is one of the ABI's constants. Its object is there as long as the process.
  [[nodiscard]] static bool is_constant(std::intptr_t handle) {
    return static_cast<std::uintptr_t>(handle) < static_cast<std::uintptr_t>(kFirst);
  }

  /// Give `object` a new handle.
  std::intptr_t add(Pointer object) {
    if (free_.empty()) {
      if (made_ >> kIndexBits != 0) throw std::bad_alloc();
      if (made_ % kChunk == 0) chunks_.push_back(std::make_unique<Chunk>());
      free_.push_back(made_++);
    }
    const std::size_t index = free_.back();
    free_.pop_back();
    Place& place = at(index);
    place.object = std::move(object);
    return kFirst + static_cast<std::intptr_t>(place.uses << kIndexBits | index);
  }

  /// Put an object behind a handle that add() has given for none yet.
  void fill(std::intptr_t handle, Pointer object) { at(index_of(handle)).object = std::move(object); }

  /// Put an object behind one of the ABI's constants.
  void define(std::intptr_t handle, Pointer object) { constant(handle).object = std::move(object); }

  /// Makes the object of one of the ABI's constants; nothing if it has none.
  using Make = Pointer (*)(std::intptr_t handle);
  /// Put objects behind the ABI's constants, each when it is first looked for.
  void define_when_asked(Make make) { make_ = make; }

  /// The object, or nothing if the handle is not (or no longer) valid. The reference holds until the handle is removed.
  [[nodiscard]] const Pointer& find(std::intptr_t handle) const {
    if (is_constant(handle)) {
      const Chunk* const chunk = constants_[static_cast<std::size_t>(handle) / kChunk].get();
      if (chunk != nullptr) [[likely]] {
        const Pointer& object = (*chunk)[static_cast<std::size_t>(handle) % kChunk].object;
        if (object != nullptr) [[likely]] {
          return object;
        }
      }
      return first_use(handle);
    }
    const Place* const found = place(handle);
    return found == nullptr ? nothing_ : found->object;
  }

  void remove(std::intptr_t handle) {
    Place* const found = is_constant(handle) ? &constant(handle) : const_cast<Place*>(place(handle));
    if (found == nullptr || found->object == nullptr) return;
    found->object.reset();
    if (is_constant(handle)) return;
    found->uses = (found->uses + 1) % kUses;
    free_.push_back(index_of(handle));
  }

 private:
  struct Place {
    Pointer object;
    std::uintptr_t uses = 0;  ///< objects that have been here before, modulo kUses: part of the handle
  };
  static constexpr std::size_t kChunk = 256;
  static constexpr unsigned kIndexBits = 22;
  static constexpr std::uintptr_t kUses = 256;
  using Chunk = std::array<Place, kChunk>;

  [[nodiscard]] Place& constant(std::intptr_t handle) const {
    auto& chunk = constants_[static_cast<std::size_t>(handle) / kChunk];
    if (chunk == nullptr) chunk = std::make_unique<Chunk>();
    return (*chunk)[static_cast<std::size_t>(handle) % kChunk];
  }
  [[nodiscard, gnu::noinline]] const Pointer& first_use(std::intptr_t handle) const {
    Pointer made = make_ == nullptr ? nullptr : make_(handle);
    if (made == nullptr) return nothing_;
    Place& place = constant(handle);
    place.object = std::move(made);
    return place.object;
  }
  static std::size_t index_of(std::intptr_t handle) {
    return static_cast<std::size_t>(handle - kFirst) & ((std::size_t{1} << kIndexBits) - 1);
  }
  [[nodiscard]] Place& at(std::size_t index) const { return (*chunks_[index / kChunk])[index % kChunk]; }
  /// Of a handle that is not a constant.
  [[nodiscard]] const Place* place(std::intptr_t handle) const {
    if (handle < 0) return nullptr;
    const std::size_t index = index_of(handle);
    if (index >= made_) return nullptr;
    const Place& found = at(index);
    const std::uintptr_t uses = static_cast<std::uintptr_t>(handle - kFirst) >> kIndexBits;
    return found.uses == uses ? &found : nullptr;
  }

  static inline const Pointer nothing_{};
  Make make_ = nullptr;
  mutable std::array<std::unique_ptr<Chunk>, kFirst / kChunk> constants_;  ///< filled as they are looked for
  std::vector<std::unique_ptr<Chunk>> chunks_;                             ///< so that objects keep their place
  std::vector<std::size_t> free_;
  std::size_t made_ = 0;
};

}  // namespace tidings
