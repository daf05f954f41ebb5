# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The library and the driver build for a soft core of RISC-V, in an image that it can hold."""

import struct
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_BUILD = _ROOT / "build" / "rv32"
_MOST_BYTES = 256 * 1024
_RISCV = 243
_LOAD, _INTERPRETER = 1, 3


def _built() -> bytes:
    toolchain = _ROOT / "drivers" / "rv32" / "toolchain.cmake"
    path = {"PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(Path.home())}
    for command in (
        [
            "cmake",
            "-S",
            ".",
            "-B",
            _BUILD,
            "-G",
            "Ninja",
            f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
            "-DTIDINGS_SIMULATOR=OFF",
        ],
        ["cmake", "--build", _BUILD, "--target", "tidings_rv32"],
    ):
        done = subprocess.run(command, cwd=_ROOT, env=path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return (_BUILD / "drivers" / "rv32" / "tidings_rv32").read_bytes()


def test_image_for_a_soft_core_fits() -> None:
    """It is an executable of 32 bits without a dynamic linker, and what is loaded is small."""
    image = _built()
    assert image[:5] == b"\x7fELF\x01"
    machine = struct.unpack_from("<H", image, 18)[0]
    first, size, number = (struct.unpack_from(form, image, at)[0] for form, at in (("<I", 28), ("<H", 42), ("<H", 44)))
    segments = [struct.unpack_from("<8I", image, first + row * size) for row in range(number)]
    loaded = sum(segment[4] for segment in segments if segment[0] == _LOAD)
    assert machine == _RISCV
    assert not any(segment[0] == _INTERPRETER for segment in segments)
    assert 100_000 < loaded <= _MOST_BYTES
