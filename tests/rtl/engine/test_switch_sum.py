# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`switch_sum`: one word of each summand makes a sum, whatever comes when."""

from __future__ import annotations

import random
import struct
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.runner import run

from tidings.collectives.measurement import ELEMENTS

CODES = {name: code for code, name in enumerate(ELEMENTS)}
FORMATS = {"int32": "<i", "int64": "<q", "float": "<f", "double": "<d"}
SUM, MINIMUM, XOR = 0, 1, 5


class Bench:
    """Inputs that have words when they like, and outputs that have room when they like."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.rng = random.Random(seed)
        self.sides = int(dut.Ports.value.to_unsigned()) + 1
        self.share = 0.7  #: of cycles in which an input has a word, and of those with room

    async def begin(self) -> None:
        """Reset the unit."""
        for name in ("start_i", "summands_i", "words_i", "element_i", "combine_i", "valid_i", "data_i", "ready_i"):
            getattr(self.dut, name).value = 0
        await start(self.dut)

    async def combine(self, words: dict[int, list[int]], element: str, combine: int) -> tuple[list[int], int]:
        """Offer words of some inputs; return the sums and the cycles from the start to the last one."""
        dut, rng = self.dut, self.rng
        count = len(next(iter(words.values()), []))
        left = {side: list(reversed(given)) for side, given in words.items()}
        dut.start_i.value = 1
        dut.summands_i.value = sum(1 << side for side in words)
        dut.words_i.value = count
        dut.element_i.value, dut.combine_i.value = CODES[element], combine
        # What comes before the start waits.
        dut.valid_i.value = (1 << self.sides) - 1
        await ReadOnly()
        assert dut.take_o.value == 0
        await FallingEdge(dut.clk_i)
        dut.start_i.value, dut.summands_i.value = 0, rng.getrandbits(self.sides)
        sums: list[int] = []
        cycles = 0
        while dut.running_o.value:
            # Words that follow belong to others.
            valid = sum(1 << side for side in range(self.sides) if rng.random() < self.share)
            dut.valid_i.value = valid
            dut.data_i.value = sum(
                (left[side][-1] if left.get(side) else 0xBAD) << 32 * side for side in range(self.sides)
            )
            dut.ready_i.value = rng.random() < self.share
            await ReadOnly()
            taken = int(dut.take_o.value)
            assert taken & ~valid == 0
            for side in range(self.sides):
                if taken >> side & 1:
                    left[side].pop()
            if dut.valid_o.value and dut.ready_i.value:
                sums.append(int(dut.data_o.value))
            await FallingEdge(dut.clk_i)
            cycles += 1
            assert cycles < 20_000, "it never ends"
        assert not any(left.values())
        return sums, cycles


def words_of(element: str, numbers: list[Any]) -> list[int]:
    """Return the words of elements, the low ones first."""
    raw = b"".join(struct.pack(FORMATS[element], number) for number in numbers)
    return list(struct.unpack(f"<{len(raw) // 4}I", raw))


def expected(element: str, numbers: dict[int, list[int]], combine: int) -> list[int]:
    """Return the words of the results; sums of small whole numbers are the same in any order."""
    results = []
    for column in zip(*numbers.values(), strict=True):
        result = column[0]
        for number in column[1:]:
            result = {SUM: result + number, MINIMUM: min(result, number), XOR: result ^ number}[combine]
        results.append(result)
    return words_of(element, results)


@cocotb.test()
async def sums_of_all_elements(dut: Any) -> None:
    """Combine words of two inputs to all that there are adders for, with stalls of all sides."""
    bench = Bench(dut, 1)
    await bench.begin()
    rng = bench.rng
    most = int(dut.Adders.value.to_unsigned()) + 1
    for round_ in range(60):
        bench.share = (0.2, 0.7, 1.0)[round_ % 3]
        element = rng.choice(list(FORMATS))
        combine = rng.choice((SUM, MINIMUM) if element in ("float", "double") else (SUM, MINIMUM, XOR))
        sides = rng.sample(range(bench.sides), rng.randrange(2, most + 1))
        count = rng.randrange(1, 25)
        numbers = {side: [rng.randrange(-(10**6), 10**6) for _ in range(count)] for side in sides}
        words = {side: words_of(element, given) for side, given in numbers.items()}
        sums, _ = await bench.combine(words, element, combine)
        assert sums == expected(element, numbers, combine)


@cocotb.test()
async def a_sum_per_cycle(dut: Any) -> None:
    """Combine a word of each input per cycle; the last sum comes as many adders later as there are."""
    bench = Bench(dut, 2)
    await bench.begin()
    bench.share = 1.0
    adders, stages = (int(getattr(dut, name).value.to_unsigned()) for name in ("Adders", "FpuStages"))
    for element, pairing in (("float", 0), ("double", 1)):
        numbers = {side: list(range(40)) for side in (bench.sides - 1, *range(adders))}
        words = {side: words_of(element, given) for side, given in numbers.items()}
        sums, cycles = await bench.combine(words, element, SUM)
        assert sums == expected(element, numbers, SUM)
        # Between two adders a word lies in a buffer for a cycle.
        assert cycles == len(sums) + adders * (stages + pairing) + adders - 1


@cocotb.test()
async def nothing_without_summands(dut: Any) -> None:
    """Take and show nothing if no inputs are named."""
    bench = Bench(dut, 3)
    await bench.begin()
    bench.share = 1.0
    assert await bench.combine({}, "int32", SUM) == ([], 0)


@pytest.mark.parametrize(("adders", "stages", "ports"), [(1, 3, 4), (3, 4, 4), (4, 5, 4), (6, 4, 6)])
def test_switch_sum(adders: int, stages: int, ports: int) -> None:
    run("switch_sum", __file__, {"Adders": adders, "FpuStages": stages, "Ports": ports})
