// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/runtime.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "drivers/ideal.h"
#include "sim/machine/link_error.h"
#include "sim/runtime/core_pin.h"
#include "sim/runtime/damage.h"
#include "sim/runtime/event_store.h"
#include "sim/runtime/explain.h"
#include "sim/runtime/guardian.h"
#include "sim/runtime/program.h"
#include "sim/runtime/segment.h"
#include "sim/runtime/standard_streams.h"
#include "sim/runtime/stop_signals.h"
#include "sim/runtime/terminal_loan.h"
#include "sim/runtime/turns.h"
#include "sim/runtime/watcher.h"

namespace tidings {
namespace {

/// The wires for barriers join slots 0 of routers, or all slots in use of a single router.
bool has_wires(const MachineConfig& machine, const std::vector<Endpoint>& endpoints) {
  if (machine.topology.kind != TopologyKind::kCrossbar) return machine.node.barrier_slots != 0;
  const Topology topology(machine.topology);
  return std::ranges::all_of(
      endpoints, [&](const Endpoint& one) { return (machine.node.barrier_slots >> topology.number(one) & 1U) != 0; });
}

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How long a signal that another thread has caught may go unseen.
constexpr milliseconds kPatience{100};
constexpr milliseconds kProgressPeriod{500};
/// Processes that share a core with others wait for it more often than once in as many hand-overs.
constexpr std::uint64_t kFewHandOvers = 2'000;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
/// For what ranks still want to print when the run has failed.
constexpr milliseconds kLastWords{1000};
/// While nothing happens, but a thread of a rank may come by itself.
constexpr std::chrono::microseconds kThreadPause{100};
/// As often it is looked whether a thread has come to where it waits.
constexpr int kMostLooks = 50;
/// While ranks work, the machine looks this often whether they have done so: some microseconds.
constexpr std::uint64_t kLook = 32;
/// The machine comes back this often to look for signals and to report.
constexpr milliseconds kSlice{20};
constexpr int kSignalStatus = 128;
/// Latest virtual time: half of what 64 bits hold, so that sums of two times do not wrap.
constexpr std::uint64_t kLatestPs = std::uint64_t{1} << 62;
constexpr std::uint32_t kRegisterBytes = 1U << 12;
/// A rank that has asked so often in vain, while nothing moved, is taken to ask for ever.
constexpr std::uint64_t kMostPolls = 100'000;
constexpr std::uint64_t kAnswerFactor = 0x9e3779b97f4a7c15;

/// The run has to end: the exit status and what to tell the user.
struct Failure {
  int status;
  std::string text;
  std::string place{};          ///< of the call that has failed, as in RunOptions::source; empty if it is not known
  std::string earlier_call{};   ///< call because of which that one has failed; empty if there is none
  std::string earlier_place{};  ///< of it, as place
};

enum class RankState { kRunnable, kAtBus, kDraining, kAwaiting, kEnded };

/// Data that is at another rank at once.
struct Parcel {
  std::uint64_t given_ps;  ///< when its giver had it
  std::vector<char> data;
};

/// Of whom a parcel is, for whom, and what it is.
using ParcelKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

struct Rank {
  Rank(const SegmentFile& file, const SegmentContents& contents)
      : number(contents.rank),
        segment(file, contents),
        check(segment, contents.time_limit_ps),
        slots(file.layout().slots) {}

  struct Slot {
    Endpoint endpoint;
    Cycle bus_free;  ///< after the last bus operation
    /// A bus operation is asked for in the cycle `at`, and the machine is at `now`.
    void use_bus(Cycle at, Cycle now) { bus_free = std::max({at, bus_free, now}) + 1; }
  };

  std::uint32_t number;
  Segment segment;
  DamageCheck check;
  std::size_t program = 0;  ///< its number among those of the run
  /// The accesses that the rank has handed over and is to go on behind, of one slot.
  struct Sequence {
    std::uint32_t slot = 0;
    std::uint32_t count = 0;
    std::uint32_t next = 0;
    std::array<tidings_bus_access, TIDINGS_BUS_MOST_ACCESSES> accesses{};
    bool work_follows = false;             ///< that the rank has announced: a read has found some
    std::optional<std::uint32_t> found{};  ///< by the first read
  };

  std::vector<Slot> slots;
  RankState state = RankState::kRunnable;
  bool started = false;
  Sequence sequence;  ///< at the bus
  /// The channel's. That is in the processor's cache of the rank while the rank works.
  tidings_announced_work announced{};
  /// What the rank has last written to the second register of work that it has announced.
  std::optional<std::uint32_t> answered;
  Cycle until;        ///< waiting for an interrupt: the first cycle that counts; draining: when to go on
  Cycle quiet_until;  ///< having been let go: the first cycle in which it may wait or begin to use its bus
  /// Questions to its slots, one after the other, to which the answers were the same.
  struct Polls {
    std::uint64_t number = 0;
    std::uint64_t answers = 0;  ///< a sum of them
    std::uint32_t clock_looks = 0;
    Cycle since;                  ///< for the last of them, up to kMostPolls: when they began
    std::uint64_t flit_hops = 0;  ///< of the machine then
  };

  Polls polls;
  bool has_threads = false;                ///< several use the library
  std::vector<char> giving;                ///< of a parcel, until it is whole
  std::multiset<std::uint64_t> unnoticed;  ///< when parcels came that no wait has told of, in picoseconds
};

std::string name_of(const Rank& rank) { return "rank " + std::to_string(rank.number); }

/// A thread waits for what only another thread can tell it. @param task its folder of the system
bool waits_for_thread(const std::filesystem::path& task) {
  // The number of the system call that it is in, and its arguments; "running" if it is in none.
  std::ifstream file(task / "syscall");
  long number = 0;
  std::array<std::uint64_t, 4> arguments{};
  file >> number >> std::hex;
  for (std::uint64_t& argument : arguments) file >> argument;
  const int operation = static_cast<int>(arguments[1]) & FUTEX_CMD_MASK;
  return file && number == SYS_futex && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) &&
         arguments[3] == 0;  // no time at which it ends
}

/// A thread has started a process that has not ended.
bool has_children(const std::filesystem::path& task) {
  std::ifstream file(task / "children");
  for (std::string child; file >> child;) {
    std::ifstream status("/proc/" + child + "/stat");
    std::string text;
    std::getline(status, text);
    if (const std::size_t name = text.rfind(") "); name != std::string::npos && text[name + 2] != 'Z') return true;
  }
  return false;
}

/// Other threads or processes of the program may do, in real time, what the rank asks for.
bool has_helpers(const Rank& rank) {
  const std::filesystem::path tasks = "/proc/" + std::to_string(rank.segment.channel().owner_pid) + "/task";
  std::error_code problem;
  const std::filesystem::directory_iterator first(tasks, problem);
  if (problem) return true;
  const std::vector<std::filesystem::path> all(begin(first), end(first));
  // The thread that asks waits for its answer.
  return std::ranges::any_of(all, has_children) || (all.size() != 1 && !std::ranges::all_of(all, waits_for_thread));
}

/// What the calls of the rank's library are called.
std::string library_call(const Rank& rank) {
  const std::string given = text_of(rank.segment.channel().library_call);
  return given.empty() ? "library call" : given;
}

/// A call that the rank is in; empty outside any.
std::string call_of(const Rank& rank, const tidings_operation_record& operation) {
  const tidings_channel& channel = rank.segment.channel();
  if (!rank.check.is_whole(rank.segment)) return "";  // what would be shown is not the library's
  if (operation.depth == 0 || operation.statistics >= TIDINGS_MAX_OPERATIONS) return "";
  const std::string name = text_of(channel.operations[operation.statistics].name);
  std::array<std::string, TIDINGS_MAX_ARGUMENTS> labels;
  std::array<tidings_argument, TIDINGS_MAX_ARGUMENTS> arguments{};
  const std::uint32_t count = std::min<std::uint32_t>(operation.argument_count, TIDINGS_MAX_ARGUMENTS);
  for (std::uint32_t i = 0; i < count; ++i) {
    labels[i] = text_of(channel.labels[operation.arguments[i].label % TIDINGS_MAX_LABELS]);
    arguments[i] = {labels[i].c_str(), operation.arguments[i].value};
  }
  std::array<char, TIDINGS_TEXT_BYTES> text{};
  tidings_call_text(name.c_str(), arguments.data(), count, text.data(), text.size());
  return text.data();
}

/// The call of the thread that has the library.
std::string call_of(const Rank& rank) { return call_of(rank, rank.segment.channel().operation); }

std::string place_of(const Rank& rank) { return place_in(call_of(rank), "", library_call(rank)); }

tidings_costs costs_of(const ProcessorConfig& processor, Compute compute) {
  return {.bus_write = processor.bus_write_ps,
          .bus_read = processor.bus_read_ps,
          .interrupt = processor.interrupt_ps,
          .clock_read = processor.clock_read_ps,
          .call = processor.call_ps,
          .command = processor.command_ps,
          .vector = processor.vector_ps,
          .request = processor.request_ps,
          .handle = processor.handle_ps,
          .message = processor.message_ps,
          .arrival = processor.arrival_ps,
          .schedule = processor.schedule_ps,
          .round = processor.round_ps,
          .transfer = processor.transfer_ps,
          .keep = processor.keep_ps,
          .queue = processor.queue_ps,
          .match = processor.match_ps,
          .window = processor.window_ps,
          .direct = processor.direct_ps,
          .look = processor.look_ps,
          .probe = processor.probe_ps,
          .poll = processor.poll_ps,
          .reduce_element = processor.reduce_element_ps,
          .copy_call = processor.copy_call_ps,
          .copy_byte = processor.copy_byte_ps,
          .compute_scale = processor.compute_scale,
          .measure_compute = compute == Compute::kMeasured ? 1U : 0U,
          .reserved = 0};
}

/// Exit status for a code that a program ends with: what a shell sees of it, but never success.
int status_of_code(int code) { return (code & 0xff) == 0 ? EXIT_FAILURE : code & 0xff; }

std::string seconds_text(std::uint64_t picoseconds) {
  std::ostringstream text;
  text << static_cast<double>(picoseconds) * 1e-12 << " s";
  return text.str();
}

class Run {
 public:
  explicit Run(const RunOptions& options);
  RunReport execute();

 private:
  void start_ranks();
  /// Let every rank that can go on do so until it blocks or ends. The machine advances meanwhile.
  void run_ranks();
  /// The ranks that can go on now, in the order in which they do.
  [[nodiscard]] std::vector<std::uint32_t> next_group();
  /// Give the next ranks the turn, one after the other.
  void give_turns();
  /// Look at what they have left behind with it.
  void take_turns();
  /// Move the machine on while ranks work, for as long as none of them can have any part in it, nor those that it lets
  /// go on meanwhile: these work after the others. An engine that reaches for the memory of such a rank waits for the
  /// rank, so everything is as if all had worked before.
  void advance_beside_ranks();
  /// Close the memories of ranks to engines, but for those that wait.
  void hold_memories(std::span<const std::uint32_t> ranks);
  /// The first cycle in which a rank that works, or is to work next, may wait or begin to use its bus.
  [[nodiscard]] Cycle quiet_until() const;
  /// Wait until all ranks that were given the turn have given it away, and look after the run meanwhile.
  void await_ranks();
  /// Wait until a rank that works, or is to work next, has given its turn away, or the run has to end.
  void await_rank(std::uint32_t number);
  /// A wait for ranks has taken long.
  void look_after_ranks();
  /// Simulator and ranks go to cores of their own if there is one to spare: hand-overs without sleep are faster.
  void part();
  /// Others leave no core to spare.
  [[nodiscard]] bool crowded() const;
  /// A hand-over took long: they share a core again if others want theirs, who would make each take long. So one did
  /// shortly before: many things make a single one take long.
  void join();
  /// Ranks that have had the turn, or have it, have begun.
  void note_started();
  /// Look at what a rank has left behind with its turn.
  void take_turn(Rank& rank);
  void take_writes(Rank& rank);
  void take_request(Rank& rank);
  /// Put what comes next in the rank's sequence on its bus, or let the rank go on.
  void access_bus(Rank& rank);
  /// Count questions of a rank that have been answered as before.
  /// @throws Failure if nothing can come of them, and no other rank can go on.
  void count_poll(Rank& rank);
  /// A rank has waited for others since a cycle, or has asked in vain for long.
  [[nodiscard]] bool gets_nowhere(const Rank& rank, Cycle since) const;
  /// Keep a part of what a rank gives; once it is whole, it can be taken.
  void keep_parcel(Rank& rank);
  /// Hand over a part of the parcel that a rank asks for, if it has come.
  void hand_over_parcel(Rank& rank);
  /// When a rank that waits for parcels goes on, if no interrupt comes first.
  [[nodiscard]] std::optional<Cycle> next_parcel(const Rank& rank) const;
  /// The rank may have got several threads that use the library.
  void note_threads(Rank& rank);
  /// Ranks go on whose other threads have come while one of them waited. @return whether there are any
  bool notice_threads();
  /// A thread of a rank may still come by itself.
  [[nodiscard]] bool awaits_threads() const;
  /// The rank's wait for an interrupt is over.
  void end_wait(Rank& rank);
  /// Ranks go on that wait for parcels, if one has come by now. @param idle the machine has nothing to do until then
  void notice_parcels(bool idle);
  /// @throws Failure if the rank does something before it has done the work that it has announced.
  void check_quiet(const Rank& rank, Cycle at);
  /// The rank goes on in the next turn.
  void let_go(Rank& rank);
  /// The last cycle that begins within the time of any bus operation.
  [[nodiscard]] std::uint64_t bus_cycles() const;
  /// Let time of the rank pass.
  void spend(const Rank& rank, std::uint64_t picoseconds);
  [[nodiscard]] Failure limit_passed_by(const Rank& rank);
  /// @param slot of the rank.
  void write_bus(Rank& rank, std::uint32_t slot, std::uint32_t address, std::uint32_t value, Picoseconds time);
  void take_end(Rank& rank, ProcessEnd end);
  /// The first rank that has written over what no rank changes; nullptr if none has.
  [[nodiscard]] const Rank* find_overwriter() const;
  /// The rank's own process has written into its channel: no other has it.
  [[nodiscard]] Failure damage_of(const Rank& rank);
  /// Any rank's process has written into the turns, which all have.
  [[nodiscard]] Failure damage_of_turns();
  /// Ends of processes that did not have the turn.
  void notice_ends();
  /// Move the machine to the next event of any rank, or to `end`.
  void advance_machine(Cycle end);
  /// The machine has advanced for so long: have it come back in time to look for signals.
  void adapt_slice(SteadyClock::duration took);
  /// @throws Failure if the machine fails, unless ranks work: then it is kept until they no longer do.
  [[nodiscard]] RunResult run_machine(Cycle end);
  /// What the machine has thrown, as the end of the run.
  [[noreturn]] void fail_by(const std::exception_ptr& error);
  void finish_read(const CompletedRead& read);
  void finish_wait(Rank& rank);
  [[nodiscard]] static bool waits_for_interrupt(const Rank& rank);
  [[nodiscard]] Rank& rank_at(Endpoint endpoint);
  [[nodiscard]] std::uint16_t register_address(const Rank& rank, std::uint32_t address) const;
  /// Whether the user, or the limit of wall time, ends the run.
  void check_signals();
  void report_progress();
  /// Store what the ranks have not stored themselves; returns why that could not be done, or nothing.
  std::string store_events();
  /// The run has failed: let ranks flush what they have printed, then end them.
  void end_ranks();
  /// Give a rank that the simulator keeps waiting a last turn.
  void have_last_words(Rank& rank, tidings_answer answer, SteadyClock::time_point deadline);
  /// Have the ranks that the simulator keeps waiting say what for.
  void ask_what_for();
  [[nodiscard]] std::vector<RankSituation> situations();
  /// File and line of a place in a program; empty if they are not known.
  [[nodiscard]] std::string source_of(const std::string& place) const;

  StandardStreams streams_;  // first: no file of ours may take the number of a closed one
  const RunOptions& options_;
  const std::vector<std::string> paths_;  ///< of the programs
  const SteadyClock::time_point began_ = SteadyClock::now();
  const std::uint64_t limit_ps_;
  StopSignals signals_;
  std::optional<CorePin> pin_;
  std::optional<EventStore> events_;
  SegmentFile memory_;
  Turns turns_;
  std::vector<Rank> ranks_;                        // the machine uses their memory
  std::vector<std::uint32_t> runnable_;            ///< ranks that can go on, and have not been let
  std::deque<std::vector<std::uint32_t>> groups_;  ///< such ranks that are to be let next, and after each other
  std::vector<std::uint32_t> given_;               ///< ranks that have the turn one after the other
  bool taken_ = true;                              ///< what these have left behind has been looked at
  bool beside_ranks_ = false;                      ///< the machine advances while these work
  const std::function<void(Endpoint)> await_rank_at_ = [this](Endpoint endpoint) {
    await_rank(rank_at(endpoint).number);
  };
  std::exception_ptr wait_error_;     ///< what came up while an engine had to wait for a rank
  std::exception_ptr machine_error_;  ///< told when ranks no longer work
  std::vector<std::uint32_t> draining_;
  std::vector<std::uint32_t> awaiting_;
  std::vector<std::uint32_t> with_threads_;          ///< ranks several threads of which use the library
  std::map<ParcelKey, std::deque<Parcel>> parcels_;  ///< that nobody has taken yet
  std::size_t left_;                                 ///< ranks that have not ended
  Machine machine_;
  std::vector<std::uint32_t> rank_of_slot_;  ///< by Topology::endpoint; 0 for slots that nobody has
  std::optional<LinkWindows> link_windows_;  ///< if events are stored
  std::unique_ptr<CycleObserver> observer_;
  std::atomic<std::uint32_t> ends_ = 0;
  std::uint32_t ends_seen_ = 0;
  std::optional<Failure> exit_failure_;   ///< of a rank that had finished its work
  std::optional<std::uint32_t> damaged_;  ///< the rank whose process has written over its channel
  std::uint64_t slice_cycles_ = 64;
  std::uint64_t hand_overs_ = 0;       ///< how often ranks were given the turn
  std::uint64_t pause_ = 256;          ///< in hand-overs, between two looks for a core to spare
  std::uint64_t suspected_until_ = 0;  ///< hand-over: others may want the cores
  std::uint64_t part_at_ = kNever;     ///< when the next of these looks is due
  SteadyClock::time_point reported_ = began_;
  std::uint64_t reported_cycles_ = 0;
  Cycle reported_at_;
  std::uint64_t reported_hops_ = 0;
  double links_ = 0;                      ///< how many there are, each direction by itself
  std::optional<TerminalLoan> terminal_;  ///< until the debugger is gone
  std::optional<Guardian> guardian_;
  std::optional<Watcher> watcher_;  // last: its thread uses all of the above
};

std::uint32_t ranks_of(const RunOptions& options) {
  return std::accumulate(options.programs.begin(), options.programs.end(), 0U,
                         [](std::uint32_t sum, const ProgramOptions& program) { return sum + program.ranks; });
}

/// Slots of all ranks. @throws std::invalid_argument if ranks have none.
std::uint32_t slots_of(const RunOptions& options) {
  if (options.slots == 0) throw std::invalid_argument("a rank needs at least one slot");
  return ranks_of(options) * options.slots;
}

/// The machine of a run. @throws std::invalid_argument if places of ranks are not a slot each.
Machine machine_of(const RunOptions& options) {
  const std::uint32_t needed = slots_of(options);
  if (options.places.empty()) return {options.machine, needed, options.fabric};
  const std::uint32_t slots = Topology(options.machine.topology).endpoints();
  if (options.places.size() != needed)
    throw std::invalid_argument(std::to_string(options.places.size()) + " places for " + std::to_string(needed) +
                                " slots of ranks");
  std::set<std::uint32_t> taken;
  for (const std::uint32_t place : options.places) {
    if (place >= slots || !taken.insert(place).second)
      throw std::invalid_argument("slot " + std::to_string(place) + " is given twice or not on the machine");
  }
  return {options.machine, slots, options.fabric};
}

/// Where the programs are.
std::vector<std::string> find_programs(const RunOptions& options) {
  std::vector<std::string> paths;
  for (const ProgramOptions& program : options.programs)
    paths.push_back(find_program(program.words.empty() ? std::string() : program.words.front()));
  return paths;
}

Run::Run(const RunOptions& options)
    : options_(options),
      paths_(find_programs(options)),
      limit_ps_(options.time_limit.value == 0 ? kLatestPs : std::min(options.time_limit.value, kLatestPs)),
      events_(options.event_file.empty() ? std::optional<EventStore>()
                                         : std::optional<EventStore>(std::in_place, options.event_file)),
      memory_(ranks_of(options), options.slots, options.machine.memory.size_bytes, events_.has_value()),
      turns_(memory_.file(), ranks_of(options)),
      left_(ranks_of(options)),
      machine_(machine_of(options)),
      rank_of_slot_(machine_.topology().endpoints()) {
  if (options.parts) machine_.use_threads(options.parts, {});
  if (options.cores != Cores::kAny) pin_.emplace();
  if (pin_ && pin_->core()) machine_.keep_off(*pin_->core(), false);
  if (options.cores == Cores::kToSpare) part_at_ = pause_;
  if (options.cores == Cores::kTwo) part_at_ = 0;
  // Whether a rank finds a parcel depends on the order in which ranks go on: each does at its own time.
  if (!options.ideal_collectives) machine_.react_after(bus_cycles());
  const Topology& topology = machine_.topology();
  std::vector<Endpoint> endpoints;
  for (std::uint32_t i = 0; i < slots_of(options); ++i) {
    const std::uint32_t place = options.places.empty() ? i : options.places[i];
    endpoints.push_back(topology.endpoint(place));
    rank_of_slot_[place] = i / options.slots;
  }
  const Cycle hop{options.machine.link.latency_cycles};
  SegmentContents contents{
      .rank = 0,
      .program = 0,
      .machine = options.machine.name,
      .endpoints = endpoints,
      .grid = grid_of(topology),
      .barrier_wires = has_wires(options.machine, endpoints),
      .shared_memory = options.machine.memory.kind != 0,
      .alltoall_entries = options.machine.node.alltoall_slots != 0 ? options.machine.node.alltoall_period_words : 0,
      // Words of a schedule on longer links would wait for one another: buffers hold no more.
      .alltoall_hop = std::min(options.machine.link.latency_cycles, options.machine.node.alltoall_buffer_words - 1),
      .hardware_collectives = options.hardware_collectives,
      .named_switches = options.named_switches,
      .ideal_collectives = options.ideal_collectives,
      .costs = costs_of(options.machine.processor, options.compute),
      .link_cycle_ps = machine_.time_of(Cycle{1}).value,
      // A link carries as many words as its input has room for, and room comes back after twice the link's cycles.
      .switch_cycle_ps = std::max(machine_.time_of(Cycle{1}).value,
                                  2 * machine_.time_of(hop).value / options.machine.node.alltoall_buffer_words),
      .switch_hop_ps = machine_.time_of(hop).value,
      .time_limit_ps = limit_ps_,
      .event_file = events_ ? events_->file() : -1};
  if (events_) link_windows_.emplace(machine_);
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    for (std::uint8_t port = 0; port < topology.ports(); ++port)
      links_ += topology.neighbour(NodeIndex{node}, PortId{port}) ? 1 : 0;
  }
  ranks_.reserve(left_);
  for (std::size_t program = 0; program < options.programs.size(); ++program) {
    for (std::uint32_t i = 0; i < options.programs[program].ranks; ++i) {
      contents.rank = static_cast<std::uint32_t>(ranks_.size());
      contents.program = options.programs[program].number;
      ranks_.emplace_back(memory_, contents).program = program;
    }
  }
  for (Rank& made : ranks_) {
    const std::uint32_t rank = made.number;
    runnable_.push_back(rank);
    for (std::uint32_t slot = 0; slot < options.slots; ++slot) {
      made.slots[slot].endpoint = endpoints[rank * options.slots + slot];
      machine_.attach_memory(made.slots[slot].endpoint, made.segment.memory(slot));
    }
  }
  if (options.observer) {
    observer_ = options.observer(machine_);
    machine_.observe(observer_.get());
  }
  if (!options.outputs.empty() && options.outputs.size() != ranks_.size())
    throw std::invalid_argument(std::to_string(options.outputs.size()) + " outputs for " +
                                std::to_string(ranks_.size()) + " ranks");
  start_ranks();
}

std::uint64_t Run::bus_cycles() const {
  const ProcessorConfig& processor = options_.machine.processor;
  const std::uint64_t least = std::min(processor.bus_read_ps, processor.bus_write_ps);
  return machine_.first_cycle_at_or_after(Picoseconds{least + 1}) - Cycle{1};
}

void Run::start_ranks() {
  const std::vector<std::string> environment =
      rank_environment(options_.environment, options_.rank_library, options_.library_directory);
  std::deque<ProgramImage> images;
  for (std::size_t i = 0; i < paths_.size(); ++i)
    images.emplace_back(paths_[i], options_.programs[i].words, environment);
  const FileDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) throw system_failure("opening /dev/null");
  FileDescriptor terminal_input;
  std::optional<StdinPump> pump;
  if (options_.debugged_rank) {
    terminal_.emplace();
  } else if (isatty(STDIN_FILENO) == 1) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw system_failure("a pipe for standard input");
    terminal_input = FileDescriptor(ends[0]);
    FileDescriptor sink(ends[1]);
    fcntl(sink.get(), F_SETFL, O_NONBLOCK);
    // In the background, the terminal's input is somebody else's.
    if (tcgetpgrp(STDIN_FILENO) == getpgrp()) pump.emplace(STDIN_FILENO, std::move(sink));
  }
  const int first_input = terminal_input ? terminal_input.get() : STDIN_FILENO;
  const auto number = static_cast<std::uint32_t>(ranks_.size());
  const std::uint32_t reader = options_.debugged_rank.value_or(0);
  guardian_.emplace(number, [&](std::uint32_t rank) {
    if (rank == options_.debugged_rank) {
      ranks_[rank].segment.channel().debugged = 1;
      if (terminal_->can_be_given()) give_terminal_to(getpid());
    }
    become_rank(images[ranks_[rank].program], ranks_[rank].segment, rank == reader ? first_input : nothing.get(),
                options_.outputs.empty() ? RankOutput{} : options_.outputs[rank]);
  });
  const auto note_end = [this](std::uint32_t rank) {
    turns_.mark_ended(rank);
    ++ends_;
  };
  watcher_.emplace(*guardian_, number, note_end, std::move(pump), kPatience, [this] { turns_.interrupt(); });
}

RunReport Run::execute() {
  RunReport report;
  try {
    for (;;) {
      run_ranks();
      if (left_ == 0) break;
      advance_machine(Cycle::max());
    }
    if (exit_failure_) throw *exit_failure_;
  } catch (Failure& failure) {
    // Whatever has gone wrong, this comes first: nothing that such a rank does or says can be believed.
    const Rank* const overwriter = damaged_ ? nullptr : find_overwriter();
    if (overwriter != nullptr) failure = {failure.status, damage_of(*overwriter).text};
    report.exit_status = failure.status;
    report.error = failure.text;
    if (const std::string source = source_of(failure.place); !source.empty()) report.error += "\n  called at " + source;
    if (const std::string source = source_of(failure.earlier_place); !source.empty())
      report.error += "\n  after " + failure.earlier_call + " at " + source;
    end_ranks();
  }
  for (const Rank& rank : ranks_) {
    // What a program has written over its numbers is not shown.
    const bool known = rank.check.is_whole(rank.segment) && damaged_ != rank.number;
    report.ranks.push_back(known ? rank_report(rank.segment.channel()) : RankReport{});
    report.ranks.back().rank = rank.number;
  }
  if (events_) report.event_error = store_events();
  report.machine = machine_.counters();
  report.wall_seconds = std::chrono::duration<double>(SteadyClock::now() - began_).count();
  return report;
}

void Run::run_ranks() {
  for (;;) {
    // Ranks that their own turn has let go on come before those that the machine has.
    if (!runnable_.empty()) groups_.push_front(next_group());
    if (groups_.empty()) break;
    give_turns();
    advance_beside_ranks();
    await_ranks();
    take_turns();
  }
  if (machine_error_) fail_by(machine_error_);
  notice_ends();
}

std::vector<std::uint32_t> Run::next_group() {
  std::ranges::sort(runnable_);
  return std::exchange(runnable_, {});
}

void Run::give_turns() {
  given_.swap(groups_.front());
  groups_.pop_front();
  std::erase_if(given_, [this](std::uint32_t number) { return ranks_[number].state == RankState::kEnded; });
  for (const std::uint32_t number : given_) ranks_[number].segment.channel().answer = TIDINGS_ANSWER_GO;
  if (hand_overs_++ >= part_at_) part();
  turns_.give(given_);
  taken_ = false;
}

void Run::take_turns() {
  note_started();
  for (const std::uint32_t number : given_) take_turn(ranks_[number]);
  taken_ = true;
}

void Run::hold_memories(std::span<const std::uint32_t> ranks) {
  for (const std::uint32_t number : ranks) {
    for (const Rank::Slot& slot : ranks_[number].slots) machine_.hold_memory(slot.endpoint, await_rank_at_);
  }
}

Cycle Run::quiet_until() const {
  Cycle end = Cycle::max();
  const auto look = [&](std::span<const std::uint32_t> ranks) {
    for (const std::uint32_t number : ranks) end = std::min(end, ranks_[number].quiet_until);
  };
  if (!taken_) look(given_);
  for (const std::vector<std::uint32_t>& group : groups_) look(group);
  return end;
}

void Run::advance_beside_ranks() {
  if (options_.ideal_collectives || !with_threads_.empty() || machine_error_ || machine_.now() >= quiet_until()) return;
  hold_memories(given_);
  for (const std::vector<std::uint32_t>& group : groups_) hold_memories(group);
  beside_ranks_ = true;
  while (!turns_.are_back()) {
    const Cycle now = machine_.now();
    const Cycle end = quiet_until();
    if (machine_error_ || now >= end) break;
    advance_machine(std::min(end, now + kLook));
    if (!runnable_.empty()) {
      groups_.push_back(next_group());
      hold_memories(groups_.back());
    } else if (machine_.now() == now) {
      break;
    }
  }
  beside_ranks_ = false;
  machine_.release_memories();
}

void Run::await_ranks() {
  while (!turns_.wait()) look_after_ranks();
}

void Run::await_rank(std::uint32_t number) {
  const auto is_in = [number](const std::vector<std::uint32_t>& group) {
    return std::ranges::find(group, number) != group.end();
  };
  beside_ranks_ = false;
  try {
    while (!wait_error_ && std::ranges::any_of(groups_, is_in)) {
      await_ranks();
      take_turns();
      if (!runnable_.empty()) groups_.push_front(next_group());
      give_turns();
      hold_memories(given_);
    }
    while (!wait_error_ && !taken_ && is_in(given_) && !turns_.wait_for(number)) look_after_ranks();
  } catch (...) {
    wait_error_ = std::current_exception();  // no engine has failed
  }
  beside_ranks_ = true;
}

void Run::look_after_ranks() {
  if (turns_.looks()) join();
  note_started();
  check_signals();
  report_progress();
  // A rank that no longer knows its channel may never give the turn away.
  if (const Rank* const overwriter = find_overwriter()) throw damage_of(*overwriter);
}

bool Run::crowded() const { return pin_->crowded(1 + turns_.awake()); }

void Run::part() {
  part_at_ = hand_overs_ + pause_;
  const bool may_part = options_.cores == Cores::kTwo || !crowded();
  if (!may_part) return;
  part_at_ = kNever;
  const std::optional<unsigned> other = pin_->other();
  if (!other || !pin_->move(*other)) return;
  machine_.keep_off(*other, true);
  turns_.look(true);
}

void Run::join() {
  if (options_.cores == Cores::kTwo || !crowded()) return;
  const bool again = hand_overs_ < std::exchange(suspected_until_, hand_overs_ + kFewHandOvers);
  if (!again || !pin_->move(*pin_->core())) return;
  pause_ *= 2;
  part_at_ = hand_overs_ + pause_;
  machine_.keep_off(*pin_->core(), false);
  turns_.look(false);
}

void Run::note_started() {
  for (const std::uint32_t number : given_)
    if (turns_.of(number) != TIDINGS_TURN_QUEUED) ranks_[number].started = true;
}

void Run::take_turn(Rank& rank) {
  const tidings_turn turn = turns_.of(rank.number);
  const std::optional<ProcessEnd> end = turn == TIDINGS_TURN_ENDED ? watcher_->end_of(rank.number) : std::nullopt;
  const bool sound = !rank.check.find(rank.segment);
  rank.announced = rank.segment.channel().announced;
  if (rank.segment.channel().free_work != 0) rank.announced.time_ps = 0;
  if (rank.announced.time_ps == 0) rank.answered.reset();
  if (sound) take_writes(rank);
  if (end) return take_end(rank, *end);
  if (!sound) throw damage_of(rank);
  if (turn != TIDINGS_TURN_SIMULATOR) throw damage_of_turns();
  take_request(rank);
}

void Run::let_go(Rank& rank) {
  rank.state = RankState::kRunnable;
  const tidings_channel& channel = rank.segment.channel();
  const bool works = std::exchange(rank.sequence.work_follows, false);
  const std::uint64_t until_ps = std::min(channel.local_ps + (works ? rank.announced.time_ps : 0), limit_ps_);
  rank.quiet_until = machine_.first_cycle_at_or_after(Picoseconds{until_ps});
  runnable_.push_back(rank.number);
}

const Rank* Run::find_overwriter() const {
  const auto found = std::ranges::find_if(ranks_, [](const Rank& rank) { return !rank.check.is_whole(rank.segment); });
  return found == ranks_.end() ? nullptr : &*found;
}

Failure Run::damage_of(const Rank& rank) {
  damaged_ = rank.number;
  const std::string advice =
      "\n  Look for a write past the end of an array, or through a pointer that is not set: "
      "compile the program with -fsanitize=address, or run it again with --debug-rank " +
      std::to_string(rank.number) + ".";
  const std::optional<std::string> found = rank.check.find(rank.segment);
  // If what never changes is not as it was, the words for the rank's place may be gone too.
  return {EXIT_FAILURE, name_of(rank) + " has overwritten the memory that its process shares with the simulator" +
                            (found ? ": " + *found : "") +
                            (rank.check.is_whole(rank.segment) ? "; it was " + place_of(rank) : "") + advice};
}

Failure Run::damage_of_turns() {
  if (const Rank* const found = find_overwriter()) return damage_of(*found);
  if (ranks_.size() == 1) return damage_of(ranks_.front());
  return {EXIT_FAILURE,
          "a rank has overwritten the memory that all ranks share with the simulator: look for a wild pointer; which "
          "rank it was cannot be known"};
}

std::uint16_t Run::register_address(const Rank& rank, std::uint32_t address) const {
  if (address < kRegisterBytes && address % 4 == 0) return static_cast<std::uint16_t>(address);
  std::ostringstream text;
  text << name_of(rank) << " accessed a register at byte address 0x" << std::hex << address << ", where there is none, "
       << place_of(rank);
  throw Failure{EXIT_FAILURE, text.str()};
}

void Run::write_bus(Rank& rank, std::uint32_t slot, std::uint32_t address, std::uint32_t value, Picoseconds time) {
  const Cycle at = machine_.first_cycle_at_or_after(time);
  check_quiet(rank, at);
  Rank::Slot& to = rank.slots[slot];
  machine_.bus_write(to.endpoint, at, register_address(rank, address), value);
  if (slot == rank.announced.slot && address == rank.announced.written) rank.answered = value;
  to.use_bus(at, machine_.now());
}

void Run::check_quiet(const Rank& rank, Cycle at) {
  if (at >= rank.quiet_until) return;
  throw Failure{EXIT_FAILURE, name_of(rank) + " used its bus in cycle " + std::to_string(at.value) +
                                  ", but its library had announced work until cycle " +
                                  std::to_string(rank.quiet_until.value) + ", " + place_of(rank)};
}

void Run::take_writes(Rank& rank) {
  tidings_channel& channel = rank.segment.channel();
  const std::uint32_t count = std::min<std::uint32_t>(std::exchange(channel.ring_count, 0), TIDINGS_RING_ENTRIES);
  if (count != 0) rank.polls = {};
  for (const tidings_posted_write& write : std::span(channel.ring, count))
    write_bus(rank, write.slot, write.address, write.value, Picoseconds{write.stamp_ps});
}

void Run::take_request(Rank& rank) {
  const tidings_channel& channel = rank.segment.channel();
  switch (static_cast<tidings_stop>(channel.stop)) {
    case TIDINGS_STOP_ACCESS:
      note_threads(rank);
      check_quiet(rank, machine_.first_cycle_at_or_after(Picoseconds{channel.local_ps}));
      rank.sequence = {.slot = channel.slot, .count = channel.access_count};
      std::copy_n(channel.accesses, channel.access_count, rank.sequence.accesses.begin());
      rank.state = RankState::kAtBus;
      return access_bus(rank);
    case TIDINGS_STOP_DRAIN:
      rank.until = machine_.first_cycle_at_or_after(Picoseconds{channel.local_ps});
      rank.state = RankState::kDraining;
      draining_.push_back(rank.number);
      return;
    case TIDINGS_STOP_LIMIT:
      throw limit_passed_by(rank);
    case TIDINGS_STOP_FAIL:
      throw Failure{status_of_code(channel.fail_code), name_of(rank) + ": " + text_of(channel.fail),
                    text_of(channel.fail_place), text_of(channel.earlier_call), text_of(channel.earlier_place)};
    case TIDINGS_STOP_GIVE:
      if (channel.parcel.peer >= ranks_.size()) break;
      keep_parcel(rank);
      return let_go(rank);
    case TIDINGS_STOP_TAKE:
      hand_over_parcel(rank);
      return let_go(rank);
    case TIDINGS_STOP_AWAIT:
      note_threads(rank);
      rank.until = std::max(machine_.first_cycle_at_or_after(Picoseconds{channel.local_ps}), machine_.now());
      rank.state = RankState::kAwaiting;
      awaiting_.push_back(rank.number);
      return machine_.watch(rank.slots.front().endpoint, rank.until);
    case TIDINGS_STOP_NONE:
      break;
  }
  throw damage_of(rank);
}

void Run::keep_parcel(Rank& rank) {
  const tidings_channel& channel = rank.segment.channel();
  const tidings_parcel& parcel = channel.parcel;
  if (parcel.begin == 0) rank.giving.clear();
  rank.giving.insert(rank.giving.end(), channel.parcel_data, channel.parcel_data + parcel.bytes);
  if (rank.giving.size() < parcel.total) return;
  parcels_[{rank.number, parcel.peer, parcel.label}].push_back(
      {.given_ps = channel.local_ps, .data = std::exchange(rank.giving, {})});
  ranks_[parcel.peer].unnoticed.insert(channel.local_ps);
}

void Run::hand_over_parcel(Rank& rank) {
  tidings_channel& channel = rank.segment.channel();
  tidings_parcel& asked = channel.parcel;
  const auto found = parcels_.find({asked.peer, rank.number, asked.label});
  if (found == parcels_.end() || found->second.front().given_ps > channel.local_ps) {
    asked.total = TIDINGS_IDEAL_ABSENT;
    return;
  }
  const Parcel& parcel = found->second.front();
  const std::size_t begin = std::min<std::size_t>(asked.begin, parcel.data.size());
  const std::size_t bytes = std::min<std::size_t>(parcel.data.size() - begin, TIDINGS_PARCEL_BYTES);
  asked.total = parcel.data.size();
  asked.bytes = static_cast<std::uint32_t>(bytes);
  std::copy_n(parcel.data.begin() + static_cast<std::ptrdiff_t>(begin), bytes, channel.parcel_data);
  if (begin + bytes < parcel.data.size()) return;
  if (const auto noticed = rank.unnoticed.find(parcel.given_ps); noticed != rank.unnoticed.end())
    rank.unnoticed.erase(noticed);
  found->second.pop_front();
  if (found->second.empty()) parcels_.erase(found);
}

std::optional<Cycle> Run::next_parcel(const Rank& rank) const {
  if (rank.unnoticed.empty()) return std::nullopt;
  return std::max(rank.until, machine_.first_cycle_at_or_after(Picoseconds{*rank.unnoticed.begin()}));
}

void Run::notice_parcels(bool idle) {
  std::erase_if(awaiting_, [this](std::uint32_t number) { return ranks_[number].state != RankState::kAwaiting; });
  std::optional<Cycle> first;
  for (const std::uint32_t number : awaiting_)
    if (const std::optional<Cycle> next = next_parcel(ranks_[number])) first = std::min(first.value_or(*next), *next);
  const Cycle now = idle && first ? std::max(machine_.now(), *first) : machine_.now();
  std::erase_if(awaiting_, [&](std::uint32_t number) {
    Rank& rank = ranks_[number];
    const std::optional<Cycle> next = next_parcel(rank);
    if (!next || *next > now) return false;
    tidings_channel& channel = rank.segment.channel();
    channel.local_ps = std::max(channel.local_ps, *rank.unnoticed.begin());
    rank.unnoticed.erase(rank.unnoticed.begin(), rank.unnoticed.upper_bound(channel.local_ps));
    channel.parcel.interrupted = 0;
    let_go(rank);
    return true;
  });
}

Failure Run::limit_passed_by(const Rank& rank) {
  return {EXIT_FAILURE, "time limit: " + name_of(rank) + " has passed " + seconds_text(limit_ps_) +
                            " of virtual time\n" + list_places(situations())};
}

void Run::spend(const Rank& rank, std::uint64_t picoseconds) {
  std::uint64_t& time = rank.segment.channel().local_ps;
  if (picoseconds > limit_ps_ || time > limit_ps_ - picoseconds) {
    time = limit_ps_;
    throw limit_passed_by(rank);
  }
  time += picoseconds;
}

void Run::access_bus(Rank& rank) {
  tidings_channel& channel = rank.segment.channel();
  Rank::Sequence& sequence = rank.sequence;
  Rank::Slot& slot = rank.slots[sequence.slot];
  for (; sequence.next < sequence.count; ++sequence.next) {
    const tidings_bus_access& access = sequence.accesses[sequence.next];
    const std::uint32_t bits = sequence.found.value_or(0) & access.mask;
    switch (access.kind) {
      case TIDINGS_BUS_WAIT:
        // The line follows the last write within two cycles.
        rank.until = std::max(
            {machine_.first_cycle_at_or_after(Picoseconds{channel.local_ps}), slot.bus_free + 1, machine_.now()});
        return machine_.watch(slot.endpoint, rank.until);
      case TIDINGS_BUS_READ: {
        if (access.mask != 0 && bits == 0) continue;
        spend(rank, options_.machine.processor.bus_read_ps);
        const Cycle at = machine_.first_cycle_at_or_after(Picoseconds{channel.local_ps});
        machine_.bus_read(slot.endpoint, at, register_address(rank, access.address));
        slot.use_bus(at, machine_.now());
        return;
      }
      case TIDINGS_BUS_ACKNOWLEDGE:
        if (bits == 0) continue;
        spend(rank, options_.machine.processor.bus_write_ps);
        write_bus(rank, sequence.slot, access.address, bits, Picoseconds{channel.local_ps});
        continue;
    }
    throw damage_of(rank);
  }
  count_poll(rank);
  let_go(rank);
}

void Run::count_poll(Rank& rank) {
  const tidings_channel& channel = rank.segment.channel();
  const Rank::Sequence& sequence = rank.sequence;
  std::uint64_t answers = sequence.count;
  bool waited = false;
  for (const tidings_bus_access& access : std::span(channel.accesses, sequence.count)) {
    answers = answers * kAnswerFactor + (access.kind == TIDINGS_BUS_READ ? access.value : 0U);
    waited |= access.kind == TIDINGS_BUS_WAIT;
  }
  Rank::Polls& polls = rank.polls;
  if (waited || answers != polls.answers || channel.clock_looks != polls.clock_looks || polls.number == 0) {
    polls = {};
    polls.number = waited ? 0U : 1U;
    polls.answers = answers;
    polls.clock_looks = channel.clock_looks;
    return;
  }
  // Counting hops takes time, and few questions are asked twice.
  if (++polls.number != 2 && polls.number % kMostPolls != 0) return;
  const std::uint64_t hops = machine_.counters().flit_hops;
  if (polls.number != 2 && hops == polls.flit_hops &&
      std::ranges::all_of(ranks_, [&](const Rank& other) { return gets_nowhere(other, polls.since); }))
    throw Failure{EXIT_FAILURE, explain_livelock(situations(), kMostPolls)};
  polls.since = machine_.now();
  polls.flit_hops = hops;
}

bool Run::gets_nowhere(const Rank& rank, Cycle since) const {
  if (rank.state == RankState::kEnded) return true;
  if (rank.polls.number >= kMostPolls) {
    // A thread may still be on its way to where it waits for the one that asks.
    for (int look = 0; look < kMostLooks && has_helpers(rank); ++look) std::this_thread::sleep_for(kThreadPause);
    return !has_helpers(rank);
  }
  // What it has asked for before has its time.
  if (!waits_for_interrupt(rank) || rank.until > since) return false;
  return rank.state != RankState::kAwaiting || rank.unnoticed.empty();
}

void Run::take_end(Rank& rank, ProcessEnd end) {
  rank.state = RankState::kEnded;
  --left_;
  const tidings_channel& channel = rank.segment.channel();
  if (end.by_signal)
    throw Failure{kSignalStatus + end.value, name_of(rank) + " was killed by " + describe_signal(end.value) + " " +
                                                 place_of(rank) + ". " + advise_on_signal(end.value, rank.number)};
  if (end.value == kCannotExecute && channel.fail[0] != '\0')
    throw Failure{end.value, "cannot run " + options_.programs[rank.program].words.front() + ": " + channel.fail};
  const std::string exited = name_of(rank) + " exited with status " + std::to_string(end.value);
  if (channel.state == TIDINGS_SLOTS_OPEN) {
    const std::string close = text_of(channel.library_close);
    throw Failure{end.value == 0 ? EXIT_FAILURE : end.value,
                  exited + " without " + (close.empty() ? "closing its slot" : close) + ", " + place_of(rank) +
                      ". Let each rank do that before it ends."};
  }
  if (end.value == 0) return;
  if (channel.state == TIDINGS_SLOTS_UNUSED) {
    const std::string open = text_of(channel.library_open);
    throw Failure{end.value, exited + ", without having " + (open.empty() ? "used the machine" : "called " + open)};
  }
  // It had finished: the others may still go on, and say what they have to say.
  if (!exit_failure_) exit_failure_ = Failure{end.value, exited};
}

void Run::notice_ends() {
  if (ends_.load() == ends_seen_) return;
  ends_seen_ = ends_.load();
  for (Rank& rank : ranks_)
    if (const auto end = watcher_->end_of(rank.number); end && rank.state != RankState::kEnded) take_end(rank, *end);
}

Rank& Run::rank_at(Endpoint endpoint) { return ranks_[rank_of_slot_.at(machine_.topology().number(endpoint))]; }

void Run::finish_read(const CompletedRead& read) {
  Rank& rank = rank_at(read.endpoint);
  if (rank.state == RankState::kEnded) return;
  tidings_channel& channel = rank.segment.channel();
  Rank::Sequence& sequence = rank.sequence;
  const bool tells =
      sequence.slot == rank.announced.slot && sequence.accesses[sequence.next].address == rank.announced.read;
  sequence.work_follows |= tells && rank.answered && read.data != *rank.answered;
  channel.accesses[sequence.next++].value = read.data;
  channel.local_ps = std::max(channel.local_ps, machine_.time_of(read.cycle).value);
  if (!sequence.found) sequence.found = read.data;
  access_bus(rank);
}

bool Run::waits_for_interrupt(const Rank& rank) {
  if (rank.state == RankState::kAwaiting) return true;
  const Rank::Sequence& sequence = rank.sequence;
  return rank.state == RankState::kAtBus && sequence.next < sequence.count &&
         sequence.accesses[sequence.next].kind == TIDINGS_BUS_WAIT;
}

void Run::finish_wait(Rank& rank) {
  if (!waits_for_interrupt(rank)) return;  // it had a parcel first, or another thread came
  const bool slept = machine_.now() > rank.until;
  if (slept) {
    tidings_channel& channel = rank.segment.channel();
    channel.local_ps = std::max(channel.local_ps, machine_.time_of(machine_.now()).value);
    channel.local_ps += options_.machine.processor.interrupt_ps;
  }
  end_wait(rank);
}

void Run::end_wait(Rank& rank) {
  tidings_channel& channel = rank.segment.channel();
  channel.local_ps = std::max(channel.local_ps, machine_.time_of(machine_.now()).value);
  if (rank.state == RankState::kAwaiting) {
    channel.parcel.interrupted = 1;
    return let_go(rank);
  }
  ++rank.sequence.next;
  access_bus(rank);
}

void Run::note_threads(Rank& rank) {
  if (rank.segment.channel().threads == 0 || rank.has_threads) return;
  rank.has_threads = true;
  with_threads_.push_back(rank.number);
}

bool Run::notice_threads() {
  bool any = false;
  for (const std::uint32_t number : with_threads_) {
    Rank& rank = ranks_[number];
    std::uint32_t& wake = rank.segment.channel().wake;
    if (!waits_for_interrupt(rank) || __atomic_exchange_n(&wake, 0, __ATOMIC_ACQ_REL) == 0) continue;
    end_wait(rank);
    any = true;
  }
  return any;
}

bool Run::awaits_threads() const {
  return std::ranges::any_of(with_threads_, [this](std::uint32_t number) {
    return ranks_[number].state != RankState::kEnded && has_helpers(ranks_[number]);
  });
}

RunResult Run::run_machine(Cycle end) {
  RunResult result;
  try {
    result = machine_.run_until(end);
  } catch (...) {
    machine_error_ = std::current_exception();
  }
  if (wait_error_) std::rethrow_exception(wait_error_);
  if (machine_error_ && !beside_ranks_) fail_by(machine_error_);
  return result;
}

void Run::fail_by(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const LinkError& failure) {
    throw Failure{EXIT_FAILURE, std::string(failure.what()) + "\n" + list_places(situations()) +
                                    "\n  Give link.bit_error_rate a lower value in the machine file."};
  } catch (const MemoryAccessError& failure) {
    throw Failure{EXIT_FAILURE, "an engine of " + name_of(rank_at(failure.endpoint())) + ": " + failure.what()};
  }
}

void Run::adapt_slice(SteadyClock::duration took) {
  if (took < kSlice / 2 && slice_cycles_ < (std::uint64_t{1} << 40)) slice_cycles_ *= 2;
  if (took > kSlice && slice_cycles_ > 1) slice_cycles_ /= 2;
}

void Run::advance_machine(Cycle end) {
  const Cycle last = machine_.first_cycle_at_or_after(Picoseconds{limit_ps_});
  while (runnable_.empty() && machine_.now() < end) {
    if (!beside_ranks_) {
      check_signals();
      report_progress();
      notice_ends();
    }
    Cycle stop = std::min({last, machine_.now() + slice_cycles_, end});
    for (const std::uint32_t number : draining_) stop = std::min(stop, ranks_[number].until);
    for (const std::uint32_t number : awaiting_) stop = std::min(stop, next_parcel(ranks_[number]).value_or(stop));
    if (link_windows_) stop = std::min(stop, link_windows_->next());
    const SteadyClock::time_point before = beside_ranks_ ? SteadyClock::time_point() : SteadyClock::now();
    const RunResult result = run_machine(stop);
    if (machine_error_) return;
    if (link_windows_ && machine_.now() >= link_windows_->next()) link_windows_->look(machine_);
    if (!beside_ranks_) adapt_slice(SteadyClock::now() - before);

    // Ranks that work may give the machine something to do.
    const bool quiescent = result.quiescent && !beside_ranks_;
    for (const CompletedRead& read : result.reads) finish_read(read);
    for (const Endpoint& endpoint : result.interrupts) finish_wait(rank_at(endpoint));
    std::erase_if(draining_, [&](std::uint32_t number) {
      if (ranks_[number].state == RankState::kEnded) return true;
      if (!quiescent && machine_.now() < ranks_[number].until) return false;
      let_go(ranks_[number]);
      return true;
    });
    notice_parcels(quiescent);
    if (notice_threads()) continue;
    if (!runnable_.empty() || !result.reads.empty() || !result.interrupts.empty()) continue;
    if (result.quiescent && beside_ranks_) return;
    if (quiescent && awaits_threads()) {
      std::this_thread::sleep_for(kThreadPause);
      continue;
    }
    if (quiescent && notice_threads()) continue;  // one came while they were looked at
    if (quiescent) throw Failure{EXIT_FAILURE, explain_deadlock(situations())};
    if (machine_.now() < last) continue;
    if (beside_ranks_) return;
    throw Failure{EXIT_FAILURE, "time limit: the machine has passed " + seconds_text(limit_ps_) + " of virtual time\n" +
                                    list_places(situations())};
  }
}

void Run::check_signals() {
  if (const int signal = signals_.arrived(); signal != 0)
    throw Failure{kSignalStatus + signal, "interrupted\n" + list_places(situations())};
  if (options_.wall_limit.count() != 0 && SteadyClock::now() - began_ > options_.wall_limit) {
    std::ostringstream text;
    text << "wall limit: the run has taken " << options_.wall_limit.count() << " s of wall time\n";
    throw Failure{EXIT_FAILURE, text.str() + list_places(situations())};
  }
}

void Run::report_progress() {
  if (!options_.progress) return;
  const SteadyClock::time_point now = SteadyClock::now();
  if (now - reported_ < kProgressPeriod) return;
  const std::uint64_t cycles = machine_.counters().cycles_stepped;
  const double seconds = std::chrono::duration<double>(now - std::exchange(reported_, now)).count();
  const std::uint64_t stepped = cycles - std::exchange(reported_cycles_, cycles);
  const std::uint64_t passed = machine_.now() - std::exchange(reported_at_, machine_.now());
  const std::uint64_t hops = machine_.counters().flit_hops;
  const double carried = static_cast<double>(hops - std::exchange(reported_hops_, hops));
  Progress progress;
  progress.virtual_time = machine_.time_of(machine_.now());
  progress.cycles = cycles;
  progress.cycles_per_second = static_cast<double>(stepped) / seconds;
  progress.link_load = carried / std::max(static_cast<double>(passed) * links_, 1.0);
  const Rank* slowest = nullptr;
  for (const Rank& rank : ranks_) {
    const bool slower = slowest == nullptr || rank.segment.channel().local_ps < slowest->segment.channel().local_ps;
    if (rank.state != RankState::kEnded && slower) slowest = &rank;
  }
  if (slowest != nullptr) {
    const tidings_channel& channel = slowest->segment.channel();
    progress.slowest_rank = slowest->number;
    progress.slowest_call = call_of(*slowest);
    const std::uint64_t since = channel.operation.depth == 0 ? channel.local_ps : channel.operation.began_ps;
    progress.slowest_for = Picoseconds{std::max(progress.virtual_time.value, since) - since};
  }
  options_.progress(progress);
}

std::string Run::store_events() try {
  for (const Rank& rank : ranks_)
    if (rank.check.is_whole(rank.segment)) events_->finish(rank.segment, rank.number);
  link_windows_->look(machine_);
  events_->finish(*link_windows_, machine_);
  return {};
} catch (const std::system_error& failure) {  // the run itself is complete
  return failure.what();
}

void Run::have_last_words(Rank& rank, tidings_answer answer, SteadyClock::time_point deadline) {
  if (!rank.started || turns_.of(rank.number) != TIDINGS_TURN_SIMULATOR) return;
  rank.segment.channel().answer = answer;
  turns_.give({&rank.number, 1});
  while (!turns_.wait() && SteadyClock::now() < deadline) {
  }
}

void Run::ask_what_for() {
  const SteadyClock::time_point deadline = SteadyClock::now() + kLastWords;
  while (beside_ranks_ && !turns_.wait() && SteadyClock::now() < deadline) {
  }
  turns_.take_back();
  for (Rank& rank : ranks_) have_last_words(rank, TIDINGS_ANSWER_DESCRIBE, deadline);
}

std::vector<RankSituation> Run::situations() {
  ask_what_for();
  std::vector<RankSituation> result;
  for (const Rank& rank : ranks_) {
    const tidings_channel& channel = rank.segment.channel();
    const tidings_operation_record& operation = channel.operation;
    RankSituation situation;
    situation.finished = rank.state == RankState::kEnded || channel.state == TIDINGS_SLOTS_CLOSED;
    situation.library_call = library_call(rank);
    situation.call = call_of(rank);
    // A driver waits outside any call of a library, too.
    situation.waiting = text_of(operation.waiting);
    situation.waits_for = rank.segment.waiting_ranks();
    if (operation.depth != 0) {
      situation.source = source_of(text_of(operation.place));
      situation.group = operation.group;
      situation.signature = operation.signature;
    }
    for (const tidings_operation_record& other :
         std::span(channel.other_calls, std::min<std::size_t>(channel.other_call_count, TIDINGS_MAX_OTHER_CALLS)))
      situation.other_threads.push_back(
          {call_of(rank, other), source_of(text_of(other.place)), text_of(other.waiting)});
    result.push_back(std::move(situation));
  }
  return result;
}

std::string Run::source_of(const std::string& place) const {
  return place.empty() || !options_.source ? "" : options_.source(place);
}

void Run::end_ranks() {
  const SteadyClock::time_point deadline = SteadyClock::now() + kLastWords;
  turns_.take_back();
  for (Rank& rank : ranks_) {
    have_last_words(rank, TIDINGS_ANSWER_END, deadline);
    guardian_->kill(rank.number);
  }
}

}  // namespace

tidings_grid grid_of(const Topology& topology) {
  tidings_grid grid{
      .dimensions = topology.dims(), .radix = {}, .wraps = {}, .single = topology.dims() == 0 && !topology.is_graph()};
  std::copy(topology.radix().begin(), topology.radix().end(), grid.radix);
  std::copy(topology.wrap().begin(), topology.wrap().end(), grid.wraps);
  return grid;
}

RunReport run(const RunOptions& options) { return Run(options).execute(); }

}  // namespace tidings
