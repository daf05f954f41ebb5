# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What Tidings measures today of what Ziavras 2006 measured, and what follows from its own tables."""

import functools
import math
from fractions import Fraction

import tidings
from tidings import _core
from tidings.generated import packets
from tidings.rma.measurement import Bench, Meeting, gap, latency, meetings_of, published

#: Two of its slots stand in for the test system of section 4.3 until the machine crossbar-2006 is there.
MACHINE = "crossbar"
SLOTS = 2
#: Node memory is block RAM: section 4.3.
MEMORY_CYCLES = 1
#: H of Table 9.
SIZES = tuple(1 << bit for bit in range(11))


@functools.cache
def _bench() -> Bench:
    return Bench(tidings.machine(MACHINE, {"memory.latency_cycles": MEMORY_CYCLES}))


@functools.cache
def _meeting() -> Meeting:
    return meetings_of(_bench().machine, SLOTS)[-1]


def clock() -> float:
    """Return the clock of the machine in MHz."""
    return float(_bench().machine.fabric.clock_MHz)


def names() -> float:
    """Return the names that a slot can give: rows of the registration table."""
    return float(_bench().machine.rma.names)


def packet_words() -> float:
    """Return the most words of a PUT packet's payload."""
    return float(_bench().machine.rma.packet_words)


def nameable_regions() -> float:
    """Return the rows that the field of a PUT's header can name."""
    (region,) = (one for one in packets.PutInfo.FIELDS if one.name == "region")
    return float(1 << region.width)


def _header_words() -> int:
    return (packets.Header0.WIDTH + packets.Header1.WIDTH) // packets.WORD_WIDTH


def put_header_words() -> float:
    """Return the words of a PUT before its payload: two headers and an offset."""
    return _header_words() + 1


def get_request_words() -> float:
    """Return the words of a GET's request: two headers and an offset."""
    return _header_words() + 1


# ---------------------------------------------------------------- measurements


@functools.cache
def _times(pattern: str, words: int, *, barrier: bool) -> _core.RmaTimes:
    return _bench().times(_core.RmaPattern[pattern], SLOTS, words, meeting=_meeting() if barrier else None)


def to_barrier(operation: str) -> float:
    """Return the cycles from the first register write of an operation until both slots have met."""
    name, _, words = operation.partition("-")
    pattern = "NOTHING" if name == "Barrier" else name.upper()
    times = _times(pattern, int(words or 1), barrier=True)
    return float(times.met + times.operand_writes)


def alone(operation: str) -> float:
    """Return the cycles from the command of an operation to its last memory write."""
    name, _, words = operation.partition("-")
    return float(_times(name, int(words), barrier=False).last_write)


def exchange(words: str) -> float:
    """Return the cycles of a total exchange from the first register write until both slots have met."""
    times = _times("EXCHANGE", int(words), barrier=True)
    return float(times.met + times.operand_writes)


def to_barrier_us(operation: str) -> float:
    """Return the microseconds until both slots have met."""
    return to_barrier(operation) / clock()


def exchange_us(words: str) -> float:
    """Return the microseconds of a total exchange."""
    return exchange(words) / clock()


def exchange_us_per_word(words: str) -> float:
    """Return the microseconds of a total exchange per word that a slot sends."""
    return exchange_us(words) / (SLOTS * int(words))


# ---------------------------------------------------------------- what follows from the paper's own tables


def _table_8(kind: str, operation: str, words: int) -> float:
    return published()["Table 8", f"{kind}: {operation}, {words}", "cycles"]


@functools.cache
def _table_9() -> dict[int, float]:
    return {size: published()["Table 9", f"total exchange: cycles, {size}", "cycles"] for size in SIZES}


def published_latency() -> float:
    """Return L as section 4.3.2 defines it."""
    return latency(SLOTS, _table_9()) or math.nan


def published_gap() -> float:
    """Return g as section 4.3.2 defines it, to its two digits."""
    return round(gap(SLOTS, _table_9()) or math.nan, 2)


def _costs(words: str) -> tuple[Fraction, Fraction]:
    """Return L and g h as they are, not as binary fractions: the results are rounded up."""
    return Fraction(published_latency()), Fraction(str(published_gap())) * SLOTS * int(words)


def larger_cost(words: str) -> float:
    """Return max(L, g h), rounded up."""
    return math.ceil(max(_costs(words)))


def sum_of_costs(words: str) -> float:
    """Return L + g h, rounded up."""
    return math.ceil(sum(_costs(words)))


def subtracted_cycles() -> float:
    """Return the cycles by which the halves of Table 8 differ."""
    (cycles,) = {
        _table_8("to barrier", operation, words) - _table_8("without barrier", operation, words)
        for operation in ("PUT", "GET")
        for words in (1, 2, 4, 8, 16, 30)
    }
    return cycles


def beside_line(operation: str) -> float:
    """Return how far a row of Table 8 is from the line through its rows of 2 and 16 words."""
    name, _, words = operation.partition("-")
    less, most = (_table_8("to barrier", name, count) for count in (2, 16))
    per_word = (most - less) / 14
    return _table_8("to barrier", name, int(words)) - (less + per_word * (int(words) - 2))


def one_port_cycles() -> float:
    """Return the cycles in which one port reads what a processor sends in Table 9's last row, and writes what comes."""
    return 2.0 * SLOTS * max(SIZES)


def memory_words() -> float:
    """Return the words of a processor in Table 9's last row: its own blocks, and those that come."""
    return 2.0 * SLOTS * max(SIZES)


def slowest_of_others() -> float:
    """Return the most cycles of an operation in Table 2 that is no PUT or GET."""
    of = "cycles of the registration table: operation"
    return max(published()["Table 2", f"{of}, {name}", "cycles"] for name in ("Registration", "Deregistration"))
