# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Flits and packets as `rtl/common/tidings_pkg.sv` defines them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tidings.generated.packets import Kind, is_reply

from tidings.generated import packets

FLIT_WIDTH = packets.Flit.WIDTH


def message_class(kind: Kind) -> int:
    """Return the class in which packets of a kind travel."""
    return packets.CLASS_REPLY if is_reply(kind) else packets.CLASS_REQUEST


@dataclass(frozen=True)
class Flit:
    """One word on a wire; mirrors `flit_t`."""

    data: int
    last: bool = False
    vc: int = 0

    def pack(self) -> int:
        """Return the bits of `flit_t`."""
        return packets.Flit(vc=self.vc, last=self.last, data=self.data).encode()

    @staticmethod
    def unpack(bits: int) -> Flit:
        """Return the flit with these bits of `flit_t`."""
        flit = packets.Flit.decode(bits)
        return Flit(flit.data, flit.last, flit.vc)


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
        header0 = packets.Header0(self.kind, self.dst_slot, self.dst_node, self.src_node)
        header1 = packets.Header1(self.src_slot, self.info, self.length)
        if self.kind == Kind.PUT_ACK:
            return [header0.encode()]
        return [header0.encode(), header1.encode(), *self.body]

    def flits(self, vc: int | None = None) -> list[Flit]:
        """Return the flits; on the channel of the packet's class unless `vc` says another."""
        return flits_of(self.words(), message_class(self.kind) if vc is None else vc)

    @staticmethod
    def parse(words: Sequence[int]) -> Packet:
        """Return the packet that these words are."""
        if len(words) == 1 and packets.Header0.decode(words[0]).kind == Kind.PUT_ACK:
            return Packet(**vars(packets.Header0.decode(words[0])))
        if len(words) < 2:
            raise ValueError(f"a packet has two header words, got {[hex(word) for word in words]}")
        header0, header1 = packets.Header0.decode(words[0]), packets.Header1.decode(words[1])
        return Packet(**vars(header0), **vars(header1), body=tuple(words[2:]))


def origin_word(node: int, slot: int, length: int) -> int:
    """Return the first word of a queued message: its second header word, with the node in place of `info`."""
    return packets.Header1(slot, node, length).encode()


@dataclass(frozen=True)
class NeighbourPacket:
    """A neighbour packet: the fields of its only header word, and the words after it."""

    context: int
    ports: int
    length: int
    body: tuple[int, ...] = ()

    @staticmethod
    def parse(words: Sequence[int]) -> NeighbourPacket:
        """Return the packet that these words are."""
        header = packets.NeighbourHeader.decode(words[0])
        if header.kind != Kind.NEIGHBOUR:
            raise ValueError(f"{words[0]:#010x} is not the header of a neighbour packet")
        return NeighbourPacket(header.context_id, header.ports, header.length, tuple(words[1:]))


def flits_of(words: Sequence[int], vc: int) -> list[Flit]:
    """Return these words as flits of one packet."""
    return [Flit(word, index == len(words) - 1, vc) for index, word in enumerate(words)]


def neighbour_header(context: int, ports: int, length: int) -> int:
    """Return the header word of a neighbour packet; `ports` has a bit for each network port that it leaves through."""
    return packets.NeighbourHeader(Kind.NEIGHBOUR, context, ports, length).encode()
