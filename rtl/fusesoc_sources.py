#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""FuseSoC generator: the sources of a core, from `sources.f`, which is the only list of them.

Needs the Python package `tidings`, which brings the generators with it. FuseSoC
calls this with a file that names the core that it wants, and the folder of `rtl` that the core stands for.
"""

import json
import shutil
import sys
from pathlib import Path

try:
    from tidings.build import manifest
except ImportError:
    sys.exit("the cores need the Python package tidings: pip install tidings")

RTL = Path(__file__).resolve().parent
#: Cores that each core builds on.
DEPENDENCIES = {"common": (), "network": ("common",), "engine": ("common",), "machine": ("network", "engine")}
_TYPES = {"source": "systemVerilogSource", "waivers": "vlt"}


def main() -> None:
    """Write the sources and a core file that lists them into the current folder."""
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    request = dict(line.strip().split(": ", 1) for line in lines if ": " in line)
    part, name = request["part"], request["vlnv"]
    generated = Path("generated").resolve()
    manifest.generate(RTL, generated)
    files: list[dict[str, dict[str, str]]] = []
    for entry in manifest.entries(RTL):
        if entry.part == part:
            source = entry.below(RTL, generated)
            files.append({_bring(source, Path(entry.path)): {"file_type": _TYPES[entry.kind]}})
    # The version of the package that asks stands at the end of its name.
    version = name.rsplit(":", 1)[1].split("-")[0]
    depend = [f">=tidings:rtl:{core}:{version}" for core in DEPENDENCIES[part]]
    core = {
        "name": name,
        "filesets": {"rtl": {"depend": depend, "files": files}},
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
