# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""What surrounds the engines of `mpe_bench.sv`: node memories, a network, neighbours, and collectives in numpy."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cocotb.triggers import FallingEdge
from harness.bench_structures import layouts
from harness.packets import Kind, NeighbourPacket, Packet, message_class
from tidings.generated.packets import NO_LINK, Collective, Combine, Element, MpeCommand, MpeError, MpeLink

from tidings.generated import packets

Words = npt.NDArray[np.uint32]
Elements = npt.NDArray[Any]

MEMORY_WORDS = 1 << 14
_LAYOUTS = layouts(Path(__file__).with_name("mpe_bench_pkg.sv"))
_IN, _OUT, _TAP = _LAYOUTS["in"], _LAYOUTS["out"], _LAYOUTS["tap"]
_LINKS = packets.MAX_LINKS
#: Ports that packets leave by; a packet on one of the first two is of the class of that number.
_REQUEST, _REPLY, _LANE = range(3)


#: numpy types in the order of `element_e`.
ELEMENTS: tuple[type[np.generic], ...] = (np.int32, np.int64, np.float32, np.float64)
_CANONICAL_NAN = {np.dtype(np.float32): 0x7FC0_0000, np.dtype(np.float64): 0x7FF8_0000_0000_0000}


def combine(operation: Combine, a: Elements, b: Elements) -> Elements:
    """Return `a` combined with `b` as `combine_unit.sv` documents it."""
    with np.errstate(all="ignore"):
        if operation == Combine.SUM:
            total: Elements = a + b
            if total.dtype in _CANONICAL_NAN:
                bits = total.view(f"u{total.dtype.itemsize}")
                bits[np.isnan(total)] = _CANONICAL_NAN[total.dtype]
            return total
        # Chosen as bits, so that the payload of a NaN is kept.
        a_bits, b_bits = a.view(f"u{a.dtype.itemsize}"), b.view(f"u{b.dtype.itemsize}")
        choices: dict[Combine, Callable[[], Elements]] = {
            Combine.MIN: lambda: np.where(a < b, a_bits, b_bits),
            Combine.MAX: lambda: np.where(b < a, a_bits, b_bits),
            Combine.AND: lambda: a_bits & b_bits,
            Combine.OR: lambda: a_bits | b_bits,
            Combine.XOR: lambda: a_bits ^ b_bits,
        }
        return choices[operation]().view(a.dtype)


def random_elements(rng: np.random.Generator, element: int, count: int) -> Elements:
    """Return elements with special values among them."""
    kind = np.dtype(ELEMENTS[element])
    bits = rng.integers(0, 256, count * kind.itemsize, dtype=np.uint8).view(kind)
    if kind.kind == "i":
        return bits
    ordinary = (rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4, count)).astype(kind)
    tiny = np.finfo(kind).smallest_subnormal
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, tiny, -3 * tiny, np.finfo(kind).max], dtype=kind)
    choice = rng.integers(0, 10, count)
    return np.select(
        [choice < 6, choice < 8], [ordinary, bits], default=special[rng.integers(0, len(special), count)]
    ).astype(kind)


def words_of(elements: Elements) -> list[int]:
    """Return elements as the words of a stream, low word first."""
    return [int(word) for word in np.ascontiguousarray(elements).view(np.uint32)]


@dataclass(frozen=True)
class Command:
    """One collective as one engine is told of it; mirrors `mpe_command_t`."""

    operation: Collective
    descriptor: int
    element: Element = Element.INT32
    combine: Combine = Combine.SUM
    parent: int = NO_LINK
    children: int = 0
    source: int = 0
    destination: int = 0
    count: int = 0
    context: int = 0
    exchange: bool = False
    swap: int = 0

    def pack(self) -> int:
        """Return the bits of `mpe_command_t`."""
        fields = {"context_id" if name == "context" else name: value for name, value in vars(self).items()}
        return MpeCommand(**fields).encode()

    def child_links(self) -> list[int]:
        """Return the links of the children, lowest first."""
        return [link for link in range(_LINKS) if self.children >> link & 1]


@dataclass(frozen=True)
class Link:
    """One neighbour; mirrors `mpe_link_t`."""

    node: int
    peer_link: int
    direct: bool = False

    def pack(self) -> int:
        """Return the bits of `mpe_link_t`."""
        return MpeLink(direct=self.direct, node=self.node, peer_link=self.peer_link).encode()


@dataclass(frozen=True)
class Info:
    """A link of a context; mirrors `mpe_info_t`."""

    context: int
    link: int

    def pack(self) -> int:
        """Return the bits of `mpe_info_t`."""
        return packets.MpeInfo(context_id=self.context, link=self.link).encode()

    @staticmethod
    def unpack(bits: int) -> Info:
        """Return the link with these bits of `mpe_info_t`."""
        info = packets.MpeInfo.decode(bits)
        assert info.reserved == 0
        return Info(info.context_id, info.link)


def links_of(packet: NeighbourPacket) -> list[Info]:
    """Return the sender's links that a neighbour packet leaves by, lowest first."""
    return [Info(packet.context, port) for port in range(packet.ports.bit_length()) if packet.ports >> port & 1]


@dataclass
class Shaping:
    """How willing the surroundings are, each as a probability in every cycle."""

    request_ready: float = 1.0
    reply_ready: float = 1.0
    read_ready: float = 1.0
    write_ready: float = 1.0
    answer: float = 1.0  #: memory answers a read that is due
    deliver: float = 1.0  #: the network delivers a word that is due
    neighbour: float = 1.0  #: a modelled neighbour does something
    lane_ready: float = 1.0
    tap: float = 1.0  #: a network port delivers a word that is due

    @staticmethod
    def random(rng: random.Random) -> Shaping:
        """Return a shaping in which each port is free, half blocked or nearly blocked."""
        return Shaping(*(rng.choice((1.0, 1.0, 0.5, 0.1)) for _ in range(9)))


@dataclass
class Status:
    """What an engine reports of itself."""

    completed: int = 0
    unsupported: bool = False
    overflow: bool = False
    mismatch: bool = False
    context: int = 0
    link: int = 0
    received: int = 0
    failed: int = 0  #: pulses of `failed_o`


class Tap:
    """What comes to an engine through one network port: neighbour packets, a flit at a time."""

    def __init__(self) -> None:
        self.packets: deque[tuple[int, int, Sequence[int]]] = deque()  #: (cycle, context, words)
        self._context = 0
        self._words: deque[int] = deque()  # of the packet under way

    def due(self, now: int) -> bool:
        """Return whether a flit could come."""
        return bool(self._words or (self.packets and self.packets[0][0] <= now))

    def step(self, comes: bool) -> int:
        """Return the bits of this cycle's `tap_t`; `comes` if the next flit does."""
        bits = _TAP.context_id.put(self._context) | _TAP.left.put(len(self._words))
        if comes and self._words:
            bits |= _TAP.valid.put(1) | _TAP.data.put(self._words.popleft())
        elif comes:
            _, self._context, words = self.packets.popleft()
            self._words.extend(words)
        return bits


class Engine:
    """The surroundings of one engine: its memory, its injection and ejection ports."""

    def __init__(self, bench: Bench, node: int) -> None:
        self.bench = bench
        self.node = node
        self.memory: Words = np.zeros(MEMORY_WORDS, dtype=np.uint32)
        self.status = Status()
        self.busy = True
        self.commands: deque[Command] = deque()
        self.force_commands = False  #: offer a command although the queue is full
        self.done: list[int] = []  #: cycles in which a collective was complete
        self.on_done: Callable[[int], None] | None = None  #: called with the number of the collective, from 0
        self.packets: list[tuple[int, Packet]] = []  #: (cycle of the first flit, packet) of both classes
        self.direct: list[tuple[int, NeighbourPacket]] = []  #: the same of neighbour packets
        self.lane_packets = 0  #: how many of them left by the lane
        self.writes: list[tuple[int, int]] = []  #: (address, word)
        self.arrivals: deque[tuple[int, int, int]] = deque()  #: (cycle, info, word)
        self.taps = [Tap() for _ in range(bench.direct_links)]
        self.tapped = 0  #: bits of this cycle's `tap_t`, port 0 lowest
        self.credits: deque[tuple[int, int, int]] = deque()  #: (cycle, info, words)
        self._answers: deque[tuple[int, int]] = deque()
        self._open: dict[int, list[int]] = {_REQUEST: [], _REPLY: [], _LANE: []}  # words of the packet under way
        self._first = dict.fromkeys(self._open, 0)

    def flit(self, port: int, valid: bool, bits: int, ready: bool) -> None:
        """Take what a transmit port shows in this cycle."""
        words = self._open[port]
        if not valid:
            assert port != _LANE or not words, "a packet stopped halfway"
            return
        if not ready:
            return
        flit = packets.Flit.decode(bits)
        assert flit.vc == message_class(Kind.CREDIT if port == _REPLY else Kind.STREAM), "wrong virtual channel"
        if not words:
            self._first[port] = self.bench.cycle
        words.append(flit.data)
        is_direct = packets.Header0.decode(words[0]).kind == Kind.NEIGHBOUR
        assert is_direct or port != _LANE
        if is_direct and len(words) == 1:
            header = NeighbourPacket.parse(words)
            assert port == _REQUEST or header.ports.bit_count() == 1
            self.bench.announce_direct(self.node, header)
        if not is_direct and port == _REQUEST and len(words) == 2:
            self.bench.announce(self.node, Packet.parse(words))
        if not flit.last:
            return
        if is_direct:
            self.direct.append((self._first[port], NeighbourPacket.parse(words)))
            self.lane_packets += port == _LANE
            self.bench.send_direct(self.node, self.direct[-1][1])
        else:
            self.packets.append((self._first[port], Packet.parse(words)))
            self.bench.send(self.packets[-1][1])
        words.clear()

    def step(self, out: int) -> int:
        """Take the outputs of this cycle and return the inputs, as the bits of `out_t` and `in_t`."""
        bench, shaping, chance = self.bench, self.bench.shaping, self.bench.rng.random
        now = bench.cycle
        self.busy = bool(_OUT.busy.of(out))
        error = MpeError.decode(_OUT.error.of(out))
        self.status = Status(
            completed=_OUT.completed.of(out),
            unsupported=error.unsupported,
            overflow=error.overflow,
            mismatch=error.mismatch,
            context=error.context_id,
            link=error.link,
            received=error.received,
            failed=self.status.failed + _OUT.failed.of(out),
        )
        if _OUT.done.of(out):
            self.done.append(now)
            assert self.status.completed == len(self.done)
            if self.on_done:
                self.on_done(len(self.done) - 1)
        inputs = 0
        takes = chance() < shaping.request_ready
        inputs |= _IN.request_ready.put(takes)
        self.flit(_REQUEST, bool(_OUT.request_valid.of(out)), _OUT.request_flit.of(out), takes)
        takes = chance() < shaping.reply_ready
        inputs |= _IN.reply_ready.put(takes)
        self.flit(_REPLY, bool(_OUT.reply_valid.of(out)), _OUT.reply_flit.of(out), takes)
        takes = chance() < shaping.lane_ready
        inputs |= _IN.lane_ready.put(takes)
        self.flit(_LANE, bool(_OUT.lane_valid.of(out)), _OUT.lane_flit.of(out), takes)
        if chance() < shaping.read_ready:
            inputs |= _IN.read_ready.put(1)
            if _OUT.read_valid.of(out):
                address = _OUT.read_address.of(out)
                assert address % 4 == 0
                self._answers.append((now + bench.memory_latency, int(self.memory[address // 4])))
        if chance() < shaping.write_ready:
            inputs |= _IN.write_ready.put(1)
            if _OUT.write_valid.of(out):
                write = packets.MemoryWrite.decode(_OUT.write.of(out))
                assert write.address % 4 == 0 and write.strobe == 15
                self.memory[write.address // 4] = write.data
                self.writes.append((write.address, write.data))
        if self._answers and self._answers[0][0] <= now and chance() < shaping.answer:
            inputs |= _IN.data_valid.put(1) | _IN.data.put(self._answers.popleft()[1])
        if self.arrivals and self.arrivals[0][0] <= now and chance() < shaping.deliver:
            _, info, word = self.arrivals[0]
            inputs |= _IN.rx_valid.put(1) | _IN.rx_info.put(info) | _IN.rx_data.put(word)
            if _OUT.rx_ready.of(out):
                self.arrivals.popleft()
        self.tapped = 0
        for port, tap in enumerate(self.taps):
            self.tapped |= tap.step(tap.due(now) and chance() < shaping.tap) << port * _TAP.width
        if self.credits and self.credits[0][0] <= now and chance() < shaping.deliver:
            _, info, words = self.credits.popleft()
            inputs |= _IN.credit_valid.put(1) | _IN.credit_info.put(info) | _IN.credit_count.put(words)
        if self.commands and (self.force_commands or _OUT.command_ready.of(out)):
            self.bench.offer(self.node, self.commands.popleft())
            inputs |= _IN.command_valid.put(1)
        return inputs

    def store(self, address: int, elements: Elements) -> None:
        """Put elements into memory."""
        words = np.ascontiguousarray(elements).view(np.uint32)
        self.memory[address // 4 : address // 4 + len(words)] = words

    def load(self, address: int, words: int) -> list[int]:
        """Return words of memory."""
        return [int(word) for word in self.memory[address // 4 : address // 4 + words]]


class Neighbour:
    """A neighbour that only plays back words and listens, at one link of one engine in one context."""

    def __init__(self, bench: Bench, node: int, engine: Engine, engine_link: Info, peer_link: int) -> None:
        self.bench = bench
        self.node = node
        self.engine = engine
        self.engine_link = engine_link
        self.peer_link = peer_link
        self.to_send: deque[int] = deque()
        self.received: list[int] = []
        self.room = bench.buffer_words  #: words of the engine's buffer that we may fill
        self.owed = 0  #: words that we took and have not told of
        self.returns_credits = True

    def step(self) -> None:
        """Perhaps send a packet, perhaps return credits."""
        rng = self.bench.rng
        if rng.random() >= self.bench.shaping.neighbour:
            return
        words = min(len(self.to_send), self.room, rng.randint(1, self.bench.packet_words))
        if words:
            self.room -= words
            packet = [self.to_send.popleft() for _ in range(words)]
            self.bench.deliver(self.engine.node, self.engine_link, self.bench.cycle, packet)
        if self.owed and self.returns_credits:
            count = rng.randint(1, self.owed)
            self.owed -= count
            self.engine.credits.append((self.bench.cycle, self.engine_link.pack(), count))


@dataclass
class Bench:
    """Engines, their surroundings and a network of fixed latency between them."""

    dut: Any
    seed: int
    memory_latency: int = 3
    network_latency: int = 4
    shaping: Shaping = field(default_factory=Shaping)

    def __post_init__(self) -> None:
        self.cycle = 0
        self.rng = random.Random(self.seed)
        self.buffer_words = int(self.dut.MpeBufferWords.value)
        self.packet_words = int(self.dut.MpePacketWords.value)
        self.contexts = int(self.dut.MpeContexts.value)
        self.direct_links = int(self.dut.DirectLinks.value)
        self.engines = [Engine(self, node) for node in range(int(self.dut.Engines.value))]
        self.neighbours: dict[int, Neighbour] = {}
        self.links: list[list[list[Link]]] = [
            [[Link(0, 0)] * _LINKS for _ in range(self.contexts)] for _ in self.engines
        ]
        # Words under way or in a buffer, as the sender must count them.
        self.outstanding: dict[tuple[int, Info], int] = {}
        self._offers = [0] * len(self.engines)
        self.dut.command_i.value = 0
        self.dut.links_i.value = 0
        self.dut.taps_i.value = 0
        self._taps = 0
        self.dut.in_i.value = 0

    def connect(self) -> None:
        """Load the tree links of all engines."""
        bits = 0
        for contexts in reversed(self.links):
            for link in (link for links in reversed(contexts) for link in reversed(links)):
                bits = bits << MpeLink.WIDTH | link.pack()
        self.dut.links_i.value = bits

    def surround(self, context: int = 0, direct: int = 0) -> list[Neighbour]:
        """Give engine 0 a modelled neighbour at every link of a context; `direct` has a bit for each direct one."""
        for link in range(_LINKS):
            node, peer_link = 100 * (context + 1) + link, (link * 3 + context + 1) % _LINKS
            self.neighbours[node] = Neighbour(self, node, self.engines[0], Info(context, link), peer_link)
            self.links[0][context][link] = Link(node, peer_link, bool(direct >> link & 1))
        self.connect()
        return list(self.neighbours.values())[-_LINKS:]

    def offer(self, node: int, command: Command) -> None:
        """Put a command on an engine's command port for this cycle."""
        self._offers[node] = command.pack()
        bits = 0
        for packed in reversed(self._offers):
            bits = bits << MpeCommand.WIDTH | packed
        self.dut.command_i.value = bits

    def announce(self, node: int, header: Packet) -> None:
        """Check that the receiver has room for the Stream packet whose header has just been sent."""
        assert header.kind == Kind.STREAM
        assert 1 <= header.length <= self.packet_words
        assert header.src_node == node
        assert header.src_slot == header.dst_slot == 0
        link = self._link_of(node, header.dst_node, header.info)
        assert not self._link(node, link).direct
        self._take_room(node, link, header.length)

    def announce_direct(self, node: int, header: NeighbourPacket) -> None:
        """Check that all receivers have room for the neighbour packet whose header has just been sent."""
        assert 1 <= header.length <= self.packet_words
        assert header.ports
        for link in links_of(header):
            assert link.link < self.direct_links and self._link(node, link).direct
            self._take_room(node, link, header.length)

    def _take_room(self, node: int, link: Info, words: int) -> None:
        """Count words under way over a link of an engine."""
        outstanding = self.outstanding.get((node, link), 0) + words
        assert outstanding <= self.buffer_words, "a packet started without credits"
        self.outstanding[node, link] = outstanding

    def deliver(self, node: int, link: Info, due: int, words: Sequence[int]) -> None:
        """Hand the words of a packet to an engine, through the network port of its link if that is direct."""
        engine = self.engines[node]
        if self._link(node, link).direct:
            engine.taps[link.link].packets.append((due, link.context, words))
        else:
            engine.arrivals.extend((due, link.pack(), word) for word in words)

    def send_direct(self, node: int, packet: NeighbourPacket) -> None:
        """Carry a neighbour packet out through each of its ports."""
        assert packet.length == len(packet.body)
        for link in links_of(packet):
            leads_to = self._link(node, link)
            self._bring(leads_to.node, Info(link.context, leads_to.peer_link), packet.body)

    def _bring(self, node: int, link: Info, words: Sequence[int]) -> None:
        """Carry the words of a packet to a link of a neighbour."""
        neighbour = self.neighbours.get(node)
        if neighbour:
            neighbour.received += words
            neighbour.owed += len(words)
        else:
            self.deliver(node, link, self.cycle + self.network_latency, words)

    def send(self, packet: Packet) -> None:
        """Carry a packet to its destination."""
        due = self.cycle + self.network_latency
        if packet.kind == Kind.STREAM:
            assert packet.length == len(packet.body)
            self._bring(packet.dst_node, Info.unpack(packet.info), packet.body)
        else:
            assert packet.kind == Kind.CREDIT and not packet.body
            assert packet.length >= self.buffer_words // 4, "credits came in crumbs"
            neighbour = self.neighbours.get(packet.dst_node)
            if neighbour:
                assert Info.unpack(packet.info) == Info(neighbour.engine_link.context, neighbour.peer_link)
                neighbour.room += packet.length
                assert neighbour.room <= self.buffer_words
            else:
                self.outstanding[packet.dst_node, Info.unpack(packet.info)] -= packet.length
                self.engines[packet.dst_node].credits.append((due, packet.info, packet.length))

    def _link_of(self, node: int, destination: int, info: int) -> Info:
        """Return the link of `node` that leads to a neighbour's link."""
        peer = Info.unpack(info)
        ends = [(link.node, link.peer_link) for link in self.links[node][peer.context]]
        return Info(peer.context, ends.index((destination, peer.link)))

    def _link(self, node: int, link: Info) -> Link:
        """Return what a link of an engine leads to."""
        return self.links[node][link.context][link.link]

    async def step(self) -> None:
        """Run one cycle."""
        out = int(self.dut.out_o.value)
        inputs = taps = 0
        mask = (1 << _OUT.width) - 1
        for index, engine in enumerate(self.engines):
            inputs |= engine.step(out >> index * _OUT.width & mask) << index * _IN.width
            taps |= engine.tapped << index * _LINKS * _TAP.width
        for neighbour in self.neighbours.values():
            before = neighbour.owed
            neighbour.step()
            if neighbour.owed != before:
                key = (neighbour.engine.node, neighbour.engine_link)
                self.outstanding[key] -= before - neighbour.owed
        self.dut.in_i.value = inputs
        if taps != self._taps:
            self.dut.taps_i.value = self._taps = taps
        self.cycle += 1
        await FallingEdge(self.dut.clk_i)

    async def run_until(self, condition: Callable[[], bool], limit: int) -> None:
        """Run until a condition holds; fail after `limit` cycles."""
        end = self.cycle + limit
        while not condition():
            assert self.cycle < end, f"nothing came of it in {limit} cycles"
            await self.step()

    async def run(self, cycles: int) -> None:
        """Run some cycles."""
        for _ in range(cycles):
            await self.step()


def expected_up(command: Command, own: Elements, children: Sequence[Elements]) -> list[int]:
    """Return the words that go up: own contribution combined with the children's, in link order."""
    if command.operation == Collective.BARRIER:
        return []
    total = own
    for child in children:
        total = combine(command.combine, total, child)
    return words_of(total)
