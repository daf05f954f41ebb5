# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Where the ranks of a run print, if not where the command does: to files, or through labels."""

import os
import selectors
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tidings.errors import UserError
from tidings.files import reason_of

#: Ends of the names of a rank's files.
_ENDS = ("out", "err")
#: Bytes that are read from a rank at once.
_CHUNK = 1 << 16


@contextmanager
def rank_outputs(ranks: int, *, label: bool, folder: Path | None) -> Iterator[list[tuple[int, int]]]:
    """Give each rank descriptors for its standard output and error; none if they print where this process does.

    Parameters
    ----------
    ranks : int
        Number of ranks.
    label : bool
        Put the rank before each line. Lines of one rank stay in their order, those of two ranks may change places.
    folder : Path, optional
        Where files ``rank-K.out`` and ``rank-K.err`` are written.

    Raises
    ------
    UserError
        If a file cannot be written.
    """
    with ExitStack() as stack:
        if folder is not None:
            yield _files(ranks, folder, stack)
        elif label:
            labeller = Labeller(ranks)
            stack.callback(labeller.finish)
            yield labeller.outputs
        else:
            yield []


def _files(ranks: int, folder: Path, stack: ExitStack) -> list[tuple[int, int]]:
    digits = len(str(ranks - 1))
    outputs = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for rank in range(ranks):
            files = [stack.enter_context((folder / f"rank-{rank:0{digits}}.{end}").open("wb")) for end in _ENDS]
            outputs.append((files[0].fileno(), files[1].fileno()))
    except OSError as error:
        message = f"--output-folder {folder}: {reason_of(error)}"
        raise UserError(message) from error
    return outputs


class Labeller:
    """Passes on what ranks print, with the rank before each line."""

    def __init__(self, ranks: int) -> None:
        digits = len(str(ranks - 1))
        self._selector = selectors.DefaultSelector()
        self.outputs: list[tuple[int, int]] = []
        for rank in range(ranks):
            sinks = [self._pipe(f"[{rank:>{digits}}] ".encode(), target) for target in (1, 2)]
            self.outputs.append((sinks[0], sinks[1]))
        self._thread = threading.Thread(target=self._carry, name="labels")
        self._thread.start()

    def _pipe(self, label: bytes, target: int) -> int:
        source, sink = os.pipe2(os.O_CLOEXEC)
        self._selector.register(source, selectors.EVENT_READ, _Lines(label, target))
        return sink

    def _carry(self) -> None:
        """Carry lines until all pipes are closed."""
        while self._selector.get_map():
            for key, _ in self._selector.select():
                data = os.read(key.fd, _CHUNK)
                if not key.data.take(data):  # a rank that prints on gets what a closed pipe gives it
                    self._selector.unregister(key.fd)
                    os.close(key.fd)

    def finish(self) -> None:
        """Close our ends, and wait until all that was printed has been passed on."""
        for sinks in self.outputs:
            for sink in sinks:
                os.close(sink)
        self._thread.join()
        self._selector.close()


class _Lines:
    """One stream of a rank: whole lines are passed on as they come, and the rest in the end."""

    def __init__(self, label: bytes, target: int) -> None:
        self._label, self._target, self._held = label, target, b""

    def take(self, data: bytes) -> bool:
        """Take what was read, nothing at the end; returns whether there is more to take."""
        *lines, self._held = (self._held + data).split(b"\n")
        if not data and self._held:
            lines.append(self._held)
        passed = b"".join(self._label + line + b"\n" for line in lines)
        try:
            while passed:
                passed = passed[os.write(self._target, passed) :]
        except OSError:  # nobody reads any more
            return False
        return bool(data)
