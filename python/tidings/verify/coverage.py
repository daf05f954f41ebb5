# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What comparisons have covered, derived from the descriptions of registers and packets.

Each field has bins: every value of a narrow one, ranges of values of a wide one. On machines and on single nodes alike,
every bin of every field of every register must have been written and read back, and packets must have had every bin of
every field of their headers. A register, field or kind of packet that is new must be drawn, or be in `UNDRAWN` with a
reason.
"""

import fnmatch
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from tidings.bit_fields import BitField, PackedStruct
from tidings.generated import packets
from tidings.generated import registers as reg

#: A field of at most this many bits must have every value.
_NARROW = 3
#: A field of at most this many bits must have zero and values of both halves of its range.
_MEDIUM = 8

#: What is compared: all nodes of a machine with a script, or one node with random packets and accesses.
SUBJECTS = ("machine", "node")

_NO_SLOT = "machines that are drawn have two slots per router"
_DEADLOCK = "software answers for deadlocks of such routes; single nodes have them"
_NOT_AN_OPERATION = "not an operation"
_BUILT = "what the slot was built with: a kind of node has one value"
_STOPS = "an engine stops at a mismatch and others wait for it; single nodes have it"
_EIGHT_LINKS = "an engine has eight links at most"
_EIGHT_PEERS = "an engine has eight peers at most; single nodes are sent others"
_FEW_ENGINES = "no engine has a number in the upper half"
_NOT_SENT = "no engine sends it; routers carry it, and single nodes have it"
_WELL_FORMED = "engines send well-formed packets; single nodes are sent others"
#: Patterns of bins that are not drawn, and why.
UNDRAWN: dict[str, str] = {
    "* read id.magic=0": "a constant",
    "* read address.slot=high": _NO_SLOT,
    "* read *_sizes.*=*": _BUILT,
    "* read engines.present=*": _BUILT,
    "* read irq_status.done=high": _FEW_ENGINES,
    "* read irq_status.waiting=high": _FEW_ENGINES,
    "* read irq_status.idle=high": _FEW_ENGINES,
    "machine * rma_queue_size.log2_slots=high": "the ring would be larger than the memories",
    "machine * rma_remote.slot=high": _NO_SLOT,
    "machine read rma_error.slot=high": _NO_SLOT,
    "machine * mpe_command.combine=[67]": _NOT_AN_OPERATION,
    "machine read mpe_error.mismatch=1": _STOPS,
    "machine read mpe_error.link=low": _STOPS,
    "machine read mpe_error.context_id=[1-7]": _STOPS,
    "machine read mpe_received.value=other": _STOPS,
    "machine read mpe_error.overflow=1": "scripts give an engine no more commands than it takes",
    "* read mpe_error.link=high": _EIGHT_LINKS,
    "machine * mpe_link.slot=high": _NO_SLOT,
    "* barrier_far_mates*": "machines that are drawn have 16 slots per router at most",
    "machine * mpe_link.peer_link=high": _EIGHT_LINKS,
    "machine * route.switched=1": _DEADLOCK,
    "machine * rma_region_rights.routes=1": _DEADLOCK,
    "node * rma_command.operation=2": "a GET waits for an answer, which a single node does not have",
    "machine packet header0.kind=static_put": _NOT_SENT,
    "machine packet static_put.*": _NOT_SENT,
    "machine packet header0.kind=static_stream": _NOT_SENT,
    "machine packet static_stream.*": _NOT_SENT,
    "* packet stream.link=high": _EIGHT_LINKS,
    "* packet static_stream.link=high": _EIGHT_LINKS,
    "* packet credit.link=high": _EIGHT_LINKS,
    "machine packet words.peer=high": _EIGHT_PEERS,
    "machine packet words_credit.peer=high": _EIGHT_PEERS,
    "node packet credit.*": "credits for words that were not sent break an assertion; machines have them",
    "machine packet header0.kind=unknown": _WELL_FORMED,
    "machine packet header1.src_slot=high": _NO_SLOT,
    "machine packet neighbour_header.ports=0": _WELL_FORMED,
    "* packet neighbour_header.length=0": _WELL_FORMED,
    "* packet neighbour_header.context_id=high": "an engine has eight contexts at most",
    "machine packet nack.code=none": _WELL_FORMED,
    "machine packet nack.code=bad_packet": _WELL_FORMED,
    "machine packet nack.code=overflow": "a code of software, not of packets",
    "machine packet nack.code=unknown": _WELL_FORMED,
    "node packet nack.put=1": "an acknowledgement of a PUT that was not sent breaks an assertion",
    "node packet nack.get=1": "an answer to a GET that was not sent breaks an assertion",
}

#: What machines must have for bins of these patterns.
_NEEDS: tuple[tuple[str, str], ...] = (
    ("static_routes", "*route*"),
    ("static_routes", "*static*"),
    ("network", "node *"),
    ("network", "machine packet *"),
    ("network", "*exchange*"),
    ("network", "*swap*"),
    ("direct_links", "* mpe_link.direct=1"),
    ("direct_links", "*neighbour*"),
    ("slots", "*slot=low"),
    ("narrow", "* mpe_error.unsupported=1"),
    ("names", "* read rma_name_result.*"),
    ("atomics", "machine packet get.atomic=1"),
    ("many_names", "* read rma_name_result.index=high"),
)


def bins(part: BitField) -> list[str]:
    """Return the bins of a field."""
    if issubclass(part.kind, IntEnum):
        names = [value.name.lower() for value in part.kind]
        return names if len(names) == 1 << part.width else [*names, "unknown"]
    if part.width <= _NARROW:
        return [str(value) for value in range(1 << part.width)]
    return ["0", "low", "high"] if part.width <= _MEDIUM else ["0", "other"]


def bin_of(part: BitField, word: int) -> str:
    """Return the bin of the field's value in a word."""
    value = word >> part.lsb & ((1 << part.width) - 1)
    if issubclass(part.kind, IntEnum):
        return part.kind(value).name.lower() if value in {known.value for known in part.kind} else "unknown"
    if part.width <= _NARROW or value == 0:
        return str(value)
    if part.width > _MEDIUM:
        return "other"
    return "high" if value >> (part.width - 1) else "low"


def _fields(structure: type[PackedStruct]) -> Iterator[BitField]:
    return (part for part in structure.FIELDS if not part.name.startswith("reserved"))


#: What `info` of a packet's second word holds, by its kind. In other kinds it is not used.
INFOS: dict[packets.Kind, type[PackedStruct]] = {
    packets.Kind.PUT: packets.PutInfo,
    packets.Kind.STATIC_PUT: packets.PutInfo,
    packets.Kind.GET: packets.GetInfo,
    packets.Kind.GET_REPLY: packets.GetReplyInfo,
    packets.Kind.NACK: packets.NackInfo,
    packets.Kind.STREAM: packets.MpeInfo,
    packets.Kind.STATIC_STREAM: packets.MpeInfo,
    packets.Kind.CREDIT: packets.MpeInfo,
    packets.Kind.WORDS: packets.StreamInfo,
    packets.Kind.WORDS_CREDIT: packets.StreamInfo,
}

#: Words of packets by the names of coverage: headers, and for each kind what its `info` holds.
_HEADERS: dict[str, type[PackedStruct]] = {
    "header0": packets.Header0,
    "header1": packets.Header1,
    "neighbour_header": packets.NeighbourHeader,
    **{kind.name.lower(): structure for kind, structure in INFOS.items()},
}


def _packets_of(engine: str) -> Iterator[str]:
    """Return patterns of bins of the packets that only such an engine sends."""
    for kind, structure in INFOS.items():
        if structure.__name__ == f"{engine.capitalize()}Info":
            yield f"machine packet header0.kind={kind.name.lower()}"
            yield f"machine packet {kind.name.lower()}.*"


def all_bins() -> list[str]:
    """Return every bin that there is."""
    accesses = [
        f"{way} {register.NAME}.{part.name}={value}"
        for register in reg.REGISTERS
        for part in _fields(register)
        for way, allowed in (("write", part.writable), ("read", part.readable))
        if allowed
        for value in bins(part)
    ]
    headers = [
        f"packet {name}.{part.name}={value}"
        for name, structure in _HEADERS.items()
        for part in _fields(structure)
        # The kind says which header a word is.
        if not (name == "neighbour_header" and part.name == "kind")
        for value in bins(part)
    ]
    read = [f"read {register.NAME}" for register in reg.REGISTERS]
    return [f"{subject} {name}" for subject in SUBJECTS for name in (*accesses, *read, *headers)]


def is_undrawn(name: str) -> bool:
    """Return whether a reason is given why a bin is not drawn."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in UNDRAWN)


@dataclass
class Coverage:
    """How often each bin has been seen."""

    seen: Counter[str] = field(default_factory=Counter)

    def see_accesses(self, subject: str, accesses: Iterable[tuple[bool, int, int]]) -> None:
        """Count accesses of software: write or not, address, and what was written or read back."""
        for write, address, data in accesses:
            register = next((register for register in reg.REGISTERS if register.holds(address)), None)
            if register is None:
                continue
            way = "write" if write else "read"
            self.seen[f"{subject} {way} {register.NAME}"] += 1
            for part in _fields(register):
                if part.writable if write else part.readable:
                    self.seen[f"{subject} {way} {register.NAME}.{part.name}={bin_of(part, data)}"] += 1

    def see_packets(self, subject: str, headers: Iterable[tuple[int, int | None]]) -> None:
        """Count packets by their first two words; None stands for a second word that there is not."""
        kind_field = next(part for part in packets.Header0.FIELDS if part.name == "kind")
        for first, second in headers:
            kind = bin_of(kind_field, first)
            self.seen[f"{subject} packet header0.kind={kind}"] += 1
            if kind == packets.Kind.NEIGHBOUR.name.lower():
                self._see(subject, "neighbour_header", first)
                continue
            self._see(subject, "header0", first)
            if second is None:
                continue
            self._see(subject, "header1", second)
            if kind in _HEADERS:
                self._see(subject, kind, packets.Header1.decode(second).info)

    def _see(self, subject: str, name: str, word: int) -> None:
        for part in _fields(_HEADERS[name]):
            if part.name != "kind":
                self.seen[f"{subject} packet {name}.{part.name}={bin_of(part, word)}"] += 1

    def missing(self, features: Collection[str], without: Collection[str] = ()) -> list[str]:
        """Return the bins that have not been seen, though the machines have what they need.

        Parameters
        ----------
        features : collection of str
            What the machines have, of ``static_routes``, ``direct_links``, ``network``, ``slots``, ``narrow``
            (engines for elements of 32 bits only), ``names``, ``atomics``, and ``many_names`` (as many as
            numbers).
        without : collection of str
            Engines that no slot has.
        """
        lacking = [pattern for feature, pattern in _NEEDS if feature not in features]
        lacking += [pattern for engine in without for pattern in (f"* {engine}_*", *_packets_of(engine))]
        return [
            name
            for name in all_bins()
            if not self.seen[name]
            and not is_undrawn(name)
            and not any(fnmatch.fnmatchcase(name, pattern) for pattern in lacking)
        ]

    def summary(self) -> dict[str, tuple[int, int]]:
        """Return for each register and header its bins that have been seen, and all that are drawn."""
        groups: dict[str, tuple[int, int]] = {}
        for name in all_bins():
            if is_undrawn(name):
                continue
            group = name.split("=")[0].split(".")[0]
            seen, total = groups.get(group, (0, 0))
            groups[group] = (seen + bool(self.seen[name]), total + 1)
        return groups
