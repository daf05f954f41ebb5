# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The tables of ``docs/silicon.md``: which designs they show."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tidings.synth.synthesis import FAMILIES, Result, find_design, synthesize, synthesize_median


@dataclass(frozen=True)
class Row:
    """A design of the tables, and what the reader is told that it is."""

    label: str
    design: str
    parameters: dict[str, int]


#: What a router may have beside the plain one, as the tables show it.
_ROUTERS: tuple[tuple[str, dict[str, int]], ...] = (
    ("", {}),
    (", pipeline", {"Pipeline": 1}),
    (", 16 routes", {"NumRoutes": 16}),
    (", 16 routes, pipeline", {"NumRoutes": 16, "Pipeline": 1}),
    (", 16 routes, pipeline, direct links", {"NumRoutes": 16, "Pipeline": 1, "DirectLinks": 1}),
)

#: Designs that are shown for every target.
ROWS = (
    *(Row(f"`router`, 1 class{what}", "router", parameters) for what, parameters in _ROUTERS),
    *(Row(f"`router`, 2 classes{what}", "router", {"NumClasses": 2} | parameters) for what, parameters in _ROUTERS),
    Row("`reliable_link`, window of 64 frames", "reliable_link", {}),
    Row("`rma`", "rma", {}),
)

#: Seeds of place and route: the tables show the median Fmax of these.
SEEDS = (1, 2, 3)

#: Slots and static routes of the routers with crosspoint buffers that are shown, with one class.
CROSSPOINTS = ((4, 0), (4, 16), (8, 0), (16, 0), (24, 0), (32, 0))
#: With more slots, inputs and outputs are mapped once each. What crosses their border is not simplified then, which
#: costs three per cent with 4 slots and five with 8. Flat, 16 slots are not mapped in half an hour.
CROSSPOINTS_FLAT = 8
CROSSPOINT_PARTS = ("voq_port", "crosspoint_output")
#: Flits of a crosspoint by default, and bits of a flit there.
CROSSPOINT_SIZE = (16, 33)
#: The cell of a distributed RAM.
_MEMORY = "TRELLIS_DPR16X4"
#: What the largest ECP5, the LFE5U-85F, has of LUTs, and of these cells.
DEVICE_LUTS, DEVICE_MEMORIES = 83_640, 10_455

#: Gao 2013, Table 5.4, "Resource utilization of hardware MPE", on a Virtex-4 FX60.
GAO_TABLE_5_4 = {"LUTs": 2843, "flip-flops": 1283, "block RAMs": 16, "DSPs": 4}

#: The collective engine with what Gao's has: one tree, 4,096 words of buffers, one child combined in a pass, whole
#: packets sent to one child after another through the node's one port, elements of 32 bits.
GAO_ENGINE = {
    "mpe_links": 8,
    "mpe_contexts": 1,
    "mpe_buffer_words": 512,
    "mpe_combine_ports": 1,
    "DirectLinks": 0,
    "Multicast": 0,
    "mpe_forward_words": 64,
    "mpe_wide_elements": 0,
}
#: The engine that the machine `spirit` has in each node.
SPIRIT_ENGINE = {"mpe_combine_ports": 6, "DirectLinks": 6}


def table(name: str) -> str:
    """Return a table as Markdown; synthesizes what is not in the cache, which takes some minutes.

    Parameters
    ----------
    name : str
        One of `TABLES`.
    """
    return "\n".join(_COMPARISONS[name]() if name in _COMPARISONS else _areas(name))


def _areas(target: str) -> Iterator[str]:
    """Yield the table of a target."""
    fmax = target == "ecp5"
    yield "| | LUTs | flip-flops | block RAMs | DSPs |" + (" Fmax |" if fmax else "")
    yield "|---|---:|---:|---:|---:|" + ("---:|" if fmax else "")
    for row in ROWS:
        result = synthesize_median(find_design(row.design, row.parameters), target, seeds=SEEDS)
        yield f"| {row.label} | {_counts(result)} |" + (f" {_fmax(result)} |" if fmax else "")


def _routers() -> Iterator[str]:
    """Yield the table that compares routers with the plain one of as many classes, with its pipeline and without."""
    yield "| ECP5 | LUTs | ÷ plain | ÷ plain with as much pipeline | Fmax | a hop | a hop along a route |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for classes in (1, 2):
        plain: dict[int, int] = {}
        for what, parameters in _ROUTERS:
            given = {"NumClasses": classes} | parameters
            result = synthesize_median(find_design("router", given), "ecp5", seeds=SEEDS)
            pipeline = parameters.get("Pipeline", 0)
            routes = parameters.get("NumRoutes", 0) != 0
            if not routes:
                plain[pipeline] = result.luts
            shares = f"{result.luts / plain[0]:.2f} | {result.luts / plain[pipeline]:.2f}"
            hop = f"L + {pipeline}" if pipeline else "L"
            along = "" if not routes else "L + 4" if pipeline else "L + 1"
            label = f"{classes} class{'es' * (classes > 1)}{what}"
            yield f"| {label} | {result.luts:,} | {shares} | {_fmax(result)} | {hop} | {along} |"


def _crosspoints() -> Iterator[str]:
    """Yield the table of routers with crosspoint buffers by their slots."""
    alone = "an input alone | an output alone"
    yield f"| ECP5, 1 class | crosspoints | LUTs | of these memories | flip-flops | Fmax | {alone} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for slots, routes in CROSSPOINTS:
        parameters = {"NumSlots": slots, "NumClasses": 1} | ({"NumRoutes": routes} if routes else {})
        many = slots > CROSSPOINTS_FLAT
        design = find_design("crosspoint_router", parameters, parts=CROSSPOINT_PARTS if many else ())
        result = synthesize(design, "ecp5", seed=None)
        memories = result.cells.get(_MEMORY, 0)
        fits = result.luts <= DEVICE_LUTS and memories <= DEVICE_MEMORIES
        label = f"{slots} slots" + (f", {routes} routes" if routes else "")
        kbit = slots * slots * math.prod(CROSSPOINT_SIZE) / 1000
        counts = f"{kbit:.0f} kbit | {result.luts:,} | {FAMILIES['ecp5'].luts[_MEMORY] * memories:,}"
        # To place and route takes minutes for 8 slots, and some 40 for 16.
        fmax = _fmax(synthesize(design, "ecp5")) if fits else "too large"
        size = {"NumClasses": 1, "NumOutputs": slots} | ({"StaticFlits": CROSSPOINT_SIZE[0]} if routes else {})
        ports = (find_design("voq_port", size), find_design("crosspoint_output", {"NumClasses": 1, "NumInputs": slots}))
        parts = " | ".join(_fmax(synthesize(part, "ecp5")) for part in ports)
        yield f"| {label} | {counts} | {result.flip_flops:,} | {fmax} | {parts} |"


def _gao() -> Iterator[str]:
    """Yield the table that compares the collective engine with Gao's."""
    rows = {
        "`mpe`, the paper's parameters": find_design("mpe", GAO_ENGINE),
        "... its adder and comparators alone": find_design("mpe_combine_stage", {"mpe_wide_elements": 0}),
        "... with elements of 64 bits": find_design("mpe", GAO_ENGINE | {"mpe_wide_elements": 1}),
        "`mpe`, 8 contexts": find_design("mpe", {}),
        "`mpe` of a `spirit` node": find_design("mpe", SPIRIT_ENGINE),
    }
    yield "| Virtex-4 | LUTs | flip-flops | block RAMs | DSPs |"
    yield "|---|---:|---:|---:|---:|"
    yield f"| Gao 2013, Table 5.4 | {' | '.join(f'{count:,}' for count in GAO_TABLE_5_4.values())} |"
    for label, design in rows.items():
        yield f"| {label} | {_counts(synthesize(design, 'xc4v'))} |"


def _slots() -> Iterator[str]:
    """Yield the table of slots by the engines that they have."""
    rows = {
        "`rma` alone": {"mpe_slots": 0, "stream_slots": 0},
        "`rma` and `stream`": {"mpe_slots": 0, "stream_slots": 1},
        "`rma` and `mpe`": {"mpe_slots": 1, "stream_slots": 0},
        "all three": {"mpe_slots": 1, "stream_slots": 1},
    }
    yield "| engines of the slot, on Xilinx 7 series | LUTs | flip-flops | block RAMs | DSPs |"
    yield "|---|---:|---:|---:|---:|"
    for label, parameters in rows.items():
        yield f"| {label} | {_counts(synthesize(find_design('slot', parameters), 'xc7'))} |"


def _switches() -> Iterator[str]:
    """Yield the table of the static switch, and of a mesh node with it and without."""
    none = {"alltoall_slots": 0, "alltoall_adders": 0}
    rows = {
        "`switch_sum`, 4 adders": find_design("switch_sum", {"Adders": 4}),
        "`static_switch`": find_design("static_switch", {}),
        "`alltoall_engine` without adders": find_design("alltoall_engine", {"dims": 2, "alltoall_adders": 0}),
        "`alltoall_engine`, 4 adders": find_design("alltoall_engine", {"dims": 2, "alltoall_adders": 4}),
        "node of `mesh8x8` without the engine `alltoall`": find_design("mesh8x8", none),
        "node of `mesh8x8`": find_design("mesh8x8", {}),
    }
    yield "| on Xilinx 7 series | LUTs | flip-flops | block RAMs | DSPs |"
    yield "|---|---:|---:|---:|---:|"
    for label, design in rows.items():
        yield f"| {label} | {_counts(synthesize(design, 'xc7'))} |"


#: Tables that are no family's.
_COMPARISONS: dict[str, Callable[[], Iterator[str]]] = {
    "routers": _routers,
    "crosspoints": _crosspoints,
    "slots": _slots,
    "switches": _switches,
    "gao": _gao,
}
#: All tables: one per family, and the comparisons.
TABLES = (*FAMILIES, *_COMPARISONS)


def _fmax(result: Result) -> str:
    return f"{result.fmax_MHz:.1f} MHz"


def _counts(result: Result) -> str:
    return f"{result.luts:,} | {result.flip_flops:,} | {result.block_rams:,} | {result.dsps:,}"
