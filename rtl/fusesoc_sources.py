#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""FuseSoC generator: what the engines need besides their own sources.

Brings CVFPU and common_cells, from the Python package `pythondata-cpu-cv32e40p`, and the registers of a slot, which
PeakRDL makes. Both are in requirements.txt. FuseSoC calls this with a file that names the core that it wants.
"""

import importlib.util
import json
import shutil
import sys
from pathlib import Path

RTL = Path(__file__).resolve().parent
sys.path.insert(0, str(RTL / "regs"))

import generate  # noqa: E402

_VENDOR = "${TIDINGS_VENDOR}/"


def vendor_folder() -> Path:
    """Return the folder of common_cells and CVFPU."""
    spec = importlib.util.find_spec("pythondata_cpu_cv32e40p")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("the engines need the Python package pythondata-cpu-cv32e40p: pip install pythondata-cpu-cv32e40p")
    return Path(spec.submodule_search_locations[0]) / "system_verilog" / "rtl" / "vendor"


def main() -> None:
    """Write the sources and a core file that lists them into the current folder."""
    with Path(sys.argv[1]).open(encoding="utf-8") as request:
        name = next(line.split(":", 1)[1].strip() for line in request if line.startswith("vlnv:"))
    vendor = vendor_folder()
    files: list[str | dict[str, dict[str, str | bool]]] = []
    headers = Path("pulp_platform_common_cells") / "include"
    for header in sorted((vendor / headers).rglob("*.svh")):
        path = header.relative_to(vendor)
        include = {"is_include_file": True, "include_path": str(headers)}
        files.append({_bring(header, path): include | {"file_type": "systemVerilogSource"}})
    for line in (RTL / "sources.f").read_text(encoding="utf-8").splitlines():
        if line.startswith(_VENDOR):
            path = Path(line.removeprefix(_VENDOR))
            files.append(_bring(vendor / path, path))
    generate.generate(Path("registers"))
    files += ["registers/slot_regs_pkg.sv", "registers/slot_regs.sv"]
    core = {
        "name": name,
        "filesets": {"rtl": {"files": files, "file_type": "systemVerilogSource"}},
        "targets": {"default": {"filesets": ["rtl"]}},
    }
    # Every JSON document is a YAML document.
    Path("sources.core").write_text("CAPI=2:\n" + json.dumps(core, indent=2) + "\n", encoding="utf-8")


def _bring(source: Path, path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, path)
    return str(path)


if __name__ == "__main__":
    main()
