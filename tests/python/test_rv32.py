# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The library and the driver build for a soft core of RISC-V, in an image that it can hold."""

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tidings
from cli_support import ROOT

_IMAGE = ROOT / "build" / "rv32" / "drivers" / "rv32" / "tidings_rv32"


@pytest.fixture(scope="module")
def image() -> bytes:
    """Return the image that `make rv32` makes."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    made = subprocess.run(["make", "rv32"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "[rv32] tidings_rv32: " in made.stdout
    assert "Hard-float" not in made.stdout + made.stderr
    return _IMAGE.read_bytes()


def test_image_for_a_soft_core_fits(image: bytes) -> None:
    """It holds the library, and a loader finds the table of the board in it."""
    assert b"the device is not a Tidings slot" in image
    assert b"\0tidings_board\0" in image


@pytest.mark.usefixtures("image")
@pytest.mark.parametrize("ranks", [1, 5])
def test_primitives_of_remote_memory_access_run_on_soft_cores(ranks: int) -> None:
    """PUT, GET, BARRIER and ABORT of `rma.h` alone, between emulated cores, which compare what has come."""
    image = _IMAGE.with_name("tidings_rv32_rma")
    command = [sys.executable, "-m", "tidings.bench.soft_core", str(image)]
    done = tidings.run(command, machine="crossbar", ranks=ranks, capture=True)
    assert done.stdout == f"{ranks} processors, name 0, last word {100 * ranks + 1 % ranks}\naborted with code 7\n"


def _first_segment(image: bytearray) -> int:
    """Return where the program header has the row of what is loaded first."""
    (row,) = struct.unpack_from("<I", image, 28)
    while struct.unpack_from("<I", image, row) != (1,):
        row += 32
    return int(row)


def _larger(image: bytearray) -> None:
    struct.pack_into("<I", image, _first_segment(image) + 16, 256 * 1024)


def _dynamic(image: bytearray) -> None:
    struct.pack_into("<I", image, _first_segment(image), 3)


def _with_float_registers(image: bytearray) -> None:
    image[36] |= 4


def _of_64_bits(image: bytearray) -> None:
    image[4] = 2


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (_larger, "bytes too large"),
        (_dynamic, "needs a dynamic linker"),
        (_with_float_registers, "expects a core with floating-point registers"),
        (_of_64_bits, "not an executable for RISC-V of 32 bits"),
    ],
)
def test_image_that_a_soft_core_cannot_have_is_refused(
    image: bytes, tmp_path: Path, change: Callable[[bytearray], None], refusal: str
) -> None:
    changed = bytearray(image)
    change(changed)
    path = tmp_path / "image"
    path.write_bytes(changed)
    command: list[str | Path] = [sys.executable, ROOT / "drivers" / "rv32" / "image.py", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert refusal in done.stderr
