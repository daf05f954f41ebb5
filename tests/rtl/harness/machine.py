# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Processors and memories around a machine (`machine_top`) or a node: what the slots' ports are joined to.

Cycle t of a test runs from one falling edge to the next, as in `harness.flits`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cocotb.triggers import FallingEdge

from harness.clock import start
from harness.memory import MemoryWrite, NodeMemory
from harness.registers import address
from harness.runner import built
from tidings.generated import packets
from tidings.generated import registers as reg

BUS_WIDTH = packets.BusRequest.WIDTH
WRITE_WIDTH = packets.MemoryWrite.WIDTH

_RMA, _MPE = 1 << packets.Engine.RMA, 1 << packets.Engine.MPE
IRQ_MESSAGE = reg.IrqStatus(waiting=_RMA).encode()
IRQ_RMA_DONE = reg.IrqStatus(done=_RMA).encode()
IRQ_MPE_DONE = reg.IrqStatus(done=_MPE).encode()
IRQ_ERROR = reg.IrqStatus(error=True).encode()
IRQ_RMA_IDLE = reg.IrqStatus(idle=_RMA).encode()
MESSAGE, PUT, GET = packets.RmaOperation.MESSAGE, packets.RmaOperation.PUT, packets.RmaOperation.GET
NOTIFY = reg.RmaCommand(notify=True).encode()
SLOT_BYTES = 4 * built("message_words")
#: Operations of `mpe` on words that are signed integers, which they add.
BARRIER, BROADCAST, REDUCE, ALLREDUCE = (reg.MpeCommand(operation=code).encode() for code in packets.Collective)
NO_PARENT = packets.NO_LINK
_ALL = reg.RmaRegionRights(valid=True, read=True, write=True)


@dataclass(frozen=True)
class Access:
    """An access to a register; mirrors `bus_request_t`."""

    write: bool
    address: int
    data: int = 0

    def pack(self) -> int:
        """Return the bits of `bus_request_t`."""
        return packets.BusRequest(self.write, self.address, self.data).encode()


class Slots:
    """The processors' and memories' side of all slots.

    Parameters
    ----------
    dut
        The module; its slot ports are vectors.
    slots
        Number of slots.
    latency
        Of the memories.
    """

    def __init__(self, dut: Any, slots: int, *, latency: int | range = 8, memory_bytes: int = 1 << 15) -> None:
        self.dut = dut
        self.count = slots
        self.memory = [NodeMemory(memory_bytes, seed, latency) for seed in range(slots)]
        self.cycle = 0
        self.interrupt = [False] * slots
        self.every_cycle: list[Callable[[], None]] = []  #: called in each cycle before inputs are written
        self.answers: list[list[tuple[int, int]]] = [[] for _ in range(slots)]  #: (cycle, word) of bus reads
        self._accesses: list[deque[Access]] = [deque() for _ in range(slots)]

    async def begin(self) -> None:
        """Reset the module."""
        for name in ("bus_valid_i", "bus_i", "memory_data_valid_i", "memory_data_i"):
            getattr(self.dut, name).value = 0
        await start(self.dut)

    # ------------------------------------------------------------------ processor
    def write(self, slot: int, register: str, value: int) -> None:
        """Write a register; accesses of a slot are made one a cycle, in order."""
        self._accesses[slot].append(Access(True, address(register), value))

    def ask(self, slot: int, register: str) -> None:
        """Read a register; the word is appended to `answers`."""
        self._accesses[slot].append(Access(False, address(register)))

    async def read(self, slot: int, register: str) -> int:
        """Read a register and wait for the answer."""
        seen = len(self.answers[slot])
        pending = sum(not access.write for access in self._accesses[slot])
        self.ask(slot, register)
        await self.until(lambda: len(self.answers[slot]) > seen + pending)
        return self.answers[slot][-1][1]

    def queue(self, slot: int, base: int, log2: int) -> None:
        """Set up the receive queue."""
        self.write(slot, "rma_queue_base", base)
        self.write(slot, "rma_queue_size", reg.RmaQueueSize(log2_slots=log2, valid=True).encode())

    def region(self, slot: int, row: int, base: int, length: int, rights: reg.RmaRegionRights = _ALL) -> None:
        """Register a region."""
        self.write(slot, f"rma_region_base[{row}]", base)
        self.write(slot, f"rma_region_length[{row}]", length)
        self.write(slot, f"rma_region_rights[{row}]", rights.encode())

    def rma(self, slot: int, operation: int, local: int, remote: tuple[int, int], length: int, **more: int) -> None:
        """Queue a command of `rma`; `remote` is (node, slot), `more` may hold region and offset."""
        self.write(slot, "rma_local_address", local)
        self.write(slot, "rma_remote", reg.RmaRemote(remote[0], remote[1], more.get("region", 0)).encode())
        self.write(slot, "rma_offset", more.get("offset", 0))
        self.write(slot, "rma_length", length)
        self.write(slot, "rma_command", operation)

    def tree_link(self, slot: int, link: int, remote: tuple[int, int], peer_link: int) -> None:
        """Load one link of the tree."""
        self.write(slot, f"mpe_link[0][{link}]", reg.MpeLink(remote[0], remote[1], peer_link).encode())

    def collective(self, slot: int, command: int, parent: int, children: int, **more: int) -> None:
        """Queue a collective; `command` holds operation, element and combination."""
        for name in ("source", "destination", "count", "descriptor"):
            self.write(slot, f"mpe_{name}", more.get(name, 0))
        way = reg.MpeCommand(parent=parent, children=children)
        self.write(slot, "mpe_command", way.encode() | command)

    # ------------------------------------------------------------------ cycles
    async def step(self, cycles: int = 1) -> None:
        """Let cycles pass."""
        for _ in range(cycles):
            self.exchange()
            await FallingEdge(self.dut.clk_i)
            self.cycle += 1

    def exchange(self) -> None:
        """Read the outputs of this cycle and write its inputs."""
        dut = self.dut
        for call in self.every_cycle:
            call()
        bus_valid = bus = data_valid = data = 0
        interrupts = dut.interrupt_o.value.to_unsigned()
        read_valid = dut.bus_read_valid_o.value.to_unsigned()
        memory_read_valid = dut.memory_read_valid_o.value.to_unsigned()
        memory_write_valid = dut.memory_write_valid_o.value.to_unsigned()
        for slot, memory in enumerate(self.memory):
            self.interrupt[slot] = bool(interrupts >> slot & 1)
            if read_valid >> slot & 1:
                words = dut.bus_read_data_o.value.to_unsigned()
                self.answers[slot].append((self.cycle, words >> 32 * slot & 0xFFFF_FFFF))
            # A read sees what was written in earlier cycles.
            if memory_read_valid >> slot & 1:
                reads = dut.memory_read_address_o.value.to_unsigned()
                memory.read(self.cycle, reads >> 32 * slot & 0xFFFF_FFFF)
            if memory_write_valid >> slot & 1:
                writes = dut.memory_write_o.value.to_unsigned() >> WRITE_WIDTH * slot
                memory.write(MemoryWrite.unpack(writes & (1 << WRITE_WIDTH) - 1))
            answer = memory.answer(self.cycle)
            if answer:
                data_valid |= 1 << slot
                data |= answer[0] << 32 * slot
            if self._accesses[slot]:
                bus_valid |= 1 << slot
                bus |= self._accesses[slot].popleft().pack() << BUS_WIDTH * slot
        dut.bus_valid_i.value = bus_valid
        dut.bus_i.value = bus
        dut.memory_data_valid_i.value = data_valid
        dut.memory_data_i.value = data

    async def until(self, done: Callable[[], bool], limit: int = 20000) -> None:
        """Let cycles pass until `done`."""
        for _ in range(limit):
            if done():
                return
            await self.step()
        raise AssertionError(f"nothing more after {limit} cycles")

    @property
    def quiet(self) -> bool:
        """The processors and memories have nothing more to do, and the module says that it has not."""
        return not any(self._accesses) and all(memory.idle for memory in self.memory) and not self.dut.busy_o.value

    async def settle(self, limit: int = 20000) -> None:
        """Let cycles pass until nothing moves any more."""
        calm = 0
        for _ in range(limit):
            await self.step()
            calm = calm + 1 if self.quiet else 0
            if calm == 4:
                return
        raise AssertionError(f"still busy after {limit} cycles")

    async def wait_interrupt(self, slots: Sequence[int], limit: int = 20000) -> None:
        """Let cycles pass until the interrupt lines of these slots are all high."""
        await self.until(lambda: all(self.interrupt[slot] for slot in slots), limit)
