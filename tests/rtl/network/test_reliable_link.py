# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""`reliable_link`: every flit and credit arrives once, in order and correct, whatever the wire does to frames."""

from __future__ import annotations

import itertools
import os
import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness.clock import start
from harness.packets import FLIT_WIDTH, Flit
from harness.runner import run
from tidings.generated.packets import CHECK_POLYNOMIAL, CHECK_WIDTH, MAX_VCS, Frame


class Pair:
    """Drives both ends as routers do: a flit needs a credit, and each flit that was taken gives one back."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.choice = random.Random(seed)
        self.cycle = 0
        self.load = [1.0, 1.0]  #: probability that an end that may send a flit does
        self.places = int(dut.QueueFlits.value.to_unsigned()) // 4
        self.credits = [[self.places] * MAX_VCS, [self.places] * MAX_VCS]
        self.sent: tuple[deque[int], deque[int]] = (deque(), deque())
        self.held: list[list[int]] = [[0] * MAX_VCS, [0] * MAX_VCS]  #: flits that an end's buffers hold
        self.delivered = [0, 0]  #: flits that came out at an end
        self.delay: list[int] = []
        self.stamps: tuple[deque[int], deque[int]] = (deque(), deque())
        self.resent = 0
        self.damaged = 0
        self.error_rate = 0.0
        self.cut = 0

    async def reset(self) -> Pair:
        """Start clock and reset with all inputs quiet."""
        for name in ("flit_valid_i", "flit_i", "credit_i", "error_i", "cut_i"):
            getattr(self.dut, name).value = 0
        await start(self.dut)
        return self

    def _errors(self) -> int:
        """Return wrong bits of both wires in a cycle, each bit with the error rate."""
        mask = 0
        if self.error_rate:
            quiet = (1 - self.error_rate) ** (2 * Frame.WIDTH)
            if self.choice.random() >= quiet:
                while not mask:
                    for bit in range(2 * Frame.WIDTH):
                        mask |= (self.choice.random() < self.error_rate) << bit
        return mask

    async def step(self) -> None:
        """Let one cycle pass; check what comes out, and choose what goes in."""
        dut = self.dut
        valid = flits = credit = 0
        for end in (0, 1):
            ready = [vc for vc in range(MAX_VCS) if self.credits[end][vc]]
            if ready and self.choice.random() < self.load[end]:
                vc = self.choice.choice(ready)
                bits = self.choice.getrandbits(33)
                flit = Flit(bits & 0xFFFF_FFFF, bool(bits >> 32), vc).pack()
                self.credits[end][vc] -= 1
                self.sent[end].append(flit)
                self.stamps[end].append(self.cycle)
                valid |= 1 << end
                flits |= flit << (FLIT_WIDTH * end)
            for vc in range(MAX_VCS):
                if self.held[end][vc] and self.choice.random() < 0.7:
                    self.held[end][vc] -= 1
                    credit |= 1 << (MAX_VCS * end + vc)
        dut.flit_valid_i.value = valid
        dut.flit_i.value = flits
        dut.credit_i.value = credit
        dut.error_i.value = self._errors()
        dut.cut_i.value = self.cut
        await ReadOnly()
        out_valid = int(dut.flit_valid_o.value.to_unsigned())
        out_flits = int(dut.flit_o.value.to_unsigned())
        out_credit = int(dut.credit_o.value.to_unsigned())
        for end in (0, 1):
            if out_valid >> end & 1:
                flit = out_flits >> (FLIT_WIDTH * end) & ((1 << FLIT_WIDTH) - 1)
                assert self.sent[1 - end], f"cycle {self.cycle}: end {end} got a flit that nobody sent"
                assert flit == self.sent[1 - end].popleft(), f"cycle {self.cycle}: end {end} got another flit"
                self.delay.append(self.cycle - self.stamps[1 - end].popleft())
                self.held[end][Flit.unpack(flit).vc] += 1
                self.delivered[end] += 1
            for vc in range(MAX_VCS):
                if out_credit >> (MAX_VCS * end + vc) & 1:
                    self.credits[end][vc] += 1
                    assert self.credits[end][vc] <= self.places, f"cycle {self.cycle}: end {end} got too many credits"
        self.resent += int(dut.resent_o.value.to_unsigned()).bit_count()
        self.damaged += int(dut.damaged_o.value.to_unsigned()).bit_count()
        self.cycle += 1
        await FallingEdge(dut.clk_i)

    async def settle(self) -> None:
        """Send nothing more; everything must arrive, and all credits must come home."""
        self.load = [0.0, 0.0]
        limit = self.cycle + 100 * int(self.dut.Timeout.value.to_unsigned())
        while any(self.sent) or any(self.held[0] + self.held[1]) or self.dut.busy_o.value == 1:
            await self.step()
            assert self.cycle < limit, f"{len(self.sent[0])} and {len(self.sent[1])} flits did not arrive"
        assert self.credits == [[self.places] * MAX_VCS] * 2


@cocotb.test()
async def flits_and_credits_take_two_cycles_more_than_the_wire(dut: Any) -> None:
    pair = await Pair(dut, 1).reset()
    pair.load = [1.0, 0.0]
    latency = int(dut.Latency.value.to_unsigned())
    for _ in range(200):
        await pair.step()
    # Shown in cycle t, on the wire in t + 1, off it Latency - 1 later, delivered in the next cycle.
    assert set(pair.delay) == {latency + 1}
    await pair.settle()
    assert pair.resent == pair.damaged == 0


@cocotb.test()
async def without_errors_every_cycle_carries_a_flit_each_way(dut: Any) -> None:
    pair = await Pair(dut, 2).reset()
    for _ in range(100):
        await pair.step()
    before = list(pair.delivered)
    for _ in range(300):
        await pair.step()
    assert [now - then for now, then in zip(pair.delivered, before, strict=True)] == [300, 300]
    await pair.settle()
    assert pair.resent == 0


@cocotb.test()
async def nothing_is_lost_doubled_or_reordered_at_any_error_rate(dut: Any) -> None:
    for seed, (rate, load) in enumerate(itertools.product((1e-4, 1e-3, 4e-3), (1.0, 0.1)), start=10):
        pair = await Pair(dut, seed).reset()
        pair.error_rate = rate
        pair.load = [load, load * load]
        for _ in range(1500):
            await pair.step()
        await pair.settle()
        assert sum(pair.delivered) > 100
        dut._log.info(
            "seed %d, bit error rate %g: %d frames damaged, %d sent again", seed, rate, pair.damaged, pair.resent
        )
        if rate >= 1e-3 and load == 1.0:
            assert pair.damaged > 10
            assert pair.resent > 10


@cocotb.test()
async def a_lost_acknowledgement_or_request_is_made_good_by_the_timeout(dut: Any) -> None:
    pair = await Pair(dut, 30).reset()
    pair.load = [0.3, 0.0]
    timeout = int(dut.Timeout.value.to_unsigned())
    for wire in (0b01, 0b10, 0b11):
        for _ in range(40):
            await pair.step()
        pair.cut = wire
        for _ in range(2 * timeout):
            await pair.step()
        pair.cut = 0
    await pair.settle()
    assert pair.resent > 0
    assert dut.dead_o.value.to_unsigned() == 0


@cocotb.test()
async def a_link_that_stays_silent_or_damaged_is_given_up_after_the_retries(dut: Any) -> None:
    timeout, retries = (int(getattr(dut, name).value.to_unsigned()) for name in ("Timeout", "MaxRetries"))
    for seed, (cut, rate) in enumerate([(0b11, 0.0), (0b01, 0.0), (0b10, 0.0), (0, 0.5)], start=40):
        pair = await Pair(dut, seed).reset()
        pair.load = [0.5, 0.0]
        for _ in range(50):
            await pair.step()
        assert dut.dead_o.value.to_unsigned() == 0
        pair.cut, pair.error_rate = cut, rate
        began = pair.cycle
        while not dut.dead_o.value.to_unsigned() & 1:
            await pair.step()
            assert pair.cycle < began + (retries + 2) * (timeout + 2)
        if not rate:
            assert pair.cycle - began > (retries - 1) * timeout
        # From then on it is quiet.
        pair.cut, pair.error_rate = 0b11, 0.0
        pair.load = [0.0, 0.0]
        for _ in range((retries + 2) * timeout):
            await pair.step()
        sent = pair.resent
        for _ in range(3 * timeout):
            await pair.step()
        assert pair.resent == sent
        assert dut.dead_o.value.to_unsigned() & 1


def _syndromes() -> list[int]:
    """Return what each wrong bit of a frame does to the check."""
    content = []
    value = CHECK_POLYNOMIAL
    for _ in range(Frame.WIDTH - CHECK_WIDTH):
        content.append(value)
        value <<= 1
        if value >> CHECK_WIDTH:
            value ^= 1 << CHECK_WIDTH | CHECK_POLYNOMIAL
    return content + [1 << bit for bit in range(CHECK_WIDTH)]


def test_any_five_wrong_bits_are_found() -> None:
    syndromes = _syndromes()
    assert len(set(syndromes)) == Frame.WIDTH
    # No sum of one to five is zero, if no sum of up to two is one of up to three others.
    few = {0, *syndromes, *(a ^ b for a, b in itertools.combinations(syndromes, 2))}
    assert len(few) == 1 + Frame.WIDTH + Frame.WIDTH * (Frame.WIDTH - 1) // 2
    three = {a ^ b ^ c for a, b, c in itertools.combinations(syndromes, 3)}
    assert not three & few


@pytest.mark.parametrize(
    "parameters",
    [
        {"Latency": 1, "QueueFlits": 32, "Window": 8, "Timeout": 8, "MaxRetries": 12},
        {"Latency": 10, "QueueFlits": 128, "Window": 32, "Timeout": 40, "MaxRetries": 12},
    ],
)
def test_reliable_link(parameters: dict[str, int]) -> None:
    wrapper = Path(__file__).with_name("reliable_pair.sv")
    run("reliable_pair", __file__, parameters, extra_sources=[wrapper], seed=int(os.environ.get("TIDINGS_SEED", "1")))
