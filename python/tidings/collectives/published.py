# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Published figures of collectives in hardware, as the data file beside this one has them."""

import functools
import math
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

#: What the thesis calls the library's trees.
_NAMES = {"gray": "binomial", "binomial": "binomial", "chain": "linear", "star": "star"}
_WORD_US = 0.01  # 32 bits at 3.2 Gbit/s


@dataclass(frozen=True)
class Published:
    """A figure and where it stands."""

    value: float
    source: str


def latency_us(machine: str, operation: str, tree: str, nodes: int, words: int) -> Published | None:
    """Return the published time of a collective in microseconds; None if there is none.

    Parameters
    ----------
    machine : str
        Name of the machine file.
    operation, tree : str
        As in `tidings.collectives`.
    nodes, words : int
        Words of the vector; 0 for a barrier.
    """
    gao = gao2013()
    if machine != gao["machine"] or operation not in gao or _NAMES.get(tree) is None:
        return None
    section = gao[operation]
    if operation == "barrier":
        found = section["us"].get(str(nodes)) if _NAMES[tree] == section["tree"] else None
        return None if found is None else Published(found, f"Gao 2013, {section['source']}")
    most = gao["most_words"]
    transactions, rest = divmod(words, most)
    once = most if transactions else words
    if nodes not in section["nodes"] or once not in section["words"] or (transactions and rest):
        return None
    difference = section["difference_us"][_NAMES[tree]][section["words"].index(once)][section["nodes"].index(nodes)]
    source = f"Gao 2013, {section['source']}"
    if transactions > 1:
        source += f"; {transactions} times {most} words (section 5.3.2.2)"
    measured = max(transactions, 1) * (model_us(operation, _NAMES[tree], nodes, once) + difference)
    return Published(round(measured, 2), source)


def model_us(operation: str, name: str, nodes: int, words: int) -> float:
    """Return what the thesis's model of a tree says, by the thesis's name of it: Equations 5.3 and 5.4."""
    levels = math.log2(nodes) if name == "binomial" else nodes - 1
    return (2 + levels) * words * _WORD_US + levels * float(gao2013()[operation]["overhead_us"])


def bandwidth_mbps(machine: str, operation: str, tree: str, nodes: int) -> Published | None:
    """Return the published bandwidth of a stream of vectors in Mbit/s; None if there is none."""
    gao = gao2013()
    section = gao["bandwidth"]
    if machine != gao["machine"] or _NAMES.get(tree) != section["tree"]:
        return None
    found = section.get(f"{operation}_Mbps", {}).get(str(nodes))
    return None if found is None else Published(found, f"Gao 2013, {section['source']}")


@functools.cache
def gao2013() -> dict[str, Any]:
    """Return everything that the data file says of Gao's thesis."""
    return tomllib.loads(files("tidings.collectives").joinpath("gao2013.toml").read_text(encoding="utf-8"))
