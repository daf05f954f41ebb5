# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`rma_issue` with its front ends `rma_xif` and `rma_rocc`: instructions of processors, and what they do."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.machine import Slots
from harness.runner import run
from issue_node import BENCH, NODE, SLOTS
from tidings.generated.packets import (
    ISSUE_OPCODE,
    ROCC_SET_OPERAND,
    IssueOperand,
    RoccInstruction,
    XifInstruction,
)
from tidings.generated.packets import IssueOperation as Op

MEMORY = 1 << 12
FAILED = 0xFFFF_FFFF
#: Words of memory: what is sent, and what others may write to.
OWN, SHARED = 0x100, 0x400


@dataclass(frozen=True)
class Instruction:
    """A primitive with its operands."""

    op: int
    processor: int = 0
    name: int = 0
    address: int = 0
    second: int = 0  #: offset, or bytes of a region
    words: int = 0

    def xif(self, rd: int) -> tuple[int, int]:
        """Return the instruction and its three registers."""
        low = next(field.width for field in XifInstruction.FIELDS if field.name == "operation_low")
        high, rest = divmod(self.op, 1 << low)
        instruction = XifInstruction(operation_high=high, operation_low=rest, rd=rd, opcode=ISSUE_OPCODE)
        return instruction.encode(), self.address | self.second << 32 | self.third << 64

    def rocc(self, rd: int) -> tuple[int, int]:
        """Return the command that wants an answer, and its two registers."""
        instruction = RoccInstruction(funct7=self.op, xd=True, rd=rd, opcode=ISSUE_OPCODE)
        return instruction.encode(), self.address | self.second << 32

    @property
    def third(self) -> int:
        """What rs3 holds."""
        return IssueOperand(bytes=4 * self.words, name=self.name, processor=self.processor).encode()


class Cores:
    """Processors that issue an instruction at a time and commit it, with memories behind the slots."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.slots = Slots(dut, SLOTS, latency=2, memory_bytes=MEMORY)
        self.rng = random.Random(seed)
        self.rocc = int(dut.Front.value.to_unsigned()) == 1
        self.puts = 0  #: words that memories have been written
        self.slots.every_cycle.append(self._count)

    def _count(self) -> None:
        self.puts += self.dut.memory_write_valid_o.value.to_unsigned().bit_count()

    async def begin(self) -> None:
        """Reset, and let the processors begin their program."""
        for name in ("issue_valid_i", "instr_i", "id_i", "rs_i", "commit_valid_i", "commit_id_i", "commit_kill_i"):
            getattr(self.dut, name).value = 0
        self.dut.result_ready_i.value = (1 << SLOTS) - 1
        await self.slots.begin()

    def _drive(self, name: str, width: int, values: dict[int, int]) -> None:
        getattr(self.dut, name).value = sum(value << width * slot for slot, value in values.items())

    async def offer(self, what: dict[int, tuple[int, int]], identity: int = 1) -> None:
        """Offer an instruction with its registers to the slots until each has taken its own."""
        dut, waiting = self.dut, dict(what)
        for _ in range(1000):
            self._drive("issue_valid_i", 1, dict.fromkeys(waiting, 1))
            self._drive("instr_i", 32, {slot: instr for slot, (instr, _) in waiting.items()})
            self._drive("rs_i", 96, {slot: rs for slot, (_, rs) in waiting.items()})
            self._drive("id_i", 4, dict.fromkeys(waiting, identity))
            self.slots.exchange()
            await ReadOnly()
            ready = dut.issue_ready_o.value.to_unsigned()
            await FallingEdge(dut.clk_i)
            self.slots.cycle += 1
            waiting = {slot: one for slot, one in waiting.items() if not ready >> slot & 1}
            if not waiting:
                dut.issue_valid_i.value = 0
                return
        raise AssertionError("an instruction is not taken")

    async def commit(self, slots: Sequence[int], *, kill: bool = False, identity: int = 1) -> None:
        """Commit an instruction, or kill it."""
        self._drive("commit_valid_i", 1, dict.fromkeys(slots, 1))
        self._drive("commit_kill_i", 1, dict.fromkeys(slots, int(kill)))
        self._drive("commit_id_i", 4, dict.fromkeys(slots, identity))
        await self.slots.step()
        self.dut.commit_valid_i.value = 0

    async def results(self, slots: Sequence[int]) -> dict[int, int]:
        """Let cycles pass until these slots have told their results."""
        found: dict[int, int] = {}
        for _ in range(4000):
            valid = self.dut.result_valid_o.value.to_unsigned()
            words = self.dut.result_data_o.value.to_unsigned()
            found |= {slot: words >> 32 * slot & FAILED for slot in slots if valid >> slot & 1 and slot not in found}
            await self.slots.step()
            if len(found) == len(slots):
                return found
        raise AssertionError(f"no result of slots {set(slots) - set(found)}")

    async def all_do(self, what: dict[int, Instruction]) -> dict[int, int]:
        """Carry out an instruction per slot, and return the results."""
        if not self.rocc:
            await self.offer({slot: one.xif(5) for slot, one in what.items()})
            await self.slots.step(self.rng.randrange(3))
            await self.commit(list(what))
            return await self.results(list(what))
        operand = RoccInstruction(funct7=ROCC_SET_OPERAND).encode()
        await self.offer({slot: (operand, one.third) for slot, one in what.items()})
        await self.offer({slot: one.rocc(5) for slot, one in what.items()})
        return await self.results(list(what))

    async def do(self, slot: int, op: Op, **operands: int) -> int:
        """Carry out an instruction of one slot."""
        return (await self.all_do({slot: Instruction(op, **operands)}))[slot]

    async def start_program(self) -> None:
        """BEGIN at all slots, and register memory, whose name is 0."""
        begun = await self.all_do({slot: Instruction(Op.BEGIN, processor=slot, name=SLOTS) for slot in range(SLOTS)})
        assert begun == dict.fromkeys(range(SLOTS), 0)
        region = Instruction(Op.REGISTER, address=SHARED, second=256)
        assert await self.all_do(dict.fromkeys(range(SLOTS), region)) == dict.fromkeys(range(SLOTS), 0)


@cocotb.test()
async def a_total_exchange_moves_every_word(dut: Any) -> None:
    """BEGIN, REGISTER, PUT, BARRIER, GET, FENCE, DEREGISTER and END, with stores between them."""
    cores = Cores(dut, 1)
    await cores.begin()
    await cores.start_program()
    everyone = range(SLOTS)
    assert await cores.all_do(dict.fromkeys(everyone, Instruction(Op.NPROCS))) == dict.fromkeys(everyone, SLOTS)
    assert await cores.all_do(dict.fromkeys(everyone, Instruction(Op.PID))) == {slot: slot for slot in everyone}
    for turn in range(3):
        for step in everyone:
            puts = {}
            for slot in everyone:
                # The store before the PUT is what the PUT sends.
                cores.slots.memory[slot].set_word(OWN + 4 * step, 1000 * turn + 100 * slot + step)
                other = (slot + step) % SLOTS
                puts[slot] = Instruction(Op.PUT, other, 0, OWN + 4 * step, 4 * slot, words=1)
            assert await cores.all_do(puts) == dict.fromkeys(everyone, 0)
        assert await cores.all_do(dict.fromkeys(everyone, Instruction(Op.BARRIER))) == dict.fromkeys(everyone, 0)
        for slot in everyone:
            for other in everyone:
                step = (slot - other) % SLOTS
                assert cores.slots.memory[slot].word(SHARED + 4 * other) == 1000 * turn + 100 * other + step
        assert await cores.all_do(dict.fromkeys(everyone, Instruction(Op.BARRIER))) == dict.fromkeys(everyone, 0)
    assert await cores.do(0, Op.GET, processor=1, name=0, address=0x800, second=0, words=2) == 0
    assert await cores.do(0, Op.FENCE) == 0
    assert [cores.slots.memory[0].word(0x800 + 4 * n) for n in range(2)] == [
        cores.slots.memory[1].word(SHARED + 4 * n) for n in range(2)
    ]
    freed = Instruction(Op.DEREGISTER, address=SHARED)
    assert await cores.all_do(dict.fromkeys(everyone, freed)) == dict.fromkeys(everyone, 0)
    assert await cores.all_do(dict.fromkeys(everyone, freed)) == dict.fromkeys(everyone, FAILED)
    assert await cores.all_do(dict.fromkeys(everyone, Instruction(Op.END))) == dict.fromkeys(everyone, 0)
    assert await cores.do(0, Op.PUT, processor=1, address=OWN, words=1) == FAILED


@cocotb.test()
async def puts_in_a_row_find_room_in_the_queue(dut: Any) -> None:
    """Issue more PUTs than commands fit, and lose none."""
    cores = Cores(dut, 2)
    await cores.begin()
    await cores.start_program()
    for n in range(40):
        cores.slots.memory[0].set_word(OWN + 4 * n, 7 * n + 1)
        assert await cores.do(0, Op.PUT, processor=1, address=OWN + 4 * n, second=4 * n, words=1) == 0
    assert await cores.do(0, Op.FENCE) == 0
    assert [cores.slots.memory[1].word(SHARED + 4 * n) for n in range(40)] == [7 * n + 1 for n in range(40)]


@cocotb.test()
async def a_put_of_a_word_sends_its_operand(dut: Any) -> None:
    """PUT words, and parts of one, that no memory holds, between PUTs of words that it holds."""
    cores = Cores(dut, 8)
    await cores.begin()
    await cores.start_program()
    before = bytes(cores.slots.memory[0].bytes)
    for n in range(20):
        word = cores.rng.getrandbits(32)
        assert await cores.do(0, Op.PUT_INLINE, processor=1, address=word, second=4 * n, words=1) == 0
        assert await cores.do(0, Op.PUT, processor=1, address=OWN, second=4 * n + 80, words=1) == 0
        assert await cores.do(0, Op.FENCE) == 0
        assert cores.slots.memory[1].word(SHARED + 4 * n) == word
        assert cores.slots.memory[1].word(SHARED + 4 * n + 80) == cores.slots.memory[0].word(OWN)
    assert bytes(cores.slots.memory[0].bytes) == before
    # An operand is one word.
    assert await cores.do(0, Op.PUT_INLINE, processor=1, address=1, words=2) == 0
    assert await cores.do(0, Op.FENCE) == FAILED
    assert await cores.do(0, Op.PUT_INLINE, processor=SLOTS, address=1, words=1) == FAILED


@cocotb.test()
async def a_fence_tells_of_a_refusal_once(dut: Any) -> None:
    """Fail at the fence behind a PUT outside of its region, and not at the next one."""
    cores = Cores(dut, 3)
    await cores.begin()
    await cores.start_program()
    assert await cores.do(0, Op.PUT, processor=1, address=OWN, second=256, words=1) == 0
    assert await cores.do(0, Op.FENCE) == FAILED
    assert await cores.do(0, Op.FENCE) == 0
    assert await cores.do(0, Op.PUT, processor=SLOTS, address=OWN, words=1) == FAILED
    # The operand whose place told of the refusal is written again.
    cores.slots.memory[0].set_word(OWN, 4711)
    assert await cores.do(0, Op.PUT, processor=1, address=OWN, second=8, words=1) == 0
    assert await cores.do(0, Op.FENCE) == 0
    assert cores.slots.memory[1].word(SHARED + 8) == 4711


@cocotb.test()
async def an_abort_ends_what_others_wait_for(dut: Any) -> None:
    """Fail at a barrier that one processor never comes to, and at everything after it but BEGIN."""
    cores = Cores(dut, 4)
    await cores.begin()
    await cores.start_program()
    if not cores.rocc:
        await cores.offer({1: Instruction(Op.BARRIER).xif(1)})
        await cores.commit([1])
        await cores.slots.step(50)
        assert await cores.do(0, Op.ABORT) == 0
    else:
        await cores.offer({1: Instruction(Op.BARRIER).rocc(1)})
        await cores.slots.step(50)
        await cores.offer({0: Instruction(Op.ABORT).rocc(1)})
    found = await cores.results([1])
    assert found == {1: FAILED}
    assert await cores.do(1, Op.PUT, processor=0, address=OWN, words=1) == FAILED
    assert await cores.do(1, Op.REGISTER, address=0, second=4) == FAILED
    assert await cores.do(1, Op.PID) == 1


@cocotb.test()
async def the_processor_reaches_registers_between_primitives(dut: Any) -> None:
    """Pass a processor's own reads on, and give the answers to it alone."""
    cores = Cores(dut, 5)
    await cores.begin()
    await cores.start_program()
    count = len(cores.slots.answers[0])
    assert await cores.slots.read(0, "rma_name_sizes") == 16
    assert await cores.do(0, Op.FENCE) == 0
    assert len(cores.slots.answers[0]) == count + 1


@cocotb.test()
async def only_commits_let_packets_leave(dut: Any) -> None:
    """Write nothing for instructions that wait, that are killed, or that stand behind one that is."""
    cores = Cores(dut, 6)
    await cores.begin()
    if cores.rocc:
        return
    await cores.start_program()
    before = cores.puts
    cores.slots.memory[0].set_word(OWN, 99)
    put = Instruction(Op.PUT, 1, 0, OWN, 0, words=1)
    await cores.offer({0: put.xif(0)}, 3)
    await cores.slots.step(100)
    assert cores.puts == before, "a packet has left before its commit"
    await cores.commit([0], kill=True, identity=3)
    await cores.slots.step(100)
    assert cores.puts == before, "a packet of a killed instruction has left"
    for identity in (4, 5, 6):
        await cores.offer({0: put.xif(0)}, identity)
    await cores.commit([0], kill=True, identity=5)  # and 6
    await cores.slots.step(100)
    assert cores.puts == before
    await cores.commit([0], identity=4)
    assert await cores.results([0]) == {0: 0}
    await cores.slots.step(100)
    assert cores.puts == before + 1
    # Those before are committed with the last one.
    for identity in (7, 8, 9):
        await cores.offer({0: put.xif(0)}, identity)
    await cores.commit([0], identity=9)
    await cores.slots.step(200)
    assert cores.puts == before + 4
    assert await cores.do(0, Op.FENCE) == 0


@cocotb.test()
async def other_instructions_are_not_accepted(dut: Any) -> None:
    """Accept opcode custom-0 with a primitive, and nothing else."""
    cores = Cores(dut, 7)
    await cores.begin()
    if cores.rocc:
        return
    pid = XifInstruction.decode(Instruction(Op.PID).xif(3)[0])
    for instr, accepted in (
        (pid, True),
        (XifInstruction.decode(Instruction(Op.FENCE).xif(0)[0]), True),
        (XifInstruction.decode(Instruction(Op.PUT_INLINE).xif(3)[0]), True),
        (XifInstruction.decode(Instruction(Op.LOOKUP).xif(3)[0]), False),
        (replace(pid, operation_high=pid.operation_high | 2), False),
        (replace(pid, opcode=0x2B), False),  # custom-1
        (XifInstruction(opcode=0x13), False),  # addi
    ):
        dut.instr_i.value = instr.encode()
        await ReadOnly()
        assert bool(dut.accept_o.value.to_unsigned() & 1) == accepted, instr
        assert bool(dut.writeback_o.value.to_unsigned() & 1) == (accepted and instr.rd != 0)
        await FallingEdge(dut.clk_i)


@pytest.mark.parametrize("front", [0, 1])
def test_rma_issue(front: int) -> None:
    run("issue_bench", __file__, {"Front": front}, node=NODE, extra_sources=[BENCH])
