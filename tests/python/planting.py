# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Faults that are planted in copies of sources: what finds none of them proves nothing.

Faults are data: a TOML file beside what they are planted in, with a table ``[[fault]]`` for each.
"""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """A fault to plant: in `file`, `old` (which occurs once) becomes `new`."""

    title: str
    file: str
    old: str
    new: str

    def planted(self, text: str) -> str:
        """Return a text with the fault.

        Raises
        ------
        ValueError
            If there is not exactly one place for it.
        """
        if (places := text.count(self.old)) != 1:
            message = f"fault '{self.title}': {places} places in {self.file} read\n{self.old}"
            raise ValueError(message)
        return text.replace(self.old, self.new)


def read_faults(path: Path) -> list[Fault]:
    """Return the faults of a file."""
    return [Fault(**table) for table in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]]


@contextmanager
def plant(root: Path, fault: Fault) -> Iterator[None]:
    """Plant a fault in a copy of the project, and take it out in the end."""
    file = root / fault.file
    text = file.read_text(encoding="utf-8")
    file.write_text(fault.planted(text), encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(text, encoding="utf-8")
