# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Addresses of registers stand in SystemRDL alone; the generated descriptions fit together."""

import re
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tidings.bit_fields import PackedStruct
from tidings.generated import packets, registers

ROOT = Path(__file__).resolve().parents[2]
#: Files in which numbers that look like addresses are something else.
_OTHER_NUMBERS = {
    "tests/sim/mock_registers.h": "registers of a node of its own",
    "tests/sim/runtime_programs/device.c": "what is written to that node",
    "tests/sim/topology_test.cpp": "addresses of routers",
}
_STRUCTURES = [
    kind
    for kind in vars(packets).values()
    if isinstance(kind, type) and issubclass(kind, PackedStruct) and kind is not PackedStruct
]


def _sources() -> list[str]:
    """Return the sources, but for tests of the RTL, whose numbers are addresses of memory."""
    folders = ["sim", "drivers", "lib", "python", "tests", ":!tests/rtl"]
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    suffixes = (".c", ".h", ".cpp", ".py")
    return [name for name in listed.stdout.splitlines() if name.endswith(suffixes) and name not in _OTHER_NUMBERS]


def test_no_source_has_the_address_of_a_register() -> None:
    """A number of three digits that is a register's address: use the generated name."""
    known = [register for register in registers.REGISTERS if register.ADDRESS]
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in _sources()
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        for digits in re.findall(r"\b0x([0-9a-fA-F]{3})\b", line)
        if any(register.holds(int(digits, 16)) for register in known)
    ]
    assert found == []


def test_registers_do_not_overlap() -> None:
    taken: dict[int, str] = {}
    for register in registers.REGISTERS:
        for address in range(0, 1 << packets.BUS_ADDRESS_WIDTH, 4):
            if register.holds(address):
                assert address not in taken, f"{register.NAME} and {taken[address]}"
                taken[address] = register.NAME


@given(st.sampled_from([*registers.REGISTERS, *_STRUCTURES]), st.integers(0, (1 << 160) - 1))
def test_what_is_encoded_is_decoded_again(kind: type[PackedStruct], bits: int) -> None:
    mask = sum(((1 << part.width) - 1) << part.lsb for part in kind.FIELDS)
    try:
        decoded = kind.decode(bits & mask)
    except ValueError:  # no value of an enumeration
        return
    assert decoded.encode() == bits & mask
