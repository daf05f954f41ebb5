// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/hardware.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "alltoall.h"
#include "barrier.h"
#include "coll/registry.h"
#include "core/abi.h"
#include "core/error.h"
#include "core/packing.h"
#include "cost.h"

namespace tidings {
namespace {

/// Switches carry out a collective of which nothing is known beforehand: it is planned as one by messages is, and its
/// blocks are put where the engine finds them.
void plan() {
  tidings_work(TIDINGS_WORK_SCHEDULE, 1);
  tidings_work(TIDINGS_WORK_ROUND, 1);
}

constexpr std::size_t kAlignment = 8;  ///< of vectors in node memory

}  // namespace

EngineSupport engine_support(const Operation& operation, const Datatype& type, bool wide_elements) {
  EngineReduction reduction;
  bool integer = true;
  bool is_signed = true;
  switch (type.basic()) {
    case Basic::Int32:
      reduction.element = TIDINGS_ELEMENT_INT32;
      break;
    case Basic::Uint32:
      reduction.element = TIDINGS_ELEMENT_INT32;
      is_signed = false;
      break;
    case Basic::Int64:
      reduction.element = TIDINGS_ELEMENT_INT64;
      break;
    case Basic::Uint64:
      reduction.element = TIDINGS_ELEMENT_INT64;
      is_signed = false;
      break;
    case Basic::Float:
      reduction.element = TIDINGS_ELEMENT_FLOAT;
      integer = false;
      break;
    case Basic::Double:
      reduction.element = TIDINGS_ELEMENT_DOUBLE;
      integer = false;
      break;
    default:
      return {std::nullopt, "the engine does not combine elements of this datatype"};
  }
  const bool wide = reduction.element == TIDINGS_ELEMENT_INT64 || reduction.element == TIDINGS_ELEMENT_DOUBLE;
  if (wide && !wide_elements) return {std::nullopt, "the engine combines elements of 32 bits only"};
  switch (operation.combine()) {
    case Combine::Sum:
      reduction.combine = TIDINGS_COMBINE_SUM;
      break;
    case Combine::Min:
      reduction.combine = TIDINGS_COMBINE_MIN;
      break;
    case Combine::Max:
      reduction.combine = TIDINGS_COMBINE_MAX;
      break;
    case Combine::And:
      reduction.combine = TIDINGS_COMBINE_AND;
      break;
    case Combine::Or:
      reduction.combine = TIDINGS_COMBINE_OR;
      break;
    case Combine::Xor:
      reduction.combine = TIDINGS_COMBINE_XOR;
      break;
    default:
      return {std::nullopt, "the engine does not have this operation"};
  }
  const bool ordered = operation.combine() == Combine::Min || operation.combine() == Combine::Max;
  if (integer && !is_signed && ordered) return {std::nullopt, "the engine compares signed integers only"};
  return {reduction, nullptr};
}

HardwareCollectives::HardwareCollectives(MessageLayer& messages)
    : messages_(messages),
      grid_(messages.platform().grid),
      sizes_(tidings_open_collectives(&messages.driver())),
      contexts_(sizes_.contexts) {}

std::uint32_t HardwareCollectives::free_contexts() const {
  std::uint32_t free = 0;
  for (std::size_t i = 0; i < contexts_.size(); ++i) free |= contexts_[i] ? 0 : 1U << i;
  return free;
}

std::shared_ptr<MpeGroup> HardwareCollectives::group_of(std::vector<std::uint32_t> members) {
  std::sort(members.begin(), members.end());
  for (const auto& context : contexts_) {
    if (context && context->group->members() == members) return context->group;
  }
  std::vector<tidings_endpoint> endpoints;
  for (const std::uint32_t member : members) endpoints.push_back(messages_.endpoint(member));
  const auto me = std::lower_bound(members.begin(), members.end(), messages_.rank()) - members.begin();
  const auto& sizes = messages_.driver().mpe_sizes;
  const bool forks = sizes.multicast != 0 && sizes.combine_ports >= grid_.ports();
  Placement placement(grid_, std::move(endpoints), sizes.links);
  return std::make_shared<MpeGroup>(std::move(members), std::move(placement), static_cast<Member>(me), forks);
}

std::optional<std::uint32_t> HardwareCollectives::context_of(const std::shared_ptr<MpeGroup>& group,
                                                             const WiredShape& wired, std::uint32_t& free) {
  const Wiring& wiring = wired.wiring();
  for (std::uint32_t i = 0; i < contexts_.size(); ++i) {
    if (contexts_[i] && contexts_[i]->group == group && contexts_[i]->wiring == wiring.name) return i;
  }
  if (free == 0) return std::nullopt;
  const auto context = static_cast<std::uint32_t>(std::countr_zero(free));
  free &= free - 1;
  for (const GroupLink& link : wired.links()) {
    tidings_tree_link(&messages_.driver(), context, link.number, messages_.endpoint(group->members()[link.neighbour]),
                      link.peer_number, link.direct && link.number < sizes_.direct_links);
  }
  contexts_[context].emplace(Context{group, wiring.name});
  return context;
}

EngineCommand HardwareCollectives::command(const Loaded& loaded, const Communicator& communicator,
                                           const CollectiveDescriptor& descriptor, const EngineReduction& reduction) {
  const bool rooted = descriptor.kind == Collective::Bcast || descriptor.kind == Collective::Reduce;
  const Member root =
      rooted ? loaded.group->number_of(communicator.world_rank(descriptor.root)) : loaded.wired->best_root();
  const GroupWay& way = loaded.wired->way(root);
  const tidings_collective_command command{
      .operation = engine_kind(descriptor.kind),
      .element = reduction.element,
      .combine = reduction.combine,
      .context = loaded.context,
      .parent = way.parent,
      .children = way.children,
      .swap = way.swap,
      .exchange = loaded.wired->shape().is_tree() ? 0U : 1U,
  };
  return {tidings_collective_word(&command), engine_word(descriptor, reduction)};
}

void HardwareCollectives::wait(std::uint32_t number, const Waited& waited) {
  messages_.wait(
      [&] { return tidings_collective_known_done(&messages_.driver(), number); },
      [&] {
        const MpeGroup& group = *waited.loaded.group;
        Waiting waiting{
            to_string(waited.descriptor) + " in the collective engine, communicator " + waited.communicator.name(), {}};
        for (const GroupLink& link : waited.loaded.wired->links()) {
          waiting.ranks.push_back(group.members()[link.neighbour]);
        }
        return waiting;
      });
}

void HardwareCollectives::barrier(const EngineCommand& command, const Waited& waited) {
  tidings_work(TIDINGS_WORK_COMMAND, 1);
  wait(tidings_collective_start(&messages_.driver(), command.word, command.descriptor, {}), waited);
}

Waiting HardwareCollectives::waits_for_all(const CollectiveDescriptor& descriptor, const char* how,
                                           const Communicator& communicator) {
  Waiting waiting{to_string(descriptor) + how + communicator.name(), {}};
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (rank != communicator.rank()) waiting.ranks.push_back(communicator.world_rank(rank));
  }
  return waiting;
}

WireGroups HardwareCollectives::free_groups() const {
  if constexpr (!rows::kExtraAlgorithms) return 0;
  const tidings_platform& platform = messages_.platform();
  const bool joined = platform.grid.dimensions == 0 || messages_.endpoint(messages_.rank()).slot == 0;
  const bool has = platform.barrier_wires && joined;
  return has ? TIDINGS_REG_BARRIER_STATUS_DONE & ~*taken_groups_ : 0;
}

std::unique_ptr<WireGroup> HardwareCollectives::join(const Placement& placement, Member me, WireGroups free,
                                                     const char*& refusal) {
  if (free == 0) {
    refusal = "no group of the barrier engine is free at all ranks";
    return nullptr;
  }
  const std::optional<std::uint64_t> mates = wire_mates(placement, me);
  if (!mates) {
    refusal = "the ranks do not fill a rectangle of routers, one each";
    return nullptr;
  }
  auto group = std::make_unique<WireGroup>(taken_groups_, static_cast<std::uint32_t>(std::countr_zero(free)));
  tidings_barrier_join(&messages_.driver(), group->number(), *mates);
  return group;
}

void HardwareCollectives::barrier(const WireGroup& group, const Communicator& communicator,
                                  const CollectiveDescriptor& descriptor) {
  tidings_work(TIDINGS_WORK_COMMAND, 1);
  tidings_driver& driver = messages_.driver();
  if (awaited_group_ != group.number()) tidings_barrier_await(&driver, group.number());
  awaited_group_ = group.number();
  tidings_barrier_arrive(&driver, group.number());
  messages_.wait_for_engine(TIDINGS_IRQ_BARRIER,
                            [&] { return waits_for_all(descriptor, " over wires, communicator ", communicator); });
  // Or the next wait would see this one's interrupt before the next arrival has taken it back.
  tidings_barrier_acknowledge(&driver, group.number());
}

bool HardwareCollectives::has_switches() const {
  if constexpr (!rows::kExtraAlgorithms) return false;
  return messages_.platform().alltoall_entries != 0 && messages_.endpoint(messages_.rank()).slot == 0;
}

std::uint32_t HardwareCollectives::switch_adders() const { return tidings_alltoall_adders(&messages_.driver()); }

void HardwareCollectives::load(const std::shared_ptr<const WordProgram>& program) {
  if (loaded_program_ == program) return;
  exchange_.program = nullptr;
  const std::uint32_t ports = tidings_alltoall_ports(messages_.platform().grid.dimensions);
  for (std::uint32_t order = 0; order < program->size(); ++order) {
    const std::vector<std::uint8_t>& entries = (*program)[order];
    if (loaded_program_ != nullptr && (*loaded_program_)[order] == entries) continue;
    tidings_alltoall_load(&messages_.driver(), ports, order, entries.data(),
                          static_cast<std::uint32_t>(entries.size()));
  }
  loaded_program_ = program;
}

void HardwareCollectives::set_sum(const EngineReduction& reduction) {
  tidings_reg_alltoall_sums sum{};
  if (loaded_program_->summands != 0) {
    sum = {.summands = loaded_program_->summands,
           .outputs = loaded_program_->outputs,
           .element = reduction.element,
           .combine = reduction.combine};
  }
  if (tidings_reg_alltoall_sums_encode(sum) != tidings_reg_alltoall_sums_encode(loaded_sum_)) {
    tidings_alltoall_sum(&messages_.driver(), sum);
    loaded_sum_ = sum;
  }
}

void HardwareCollectives::start_program(std::uint32_t source, std::uint32_t destination, std::size_t words,
                                        const EngineReduction& reduction) {
  set_sum(reduction);
  tidings_alltoall_start(&messages_.driver(), source, destination, static_cast<std::uint32_t>(words));
}

void HardwareCollectives::await_program(const Communicator& communicator, const CollectiveDescriptor& descriptor) {
  messages_.wait_for_engine(TIDINGS_IRQ_ALLTOALL, [&] {
    return waits_for_all(descriptor, " over static switches, communicator ", communicator);
  });
}

void HardwareCollectives::run_program(const Communicator& communicator, const CollectiveDescriptor& descriptor,
                                      std::uint32_t source, std::uint32_t destination, std::size_t words,
                                      const EngineReduction& reduction) {
  start_program(source, destination, words, reduction);
  await_program(communicator, descriptor);
}

std::optional<HardwareCollectives::Exchange> HardwareCollectives::exchange_of(const Communicator& communicator,
                                                                              std::size_t bytes, const Buffer& input,
                                                                              const Buffer& output) const {
  const auto size = static_cast<std::size_t>(communicator.size());
  const Buffer from{input.base, input.count * size, input.type};
  const Buffer into{output.base, output.count * size, output.type};
  const auto source = in_node_memory(from, 0);
  const auto destination = in_node_memory(into, 0);
  const std::uint32_t half = 2 * messages_.layout().chunk;
  if (bytes % kWordBytes != 0 || (!source && !is_reached(from)) || (!destination && !is_reached(into)) ||
      (!(source && destination) && size * bytes > half)) {
    return std::nullopt;
  }
  const std::uint32_t area = messages_.layout().collective_base;
  return Exchange{.program = loaded_program_.get(),
                  .input = input.base,
                  .output = output.base,
                  .type = input.type,
                  .bytes = bytes,
                  .all = size * bytes,
                  .reaches_input = !source,
                  .reaches_output = !destination,
                  .source = source.value_or(area),
                  .destination = destination.value_or(area + half),
                  .own = static_cast<std::uint32_t>(bytes) * static_cast<std::uint32_t>(communicator.rank())};
}

void HardwareCollectives::alltoall(SwitchGroup& group, const Communicator& communicator,
                                   const CollectiveDescriptor& descriptor, const Buffer& input, const Buffer& output) {
  Exchange& known = exchange_;
  const std::size_t bytes = descriptor.bytes;
  if (known.program != group.program().get() || known.input != input.base || known.output != output.base ||
      known.type != input.type || known.bytes != bytes) [[unlikely]] {
    load(group.program());
    const auto found = exchange_of(communicator, bytes, input, output);
    if (!found) {
      return alltoall(group, communicator, descriptor, bytes, View::uniform(input.base, input.count, input.type),
                      View::uniform(output.base, output.count, output.type));
    }
    set_sum({});
    known = *found;
  }
  tidings_driver& driver = messages_.driver();
  tidings_work(TIDINGS_WORK_VECTOR, 1);
  std::uint32_t source = known.source;
  std::uint32_t destination = known.destination;
  if (known.reaches_input) source = tidings_bus_reach(driver.bus, known.input, known.all, source);
  if (known.reaches_output) destination = tidings_bus_reach(driver.bus, known.output, known.all, destination);
  tidings_alltoall_start(&driver, source, destination, static_cast<std::uint32_t>(bytes / kWordBytes));
  // The own block is not the engine's. It is copied while the others travel.
  tidings_copy(messages_.memory(destination + known.own), messages_.memory(source + known.own), bytes);
  await_program(communicator, descriptor);
  if (known.reaches_output) tidings_bus_reached(driver.bus, known.output, known.all, destination);
}

void HardwareCollectives::alltoall(SwitchGroup& group, const Communicator& communicator,
                                   const CollectiveDescriptor& descriptor, std::size_t bytes, const View& input,
                                   const View& output) {
  const auto size = static_cast<std::uint32_t>(communicator.size());
  const auto me = static_cast<std::uint32_t>(communicator.rank());
  const bool equal = descriptor.kind == Collective::Alltoall;
  const std::size_t words = (bytes + kWordBytes - 1) / kWordBytes;
  // Contributions lie in one half of the memory of blocking collectives, results in the other.
  const std::uint32_t area = messages_.layout().collective_base;
  const std::uint32_t half = 2 * messages_.layout().chunk;
  const std::size_t room = half / kWordBytes / size;
  plan();
  load(group.program());
  if (!equal) return alltoall_in_parts(communicator, descriptor, room, words, input, output);
  // Blocks that lie in node memory already stay there; but what is sent must not be overwritten by what comes.
  const Buffer from = input.range(0, size);
  const Buffer into = output.range(0, size);
  const bool in_place = from.base == into.base;
  const auto given_source = in_place ? std::nullopt : in_node_memory(from, 0);
  const auto given_destination = in_node_memory(into, 0);
  // Whole words lie in the engine's blocks as in the program's.
  if ((given_source && given_destination) || (words <= room && bytes % kWordBytes == 0)) {
    const auto own = static_cast<std::uint32_t>(me * bytes);
    tidings_work(TIDINGS_WORK_VECTOR, 1);
    const std::uint32_t source = given_source ? *given_source : bring(from, 0, size * bytes, area);
    const std::uint32_t destination =
        given_destination ? *given_destination : make_way(into, 0, size * bytes, area + half);
    start_program(source, destination, words, {});
    // The own block is not the engine's. It is copied while the others travel.
    if (!(given_destination && in_place)) {
      tidings_copy(messages_.memory(destination + own), messages_.memory(source + own), bytes);
    }
    await_program(communicator, descriptor);
    if (!given_destination) fetch(into, 0, size * bytes, destination);
    return;
  }
  alltoall_in_parts(communicator, descriptor, room, words, input, output);
}

void HardwareCollectives::alltoall_in_parts(const Communicator& communicator, const CollectiveDescriptor& descriptor,
                                            std::size_t room, std::size_t words, const View& input,
                                            const View& output) {
  const auto size = static_cast<std::uint32_t>(communicator.size());
  const auto me = static_cast<std::uint32_t>(communicator.rank());
  const std::uint32_t area = messages_.layout().collective_base;
  const std::uint32_t half = 2 * messages_.layout().chunk;
  for (std::size_t first = 0; first < words; first += room) {
    const std::size_t part = std::min(room, words - first);
    const std::size_t start = first * kWordBytes;
    // Bytes of a block in this part: of a short one, words of any value follow.
    const auto clip = [&](const Buffer& block) {
      return std::min(block.bytes() - std::min(block.bytes(), start), part * kWordBytes);
    };
    const auto place = [&](std::uint32_t base, std::uint32_t block) {
      return messages_.memory(base + static_cast<std::uint32_t>(block * part * kWordBytes));
    };
    tidings_work(TIDINGS_WORK_VECTOR, 1);
    for (std::uint32_t block = 0; block < size; ++block) {
      // The own block takes the same way, so that input and output may be the same memory.
      const Buffer from = input.range(block, 1);
      if (clip(from) != 0) pack(from, start, clip(from), place(block == me ? area + half : area, block));
    }
    run_program(communicator, descriptor, area, area + half, part);
    for (std::uint32_t block = 0; block < size; ++block) {
      const Buffer into = output.range(block, 1);
      if (clip(into) != 0) unpack(into, start, place(area + half, block), clip(into));
    }
  }
}

void HardwareCollectives::broadcast(SwitchGroup& group, const Communicator& communicator,
                                    const CollectiveDescriptor& descriptor, const Buffer& buffer) {
  const bool is_root = descriptor.root == communicator.rank();
  const std::size_t bytes = buffer.bytes();
  const std::size_t words = (bytes + kWordBytes - 1) / kWordBytes;
  const auto given = in_node_memory(buffer, 0);
  const std::uint32_t area = messages_.layout().collective_base;
  // Words follow one another whatever each rank does at once, so that a message may be whole at some and cut at others.
  const std::size_t room = given ? words : 4 * std::size_t{messages_.layout().chunk} / kWordBytes;
  load(group.broadcast(descriptor.root));
  for (std::size_t first = 0; first < words; first += room) {
    const std::size_t part = std::min(room, words - first);
    const std::size_t clip = std::min(bytes - first * kWordBytes, part * kWordBytes);
    tidings_work(TIDINGS_WORK_VECTOR, 1);
    const std::uint32_t address = given     ? *given
                                  : is_root ? bring(buffer, first * kWordBytes, clip, area)
                                            : make_way(buffer, first * kWordBytes, clip, area);
    run_program(communicator, descriptor, address, address, part);
    if (!is_root && !given) fetch(buffer, first * kWordBytes, clip, address);
  }
}

void HardwareCollectives::reduce(SwitchGroup& group, const Communicator& communicator,
                                 const CollectiveDescriptor& descriptor, const EngineReduction& reduction,
                                 const Buffer& input, const Buffer& result) {
  const bool all = descriptor.kind == Collective::Allreduce;
  const bool has_result = all || descriptor.root == communicator.rank();
  const std::size_t bytes = input.bytes();
  const std::uint32_t area = messages_.layout().collective_base;
  // A word's sum comes when it has been read: input and result may be the same memory.
  const std::uint32_t half = 2 * messages_.layout().chunk;
  const auto source = in_node_memory(input, 0);
  const auto destination = has_result ? in_node_memory(result, 0) : area + half;
  // As in broadcasts, whole at some ranks and cut at others.
  const std::size_t room = source && destination ? bytes : half;
  load(group.reduction(all ? std::nullopt : std::optional(descriptor.root)));
  for (std::size_t first = 0; first < bytes; first += room) {
    const std::size_t part = std::min(room, bytes - first);
    const auto at = static_cast<std::uint32_t>(first);
    tidings_work(TIDINGS_WORK_VECTOR, 1);
    const std::uint32_t from = source ? *source + at : bring(input, first, part, area);
    const std::uint32_t into = !has_result   ? area + half
                               : destination ? *destination + at
                                             : make_way(result, first, part, area + half);
    run_program(communicator, descriptor, from, into, part / kWordBytes, reduction);
    if (has_result && !destination) fetch(result, first, part, into);
  }
}

namespace {

/// Bytes of a block among those from `start` on, in a part of the blocks.
std::size_t clipped(const Buffer& block, std::size_t start, std::size_t words) {
  return std::min(block.bytes() - std::min(block.bytes(), start), words * kWordBytes);
}

/// Blocks lie in the engine's memory as in the program's, one after the other.
bool lie_alike(const CollectiveDescriptor& descriptor) {
  return descriptor.kind != Collective::Allgatherv && descriptor.bytes % kWordBytes == 0;
}

}  // namespace

void HardwareCollectives::gather(SwitchGroup& group, const Communicator& communicator,
                                 const CollectiveDescriptor& descriptor, std::size_t bytes, const Buffer& mine,
                                 const View* blocks) {
  const auto size = static_cast<std::uint32_t>(communicator.size());
  const auto me = static_cast<std::uint32_t>(communicator.rank());
  const bool all = family_of(descriptor.kind) == Collective::Allgather;
  const bool sends = all || blocks == nullptr;
  const std::size_t words = (bytes + kWordBytes - 1) / kWordBytes;
  // As in all-to-alls; a block of this rank may be longer than a part of all blocks.
  const std::uint32_t area = messages_.layout().collective_base;
  const std::uint32_t half = 2 * messages_.layout().chunk;
  // Of a block that is shorter than others, words of any value follow.
  const bool is_longest = mine.bytes() == words * kWordBytes;
  const auto source = !sends ? area : is_longest ? in_node_memory(mine, 0) : std::nullopt;
  const bool at_once = source || bytes <= half;
  const bool alike = blocks != nullptr && lie_alike(descriptor);
  const auto destination = alike && at_once ? in_node_memory(blocks->range(0, size), 0) : std::nullopt;
  // Words follow one another whatever each rank does at once, so that blocks may be whole at some and cut at others.
  const std::size_t room = blocks == nullptr ? (source ? words : half / kWordBytes)
                           : destination     ? words
                                             : half / kWordBytes / size;
  // All of them are copied at once if they come at once, the own block among them.
  const bool together = alike && !destination && words <= room;
  const auto place_of = [&](std::size_t block, std::size_t part) {
    return messages_.memory(area + half + static_cast<std::uint32_t>(block * part * kWordBytes));
  };
  plan();
  load(all ? group.allgather() : group.gather(descriptor.root));
  const Buffer whole = together ? blocks->range(0, size) : Buffer{};
  const std::uint32_t into = together ? make_way(whole, 0, size * bytes, area + half) : area + half;
  if (together) {
    pack(mine, 0, bytes, messages_.memory(into + static_cast<std::uint32_t>(me * bytes)));
  } else if (blocks != nullptr) {
    copy_elements(mine, blocks->range(me, 1));
  }
  for (std::size_t first = 0; first < words; first += room) {
    const std::size_t part = std::min(room, words - first);
    const std::size_t start = first * kWordBytes;
    tidings_work(TIDINGS_WORK_VECTOR, 1);
    std::uint32_t from = area;
    if (source && sends) {
      from = *source + static_cast<std::uint32_t>(start);
    } else if (is_longest && sends) {
      from = bring(mine, start, part * kWordBytes, area);
    } else if (sends) {
      pack(mine, start, clipped(mine, start, part), messages_.memory(area));
    }
    run_program(communicator, descriptor, from, destination.value_or(into), part);
    if (blocks == nullptr || destination) continue;
    if (together) return fetch(whole, 0, size * bytes, into);
    for (std::uint32_t block = 0; block < size; ++block) {
      const Buffer to = blocks->range(block, 1);
      if (block != me) unpack(to, start, place_of(block, part), clipped(to, start, part));
    }
  }
}

void HardwareCollectives::scatter(SwitchGroup& group, const Communicator& communicator,
                                  const CollectiveDescriptor& descriptor, const View* blocks, const Buffer& mine) {
  const auto size = static_cast<std::uint32_t>(communicator.size());
  const auto me = static_cast<std::uint32_t>(communicator.rank());
  const std::size_t words = (descriptor.bytes + kWordBytes - 1) / kWordBytes;
  const std::uint32_t area = messages_.layout().collective_base;
  const std::size_t most = 4 * std::size_t{messages_.layout().chunk} / kWordBytes;
  const bool is_root = blocks != nullptr;
  const bool alike = is_root && lie_alike(descriptor);
  const auto given = !is_root ? in_node_memory(mine, 0)
                     : alike  ? in_node_memory(blocks->range(0, size), 0)
                              : std::nullopt;
  const std::size_t room = given ? words : is_root ? most / size : most;
  plan();
  load(group.scatter(descriptor.root));
  if (is_root) copy_elements(blocks->range(me, 1), mine);
  for (std::size_t first = 0; first < words; first += room) {
    const std::size_t part = std::min(room, words - first);
    const std::size_t start = first * kWordBytes;
    const std::size_t clip = clipped(mine, start, part);
    tidings_work(TIDINGS_WORK_VECTOR, 1);
    const bool together = alike && !given && part == words;
    const std::uint32_t address = given      ? *given
                                  : together ? bring(blocks->range(0, size), 0, size * descriptor.bytes, area)
                                  : is_root  ? area
                                             : make_way(mine, start, clip, area);
    for (std::uint32_t block = 0; is_root && !given && !together && block < size; ++block) {
      const Buffer from = blocks->range(block, 1);
      const auto place = static_cast<std::uint32_t>(block * part * kWordBytes);
      if (block != me) pack(from, start, clipped(from, start, part), messages_.memory(area + place));
    }
    run_program(communicator, descriptor, address, address, part);
    if (!is_root && !given) fetch(mine, start, clip, address);
  }
}

void HardwareCollectives::reduce_scatter(SwitchGroup& group, const Communicator& communicator,
                                         const CollectiveDescriptor& descriptor, const EngineReduction& reduction,
                                         const Buffer& input, std::size_t first, const Buffer& result) {
  const std::uint32_t area = messages_.layout().collective_base;
  const std::uint32_t half = 2 * messages_.layout().chunk;
  const auto source = in_node_memory(input, 0);
  const std::size_t last = first + result.bytes();
  plan();
  load(group.reduction(std::nullopt));
  for (std::size_t start = 0; start < input.bytes(); start += half) {
    const std::size_t part = std::min<std::size_t>(half, input.bytes() - start);
    tidings_work(TIDINGS_WORK_VECTOR, 1);
    const std::uint32_t from = source ? *source + static_cast<std::uint32_t>(start) : bring(input, start, part, area);
    run_program(communicator, descriptor, from, area + half, part / kWordBytes, reduction);
    // What of this part is the rank's own. The result may be the input's memory: it has been read up to here.
    const std::size_t begin = std::max(start, first);
    const std::size_t end = std::min(start + part, last);
    if (begin >= end) continue;
    const auto place = static_cast<std::uint32_t>(begin - start);
    unpack(result, begin - first, messages_.memory(area + half + place), end - begin);
  }
}

template <class Fill, class Drain>
void HardwareCollectives::run(const EngineCommand& command, const Waited& waited, std::size_t count,
                              std::size_t element_bytes, Fill fill, Drain drain) {
  const std::uint32_t size = messages_.layout().chunk;
  const std::uint32_t base = messages_.layout().collective_base;
  if (count == 0) return;
  if (count * element_bytes > size) return run_in_chunks(command, waited, count, element_bytes, fill, drain);
  tidings_work(TIDINGS_WORK_VECTOR, 1);
  fill(base, 0, count);
  const std::uint32_t destination = base + 2 * size;
  wait(tidings_collective_start(&messages_.driver(), command.word, command.descriptor,
                                {base, destination, static_cast<std::uint32_t>(count)}),
       waited);
  drain(destination, 0, count);
}

template <class Fill, class Drain>
void HardwareCollectives::run_in_chunks(const EngineCommand& command, const Waited& waited, std::size_t count,
                                        std::size_t element_bytes, Fill fill, Drain drain) {
  struct Chunk {
    std::uint32_t number;
    std::uint32_t destination;
    std::size_t first;
    std::size_t elements;
  };
  const std::uint32_t size = messages_.layout().chunk;
  const std::uint32_t base = messages_.layout().collective_base;
  const std::size_t most = size / element_bytes;
  const auto start = [&](std::size_t first, std::uint32_t half) {
    const std::size_t elements = std::min(most, count - first);
    const std::uint32_t source = base + half * size;
    const std::uint32_t destination = base + (2 + half) * size;
    tidings_work(TIDINGS_WORK_VECTOR, 1);
    fill(source, first, elements);
    const std::uint32_t number = tidings_collective_start(&messages_.driver(), command.word, command.descriptor,
                                                          {source, destination, static_cast<std::uint32_t>(elements)});
    return Chunk{number, destination, first, elements};
  };
  const auto finish = [&](const Chunk& chunk) {
    wait(chunk.number, waited);
    drain(chunk.destination, chunk.first, chunk.elements);
  };
  Chunk running = start(0, 0);
  std::uint32_t half = 1;
  for (std::size_t first = most; first < count; first += most) {
    const Chunk next = start(first, half);
    finish(running);
    running = next;
    half ^= 1U;
  }
  finish(running);
}

void HardwareCollectives::broadcast(const EngineCommand& command, const Waited& waited, const Buffer& buffer,
                                    bool is_root) {
  const std::size_t bytes = buffer.bytes();
  const auto clip = [&](std::size_t first, std::size_t words) {
    return std::min(bytes - first * kWordBytes, words * kWordBytes);
  };
  run(
      command, waited, (bytes + kWordBytes - 1) / kWordBytes, kWordBytes,
      [&](std::uint32_t address, std::size_t first, std::size_t words) {
        if (is_root) pack(buffer, first * kWordBytes, clip(first, words), messages_.memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t words) {
        if (!is_root) unpack(buffer, first * kWordBytes, messages_.memory(address), clip(first, words));
      });
}

void HardwareCollectives::reduce(const EngineCommand& command, const Waited& waited, const Buffer& input,
                                 const Buffer& result) {
  const std::size_t size = input.type->size();
  run(
      command, waited, input.count, size,
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        pack(input, first * size, elements * size, messages_.memory(address));
      },
      [&](std::uint32_t address, std::size_t first, std::size_t elements) {
        if (result.type != nullptr) unpack(result, first * size, messages_.memory(address), elements * size);
      });
}

// ---------------------------------------------------------------- beside the program

Waiting BesideCollective::describe() const {
  Waiting waiting{
      to_string(descriptor_) + " (nonblocking) in the collective engine, communicator " + communicator_->name(), {}};
  for (const GroupLink& link : loaded_.wired->links()) {
    waiting.ranks.push_back(loaded_.group->members()[link.neighbour]);
  }
  return waiting;
}

void HardwareCollectives::start_beside(BesideCollective& collective) {
  collective.given_ = 0;
  collective.pieces_ = 0;
  collective.all_given_ = false;
  collective.over_ = false;
  collective.next_ = nullptr;
  if (first_beside_ == nullptr) {
    first_beside_ = &collective;
  } else {
    last_beside_->next_ = &collective;
  }
  last_beside_ = &collective;
  if (giving_beside_ == nullptr) giving_beside_ = &collective;
  tidings_driver& driver = messages_.driver();
  // The engine may have room that nothing has told of yet.
  static_cast<void>(tidings_collective_done(&driver, driver.mpe_issued + 1 - driver.mpe_depth));
  advance_beside();
}

bool HardwareCollectives::advance_beside() {
  bool moved = false;
  while (take_beside() || give_beside()) moved = true;
  return moved;
}

/// Where a part of a vector is in node memory, if the engine can work on it there.
std::optional<std::uint32_t> HardwareCollectives::in_node_memory(const Buffer& buffer, std::size_t first) const {
  if (buffer.type == nullptr || !buffer.type->is_contiguous() || buffer.bytes() % kWordBytes != 0) return std::nullopt;
  const auto start = reinterpret_cast<std::uintptr_t>(buffer.base) + first;
  const auto given = reinterpret_cast<std::uintptr_t>(messages_.memory(messages_.layout().given_base));
  if (start < given || start - given >= messages_.layout().given || start % kAlignment != 0) return std::nullopt;
  return messages_.layout().given_base + static_cast<std::uint32_t>(start - given);
}

bool HardwareCollectives::is_reached(const Buffer& buffer) const {
  return messages_.platform().shared_memory && buffer.type->is_contiguous() && buffer.bytes() % kWordBytes == 0 &&
         reinterpret_cast<std::uintptr_t>(buffer.base) % kWordBytes == 0;
}

std::uint32_t HardwareCollectives::bring(const Buffer& buffer, std::size_t first, std::size_t bytes,
                                         std::uint32_t place) {
  if (is_reached(buffer)) {
    return tidings_bus_reach(messages_.driver().bus, static_cast<const std::byte*>(buffer.base) + first, bytes, place);
  }
  pack(buffer, first, bytes, messages_.memory(place));
  return place;
}

std::uint32_t HardwareCollectives::make_way(const Buffer& buffer, std::size_t first, std::size_t bytes,
                                            std::uint32_t place) {
  if (!is_reached(buffer)) return place;
  return tidings_bus_reach(messages_.driver().bus, static_cast<const std::byte*>(buffer.base) + first, bytes, place);
}

void HardwareCollectives::fetch(const Buffer& buffer, std::size_t first, std::size_t bytes, std::uint32_t place) {
  if (is_reached(buffer)) {
    tidings_bus_reached(messages_.driver().bus, static_cast<std::byte*>(buffer.base) + first, bytes, place);
  } else {
    unpack(buffer, first, messages_.memory(place), bytes);
  }
}

/// Give the engine the next command, if it has room for one.
bool HardwareCollectives::give_beside() {
  tidings_driver& driver = messages_.driver();
  if (giving_beside_ == nullptr) return false;
  if (!tidings_collective_known_done(&driver, driver.mpe_issued + 1 - driver.mpe_depth)) return false;
  BesideCollective& next = *giving_beside_;
  const MemoryLayout& layout = messages_.layout();
  BesideCollective::Piece piece;
  piece.first = next.given_;
  piece.bytes = std::min<std::size_t>(next.bytes_ - next.given_, layout.beside);
  tidings_collective_data data{};
  if (next.bytes_ == 0) {
    tidings_work(TIDINGS_WORK_COMMAND, 1);
  } else {
    tidings_work(TIDINGS_WORK_VECTOR, 1);
    const std::uint32_t area = layout.beside_base + area_ * layout.beside;
    const auto source = in_node_memory(next.from_, piece.first);
    const auto destination = in_node_memory(next.into_, piece.first);
    data.source = source.value_or(area);
    data.destination = destination.value_or(area);
    data.count = static_cast<std::uint32_t>((piece.bytes + next.element_bytes_ - 1) / next.element_bytes_);
    piece.comes_to = area;
    piece.copied = !destination && next.into_.type != nullptr;
    if (!source && next.from_.type != nullptr) pack(next.from_, piece.first, piece.bytes, messages_.memory(area));
  }
  piece.number = tidings_collective_start(&driver, next.command_.word, next.command_.descriptor, data);
  next.under_way_[next.pieces_++] = piece;
  next.given_ += piece.bytes;
  area_ ^= 1U;
  if (next.given_ == next.bytes_) {
    next.all_given_ = true;
    giving_beside_ = next.next_;
  }
  return true;
}

/// Take the result of the oldest command, if it is complete.
bool HardwareCollectives::take_beside() {
  if (first_beside_ == nullptr || first_beside_->pieces_ == 0) return false;
  BesideCollective& oldest = *first_beside_;
  const BesideCollective::Piece piece = oldest.under_way_[0];
  if (!tidings_collective_known_done(&messages_.driver(), piece.number)) return false;
  if (piece.copied) unpack(oldest.into_, piece.first, messages_.memory(piece.comes_to), piece.bytes);
  oldest.under_way_[0] = oldest.under_way_[1];
  --oldest.pieces_;
  if (oldest.pieces_ == 0 && oldest.all_given_) {
    first_beside_ = oldest.next_;
    oldest.over_ = true;
  }
  return true;
}

void HardwareCollectives::wait_for_beside() {
  messages_.wait(
      [&] {
        advance_beside();
        return first_beside_ == nullptr;
      },
      [&] { return first_beside_->describe(); });
}

}  // namespace tidings
