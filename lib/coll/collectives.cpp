// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/collectives.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "core/abi.h"
#include "core/error.h"
#include "core/packing.h"

namespace tidings {
namespace {

using Candidate = CollectiveCandidate;

/// Of the numbers that Offer::contexts has for contexts of the engine and groups of wires.
constexpr unsigned kFirstWireGroup = 32;
/// A communicator may use the engine, in contexts that it shares if none is free.
constexpr std::uint64_t kUsesEngine = std::uint64_t{1} << 63;
/// Without it, a communicator may use static switches, for the collectives that name them.
constexpr std::uint64_t kUsesSwitches = std::uint64_t{1} << 62;
constexpr const char* kNotInEngine = "the engine does not have this collective";
constexpr const char* kOtherUsers = "other communicators may use the engines meanwhile, in another order elsewhere";
constexpr const char* kAnyStart = "persistent collectives may start in another order elsewhere";
constexpr const char* kNotAgreed = "the communicator was made without the engine: its members had not agreed on it";
constexpr const char* kSeveralThreads =
    "threads may call collectives of several communicators, in another order elsewhere: only MPI_COMM_WORLD uses the "
    "engine";
constexpr const char* kNoContext = "the engine has no context for the communicator";

/// Bytes of the vector or of one block; nothing if blocks differ, and ranks need not know of those of others.
std::optional<std::uint64_t> block_bytes(const CollectiveDescriptor& descriptor) {
  switch (descriptor.kind) {
    case Collective::Gatherv:
    case Collective::Scatterv:
    case Collective::Allgatherv:
    case Collective::Alltoallv:
    case Collective::Alltoallw:
    case Collective::ReduceScatter:
      return std::nullopt;
    default:
      return descriptor.bytes;
  }
}

/// Why messages cannot do a call with an algorithm; null if they can.
const char* message_refusal(const Candidate& candidate, const CollectiveCall& call, int size) {
  const Requirements& needs = candidate.rule.algorithm->needs;
  if (candidate.message_refusal != nullptr) return candidate.message_refusal;
  if (needs.commutative && call.operation != nullptr && !call.operation->commutative()) {
    return "the operation does not commute";
  }
  if (needs.equal_blocks && !block_bytes(call.descriptor)) return "the blocks may be of different lengths";
  if (needs.element_per_rank && call.input.count < static_cast<std::size_t>(size)) {
    return "the vector has fewer elements than there are ranks";
  }
  return nullptr;
}

/// Most bytes of memory that are kept from one collective to the next.
constexpr std::size_t kMostKeptBytes = std::size_t{1} << 16;

/// The engine carries out some collectives of the kind.
bool has_engine_form(Collective kind) {
  return kind == Collective::Barrier || kind == Collective::Bcast || kind == Collective::Reduce ||
         kind == Collective::Allreduce;
}

/// What is noted of calls that an algorithm does not carry out although it was named for them.
const char* not_used(const Algorithm& algorithm, const char* why) {
  return kept_text(std::string(algorithm.name) + " was named but not used, because " + why);
}

/// Barriers, all-to-alls and allgathers go over wires of their own if they can: nobody has named another algorithm. In
/// these every rank waits for every other, so that one that calls something else, or has longer blocks, waits. Its wait
/// ends only if the others call the same once more, which nobody notices then.
/// The others do if they are named: switches do not compare descriptors, as the engine of trees and messages do.
bool uses_wires(const Selection& selection, Collective family) {
  for (const Rule& rule : selection.all()) {
    if (rule.algorithm->collective != family) continue;
    const bool unasked =
        family == Collective::Barrier || family == Collective::Alltoall || family == Collective::Allgather;
    return rule.algorithm->wires || (!rule.named && unasked);
  }
  return false;
}

/// Programs of the collective have an entry for each other member.
bool has_block_program(Collective family) {
  return family == Collective::Gather || family == Collective::Scatter || family == Collective::Allgather;
}

/// Somebody has named the algorithm of a collective that comes first.
bool is_named(const Selection& selection, Collective family) {
  for (const Rule& rule : selection.all()) {
    if (rule.algorithm->collective == family) return rule.named;
  }
  return false;
}

/// A rule's condition on the edges holds in a group.
bool edges_fit(const Rule& rule, const Placement& placement, MpeGroup* group) {
  if (!rule.neighbours) return true;
  const Shape& shape = *rule.algorithm->shape;
  if (group != nullptr) {
    const WiredShape* const wired = group->wired(shape).wired;
    return wired != nullptr && wired->wiring().neighbours;
  }
  try {
    return wire(placement, shape).neighbours;
  } catch (const Impossible&) {
    return false;
  }
}

/// Why messages cannot carry an algorithm out in a group; null if they can.
const char* group_refusal(const Algorithm& algorithm, const Placement& placement) {
  const Shape* const shape = algorithm.shape;
  try {
    if (algorithm.needs.rectangle) static_cast<void>(Rectangle(placement));
    if (shape != nullptr && shape->is_tree()) {
      static_cast<void>(shape->parents(placement, 0));
    } else if (shape != nullptr) {
      static_cast<void>(shape->partners(placement));
    }
    return nullptr;
  } catch (const Impossible& reason) {
    return kept_text(reason);
  }
}

}  // namespace

View Blocks::view() const {
  if (types != nullptr) return View::mixed(base, counts, displacements, types);
  return counts == nullptr ? View::uniform(base, count, type) : View::varying(base, counts, displacements, type);
}

Collectives::Collectives(MessageLayer& messages, const Datatype& bytes, Selection selection)
    : messages_(messages), bytes_(bytes), selection_(std::move(selection)) {
  if (messages.ranks() == 1) return;
  hardware_.emplace(messages);
  std::vector<std::uint32_t> all(messages.ranks());
  std::iota(all.begin(), all.end(), 0U);
  const auto world = hardware_->group_of(std::move(all));
  std::uint32_t free = hardware_->free_contexts();
  const char* refusal = nullptr;
  for (const Rule& rule : Selection::built_in().rules(Collective::Barrier)) {
    if (rule.algorithm->shape == nullptr || !edges_fit(rule, world->placement(), world.get())) continue;
    meeting_ = load(world, rule, free, refusal);
    if (meeting_) return;
  }
  throw Error(MPI_ERR_OTHER, "no tree of the collective engines joins all ranks: " + std::string(refusal),
              "Use a machine whose engines have more links.");
}

std::optional<HardwareCollectives::Loaded> Collectives::load(const std::shared_ptr<MpeGroup>& group, const Rule& rule,
                                                             std::uint32_t& free, const char*& refusal) {
  const MpeGroup::Attempt& shape = group->wired(*rule.algorithm->shape);
  if (shape.wired == nullptr) {
    refusal = shape.refusal;
    return std::nullopt;
  }
  const auto context = hardware_->context_of(group, *shape.wired, free);
  if (context) return HardwareCollectives::Loaded{group, shape.wired, *context};
  refusal = kNoContext;
  return std::nullopt;
}

std::shared_ptr<const CommunicatorAlgorithms> Collectives::algorithms_of(const std::vector<std::uint32_t>& members,
                                                                         std::uint64_t free,
                                                                         const std::string& choices) {
  const Selection selection = choices.empty() ? selection_ : selection_.with_choices(choices);
  std::vector<tidings_endpoint> endpoints;
  for (const std::uint32_t member : members) endpoints.push_back(messages_.endpoint(member));
  CommunicatorAlgorithms made(
      Placement(Grid(messages_.platform().grid), std::move(endpoints), messages_.driver().mpe_sizes.links),
      selection.choices());
  const bool engine = members.size() > 1 && (free & kUsesEngine) != 0;
  made.uses_engine = engine;
  const auto group = engine ? hardware_->group_of(members) : nullptr;
  auto free_contexts = static_cast<std::uint32_t>(free);
  const char* no_wires = "the collectives are not in the engines";
  const char* no_switches = "the slots have no engine for it";
  const char* no_sums = no_switches;
  const char* no_blocks = no_switches;
  if constexpr (rows::kExtraAlgorithms) {
    const auto groups = static_cast<WireGroups>((free & ~(kUsesEngine | kUsesSwitches)) >> kFirstWireGroup);
    const bool known = engine && messages_.platform().barrier_wires;
    const auto me = static_cast<Member>(std::ranges::find(members, messages_.rank()) - members.begin());
    if (known && uses_wires(selection, Collective::Barrier)) {
      made.wires = hardware_->join(made.placement, me, groups, no_wires);
    }
    const bool only_named = members.size() > 1 && (free & kUsesSwitches) != 0;
    if ((engine || only_named) && hardware_->has_switches()) {
      try {
        for (const Collective family :
             {Collective::Alltoall, Collective::Bcast, Collective::Reduce, Collective::Allreduce, Collective::Gather,
              Collective::Scatter, Collective::Allgather, Collective::ReduceScatter}) {
          if (!uses_wires(selection, family) || (!engine && !is_named(selection, family))) continue;
          made.switches_named.at(static_cast<std::size_t>(family)) = is_named(selection, family);
          if (made.switches == nullptr)
            made.switches = std::make_unique<SwitchGroup>(made.placement, me, messages_.platform());
          const bool sums = has_operation(family);
          if (sums) no_sums = made.switches->sum_refusal(hardware_->switch_adders());
          const bool blocks = has_block_program(family);
          if (blocks) no_blocks = made.switches->block_refusal();
          made.over_switches.at(static_cast<std::size_t>(family)) =
              sums ? no_sums == nullptr : !blocks || no_blocks == nullptr;
        }
      } catch (const Impossible& reason) {
        no_switches = no_sums = no_blocks = kept_text(reason);
      }
    }
  }
  for (const Family& known : kFamilies) {
    const Collective family = known.collective;
    // Once every call that the engine can do has an algorithm there, the rest are for messages.
    bool settled = !engine;
    for (const Rule& rule : selection.all()) {
      if (rule.algorithm->collective != family) continue;
      made.of(family).in_engine |= rule.algorithm->shape != nullptr;
      if (!rule.ranks.holds(members.size())) continue;
      if (!engine && !rule.allows(Carrier::Messages)) continue;
      if (!edges_fit(rule, made.placement, group.get())) continue;
      const Algorithm& algorithm = *rule.algorithm;
      Candidate candidate{rule, {}, nullptr, nullptr};
      // What cannot go over wires, such as a communicator's first barrier, takes the next way.
      if (algorithm.wires && made.has_wires(family)) continue;
      if (!settled && algorithm.shape != nullptr && rule.allows(Carrier::Engine)) {
        candidate.loaded = load(group, rule, free_contexts, candidate.engine_refusal);
        settled = candidate.loaded && rule.ignores_bytes() && algorithm.shape->is_tree();
      }
      if (algorithm.wires && engine)
        candidate.message_refusal = family == Collective::Barrier ? no_wires
                                    : has_operation(family)       ? no_sums
                                    : has_block_program(family)   ? no_blocks
                                                                  : no_switches;
      else if (rule.allows(Carrier::Messages))
        candidate.message_refusal = group_refusal(algorithm, made.placement);
      made.of(family).candidates.push_back(std::move(candidate));
    }
  }
  return std::make_shared<const CommunicatorAlgorithms>(std::move(made));
}

const char* Collectives::engine_refusal(const Candidate& candidate, const CollectiveCall& call,
                                        const EngineSupport& support) const {
  if (has_operation(family_of(call.descriptor.kind)) && !support.reduction) return support.reason;
  if (!candidate.loaded) return candidate.engine_refusal;
  const std::uint64_t words = (call.descriptor.bytes + kWordBytes - 1) / kWordBytes;
  if (!candidate.loaded->wired->shape().is_tree() && words > hardware_->exchange_words()) {
    return "the vector is longer than the engine exchanges";
  }
  return nullptr;
}

const CommunicatorAlgorithms::Prepared& CommunicatorAlgorithms::prepared(const Algorithm& algorithm, int rank,
                                                                         int root) const {
  Prepared& kept = prepared_.at(static_cast<std::size_t>(algorithm.collective));
  if (kept.algorithm != &algorithm || kept.root != root) {
    Schedule schedule = algorithm.schedule(placement, rank, root);
    const std::size_t scratch = scratch_blocks(schedule);
    kept = {&algorithm, root, std::move(schedule), scratch};
  }
  return kept;
}

const CollectiveChoice& Collectives::choose(const Communicator& communicator, Collective family,
                                            const CollectiveCall& call) const {
  const CommunicatorAlgorithms::Family& tried = communicator.algorithms->of(family);
  const ChoiceKey key{call.descriptor, call.operation == nullptr || call.operation->commutative()};
  if (tried.last.candidate == nullptr || !(tried.last_key == key)) {
    tried.last = choose_anew(communicator, family, call);
    tried.last_key = key;
  }
  return tried.last;
}

CollectiveChoice Collectives::choose_anew(const Communicator& communicator, Collective family,
                                          const CollectiveCall& call) const {
  const CommunicatorAlgorithms::Family& tried = communicator.algorithms->of(family);
  const int size = communicator.size();
  const auto bytes = block_bytes(call.descriptor);
  const bool engine = size > 1 && messages_.platform().hardware_collectives;
  CollectiveChoice choice;
  EngineSupport support;  // of a reduction
  if (engine && has_operation(family)) {
    support = engine_support(*call.operation, *call.input.type, hardware_->wide_elements());
  }
  const char* refusal = communicator.algorithms->uses_engine ? nullptr : several_threads ? kSeveralThreads : kNotAgreed;
  for (const Candidate& candidate : tried.candidates) {
    const Algorithm& algorithm = *candidate.rule.algorithm;
    if (!candidate.rule.allows_bytes(bytes, static_cast<std::uint64_t>(size))) continue;
    choice.candidate = &candidate;
    if (engine && algorithm.shape != nullptr && candidate.rule.allows(Carrier::Engine)) {
      const char* const why = engine_refusal(candidate, call, support);
      if (candidate.loaded && why == nullptr) {
        choice.carrier = Carrier::Engine;
        choice.reduction = support.reduction.value_or(EngineReduction{});
        choice.command =
            HardwareCollectives::command(*candidate.loaded, communicator, call.descriptor, choice.reduction);
        choice.outcome = {TIDINGS_PATH_HARDWARE, nullptr};
        choice.straight = choice.note == nullptr;
        return choice;
      }
      if (why != nullptr) refusal = why;
    }
    if (!candidate.rule.allows(Carrier::Messages)) continue;
    if (const char* const why = message_refusal(candidate, call, size); why != nullptr) {
      if (candidate.rule.named && choice.note == nullptr) choice.note = not_used(algorithm, why);
      continue;
    }
    if (size == 1) {
      choice.outcome = {TIDINGS_PATH_NONE, nullptr};
    } else if (!engine) {
      choice.outcome = {ideal() ? TIDINGS_PATH_HARDWARE : TIDINGS_PATH_SOFTWARE, nullptr};
    } else if (!tried.in_engine) {
      choice.outcome = {TIDINGS_PATH_FALLBACK, kNotInEngine};
    } else {
      choice.outcome = {refusal == nullptr ? TIDINGS_PATH_SOFTWARE : TIDINGS_PATH_FALLBACK, refusal};
    }
    return choice;
  }
  throw Error(MPI_ERR_INTERN, std::string("no algorithm for ") + family_name(family));
}

template <class Body>
void Collectives::inside(Communicator& communicator, const CollectiveDescriptor& descriptor, Body body) {
  const std::int32_t tag = communicator.next_collective();
  messages_.begin_collective(communicator.collective(), tag, descriptor);
  struct End {
    MessageLayer& messages;
    ~End() { messages.end_collective(); }
  } const end{messages_};
  body(tag);
}

void Collectives::meet(Communicator& world) {
  if (!hardware_) return;
  CollectiveDescriptor descriptor;
  descriptor.kind = Collective::Init;
  inside(world, descriptor, [&](std::int32_t) {
    hardware_->barrier(HardwareCollectives::command(*meeting_, world, descriptor), {*meeting_, world, descriptor});
  });
}

const CollectiveChoice& Collectives::choice_of(const Communicator& communicator, const CollectiveCall& call) const {
  static const CollectiveChoice nothing;
  const Collective family = family_of(call.descriptor.kind);
  const bool alone = communicator.size() == 1;
  if (family == Collective::Barrier && alone) return nothing;
  if (family == Collective::Bcast && (alone || call.descriptor.bytes == 0)) return nothing;
  // Alone, the others do not copy a whole vector.
  const bool vector = has_operation(family) && family != Collective::Exscan && family != Collective::ReduceScatter;
  if (vector && (alone || call.input.count == 0)) return nothing;
  return choose(communicator, family, call);
}

Outcome Collectives::run(Communicator& communicator, const CollectiveCall& call, const CollectiveChoice& choice) {
  const FreeWork free;
  if constexpr (rows::kExtraAlgorithms) {
    if (by_switches(communicator, call)) return {TIDINGS_PATH_HARDWARE, nullptr};
  }
  if (choice.note != nullptr) tidings_trace_note(choice.note);
  if (choice.candidate == nullptr) {
    if (call.operation != nullptr && call.input.count > 0) copy_elements(call.input.whole(), call.output.whole());
  } else if (choice.carrier == Carrier::Engine) {
    by_engine(communicator, call.descriptor, choice, call.input.whole(), call.output.whole());
  } else {
    by_messages(communicator, call, *choice.candidate->rule.algorithm);
  }
  return choice.outcome;
}

void Collectives::by_engine(Communicator& communicator, const CollectiveDescriptor& descriptor,
                            const CollectiveChoice& choice, const Buffer& input, const Buffer& output) {
  const HardwareCollectives::Waited waited{*choice.candidate->loaded, communicator, descriptor};
  hardware_->finish_beside();
  inside(communicator, descriptor, [&](std::int32_t) {
    switch (descriptor.kind) {
      case Collective::Bcast:
        if constexpr (rows::kExtraAlgorithms) {
          SwitchGroup* const switches = communicator.algorithms->switches_for(descriptor.kind);
          if (switches != nullptr) return hardware_->broadcast(*switches, communicator, descriptor, output);
        }
        hardware_->broadcast(choice.command, waited, output, descriptor.root == communicator.rank());
        break;
      case Collective::Reduce:
      case Collective::Allreduce:
        if constexpr (rows::kExtraAlgorithms) {
          SwitchGroup* const switches = communicator.algorithms->switches_for(descriptor.kind);
          if (switches != nullptr) {
            return hardware_->reduce(*switches, communicator, descriptor, choice.reduction, input, output);
          }
        }
        hardware_->reduce(choice.command, waited, input, output);
        break;
      case Collective::Barrier: {
        if constexpr (rows::kExtraAlgorithms) {
          WireGroup* const wires = communicator.algorithms->wires.get();
          if (wires != nullptr && wires->met) return hardware_->barrier(*wires, communicator, descriptor);
          if (wires != nullptr) wires->met = true;  // when this one is over
        }
        hardware_->barrier(choice.command, waited);
        break;
      }
      default:
        // In the engine MPI_Finalize too, so that a stream that two ranks sent to each other, and neither expected,
        // comes to light at last.
        hardware_->barrier(choice.command, waited);
    }
  });
}

SwitchGroup* Collectives::switches_for(const Communicator& communicator, const CollectiveDescriptor& descriptor) const {
  if constexpr (!rows::kExtraAlgorithms) return nullptr;
  if (communicator.inter != nullptr || descriptor.bytes == 0) return nullptr;
  SwitchGroup* const switches = communicator.algorithms->switches_for(Collective::Alltoall);
  const bool fit = switches != nullptr && hardware_->has_room(communicator) && switches->program() != nullptr;
  return fit && equal_blocks_fit(communicator, descriptor, *switches) ? switches : nullptr;
}

bool Collectives::equal_blocks_fit(const Communicator& communicator, const CollectiveDescriptor& descriptor,
                                   const SwitchGroup& switches) {
  if (descriptor.bytes == 0) return false;
  const Collective family = family_of(descriptor.kind);
  if (communicator.algorithms->is_named_for_switches(family)) return true;
  const std::uint64_t words = (descriptor.bytes + kWordBytes - 1) / kWordBytes;
  return family == Collective::Alltoall ? switches.exchanges_faster(words) : switches.gathers_faster(words);
}

void Collectives::by_switches(Communicator& communicator, const KnownCall& known, const Buffer& input,
                              const Buffer& output) {
  // A library without extra algorithms knows no such call.
  if constexpr (!rows::kExtraAlgorithms) return;
  hardware_->finish_beside();
  inside(communicator, known.descriptor,
         [&](std::int32_t) { hardware_->alltoall(*known.switches, communicator, known.descriptor, input, output); });
}

bool Collectives::by_switches(Communicator& communicator, const CollectiveCall& call) {
  if constexpr (!rows::kExtraAlgorithms) return false;
  const CollectiveDescriptor& descriptor = call.descriptor;
  const bool is_root = descriptor.root == communicator.rank();
  const auto with = [&](auto carry_out) {
    hardware_->finish_beside();
    inside(communicator, descriptor, [&](std::int32_t) { carry_out(); });
    return true;
  };
  if (communicator.inter != nullptr) return false;
  SwitchGroup* switches = nullptr;
  switch (descriptor.kind) {
    case Collective::Bcast:
    case Collective::Reduce:
    case Collective::Allreduce:
      // Otherwise the choice is the engine, and by_engine() takes the switches.
      if (communicator.algorithms->uses_engine) break;
      [[fallthrough]];
    case Collective::Alltoall:
    case Collective::Alltoallv:
    case Collective::Alltoallw:
    case Collective::Gather:
    case Collective::Scatter:
    case Collective::Allgather:
    case Collective::Allgatherv:
    case Collective::ReduceScatter:
    case Collective::ReduceScatterBlock:
      switches = communicator.algorithms->switches_for(family_of(descriptor.kind));
      break;
    default:
      break;
  }
  if (switches == nullptr || !hardware_->has_room(communicator)) return false;
  switch (family_of(descriptor.kind)) {
    case Collective::Bcast:
      if (descriptor.bytes == 0) return false;
      return with([&] { hardware_->broadcast(*switches, communicator, descriptor, call.output.whole()); });
    case Collective::Reduce:
    case Collective::Allreduce: {
      const EngineSupport support = engine_support(*call.operation, *call.input.type, hardware_->wide_elements());
      if (!support.reduction || call.input.count == 0) return false;
      return with([&] {
        hardware_->reduce(*switches, communicator, descriptor, *support.reduction, call.input.whole(),
                          call.output.whole());
      });
    }
    case Collective::Alltoall:
      return alltoall_by_switches(communicator, call, *switches);
    case Collective::Gather:
    case Collective::Allgather: {
      const bool gets = is_root || descriptor.kind != Collective::Gather;
      const View blocks = gets ? call.output.view() : View{};
      const bool varies = descriptor.kind == Collective::Allgatherv;
      const bool chosen = descriptor.kind == Collective::Allgather;
      if (chosen && !equal_blocks_fit(communicator, descriptor, *switches)) return false;
      const std::size_t bytes = varies ? longest_gathered(communicator, blocks, *switches) : descriptor.bytes;
      if (bytes == 0) return false;
      return with([&] {
        hardware_->gather(*switches, communicator, descriptor, bytes, call.input.whole(), gets ? &blocks : nullptr);
      });
    }
    case Collective::Scatter: {
      if (descriptor.bytes == 0) return false;
      const View blocks = is_root ? call.input.view() : View{};
      return with([&] {
        hardware_->scatter(*switches, communicator, descriptor, is_root ? &blocks : nullptr, call.output.whole());
      });
    }
    default: {
      const auto size = static_cast<std::uint32_t>(communicator.size());
      const EngineSupport support = engine_support(*call.operation, *call.input.type, hardware_->wide_elements());
      // Blocks lie one after the other.
      const View blocks = call.input.view();
      Buffer all = blocks.range(0, 1);
      std::size_t before = 0;
      for (std::uint32_t block = 1; block < size; ++block) {
        if (block == static_cast<std::uint32_t>(communicator.rank())) before = all.bytes();
        all.count += blocks.range(block, 1).count;
      }
      if (!support.reduction || all.count == 0) return false;
      return with([&] {
        hardware_->reduce_scatter(*switches, communicator, descriptor, *support.reduction, all, before,
                                  call.output.whole());
      });
    }
  }
}

std::size_t Collectives::longest_gathered(const Communicator& communicator, const View& blocks,
                                          const SwitchGroup& switches) {
  std::size_t longest = 0, all = 0;
  for (int block = 0; block < communicator.size(); ++block) {
    const std::size_t bytes = blocks.range(static_cast<std::uint32_t>(block), 1).bytes();
    longest = std::max(longest, bytes);
    all += bytes;
  }
  const bool named = communicator.algorithms->is_named_for_switches(Collective::Allgather);
  return named || switches.gathers_faster(longest / kWordBytes, all / kWordBytes) ? longest : 0;
}

bool Collectives::alltoall_by_switches(Communicator& communicator, const CollectiveCall& call, SwitchGroup& switches) {
  const CollectiveDescriptor& descriptor = call.descriptor;
  if (switches.program() == nullptr) return false;
  std::size_t bytes = descriptor.bytes;
  if (!block_bytes(descriptor)) {
    if (!communicator.algorithms->is_named_for_switches(Collective::Alltoall) && !switches.agreement_pays())
      return false;
    const auto agreed = longest_block(communicator, call, switches);
    if (!agreed) return false;
    bytes = *agreed;
  } else if (!equal_blocks_fit(communicator, descriptor, switches)) {
    return false;
  }
  hardware_->finish_beside();
  inside(communicator, descriptor, [&](std::int32_t) {
    hardware_->alltoall(switches, communicator, descriptor, bytes, call.input.view(), call.output.view());
  });
  return true;
}

std::optional<std::size_t> Collectives::longest_block(Communicator& communicator, const CollectiveCall& call,
                                                      const SwitchGroup& switches) {
  static const Datatype words_type("words", Basic::Int32, kWordBytes);
  static const Operation longest("longest", Combine::Max, 0);
  const auto size = static_cast<std::uint32_t>(communicator.size());
  CollectiveChoice& agreement = communicator.algorithms->agreement;
  // Words of the longest block, and of all that a member sends.
  std::array<std::int32_t, 2> mine{}, all{};
  const Buffer input{mine.data(), mine.size(), &words_type};
  if (agreement.candidate == nullptr) {
    // No call of a program has no elements, so the engines tell members that call something else.
    CollectiveCall reduction{.descriptor = {.kind = Collective::Allreduce, .bytes = input.bytes()},
                             .input = Blocks::one(input),
                             .output = {},
                             .operation = &longest};
    agreement = choose_anew(communicator, Collective::Allreduce, reduction);
  }
  if (agreement.carrier != Carrier::Engine) return std::nullopt;
  const View blocks = call.input.view();
  std::uint64_t sum = 0, most = 0;
  for (std::uint32_t block = 0; block < size; ++block) {
    const std::uint64_t words = (blocks.range(block, 1).bytes() + kWordBytes - 1) / kWordBytes;
    sum += words;
    most = std::max(most, words);
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  mine = {static_cast<std::int32_t>(std::min(most, kMost)), static_cast<std::int32_t>(std::min(sum, kMost))};
  tidings_work(TIDINGS_WORK_SCHEDULE, 1);
  hardware_->finish_beside();
  inside(communicator, call.descriptor, [&](std::int32_t) {
    hardware_->reduce(agreement.command, {*agreement.candidate->loaded, communicator, call.descriptor}, input,
                      {all.data(), all.size(), &words_type});
  });
  const auto longest_words = static_cast<std::uint64_t>(all[0]);
  const auto sent_words = static_cast<std::uint64_t>(all[1]);
  if (longest_words == kMost) return std::nullopt;
  if (!communicator.algorithms->is_named_for_switches(Collective::Alltoall) &&
      !switches.exchanges_faster(longest_words, sent_words)) {
    return std::nullopt;
  }
  return longest_words * kWordBytes;
}

void Collectives::execute(Communicator& communicator, const CollectiveCall& call, const Schedule& schedule,
                          const Views& views, std::vector<RequestPointer>& transfers) {
  inside(communicator, call.descriptor, [&](std::int32_t tag) {
    run_schedule(messages_, communicator, tag, call.descriptor, schedule, views, call.operation, transfers);
  });
}

Outcome Collectives::run(Communicator& communicator, const CollectiveCall& call, const Schedule& schedule,
                         const Views& views) {
  const FreeWork free;
  execute(communicator, call, schedule, views, blocking_.take()->transfers);
  if (communicator.size() == 1) return {TIDINGS_PATH_NONE, nullptr};
  if (!messages_.platform().hardware_collectives) {
    return {ideal() ? TIDINGS_PATH_HARDWARE : TIDINGS_PATH_SOFTWARE, nullptr};
  }
  return {TIDINGS_PATH_FALLBACK, kNotInEngine};
}

Buffer elements_in(std::vector<std::byte>& memory, std::size_t count, const Datatype& type) {
  const std::size_t bytes = count * static_cast<std::size_t>(type.extent());
  if (memory.size() < bytes) memory.resize(bytes);
  return {memory.data() - type.lower_bound(), count, &type};
}

void Collectives::make_ready(const Communicator& communicator, const CollectiveCall& call, const Algorithm& algorithm,
                             std::size_t scratch, MessageCollective& ready) const {
  const auto size = static_cast<std::uint32_t>(communicator.size());
  const bool at_root = communicator.rank() == call.descriptor.root;
  const bool cut = algorithm.cut == Cut::PerRank;
  const Collective family = algorithm.collective;
  ready.before.reset();
  ready.after.reset();
  std::size_t used = 0;
  const auto temporary = [&](std::size_t count, const Datatype* type) {
    if (count == 0) return Buffer{nullptr, 0, type};
    if (used == ready.memory.size()) ready.memory.emplace_back();
    return elements_in(ready.memory[used++], count, *type);
  };
  if (family == Collective::Barrier) {
    const View nothing = View::uniform(nullptr, 0, &bytes_);
    ready.views = {nothing, nothing, nothing};
  } else if (family == Collective::Bcast && cut) {
    // Ranks may describe the same bytes by different types, so the blocks are cut from the packed message.
    const Buffer message = call.output.whole();
    if (message.type->is_contiguous()) {
      ready.views = {{}, View::split({message.base, message.bytes(), &bytes_}, size), {}};
      return;
    }
    const Buffer packed = temporary(message.bytes(), &bytes_);
    if (at_root) {
      ready.before.emplace(message, packed);
    } else {
      ready.after.emplace(packed, message);
    }
    ready.views = {{}, View::split(packed, size), {}};
  } else if (has_operation(family) && family != Collective::ReduceScatter) {
    const Buffer input = call.input.whole();
    const Buffer received = temporary(cut ? input.count : input.count * std::max<std::size_t>(scratch, 1), input.type);
    // A rank that gets no result gathers partial ones like any other.
    const bool has_result = family != Collective::Reduce || at_root;
    const Buffer result = has_result ? call.output.whole() : temporary(input.count, input.type);
    const auto view = [&](const Buffer& buffer) { return cut ? View::split(buffer, size) : View::whole(buffer); };
    const View blocks = cut ? View::split(received, size) : View::uniform(received.base, input.count, input.type);
    ready.views = {view(input), view(result), blocks};
  } else if (family == Collective::ReduceScatter) {
    const Buffer result = call.output.whole();
    const Buffer received = temporary(result.count * scratch, result.type);
    ready.views = {call.input.view(), View::whole(result), View::uniform(received.base, result.count, result.type)};
  } else {
    const auto bytes = static_cast<std::size_t>(call.descriptor.bytes);
    const Buffer blocks = temporary(scratch * bytes, &bytes_);
    ready.views = {call.input.view(), call.output.view(), View::uniform(blocks.base, bytes, &bytes_)};
  }
}

void Collectives::by_messages(Communicator& communicator, const CollectiveCall& call, const Algorithm& algorithm) {
  const auto& prepared = communicator.algorithms->prepared(algorithm, communicator.rank(), call.descriptor.root);
  const auto blocking = blocking_.take();
  MessageCollective& made = blocking->made;
  make_ready(communicator, call, algorithm, prepared.scratch, made);
  if (made.before) copy_elements(made.before->first, made.before->second);
  execute(communicator, call, prepared.schedule, made.views, blocking->transfers);
  if (made.after) copy_elements(made.after->first, made.after->second);
  for (std::vector<std::byte>& memory : made.memory) {
    if (memory.size() > kMostKeptBytes) memory = {};
  }
}

const Algorithm& Collectives::message_algorithm(const Communicator& communicator, const CollectiveCall& call) const {
  for (const Candidate& candidate : communicator.algorithms->of(family_of(call.descriptor.kind)).candidates) {
    const Rule& rule = candidate.rule;
    if (!rule.allows_bytes(block_bytes(call.descriptor), static_cast<std::uint64_t>(communicator.size()))) continue;
    if (rule.allows(Carrier::Messages) && message_refusal(candidate, call, communicator.size()) == nullptr) {
      return *rule.algorithm;
    }
  }
  throw Error(MPI_ERR_INTERN, "no algorithm by messages");
}

std::unique_ptr<BesideCollective> Collectives::beside(const std::shared_ptr<const Communicator>& communicator,
                                                      const CollectiveCall& call, bool starts_in_order,
                                                      Outcome& outcome) const {
  const bool in_engine = has_engine_form(call.descriptor.kind);
  if (!messages_.platform().hardware_collectives || communicator->inter != nullptr || !in_engine) {
    outcome = {ideal() ? TIDINGS_PATH_HARDWARE : TIDINGS_PATH_SOFTWARE, nullptr};
    return nullptr;
  }
  const CollectiveChoice& choice = choice_of(*communicator, call);
  outcome = choice.candidate == nullptr ? Outcome{TIDINGS_PATH_SOFTWARE, nullptr} : choice.outcome;
  if (choice.carrier != Carrier::Engine) return nullptr;
  const bool alone = world_alone_ && communicator->id() == Communicator::kWorldId;
  if (!communicator->in_order && !(alone && starts_in_order)) {
    outcome = {TIDINGS_PATH_FALLBACK, starts_in_order ? kOtherUsers : kAnyStart};
    return nullptr;
  }
  if (choice.note != nullptr) tidings_trace_note(choice.note);
  const CollectiveDescriptor& descriptor = call.descriptor;
  auto made = std::make_unique<BesideCollective>(communicator, choice.command, *choice.candidate->loaded, descriptor);
  if (descriptor.kind == Collective::Bcast) {
    const Buffer message = call.output.whole();
    const bool is_root = descriptor.root == communicator->rank();
    made->vector(is_root ? message : Buffer{}, is_root ? Buffer{} : message, kWordBytes);
  } else if (descriptor.kind != Collective::Barrier) {
    const Buffer input = call.input.whole();
    made->vector(input, call.output.whole(), input.type->size());
  }
  return made;
}

void Collectives::begin_beside(Communicator& communicator, const CollectiveDescriptor& descriptor) {
  inside(communicator, descriptor, [](std::int32_t) {});
}

std::vector<Collectives::Offer> Collectives::exchange(Communicator& communicator, Collective kind, const Offer& mine) {
  CollectiveCall call;
  call.descriptor.kind = kind;
  call.descriptor.bytes = sizeof(Offer);
  std::vector<Offer> all(static_cast<std::size_t>(communicator.size()));
  Offer copy = mine;
  if (mine.contexts != 0) {
    // See "The order of collectives in the engine" in docs/decisions.md.
    if (communicator.id() == Communicator::kWorldId && kind != Collective::CommSetInfo) world_alone_ = false;
    if (world_alone_ && communicator.id() != Communicator::kWorldId) copy.contexts = 0;
  }
  call.input = Blocks::one({&copy, sizeof(Offer), &bytes_});
  call.output = Blocks::one({all.data(), sizeof(Offer), &bytes_});
  run(communicator, call);
  return all;
}

std::uint64_t Collectives::free_contexts() const {
  if (!hardware_ || several_threads) return 0;
  if (!messages_.platform().hardware_collectives) return messages_.platform().named_switches ? kUsesSwitches : 0;
  return hardware_->free_contexts() | std::uint64_t{hardware_->free_groups()} << kFirstWireGroup | kUsesEngine;
}

}  // namespace tidings
