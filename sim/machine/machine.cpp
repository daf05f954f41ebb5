// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine.h"

#include <algorithm>
#include <bitset>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tidings {
namespace {

/// Evaluations of nodes in a look-ahead that pay for waking other threads and for waiting until all are done: some
/// 400 us of work. With a quarter of it, an integer sort on 64 ranks took 1.2 times as much processor time and was no
/// faster.
constexpr std::uint64_t kWorthThreads = 2'400;

const MachineConfig& validated(const MachineConfig& config) {
  validate(config);
  return config;
}

void earliest(std::optional<Cycle>& first, std::optional<Cycle> other) {
  if (other && (!first || *other < *first)) first = other;
}

/// What came up in a domain joins that of the machine, whose cycles rise. Of one cycle, the domain's is the last.
template <typename Event>
void take_over(std::vector<Event>& events, std::size_t first_slot, std::deque<Event>& all) {
  for (Event& event : events) {
    event.slot += first_slot;
    auto place = all.end();
    while (place != all.begin() && std::prev(place)->cycle > event.cycle) --place;
    all.insert(place, event);
  }
  events.clear();
}

}  // namespace

Machine::Machine(const MachineConfig& config, std::uint32_t ranks, const FabricFactory& factory)
    : config_(validated(config)),
      topology_(config.topology, ranks),
      clock_(config.fabric.clock_khz),
      division_(divide(factory)) {
  const std::size_t slots = division_.places.size();
  lines_.resize(slots);
  watched_.resize(slots);
  watched_from_.resize(slots);
  make_team();
}

Machine::Division Machine::divide(const FabricFactory& factory) const {
  std::vector<Endpoint> endpoints;
  for (std::uint32_t rank = 0; rank < topology_.endpoints(); ++rank) endpoints.push_back(topology_.endpoint(rank));
  Division made;
  for (std::unique_ptr<Fabric>& part : factory(config_, topology_)) {
    made.first_slots.push_back(made.places.size());
    const std::size_t slots = part->slots();
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      made.places.push_back({.domain = static_cast<std::uint32_t>(made.domains.size()), .slot = slot});
    }
    made.domains.emplace_back(std::move(part), std::span(endpoints).subspan(made.first_slots.back(), slots),
                              config_.memory.latency_cycles);
  }
  return made;
}

void Machine::make_team() {
  if (team_ || parts() == 1) return;
  look_ahead_ = look_ahead_cycles(config_);
  team_ = std::make_unique<ThreadTeam>(static_cast<unsigned>(parts()), cores_);
  if (kept_off_) team_->keep_off(kept_off_->first, kept_off_->second);
}

void Machine::choose_division() {
  if (const std::uint64_t stepped = cycles_stepped_ - chosen_at_; stepped >= worth_.cycles) {
    const std::uint64_t evaluations = node_evaluations();
    apart_ = (evaluations - evaluations_) * look_ahead_cycles(config_) / stepped >= worth_.evaluations;
    chosen_at_ = cycles_stepped_;
    evaluations_ = evaluations;
  }
  if (apart_ != (parts() > 1) && std::ranges::all_of(division_.domains, &Domain::settled)) change_division();
}

void Machine::change_division() {
  if (resting_.domains.empty()) resting_ = divide(parts_);
  if (parts() == 1 && resting_.domains.size() == 1) {
    parts_ = nullptr;  // there is but one router
    return;
  }
  for (std::size_t slot = 0; slot < division_.places.size(); ++slot) {
    const Place from = division_.places[slot];
    const Place to = resting_.places[slot];
    resting_.domains[to.domain].swap(to.slot, division_.domains[from.domain], from.slot);
  }
  const bool whole = parts() == 1;
  Fabric& all = (whole ? division_ : resting_).domains.front().fabric();
  std::uint32_t first = 0;
  for (Domain& domain : (whole ? resting_ : division_).domains) {
    const std::uint32_t nodes = domain.fabric().nodes();
    all.swap_nodes(first, domain.fabric(), 0, nodes);
    first += nodes;
  }
  for (Domain& domain : division_.domains) domain.find_due();
  for (Domain& domain : resting_.domains) domain.find_due();
  std::swap(division_, resting_);
  make_team();
}

Machine::Machine(const MachineConfig& config, std::uint32_t ranks, const NodeFactory& factory, Stepping stepping)
    : Machine(config, ranks, fabric_of(factory, stepping)) {
  skips_idle_time_ = stepping == Stepping::kActiveNodes;
}

MachineCounters Machine::counters() const {
  MachineCounters counters{.cycles_stepped = cycles_stepped_, .cycles_skipped = cycles_skipped_};
  counters.node_evaluations = node_evaluations();
  for (const Division* division : {&division_, &resting_}) {
    for (const Domain& domain : division->domains) {
      counters.cycles_at_once += domain.cycles_at_once();
      counters.flit_hops += domain.fabric().flit_hops();
    }
  }
  return counters;
}

std::uint64_t Machine::node_evaluations() const {
  std::uint64_t evaluations = 0;
  for (const Division* division : {&division_, &resting_}) {
    for (const Domain& domain : division->domains) evaluations += domain.fabric().node_evaluations();
  }
  return evaluations;
}

void Machine::link_flits(std::vector<std::uint64_t>& counts) const {
  counts.clear();
  for (const Domain& domain : division_.domains) {
    for (std::uint32_t node = 0; node < domain.fabric().nodes(); ++node) {
      for (std::uint8_t port = 0; port < topology_.ports(); ++port)
        counts.push_back(domain.fabric().link_flits(NodeIndex{node}, PortId{port}));
    }
  }
}

void Machine::attach_memory(Endpoint endpoint, std::span<std::byte> memory) {
  const Place place = division_.places[slot_index(endpoint)];
  division_.domains[place.domain].memory(place.slot).attach(memory);
}

void Machine::hold_memory(Endpoint endpoint, const std::function<void(Endpoint)>& wait) {
  held_.push_back(slot_index(endpoint));
  const Place place = division_.places[held_.back()];
  division_.domains[place.domain].memory(place.slot).hold(wait);
}

void Machine::release_memories() {
  for (const std::size_t slot : held_)
    division_.domains[division_.places[slot].domain].memory(division_.places[slot].slot).release();
  held_.clear();
}

void Machine::observe(CycleObserver* observer) {
  if (division_.domains.size() > 1)
    throw std::logic_error("a machine in several threads cannot be observed cycle by cycle");
  observer_ = observer;
}

void Machine::bus_write(Endpoint endpoint, Cycle at, std::uint16_t address, std::uint32_t data) {
  push(endpoint, at, {.write = true, .address = address, .data = data});
}

void Machine::bus_read(Endpoint endpoint, Cycle at, std::uint16_t address) {
  push(endpoint, at, {.write = false, .address = address, .data = 0});
}

void Machine::push(Endpoint endpoint, Cycle at, const BusRequest& request) {
  if (at < ahead_ && now_ < ahead_) {
    throw std::logic_error("a bus operation for cycle " + std::to_string(at.value) +
                           " comes when the machine is at cycle " + std::to_string(ahead_.value));
  }
  const Place place = division_.places[slot_index(endpoint)];
  division_.domains[place.domain].push(place.slot, at, now_, request);
}

void Machine::watch(Endpoint endpoint, Cycle from) {
  const std::size_t slot = slot_index(endpoint);
  watched_[slot] = true;
  watched_from_[slot] = from;
  if (from > now_) early_.push({from, slot});
  if (!lines_[slot]) return;
  const auto place = std::ranges::lower_bound(high_, slot);
  if (place == high_.end() || *place != slot) high_.insert(place, slot);
  find_first_high();
}

void Machine::find_first_high() {
  high_from_ = Cycle::max();
  for (const std::size_t slot : high_) high_from_ = std::min(high_from_, watched_from_[slot]);
}

void Machine::take_interrupts(RunResult& result) {
  if (now_ < high_from_) return;
  std::erase_if(high_, [&](std::size_t slot) {
    if (watched_from_[slot] > now_) return false;
    result.interrupts.push_back(topology_.endpoint(static_cast<std::uint32_t>(slot)));
    watched_[slot] = false;
    return true;
  });
  find_first_high();
}

Cycle Machine::next_stop(Cycle limit) {
  for (; !early_.empty(); early_.pop()) {
    const auto [from, slot] = early_.top();
    if (from > now_ && watched_[slot] && watched_from_[slot] == from) return std::min(limit, from);
  }
  return limit;
}

RunResult Machine::run_until(Cycle limit) {
  RunResult result;
  for (;;) {
    publish(result);
    take_interrupts(result);
    if (!result.reads.empty() || !result.interrupts.empty() || now_ >= limit) return result;

    if (now_ < ahead_) {
      const auto rise = std::ranges::find_if(
          changes_, [this](const Domain::Change& change) { return change.high && watched_[change.slot]; });
      now_ = std::min({next_stop(limit), ahead_, rise == changes_.end() ? ahead_ : rise->cycle,
                       reads_.empty() ? ahead_ : reads_.front().cycle});
      continue;
    }
    if (failure_) std::rethrow_exception(failure_);
    if (!busy()) {
      if (parts_ && observer_ == nullptr) choose_division();
      std::optional<Cycle> next = next_arrival();
      // Lines do not change while nothing happens: one that is high now ends the run when its time has come.
      if (!high_.empty()) earliest(next, high_from_);
      if (!next) {
        result.quiescent = true;
        return result;
      }
      if (*next > now_ && skips_idle_time_) {
        const Cycle target = std::min(*next, limit);
        cycles_skipped_ += target - now_;
        now_ = ahead_ = target;
        continue;
      }
    }
    advance(next_stop(limit));
  }
}

std::size_t Machine::slot_index(Endpoint endpoint) const { return topology_.number(endpoint); }

void Machine::publish(RunResult& result) {
  for (; !changes_.empty() && changes_.front().cycle <= now_; changes_.pop_front()) {
    const auto [cycle, slot, high] = changes_.front();
    lines_[slot] = high;
    if (!watched_[slot]) continue;
    const auto place = std::ranges::lower_bound(high_, slot);
    const bool known = place != high_.end() && *place == slot;
    if (high == known) continue;
    if (high) {
      high_.insert(place, slot);
    } else {
      high_.erase(place);
    }
    find_first_high();
  }
  if (reads_.empty() || reads_.front().cycle > now_) return;
  for (const Domain::Read& read : reads_) {
    result.reads.push_back({.endpoint = topology_.endpoint(static_cast<std::uint32_t>(read.slot)),
                            .data = read.data,
                            .cycle = read.cycle});
  }
  reads_.clear();
}

bool Machine::busy() const { return std::ranges::any_of(division_.domains, &Domain::busy); }

std::optional<Cycle> Machine::next_arrival() const {
  std::optional<Cycle> next;
  for (const Domain& domain : division_.domains) earliest(next, domain.next_arrival());
  return next;
}

void Machine::advance(Cycle end) {
  if (division_.domains.size() == 1) {
    advance_one_domain(end);
  } else {
    advance_domains(end);
  }
}

Cycle Machine::last_answer(Cycle first) const {
  Cycle last = first;
  for (const Domain& domain : division_.domains) last = domain.last_answer(first + reaction_, last);
  return last;
}

void Machine::advance_one_domain(Cycle end) {
  Domain& domain = division_.domains[0];
  bool event = false;
  for (;;) {
    try {
      domain.deliver(ahead_);
      if (observer_ != nullptr) observer_->before_edge(ahead_, domain.fabric().inputs(ahead_));
      ++cycles_stepped_;
      domain.step(ahead_);
    } catch (...) {
      if (reads_.empty()) throw;
      failure_ = std::current_exception();
      break;
    }
    now_ = ++ahead_;
    if (observer_ != nullptr) observer_->after_edge(now_);
    for (const Domain::Change& change : domain.changes) {
      changes_.push_back(change);
      event = event || (change.high && watched_[change.slot]);
    }
    domain.changes.clear();
    if (!domain.reads.empty()) {
      if (reads_.empty()) end = event || observer_ != nullptr ? ahead_ : std::min(end, last_answer(ahead_));
      reads_.insert(reads_.end(), domain.reads.begin(), domain.reads.end());
      domain.reads.clear();
    }
    if (event && reads_.empty()) break;
    if (observer_ == nullptr && ahead_ < end) {
      const std::uint64_t steady = domain.step_steadily(ahead_, end);
      cycles_stepped_ += steady;
      now_ = ahead_ = ahead_ + steady;
    }
    if (ahead_ >= end) break;
    if (domain.busy()) continue;
    if (reads_.empty()) break;
    // The next of these answers is to a read that is not on the bus yet.
    const std::uint64_t idle = skips_idle_time_ ? std::min(end, domain.next_arrival().value_or(end)) - ahead_ : 0;
    cycles_skipped_ += idle;
    now_ = ahead_ = ahead_ + idle;
    if (ahead_ >= end) break;
  }
  if (!reads_.empty()) now_ = reads_.front().cycle;
}

void Machine::advance_domains(Cycle end) {
  end = std::min(end, ahead_ + look_ahead_);
  std::optional<Cycle> answer;
  for (const Domain& domain : division_.domains) earliest(answer, domain.next_answer());
  if (answer && *answer < end) end = std::min(end, last_answer(*answer));
  const std::uint64_t before = node_evaluations();
  const auto simulate = [&](std::size_t domain) { division_.domains[domain].run(ahead_, end); };
  if (held_.empty() && busy_nodes_ * (end - ahead_) >= kWorthThreads) {
    team_->run(simulate);
  } else {
    for (std::size_t domain = 0; domain < division_.domains.size(); ++domain) simulate(domain);
  }
  const std::uint64_t cycles = end - ahead_;
  busy_nodes_ = (node_evaluations() - before + cycles - 1) / cycles;
  for (Domain& domain : division_.domains) domain.exchange();

  bool failed = false;
  for (Domain& domain : division_.domains) {
    if (!domain.failure || (failed && domain.stepped.back() >= end)) continue;
    failed = true;
    failure_ = domain.failure;
    end = domain.stepped.back();
  }
  std::bitset<kMostLookAhead + 1> stepped;
  std::uint64_t count = 0;
  Cycle last = ahead_;
  for (std::size_t d = 0; d < division_.domains.size(); ++d) {
    Domain& domain = division_.domains[d];
    for (const Cycle cycle : domain.stepped) {
      if (cycle > end) break;
      count += stepped[cycle - ahead_] ? 0 : 1;
      stepped[cycle - ahead_] = true;
      last = std::max(last, cycle);
    }
    domain.stepped.clear();
    take_over(domain.changes, division_.first_slots[d], changes_);
    take_over(domain.reads, division_.first_slots[d], reads_);
  }
  // Where nothing will ever happen again, time has stopped behind the last cycle in which something did.
  if (!failed && !busy() && !next_arrival()) end = last + 1;
  cycles_stepped_ += count;
  cycles_skipped_ += (end - ahead_) - std::min<std::uint64_t>(count, end - ahead_);
  ahead_ = end;
}

}  // namespace tidings
