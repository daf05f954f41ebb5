# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Node memory as engines see it: a write with byte strobes and a read a cycle, answered in order."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass

from tidings.generated import packets


@dataclass(frozen=True)
class MemoryWrite:
    """One write; mirrors `memory_write_t`."""

    address: int
    strobe: int
    data: int

    @staticmethod
    def unpack(bits: int) -> MemoryWrite:
        """Return the write with these bits of `memory_write_t`."""
        write = packets.MemoryWrite.decode(bits)
        return MemoryWrite(write.address, write.strobe, write.data)


class NodeMemory:
    """Bytes with the timing of node memory.

    Parameters
    ----------
    size
        Bytes; filled at random from the seed.
    seed
        Seed of the contents and of the latency.
    latency
        Cycles until a read is answered; a range draws one for each read, still answered in order.
    """

    def __init__(self, size: int, seed: int, latency: int | range = 1) -> None:
        self._choice = random.Random(seed)
        self.bytes = bytearray(self._choice.randbytes(size))
        self.latency = latency
        self.writes: list[MemoryWrite] = []
        self.reads = 0  #: words that were asked for
        self._reads: deque[tuple[int, int, int]] = deque()  # (cycle of the answer, word, tag)

    def word(self, address: int) -> int:
        """Return a word, without a request."""
        return int.from_bytes(self.bytes[address : address + 4], "little")

    def set_word(self, address: int, value: int) -> None:
        """Store a word, without a request."""
        self.bytes[address : address + 4] = value.to_bytes(4, "little")

    def write(self, write: MemoryWrite) -> None:
        """Write the bytes that the strobe names."""
        assert write.address % 4 == 0, f"write to {write.address:#x}, which is no word"
        assert write.address + 4 <= len(self.bytes), f"write to {write.address:#x}, behind the end of memory"
        self.writes.append(write)
        for lane in range(4):
            if write.strobe >> lane & 1:
                self.bytes[write.address + lane] = write.data >> 8 * lane & 0xFF

    def read(self, cycle: int, address: int, tag: int = 0) -> None:
        """Ask for a word in this cycle."""
        assert address % 4 == 0, f"read of {address:#x}, which is no word"
        assert address + 4 <= len(self.bytes), f"read of {address:#x}, behind the end of memory"
        latency = self.latency if isinstance(self.latency, int) else self._choice.choice(self.latency)
        due = max(cycle + latency, self._reads[-1][0] + 1 if self._reads else 0)
        self._reads.append((due, self.word(address), tag))
        self.reads += 1

    def answer(self, cycle: int) -> tuple[int, int] | None:
        """Return the word that is answered in this cycle and the tag of its read, if any."""
        if not self._reads or self._reads[0][0] > cycle:
            return None
        _, word, tag = self._reads.popleft()
        return word, tag

    @property
    def idle(self) -> bool:
        """No read waits for its answer."""
        return not self._reads


def words_of(data: bytes) -> tuple[int, ...]:
    """Return bytes as little-endian words, the last one filled up with zeros."""
    padded = data + bytes(-len(data) % 4)
    return tuple(int.from_bytes(padded[at : at + 4], "little") for at in range(0, len(padded), 4))


def bytes_of(words: tuple[int, ...], length: int) -> bytes:
    """Return the first `length` bytes of words."""
    return b"".join(word.to_bytes(4, "little") for word in words)[:length]
