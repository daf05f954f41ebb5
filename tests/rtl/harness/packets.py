# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Flits and packets as `rtl/common/tidings_pkg.sv` defines them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

FLIT_WIDTH = 35


class Kind(IntEnum):
    """What a packet is for; mirrors `kind_e`. Bit 3 is the class."""

    MESSAGE = 0x0
    PUT = 0x1
    GET = 0x2
    STREAM = 0x3
    STATIC_MESSAGE = 0x4
    STATIC_PUT = 0x5
    NEIGHBOUR = 0x6
    STATIC_STREAM = 0x7
    PUT_ACK = 0x8
    GET_REPLY = 0x9
    NACK = 0xA
    CREDIT = 0xB

    @property
    def message_class(self) -> int:
        """Return 0 for a request, 1 for a reply."""
        return self.value >> 3


@dataclass(frozen=True)
class Flit:
    """One word on a wire; mirrors `flit_t`."""

    data: int
    last: bool = False
    vc: int = 0

    def pack(self) -> int:
        """Return the bits of `flit_t`."""
        return self.vc << 33 | int(self.last) << 32 | self.data

    @staticmethod
    def unpack(bits: int) -> Flit:
        """Return the flit with these bits of `flit_t`."""
        return Flit(bits & 0xFFFF_FFFF, bool(bits >> 32 & 1), bits >> 33 & 3)


@dataclass(frozen=True)
class Packet:
    """A whole packet: the fields of its two header words, and the words after them."""

    kind: Kind
    dst_node: int = 0
    dst_slot: int = 0
    src_node: int = 0
    src_slot: int = 0
    info: int = 0
    length: int = 0
    body: tuple[int, ...] = ()

    def words(self) -> list[int]:
        """Return all words, header first."""
        header0 = self.kind << 28 | self.dst_slot << 24 | self.dst_node << 12 | self.src_node
        header1 = self.src_slot << 28 | self.info << 16 | self.length
        return [header0, header1, *self.body]

    def flits(self, vc: int | None = None) -> list[Flit]:
        """Return the flits; on the channel of the packet's class unless `vc` says another."""
        return flits_of(self.words(), self.kind.message_class if vc is None else vc)

    @staticmethod
    def parse(words: Sequence[int]) -> Packet:
        """Return the packet that these words are."""
        if len(words) < 2:
            raise ValueError(f"a packet has two header words, got {[hex(word) for word in words]}")
        header0, header1 = words[0], words[1]
        return Packet(
            kind=Kind(header0 >> 28),
            dst_slot=header0 >> 24 & 0xF,
            dst_node=header0 >> 12 & 0xFFF,
            src_node=header0 & 0xFFF,
            src_slot=header1 >> 28,
            info=header1 >> 16 & 0xFFF,
            length=header1 & 0xFFFF,
            body=tuple(words[2:]),
        )


def flits_of(words: Sequence[int], vc: int) -> list[Flit]:
    """Return these words as flits of one packet."""
    return [Flit(word, index == len(words) - 1, vc) for index, word in enumerate(words)]


def neighbour_header(context: int, ports: int, length: int) -> int:
    """Return the header word of a neighbour packet; `ports` has a bit for each network port that it leaves through."""
    return Kind.NEIGHBOUR << 28 | context << 24 | ports << 12 | length
