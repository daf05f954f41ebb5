# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Compile the engines, routers and nodes that the tests of their twins load.

``python build_engine_libraries.py OUT`` puts ``mpe_NAME.so``, ``slot_NAME.so``, ``router_NAME.so``, ``link_NAME.so``
and ``node_NAME.so`` for each set of parameters into OUT.
They come from the cache of compiled nodes, so all but the first call take no time.
"""

import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from tidings.build.verilated_node import Model, Variant, link_libraries, node_model

ROOT = Path(__file__).resolve().parents[2]
#: Headers that the wrapper includes and that do not take part in the name of a library by themselves.
HEADERS = ("tests/equivalence/mpe_library.h", "sim/cycle/mpe_pkg.h", "sim/cycle/tidings_pkg.h", "sim/machine/types.h")


@dataclass(frozen=True)
class Engine:
    """An engine or slot: its node's configuration, and the other parameters of its module."""

    node: dict[str, int]
    direct_links: int
    multicast: bool = True


#: Parameters of ``mpe.sv``.
MPES = {
    "default": Engine({}, direct_links=6),
    "smallest": Engine(
        {
            "mpe_links": 2,
            "mpe_contexts": 1,
            "mpe_buffer_words": 8,
            "mpe_packet_words": 4,
            "mpe_combine_ports": 2,
            "fpu_stages": 3,
            "mpe_forward_words": 4,
        },
        direct_links=2,
        multicast=False,
    ),
    "uneven": Engine(
        {
            "mpe_links": 5,
            "mpe_contexts": 4,
            "mpe_buffer_words": 32,
            "mpe_packet_words": 8,
            "mpe_combine_ports": 3,
            "fpu_stages": 5,
            "mpe_forward_words": 3,
        },
        direct_links=4,
    ),
    # A packet goes on before it has all come, and neighbours seldom have room for all of it.
    "close": Engine(
        {
            "mpe_links": 3,
            "mpe_contexts": 1,
            "mpe_buffer_words": 16,
            "mpe_packet_words": 8,
            "mpe_combine_ports": 2,
            "fpu_stages": 3,
        },
        direct_links=3,
    ),
    "indirect": Engine(
        {
            "mpe_links": 3,
            "mpe_contexts": 1,
            "mpe_buffer_words": 16,
            "mpe_packet_words": 4,
            "fpu_stages": 3,
            "mpe_wide_elements": 0,
        },
        direct_links=0,
    ),
}


def mpe_model(engine: Engine) -> Model:
    """Return the model of a message passing engine."""
    headers = b"".join((ROOT / header).read_bytes() for header in HEADERS)
    return Model(
        top="mpe",
        node=engine.node,
        parameters={"DirectLinks": str(engine.direct_links), "Multicast": str(int(engine.multicast))},
        wrapper=ROOT / "tests" / "equivalence" / "mpe_library.cpp",
        defines={
            "TIDINGS_MPE_DIRECT_LINKS": str(engine.direct_links),
            "TIDINGS_MPE_MULTICAST": str(int(engine.multicast)),
            # A change of a header makes another library.
            "TIDINGS_HEADERS": f"0x{hashlib.sha256(headers).hexdigest()[:8]}",
        },
        variant=Variant(assertions=True),
    )


#: Parameters of ``slot.sv``.
SLOTS = {
    "no_mpe": Engine({"replies_first": 1, "mpe_slots": 0}, direct_links=0),
    "stream": Engine({"mpe_slots": 0, "stream_slots": 1, "stream_store_words": 18, "whole_packets": 1}, direct_links=0),
    # Beside barriers, a static switch that has fixed routes alone.
    "barrier": Engine(
        {"mpe_slots": 0, "barrier_slots": 1, "alltoall_slots": 1, "alltoall_period_words": 1}, direct_links=0
    ),
    "alltoall": Engine(
        {"mpe_slots": 0, "alltoall_slots": 1, "alltoall_period_words": 16, "alltoall_adders": 3, "dims": 2},
        direct_links=0,
    ),
    # Six network ports, as in three dimensions.
    "alltoall_six": Engine(
        {
            "mpe_slots": 0,
            "alltoall_slots": 1,
            "alltoall_period_words": 16,
            "alltoall_adders": 6,
            "alltoall_buffer_words": 16,
        },
        direct_links=0,
    ),
    "hub": Engine(
        {"mpe_slots": 0, "barrier_slots": 1, "dims": 0, "dateline": 0, "rma_names": 256, "rma_atomics": 1},
        direct_links=0,
    ),
    "default": Engine({}, direct_links=0),
    "small": Engine(
        {
            "slot_buffer_flits": 4,
            "mpe_links": 3,
            "mpe_contexts": 2,
            "mpe_buffer_words": 32,
            "mpe_packet_words": 8,
            "mpe_combine_ports": 3,
            "rma_regions": 5,
            "rma_packet_words": 5,
            "rma_command_depth": 2,
            "rma_atomics": 1,
            "message_words": 8,
            "fpu_stages": 3,
        },
        direct_links=2,
    ),
}


def slot_model(slot: Engine) -> Model:
    """Return the model of a slot."""
    headers = b"".join((ROOT / header).read_bytes() for header in ("tests/equivalence/slot_library.h",))
    return Model(
        top="slot",
        node=slot.node,
        parameters={"DirectLinks": str(slot.direct_links)},
        wrapper=ROOT / "tests" / "equivalence" / "slot_library.cpp",
        defines={
            "TIDINGS_SLOT_DIRECT_LINKS": str(slot.direct_links),
            "TIDINGS_HEADERS": f"0x{hashlib.sha256(headers).hexdigest()[:8]}",
        },
        variant=Variant(assertions=True),
    )


#: Routers with one message class, as synthetic traffic uses them, one with direct links; one with a pipeline and direct
#: links: parameters of ``router.sv``.
ROUTERS: dict[str, dict[str, int]] = {
    "mesh": {
        "Dims": 2,
        "NumSlots": 1,
        "NumClasses": 1,
        "Dateline": 0,
        "BufferFlits": 8,
        "SlotBufferFlits": 16,
        "FixedPriority": 0,
        "NumRoutes": 0,
        "DirectLinks": 0,
        "Pipeline": 0,
        "TurnCycle": 0,
    },
    "turns": {
        "Dims": 2,
        "NumSlots": 1,
        "NumClasses": 1,
        "Dateline": 0,
        "BufferFlits": 4,
        "SlotBufferFlits": 8,
        "FixedPriority": 0,
        "NumRoutes": 0,
        "DirectLinks": 0,
        "Pipeline": 0,
        "TurnCycle": 1,
    },
    "torus": {
        "Dims": 2,
        "NumSlots": 2,
        "NumClasses": 1,
        "Dateline": 1,
        "BufferFlits": 4,
        "SlotBufferFlits": 2,
        "FixedPriority": 1,
        "NumRoutes": 0,
        "DirectLinks": 1,
        "Pipeline": 0,
        "TurnCycle": 0,
    },
    "pipeline": {
        "Dims": 2,
        "NumSlots": 2,
        "NumClasses": 2,
        "Dateline": 1,
        "BufferFlits": 8,
        "SlotBufferFlits": 4,
        "FixedPriority": 0,
        "NumRoutes": 0,
        "DirectLinks": 1,
        "Pipeline": 1,
        "TurnCycle": 1,
    },
}


#: Routers with crosspoint buffers: parameters of ``crosspoint_router.sv``. Queues that are seldom full, and tight ones;
#: more slots than a slot's number has values, whose number is no power of two.
CROSSPOINT_ROUTERS: dict[str, dict[str, int]] = {
    "crosspoint": {
        "NumSlots": 5,
        "NumClasses": 1,
        "SlotBufferFlits": 16,
        "VoqFlits": 64,
        "CrosspointFlits": 4,
        "FixedPriority": 0,
        "FullestFirst": 0,
        "NumRoutes": 0,
    },
    "crosspoint_tight": {
        "NumSlots": 3,
        "NumClasses": 2,
        "SlotBufferFlits": 4,
        "VoqFlits": 4,
        "CrosspointFlits": 2,
        "FixedPriority": 0,
        "FullestFirst": 1,
        "NumRoutes": 0,
    },
    "crosspoint_fullest": {
        "NumSlots": 4,
        "NumClasses": 3,
        "SlotBufferFlits": 8,
        "VoqFlits": 16,
        "CrosspointFlits": 8,
        "FixedPriority": 1,
        "FullestFirst": 1,
        "NumRoutes": 0,
    },
    "crosspoint_many": {
        "NumSlots": 20,
        "NumClasses": 1,
        "SlotBufferFlits": 8,
        "VoqFlits": 16,
        "CrosspointFlits": 4,
        "FixedPriority": 0,
        "FullestFirst": 0,
        "NumRoutes": 0,
    },
    "crosspoint_routes": {
        "NumSlots": 4,
        "NumClasses": 2,
        "SlotBufferFlits": 4,
        "VoqFlits": 8,
        "CrosspointFlits": 8,
        "FixedPriority": 0,
        "FullestFirst": 0,
        "NumRoutes": 8,
    },
    "crosspoint_route_groups": {
        "NumSlots": 18,
        "NumClasses": 1,
        "SlotBufferFlits": 4,
        "VoqFlits": 8,
        "CrosspointFlits": 8,
        "FixedPriority": 0,
        "FullestFirst": 0,
        "NumRoutes": 4,
    },
}


def router_model(parameters: dict[str, int], top: str = "router") -> Model:
    """Return the model of a router."""
    headers = b"".join((ROOT / header).read_bytes() for header in ("tests/equivalence/router_library.h",))
    macros = {re.sub("(?<!^)(?=[A-Z])", "_", name).upper(): str(value) for name, value in parameters.items()}
    return Model(
        top=top,
        node={},
        parameters={name: str(value) for name, value in parameters.items()},
        wrapper=ROOT / "tests" / "equivalence" / "router_library.cpp",
        defines={f"TIDINGS_ROUTER_{name}": value for name, value in macros.items()}
        | {"TIDINGS_HEADERS": f"0x{hashlib.sha256(headers).hexdigest()[:8]}"}
        | ({"TIDINGS_ROUTER_CROSSPOINT": "1"} if top == "crosspoint_router" else {}),
        variant=Variant(assertions=True),
    )


#: Parameters of ``reliable_link.sv``.
LINK = {"QueueFlits": 32, "Window": 16, "Timeout": 20, "MaxRetries": 8}


def link_model() -> Model:
    """Return the model of an end of a link that loses nothing."""
    names = ("tests/equivalence/link_library.h", "sim/cycle/link_pkg.h", "sim/cycle/reliable_link.h")
    headers = b"".join((ROOT / header).read_bytes() for header in names)
    macros = {re.sub("(?<!^)(?=[A-Z])", "_", name).upper(): str(value) for name, value in LINK.items()}
    return Model(
        top="reliable_link",
        node={},
        parameters={name: str(value) for name, value in LINK.items()},
        wrapper=ROOT / "tests" / "equivalence" / "link_library.cpp",
        defines={f"TIDINGS_LINK_{name}": value for name, value in macros.items()}
        | {"TIDINGS_HEADERS": f"0x{hashlib.sha256(headers).hexdigest()[:8]}"},
        variant=Variant(assertions=True),
    )


#: Nodes beside those of tests/sim/build_libraries.py: most channels and dimensions, smallest buffers; direct links; a
#: router with a pipeline; one with crosspoint buffers and atomic accesses.
NODES = {
    "torus4d": {
        "dims": 4,
        "num_slots": 2,
        "dateline": 1,
        "buffer_flits": 2,
        "slot_buffer_flits": 2,
        "fixed_priority": 0,
        "mpe_buffer_words": 128,
        "rma_command_depth": 2,
        "direct_links": 0,
    },
    "torus3d": {
        "dims": 3,
        "num_slots": 1,
        "dateline": 1,
        "buffer_flits": 128,
        "slot_buffer_flits": 16,
        "fixed_priority": 0,
        "mpe_buffer_words": 256,
        "rma_command_depth": 8,
        "mpe_combine_ports": 6,
        "direct_links": 1,
        "turn_cycle": 1,
    },
    "torus2d": {
        "dims": 2,
        "num_slots": 2,
        "dateline": 1,
        "buffer_flits": 128,
        "slot_buffer_flits": 4,
        "fixed_priority": 0,
        "mpe_buffer_words": 128,
        "rma_command_depth": 4,
        "mpe_combine_ports": 2,
        "direct_links": 1,
        "router_pipeline": 1,
    },
    "crosspoint": {
        "dims": 0,
        "num_slots": 3,
        "dateline": 0,
        "slot_buffer_flits": 8,
        "fixed_priority": 0,
        "crosspoint": 1,
        "voq_flits": 16,
        "crosspoint_flits": 32,
        "fullest_first": 1,
        "mpe_buffer_words": 128,
        "rma_command_depth": 4,
        "rma_atomics": 1,
        "direct_links": 0,
        "barrier_slots": 5,
    },
}


def main() -> None:
    """Build all and link them into the output folder."""
    models = {f"mpe_{name}": mpe_model(engine) for name, engine in MPES.items()}
    models |= {f"slot_{name}": slot_model(slot) for name, slot in SLOTS.items()}
    models |= {f"router_{name}": router_model(parameters) for name, parameters in ROUTERS.items()}
    models |= {
        f"router_{name}": router_model(parameters, "crosspoint_router")
        for name, parameters in CROSSPOINT_ROUTERS.items()
    }
    models["link_small"] = link_model()
    models |= {
        f"node_{name}": node_model(parameters, Variant(assertions=True), ROOT) for name, parameters in NODES.items()
    }
    link_libraries(models, Path(sys.argv[1]), sources=ROOT)


if __name__ == "__main__":
    main()
