# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Compile the libraries that the C++ tests load: nodes, and whole machines wired in SystemVerilog.

``python build_libraries.py OUT`` puts ``NAME.node.so`` and ``NAME.machine.so`` of each small machine into OUT, and
``ring3_waves.node.so``. They come from the cache of compiled nodes, so all but the first call take no time.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from tidings.build.verilated_node import Model, Variant, link_libraries, node_model

ROOT = Path(__file__).resolve().parents[2]
MAX_DIMENSIONS = 4
RADIX_BITS = 8


@dataclass(frozen=True)
class SmallMachine:
    """A machine that is small enough to be compiled as a whole."""

    name: str
    radix: tuple[int, ...]
    wrapped: bool
    link_latency: int
    slots: int = 1
    buffer_flits: int = 8
    fixed_priority: bool = False
    direct_links: bool = False
    barrier: bool = False

    def parameters(self) -> dict[str, int]:
        """Return the parameters of its node."""
        return {
            "dims": len(self.radix),
            "num_slots": self.slots,
            "dateline": int(self.wrapped),
            "buffer_flits": self.buffer_flits,
            "slot_buffer_flits": 16,
            "num_routes": 16,
            "fixed_priority": int(self.fixed_priority),
            "mpe_buffer_words": 128,
            "rma_command_depth": 8,
            "direct_links": int(self.direct_links),
            "barrier_slots": int(self.barrier) if self.radix else (1 << self.slots) - 1,
        }


MACHINES = (
    SmallMachine("ring3_latency5", radix=(3,), wrapped=True, link_latency=5, barrier=True),
    SmallMachine("mesh2x2_latency1", radix=(2, 2), wrapped=False, link_latency=1, direct_links=True, barrier=True),
    SmallMachine(
        "torus2x2x2_latency5", radix=(2, 2, 2), wrapped=True, link_latency=5, fixed_priority=True, direct_links=True
    ),
    SmallMachine("crossbar3", radix=(), wrapped=False, link_latency=1, slots=3),
)


def whole_machine(machine: SmallMachine) -> Model:
    """Return the model of a machine wired in SystemVerilog."""
    node = node_model(machine.parameters(), Variant(quick=True), ROOT)
    radix = [*machine.radix, *[1] * (MAX_DIMENSIONS - len(machine.radix))]
    packed = sum(length << (RADIX_BITS * dim) for dim, length in enumerate(radix))
    wrap = (1 << len(machine.radix)) - 1 if machine.wrapped else 0
    parameters = {
        "Radix": f"{MAX_DIMENSIONS * RADIX_BITS}'h{packed:x}",
        "Wrap": f"{MAX_DIMENSIONS}'h{wrap:x}",
        "LinkLatency": str(machine.link_latency),
    }
    defines = {
        "TIDINGS_RADIX": ",".join(map(str, radix)),
        "TIDINGS_LINK_LATENCY": str(machine.link_latency),
    }
    wrapper = ROOT / "tests" / "sim" / "whole_machine_library.cpp"
    return replace(node, top="machine_top", parameters=parameters, defines=defines, wrapper=wrapper)


def main() -> None:
    """Build all and link them into the output folder."""
    tested = Variant(assertions=True, quick=True)
    models = {"ring3_waves.node": node_model(MACHINES[0].parameters(), replace(tested, waves=True), ROOT)}
    for machine in MACHINES:
        models[f"{machine.name}.node"] = node_model(machine.parameters(), tested, ROOT)
        models[f"{machine.name}.machine"] = whole_machine(machine)
    link_libraries(models, Path(sys.argv[1]), sources=ROOT)


if __name__ == "__main__":
    main()
