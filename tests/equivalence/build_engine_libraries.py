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

from tidings.verilated_node import Model, NodeParameters, Variant, library, node_model

ROOT = Path(__file__).resolve().parents[2]
#: Headers that the wrapper includes and that do not take part in the name of a library by themselves.
HEADERS = ("tests/equivalence/mpe_library.h", "sim/cycle/mpe_pkg.h", "sim/cycle/tidings_pkg.h", "sim/machine/types.h")


@dataclass(frozen=True)
class MpeParameters:
    """Parameters of ``mpe.sv``."""

    name: str
    links: int
    contexts: int
    buffer_words: int
    packet_words: int
    combine_ports: int
    fpu_stages: int
    direct_links: int
    multicast: int
    forward_words: int
    wide_elements: int = 1


MPES = (
    MpeParameters("default", 8, 8, 512, 64, 1, 4, direct_links=6, multicast=1, forward_words=1),
    MpeParameters("smallest", 2, 1, 8, 4, 2, 3, direct_links=2, multicast=0, forward_words=4),
    MpeParameters("uneven", 5, 4, 32, 8, 3, 7, direct_links=4, multicast=1, forward_words=3),
    MpeParameters("indirect", 3, 1, 16, 4, 1, 3, direct_links=0, multicast=1, forward_words=1, wide_elements=0),
)


def mpe_model(parameters: MpeParameters) -> Model:
    """Return the model of a message passing engine."""
    headers = b"".join((ROOT / header).read_bytes() for header in HEADERS)
    return Model(
        top="mpe",
        parameters={
            "MpeLinks": str(parameters.links),
            "MpeContexts": str(parameters.contexts),
            "MpeBufferWords": str(parameters.buffer_words),
            "MpePacketWords": str(parameters.packet_words),
            "MpeCombinePorts": str(parameters.combine_ports),
            "FpuStages": str(parameters.fpu_stages),
            "DirectLinks": str(parameters.direct_links),
            "Multicast": str(parameters.multicast),
            "ForwardWords": str(parameters.forward_words),
            "WideElements": str(parameters.wide_elements),
        },
        wrapper=ROOT / "tests" / "equivalence" / "mpe_library.cpp",
        defines={
            "TIDINGS_MPE_LINKS": str(parameters.links),
            "TIDINGS_MPE_CONTEXTS": str(parameters.contexts),
            "TIDINGS_MPE_BUFFER_WORDS": str(parameters.buffer_words),
            "TIDINGS_MPE_PACKET_WORDS": str(parameters.packet_words),
            "TIDINGS_MPE_COMBINE_PORTS": str(parameters.combine_ports),
            "TIDINGS_MPE_FPU_STAGES": str(parameters.fpu_stages),
            "TIDINGS_MPE_DIRECT_LINKS": str(parameters.direct_links),
            "TIDINGS_MPE_MULTICAST": str(parameters.multicast),
            "TIDINGS_MPE_FORWARD_WORDS": str(parameters.forward_words),
            "TIDINGS_MPE_WIDE_ELEMENTS": str(parameters.wide_elements),
            # A change of a header makes another library.
            "TIDINGS_HEADERS": f"0x{hashlib.sha256(headers).hexdigest()[:8]}",
        },
        variant=Variant(assertions=True),
    )


#: Parameters of ``slot.sv``; tests/equivalence/slot_test.cpp has the same.
SLOTS: dict[str, dict[str, int]] = {
    "default": {},
    "small": {
        "SlotBufferFlits": 4,
        "MpeLinks": 3,
        "MpeContexts": 2,
        "MpeBufferWords": 32,
        "MpePacketWords": 8,
        "MpeCombinePorts": 3,
        "RmaRegions": 5,
        "RmaPacketWords": 8,
        "RmaCommandDepth": 2,
        "MessageWords": 8,
        "FpuStages": 3,
        "DirectLinks": 2,
    },
}


def slot_model(parameters: dict[str, int]) -> Model:
    """Return the model of a slot."""
    headers = b"".join((ROOT / header).read_bytes() for header in ("tests/equivalence/slot_library.h",))
    return Model(
        top="slot",
        parameters={name: str(value) for name, value in parameters.items()},
        wrapper=ROOT / "tests" / "equivalence" / "slot_library.cpp",
        defines={
            "TIDINGS_SLOT_DIRECT_LINKS": str(parameters.get("DirectLinks", 0)),
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
    },
}


def router_model(parameters: dict[str, int]) -> Model:
    """Return the model of a router."""
    headers = b"".join((ROOT / header).read_bytes() for header in ("tests/equivalence/router_library.h",))
    macros = {re.sub("(?<!^)(?=[A-Z])", "_", name).upper(): str(value) for name, value in parameters.items()}
    return Model(
        top="router",
        parameters={name: str(value) for name, value in parameters.items()},
        wrapper=ROOT / "tests" / "equivalence" / "router_library.cpp",
        defines={f"TIDINGS_ROUTER_{name}": value for name, value in macros.items()}
        | {"TIDINGS_HEADERS": f"0x{hashlib.sha256(headers).hexdigest()[:8]}"},
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
        parameters={name: str(value) for name, value in LINK.items()},
        wrapper=ROOT / "tests" / "equivalence" / "link_library.cpp",
        defines={f"TIDINGS_LINK_{name}": value for name, value in macros.items()}
        | {"TIDINGS_HEADERS": f"0x{hashlib.sha256(headers).hexdigest()[:8]}"},
        variant=Variant(assertions=True),
    )


#: Nodes beside those of tests/sim/build_libraries.py: most channels and dimensions, smallest buffers; direct links; a
#: router with a pipeline.
NODES = {
    "torus4d": NodeParameters(
        dims=4,
        num_slots=2,
        dateline=1,
        buffer_flits=2,
        slot_buffer_flits=2,
        fixed_priority=0,
        mpe_buffer_words=128,
        rma_command_depth=2,
    ),
    "torus3d": NodeParameters(
        dims=3,
        num_slots=1,
        dateline=1,
        buffer_flits=128,
        slot_buffer_flits=16,
        fixed_priority=0,
        mpe_buffer_words=256,
        rma_command_depth=8,
        mpe_combine_ports=6,
        direct_links=1,
    ),
    "torus2d": NodeParameters(
        dims=2,
        num_slots=2,
        dateline=1,
        buffer_flits=128,
        slot_buffer_flits=4,
        fixed_priority=0,
        mpe_buffer_words=128,
        rma_command_depth=4,
        mpe_combine_ports=2,
        direct_links=1,
        router_pipeline=1,
    ),
}


def main() -> None:
    """Build all and link them into the output folder."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    models = {f"mpe_{parameters.name}": mpe_model(parameters) for parameters in MPES}
    models |= {f"slot_{name}": slot_model(parameters) for name, parameters in SLOTS.items()}
    models |= {f"router_{name}": router_model(parameters) for name, parameters in ROUTERS.items()}
    models["link_small"] = link_model()
    models |= {
        f"node_{name}": node_model(parameters, Variant(assertions=True), ROOT) for name, parameters in NODES.items()
    }
    for name, model in models.items():
        link = out / f"{name}.so"
        link.unlink(missing_ok=True)
        link.symlink_to(library(model, f"{name} for tests", sources=ROOT))


if __name__ == "__main__":
    main()
