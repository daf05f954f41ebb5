# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Keeps what the ranks of a run print, which goes to the descriptors that they inherit."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Captured:
    """What was printed; known when the run is over."""

    stdout: str = ""
    stderr: str = ""


@contextmanager
def captured() -> Iterator[Captured]:
    """Send what this process and its children print to files, and give it back as text in the end.

    The descriptors belong to the whole process: nothing else may print meanwhile.
    """
    result = Captured()
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        kept = [os.dup(descriptor) for descriptor in (1, 2)]
        try:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            yield result
        finally:
            for descriptor, original in zip((1, 2), kept, strict=True):
                os.dup2(original, descriptor)
                os.close(original)
            for name, file in (("stdout", out), ("stderr", err)):
                file.seek(0)
                setattr(result, name, file.read().decode(errors="replace"))
