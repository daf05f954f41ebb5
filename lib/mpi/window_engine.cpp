// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/packing.h"
#include "cost.h"
#include "mpi/communicators.h"
#include "mpi/memory.h"
#include "mpi/messages.h"
#include "mpi/window.h"

namespace tidings {
namespace {

constexpr std::int32_t kAccessTag = 0;
constexpr std::int32_t kBodyTag = 1;
constexpr std::int32_t kFirstReply = 2;
constexpr std::size_t kInline = kEagerBytes - sizeof(AccessHeader);

// The word of a part's lock, which the engine changes: how many ranks share it, whether one has it alone, and whether
// some wait at the owner, who sets and clears that.
constexpr std::uint32_t kAlone = 1U << 31;
constexpr std::uint32_t kWaited = 1U << 30;

constexpr std::uint32_t kNoRegion = RemoteMemory::kNoRegion;

/// What accesses windows in node memory; null if there is no room for data under way.
RemoteMemory* remote_memory(Library& lib) {
  if (lib.remote_memory) return lib.remote_memory->get();
  std::shared_ptr<RemoteMemory>& memory = lib.remote_memory.emplace();
  constexpr std::uint32_t kLockBytes = RemoteMemory::kMostRegions * kWordBytes;
  const std::uint32_t bytes = RemoteMemory::kPieces * lib.messages().layout().chunk;
  void* const base = take_node_memory(lib, bytes + kLockBytes, kWordBytes);
  if (base == nullptr) return nullptr;
  const std::uint32_t address = *node_address(lib, base, bytes + kLockBytes);
  memory = std::make_shared<RemoteMemory>(lib.messages(), address, bytes);
  std::memset(lib.messages().memory(address + bytes), 0, kLockBytes);
  tidings_register(&lib.messages().driver(), RemoteMemory::kLockRegion, address + bytes, kLockBytes,
                   TIDINGS_READ | TIDINGS_WRITE);
  attach(lib.messages(), memory);
  return memory.get();
}

/// Where the bytes of elements begin and end, from the address of the first.
struct Bounds {
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = 0;
};
Bounds bounds_of(const Datatype& type, std::size_t count) {
  Bounds bounds;
  if (count == 0 || type.segments().empty()) return bounds;
  bounds = {type.segments().front().offset, type.segments().front().offset};
  for (const Segment& segment : type.segments()) {
    bounds.low = std::min(bounds.low, segment.offset);
    bounds.high = std::max(bounds.high, segment.offset + static_cast<std::ptrdiff_t>(segment.bytes));
  }
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * type.extent();
  return {bounds.low + std::min<std::ptrdiff_t>(last, 0), bounds.high + std::max<std::ptrdiff_t>(last, 0)};
}

template <class Value>
void append(std::vector<std::byte>& to, const Value& value) {
  const std::size_t at = to.size();
  to.resize(at + sizeof value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

void append_layout(std::vector<std::byte>& to, const Datatype* layout) {
  if (layout == nullptr) return;
  for (const Segment& segment : layout->segments()) append(to, segment);
}

void append_packed(std::vector<std::byte>& to, const Buffer& buffer) {
  if (buffer.type == nullptr || buffer.bytes() == 0) return;
  const std::size_t at = to.size();
  to.resize(at + buffer.bytes());
  pack(buffer, 0, buffer.bytes(), to.data() + at);
}

/// Elements of the type can be used where they are: a processor need not read them in pieces.
bool is_aligned(const std::byte* address, const Datatype& element) {
  const std::size_t size = element.size();
  const std::size_t least = std::min(size & -size, alignof(std::max_align_t));
  return reinterpret_cast<std::uintptr_t>(address) % least == 0;
}

/// target[i] = data[i] ∘ target[i], or target[i] = data[i] if the elements are not known.
void combine(const Operation& operation, const Datatype* element, const Buffer& target, const std::byte* data) {
  if (operation.combine() == Combine::NoOp) return;
  if (operation.combine() == Combine::Replace) {
    unpack(target, 0, data, target.bytes());
    return;
  }
  if (element->is_contiguous()) {
    target.type->visit(static_cast<std::byte*>(target.base), 0, target.bytes(),
                       [&](std::byte* piece, std::size_t size) {
                         const std::size_t count = size / element->size();
                         if (is_aligned(piece, *element) && is_aligned(data, *element)) {
                           operation.apply(data, piece, count, *element);
                         } else {
                           const std::vector<std::byte> in(data, data + size);
                           std::vector<std::byte> now(piece, piece + size);
                           operation.apply(in.data(), now.data(), count, *element);
                           std::copy(now.begin(), now.end(), piece);
                         }
                         data += size;
                       });
    return;
  }
  // Elements with holes, such as pairs: both sides are laid out as arrays of them.
  const std::size_t count = target.bytes() / element->size();
  std::vector<std::byte> in(count * static_cast<std::size_t>(element->extent()));
  std::vector<std::byte> now(in.size());
  std::vector<std::byte> packed(target.bytes());
  unpack({in.data(), count, element}, 0, data, packed.size());
  pack(target, 0, packed.size(), packed.data());
  unpack({now.data(), count, element}, 0, packed.data(), packed.size());
  operation.apply(in.data(), now.data(), count, *element);
  pack({now.data(), count, element}, 0, packed.size(), packed.data());
  unpack(target, 0, packed.data(), packed.size());
}

}  // namespace

Window::Window(Library& lib, CommunicatorPointer communicator, int kind, void* base, std::vector<Part> parts,
               RemoteMemory* remote, bool elementwise)
    : flavor(kind),
      lib_(lib),
      remote_(remote),
      communicator_(std::move(communicator)),
      base_(base),
      parts_(std::move(parts)),
      elementwise_(elementwise && remote != nullptr && remote->atomics()) {
  const auto ranks = static_cast<std::size_t>(size());
  accessed_.resize(ranks);
  held_.resize(ranks, Held::Not);
  posts_.resize(ranks);
  incoming_.resize(ranks);
  lock_is_exclusive_.resize(ranks);
  completes_.resize(ranks);
  error_handler = lib.error_handler(MPI_ERRORS_ARE_FATAL);
}

std::string Window::name() const { return "window of communicator " + communicator_->name(); }

RequestPointer Window::request(Request::Kind kind, int rank, std::int32_t tag, const Buffer& buffer) const {
  auto made = RequestPointer::make();
  made->kind = kind;
  made->buffer = buffer;
  made->peer = static_cast<std::int32_t>(communicator_->world_rank(rank));
  made->tag = tag;
  made->context = communicator_->point_to_point();
  return made;
}

std::int32_t Window::next_reply() {
  constexpr std::int32_t kReplies = 1 << 30;
  const std::int32_t tag = kFirstReply + replies_asked_;
  replies_asked_ = (replies_asked_ + 1) % kReplies;
  return tag;
}

// ---------------------------------------------------------------- origin: accesses

void Window::check_access(const TargetElements& target) const {
  if (target.rank < 0 || target.rank >= size()) {
    throw Error(MPI_ERR_RANK, "rank " + std::to_string(target.rank) + " is not in the window, which has " +
                                  std::to_string(size()) + " ranks");
  }
  const auto rank = static_cast<std::size_t>(target.rank);
  const bool started = started_ && std::find(started_->begin(), started_->end(), target.rank) != started_->end();
  if (!fenced_ && !started && !all_held_ && held_[rank] == Held::Not) {
    refuse_after(access_call_, "nothing allows an access to rank " + std::to_string(target.rank),
                 "Call MPI_Win_fence, MPI_Win_start or MPI_Win_lock before.");
  }
  if (flavor == MPI_WIN_FLAVOR_DYNAMIC || target.count == 0) return;
  if (target.displacement < 0) {
    throw Error(MPI_ERR_DISP, "the displacement is " + std::to_string(target.displacement));
  }
  const Part& part = parts_[rank];
  const Bounds bounds = bounds_of(*target.type, target.count);
  const std::ptrdiff_t start = target.displacement * part.unit;
  if (start + bounds.low >= 0 && start + bounds.high <= part.bytes) return;
  throw Error(MPI_ERR_RMA_RANGE, "bytes " + std::to_string(start + bounds.low) + " to " +
                                     std::to_string(start + bounds.high) + " are outside the window of rank " +
                                     std::to_string(target.rank) + ", which has " + std::to_string(part.bytes));
}

void Window::describe_target(AccessHeader& header, const TargetElements& target, const Datatype*& layout,
                             const Datatype* element) const {
  header.displacement = target.displacement;
  header.count = target.count;
  layout = nullptr;
  if (HandleTable<Datatype>::is_constant(target.type->handle()) && target.type->predefined()) {
    header.element = static_cast<std::uint16_t>(target.type->handle());
    return;
  }
  const Datatype& unit = element == nullptr ? lib_.bytes() : *element;
  header.element = static_cast<std::uint16_t>(unit.handle());
  if (target.type->is_contiguous() && unit.is_contiguous() && unit.size() != 0) {
    header.count = target.count * target.type->size() / unit.size();
    return;
  }
  layout = target.type;
  header.segments = static_cast<std::uint32_t>(layout->segments().size());
  header.extent = layout->extent();
}

std::shared_ptr<Window::Access> Window::issue(AccessHeader header, int target, const Datatype* layout,
                                              const Buffer& body) {
  tidings_work(TIDINGS_WORK_WINDOW, 1);
  reclaim();
  auto access = accesses_.take();
  access->target = target;
  const std::size_t layout_bytes = layout == nullptr ? 0 : layout->segments().size() * sizeof(Segment);
  const std::size_t data_bytes = body.type == nullptr ? 0 : body.bytes();
  header.body = layout_bytes + data_bytes;
  append(access->message, header);
  const bool follows = header.body > kInline;
  if (!follows) {
    append_layout(access->message, layout);
    append_packed(access->message, body);
  }
  const auto send = [&](std::int32_t tag, const Buffer& buffer) {
    access->parts.push_back(request(Request::Kind::Send, target, tag, buffer));
    lib_.messages().start(access->parts.back());
  };
  send(kAccessTag, {access->message.data(), access->message.size(), &lib_.bytes()});
  if (follows && layout != nullptr) {
    append_layout(access->body, layout);
    append_packed(access->body, body);
    send(kBodyTag, {access->body.data(), access->body.size(), &lib_.bytes()});
  } else if (follows) {
    send(kBodyTag, body);
  }
  pending_.push_back(access);
  return access;
}

void Window::expect(Access& access, std::int32_t tag, const Buffer& buffer) {
  access.parts.push_back(request(Request::Kind::Receive, access.target, tag, buffer));
  lib_.messages().start(access.parts.back());
}

std::shared_ptr<Window::Access> Window::begin_direct(int target) {
  tidings_work(TIDINGS_WORK_DIRECT, 1);
  reclaim();
  auto access = accesses_.take();
  access->target = target;
  pending_.push_back(access);
  return access;
}

RequestPointer Window::add_part(Access& access, const Buffer& buffer) const {
  access.parts.push_back(request(Request::Kind::Receive, access.target, 0, buffer));
  return access.parts.back();
}

bool Window::reaches(const TargetElements& target, std::size_t alignment) const {
  if (remote_ == nullptr || target.count == 0 || target.type->size() == 0) return false;
  const auto unit = static_cast<std::ptrdiff_t>(alignment);
  const auto aligned = [unit](std::ptrdiff_t bytes) { return bytes % unit == 0; };
  if (!aligned(target.displacement * parts_[static_cast<std::size_t>(target.rank)].unit)) return false;
  if (target.type->is_contiguous()) return true;
  const auto& segments = target.type->segments();
  return aligned(target.type->extent()) &&
         std::all_of(segments.begin(), segments.end(), [&](const Segment& one) { return aligned(one.offset); });
}

Buffer Window::own_elements(const TargetElements& target) const {
  return {static_cast<std::byte*>(base_) + target.displacement * parts_[static_cast<std::size_t>(rank())].unit,
          target.count, target.type};
}

RemoteMemory::Place Window::place_of(const TargetElements& target) const {
  const Part& part = parts_[static_cast<std::size_t>(target.rank)];
  return {communicator_->world_rank(target.rank), part.region,
          static_cast<std::uint32_t>(target.displacement * part.unit)};
}

template <class Visit>
void Window::visit_pieces(const TargetElements& target, Visit visit) const {
  RemoteMemory::Place place = place_of(target);
  std::size_t first = 0;
  target.type->visit(static_cast<std::int64_t>(place.offset), 0, target.count * target.type->size(),
                     [&](std::int64_t offset, std::size_t bytes) {
                       place.offset = static_cast<std::uint32_t>(offset);
                       visit(place, first, bytes);
                       first += bytes;
                     });
}

std::shared_ptr<Window::Access> Window::put(const Buffer& origin, const TargetElements& target) {
  const bool own = remote_ != nullptr && target.rank == rank();
  if (own || reaches(target, kWordBytes)) {
    auto access = begin_direct(target.rank);
    if (own) {
      copy_elements(origin, own_elements(target));
      return access;
    }
    const RequestPointer whole = add_part(*access, origin);
    visit_pieces(target, [&](const RemoteMemory::Place& place, std::size_t first, std::size_t bytes) {
      tidings_work(TIDINGS_WORK_COMMAND, 1);
      remote_->put({origin, first}, bytes, place, first + bytes == origin.bytes() ? whole : nullptr);
    });
    return access;
  }
  AccessHeader header;
  const Datatype* layout = nullptr;
  header.kind = AccessKind::Put;
  describe_target(header, target, layout, nullptr);
  accessed_[static_cast<std::size_t>(target.rank)] = true;
  return issue(header, target.rank, layout, origin);
}

std::shared_ptr<Window::Access> Window::get(const Buffer& origin, const TargetElements& target) {
  const bool own = remote_ != nullptr && target.rank == rank();
  if (own || reaches(target, 1)) {
    auto access = begin_direct(target.rank);
    if (own) {
      copy_elements(own_elements(target), origin);
      return access;
    }
    const RequestPointer whole = add_part(*access, origin);
    tidings_work(TIDINGS_WORK_REQUEST, 1);
    visit_pieces(target, [&](const RemoteMemory::Place& place, std::size_t first, std::size_t bytes) {
      tidings_work(TIDINGS_WORK_COMMAND, 1);
      remote_->get({origin, first}, bytes, place, first + bytes == origin.bytes() ? whole : nullptr);
    });
    return access;
  }
  AccessHeader header;
  const Datatype* layout = nullptr;
  header.kind = AccessKind::Get;
  header.reply = next_reply();
  describe_target(header, target, layout, nullptr);
  const auto access = issue(header, target.rank, layout, {});
  expect(*access, header.reply, origin);
  return access;
}

namespace {

/// The predefined datatype that all elements have; null if they have several.
const Datatype* only_element(const Datatype& type) {
  const Datatype* element = nullptr;
  const bool equal = type.visit_signature(1, [&](const Datatype& next, std::size_t) {
    const bool same = element == nullptr || element == &next;
    element = &next;
    return same;
  });
  return equal ? element : nullptr;
}

/// What an accumulate combines: the predefined datatype of its elements; null if it need not be known.
const Datatype* element_of(const Operation& operation, const TargetElements& target) {
  const bool copies = operation.combine() == Combine::Replace || operation.combine() == Combine::NoOp;
  if (copies || target.count == 0 || target.type->size() == 0) return nullptr;
  const Datatype* const element = only_element(*target.type);
  if (element == nullptr)
    throw Error(MPI_ERR_TYPE, "the datatype's elements are of different predefined datatypes",
                "Give a datatype that is made of one predefined datatype.");
  if (!operation.accepts(*element)) {
    throw Error(MPI_ERR_OP, operation.name() + " is not defined on " + element->name());
  }
  return element;
}

/// Bytes of an element that the engine can change; 0: it cannot.
std::uint32_t changeable_bytes(const Datatype& element) {
  switch (element.basic()) {
    case Basic::Int32:
    case Basic::Uint32:
    case Basic::Int64:
    case Basic::Uint64:
      return static_cast<std::uint32_t>(element.size());
    default:
      return 0;
  }
}

/// The engine's operation on such elements; nothing if it has none.
std::optional<enum tidings_atomic> engine_operation(Combine combine, Basic basic) {
  const bool natural = basic == Basic::Uint32 || basic == Basic::Uint64;
  switch (combine) {
    case Combine::Sum:
      return TIDINGS_ATOMIC_ADD;
    case Combine::Min:
      return natural ? TIDINGS_ATOMIC_MIN_UNSIGNED : TIDINGS_ATOMIC_MIN;
    case Combine::Max:
      return natural ? TIDINGS_ATOMIC_MAX_UNSIGNED : TIDINGS_ATOMIC_MAX;
    case Combine::And:
      return TIDINGS_ATOMIC_AND;
    case Combine::Or:
      return TIDINGS_ATOMIC_OR;
    case Combine::Xor:
      return TIDINGS_ATOMIC_XOR;
    case Combine::Replace:
      return TIDINGS_ATOMIC_SWAP;
    case Combine::NoOp:
      return TIDINGS_ATOMIC_FETCH;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool Window::changes(const TargetElements& target) const {
  if (!elementwise_ || target.count == 0) return false;
  const Datatype* const element = only_element(*target.type);
  const std::uint32_t bytes = element == nullptr ? 0 : changeable_bytes(*element);
  if (bytes == 0) return false;
  bool any = reaches(target, bytes);
  if (!any && !target.type->is_contiguous()) {
    visit_pieces(target, [&](const RemoteMemory::Place& place, std::size_t, std::size_t) {
      any = any || place.offset % bytes == 0;
    });
  }
  return any;
}

std::shared_ptr<Window::Access> Window::change(const Buffer& origin, const Buffer& result, const TargetElements& target,
                                               const Operation& operation) {
  auto access = begin_direct(target.rank);
  const Datatype& element = *only_element(*target.type);
  const auto bytes = static_cast<std::uint32_t>(element.size());
  const auto known = engine_operation(operation.combine(), element.basic());
  const std::size_t last = target.count * target.type->size() - bytes;
  const RequestPointer whole = result.type == nullptr ? nullptr : add_part(*access, result);
  if (whole) tidings_work(TIDINGS_WORK_REQUEST, 1);
  // The engine does not reach elements that are not aligned: the target's library changes them, whoever asks.
  const bool all = reaches(target, bytes);
  std::vector<Segment> others;
  visit_pieces(target, [&](RemoteMemory::Place place, std::size_t first, std::size_t length) {
    if (place.offset % bytes != 0) {
      others.push_back({static_cast<std::ptrdiff_t>(first), length});
      return;
    }
    for (const std::size_t end = first + length; first < end; first += bytes, place.offset += bytes) {
      const RequestPointer told = all && first == last ? whole : nullptr;
      tidings_work(TIDINGS_WORK_COMMAND, 1);
      if (known) {
        remote_->change({*known, bytes}, {origin, first}, {result, first}, place, told);
      } else {
        change_by_swaps(operation, element, {origin, first}, {result, first}, place);
        if (told) told->complete = true;
      }
    }
  });
  // Messages to this rank itself do not wait for the engine, as those to others do.
  if (target.rank == rank() || (!all && whole)) remote_->settle();
  if (!all) {
    if (whole) whole->complete = true;
    const auto message = change_parts(origin, result, target, operation, others);
    access->parts.insert(access->parts.end(), message->parts.begin(), message->parts.end());
  }
  return access;
}

namespace {

/// Parts of a buffer as the only element of a datatype. @param parts in packed bytes.
Datatype parts_of(const Buffer& buffer, const std::vector<Segment>& parts) {
  std::vector<Segment> segments;
  for (const Segment& part : parts) {
    buffer.type->visit(std::ptrdiff_t{0}, static_cast<std::size_t>(part.offset), part.bytes,
                       [&](std::ptrdiff_t offset, std::size_t bytes) { segments.push_back({offset, bytes}); });
  }
  return {"parts of a buffer", Basic::None, buffer.count * static_cast<std::size_t>(buffer.type->extent()),
          std::move(segments)};
}

}  // namespace

std::shared_ptr<Window::Access> Window::change_parts(const Buffer& origin, const Buffer& result,
                                                     const TargetElements& target, const Operation& operation,
                                                     const std::vector<Segment>& parts) {
  const Datatype layout = parts_of({nullptr, target.count, target.type}, parts);
  AccessHeader header;
  header.kind = result.type == nullptr ? AccessKind::Accumulate : AccessKind::GetAccumulate;
  header.operation = operation.code();
  header.element = static_cast<std::uint16_t>(only_element(*target.type)->handle());
  header.displacement = target.displacement;
  header.count = 1;
  header.segments = static_cast<std::uint32_t>(layout.segments().size());
  header.extent = layout.extent();
  if (result.type != nullptr) header.reply = next_reply();
  std::optional<Datatype> given;
  if (origin.type != nullptr) given = parts_of(origin, parts);
  accessed_[static_cast<std::size_t>(target.rank)] = true;
  const auto access = issue(header, target.rank, &layout, given ? Buffer{origin.base, 1, &*given} : Buffer{});
  if (result.type != nullptr) {
    access->result_type = std::make_shared<const Datatype>(parts_of(result, parts));
    expect(*access, header.reply, {result.base, 1, access->result_type.get()});
  }
  return access;
}

void Window::change_by_swaps(const Operation& operation, const Datatype& element, const RemoteMemory::Part& from,
                             const RemoteMemory::Part& to, const RemoteMemory::Place& place) {
  using Element = std::array<std::byte, sizeof(std::uint64_t)>;
  alignas(std::uint64_t) Element operand{};
  alignas(std::uint64_t) Element changed{};
  alignas(std::uint64_t) Element found{};
  Element expected{};
  const auto bytes = static_cast<std::uint32_t>(element.size());
  const RemoteMemory::Part there{{found.data(), bytes, &lib_.bytes()}, 0};
  pack(from.buffer, from.first, bytes, operand.data());
  remote_->change({TIDINGS_ATOMIC_FETCH, bytes}, {}, there, place, nullptr);
  remote_->settle();
  do {
    expected = changed = found;
    operation.apply(operand.data(), changed.data(), 1, element);
    tidings_work(TIDINGS_WORK_COMMAND, 1);
    remote_->change({TIDINGS_ATOMIC_COMPARE_SWAP, bytes, expected.data()}, {{changed.data(), bytes, &lib_.bytes()}, 0},
                    there, place, nullptr);
    remote_->settle();
  } while (found != expected);
  if (to.buffer.type != nullptr) unpack(to.buffer, to.first, found.data(), bytes);
}

std::shared_ptr<Window::Access> Window::accumulate(const Buffer& origin, const TargetElements& target,
                                                   const Operation& operation) {
  const Datatype* const element = element_of(operation, target);
  if (changes(target)) return change(origin, {}, target, operation);
  AccessHeader header;
  const Datatype* layout = nullptr;
  header.kind = AccessKind::Accumulate;
  header.operation = operation.code();
  describe_target(header, target, layout, element);
  accessed_[static_cast<std::size_t>(target.rank)] = true;
  return issue(header, target.rank, layout, origin);
}

std::shared_ptr<Window::Access> Window::get_accumulate(const Buffer& origin, const Buffer& result,
                                                       const TargetElements& target, const Operation& operation) {
  const Datatype* const element = element_of(operation, target);
  const bool reads = operation.combine() == Combine::NoOp;
  if (changes(target)) return change(reads ? Buffer{} : origin, result, target, operation);
  AccessHeader header;
  const Datatype* layout = nullptr;
  header.kind = AccessKind::GetAccumulate;
  header.operation = operation.code();
  header.reply = next_reply();
  describe_target(header, target, layout, element);
  accessed_[static_cast<std::size_t>(target.rank)] = true;
  const auto access = issue(header, target.rank, layout, reads ? Buffer{} : origin);
  expect(*access, header.reply, result);
  return access;
}

std::shared_ptr<Window::Access> Window::compare_and_swap(const Buffer& origin, const void* compare,
                                                         const Buffer& result, const TargetElements& target) {
  if (changes(target)) {
    auto access = begin_direct(target.rank);
    tidings_work(TIDINGS_WORK_REQUEST, 1);
    tidings_work(TIDINGS_WORK_COMMAND, 1);
    const auto bytes = static_cast<std::uint32_t>(target.type->size());
    remote_->change({TIDINGS_ATOMIC_COMPARE_SWAP, bytes, static_cast<const std::byte*>(compare)}, {origin, 0},
                    {result, 0}, place_of(target), add_part(*access, result));
    return access;
  }
  AccessHeader header;
  const Datatype* layout = nullptr;
  header.kind = AccessKind::CompareAndSwap;
  header.reply = next_reply();
  describe_target(header, target, layout, nullptr);
  accessed_[static_cast<std::size_t>(target.rank)] = true;
  const auto both = lib_.scratch.take(0);
  append_packed(*both, origin);
  append_packed(*both, {const_cast<void*>(compare), 1, origin.type});
  const auto access = issue(header, target.rank, layout, {both->data(), both->size(), &lib_.bytes()});
  expect(*access, header.reply, result);
  return access;
}

void Window::reclaim() {
  std::erase_if(pending_, [](const std::shared_ptr<Access>& access) {
    const bool over =
        std::all_of(access->parts.begin(), access->parts.end(), [](const auto& part) { return part->complete; });
    if (over) access->clear();
    return over;
  });
}

// ---------------------------------------------------------------- origin: synchronization

void Window::wait_local(int rank, const char* what) {
  const auto concerns = [rank](const Access& access) { return rank < 0 || access.target == rank; };
  const auto waits = [&](const std::shared_ptr<Access>& access) { return concerns(*access); };
  lib_.messages().wait(
      [&] {
        reclaim();
        return std::none_of(pending_.begin(), pending_.end(), waits);
      },
      [&] {
        Waiting waiting{std::string(what) + ", " + name(), {}};
        for (const auto& access : pending_) {
          if (concerns(*access)) waiting.ranks.push_back(communicator_->world_rank(access->target));
        }
        std::sort(waiting.ranks.begin(), waiting.ranks.end());
        waiting.ranks.erase(std::unique(waiting.ranks.begin(), waiting.ranks.end()), waiting.ranks.end());
        return waiting;
      });
}

void Window::ask(AccessHeader header, std::span<const int> ranks, const char* what) {
  for (const int rank : ranks) {
    header.reply = next_reply();
    const auto access = issue(header, rank, nullptr, {});
    expect(*access, header.reply, {nullptr, 0, &lib_.bytes()});
  }
  if (ranks.size() == 1) {
    wait_local(ranks.front(), what);
  } else if (!ranks.empty()) {
    wait_local(-1, what);
  }
}

std::span<const int> Window::all_ranks() {
  asked_.resize(static_cast<std::size_t>(size()));
  std::iota(asked_.begin(), asked_.end(), 0);
  return asked_;
}

void Window::flush(int rank) {
  if (remote_ != nullptr) remote_->flush();
  const auto place = static_cast<std::size_t>(rank);
  if (accessed_[place]) {
    accessed_[place] = false;
    ask({.kind = AccessKind::Flush}, rank, "accesses to be carried out");
  } else {
    wait_local(rank, "answers of accesses");
  }
}

void Window::flush_all() {
  if (remote_ != nullptr) remote_->flush();
  asked_.clear();
  for (int rank = 0; rank < size(); ++rank) {
    if (accessed_[static_cast<std::size_t>(rank)]) asked_.push_back(rank);
  }
  accessed_.assign(accessed_.size(), false);
  ask({.kind = AccessKind::Flush}, asked_, "accesses to be carried out");
  wait_local(-1, "answers of accesses");
}

void Window::flush_local(int rank) { wait_local(rank, "buffers of accesses to be free"); }

void Window::barrier(Call& call) {
  CollectiveCall barrier;
  barrier.descriptor.kind = Collective::WinFence;
  call.end(lib_.collectives().run(*communicator_, barrier));
}

Window::Open Window::open_for_access(int rank) const {
  if (started_) return {&access_call_, "Call MPI_Win_complete before."};
  if (all_held_) return {&access_call_, "Call MPI_Win_unlock_all before."};
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const bool asked = rank < 0 || i == static_cast<std::size_t>(rank);
    if (asked && held_[i] != Held::Not) return {&lock_calls_[i], "Call MPI_Win_unlock before."};
  }
  return {};
}

Window::Open Window::open_for_exposure() const {
  return exposed_ ? Open{&exposure_call_, "Call MPI_Win_wait before."} : Open{};
}

void Window::refuse_if(const Open& open) {
  if (open.call == nullptr) return;
  throw Error(MPI_ERR_RMA_SYNC, std::string("the epoch of ") + open.call->call + " is still open", open.remedy,
              open.call);
}

void Window::refuse_after(const tidings_site& last, const std::string& text, const char* remedy) {
  throw Error(MPI_ERR_RMA_SYNC, text, remedy, last.call == nullptr ? nullptr : &last);
}

void Window::fence(Call& call, int assertion) {
  tidings_work(TIDINGS_WORK_WINDOW, 1);
  refuse_if(open_for_access());
  refuse_if(open_for_exposure());
  CollectiveDescriptor descriptor;
  descriptor.kind = Collective::WinFence;
  call.collective(descriptor);
  call.begin_collective(*communicator_);
  flush_all();
  barrier(call);
  fenced_ = (assertion & MPI_MODE_NOSUCCEED) == 0;
  tidings_trace_site(&access_call_, "MPI_Win_fence");
}

void Window::close(Call& call) {
  refuse_if(open_for_access());
  refuse_if(open_for_exposure());
  CollectiveDescriptor descriptor;
  descriptor.kind = Collective::WinFence;
  call.collective(descriptor);
  call.begin_collective(*communicator_);
  drain(call);
}

void Window::drain(Call& call) {
  flush_all();
  barrier(call);
  const auto left = [](const Reply& reply) { return reply.request->complete; };
  lib_.messages().wait([&] { return std::all_of(replies_.begin(), replies_.end(), left); },
                       [&] { return Waiting{"answers to leave, " + name(), {}}; });
  closed_ = true;
  if (remote_ != nullptr) remote_->remove_region(parts_[static_cast<std::size_t>(rank())].region);
}

std::vector<int> Window::ranks_of(const Group& group) const {
  std::vector<int> ranks;
  for (const std::uint32_t member : group.ranks()) {
    const int rank = communicator_->group()->rank_of(member);
    if (rank < 0)
      throw Error(MPI_ERR_GROUP, "the group is not a subset of the window's", "Give a group of ranks of the window.");
    ranks.push_back(rank);
  }
  return ranks;
}

void Window::post(const Group& origins) {
  refuse_if(open_for_exposure());
  exposed_ = ranks_of(origins);
  tidings_trace_site(&exposure_call_, "MPI_Win_post");
  fenced_ = false;
  for (const int origin : *exposed_) issue({.kind = AccessKind::Post}, origin, nullptr, {});
}

void Window::start(const Group& targets) {
  refuse_if(open_for_access());
  auto ranks = ranks_of(targets);
  fenced_ = false;
  for (const int target : ranks) {
    auto& posts = posts_[static_cast<std::size_t>(target)];
    lib_.messages().wait([&] { return posts > 0; },
                         [&] {
                           return Waiting{"MPI_Win_post of rank " + std::to_string(target) + ", " + name(),
                                          {communicator_->world_rank(target)}};
                         });
    --posts;
  }
  started_ = std::move(ranks);
  tidings_trace_site(&access_call_, "MPI_Win_start");
}

void Window::complete() {
  if (!started_) refuse_after(access_call_, "no epoch of MPI_Win_start is open", "Call MPI_Win_start before.");
  for (const int target : *started_) {
    issue({.kind = AccessKind::Complete}, target, nullptr, {});
    accessed_[static_cast<std::size_t>(target)] = false;
  }
  for (const int target : *started_) wait_local(target, "accesses of the epoch");
  started_.reset();
  tidings_trace_site(&access_call_, "MPI_Win_complete");
}

bool Window::finish_exposure(bool block) {
  if (!exposed_) refuse_after(exposure_call_, "no epoch of MPI_Win_post is open", "Call MPI_Win_post before.");
  const auto completed = [this](int origin) { return completes_[static_cast<std::size_t>(origin)] > 0; };
  const auto over = [&] { return std::all_of(exposed_->begin(), exposed_->end(), completed); };
  if (block) {
    lib_.messages().wait(over, [&] {
      Waiting waiting{"MPI_Win_complete of other ranks, " + name(), {}};
      for (const int origin : *exposed_) {
        if (!completed(origin)) waiting.ranks.push_back(communicator_->world_rank(origin));
      }
      return waiting;
    });
  } else if (!over()) {
    lib_.messages().poll();
    if (!over()) return false;
  }
  for (const int origin : *exposed_) --completes_[static_cast<std::size_t>(origin)];
  exposed_.reset();
  tidings_trace_site(&exposure_call_, block ? "MPI_Win_wait" : "MPI_Win_test");
  return true;
}

bool Window::has_lock_words() const { return remote_ != nullptr && remote_->atomics(); }

void Window::change_lock(int rank, enum tidings_atomic operation, std::uint32_t operand, std::uint32_t& found) const {
  const std::uint32_t none = 0;
  const bool compares = operation == TIDINGS_ATOMIC_COMPARE_SWAP;
  remote_->change({operation, kWordBytes, compares ? reinterpret_cast<const std::byte*>(&none) : nullptr},
                  {{&operand, kWordBytes, &lib_.bytes()}, 0}, {{&found, kWordBytes, &lib_.bytes()}, 0}, lock_word(rank),
                  nullptr);
}

RemoteMemory::Place Window::lock_word(int rank) const {
  const std::uint32_t row = parts_[static_cast<std::size_t>(rank)].region;
  return {communicator_->world_rank(rank), RemoteMemory::kLockRegion, kWordBytes * row};
}

void Window::take_locks(std::span<const int> ranks, bool exclusive, const char* what) {
  const AccessHeader wanted{.kind = AccessKind::Lock, .exclusive = exclusive ? 1U : 0U};
  if (!has_lock_words()) {
    ask(wanted, ranks, what);
    return;
  }
  tidings_work(TIDINGS_WORK_WINDOW, ranks.size());
  std::vector<std::uint32_t> found(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    change_lock(ranks[i], exclusive ? TIDINGS_ATOMIC_COMPARE_SWAP : TIDINGS_ATOMIC_ADD, exclusive ? kAlone : 1,
                found[i]);
  }
  remote_->settle();
  // Owners hold queues of those that have to wait.
  std::vector<int> refused;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (exclusive ? found[i] == 0 : (found[i] & (kAlone | kWaited)) == 0) continue;
    refused.push_back(ranks[i]);
    if (!exclusive) change_lock(ranks[i], TIDINGS_ATOMIC_ADD, ~std::uint32_t{0}, found[i]);
  }
  if (refused.empty()) return;
  remote_->settle();
  ask(wanted, refused, what);
}

void Window::give_back_locks(std::span<const int> ranks) {
  const char* const what = "accesses to be carried out";
  if (!has_lock_words()) {
    ask({.kind = AccessKind::Unlock}, ranks, what);
    for (const int rank : ranks) accessed_[static_cast<std::size_t>(rank)] = false;
    return;
  }
  for (const int rank : ranks) {
    const auto place = static_cast<std::size_t>(rank);
    if (accessed_[place]) ask({.kind = AccessKind::Flush}, rank, what);
    accessed_[place] = false;
    wait_local(rank, "answers of accesses");
  }
  // The engine changes the word behind all that it has written there.
  tidings_work(TIDINGS_WORK_WINDOW, ranks.size());
  std::vector<std::uint32_t> found(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool alone = held_[static_cast<std::size_t>(ranks[i])] == Held::Alone;
    change_lock(ranks[i], alone ? TIDINGS_ATOMIC_AND : TIDINGS_ATOMIC_ADD, alone ? ~kAlone : ~std::uint32_t{0},
                found[i]);
  }
  remote_->settle();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if ((found[i] & kWaited) == 0) continue;
    issue({.kind = AccessKind::LockFree}, ranks[i], nullptr, {});
    accessed_[static_cast<std::size_t>(ranks[i])] = true;  // it comes before the window is freed
  }
}

void Window::lock(int rank, bool exclusive, bool check) {
  if (rank < 0 || rank >= size()) throw Error(MPI_ERR_RANK, "rank " + std::to_string(rank) + " is not in the window");
  Held& held = held_[static_cast<std::size_t>(rank)];
  refuse_if(open_for_access(rank));
  fenced_ = false;
  if (check) take_locks(std::span(&rank, 1), exclusive, "a lock");
  held = !check ? Held::Unchecked : exclusive ? Held::Alone : Held::Shared;
  lock_calls_.resize(held_.size());
  tidings_site& call = lock_calls_[static_cast<std::size_t>(rank)];
  tidings_trace_site(&call, "MPI_Win_lock");
  access_call_ = call;
}

void Window::lock_all(bool check) {
  refuse_if(open_for_access());
  fenced_ = false;
  if (check) take_locks(all_ranks(), false, "locks of all ranks");
  held_.assign(held_.size(), check ? Held::Shared : Held::Unchecked);
  all_held_ = true;
  tidings_trace_site(&access_call_, "MPI_Win_lock_all");
}

void Window::unlock(int rank) {
  if (rank < 0 || rank >= size()) throw Error(MPI_ERR_RANK, "rank " + std::to_string(rank) + " is not in the window");
  Held& held = held_[static_cast<std::size_t>(rank)];
  if (held == Held::Not || all_held_) {
    refuse_after(access_call_, "rank " + std::to_string(rank) + " has not been locked", "Call MPI_Win_lock before.");
  }
  if (held == Held::Unchecked) {
    flush(rank);
  } else {
    give_back_locks(std::span(&rank, 1));
  }
  held = Held::Not;
  tidings_trace_site(&access_call_, "MPI_Win_unlock");
}

void Window::unlock_all() {
  if (!all_held_) refuse_after(access_call_, "no epoch of MPI_Win_lock_all is open", "Call MPI_Win_lock_all before.");
  if (held_.front() == Held::Unchecked) {
    flush_all();
  } else {
    give_back_locks(all_ranks());
  }
  held_.assign(held_.size(), Held::Not);
  all_held_ = false;
  tidings_trace_site(&access_call_, "MPI_Win_unlock_all");
}

void Window::check_locked(int rank) const {
  if (rank >= size() || rank < -1) {
    throw Error(MPI_ERR_RANK, "rank " + std::to_string(rank) + " is not in the window");
  }
  const bool held = rank >= 0 ? held_[static_cast<std::size_t>(rank)] != Held::Not
                              : std::any_of(held_.begin(), held_.end(), [](Held one) { return one != Held::Not; });
  if (!held) refuse_after(access_call_, "no lock is held", "Call MPI_Win_lock or MPI_Win_lock_all before.");
}

// ---------------------------------------------------------------- memory of a dynamic window

void Window::attach_memory(void* base, MPI_Aint bytes) {
  auto* const first = static_cast<std::byte*>(base);
  for (const auto& [other, size] : attached_) {
    if (bytes > 0 && first < other + size && other < first + bytes) {
      throw Error(MPI_ERR_RMA_ATTACH, "the memory overlaps with memory that is attached already",
                  "Detach that before, or attach other memory.");
    }
  }
  attached_.emplace_back(first, bytes);
}

void Window::detach_memory(const void* base) {
  const auto found =
      std::find_if(attached_.begin(), attached_.end(), [&](const auto& one) { return one.first == base; });
  if (found == attached_.end()) throw Error(MPI_ERR_RMA_ATTACH, "no memory is attached at this address");
  attached_.erase(found);
}

// ---------------------------------------------------------------- target

Activity::State Window::advance() {
  if (closed_) return State::Finished;
  take_messages();
  bool moved = false;
  for (std::size_t rank = 0; rank < incoming_.size(); ++rank) {
    auto& queue = incoming_[rank];
    while (!queue.empty() && (queue.front().bulk == nullptr || queue.front().bulk->complete)) {
      Incoming access = queue.pop_front();
      carry_out(static_cast<int>(rank), access);
      moved = true;
    }
  }
  if (moved) std::erase_if(replies_, [](const Reply& reply) { return reply.request->complete; });
  return moved ? State::Moved : State::Idle;
}

void Window::take_messages() {
  const Pattern pattern{communicator_->point_to_point(), kAny, kAccessTag};
  while (auto message = lib_.messages().take(pattern)) {
    const Arrival& arrival = message->item;
    const std::byte* const data = arrival.own.empty() ? arrival.eager.data() : arrival.own.data();
    const int rank = communicator_->group()->rank_of(static_cast<std::uint32_t>(message->envelope.source));
    Incoming access;
    std::memcpy(&access.header, data, sizeof access.header);
    const auto bytes = static_cast<std::size_t>(access.header.body);
    if (bytes > 0) access.body = lib_.scratch.take(bytes);
    if (bytes > kInline) {
      access.bulk = request(Request::Kind::Receive, rank, kBodyTag, {access.body->data(), bytes, &lib_.bytes()});
      lib_.messages().start(access.bulk);
    } else if (bytes > 0) {
      std::memcpy(access.body->data(), data + sizeof access.header, bytes);
    }
    incoming_[static_cast<std::size_t>(rank)].push_back(std::move(access));
  }
}

Buffer Window::target_buffer(int rank, Incoming& access, const std::byte*& data,
                             std::unique_ptr<Datatype>& made) const {
  const AccessHeader& header = access.header;
  const auto count = static_cast<std::size_t>(header.count);
  data = access.body == nullptr ? nullptr : access.body->data();
  const Datatype* type = nullptr;
  if (header.segments == 0) {
    type = lib_.type(as_handle<MPI_Datatype>(header.element)).get();
  } else {
    std::vector<Segment> segments(header.segments);
    std::memcpy(segments.data(), data, segments.size() * sizeof(Segment));
    data += segments.size() * sizeof(Segment);
    made = std::make_unique<Datatype>("datatype of the target", Basic::None, static_cast<std::size_t>(header.extent),
                                      std::move(segments));
    type = made.get();
  }
  std::byte* address = nullptr;
  if (flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    address = reinterpret_cast<std::byte*>(header.displacement);
    const Bounds bounds = bounds_of(*type, count);
    const bool inside = std::any_of(attached_.begin(), attached_.end(), [&](const auto& one) {
      return address + bounds.low >= one.first && address + bounds.high <= one.first + one.second;
    });
    if (!inside && header.count > 0) {
      lib_.fail(MPI_ERR_RMA_RANGE, "an access of rank " + std::to_string(rank) + " to the " + name() +
                                       " is outside the memory that is attached here: call MPI_Win_attach before");
    }
  } else {
    address = static_cast<std::byte*>(base_) +
              header.displacement * parts_[static_cast<std::size_t>(communicator_->rank())].unit;
  }
  return {address, count, type};
}

void Window::carry_out(int rank, Incoming& access) {
  tidings_work(TIDINGS_WORK_WINDOW, 1);
  const AccessHeader& header = access.header;
  const auto place = static_cast<std::size_t>(rank);
  switch (header.kind) {
    case AccessKind::Lock:
      waiting_locks_.push_back({rank, header.exclusive != 0, header.reply});
      grant_locks();
      return;
    case AccessKind::Unlock:
      if (lock_is_exclusive_[place]) {
        exclusive_lock_ = false;
      } else {
        --shared_locks_;
      }
      acknowledge(rank, header.reply);
      grant_locks();
      return;
    case AccessKind::LockFree:
      grant_locks();
      return;
    case AccessKind::Flush:
      acknowledge(rank, header.reply);
      return;
    case AccessKind::Post:
      ++posts_[place];
      return;
    case AccessKind::Complete:
      ++completes_[place];
      return;
    default:
      break;
  }
  const std::byte* data = nullptr;
  std::unique_ptr<Datatype> made;
  const Buffer target = target_buffer(rank, access, data, made);
  const Datatype* const element = lib_.type(as_handle<MPI_Datatype>(header.element)).get();
  const auto snapshot = [&] {
    auto before = lib_.scratch.take(target.bytes());
    pack(target, 0, before->size(), before->data());
    return before;
  };
  switch (header.kind) {
    case AccessKind::Put:
      unpack(target, 0, data, target.bytes());
      break;
    case AccessKind::Get:
      if (made == nullptr) {
        answer(rank, header.reply, target);
      } else {
        answer(rank, header.reply, snapshot());
      }
      break;
    case AccessKind::GetAccumulate: {
      auto before = snapshot();
      combine(*lib_.operation(as_handle<MPI_Op>(header.operation)), element, target, data);
      answer(rank, header.reply, std::move(before));
      break;
    }
    case AccessKind::Accumulate:
      combine(*lib_.operation(as_handle<MPI_Op>(header.operation)), element, target, data);
      break;
    default: {  // compare and swap: the new value, then the one to compare with
      auto before = snapshot();
      if (std::memcmp(before->data(), data + before->size(), before->size()) == 0) {
        unpack(target, 0, data, target.bytes());
      }
      answer(rank, header.reply, std::move(before));
    }
  }
}

void Window::answer(int rank, std::int32_t tag, const Buffer& buffer, Bytes kept) {
  auto sent = request(Request::Kind::Send, rank, tag, buffer);
  replies_.push_back({std::move(kept), sent});
  lib_.messages().start(sent);
}

void Window::answer(int rank, std::int32_t tag, Bytes data) {
  answer(rank, tag, Buffer{data->data(), data->size(), &lib_.bytes()}, data);
}

void Window::acknowledge(int rank, std::int32_t tag) { answer(rank, tag, Buffer{nullptr, 0, &lib_.bytes()}); }

bool Window::try_lock_word(bool exclusive, bool others_wait) const {
  // Set first, look afterwards: who gives the lock back between the two sends a message.
  std::uint32_t found = 0;
  change_lock(rank(), TIDINGS_ATOMIC_OR, kWaited, found);
  remote_->settle();
  found |= kWaited;
  for (;;) {
    const std::uint32_t holders = found & ~kWaited;
    // Whoever else is counted without having the lock sends a message, too.
    if (exclusive ? holders != 0 : (holders & kAlone) != 0) return false;
    std::uint32_t changed = (exclusive ? kAlone : holders + 1) | (others_wait ? kWaited : 0);
    const std::uint32_t expected = found;
    remote_->change({TIDINGS_ATOMIC_COMPARE_SWAP, kWordBytes, reinterpret_cast<const std::byte*>(&expected)},
                    {{&changed, kWordBytes, &lib_.bytes()}, 0}, {{&found, kWordBytes, &lib_.bytes()}, 0},
                    lock_word(rank()), nullptr);
    remote_->settle();
    if (found == expected) return true;
  }
}

void Window::grant_locks() {
  while (has_lock_words() && !waiting_locks_.empty()) {
    const WaitingLock next = waiting_locks_.front();
    if (!try_lock_word(next.exclusive, waiting_locks_.size() > 1)) return;
    waiting_locks_.pop_front();
    acknowledge(next.rank, next.reply);
  }
  while (!waiting_locks_.empty() && !exclusive_lock_) {
    if (waiting_locks_.front().exclusive && shared_locks_ > 0) return;
    const WaitingLock next = waiting_locks_.pop_front();
    lock_is_exclusive_[static_cast<std::size_t>(next.rank)] = next.exclusive;
    if (next.exclusive) {
      exclusive_lock_ = true;
    } else {
      ++shared_locks_;
    }
    acknowledge(next.rank, next.reply);
  }
}

WindowMemory allocate(int flavor, std::size_t bytes, MPI_Count unit) {
  constexpr std::size_t kLine = 64;
  WindowMemory memory{flavor, nullptr, static_cast<MPI_Aint>(bytes), unit, nullptr};
  const std::shared_ptr<std::byte[]> own(new std::byte[bytes + kLine]());
  void* base = own.get();
  std::size_t room = bytes + kLine;
  memory.base = std::align(kLine, bytes, base, room);
  memory.own = own;
  return memory;
}

WindowMemory allocate_in_reach(Library& lib, int flavor, std::size_t bytes, MPI_Count unit) {
  // What data under way needs comes first.
  void* const base =
      bytes > 0 && remote_memory(lib) != nullptr ? take_node_memory(lib, bytes, alignof(std::max_align_t)) : nullptr;
  WindowMemory memory = allocate(flavor, base == nullptr ? bytes : 0, unit);
  memory.for_engine = true;
  if (base == nullptr) return memory;
  std::memset(base, 0, bytes);
  memory.base = base;
  memory.bytes = static_cast<MPI_Aint>(bytes);
  memory.own = std::shared_ptr<void>(base, [&lib](void* given) { give_back_node_memory(lib, given); });
  return memory;
}

namespace {

/// What a rank tells of its part beside its size.
struct PartOffer {
  int unit = 1;
  std::uint32_t region = kNoRegion;  ///< row, if the engine reaches it

  [[nodiscard]] std::int64_t pack() const { return static_cast<std::int64_t>(region) << 32 | unit; }
  static PartOffer unpack(std::int64_t key) {
    return {static_cast<int>(key & 0x7fffffff), static_cast<std::uint32_t>(key >> 32)};
  }
};

PartOffer offer_part(Library& lib, const WindowMemory& memory, int ranks) {
  PartOffer offer{.unit = static_cast<int>(memory.unit)};
  if (!memory.for_engine || ranks == 1) return offer;
  const auto bytes = static_cast<std::size_t>(memory.bytes);
  const auto address = node_address(lib, memory.base, bytes);
  const bool reachable = bytes == 0 || (address && *address % sizeof(std::uint64_t) == 0);
  RemoteMemory* const remote = reachable ? remote_memory(lib) : nullptr;
  if (remote != nullptr) offer.region = remote->add_region(bytes == 0 ? 0 : *address, bytes);
  return offer;
}

}  // namespace

std::shared_ptr<Window> make_window(Library& lib, Call& call, Collective kind, const char* label, MPI_Comm comm,
                                    WindowMemory memory) {
  const auto parent = lib.intracommunicator(comm);
  begin_exchange(call, kind, *parent);
  const PartOffer mine = offer_part(lib, memory, parent->size());
  const auto all = exchange_offers(lib, *parent, kind, memory.bytes, mine.pack());
  // A communicator of its own, which the program has no handle of.
  const MPI_Comm made = make_communicator(lib, label, *parent, all, parent->group()->ranks());
  const CommunicatorPointer communicator = lib.communicator(made);
  lib.communicators.remove(number(made));
  std::vector<Window::Part> parts;
  bool in_reach = true;
  bool any = false;
  for (const auto& one : all) {
    const PartOffer theirs = PartOffer::unpack(one.key);
    parts.push_back({static_cast<MPI_Aint>(one.color), theirs.unit, theirs.region});
    in_reach &= theirs.region != kNoRegion;
    any |= one.color > 0;
  }
  RemoteMemory* const remote = in_reach && any ? remote_memory(lib) : nullptr;
  if (remote == nullptr && mine.region != kNoRegion) remote_memory(lib)->remove_region(mine.region);
  auto window = std::make_shared<Window>(lib, communicator, memory.flavor, memory.base, std::move(parts), remote,
                                         memory.elementwise);
  window->own_memory = std::move(memory.own);
  attach(lib.messages(), window);
  return window;
}

}  // namespace tidings
