# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`fp_adder`: every pair of small numbers against exact arithmetic; floats and doubles against SoftFloat."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import cocotb
import pytest
import softfloatpy
from cocotb.triggers import FallingEdge
from harness.clock import start
from harness.runner import run


@dataclass(frozen=True)
class Format:
    """A binary format of IEEE 754: a sign, an exponent and a fraction."""

    exponent_bits: int
    fraction_bits: int

    @property
    def width(self) -> int:
        """Bits of a number."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def largest_exponent(self) -> int:
        """Exponent of what is infinite or not a number."""
        return (1 << self.exponent_bits) - 1

    @property
    def infinity(self) -> int:
        """Bits of positive infinity."""
        return self.largest_exponent << self.fraction_bits

    @property
    def nan(self) -> int:
        """Bits of the canonical quiet NaN."""
        return self.infinity | 1 << (self.fraction_bits - 1)

    def is_nan(self, bits: int) -> bool:
        """Tell whether bits are not a number."""
        return bits & ~(1 << (self.width - 1)) > self.infinity

    def ulps(self, magnitude: int) -> int:
        """Return a finite magnitude in units of the smallest subnormal."""
        exponent, fraction = magnitude >> self.fraction_bits, magnitude & ((1 << self.fraction_bits) - 1)
        return fraction if exponent == 0 else (fraction | 1 << self.fraction_bits) << (exponent - 1)

    def sum(self, a: int, b: int) -> int:
        """Add by exact arithmetic, then take the nearest number, the even one of two."""
        sign_bit = 1 << (self.width - 1)
        signs = [-1 if x & sign_bit else 1 for x in (a, b)]
        magnitudes = [x & ~sign_bit for x in (a, b)]
        if any(self.is_nan(x) for x in magnitudes):
            return self.nan
        infinite = [sign for sign, x in zip(signs, magnitudes, strict=True) if x == self.infinity]
        if infinite:
            return self.nan if sum(infinite) == 0 else self.infinity | (sign_bit if infinite[0] < 0 else 0)
        exact = sum(sign * self.ulps(x) for sign, x in zip(signs, magnitudes, strict=True))
        if exact == 0:
            return a & b & sign_bit
        # Magnitudes are ordered as the numbers are, so the nearest is found by bisection.
        low, high = 0, self.infinity
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.ulps(middle) <= abs(exact) else (low, middle)
        half = Fraction(self.ulps(low) + self.ulps(high), 2)
        nearest = low if abs(exact) < half or (abs(exact) == half and low % 2 == 0) else high
        return nearest | (sign_bit if exact < 0 else 0)


FLOAT, DOUBLE = Format(8, 23), Format(11, 52)


def softfloat_sum(form: Format, a: int, b: int) -> int:
    """Add as SoftFloat does; its signs and payloads of what is not a number are another machine's."""
    number = {FLOAT: softfloatpy.Float32, DOUBLE: softfloatpy.Float64}[form]
    add = {FLOAT: softfloatpy.f32_add, DOUBLE: softfloatpy.f64_add}[form]
    size = form.width // 8
    result = add(number.from_bytes(a.to_bytes(size, "big")), number.from_bytes(b.to_bytes(size, "big")))
    bits = int.from_bytes(result.to_bytes(), "big")
    return form.nan if form.is_nan(bits) else bits


def operands(form: Format, count: int, seed: int) -> Iterable[tuple[int, int]]:
    """Yield every pair of special numbers and their neighbours, then random pairs, many of near magnitude."""
    sign_bit, hidden = 1 << (form.width - 1), 1 << form.fraction_bits
    one = (form.largest_exponent // 2) << form.fraction_bits
    edges = (0, 1, 2, hidden - 1, hidden, hidden + 1, one - 1, one, one + 1, one + hidden // 2, one + hidden - 1)
    edges += (form.infinity - hidden, form.infinity - 1, form.infinity, form.infinity + 1, form.nan, sign_bit - 1)
    special = [bits | sign for bits in edges for sign in (0, sign_bit)]
    yield from itertools.product(special, special)
    rng = random.Random(seed)
    for _ in range(count):
        a = rng.getrandbits(form.width)
        b = rng.getrandbits(form.width)
        if rng.random() < 0.7:
            # Near in exponent, so that digits cancel or half of an ulp decides.
            exponent = (a >> form.fraction_bits & form.largest_exponent) + rng.randint(-form.fraction_bits - 3, 3)
            exponent = min(max(exponent, 0), form.largest_exponent - 1)
            fraction = rng.choice((rng.getrandbits(form.fraction_bits), 0, 1, hidden - 1, a & (hidden - 1)))
            b = rng.getrandbits(1) << (form.width - 1) | exponent << form.fraction_bits | fraction
        yield a, b


async def check(dut: Any, form: Format, pairs: list[tuple[int, int]], expected_sum: Callable[[int, int], int]) -> None:
    """Add pairs of a format, with pauses now and then, and compare every sum in the cycle in which it is due."""
    shift = int(dut.Width.value) - form.width
    dut.short_i.value = int(shift > 0)
    pause = random.Random(2)
    waiting: deque[tuple[int, int, int]] = deque()
    cycle = sent = 0
    while waiting or sent < len(pairs):
        valid = sent < len(pairs) and pause.random() >= 0.02
        dut.valid_i.value = int(valid)
        if valid:
            a, b = pairs[sent]
            sent += 1
            dut.a_i.value, dut.b_i.value = a << shift, b << shift
            waiting.append((cycle + int(dut.Stages.value), a, b))
        await FallingEdge(dut.clk_i)
        cycle += 1
        due = bool(waiting) and waiting[0][0] == cycle
        assert bool(int(dut.valid_o.value)) == due
        if due:
            _, a, b = waiting.popleft()
            result, expected = int(dut.result_o.value) >> shift, expected_sum(a, b)
            assert result == expected, f"{a:#x} + {b:#x} is {expected:#x}, not {result:#x}"


async def _begin(dut: Any) -> tuple[Format, Format]:
    for signal in (dut.valid_i, dut.short_i, dut.a_i, dut.b_i):
        signal.value = 0
    await start(dut)
    return (
        Format(int(dut.ExponentBits.value), int(dut.FractionBits.value)),
        Format(int(dut.ShortExponentBits.value), int(dut.ShortFractionBits.value)),
    )


@cocotb.test()
async def every_sum_of_a_small_format_is_exact_arithmetic_rounded(dut: Any) -> None:
    for form in await _begin(dut):
        await check(dut, form, list(itertools.product(range(1 << form.width), repeat=2)), form.sum)


@cocotb.test()
async def sums_of_floats_and_doubles_are_those_of_softfloat(dut: Any) -> None:
    for form in await _begin(dut):
        pairs = list(operands(form, 6000, seed=form.width))
        await check(dut, form, pairs, partial(softfloat_sum, form))


def test_reference_agrees_with_softfloat() -> None:
    for form in (FLOAT, DOUBLE):
        for a, b in operands(form, 500, seed=3):
            assert form.sum(a, b) == softfloat_sum(form, a, b)


@pytest.mark.parametrize(
    ("stages", "form", "short"),
    [(3, Format(2, 4), Format(2, 2)), (4, Format(3, 3), Format(2, 2)), (5, Format(3, 2), Format(3, 2))],
)
def test_small_formats(stages: int, form: Format, short: Format) -> None:
    _run(stages, form, short, "every_sum.*")


@pytest.mark.parametrize("stages", [3, 4])
def test_floats_and_doubles(stages: int) -> None:
    _run(stages, DOUBLE, FLOAT, "sums_of.*")


def _run(stages: int, form: Format, short: Format, tests: str) -> None:
    parameters = {
        "Stages": stages,
        "ExponentBits": form.exponent_bits,
        "FractionBits": form.fraction_bits,
        "ShortExponentBits": short.exponent_bits,
        "ShortFractionBits": short.fraction_bits,
    }
    run("fp_adder", __file__, parameters, test_filter=tests)
