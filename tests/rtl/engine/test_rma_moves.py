# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`rma_moves` before `rma_issue` and whole slots: the MOVEs of Ziavras 2006, and what they do."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from harness.machine import Slots
from harness.runner import run
from issue_node import BENCH, NODE, SLOTS
from tidings.generated.packets import IssueOperation, MoveAddress, MoveByte, MoveNumber, MoveOpcode, MoveTarget

MEMORY = 1 << 12
NUMBER_WIDTH = next(field.width for field in MoveNumber.FIELDS if field.name == "number")
#: Bytes of a region.
REGION = 512
#: Words of memory: what is sent, and two variables, whose addresses differ from slot to slot.
OWN = 0x100
VARIABLES = ((0x400, 0x800), (0x600, 0xA00))


BEGIN, END, ABORT, PUT, GET, REGISTER, DEREGISTER, BARRIER, FENCE, PUT_1 = (
    MoveOpcode(operation=operation)
    for operation in IssueOperation
    if operation not in (IssueOperation.NPROCS, IssueOperation.PID, IssueOperation.LOOKUP)
)


class Processors:
    """Sequencers of a MOVE per cycle, as long as they are taken, with memories behind the slots."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.rng = random.Random(seed)
        self.slots = Slots(dut, SLOTS, latency=2, memory_bytes=MEMORY)
        self.moves: list[deque[tuple[int, int]]] = [deque() for _ in range(SLOTS)]
        self.held_up = 0  #: MOVEs that were not taken, per cycle
        self.met = [0] * SLOTS  #: barriers that were acknowledged

    async def begin(self) -> None:
        """Reset, BEGIN at all slots, and let them register their variables."""
        for name in ("issue_valid_i", "instr_i", "id_i", "rs_i", "commit_valid_i", "commit_id_i", "commit_kill_i"):
            getattr(self.dut, name).value = 0
        self.dut.result_ready_i.value = 0
        await self.slots.begin()
        for slot in range(SLOTS):
            self.moves[slot] += [
                (MoveAddress(target=MoveTarget.NPROCS).encode(), MoveNumber(number=SLOTS).encode()),
                (MoveAddress(target=MoveTarget.PID).encode(), MoveNumber(number=slot).encode()),
            ]
            self.word(slot, BEGIN)
            for variable in VARIABLES:
                self.word(slot, REGISTER, variable[slot])
        await self.end()

    # ------------------------------------------------------------------ MOVEs
    def word(self, slot: int, opcode: MoveOpcode, operand: int = 0) -> None:
        """MOVE an opcode with an operand of 32 bits."""
        self.moves[slot].append((MoveAddress(opcode, target=MoveTarget.WORD).encode(), operand))

    def byte(self, slot: int, operand: int) -> None:
        """MOVE an operand of 8 bits."""
        ignored = MoveOpcode(zero=self.rng.getrandbits(4), operation=self.rng.choice(list(IssueOperation)))
        address = MoveAddress(ignored, self.rng.getrandbits(22), MoveTarget.BYTE)
        self.moves[slot].append((address.encode(), MoveByte(operand, 0x5A5A5A).encode()))

    def access(
        self, slot: int, opcode: MoveOpcode, dpid: int, source: int, destination: int, off: int, length: int
    ) -> None:
        """MOVE a PUT or GET: five times."""
        self.word(slot, opcode, destination)
        self.word(slot, opcode, source)
        for operand in (dpid, length, off):
            self.byte(slot, operand)

    def barrier(self, opcode: MoveOpcode = BARRIER) -> None:
        """MOVE a barrier of all."""
        for slot in range(SLOTS):
            self.word(slot, opcode)

    # ------------------------------------------------------------------ cycles
    async def step(self) -> None:
        """Let a cycle pass."""
        dut, slots = self.dut, self.slots
        slots.exchange()
        offered = {slot: queue[0] for slot, queue in enumerate(self.moves) if queue and self.rng.random() < 0.9}
        dut.issue_valid_i.value = sum(1 << slot for slot in offered)
        dut.instr_i.value = sum(address << 32 * slot for slot, (address, _) in offered.items())
        dut.rs_i.value = sum(data << 96 * slot for slot, (_, data) in offered.items())
        acknowledges = self.rng.getrandbits(SLOTS)
        dut.result_ready_i.value = acknowledges
        await ReadOnly()
        ready = dut.issue_ready_o.value.to_unsigned()
        done = dut.result_valid_o.value.to_unsigned() & acknowledges
        for slot in range(SLOTS):
            if slot in offered:
                if ready >> slot & 1:
                    self.moves[slot].popleft()
                else:
                    self.held_up += 1
            self.met[slot] += done >> slot & 1
        await FallingEdge(dut.clk_i)
        slots.cycle += 1

    async def end(self) -> None:
        """Let cycles pass until all MOVEs are carried out."""
        for _ in range(20000):
            await self.step()
            if not any(self.moves) and not self.dut.front_busy_o.value.to_unsigned():
                return
        raise AssertionError("MOVEs wait for ever")

    @property
    def failed(self) -> list[bool]:
        """Slots that tell of a failure."""
        bits = self.dut.accept_o.value.to_unsigned()
        return [bool(bits >> slot & 1) for slot in range(SLOTS)]


@cocotb.test()
async def random_programs_leave_in_memory_what_they_should(dut: Any) -> None:
    """Carry PUTs of one word and of many, and GETs, out, with a barrier after each round, against a model."""
    processors = Processors(dut, 1)
    await processors.begin()
    rng = processors.rng
    for slot in range(SLOTS):
        for at in range(OWN, OWN + 4 * 64, 4):
            processors.slots.memory[slot].set_word(at, rng.getrandbits(32))
    expected = [bytearray(processors.slots.memory[slot].bytes) for slot in range(SLOTS)]
    for turn in range(30):
        for slot in range(SLOTS):
            # Slots write to parts of their own: their order does not matter.
            at = 64 * slot
            for _ in range(rng.randrange(1, 9)):
                dpid, variable = rng.randrange(SLOTS), rng.choice(VARIABLES)
                length = rng.randrange(1, 9)
                off = at + rng.randrange(0, 64 - length)
                own = OWN + 4 * rng.randrange(0, 64 - length)
                there = variable[dpid] + 4 * off
                if turn % 3 == 2:
                    # A GET's source is named by this slot's own instance, its destination is an address here.
                    here = 0xC00 + 64 * slot + 4 * rng.randrange(0, 8)
                    processors.access(slot, GET, dpid, variable[slot], here, off, length)
                    expected[slot][here : here + 4 * length] = expected[dpid][there : there + 4 * length]
                elif rng.random() < 0.5:
                    word = rng.getrandbits(32)
                    processors.access(slot, PUT_1, dpid, word, variable[slot], off, rng.randrange(256))
                    expected[dpid][there : there + 4] = word.to_bytes(4, "little")
                else:
                    processors.access(slot, PUT, dpid, own, variable[slot], off, length)
                    expected[dpid][there : there + 4 * length] = expected[slot][own : own + 4 * length]
                if turn % 3 == 2:
                    processors.word(slot, FENCE)  # GETs of one processor may come in any order
        processors.barrier()
        await processors.end()
        assert processors.failed == [False] * SLOTS
        for slot in range(SLOTS):
            got, want = processors.slots.memory[slot].bytes, expected[slot]
            wrong = [at for at in range(MEMORY) if got[at] != want[at]]
            assert not wrong, f"turn {turn}, slot {slot}: {[hex(at) for at in wrong[:4]]}"
    assert processors.held_up, "no MOVE ever found a queue full"


@cocotb.test()
async def puts_of_a_word_arrive_in_a_row_and_read_no_memory(dut: Any) -> None:
    """Send more words than commands fit, lose none, and ask no memory for them."""
    processors = Processors(dut, 2)
    await processors.begin()
    reads = 0

    def count() -> None:
        nonlocal reads
        reads += dut.memory_read_valid_o.value.to_unsigned()

    processors.slots.every_cycle.append(count)
    for n in range(100):
        processors.access(0, PUT_1, 1, 7 * n + 1, VARIABLES[0][0], n, 1)
    processors.word(0, FENCE)
    await processors.end()
    assert [processors.slots.memory[1].word(VARIABLES[0][1] + 4 * n) for n in range(100)] == [
        7 * n + 1 for n in range(100)
    ]
    assert not reads


@cocotb.test()
async def a_barrier_is_told_until_it_is_acknowledged(dut: Any) -> None:
    """Hold `barrier_done` until the acknowledgement, once per BARRIER, END and FENCE."""
    processors = Processors(dut, 3)
    await processors.begin()
    assert processors.met == [0] * SLOTS
    for count, opcode in enumerate((BARRIER, FENCE, END), 1):
        processors.barrier(opcode)
        await processors.end()
        for _ in range(40):
            await processors.step()
        assert processors.met == [count] * SLOTS, opcode
    assert dut.nprocs_o.value.to_unsigned() == sum(SLOTS << NUMBER_WIDTH * slot for slot in range(SLOTS))
    assert dut.pid_o.value.to_unsigned() == sum(slot << NUMBER_WIDTH * slot for slot in range(SLOTS))


@cocotb.test()
async def what_cannot_be_done_is_told(dut: Any) -> None:
    """Fail at a variable without a name, opcodes that differ, no opcode, and one that was freed; forget it at BEGIN."""
    processors = Processors(dut, 4)
    await processors.begin()
    known, other = VARIABLES[0][0], VARIABLES[1][0]

    async def after(*moves: tuple[Any, ...]) -> bool:
        """Carry accesses and MOVEs of words out, return whether something failed, and BEGIN again."""
        for move in moves:
            (processors.access if len(move) > 2 else processors.word)(0, *move)
        await processors.end()
        told = processors.failed[0]
        processors.word(0, BEGIN)
        await processors.end()
        assert not processors.failed[0]
        return told

    before = bytes(processors.slots.memory[1].bytes)
    assert await after((PUT, 1, OWN, known + 4, 0, 1))
    assert await after((MoveOpcode(operation=IssueOperation.NPROCS), 0))
    assert await after((MoveOpcode(operation=IssueOperation.LOOKUP), 0))
    assert await after((MoveOpcode(zero=1, operation=IssueOperation.PUT_INLINE), 1, 5, known, 0, 1))
    assert await after((PUT, SLOTS, OWN, known, 0, 1)), "there is no such processor"
    processors.word(0, PUT, known)
    processors.word(0, PUT_1, OWN)
    for operand in (1, 1, 0):
        processors.byte(0, operand)
    assert await after()
    assert bytes(processors.slots.memory[1].bytes) == before
    # A name that has been looked up is not used any longer when its variable has been freed.
    assert not await after((PUT_1, 1, 5, known, 0, 1), (FENCE, 0))
    assert await after((DEREGISTER, known), (PUT_1, 1, 6, known, 0, 1))
    assert not await after((PUT_1, 1, 7, other, 0, 1), (FENCE, 0))
    assert [processors.slots.memory[1].word(variable[1]) for variable in VARIABLES] == [5, 7]
    # A refusal is told by the fence: the region ends there.
    assert await after((PUT, 1, OWN, other, REGION // 4, 1), (FENCE, 0))


@cocotb.test()
async def an_abort_ends_a_barrier(dut: Any) -> None:
    """Fail at a barrier when another processor aborts."""
    processors = Processors(dut, 5)
    await processors.begin()
    processors.word(1, BARRIER)
    for _ in range(100):
        await processors.step()
    assert processors.met == [0, 0]
    processors.word(0, ABORT)
    await processors.end()
    assert processors.failed[1]


def test_rma_moves() -> None:
    run("issue_bench", __file__, {"Front": 2, "RegionBytes": REGION}, node=NODE, extra_sources=[BENCH])
