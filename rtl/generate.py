#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Generate what is made from the registers, the SystemVerilog packages and the schema of a machine.

Sources are ``regs/*.rdl``, ``*/*_pkg.sv`` and ``machine/node.toml``.

``python generate.py OUT [name=value ...]`` writes into OUT:

``node_cfg_pkg.sv``, ``node_cfg_check.sv``
    The configuration of a node as one packed structure, the node that is built, and the limits. The values given are
    those of that node; the others are the schema's.
``node_parameters.h``, ``engines.h``, ``machine_sections.h``, ``built_node.h``
    The same for C++, and the other sections of machine files.
``fixed_parameters_c.h``
    For C: the parameters that no machine file changes.
``NAME_regs_pkg.sv``, ``NAME_regs.sv``
    The register blocks, by PeakRDL: a pair for each instance of an addrmap in ``regs/slot.rdl``, without its offset.
``register_words_pkg.sv``
    A packed structure for each register.
``registers.h``, ``tidings_pkg.h`` and a header for each other package
    For C++: addresses, fields, encoders and decoders.
``registers_c.h``, ``packets_c.h``
    The same for C.
``registers.py``, ``packets.py``
    The same for Python: ``tidings.generated.registers`` and ``tidings.generated.packets``.
``registers.md``, ``packets.md``
    Reference pages.

Every user (CMake, lint, cocotb, the node's build, FuseSoC) calls this one script.
"""

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from peakrdl_regblock import RegblockExporter

from generators import c_headers, cpp_headers, node_configuration, python_modules, register_pages, sv_package
from generators.bus_interface import BusInterface
from generators.read_packages import read_packages
from generators.read_registers import blocks, compile_registers, registers

RTL = Path(__file__).resolve().parent
REGISTERS = RTL / "regs" / "slot.rdl"
_STAMP = "generated-from"


def package_files() -> list[Path]:
    """Return the SystemVerilog packages."""
    return sorted(RTL.glob("*/*_pkg.sv"))


def _sources() -> list[Path]:
    """Return all that the result depends on."""
    scripts = [Path(__file__).resolve(), *sorted((RTL / "generators").glob("*.py"))]
    return [*sorted(REGISTERS.parent.glob("*.rdl")), *package_files(), node_configuration.SOURCE, *scripts]


def _identity(values: Mapping[str, int]) -> str:
    """Name the contents of all sources, and the node that is built."""
    digest = hashlib.sha256(repr(sorted(values.items())).encode())
    for path in _sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _write_all(out: Path, values: Mapping[str, int]) -> None:
    top = compile_registers(REGISTERS)
    found, packages = registers(top), read_packages(package_files())
    bus_bits = next(c.value for package in packages for c in package.constants if c.name == "BusAddressWidth")
    for block in blocks(top):
        RegblockExporter().export(
            block,
            str(out),
            cpuif_cls=BusInterface,
            module_name=f"{block.inst_name}_regs",
            address_width=bus_bits,
            default_reset_activelow=True,
            default_reset_async=False,
        )
    name = REGISTERS.name
    texts = {
        "register_words_pkg.sv": sv_package.register_words_package(found, name),
        "registers.h": cpp_headers.registers_header(found, name),
        **cpp_headers.headers(packages),
        "registers_c.h": c_headers.registers_header(found, name),
        "packets_c.h": c_headers.packages_header(packages),
        "registers.py": python_modules.registers_module(found, name),
        "packets.py": python_modules.packages_module(packages),
        "registers.md": register_pages.registers_page(found, name),
        "packets.md": register_pages.packets_page(packages),
        **node_configuration.files(values),
    }
    for file, text in texts.items():
        (out / file).write_text(text, encoding="utf-8")


def generate(out: Path, values: Mapping[str, int] | None = None) -> None:
    """Write the generated files.

    Parameters
    ----------
    out
        Directory to write to; made if it is not there. Nothing is done if it holds what the sources give. Files that
        do not change are kept, and others are replaced at once, so that several processes may generate into one
        directory.
    values
        Of the node that is built, by the names of node_cfg_t; the others are the schema's.

    Raises
    ------
    ValueError, systemrdl.RDLCompileError
        If a source is wrong.
    """
    identity = _identity(values or {})
    stamp = out / _STAMP
    if stamp.exists() and stamp.read_text(encoding="utf-8") == identity:
        stamp.touch()  # newer than the sources, for tools that compare times
        return
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix="fresh-") as fresh:
        _write_all(Path(fresh), values or {})
        (Path(fresh) / _STAMP).write_text(identity, encoding="utf-8")
        for file in sorted(Path(fresh).iterdir(), key=lambda file: file.name == _STAMP):
            there = out / file.name
            if not there.exists() or there.read_bytes() != file.read_bytes():
                file.replace(there)


def main() -> int:
    """Run as a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT", help="directory for the generated files")
    parser.add_argument("values", nargs="*", metavar="name=value", help="parameters of the node that is built")
    arguments = parser.parse_args()
    pairs = (text.partition("=") for text in arguments.values)
    generate(arguments.out, {name: int(value, 0) for name, _, value in pairs})
    return 0


if __name__ == "__main__":
    sys.exit(main())
