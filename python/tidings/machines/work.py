# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What the library's work costs a processor: counted instructions times what the machine file says of the processor.

``work.toml`` has the counts, which ``tidings bench library --update`` writes; ``rtl/machine/node.toml`` names them.
"""

import tomllib
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

if typing.TYPE_CHECKING:
    from tidings.machines.file import Section

#: Where the counts stand.
FILE = Path(__file__).with_name("work.toml")
#: The work that moves what a program sends, so that its memory has a time of its own.
PAYLOAD = "copy_byte"
#: Work that costs the processor the same whatever library asks for it, unless a profile says otherwise.
OF_ANY_LIBRARY = ("poll", "reduce_element")


@dataclass(frozen=True)
class Count:
    """What one unit of work executes.

    Attributes
    ----------
    instructions : float
        Of a RISC-V core of 32 bits.
    accesses : float
        Those of them that load or store.
    """

    instructions: float
    accesses: float


@cache
def counts() -> Mapping[str, Count]:
    """Return the counts by the names of the schema."""
    with FILE.open("rb") as file:
        return {name: Count(**count) for name, count in tomllib.load(file).items()}


def cost_ns(work: str, processor: "Section") -> float:
    """Return the time that one unit of work takes.

    Parameters
    ----------
    work : str
        Its name.
    processor : Section
        Of a machine file.
    """
    count = counts()[work]
    memory: float = processor.payload_byte_ns if work == PAYLOAD else count.accesses * processor.access_ns
    return count.instructions * float(processor.cpi) * 1000 / float(processor.clock_MHz) + memory


def described(processor: "Section") -> Iterator[tuple[str, float, float]]:
    """Yield each cost: what is done, instructions, and nanoseconds."""
    from tidings.machines.schema import schema

    for parameter in schema()["processor"].values():
        if parameter.counted is not None:
            instructions = counts()[parameter.counted].instructions
            yield parameter.rule.meaning, instructions, cost_ns(parameter.counted, processor)
