#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Make the figures of pages anew: what stands between a marker with a command and the next ``<!-- end -->``.

``<!-- begin: COMMAND -->``
    The command, run by bash in the root of the repository, prints the same at every time, within seconds: the tests
    run it and compare.
``<!-- begin, long: COMMAND -->``
    It prints the same at every time, but takes minutes: ``--long`` makes it anew.
``<!-- begin, by hand: COMMAND -->``
    It depends on how fast the computer is and what else it does, or has to be read by a person. Nothing is replaced.

A command prints Markdown. If its place holds a block of code, the block stays and its content is what the command
prints, after a line ``$ COMMAND`` (up to the first pipe) if the block begins with it.

Without pages, all of ``docs/`` and the README are made anew.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_END = "<!-- end -->"
_PLACE = re.compile(rf"<!-- begin(?:, (long|by hand))?: (.+?) -->\n(.*?){_END}", re.DOTALL)


@dataclass(frozen=True)
class Figure:
    """A place in a page with the command that prints its content."""

    page: Path
    kind: str  #: nothing, "long" or "by hand"
    command: str
    content: str

    def made(self) -> str:
        """Run the command and return the content that it gives this place.

        Raises
        ------
        RuntimeError
            If the command fails.
        """
        here = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "100"}
        shell = ["bash", "-o", "pipefail", "-c", self.command]
        done = subprocess.run(shell, cwd=ROOT, env=here, capture_output=True, text=True, check=False)
        if done.returncode:
            message = f"{self.page.name}: {self.command}: status {done.returncode}\n{done.stderr}"
            raise RuntimeError(message)
        text = done.stdout.rstrip() + "\n"
        fence = re.match(r"```.*\n", self.content)
        if fence is None:
            return text
        prompt = f"$ {self.command.partition(' | ')[0]}\n"
        shown = self.content.startswith(prompt, fence.end())
        return f"{fence[0]}{prompt if shown else ''}{text}```\n"


def figures(page: Path) -> Iterator[Figure]:
    """Yield the figures of a page, in order."""
    for kind, command, content in _PLACE.findall(page.read_text(encoding="utf-8")):
        yield Figure(page, kind, command, content)


def pages() -> list[Path]:
    """Return all pages that may have figures."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def main() -> None:
    """Make the figures of pages anew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path, help="pages; all if none is given")
    parser.add_argument("--long", action="store_true", help="also figures that take minutes")
    options = parser.parse_args()
    for page in options.pages or pages():
        for figure in figures(page):
            if figure.kind == "by hand":
                print(f"{page.name}: left as it is: {figure.command}")
            elif figure.kind == "" or options.long:
                made = figure.made()
                print(f"{page.name}: {'the same' if made == figure.content else 'new'}: {figure.command}", flush=True)
                text = page.read_text(encoding="utf-8")
                begin = f"{figure.command} -->\n"
                page.write_text(text.replace(begin + figure.content, begin + made, 1), encoding="utf-8")


if __name__ == "__main__":
    main()
