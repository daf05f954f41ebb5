# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The simulator: machines described by plain values, and runs of programs on them."""

from collections.abc import Callable, Sequence
from enum import Enum

class TopologyKind(Enum):
    TORUS = 0
    MESH = 1
    RING = 2
    CROSSBAR = 3

class Arbiter(Enum):
    ROUND_ROBIN = 0
    FIXED_PRIORITY = 1

class Compute(Enum):
    """What a rank's own computation costs in virtual time."""

    NONE = 0
    """Nothing: two runs of one program are equal to the picosecond."""
    MEASURED = 1
    """The CPU time of the rank's main thread times ``ProcessorConfig.compute_scale``."""

class TopologyConfig:
    """Routers and slots. ``size`` is read and set as a whole list."""

    kind: TopologyKind
    size: list[int]
    slots: int

class RouterConfig:
    buffer_flits: int
    slot_buffer_flits: int
    arbiter: Arbiter
    routes: int
    pipeline: bool

class LinkConfig:
    latency_cycles: int
    reliable: bool
    bit_error_rate: float
    seed: int

class RmaConfig:
    command_depth: int

class MpeConfig:
    buffer_words: int
    combine_ports: int
    direct_links: bool
    multicast: bool
    forward_words: int
    wide_elements: bool

class MemoryConfig:
    size_bytes: int
    latency_cycles: int

class ProcessorConfig:
    clock_khz: int
    bus_write_ps: int
    bus_read_ps: int
    interrupt_ps: int
    call_ps: int
    match_ps: int
    poll_ps: int
    reduce_element_ps: int
    copy_call_ps: int
    copy_byte_ps: int
    clock_read_ps: int
    compute_scale: float

class MachineConfig:
    """Everything a machine file says. Nested parts are set in place: ``config.link.latency_cycles = 80``."""

    def __init__(self) -> None: ...
    name: str
    summary: str
    clock_khz: int
    topology: TopologyConfig
    router: RouterConfig
    link: LinkConfig
    rma: RmaConfig
    mpe: MpeConfig
    memory: MemoryConfig
    processor: ProcessorConfig
    def validate(self) -> None:
        """Check that such a machine can be built.

        Raises
        ------
        ValueError
            Naming the key and its value.
        """
    @property
    def look_ahead_cycles(self) -> int:
        """Cycles that parts of the machine can be apart in time while they are simulated, at least 1."""
    def usable_threads(self, threads: int) -> int:
        """Of so many threads, those that it pays to simulate the machine in: one where parts cannot be apart."""
    def routers_for(self, ranks: int) -> int:
        """Routers that a run of so many ranks uses."""
    def size_for(self, ranks: int) -> list[int]:
        """Routers in each dimension of the box that a run of so many ranks uses."""

class ChannelGraph:
    """The channel dependency graph of a machine; made by `channel_graph`."""

    @property
    def channels(self) -> list[tuple[int, str, int, int]]:
        """Channels: router, kind (``injection``, ``link``, ``ejection``), port or slot, virtual channel."""
    @property
    def dependencies(self) -> list[tuple[int, int]]:
        """Pairs of indices into ``channels``: who holds the first can wait for the second."""
    @property
    def channel_count(self) -> int: ...
    @property
    def dependency_count(self) -> int: ...
    @property
    def routes(self) -> int:
        """Pairs of routers whose routes were followed."""
    @property
    def longest_route(self) -> int:
        """Hops of the longest."""
    def numbering(self) -> list[int]:
        """Give each channel a number, rising along every dependency; empty where there is a cycle."""
    def shortest_cycle(self) -> list[int]:
        """Find the channels of a shortest cycle; empty where there is none."""

def channel_graph(
    config: MachineConfig,
    ranks: int | None = None,
    dateline: bool = True,
    routes: list[tuple[int, int, int, bool]] | None = None,
    without: str | None = None,
) -> ChannelGraph:
    """Follow the route of every packet.

    Parameters
    ----------
    config
        The machine.
    ranks
        Cut the machine to the box that holds them.
    dateline
        False leaves the dateline channels out.
    routes
        The static routes that there are: router, route, output ports as a mask, whether any turn is allowed. None
        stands for trees of all kinds at once.
    without
        A rule of static packets that is left out: ``turns``, ``order`` or ``room``.

    Raises
    ------
    ValueError
        Where the configuration is not valid.
    RuntimeError
        Where a route does not end at its destination by a shortest way.
    """

class Progress:
    """How far a run has come."""

    @property
    def virtual_ps(self) -> int:
        """Virtual time of the machine."""
    @property
    def cycles(self) -> int:
        """Cycles that were simulated so far."""
    @property
    def cycles_per_second(self) -> float:
        """Cycles simulated in each second of wall time since the last call."""

class RunOptions:
    """What to run, and on what."""

    def __init__(self) -> None: ...
    program: list[str]
    """Program and arguments; the program is looked up in ``PATH`` where its name has no slash."""
    ranks: int
    machine: MachineConfig
    node_library: str
    """Shared object of the compiled node that fits the machine; empty where all nodes are the cycle model."""
    rtl_nodes: list[int]
    """Routers that are the compiled node; empty for all, where there is one. Read and set as a whole."""
    threads: int
    """Threads that the machine is simulated in, where all nodes are the cycle model; at least 1."""
    rank_library: str
    """Path of ``libtidings_rank.so``."""
    library_directory: str
    """Directory of ``libmpi_abi.so.1``; put first in each rank's ``LD_LIBRARY_PATH``. Empty leaves that alone."""
    environment: dict[str, str]
    """Added to each rank's environment. Read and set as a whole."""
    compute: Compute
    hardware_collectives: bool
    wave_file: str
    """FST file for waveforms of compiled nodes; empty for none."""
    wave_node: int | None
    """The only router to write; None for all that are compiled nodes."""
    time_limit_ps: int
    """Virtual time at which the run is ended with an error; 0 for none."""
    pin: bool
    """Keep simulator and ranks on one core, where hand-overs are an order of magnitude cheaper."""
    progress: Callable[[Progress], None] | None
    """Called about every half second of wall time. An exception it raises ends the run and comes out of ``run``."""

class OperationStatistics:
    """One library operation, such as ``MPI_Send``. Times are virtual."""

    @property
    def name(self) -> str: ...
    @property
    def calls(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def min_ps(self) -> int: ...
    @property
    def mean_ps(self) -> int: ...
    @property
    def max_ps(self) -> int: ...
    @property
    def total_ps(self) -> int: ...
    @property
    def hardware(self) -> int:
        """Calls that the engine carried out."""
    @property
    def software(self) -> int:
        """Collective calls carried out by messages, as the user asked."""
    @property
    def fallback(self) -> int:
        """Calls where the engine was asked for but could not."""
    @property
    def fallback_reasons(self) -> dict[str, int]:
        """Reason and the calls it explains."""

class RankReport:
    @property
    def rank(self) -> int: ...
    @property
    def elapsed_ps(self) -> int:
        """Local time when the rank ended."""
    @property
    def communication_ps(self) -> int:
        """Time inside library operations."""
    @property
    def compute_ps(self) -> int:
        """The rest."""
    @property
    def operations(self) -> list[OperationStatistics]:
        """By name."""

class RunReport:
    """What came of a run."""

    @property
    def exit_status(self) -> int:
        """0, or the status for the shell: of the exited rank, of MPI_Abort, 128 + signal of a crash, 130 for Ctrl-C."""
    @property
    def error(self) -> str:
        """Why the run failed, in whole lines without a final newline; empty where it did not."""
    @property
    def elapsed_ps(self) -> int:
        """Virtual time of the whole run: the latest rank's end."""
    @property
    def operations(self) -> list[OperationStatistics]:
        """All ranks together, by name."""
    @property
    def ranks(self) -> list[RankReport]: ...
    @property
    def communication_share(self) -> float:
        """Share of the ranks' time inside library operations, 0 to 1."""
    @property
    def simulated_cycles(self) -> int:
        """Cycles in which at least one node was evaluated."""
    @property
    def skipped_cycles(self) -> int:
        """Idle cycles that were jumped over."""
    @property
    def node_evaluations(self) -> int: ...
    @property
    def flit_hops(self) -> int:
        """Flits that entered a link."""
    @property
    def wall_seconds(self) -> float: ...

def run(options: RunOptions) -> RunReport:
    """Run a program to its end.

    Ctrl-C, SIGTERM and SIGHUP end the ranks and give ``exit_status`` 130. The interpreter lock is released.

    Raises
    ------
    ValueError
        For a machine that cannot be built.
    OSError
        Where the program is missing or cannot be executed; nothing has been started then.
    RuntimeError
        Where the compiled node cannot be loaded.
    """

class BenchmarkLoad(Enum):
    """What all slots do, all the time."""

    NEIGHBOUR = 0
    """PUTs of 4 KiB to the next rank."""
    UNIFORM = 1
    """PUTs of 1 KiB to random ranks."""
    ALLREDUCE = 2
    """Sums of 512 doubles over a binary tree."""

class BenchmarkResult:
    """How fast a machine was simulated."""

    @property
    def cycles(self) -> int: ...
    @property
    def node_evaluations(self) -> int: ...
    @property
    def flit_hops(self) -> int:
        """Flits that entered a link."""
    @property
    def seconds(self) -> float:
        """Wall time."""

class CollectiveOperation(Enum):
    BARRIER = 0
    BROADCAST = 1
    REDUCE = 2
    ALLREDUCE = 3

class ElementType(Enum):
    """What a reduction sums."""

    INT32 = 0
    INT64 = 1
    FLOAT = 2
    DOUBLE = 3

class CollectiveLink:
    """One of a rank's links in the engine.

    The peer's number is that of the link that leads back. The neighbour of a direct link is behind the network port of
    the link's number, both in slot 0.
    """

    def __init__(self, rank: int, number: int, neighbour: int, peer_number: int, direct: bool) -> None: ...

class CollectiveWay:
    """Which of its links a rank uses: the one towards the root, and those away from it, one bit each.

    In an exchange all are those away from the root, in rising order but for the pairs of links in ``swap``.
    """

    NO_PARENT: int
    """Parent of the root."""
    def __init__(self, parent: int, children: int, swap: int = 0) -> None: ...

class CollectivePlan:
    """A stream of equal collectives, of all ranks. Lists are read and set as a whole."""

    def __init__(self) -> None: ...
    operation: CollectiveOperation
    exchange: bool
    """In rounds over all links of a way, not over a tree."""
    element: ElementType
    root: int
    count: int
    """Elements of a vector, or words of a broadcast."""
    vectors: int
    ways: list[CollectiveWay]
    """By rank."""
    links: list[CollectiveLink]

class CollectiveTimes:
    @property
    def done(self) -> list[int]:
        """Cycles from the write of the first command to the last engine's completion; one entry a vector."""
    @property
    def flit_hops(self) -> int:
        """Flits that entered a link."""

def benchmark_collective(
    machine: MachineConfig, node_library: str, plan: CollectivePlan, progress: Callable[[int], None] | None = None
) -> CollectiveTimes:
    """Carry a plan out and compare every node's memory with what must be there.

    ``progress`` is called about every half second with the cycle. The interpreter lock is released.

    Raises
    ------
    ValueError
        Where the plan is not possible.
    RuntimeError
        Where an engine never ends, or a result is wrong; it says which and where.
    """

class LinkBenchmarkResult:
    """What bit errors cost on a link that loses nothing."""

    @property
    def cycles(self) -> int: ...
    @property
    def flits(self) -> int:
        """Delivered, both directions."""
    @property
    def mean_latency(self) -> float:
        """Cycles from the sender's output to the receiver's input."""
    @property
    def longest_latency(self) -> int: ...
    @property
    def damaged_frames(self) -> int: ...
    @property
    def resent_frames(self) -> int: ...

def benchmark_link(
    latency: int, buffer_flits: int, bit_error_rate: float, load: float, cycles: int, seed: int
) -> LinkBenchmarkResult:
    """Let two routers send flits to each other over one link.

    Raises
    ------
    RuntimeError
        Where the errors kill the link.
    """

def benchmark(
    machine: MachineConfig, node_library: str, load: BenchmarkLoad, cycles: int, threads: int = 1
) -> BenchmarkResult:
    """Step the whole machine through ``cycles`` cycles while every slot is busy, after some to warm up.

    Without a compiled node, all nodes are the cycle model.

    Raises
    ------
    ValueError
        For a machine that cannot be built.
    RuntimeError
        Where the compiled node cannot be loaded.
    """

class Pattern(Enum):
    """Who sends to whom; see ``sim/traffic/traffic_config.h``."""

    UNIFORM = 0
    TRANSPOSE = 1
    BIT_COMPLEMENT = 2
    HOTSPOT = 3
    NEIGHBOUR = 4
    TORNADO = 5
    ALLTOALL = 6

class TrafficConfig:
    """What synthetic traffic is sent through which machine, and for how long."""

    def __init__(self) -> None: ...
    machine: MachineConfig
    classes: int
    """Message classes: virtual channels of a network port, half of them where channels are doubled."""
    pattern: Pattern
    hot_endpoints: list[int]
    """Of ``Pattern.HOTSPOT``: router * slots + slot. Read and set as a whole."""
    hot_share: float
    """Share of the packets that go to them."""
    load: float
    """Flits that an endpoint offers in a cycle, more than 0, at most 1."""
    packet_flits: int
    seed: int
    warmup_cycles: int
    measure_cycles: int
    drain_cycles: int
    """At most, until all measured packets have arrived."""
    threads: int
    """That simulate it; results do not depend on it."""
    @property
    def usable_threads(self) -> int:
        """Of them, those that have something to do: one where links have one cycle, at most one a router."""
    def validate(self) -> None:
        """Check that such traffic can be sent.

        Raises
        ------
        ValueError
            Saying what is wrong, with its value.
        """

class LatencySummary:
    """What is said of many latencies, in cycles."""

    @property
    def packets(self) -> int: ...
    @property
    def mean(self) -> float: ...
    @property
    def half_width(self) -> float:
        """Of the mean's 95 % confidence interval by batch means; not a number where a batch is empty."""
    @property
    def min(self) -> int: ...
    @property
    def p50(self) -> int: ...
    @property
    def p99(self) -> int: ...
    @property
    def max(self) -> int: ...

class SimulationWork:
    """How fast and how much was simulated."""

    @property
    def cycles(self) -> int: ...
    @property
    def flit_hops(self) -> int:
        """Flits that entered a link."""
    @property
    def wall_seconds(self) -> float: ...

class TrafficResult:
    """What came of one load."""

    @property
    def endpoints(self) -> int: ...
    @property
    def offered(self) -> float:
        """Flits created in the window, an endpoint a cycle."""
    @property
    def accepted(self) -> float:
        """Flits that arrived in the window, an endpoint a cycle."""
    @property
    def saturated(self) -> bool:
        """The machine does not carry the load: latencies depend on the length of the run."""
    @property
    def latency(self) -> LatencySummary:
        """Of the packets created in the window, from creation to arrival of the tail."""
    @property
    def network_latency(self) -> LatencySummary:
        """From the departure of the head from its source."""
    @property
    def batch_means(self) -> list[float]: ...
    @property
    def drain_cycles(self) -> int: ...
    @property
    def link_flits(self) -> list[int]:
        """In the window: node * network ports + port."""
    @property
    def window(self) -> SimulationWork:
        """Warmed up: what speed is measured by."""
    @property
    def total(self) -> SimulationWork: ...

class ExchangeResult:
    """One exchange between all endpoints."""

    @property
    def cycles(self) -> int: ...
    @property
    def bound(self) -> int:
        """No schedule takes fewer cycles."""
    @property
    def work(self) -> SimulationWork: ...

class TrafficBounds:
    """What a machine can do at best under a pattern, computed from its routes; flits an endpoint a cycle."""

    @property
    def channel_loads(self) -> list[float]:
        """Flits on each link while every endpoint offers one flit a cycle: node * network ports + port."""
    @property
    def busiest_node(self) -> int: ...
    @property
    def busiest_port(self) -> int: ...
    @property
    def channel_bound(self) -> float:
        """Infinite where no packet takes a link."""
    @property
    def port_bound(self) -> float: ...
    @property
    def capacity(self) -> float:
        """The lower of both."""
    @property
    def bisection_bound(self) -> float:
        """What uniform traffic allows by any routing; infinite without links."""
    @property
    def mean_hops(self) -> float: ...
    @property
    def zero_load_latency(self) -> float:
        """Mean of the pattern's packets, each alone in the machine."""

def run_traffic(config: TrafficConfig, progress: Callable[[int, int], None] | None = None) -> TrafficResult:
    """Send traffic and measure it. The interpreter lock is released.

    ``progress`` is called about every half second with the cycle and the cycles of warm-up and measurement.

    Raises
    ------
    ValueError
        Where there is no such traffic.
    """

def run_exchange(config: TrafficConfig, progress: Callable[[int, int], None] | None = None) -> ExchangeResult:
    """Let every endpoint send one packet to each other one, all created in the first cycle; see `run_traffic`."""

def traffic_bounds(config: TrafficConfig) -> TrafficBounds:
    """Compute what the machine can do at best; raises as `run_traffic` does."""

class Difference:
    """The first difference between a machine of RTL (expected) and the cycle model (got)."""

    cycle: int
    """In which it shows."""
    node: int
    place: str
    field: str
    expected: int
    got: int
    of_fabric: bool
    """The cycle model's fabric differs, and the node beside the RTL with its inputs does not."""

class Stop:
    """Both sides are the same, and cannot go on or do not come to their end."""

    cycle: int
    node: int
    reason: str

class Compared:
    """What was compared."""

    cycles: int
    flit_hops: int
    bus_reads: int
    interrupts: int
    memory_words: int
    packets: list[int]
    """Random packets of each of ``packet_kinds()``."""
    difference: Difference | None
    stop: Stop | None

class NodeRun:
    """One run of a node under random packets."""

    def __init__(self) -> None: ...

    node: int
    """Its number, modulo nodes of the machine."""
    seed: int
    cycles: int
    """In which packets come."""
    packets: list[int] | None
    """Numbers of those that are sent; all where it is None."""

class WaveRequest:
    """Which waveforms are asked for."""

    def __init__(self) -> None: ...

    node: int
    first: int
    """Cycle."""
    last: int
    """Cycle."""
    fst: str
    """File for those of the RTL."""
    of_fabric: bool
    """As the node is in the cycle model's fabric, not beside the RTL with its inputs."""

class PortWaves:
    """What shows at the ports of one node."""

    @property
    def signals(self) -> list[tuple[str, int]]:
        """Names and widths."""

    @property
    def changes(self) -> list[tuple[int, int, str]]:
        """Time in picoseconds, number of the signal, and its digits 0, 1 and x from then on, highest bit first."""

Script = Sequence[tuple[bool, int, Sequence[tuple[int, int, bool, int, int]]]]

def compare_machines(config: MachineConfig, library: str, seed: int, script: Script) -> Compared:
    """Run a script on a machine whose nodes are RTL and on the cycle model, and compare them in every cycle.

    Parameters
    ----------
    config
        The machine.
    library
        The compiled node.
    seed
        Of the memories' contents.
    script
        Operations: wait until nothing is under way, cycles until the next one, and accesses, each of which is rank,
        delay, write, address and data.
    """

def record_machines(config: MachineConfig, library: str, seed: int, script: Script, request: WaveRequest) -> PortWaves:
    """Run a script once more without comparing, and keep the waveforms of one node.

    ``library`` is compiled with tracing; the others are those of ``compare_machines``.
    """

def compare_node(config: MachineConfig, library: str, run: NodeRun) -> tuple[Compared, list[int]]:
    """Drive a node and its twin with random packets, malformed ones and back-pressure, and compare them in every cycle.

    Returns
    -------
    compared, begun
        What was compared, and the numbers of the packets that were begun.
    """

def record_node(config: MachineConfig, library: str, run: NodeRun, request: WaveRequest) -> PortWaves:
    """Run a node once more without comparing, and keep the waveforms. ``library`` is compiled with tracing."""

def instance_name(config: MachineConfig, node: int) -> str:
    """Return what waveforms call a node."""

def packet_kinds() -> list[str]:
    """Return the kinds of random packets."""
