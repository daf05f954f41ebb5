# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""A soft core of RISC-V, emulated: an image of `drivers/rv32` runs as a rank of a machine, and is counted.

``tidings run -n 2 python -m tidings.bench.soft_core IMAGE`` runs an image. The emulator is the image's loader: it maps
registers and memory of the rank's slot, fills in the table of the board, and serves the calls of Linux that the C
library makes (docs/architecture.md, "A soft core").
"""

import ctypes
import json
import os
import struct
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import unicorn
from unicorn import riscv_const as riscv

_PAGE = 4096
_LOADER, _HEAP, _STACK, _MEMORY, _REGISTERS = 0x08000000, 0x10000000, 0x2F000000, 0x40000000, 0x80000000
_HEAP_BYTES, _STACK_BYTES, _REGISTER_BYTES = 32 << 20, 1 << 20, 1 << 20
_LOAD, _TLS = 1, 7
_MARK, _WORK, _CLOCK, _WAIT = 2001, 2000, 2010, 2011
_ERROR_NO_CALL = -38
#: Opcodes of loads and stores, by bits 6 to 2; of compressed ones by bits 15 to 13 and 1 to 0.
_ACCESSES = {0b00000, 0b01000, 0b01011}
_SHORT_ACCESSES = {(0b010, 0), (0b110, 0), (0b010, 2), (0b110, 2)}


class _Endpoint(ctypes.Structure):
    _fields_ = (("node", ctypes.c_uint16), ("slot", ctypes.c_uint8))


class _Grid(ctypes.Structure):
    _fields_ = (
        ("dimensions", ctypes.c_uint32),
        ("radix", ctypes.c_uint16 * 4),
        ("wraps", ctypes.c_bool * 4),
        ("single", ctypes.c_bool),
    )


class _ExchangeCosts(ctypes.Structure):
    _fields_ = (
        ("message", ctypes.c_uint64),
        ("agreement", ctypes.c_uint64),
        ("copied_word", ctypes.c_uint64),
        ("link_cycle", ctypes.c_uint64),
        ("switch_cycle", ctypes.c_uint64),
        ("switch_hop", ctypes.c_uint64),
    )


class _Platform(ctypes.Structure):
    """struct tidings_platform, as this process has it."""

    _fields_ = (
        ("rank", ctypes.c_uint32),
        ("ranks", ctypes.c_uint32),
        ("slots", ctypes.c_uint32),
        ("endpoints", ctypes.POINTER(_Endpoint)),
        ("grid", _Grid),
        ("barrier_wires", ctypes.c_bool),
        ("shared_memory", ctypes.c_bool),
        ("alltoall_entries", ctypes.c_uint32),
        ("alltoall_hop", ctypes.c_uint32),
        ("hardware_collectives", ctypes.c_bool),
        ("named_switches", ctypes.c_bool),
        ("machine", ctypes.c_char_p),
        ("program", ctypes.c_uint32),
        ("exchange_costs", _ExchangeCosts),
    )


class _Memory(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("bytes", ctypes.c_size_t))


@dataclass
class Part:
    """What the core did between two marks.

    Attributes
    ----------
    instructions : int
        Executed.
    accesses : int
        Those of them that load or store.
    reads, writes : int
        Of registers of the slot.
    work : list
        What was charged, in order: kind and amount of `tidings_work`.
    """

    instructions: int = 0
    accesses: int = 0
    reads: int = 0
    writes: int = 0
    work: list[tuple[int, int]] = field(default_factory=list)


def _slot_functions() -> ctypes.CDLL:
    """Return the bus boundary of the rank that this process is, which the launcher has loaded."""
    rank = ctypes.CDLL(None)
    if not hasattr(rank, "tidings_bus_open"):
        sys.exit("a soft core is a rank of a machine: start it with `tidings run`")
    rank.tidings_bus_open.restype = ctypes.c_void_p
    rank.tidings_platform_read.restype = ctypes.c_char_p
    rank.tidings_bus_read.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    rank.tidings_bus_read.restype = ctypes.c_uint32
    rank.tidings_bus_write.argtypes = (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
    rank.tidings_bus_close.argtypes = (ctypes.c_void_p,)
    rank.tidings_bus_wait.argtypes = (ctypes.c_void_p,)
    rank.tidings_bus_memory.argtypes = (ctypes.c_void_p,)
    rank.tidings_bus_memory.restype = _Memory
    rank.tidings_clock_ns.restype = ctypes.c_uint64
    return rank


class SoftCore:
    """A core with the image in its memory.

    Parameters
    ----------
    image : bytes
        An executable of `drivers/rv32`.
    """

    def __init__(self, image: bytes) -> None:
        self.parts = [Part()]
        self.status = 0
        self._slot = _slot_functions()
        self._bus = self._slot.tidings_bus_open(0)
        self._core = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
        self._blocks: dict[int, tuple[int, int]] = {}
        self._heap = _HEAP
        self.rank = 0
        self._map_memory()
        self._entry = self._load(image)
        self._write_table(image)
        self._write_stack()
        self._core.hook_add(unicorn.UC_HOOK_BLOCK, self._count)
        self._core.hook_add(unicorn.UC_HOOK_INTR, self._serve)

    def run(self) -> int:
        """Run the image to its end, and return its exit status."""
        self._core.emu_start(self._entry, 0xFFFFFFFF)
        self._slot.tidings_bus_close(self._bus)
        return self.status

    def _map_memory(self) -> None:
        core = self._core
        core.mem_map(_LOADER, _PAGE * 16)
        core.mem_map(_HEAP, _HEAP_BYTES)
        core.mem_map(_STACK, _STACK_BYTES)
        memory = self._slot.tidings_bus_memory(self._bus)
        self._memory_bytes: int = memory.bytes
        core.mem_map_ptr(_MEMORY, memory.bytes, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE, memory.base)
        core.mmio_map(_REGISTERS, _REGISTER_BYTES, self._read, None, self._write, None)

    def _load(self, image: bytes) -> int:
        """Copy the segments to their places; what lies behind them is zeros. Returns the entry."""
        entry, first = struct.unpack_from("<II", image, 24)
        size, number = struct.unpack_from("<HH", image, 42)
        rows = [struct.unpack_from("<8I", image, first + row * size) for row in range(number)]
        self._auxiliary = [(3, rows[0][2]), (4, size), (5, number), (6, _PAGE), (9, entry)]
        loaded = [row for row in rows if row[0] == _LOAD]
        begin = min(row[2] for row in loaded) // _PAGE * _PAGE
        end = -(-max(row[2] + row[5] for row in loaded) // _PAGE) * _PAGE
        self._core.mem_map(begin, end - begin)
        for _, offset, address, _, stored, *_ in loaded:
            self._core.mem_write(address, image[offset : offset + stored])
        return int(entry)

    def _write_table(self, image: bytes) -> None:
        """Fill in struct tidings_rv32_board."""
        platform = _Platform()
        refusal = self._slot.tidings_platform_read(ctypes.byref(platform))
        if refusal is not None:
            sys.exit(f"this program {refusal.decode()}")
        stubs = [self._stub(number, place) for place, number in enumerate((_CLOCK, _WAIT))]
        number = platform.ranks * platform.slots
        endpoints = b"".join(
            struct.pack("<HBx", platform.endpoints[i].node, platform.endpoints[i].slot) for i in range(number)
        )
        self._core.mem_write(_LOADER + 256, endpoints)
        name = _LOADER + 256 + len(endpoints)
        self._core.mem_write(name, platform.machine + b"\0")
        grid = platform.grid
        self.rank = platform.rank
        # Four bytes more, because the platform has numbers of eight bytes.
        table = struct.pack("<5I4x", _REGISTERS, _MEMORY, self._memory_bytes, *stubs)
        table += struct.pack("<4I", platform.rank, platform.ranks, platform.slots, _LOADER + 256)
        table += struct.pack("<I4H4??3x", grid.dimensions, *grid.radix, *grid.wraps, grid.single)
        table += struct.pack("<?3xII", platform.barrier_wires, platform.alltoall_entries, platform.alltoall_hop)
        table += struct.pack("<?3xII", platform.hardware_collectives, name, platform.program)
        self._core.mem_write(_section(image, b"tidings_board"), table)

    def _stub(self, number: int, place: int) -> int:
        """Write a function that only calls the loader: li a7, number; ecall; ret."""
        address = _LOADER + 16 * place
        self._core.mem_write(address, struct.pack("<3I", number << 20 | 17 << 7 | 0x13, 0x73, 0x8067))
        return address

    def _write_stack(self) -> None:
        """Lay out arguments, environment and auxiliary vector as Linux does."""
        top = _STACK + _STACK_BYTES - 64
        self._core.mem_write(top, b"image\0")
        words = [1, top, 0, 0]
        for key, value in (*self._auxiliary, (25, top + 16), (0, 0)):
            words += [key, value]
        stack = (top - 4 * len(words)) // 16 * 16
        self._core.mem_write(stack, struct.pack(f"<{len(words)}I", *words))
        self._core.reg_write(riscv.UC_RISCV_REG_SP, stack)

    def _count(self, core: unicorn.Uc, address: int, size: int, _data: object) -> None:
        """Count a block of instructions that is about to be executed."""
        found = self._blocks.get(address)
        if found is None:
            found = self._blocks[address] = _instructions(bytes(core.mem_read(address, size)))
        part = self.parts[-1]
        part.instructions += found[0]
        part.accesses += found[1]

    def _read(self, _core: unicorn.Uc, offset: int, _size: int, _data: object) -> int:
        self.parts[-1].reads += 1
        return int(self._slot.tidings_bus_read(self._bus, offset))

    def _write(self, _core: unicorn.Uc, offset: int, _size: int, value: int, _data: object) -> None:
        self.parts[-1].writes += 1
        self._slot.tidings_bus_write(self._bus, offset, value)

    def _serve(self, core: unicorn.Uc, _number: int, _data: object) -> None:
        """Serve an `ecall`: the loader's part, or Linux's."""
        number, a0, a1, a2 = (
            core.reg_read(register)
            for register in (
                riscv.UC_RISCV_REG_A7,
                riscv.UC_RISCV_REG_A0,
                riscv.UC_RISCV_REG_A1,
                riscv.UC_RISCV_REG_A2,
            )
        )
        if number == _WORK:
            self.parts[-1].work.append((a0, a2 << 32 | a1))
        elif number == _MARK:
            self.parts.append(Part())
        elif number == _WAIT:
            self._slot.tidings_bus_wait(self._bus)
        elif number == _CLOCK:
            now = self._slot.tidings_clock_ns()
            core.reg_write(riscv.UC_RISCV_REG_A0, now & 0xFFFFFFFF)
            core.reg_write(riscv.UC_RISCV_REG_A1, now >> 32)
        else:
            core.reg_write(riscv.UC_RISCV_REG_A0, self._linux(number, a0, a1, a2) & 0xFFFFFFFF)

    def _linux(self, number: int, a0: int, a1: int, a2: int) -> int:
        calls: dict[int, Callable[[int, int, int], int]] = {
            66: self._writev,
            93: self._exit,
            94: self._exit,
            96: lambda *_: 1,  # set_tid_address
            123: self._affinity,
            178: lambda *_: 1,  # gettid
            215: lambda *_: 0,  # munmap
            222: self._mmap,
        }
        return calls[number](a0, a1, a2) if number in calls else _ERROR_NO_CALL

    def _writev(self, file: int, vector: int, count: int) -> int:
        pieces = [struct.unpack("<II", self._core.mem_read(vector + 8 * i, 8)) for i in range(count)]
        text = b"".join(bytes(self._core.mem_read(base, size)) for base, size in pieces if size)
        os.write(file, text)
        return len(text)

    def _exit(self, status: int, _a1: int, _a2: int) -> int:
        self.status = status
        self._core.emu_stop()
        return 0

    def _affinity(self, _process: int, size: int, mask: int) -> int:
        self._core.mem_write(mask, struct.pack("<I", 1) + bytes(size - 4))
        return 4

    def _mmap(self, _address: int, size: int, _rights: int) -> int:
        place = self._heap
        self._heap += -(-size // _PAGE) * _PAGE
        return place


def _instructions(code: bytes) -> tuple[int, int]:
    """Return the number of instructions, and of those that load or store."""
    count = accesses = at = 0
    while at < len(code):
        (half,) = struct.unpack_from("<H", code, at)
        long = half & 3 == 3
        count += 1
        accesses += (half >> 2 & 31) in _ACCESSES if long else (half >> 13, half & 3) in _SHORT_ACCESSES
        at += 4 if long else 2
    return count, accesses


def _section(image: bytes, name: bytes) -> int:
    """Return the address of a section."""
    (first,) = struct.unpack_from("<I", image, 32)
    size, number, texts = struct.unpack_from("<HHH", image, 46)
    rows = [struct.unpack_from("<10I", image, first + row * size) for row in range(number)]
    for row in rows:
        begin = rows[texts][4] + row[0]
        if image[begin : image.index(b"\0", begin)] == name:
            return int(row[3])
    sys.exit(f"the image has no section {name.decode()}")


def main(image: Path, counts: Path | None) -> int:
    """Run an image as the rank that this process is; rank 0 writes what it counted."""
    core = SoftCore(image.read_bytes())
    status = core.run()
    if counts is not None and core.rank == 0:
        counts.write_text(json.dumps([asdict(part) for part in core.parts]), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None))
