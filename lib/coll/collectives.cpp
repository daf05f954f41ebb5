// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/collectives.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "coll/algorithms.h"
#include "core/packing.h"

namespace tidings {
namespace {

/// Messages from here on are cut into blocks that travel around a ring.
constexpr std::size_t kLongBytes = 32768;
constexpr int kLeastRing = 4;
/// Blocks up to here travel along a tree, together with others.
constexpr std::size_t kTreeBlockBytes = 1024;
constexpr std::size_t kBruckBytes = 4096;

constexpr const char* kNotInEngine = "the engine does not have this collective";

/// Memory for elements laid out as in a program's buffer.
class Temporary {
 public:
  Temporary(std::size_t count, DatatypePointer type)
      : bytes_(count * static_cast<std::size_t>(type->extent())), count_(count), type_(std::move(type)) {}

  [[nodiscard]] Buffer buffer() { return {bytes_.data() - type_->lower_bound(), count_, type_}; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t count_;
  DatatypePointer type_;
};

}  // namespace

View Blocks::view() const {
  return counts.empty() ? View::uniform(base, count, type) : View::varying(base, counts, displacements, type);
}

Collectives::Collectives(Engine& engine, DatatypePointer bytes) : engine_(engine), bytes_(std::move(bytes)) {
  if (engine.ranks() > 1) hardware_.emplace(engine);
}

Outcome Collectives::choose(const Communicator& communicator, const char* refusal) const {
  if (communicator.size() == 1) return {TIDINGS_PATH_NONE, nullptr};
  if (!engine_.device().hardware_collectives) return {TIDINGS_PATH_SOFTWARE, nullptr};
  if (refusal == nullptr && !communicator.engine_context) refusal = "the engine has no context for the communicator";
  if (refusal != nullptr) return {TIDINGS_PATH_FALLBACK, refusal};
  return {TIDINGS_PATH_HARDWARE, nullptr};
}

template <class Body>
void Collectives::inside(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor, Body body) {
  const std::int32_t tag = communicator->next_collective();
  engine_.begin_collective(communicator->collective(), tag, descriptor);
  struct End {
    Engine& engine;
    ~End() { engine.end_collective(); }
  } const end{engine_};
  body(tag);
}

void Collectives::software(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                           const Schedule& schedule, Views views, const Operation* operation) {
  inside(communicator, descriptor,
         [&](std::int32_t tag) { run_schedule(engine_, communicator, tag, descriptor, schedule, views, operation); });
}

void Collectives::meet(const CommunicatorPointer& world) {
  if (!hardware_) return;
  CollectiveDescriptor descriptor;
  descriptor.kind = Collective::Init;
  inside(world, descriptor, [&](std::int32_t) { hardware_->barrier(*world, descriptor); });
}

Outcome Collectives::barrier(const CommunicatorPointer& communicator, Collective kind) {
  CollectiveDescriptor descriptor;
  descriptor.kind = kind;
  // In the engine MPI_Finalize too, so that a stream that two ranks sent to each other, and neither expected, comes to
  // light at last.
  const Outcome outcome = choose(*communicator, nullptr);
  if (outcome.path == TIDINGS_PATH_NONE) return outcome;
  if (outcome.path == TIDINGS_PATH_HARDWARE) {
    inside(communicator, descriptor, [&](std::int32_t) { hardware_->barrier(*communicator, descriptor); });
    return outcome;
  }
  const View nothing = View::uniform(nullptr, 0, bytes_);
  software(communicator, descriptor, barrier_dissemination(communicator->rank(), communicator->size()),
           {nothing, nothing, nothing}, nullptr);
  return outcome;
}

Outcome Collectives::broadcast(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                               const Buffer& buffer) {
  const Outcome outcome = choose(*communicator, nullptr);
  const std::size_t bytes = buffer.bytes();
  if (outcome.path == TIDINGS_PATH_NONE || bytes == 0) return {TIDINGS_PATH_NONE, nullptr};
  if (outcome.path == TIDINGS_PATH_HARDWARE) {
    inside(communicator, descriptor,
           [&](std::int32_t) { hardware_->broadcast(*communicator, descriptor, buffer, descriptor.root); });
    return outcome;
  }
  const int rank = communicator->rank();
  const int size = communicator->size();
  if (bytes < kLongBytes || size < kLeastRing) {
    software(communicator, descriptor, broadcast_binomial(rank, size, descriptor.root), {{}, View::whole(buffer), {}},
             nullptr);
    return outcome;
  }
  // Ranks may describe the same bytes by different types, so the blocks are cut from the packed message.
  if (buffer.type->is_contiguous()) {
    const Buffer packed{buffer.base, bytes, bytes_};
    software(communicator, descriptor, broadcast_scatter_ring(rank, size, descriptor.root),
             {{}, View::split(packed, static_cast<std::uint32_t>(size)), {}}, nullptr);
    return outcome;
  }
  Temporary packed(bytes, bytes_);
  if (rank == descriptor.root) copy_elements(buffer, packed.buffer());
  software(communicator, descriptor, broadcast_scatter_ring(rank, size, descriptor.root),
           {{}, View::split(packed.buffer(), static_cast<std::uint32_t>(size)), {}}, nullptr);
  if (rank != descriptor.root) copy_elements(packed.buffer(), buffer);
  return outcome;
}

Outcome Collectives::reduce(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                            const Buffer& input, const Buffer& result, const Operation& operation) {
  const EngineSupport support = engine_support(operation, *input.type, hardware_ && hardware_->wide_elements());
  const Outcome outcome = choose(*communicator, support.reason);
  if (input.count == 0) return {TIDINGS_PATH_NONE, nullptr};
  if (outcome.path == TIDINGS_PATH_NONE) {
    copy_elements(input, result);
    return outcome;
  }
  if (outcome.path == TIDINGS_PATH_HARDWARE) {
    inside(communicator, descriptor, [&](std::int32_t) {
      hardware_->reduce(*communicator, descriptor, *support.reduction, input, result, descriptor.root);
    });
    return outcome;
  }
  const int rank = communicator->rank();
  const auto algorithm = operation.commutative() ? reduce_binomial : reduce_ordered;
  Temporary received(input.count, input.type);
  // The root of an ordered reduction is not the root of its tree, so it gathers partial results like any other rank.
  Temporary partial(input.count, input.type);
  const Buffer accumulated = rank == descriptor.root ? result : partial.buffer();
  software(communicator, descriptor, algorithm(rank, communicator->size(), descriptor.root),
           {View::whole(input), View::whole(accumulated), View::whole(received.buffer())}, &operation);
  return outcome;
}

Outcome Collectives::allreduce(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                               const Buffer& input, const Buffer& result, const Operation& operation) {
  const EngineSupport support = engine_support(operation, *input.type, hardware_ && hardware_->wide_elements());
  const Outcome outcome = choose(*communicator, support.reason);
  if (input.count == 0) return {TIDINGS_PATH_NONE, nullptr};
  if (outcome.path == TIDINGS_PATH_NONE) {
    copy_elements(input, result);
    return outcome;
  }
  if (outcome.path == TIDINGS_PATH_HARDWARE) {
    inside(communicator, descriptor,
           [&](std::int32_t) { hardware_->allreduce(*communicator, descriptor, *support.reduction, input, result); });
    return outcome;
  }
  const int rank = communicator->rank();
  const int size = communicator->size();
  Temporary received(input.count, input.type);
  const bool ring = operation.commutative() && size >= kLeastRing && input.bytes() >= kLongBytes &&
                    input.count >= static_cast<std::size_t>(size);
  if (ring) {
    const auto blocks = static_cast<std::uint32_t>(size);
    software(communicator, descriptor, allreduce_ring(rank, size),
             {View::split(input, blocks), View::split(result, blocks), View::split(received.buffer(), blocks)},
             &operation);
  } else {
    software(communicator, descriptor, allreduce_recursive_doubling(rank, size),
             {View::whole(input), View::whole(result), View::whole(received.buffer())}, &operation);
  }
  return outcome;
}

Outcome Collectives::scan(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                          const Buffer& input, const Buffer& result, const Operation& operation) {
  const Outcome outcome = choose(*communicator, kNotInEngine);
  if (input.count == 0) return {TIDINGS_PATH_NONE, nullptr};
  if (outcome.path == TIDINGS_PATH_NONE) {
    copy_elements(input, result);
    return outcome;
  }
  Temporary received(input.count, input.type);
  software(communicator, descriptor, scan_doubling(communicator->rank(), communicator->size()),
           {View::whole(input), View::whole(result), View::whole(received.buffer())}, &operation);
  return outcome;
}

Outcome Collectives::gather(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                            const Buffer& mine, const Blocks& all) {
  const Outcome outcome = choose(*communicator, kNotInEngine);
  const int rank = communicator->rank();
  const int size = communicator->size();
  const bool tree = descriptor.kind == Collective::Gather && descriptor.bytes <= kTreeBlockBytes;
  const Schedule schedule = (tree ? gather_binomial : gather_linear)(rank, size, descriptor.root);
  Temporary scratch(scratch_blocks(schedule) * descriptor.bytes, bytes_);
  software(communicator, descriptor, schedule,
           {View::whole(mine), all.view(), View::uniform(scratch.buffer().base, descriptor.bytes, bytes_)}, nullptr);
  return outcome;
}

Outcome Collectives::scatter(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                             const Blocks& all, const Buffer& mine) {
  const Outcome outcome = choose(*communicator, kNotInEngine);
  const int rank = communicator->rank();
  const int size = communicator->size();
  const bool tree = descriptor.kind == Collective::Scatter && descriptor.bytes <= kTreeBlockBytes;
  const Schedule schedule = (tree ? scatter_binomial : scatter_linear)(rank, size, descriptor.root);
  Temporary scratch(scratch_blocks(schedule) * descriptor.bytes, bytes_);
  software(communicator, descriptor, schedule,
           {all.view(), View::whole(mine), View::uniform(scratch.buffer().base, descriptor.bytes, bytes_)}, nullptr);
  return outcome;
}

Outcome Collectives::allgather(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                               const Buffer& mine, const Blocks& all) {
  const Outcome outcome = choose(*communicator, kNotInEngine);
  const int rank = communicator->rank();
  const int size = communicator->size();
  const bool bruck =
      descriptor.kind != Collective::Allgatherv && descriptor.bytes * static_cast<std::size_t>(size) <= kBruckBytes;
  const Schedule schedule = (bruck ? allgather_bruck : allgather_ring)(rank, size);
  Temporary scratch(scratch_blocks(schedule) * descriptor.bytes, bytes_);
  software(communicator, descriptor, schedule,
           {View::whole(mine), all.view(), View::uniform(scratch.buffer().base, descriptor.bytes, bytes_)}, nullptr);
  return outcome;
}

Outcome Collectives::alltoall(const CommunicatorPointer& communicator, const CollectiveDescriptor& descriptor,
                              const Blocks& out, const Blocks& in) {
  const Outcome outcome = choose(*communicator, kNotInEngine);
  software(communicator, descriptor, alltoall_pairwise(communicator->rank(), communicator->size()),
           {out.view(), in.view(), {}}, nullptr);
  return outcome;
}

std::vector<Collectives::Offer> Collectives::exchange(const CommunicatorPointer& communicator, Collective kind,
                                                      const Offer& mine) {
  CollectiveDescriptor descriptor;
  descriptor.kind = kind;
  descriptor.bytes = sizeof(Offer);
  std::vector<Offer> all(static_cast<std::size_t>(communicator->size()));
  Offer copy = mine;
  allgather(communicator, descriptor, {&copy, sizeof(Offer), bytes_}, {all.data(), bytes_, sizeof(Offer), {}, {}});
  return all;
}

std::uint64_t Collectives::free_contexts() const {
  return hardware_ && engine_.device().hardware_collectives ? hardware_->free_contexts() : 0;
}

std::optional<std::uint32_t> Collectives::context_of(const std::vector<std::uint32_t>& members, std::uint64_t free) {
  if (members.size() < 2 || !engine_.device().hardware_collectives) return std::nullopt;
  return hardware_->context_of(members, static_cast<std::uint32_t>(free));
}

}  // namespace tidings
