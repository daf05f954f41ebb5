# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The store of what takes long to make: compiled nodes, syntheses, proofs.

It is a folder (``$TIDINGS_CACHE``, ``$XDG_CACHE_HOME/tidings`` or ``~/.cache/tidings``). The name of a file in it
covers everything that the file is made from, so a file that is there is right. Many processes may use it at once.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tidings.errors import UserError

#: Characters of a key.
_KEY_LENGTH = 20


def folder() -> Path:
    """Return the folder of the store."""
    if chosen := os.environ.get("TIDINGS_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tidings"


def key(values: Iterable[object], sources: Path | None = None, patterns: Iterable[str] = ()) -> str:
    """Name everything that something is made from in one short text.

    Parameters
    ----------
    values : iterable
        What counts beside files: versions, options, parameters.
    sources : Path, optional
        Folder of the files.
    patterns : iterable of str
        Files that count, as patterns below that folder: their names and contents.
    """
    digest = hashlib.sha256()
    for value in values:
        digest.update(f"{value}\0".encode())
    for pattern in patterns:
        for path in sorted((sources or Path()).glob(pattern)):
            if path.is_file():
                digest.update(f"{path.relative_to(sources or Path())}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:_KEY_LENGTH]


def kept(name: str, make: Callable[[Path], Path], wait: Callable[[], None] = lambda: None) -> Path:
    """Return a file of the store, making it first if it is not there.

    Parameters
    ----------
    name : str
        The file's name, which contains its key.
    make : callable
        Makes the file in an empty folder of its own, and returns its path there. No other process makes the same file
        meanwhile, and nobody sees it before it is complete.
    wait : callable
        Called if another process is making the same file.

    Raises
    ------
    UserError
        If the folder cannot be used.
    """
    path = folder() / name
    if path.exists():
        return path
    with _errors_named(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("w")
    with lock:
        # The system releases the lock when the process ends, however it ends.
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wait()
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():  # else another process has made it meanwhile
            with _scratch_folder(path.with_suffix(".build")) as scratch:
                make(scratch).replace(path)
    return path


def keep(name: str, text: str) -> None:
    """Put a text into the store under a name that contains its key."""
    path = folder() / name
    with _errors_named(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)


@contextmanager
def _errors_named(path: Path) -> Iterator[None]:
    """Say which folder cannot be used, and how another is chosen."""
    try:
        yield
    except OSError as error:
        message = f"the cache folder {path} cannot be used: {error.strerror}; TIDINGS_CACHE names another one"
        raise UserError(message) from error


@contextmanager
def _scratch_folder(path: Path) -> Iterator[Path]:
    """Make an empty folder and remove it in the end. What a process that was killed has left there goes first."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
