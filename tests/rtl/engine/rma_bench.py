# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`rma` with everything around it modelled: memory, registers, and the two directions of the network."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cocotb.triggers import FallingEdge, ReadOnly, ReadWrite
from harness.clock import start
from harness.memory import MemoryWrite, NodeMemory
from harness.packets import Flit, Packet
from harness.runner import built
from tidings.generated.packets import Nack, RmaOperation, is_reply

from tidings.generated import packets

NODE, SLOT = 0x123, 5
PEER, PEER_SLOT = 0x456, 2
MESSAGE_BYTES = 4 * (built("message_words") - 2)
PACKET_BYTES = 4 * built("rma_packet_words")
WRITE_WIDTH = packets.MemoryWrite.WIDTH
MEMORY_BYTES = 1 << 16


@dataclass(frozen=True)
class Command:
    """A command; mirrors `rma_command_t`."""

    operation: int
    local: int
    length: int
    node: int = PEER
    slot: int = PEER_SLOT
    region: int = 0
    offset: int = 0
    notify: bool = False
    static_route: bool = False
    inline_data: bool = False

    def pack(self) -> int:
        """Return the bits of `rma_command_t`."""
        return packets.RmaCommand(
            operation=RmaOperation(self.operation),
            notify=self.notify,
            static_route=self.static_route,
            inline_data=self.inline_data,
            local_address=self.local,
            node=self.node,
            slot=self.slot,
            region=self.region,
            offset=self.offset,
            length=self.length,
        ).encode()


@dataclass(frozen=True)
class Region:
    """A row of the registration table; mirrors `rma_region_t`."""

    base: int
    length: int
    readable: bool = True
    writable: bool = True
    valid: bool = True
    routes: bool = False

    def pack(self) -> int:
        """Return the bits of `rma_region_t`."""
        return packets.RmaRegion(**vars(self)).encode()


REGION_WIDTH = packets.RmaRegion.WIDTH


class Bench:
    """Drives every input of `rma` and keeps what comes out.

    Parameters
    ----------
    dut
        The module.
    idle
        Probability that an offered word is withheld in a cycle, in each direction towards the module.
    backpressure
        Probability that a port does not take what the module offers in a cycle.
    latency
        Of memory.
    """

    def __init__(
        self, dut: Any, *, idle: float = 0.0, backpressure: float = 0.0, latency: int | range = 8, seed: int = 1
    ) -> None:
        self.dut = dut
        self.idle = idle
        self.backpressure = backpressure
        self.memory = NodeMemory(MEMORY_BYTES, seed, latency)
        self.choice = random.Random(seed)
        self.cycle = 0
        self.requests: list[Packet] = []  #: sent by the module
        self.replies: list[Packet] = []  #: sent by the module
        self.sent: list[tuple[str, int, Flit]] = []  #: (class, cycle, flit), sent by the module
        self.on_request: Callable[[Packet], None] | None = None
        self.notices = 0
        self.failures = 0
        self.hold_replies = False  #: the reply port takes nothing
        self.hold_requests = False  #: the request port takes nothing
        self._open: dict[str, list[int]] = {"request": [], "reply": []}
        self._to_send: dict[str, deque[Flit]] = {"request": deque(), "reply": deque()}
        self._commands: deque[Command] = deque()
        self._clear = False
        self.regions: dict[int, Region] = {}
        self.queue_base, self.queue_log2, self.queue_valid, self.queue_head = 0, 0, False, 0

    async def begin(self) -> None:
        """Reset the module."""
        dut = self.dut
        dut.node_id_i.value = NODE
        dut.slot_id_i.value = SLOT
        for name in ("request_valid_i", "request_data_i", "request_last_i", "request_ready_i"):
            getattr(dut, name).value = 0
        for name in ("reply_valid_i", "reply_data_i", "reply_last_i", "reply_ready_i"):
            getattr(dut, name).value = 0
        for name in ("read_ready_i", "data_valid_i", "data_i", "write_ready_i", "route_ready_i"):
            getattr(dut, name).value = 0
        for name in ("command_valid_i", "command_i", "error_clear_i", "name_valid_i", "name_i"):
            getattr(dut, name).value = 0
        self._drive_registers()
        await start(dut)

    # ------------------------------------------------------------------ what tests do
    def command(self, command: Command) -> None:
        """Write a command in one of the next cycles."""
        self._commands.append(command)

    def send(self, packet: Packet) -> None:
        """Send a packet to the module."""
        direction = "reply" if is_reply(packet.kind) else "request"
        self._to_send[direction] += packet.flits()

    def send_words(self, direction: str, words: Sequence[int]) -> None:
        """Send words as one packet, whatever they are."""
        self._to_send[direction] += [Flit(word, at == len(words) - 1) for at, word in enumerate(words)]

    def clear_error(self) -> None:
        """Clear the error in the next cycle."""
        self._clear = True

    @property
    def completed(self) -> int:
        """Commands complete."""
        return int(self.dut.completed_o.value.to_unsigned())

    @property
    def unacknowledged(self) -> int:
        """PUTs without acknowledgement."""
        return int(self.dut.unacknowledged_o.value.to_unsigned())

    @property
    def tail(self) -> int:
        """Messages received."""
        return int(self.dut.queue_tail_o.value.to_unsigned())

    @property
    def error(self) -> tuple[Nack, int, int]:
        """Code, node and slot of the first refusal."""
        error = packets.RmaError.decode(self.dut.error_o.value.to_unsigned())
        return error.code, error.node, error.slot

    @property
    def quiet(self) -> bool:
        """Nothing is on its way to the module or in it."""
        waiting = any(self._to_send.values()) or self._commands or any(self._open.values())
        return not waiting and self.memory.idle and not self.dut.busy_o.value

    async def until(self, done: Callable[[], bool], limit: int = 20000) -> None:
        """Let cycles pass until `done`."""
        for _ in range(limit):
            if done():
                return
            await self.step()
        raise AssertionError(f"nothing more after {limit} cycles")

    async def settle(self) -> None:
        """Let cycles pass until nothing moves any more."""
        await self.until(lambda: self.quiet)
        await self.step(3)
        assert self.quiet

    # ------------------------------------------------------------------ cycles
    async def step(self, cycles: int = 1) -> None:
        """Let cycles pass."""
        for _ in range(cycles):
            await self._step()

    def _passes(self, probability: float) -> bool:
        return probability == 0.0 or self.choice.random() >= probability

    def _drive_registers(self) -> None:
        rows = 0
        for row, region in self.regions.items():
            rows |= region.pack() << REGION_WIDTH * row
        self.dut.regions_i.value = rows
        queue = packets.RmaQueue(self.queue_valid, self.queue_log2, self.queue_base, self.queue_head)
        self.dut.queue_i.value = queue.encode()

    async def _step(self) -> None:
        dut = self.dut
        self._drive_registers()
        command = self._commands.popleft() if self._commands else None
        dut.command_valid_i.value = command is not None
        dut.command_i.value = command.pack() if command else 0
        dut.error_clear_i.value = self._clear
        self._clear = False

        offered: dict[str, Flit | None] = {}
        for direction, queue in self._to_send.items():
            flit = queue[0] if queue and self._passes(self.idle) else None
            offered[direction] = flit
            getattr(dut, f"{direction}_valid_i").value = flit is not None
            getattr(dut, f"{direction}_data_i").value = flit.data if flit else self.choice.getrandbits(32)
            getattr(dut, f"{direction}_last_i").value = bool(flit and flit.last)
        dut.request_ready_i.value = not self.hold_requests and self._passes(self.backpressure)
        dut.reply_ready_i.value = not self.hold_replies and self._passes(self.backpressure)

        # A command may ask for its first read in its own cycle.
        await ReadWrite()
        # Memory takes one read a cycle; both write ports are granted independently of each other.
        asking = dut.read_valid_o.value.to_unsigned()
        sources = [source for source in range(2) if asking >> source & 1 and self._passes(self.backpressure)]
        reader = self.choice.choice(sources) if sources else None
        dut.read_ready_i.value = 0 if reader is None else 1 << reader
        if reader is not None:
            addresses = dut.read_address_o.value.to_unsigned()
            self.memory.read(self.cycle, addresses >> 32 * reader & 0xFFFF_FFFF, reader)
        dut.write_ready_i.value = sum(int(self._passes(self.backpressure)) << source for source in range(2))
        answer = self.memory.answer(self.cycle)
        dut.data_valid_i.value = 1 << answer[1] if answer else 0
        dut.data_i.value = answer[0] if answer else self.choice.getrandbits(32)

        await ReadOnly()
        for direction in ("request", "reply"):
            if offered[direction] is not None and getattr(dut, f"{direction}_ready_o").value:
                self._to_send[direction].popleft()
            if getattr(dut, f"{direction}_valid_o").value and getattr(dut, f"{direction}_ready_i").value:
                self._take(direction, Flit.unpack(getattr(dut, f"{direction}_flit_o").value.to_unsigned()))
        written = dut.write_valid_o.value.to_unsigned() & dut.write_ready_i.value.to_unsigned()
        writes = dut.write_o.value.to_unsigned()
        for source in range(2):
            if written >> source & 1:
                bits = writes >> WRITE_WIDTH * source & (1 << WRITE_WIDTH) - 1
                self.memory.write(MemoryWrite.unpack(bits))
        self.notices += int(dut.notify_o.value)
        self.failures += int(dut.failed_o.value)
        await FallingEdge(dut.clk_i)
        self.cycle += 1

    def _take(self, direction: str, flit: Flit) -> None:
        self.sent.append((direction, self.cycle, flit))
        words = self._open[direction]
        words.append(flit.data)
        if not flit.last:
            return
        packet = Packet.parse(words)
        words.clear()
        assert is_reply(packet.kind) == (direction == "reply"), f"{packet} in class {direction}"
        (self.replies if direction == "reply" else self.requests).append(packet)
        if direction == "request" and self.on_request:
            self.on_request(packet)
