# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What follows from the structure of the coprocessor of Ziavras 2006, and from the paper's own tables."""

import functools
import math
from fractions import Fraction

import tidings
from tidings import _core
from tidings.machines.configuration import node_parameters
from tidings.machines.file import Machine
from tidings.rma.coprocessor import (
    HEADER_BITS,
    HEADER_WORDS,
    PACKET_TYPES,
    Coprocessor,
    cluster_gap_us,
)
from tidings.rma.measurement import gap, latency, published
from tidings.synth.synthesis import Result, find_design, synthesize

#: The test system of section 4.3, of our routers and engines.
MACHINE = "crossbar-2006"
SLOTS = 2
#: H of Table 9.
SIZES = tuple(1 << bit for bit in range(11))
COPROCESSOR = Coprocessor()


@functools.cache
def _machine() -> Machine:
    return tidings.machine(MACHINE)


def clock() -> float:
    """Return the clock of the machine in MHz."""
    return float(_machine().fabric.clock_MHz)


def names() -> float:
    """Return the names that a slot can give: rows of the registration table."""
    return float(_machine().rma.names)


def nameable_regions() -> float:
    """Return the rows that the field of a packet's header can name."""
    return float(1 << HEADER_BITS["address"])


def packet_words() -> float:
    """Return the most words of a PUT packet's payload."""
    return float(_machine().rma.packet_words)


def put_header_words() -> float:
    """Return the words of a PUT before its payload."""
    return HEADER_WORDS["PUT-n"]


def get_request_words() -> float:
    """Return the words of a GET's request."""
    return HEADER_WORDS["GET"]


def packet_type(name: str) -> float:
    """Return the type of a packet in its header."""
    return PACKET_TYPES[name]


def table_cycles(operation: str) -> float:
    """Return the cycles for which an operation occupies `name_table`."""
    times = _core.benchmark_names()
    return {
        "NOP": times.nothing,
        "RAM_lookup": times.by_number,
        "CAM_lookup": times.by_address,
        "Registration": times.registration,
        "Deregistration": times.deregistration,
    }[operation]


def coprocessor_words(fifo: str) -> float:
    """Return the words of a FIFO of the model."""
    return {
        "Instruction": COPROCESSOR.instruction_fifo,
        "Data": COPROCESSOR.data_fifo,
        "Data8": COPROCESSOR.data8_fifo,
        "Head": COPROCESSOR.head_fifo,
        "MM Interface": COPROCESSOR.task_fifo,
        "In": COPROCESSOR.in_fifo,
        "Out": COPROCESSOR.out_fifo,
    }[fifo]


def router_words(fifo: str) -> float:
    """Return the words of a memory of the machine's router."""
    router = _machine().router
    words: dict[str, int] = {
        "Crosspoint Buffer": router.crosspoint_flits,
        "Input Memory": router.voq_flits,
        "Output Memory": router.slot_buffer_flits,
    }
    return words[fifo]


@functools.cache
def _area(part: str, target: str) -> Result:
    """Return what a part costs. A slot has the parameters of the machine, without the engine `mpe`."""
    parameters = {
        "name_table": {"Names": _machine().rma.names},
        "rma_moves": {"Depth": _machine().rma.command_depth},
        "rma_issue": {"CommandDepth": _machine().rma.command_depth},
        "slot": node_parameters(_machine()) | {"mpe_slots": 0},
    }[part]
    return synthesize(find_design(part, parameters), target)


def luts(*parts: str) -> float:
    """Return the LUTs of parts of a coprocessor in the paper's family."""
    return sum(_area(part, "xc2v").luts for part in parts)


def block_rams(*parts: str) -> float:
    """Return the block RAMs of parts of a coprocessor in the paper's family."""
    return sum(_area(part, "xc2v").block_rams for part in parts)


def luts_alone(*parts: str) -> float:
    """Return the LUTs of parts of a coprocessor if block RAMs are not used."""
    return sum(_area(part, "xc2v-luts").luts for part in parts)


@functools.cache
def throughput(pattern: str) -> float:
    """Return the load in per cent that a router of 16 ports carries, in packets of a flit."""
    machine = tidings.machine(MACHINE, {"topology.slots": 16, "barrier.slots": []})
    study = tidings.bench_traffic(
        machine,
        pattern=pattern,
        hot_share=0.5,
        packet_flits=1,
        loads=[0.01],
        warmup_cycles=10_000,
        measure_cycles=50_000,
        saturation=True,
    )
    assert study.saturation is not None
    return 100 * study.saturation.load


# ---------------------------------------------------------------- measurements


def to_barrier(operation: str) -> float:
    """Return the cycles until both coprocessors have met."""
    name, _, words = operation.partition("-")
    if name in ("PUT", "GET"):
        return COPROCESSOR.put(int(words)) if name == "PUT" else COPROCESSOR.get(int(words))
    return {
        "Barrier": COPROCESSOR.barrier,
        "Registration": COPROCESSOR.registered,
        "Deregistration": COPROCESSOR.deregistered,
    }[name]()


def to_barrier_us(operation: str) -> float:
    """Return the microseconds until both coprocessors have met."""
    return to_barrier(operation) / clock()


def alone(operation: str) -> float:
    """Return the cycles of an operation as section 4.3 computes them."""
    return COPROCESSOR.alone(int(to_barrier(operation)))


def exchange(slots: str, words: str) -> float:
    """Return the cycles of a total exchange."""
    return COPROCESSOR.total_exchange(int(slots), int(words))


def exchange_us(slots: str, words: str) -> float:
    """Return the microseconds of a total exchange."""
    return exchange(slots, words) / clock()


def gap_us(system: str, slots: str, words: str) -> float:
    """Return the microseconds of a total exchange per word that a processor sends."""
    if system == "cluster":
        return cluster_gap_us(int(slots), int(words))
    return exchange_us(slots, words) / (int(slots) * int(words))


def faster_than_cluster(slots: str) -> float:
    """Return at how many sizes the coprocessors take less time per word than the cluster."""
    return sum(gap_us("coprocessor", slots, str(size)) < gap_us("cluster", slots, str(size)) for size in SIZES)


def longer_with_four() -> float:
    """Return at how many sizes a total exchange of four takes longer than one of two."""
    return sum(exchange("4", str(size)) > exchange("2", str(size)) for size in SIZES)


def cycles_per_word() -> float:
    """Return g of the model at the largest size."""
    times = {size: exchange(str(SLOTS), str(size)) for size in SIZES}
    return gap(SLOTS, times) or math.nan


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
