# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`name_table`: which number a region gets, when it can be used, and how it is found again."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.runner import run
from tidings.generated.packets import NameCommand, NameOperation, NameResult, RmaRegion

#: Cycles from a command to its result.
CYCLES = {
    NameOperation.LOOKUP: 1,
    NameOperation.REGISTER: 2,
    NameOperation.DEREGISTER: 3,
    NameOperation.RELEASE: 3,
}


@dataclass
class Region:
    """What a number stands for."""

    base: int
    length: int
    readable: bool
    writable: bool


class Bench:
    """A table, and what must be in it."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.names = int(dut.Names.value.to_unsigned())
        self.rows = int(dut.Rows.value.to_unsigned())
        self.rng = random.Random(seed)
        self.regions: dict[int, Region] = {}
        self.filled = 0

    async def begin(self) -> None:
        """Reset the table."""
        for name in ("command_valid_i", "command_i", "filled_i", "lookup_i", "number_i"):
            getattr(self.dut, name).value = 0
        await start(self.dut)

    def expect(self, command: NameCommand) -> NameResult:
        """Return the result that a command must have, and keep what it does."""
        if command.operation == NameOperation.REGISTER:
            vacant = [n for n in range(self.names) if n not in self.regions and not self.filled >> n & 1]
            if not vacant:
                return NameResult()
            self.regions[vacant[0]] = Region(
                command.base & ~3, command.length, bool(command.readable), bool(command.writable)
            )
            return NameResult(found=True, number=vacant[0])
        if command.operation == NameOperation.RELEASE:
            found = [command.number] if command.number in self.regions else []
        else:
            found = sorted(n for n, region in self.regions.items() if region.base == command.base & ~3)
        if not found:
            return NameResult()
        if command.operation != NameOperation.LOOKUP:
            del self.regions[found[0]]
        return NameResult(found=True, number=found[0])

    async def command(self, command: NameCommand) -> NameResult:
        """Give a command and check when its result comes, and what it is."""
        dut = self.dut
        expected = self.expect(command)
        dut.command_valid_i.value = 1
        dut.command_i.value = command.encode()
        await FallingEdge(dut.clk_i)
        dut.command_valid_i.value = 0
        dut.command_i.value = self.rng.getrandbits(NameCommand.WIDTH)
        cycles = CYCLES[command.operation] if expected.found else 1
        for _ in range(cycles - 1):
            await ReadOnly()
            assert NameResult.decode(dut.result_o.value.to_unsigned()) == NameResult(busy=True)
            assert dut.busy_o.value
            await FallingEdge(dut.clk_i)
        await ReadOnly()
        assert not dut.busy_o.value
        assert NameResult.decode(dut.result_o.value.to_unsigned()) == expected
        await FallingEdge(dut.clk_i)
        return expected

    async def register(self, base: int, length: int = 64) -> NameResult:
        """Register a region."""
        return await self.command(NameCommand(NameOperation.REGISTER, 0, True, True, base, length))

    async def row(self, number: int) -> RmaRegion:
        """Read the row of a number."""
        dut = self.dut
        dut.lookup_i.value = 1
        dut.number_i.value = number
        await FallingEdge(dut.clk_i)
        dut.lookup_i.value = 0
        dut.number_i.value = self.rng.getrandbits(8)
        await FallingEdge(dut.clk_i)
        return RmaRegion.decode(dut.row_o.value.to_unsigned())

    async def check_row(self, number: int) -> None:
        """Read a row, which must be that of its region."""
        row = await self.row(number)
        region = self.regions.get(number)
        assert row.valid == (region is not None)
        if region is not None:
            assert (row.base, row.length) == (region.base, region.length)
            assert (row.readable, row.writable, row.routes) == (region.readable, region.writable, False)


@cocotb.test()
async def numbers_are_the_lowest_that_are_free(dut: Any) -> None:
    """Give all numbers in turn, refuse one more, and give a number again that has been freed."""
    bench = Bench(dut, 1)
    await bench.begin()
    for number in range(bench.names):
        assert await bench.register(0x1000 + 0x40 * number) == NameResult(found=True, number=number)
    assert await bench.register(0) == NameResult()
    for number in (bench.names - 1, bench.names // 2):
        await bench.command(NameCommand(NameOperation.DEREGISTER, base=0x1000 + 0x40 * number))
    assert (await bench.register(0)).number == bench.names // 2
    assert (await bench.register(4)).number == bench.names - 1
    for number in range(bench.names):
        await bench.check_row(number)


@cocotb.test()
async def rows_that_software_has_filled_are_not_given(dut: Any) -> None:
    """Leave out numbers that are in use elsewhere."""
    bench = Bench(dut, 2)
    await bench.begin()
    bench.filled = 0b1011 & (1 << bench.rows) - 1
    dut.filled_i.value = bench.filled
    assert (await bench.register(0x40)).number == 2
    assert (await bench.register(0x80)).number == 4


@cocotb.test()
async def a_command_beside_another_is_lost_and_does_nothing(dut: Any) -> None:
    """Drop what comes while a registration or a deregistration is under way, and say so."""
    bench = Bench(dut, 3)
    await bench.begin()
    for operation in (NameOperation.REGISTER, NameOperation.DEREGISTER):
        command = NameCommand(operation, base=0x400, length=8, readable=True)
        expected = bench.expect(command)
        dut.command_valid_i.value = 1
        for cycle in range(CYCLES[operation]):
            other = NameCommand(NameOperation.REGISTER, base=0x800)
            dut.command_i.value = (command if cycle == 0 else other).encode()
            await ReadOnly()
            assert bool(dut.lost_o.value) == (cycle > 0)
            await FallingEdge(dut.clk_i)
        dut.command_valid_i.value = 0
        assert NameResult.decode(dut.result_o.value.to_unsigned()) == expected
        await FallingEdge(dut.clk_i)
    assert await bench.command(NameCommand(NameOperation.LOOKUP, base=0x800)) == NameResult()


@cocotb.test()
async def nothing_is_left_after_a_reset(dut: Any) -> None:
    """Find no region of before a reset, neither by its address nor by its number."""
    bench = Bench(dut, 4)
    await bench.begin()
    for number in range(bench.names):
        await bench.register(0x40 * number)
    dut.rst_ni.value = 0
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    bench.regions = {}
    for number in range(bench.names):
        assert await bench.command(NameCommand(NameOperation.LOOKUP, base=0x40 * number)) == NameResult()
        await bench.check_row(number)
    # Other addresses than before at the same numbers.
    for number in range(bench.names):
        assert (await bench.register(0x40 * (bench.names - number))).number == number
    for number in range(bench.names):
        await bench.command(NameCommand(NameOperation.LOOKUP, base=0x40 * number))


@cocotb.test()
async def random_commands_find_what_was_registered(dut: Any) -> None:
    """Register, free and find regions at addresses that share most of their bits, several at one address."""
    bench = Bench(dut, 5)
    await bench.begin()
    addresses = [bench.rng.getrandbits(32) for _ in range(3)]
    addresses += [addresses[0] ^ 4 << bit for bit in range(0, 30, 3)]
    for _ in range(3000):
        filling = len(bench.regions) < bench.names // 2
        operation = bench.rng.choice((NameOperation.REGISTER, *NameOperation) if filling else tuple(NameOperation))
        await bench.command(
            NameCommand(
                operation,
                number=bench.rng.choice((bench.rng.getrandbits(8), bench.rng.randrange(bench.names))),
                readable=bench.rng.random() < 0.5,
                writable=bench.rng.random() < 0.5,
                base=bench.rng.choice(addresses) ^ bench.rng.getrandbits(2),
                length=bench.rng.getrandbits(32),
            )
        )
        if bench.rng.random() < 0.3:
            await bench.check_row(bench.rng.randrange(256) if bench.names < 256 else bench.rng.randrange(16))


@pytest.mark.parametrize(("names", "rows"), [(16, 5), (256, 16)])
def test_name_table(names: int, rows: int) -> None:
    run("name_table", __file__, {"Names": names, "Rows": rows})
