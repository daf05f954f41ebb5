#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Print what compiling and running the first program of ``docs/getting-started.md`` prints, but for the wall time."""

import re
import subprocess
import tempfile
from pathlib import Path

_PAGE = Path(__file__).resolve().parents[1] / "getting-started.md"


def main() -> None:
    """Print the commands and what they print."""
    page = _PAGE.read_text(encoding="utf-8")
    source = re.search(r"```c\n/\* (hello\.c) \*/.*?```", page, re.DOTALL)
    commands = re.search(r"```\n((?:tidings .*\n)+)```", page)
    if source is None or commands is None:
        raise SystemExit(f"{_PAGE} has no first program")
    print("$ source .venv/bin/activate")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / source[1]).write_text(source[0].removeprefix("```c\n").removesuffix("```"))
        for command in commands[1].splitlines():
            print(f"$ {command}")
            done = subprocess.run(command.split(), cwd=folder, capture_output=True, text=True, check=True)
            said = done.stdout + done.stderr
            print("".join(line for line in said.splitlines(keepends=True) if "cycles/s" not in line), end="")


if __name__ == "__main__":
    main()
