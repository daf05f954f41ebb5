# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The image for a soft core: check that it can be loaded, and that it is no larger than a soft core can hold."""

import struct
import sys
from pathlib import Path

_LIMIT = 256 * 1024
_ELF32 = b"\x7fELF\x01"
_RISCV = 243
_FLOAT_REGISTERS = 0x6  # flags: values are passed in floating-point registers
_LOAD, _INTERPRETER = 1, 3


def _segments(image: bytes) -> list[tuple[int, ...]]:
    """Return the rows of the program header: type, offset, two addresses, bytes in file, bytes in memory, ..."""
    (first,) = struct.unpack_from("<I", image, 28)
    size, number = struct.unpack_from("<HH", image, 42)
    return [struct.unpack_from("<8I", image, first + row * size) for row in range(number)]


def main(path: Path) -> str | None:
    """Print the bytes that are loaded beside their limit.

    Returns
    -------
    str | None
        Why a soft core cannot have the image.
    """
    image = path.read_bytes()
    if image[:5] != _ELF32 or struct.unpack_from("<H", image, 18) != (_RISCV,):
        return f"{path}: not an executable for RISC-V of 32 bits"
    if struct.unpack_from("<I", image, 36)[0] & _FLOAT_REGISTERS:
        return f"{path}: expects a core with floating-point registers"
    segments = _segments(image)
    if any(segment[0] == _INTERPRETER for segment in segments):
        return f"{path}: needs a dynamic linker"
    loaded = [segment for segment in segments if segment[0] == _LOAD]
    stored = sum(segment[4] for segment in loaded)
    zeros = sum(segment[5] - segment[4] for segment in loaded)
    print(f"[rv32] {path.name}: {stored:,} of {_LIMIT:,} bytes, and {zeros:,} bytes of zeros behind it")
    return f"{path}: {stored - _LIMIT:,} bytes too large" if stored > _LIMIT else None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
