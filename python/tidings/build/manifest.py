# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The one list of the RTL, ``rtl/sources.f``, for all tools that cannot read it themselves.

Verilator reads the file as it is. Synthesis, the cocotb tests and FuseSoC ask here what it lists.
"""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

#: Beginning of the lines of files that the generators write.
_GENERATED = "${TIDINGS_GENERATED}/"
#: What the generated part of the RTL is made from, as patterns below the folder that holds ``rtl``.
GENERATORS = ("rtl/regs/*", "rtl/machine/*.toml", "rtl/generate.py", "rtl/generators/*.py")
#: All that the RTL is made from.
SOURCES = ("rtl/sources.f", "rtl/**/*.sv", "rtl/**/*.svh", "rtl/**/*.vlt", *GENERATORS)
#: Packages whose version decides what the generators write.
TOOLS = ("peakrdl-regblock", "pyslang")


@dataclass(frozen=True)
class Entry:
    """A line of the list.

    Attributes
    ----------
    path : str
        Path below the folder that `origin` stands for.
    origin : str
        ``own``: the folder ``rtl``; ``generated``: what generators write.
    kind : str
        ``source``: SystemVerilog; ``waivers``: lint rules that are waived.
    part : str
        Folder of ``rtl`` that needs it: its own, or for what has none that of the next module in the list.
    """

    path: str
    origin: Literal["own", "generated"]
    kind: Literal["source", "waivers"]
    part: str

    def below(self, rtl: Path, generated: Path) -> Path:
        """Return the path below the folder that the origin stands for."""
        return {"own": rtl, "generated": generated}[self.origin] / self.path


def entries(rtl: Path) -> list[Entry]:
    """Return what ``sources.f`` lists, in compile order.

    Parameters
    ----------
    rtl : Path
        The folder ``rtl``.
    """
    found: list[Entry] = []
    part = ""
    for line in reversed((rtl / "sources.f").read_text(encoding="utf-8").splitlines()):
        text = line.split("//", 1)[0].strip()
        if not text:
            continue
        name = text.removeprefix(_GENERATED)
        origin: Literal["own", "generated"] = "own" if name == text else "generated"
        kind: Literal["source", "waivers"] = "waivers" if name.endswith(".vlt") else "source"
        if origin == "own" and kind == "source":
            part = name.split("/", 1)[0]
        found.append(Entry(name, origin, kind, part))
    return found[::-1]


def generate(rtl: Path, out: Path, node: Mapping[str, int] | None = None) -> None:
    """Run the generators of the RTL: what they write is the origin ``generated``.

    Parameters
    ----------
    rtl, out : Path
        The folder ``rtl``, and where to write.
    node : dict, optional
        Configuration of the node that is built (fields of ``node_cfg_t``), if it is not the schema's.

    Raises
    ------
    subprocess.CalledProcessError
        If a generator fails; ``output`` is what it said.
    """
    command = [sys.executable, str(rtl / "generate.py"), str(out)]
    command += [f"{name}={value}" for name, value in sorted((node or {}).items())]
    subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
