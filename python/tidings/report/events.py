# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The event store of a run: what happened on each rank and link, as data frames.

``sim/runtime/events.h`` says what the file is. The simulator and the ranks write it while the run goes on; what was run
is a last chunk, which `tidings.report.record.seal` adds.
"""

import json
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tidings.errors import UserError
from tidings.report import TABLE_KINDS, check_arrow
from tidings.report.record import CHUNK

_NAMES = struct.Struct("<IIII")
_RANK = struct.Struct("<QQ")
_LINKS = struct.Struct("<QQIIII")
_CALL = np.dtype(
    [
        ("began_ps", "<u8"),
        ("ended_ps", "<u8"),
        ("bytes", "<u8"),
        ("group", "<u8"),
        ("operation", "<u2"),
        ("path", "u1"),
        ("argument_count", "u1"),
        ("labels", "u1", 8),
        ("values", "<i4", 8),
        ("reserved", "<u4"),
    ]
)
_MOMENT = np.dtype(
    [
        ("time_ps", "<u8"),
        ("value", "<u8"),
        ("peer", "<u4"),
        ("number", "<u4"),
        ("steps", "<u4"),
        ("kind", "<u4"),
    ]
)
_MESSAGE, _WAIT = 1, 2
#: Who carried a call out: ``enum tidings_path``.
PATHS = ("", "engine", "messages", "messages instead")
_STEPS = {"sent_ps": 1, "arrived_ps": 2, "matched_ps": 4, "received_ps": 8}
_COLLECTIVE, _ANNOUNCED = 16, 32
#: In columns of times: the step was never seen.
NEVER = -1


class EventFileError(UserError):
    """A file is not an event store that can be read."""


@dataclass(frozen=True)
class Events:
    """What happened in a run. Times are picoseconds of virtual time.

    Attributes
    ----------
    run : dict
        What was run, and its figures as ``tidings run --json`` has them.
    calls : DataFrame
        A row per call of the library: rank, operation, text with arguments, began_ps, ended_ps, bytes, group, path,
        root (of a collective, else -1).
    messages : DataFrame
        A row per message between ranks: sender, receiver, number, bytes, collective, announced, sent_ps, arrived_ps,
        matched_ps, received_ps; a step that was never seen is -1.
    waits : DataFrame
        A row per time that a rank was blocked: rank, began_ps, ended_ps, call (row of `calls`, or -1).
    link_flits : array
        Flits that entered links, by window, router and port.
    window_cycles, window_ps : int
        Length of a window.
    lost : int
        Events that could not be stored.
    """

    run: dict[str, Any]
    calls: pd.DataFrame
    messages: pd.DataFrame
    waits: pd.DataFrame
    link_flits: "np.ndarray[Any, np.dtype[np.uint32]]"
    window_cycles: int
    window_ps: int
    lost: int

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return int(self.run["result"]["ranks"])

    @property
    def elapsed_ps(self) -> int:
        """Virtual time of the run."""
        return int(self.run["result"]["elapsed_ps"])

    @property
    def links(self) -> pd.DataFrame:
        """A row per window and link that carried anything: began_ps, router, port, flits."""
        window, router, port = np.nonzero(self.link_flits)
        began = window.astype(np.int64) * self.window_ps
        flits = self.link_flits[window, router, port]
        return pd.DataFrame({"began_ps": began, "router": router, "port": port, "flits": flits})

    def write_tables(self, folder: Path, kind: str = "csv") -> None:
        """Write `calls`, `messages`, `waits` and `links` as files into a folder, which is made.

        Parameters
        ----------
        folder : Path
            Where `calls.csv` and the others go.
        kind : str
            One of `TABLE_KINDS`, which is the end of the files' names.

        Raises
        ------
        UserError
            If they cannot be written, or what writes them is not installed.
        """
        method, options = TABLE_KINDS[kind]
        if kind != "csv":
            check_arrow()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in ("calls", "messages", "waits", "links"):
                getattr(getattr(self, name), method)(folder / f"{name}.{kind}", **options)
        except OSError as error:
            message = f"{folder}: {error.strerror}"
            raise UserError(message) from error

    @cached_property
    def rank_elapsed_ps(self) -> "np.ndarray[Any, np.dtype[np.int64]]":
        """When each rank ended."""
        return np.array([rank["elapsed_ps"] for rank in self.run["result"]["per_rank"]], np.int64)


def _chunks(path: Path) -> Iterator[tuple[bytes, int, memoryview]]:
    try:
        data = memoryview(path.read_bytes())
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise EventFileError(message) from error
    at = 0
    while at < len(data):
        if len(data) - at < CHUNK.size:
            break
        kind, rank, size = CHUNK.unpack_from(data, at)
        at += CHUNK.size
        if kind not in (b"CALL", b"MONT", b"NAME", b"RANK", b"LINK", b"RUN ") or size > len(data) - at:
            message = f"{path} is not a file of events that tidings run --events has written"
            raise EventFileError(message)
        yield kind, rank, data[at : at + size]
        at += size


def load(path: Path) -> Events:
    """Read a file of events.

    Raises
    ------
    EventFileError
        If the file is not one, or the run that wrote it did not come to its end.
    """
    calls: dict[int, list[np.ndarray[Any, Any]]] = defaultdict(list)
    moments: dict[int, list[np.ndarray[Any, Any]]] = defaultdict(list)
    names: dict[int, tuple[list[str], list[str]]] = {}
    run: dict[str, Any] | None = None
    links, window, lost = np.zeros((0, 1, 1), np.uint32), (1, 1), 0
    for kind, rank, data in _chunks(path):
        if kind == b"CALL":
            calls[rank].append(np.frombuffer(data, _CALL))
        elif kind == b"MONT":
            moments[rank].append(np.frombuffer(data, _MOMENT))
        elif kind == b"NAME":
            names[rank] = _names(data)
        elif kind == b"RANK":
            lost += _RANK.unpack(data)[1]
        elif kind == b"LINK":
            cycles, length, windows, nodes, ports, _ = _LINKS.unpack_from(data)
            links = np.frombuffer(data, np.uint32, offset=_LINKS.size).reshape(windows, nodes, ports)
            window = cycles, length
        else:
            run = json.loads(bytes(data))
            # Files written before ranks could be mapped do not say where they sit: in slots in their order.
            run["machine"]["network"].setdefault("places", list(range(run["result"]["ranks"])))
    if run is None:
        message = f"{path}: the run that wrote these events did not come to its end"
        raise EventFileError(message)
    call_frame = _call_frame(calls, names)
    all_moments = {rank: np.concatenate(parts) for rank, parts in sorted(moments.items())}
    return Events(
        run=run,
        calls=call_frame,
        messages=_message_frame(all_moments),
        waits=_wait_frame(all_moments, call_frame),
        link_flits=links,
        window_cycles=window[0],
        window_ps=window[1],
        lost=lost,
    )


def _names(data: memoryview) -> tuple[list[str], list[str]]:
    operations, labels, size, _ = _NAMES.unpack_from(data)
    texts = [
        bytes(data[_NAMES.size + i * size :][:size]).split(b"\0")[0].decode(errors="backslashreplace")
        for i in range(operations + labels)
    ]
    return texts[:operations], texts[operations:]


def _call_frame(
    parts: dict[int, list["np.ndarray[Any, Any]"]], names: dict[int, tuple[list[str], list[str]]]
) -> pd.DataFrame:
    """Return all calls, by rank and then by time, with their names and arguments as texts."""
    texts: dict[str, int] = {}
    operations: dict[str, int] = {}
    frames = []
    for rank in sorted(parts):
        calls = np.concatenate(parts[rank])
        described = np.ascontiguousarray(calls[["operation", "argument_count", "labels", "values"]])
        packed = np.zeros((len(calls), 43), np.uint8)
        packed[:, 0:2] = np.ascontiguousarray(described["operation"]).view(np.uint8).reshape(-1, 2)
        packed[:, 2] = described["argument_count"]
        packed[:, 3:11] = described["labels"]
        packed[:, 11:43] = np.ascontiguousarray(described["values"]).view(np.uint8).reshape(-1, 32)
        _, first, kind = np.unique(packed.view("V43").ravel(), return_index=True, return_inverse=True)
        rows = [_describe(calls[i], names[rank]) for i in first]
        text = np.array([texts.setdefault(row[1], len(texts)) for row in rows], np.int32)
        operation = np.array([operations.setdefault(row[0], len(operations)) for row in rows], np.int32)
        root = np.array([row[2] for row in rows], np.int32)
        frames.append(
            pd.DataFrame(
                {
                    "rank": np.full(len(calls), rank, np.int32),
                    "operation": operation[kind],
                    "text": text[kind],
                    "began_ps": calls["began_ps"].astype(np.int64),
                    "ended_ps": calls["ended_ps"].astype(np.int64),
                    "bytes": calls["bytes"].astype(np.int64),
                    "group": calls["group"],
                    "path": calls["path"],
                    "root": root[kind],
                }
            )
        )
    columns = ["rank", "operation", "text", "began_ps", "ended_ps", "bytes", "group", "path", "root"]
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)
    for column, known in (("operation", operations), ("text", texts)):
        frame[column] = _categories(frame[column], list(known))
    frame["path"] = _categories(frame["path"], list(PATHS))
    return frame


def _categories(codes: "pd.Series[Any]", names: list[str]) -> "pd.Categorical[Any]":
    found: pd.Categorical[Any] = pd.Categorical.from_codes(codes.to_numpy(np.int32).tolist(), pd.Index(names))
    return found


def _describe(call: Any, names: tuple[list[str], list[str]]) -> tuple[str, str, int]:
    """Return a call's operation, its text with arguments, and the root that is among these, or -1."""
    operations, labels = names
    operation = operations[call["operation"]] if call["operation"] < len(operations) else "(unknown)"
    count = int(call["argument_count"])
    arguments, root = [], -1
    for label, value in zip(call["labels"][:count], call["values"][:count], strict=True):
        text = labels[label] if label < len(labels) else "?"
        if text == "root %":
            root = int(value)
        arguments.append(text.replace("%", str(value)))
    return operation, f"{operation}({', '.join(arguments)})", root


def _message_frame(moments: dict[int, "np.ndarray[Any, Any]"]) -> pd.DataFrame:
    """Join what senders and receivers have seen of each message."""
    parts = []
    for rank, all_of_rank in moments.items():
        seen = all_of_rank[all_of_rank["kind"] == _MESSAGE]
        sent = (seen["steps"] & 1) != 0
        # A message of a rank to itself is one record with both sides.
        sender = np.where(sent, rank, seen["peer"]).astype(np.int32)
        receiver = np.where(sent, seen["peer"], rank).astype(np.int32)
        parts.append(
            pd.DataFrame(
                {
                    "sender": sender,
                    "receiver": receiver,
                    "number": seen["number"].astype(np.int64),
                    "bytes": seen["value"].astype(np.int64),
                    "steps": seen["steps"].astype(np.int64),
                }
                | {
                    name: np.where((seen["steps"] & step) != 0, seen["time_ps"].astype(np.int64), NEVER)
                    for name, step in _STEPS.items()
                }
            )
        )
    columns = ["sender", "receiver", "number", "bytes", "collective", "announced", *_STEPS]
    if not parts:
        return pd.DataFrame(columns=columns)
    frame = pd.concat(parts, ignore_index=True)
    frame["collective"] = (frame["steps"] & _COLLECTIVE) != 0
    frame["announced"] = (frame["steps"] & _ANNOUNCED) != 0
    frame = frame.drop(columns="steps").groupby(["sender", "receiver", "number"], sort=False).max().reset_index()
    return frame[columns].sort_values(["sent_ps", "sender"], kind="stable", ignore_index=True)


def _wait_frame(moments: dict[int, "np.ndarray[Any, Any]"], calls: pd.DataFrame) -> pd.DataFrame:
    """Return all waits by rank and then by time, each with the call that it was in."""
    parts = []
    call_rank = calls["rank"].to_numpy(np.int64)
    for rank, all_of_rank in moments.items():
        waits = all_of_rank[all_of_rank["kind"] == _WAIT]
        began, ended = waits["time_ps"].astype(np.int64), waits["value"].astype(np.int64)
        rows = np.flatnonzero(call_rank == rank)
        if len(rows):
            place = np.searchsorted(calls["began_ps"].to_numpy(np.int64)[rows], began, side="right") - 1
            inside = (place >= 0) & (ended <= calls["ended_ps"].to_numpy(np.int64)[rows][np.maximum(place, 0)])
            call = np.where(inside, rows[np.maximum(place, 0)], -1)
        else:
            call = np.full(len(waits), -1)
        parts.append(pd.DataFrame({"rank": np.int32(rank), "began_ps": began, "ended_ps": ended, "call": call}))
    columns = ["rank", "began_ps", "ended_ps", "call"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
