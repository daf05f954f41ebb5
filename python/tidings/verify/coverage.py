# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What comparisons have covered, derived from the descriptions of registers and packets.

Each field has bins: every value of a narrow one, ranges of values of a wide one. Scripts for machines must have written
every bin of every field of every register and read every register; random packets for single nodes must have had every
bin of every field of their headers. A register or field that is new must be drawn, or be in `UNDRAWN` with a reason.
"""

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

_NO_SLOT = "machines that are drawn have two slots per router; single nodes see packets for slots that are not there"
_DEADLOCK = "software answers for deadlocks of such routes; single nodes have them"
_NOT_AN_OPERATION = "not an operation"
#: Bins that are not drawn, and why.
UNDRAWN: dict[str, str] = {
    "write rma_remote.slot=high": _NO_SLOT,
    "write mpe_link.slot=high": _NO_SLOT,
    "write mpe_link.peer_link=high": "an engine has eight links at most",
    "write mpe_command.combine=6": _NOT_AN_OPERATION,
    "write mpe_command.combine=7": _NOT_AN_OPERATION,
    "write queue_size.log2_slots=high": "the ring would be larger than the memories",
    "write queue_head.count=0": "the comparison itself writes it: what was received is consumed",
    "write queue_head.count=other": "the comparison itself writes it: what was received is consumed",
    "write route.switched=1": _DEADLOCK,
    "write region_rights.routes=1": _DEADLOCK,
    "packet neighbour_header.context_id=high": "an engine has eight contexts at most",
    "packet neighbour_header.length=0": "the engine sends at least one word",
    "packet nack_info.put=1": "an acknowledgement of a PUT that was not sent breaks an assertion",
    "packet nack_info.get=1": "an answer to a GET that was not sent breaks an assertion",
}


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
    return (part for part in structure.FIELDS if not part.name.startswith("reserved") and part.writable)


#: Headers of packets, and what their `info` may hold, by the names of coverage.
_HEADERS: dict[str, type[PackedStruct]] = {
    "header0": packets.Header0,
    "header1": packets.Header1,
    "neighbour_header": packets.NeighbourHeader,
    "put_info": packets.PutInfo,
    "nack_info": packets.NackInfo,
}


def _bins_of_machines() -> list[str]:
    written = [
        f"write {register.NAME}.{part.name}={value}"
        for register in reg.REGISTERS
        for part in _fields(register)
        for value in bins(part)
    ]
    read = [f"read {register.NAME}" for register in reg.REGISTERS]
    return [*written, *read]


def _bins_of_packets() -> list[str]:
    return [
        f"packet {name}.{part.name}={value}"
        for name, structure in _HEADERS.items()
        for part in _fields(structure)
        # The kind says which header a word is.
        if not (name == "neighbour_header" and part.name == "kind")
        for value in bins(part)
    ]


@dataclass
class Coverage:
    """How often each bin has been seen."""

    seen: Counter[str] = field(default_factory=Counter)

    def see_script(self, accesses: Iterable[tuple[bool, int, int]]) -> None:
        """Count accesses of software: writes or not, address, data."""
        for write, address, data in accesses:
            register = next((register for register in reg.REGISTERS if register.holds(address)), None)
            if register is None:
                continue
            if write:
                for part in _fields(register):
                    self.seen[f"write {register.NAME}.{part.name}={bin_of(part, data)}"] += 1
            else:
                self.seen[f"read {register.NAME}"] += 1

    def see_packets(self, headers: Iterable[tuple[int, int]]) -> None:
        """Count packets by their first two words."""
        for first, second in headers:
            kind = next(part for part in packets.Header0.FIELDS if part.name == "kind")
            self.seen[f"packet header0.kind={bin_of(kind, first)}"] += 1
            if bin_of(kind, first) == packets.Kind.NEIGHBOUR.name.lower():
                self._see("neighbour_header", first)
                continue
            self._see("header0", first)
            self._see("header1", second)
            info = packets.Header1.decode(second).info
            if bin_of(kind, first) == packets.Kind.PUT.name.lower():
                self._see("put_info", info)
            if bin_of(kind, first) == packets.Kind.NACK.name.lower():
                self._see("nack_info", info)

    def _see(self, name: str, word: int) -> None:
        for part in _fields(_HEADERS[name]):
            if part.name != "kind":
                self.seen[f"packet {name}.{part.name}={bin_of(part, word)}"] += 1

    def missing(
        self, *, static_routes: bool, direct_links: bool, network: bool, slots: bool, without: Collection[str] = ()
    ) -> list[str]:
        """Return the bins that have not been seen, though the machines have what they need.

        `without` names engines that no slot has.
        """
        wanted = [*_bins_of_machines(), *(_bins_of_packets() if network else [])]
        absent = tuple(f"{access} {engine}_" for access in ("write", "read") for engine in without)
        wanted = [name for name in wanted if not name.startswith(absent)]
        if not static_routes:
            wanted = [name for name in wanted if "route" not in name and "static" not in name]
        if not network:
            wanted = [name for name in wanted if "exchange" not in name and "swap" not in name]
        if not direct_links or not network:
            wanted = [name for name in wanted if "direct=1" not in name and "neighbour" not in name]
        if not slots:
            wanted = [name for name in wanted if not name.endswith(".slot=low")]
        return [name for name in wanted if not self.seen[name] and name not in UNDRAWN]

    def summary(self) -> dict[str, tuple[int, int]]:
        """Return for each register and header its bins that have been seen, and all that are drawn."""
        groups: dict[str, tuple[int, int]] = {}
        for name in (*_bins_of_machines(), *_bins_of_packets()):
            if name in UNDRAWN:
                continue
            group = name.split("=")[0].split(".")[0]
            seen, total = groups.get(group, (0, 0))
            groups[group] = (seen + bool(self.seen[name]), total + 1)
        return groups
