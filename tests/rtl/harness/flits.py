# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sources and sinks of flits with credits, idle cycles and back-pressure.

`FlitPorts` joins one source and one sink to each port of a module. Cycle t of a test runs from one falling edge to the
next: `step` reads what the module shows in cycle t, writes the inputs that its registers take at the end of cycle t,
and returns in cycle t + 1.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cocotb.triggers import FallingEdge
from tidings.generated.packets import MAX_VCS

from harness.packets import FLIT_WIDTH, Flit
from harness.signals import unsigned


@dataclass(frozen=True)
class Received:
    """A packet, the channel that it came on, and the cycles in which its first and last flit were shown."""

    vc: int
    words: tuple[int, ...]
    first_cycle: int
    last_cycle: int


class FlitSource:
    """Sends queued flits, channel by channel, when credits allow.

    Parameters
    ----------
    places
        Places of the module's input buffer, for each channel.
    seed
        Seed of the idle cycles and of the choice among channels.
    """

    def __init__(self, places: Sequence[int], seed: int) -> None:
        self.initial = list(places)
        self.credits = list(places)
        self.idle = 0.0  #: probability that nothing is sent in a cycle
        self.queues: list[deque[Flit]] = [deque() for _ in places]
        self.sent: list[tuple[int, Flit]] = []  #: (cycle, flit)
        self._choice = random.Random(seed)

    def send(self, flits: Sequence[Flit]) -> None:
        """Queue the flits of a packet on their channels."""
        for flit in flits:
            self.queues[flit.vc].append(flit)

    @property
    def empty(self) -> bool:
        """Everything queued has been sent."""
        return not any(self.queues)

    def choose(self, cycle: int) -> Flit | None:
        """Return the flit to send in this cycle, if any."""
        ready = [vc for vc, queue in enumerate(self.queues) if queue and self.credits[vc] > 0]
        if not ready or (self.idle and self._choice.random() < self.idle):
            return None
        vc = ready[0] if len(ready) == 1 else self._choice.choice(ready)
        self.credits[vc] -= 1
        flit = self.queues[vc].popleft()
        self.sent.append((cycle, flit))
        return flit

    def credit(self, bits: int) -> None:
        """Take the credits that the module gave back."""
        for vc in range(MAX_VCS):
            if bits >> vc & 1:
                assert vc < len(self.credits), f"a credit for channel {vc}, which does not exist"
                self.credits[vc] += 1
                assert self.credits[vc] <= self.initial[vc], f"channel {vc} got more credits than its buffer has places"


class FlitSink:
    """Takes flits into a buffer for each channel, and gives credits back.

    Parameters
    ----------
    places
        Flits that fit, for each channel; the module starts with as many credits.
    seed
        Seed of the back-pressure.
    """

    def __init__(self, places: Sequence[int], seed: int) -> None:
        self.places = list(places)
        self.backpressure = 0.0  #: probability that a channel with a flit gives no credit in a cycle
        self.occupied = [0 for _ in places]
        self.flits: list[tuple[int, Flit]] = []  #: (cycle, flit)
        self.packets: list[Received] = []
        self.on_packet: Callable[[Received], None] | None = None
        self._open: list[list[tuple[int, int]]] = [[] for _ in places]
        self._choice = random.Random(seed)

    def choose(self) -> int:
        """Return the credits to give in this cycle, one bit per channel."""
        bits = 0
        for vc, occupied in enumerate(self.occupied):
            if occupied and (not self.backpressure or self._choice.random() >= self.backpressure):
                self.occupied[vc] -= 1
                bits |= 1 << vc
        return bits

    def take(self, cycle: int, flit: Flit) -> None:
        """Take a flit that the module shows in this cycle."""
        assert flit.vc < len(self.places), f"a flit on channel {flit.vc}, which does not exist"
        self.occupied[flit.vc] += 1
        assert self.occupied[flit.vc] <= self.places[flit.vc], f"cycle {cycle}: channel {flit.vc} overruns its buffer"
        self.flits.append((cycle, flit))
        words = self._open[flit.vc]
        words.append((cycle, flit.data))
        if flit.last:
            packet = Received(flit.vc, tuple(word for _, word in words), words[0][0], cycle)
            words.clear()
            self.packets.append(packet)
            if self.on_packet:
                self.on_packet(packet)

    @property
    def mid_packet(self) -> bool:
        """Return whether a packet has begun and not ended."""
        return any(self._open)


@dataclass
class FlitPorts:
    """One source and one sink for each port of a module, and the cycle that they all act in.

    Parameters
    ----------
    dut
        The module.
    sources, sinks
        One for each port.
    """

    dut: Any
    sources: list[FlitSource]
    sinks: list[FlitSink]
    flit_valid_i: str = "flit_valid_i"
    flit_i: str = "flit_i"
    credit_o: str = "credit_o"
    flit_valid_o: str = "flit_valid_o"
    flit_o: str = "flit_o"
    credit_i: str = "credit_i"
    cycle: int = field(default=0, init=False)
    every_cycle: list[Callable[[int], None]] = field(default_factory=list, init=False)
    """Called in each cycle, before inputs are written: to read outputs and write inputs that are no flits."""

    def clear_inputs(self) -> None:
        """Drive idle values; before reset."""
        for name in (self.flit_valid_i, self.flit_i, self.credit_i):
            getattr(self.dut, name).value = 0

    def _read(self, name: str) -> int:
        return unsigned(getattr(self.dut, name))

    async def step(self, cycles: int = 1) -> None:
        """Let cycles pass."""
        for _ in range(cycles):
            for call in self.every_cycle:
                call(self.cycle)
            # Credits first: a flit seen now is in the buffer, and can leave it, one cycle later.
            credits_in = 0
            for port, sink in enumerate(self.sinks):
                credits_in |= sink.choose() << port * MAX_VCS
            valid_out = self._read(self.flit_valid_o)
            if valid_out:
                flits_out = self._read(self.flit_o)
                for port, sink in enumerate(self.sinks):
                    if valid_out >> port & 1:
                        bits = flits_out >> port * FLIT_WIDTH & (1 << FLIT_WIDTH) - 1
                        sink.take(self.cycle, Flit.unpack(bits))
            valid_in = flits_in = 0
            for port, source in enumerate(self.sources):
                flit = source.choose(self.cycle)
                if flit is not None:
                    valid_in |= 1 << port
                    flits_in |= flit.pack() << port * FLIT_WIDTH
            credits_out = self._read(self.credit_o)
            for port, source in enumerate(self.sources):
                source.credit(credits_out >> port * MAX_VCS & (1 << MAX_VCS) - 1)
            getattr(self.dut, self.flit_valid_i).value = valid_in
            getattr(self.dut, self.flit_i).value = flits_in
            getattr(self.dut, self.credit_i).value = credits_in
            await FallingEdge(self.dut.clk_i)
            self.cycle += 1

    async def until(self, done: Callable[[], bool], limit: int) -> None:
        """Let cycles pass until `done`; fail after `limit` of them."""
        for _ in range(limit):
            if done():
                return
            await self.step()
        assert done(), f"nothing more after {limit} cycles, in cycle {self.cycle}"
