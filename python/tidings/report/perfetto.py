# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""A run as a trace for Perfetto (ui.perfetto.dev): tracks of ranks, engines, routers and links, flows of messages.

Perfetto counts nanoseconds: times are rounded down, and slices carry those to the picosecond as ``began_ps`` and
``ended_ps``.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tidings.errors import UserError
from tidings.report import check_perfetto
from tidings.report.analysis import WAIT_STATES, Analysis

if TYPE_CHECKING:
    from tidings.report.events import Events

_SEQUENCE = 1
_RANKS, _MPE, _RMA, _ROUTERS, _LINKS = (group << 32 for group in range(1, 6))


@dataclass(frozen=True)
class _Entry:
    """An event of a track: the beginning or the end of a slice, a moment, or a value of a counter."""

    time_ps: int
    track: int
    kind: str  # begin, end, moment, count
    name: str = ""
    value: float = 0.0
    notes: tuple[tuple[str, Any], ...] = ()
    flows: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


def write(events: "Events", output: Path) -> None:
    """Write the trace.

    Raises
    ------
    UserError
        If the schema is not installed, or the file cannot be written.
    """
    check_perfetto()
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket

    analysis = Analysis(events)
    try:
        with output.open("wb") as file:

            def put(fill: Callable[[Any], None]) -> None:
                trace = Trace()
                packet = trace.packet.add()
                packet.trusted_packet_sequence_id = _SEQUENCE
                fill(packet)
                file.write(trace.SerializeToString())

            put(partial(_begin, TracePacket.SEQ_INCREMENTAL_STATE_CLEARED))
            for track in _tracks(events):
                put(partial(_describe, track))
            streams = [*_rank_streams(analysis), _rma_stream(events), *_load_streams(events)]
            for entry in heapq.merge(*streams, key=lambda entry: entry.time_ps):
                put(partial(_fill, entry))
    except OSError as error:
        message = f"{output} cannot be written: {error.strerror}"
        raise UserError(message) from error


def _begin(flags: int, packet: Any) -> None:
    packet.sequence_flags = flags


def _describe(track: tuple[int, int, str, str], packet: Any) -> None:
    number, parent, name, unit = track
    descriptor = packet.track_descriptor
    descriptor.uuid, descriptor.name = number, name
    if parent:
        descriptor.parent_uuid = parent
        descriptor.sibling_order_rank = number & 0xFFFFFFFF
    else:
        descriptor.child_ordering = descriptor.EXPLICIT
    if unit:
        descriptor.counter.unit_name = unit


def _tracks(events: "Events") -> Iterator[tuple[int, int, str, str]]:
    """Yield number, parent, name and unit of all tracks; those of counters have a unit."""
    network = events.run["machine"]["network"]
    for group, name in (
        (_RANKS, "Ranks"),
        (_MPE, "Engines for collectives (mpe)"),
        (_RMA, "Engines for messages (rma)"),
        (_ROUTERS, "Routers"),
        (_LINKS, "Links"),
    ):
        yield group, 0, name, ""
    for rank in range(events.ranks):
        yield _RANKS + 1 + rank, _RANKS, f"rank {rank}", ""
        yield _MPE + 1 + rank, _MPE, f"mpe of rank {rank}", ""
        yield _RMA + 1 + rank, _RMA, f"messages under way from rank {rank}", "messages"
    for router, name in enumerate(network["names"]):
        yield _ROUTERS + 1 + router, _ROUTERS, f"router {name or router}: flits sent", "flits per cycle"
    for number, (router, _, _, name) in enumerate(network["links"]):
        yield _LINKS + 1 + number, _LINKS, f"link {network['names'][router]} {name}", "% of its time"


def _fill(entry: _Entry, packet: Any) -> None:
    packet.timestamp = entry.time_ps // 1000
    event = packet.track_event
    event.track_uuid = entry.track
    event.type = {
        "begin": event.TYPE_SLICE_BEGIN,
        "end": event.TYPE_SLICE_END,
        "moment": event.TYPE_INSTANT,
        "count": event.TYPE_COUNTER,
    }[entry.kind]
    if entry.kind == "count":
        event.double_counter_value = entry.value
        return
    if entry.name:
        event.name = entry.name
    for name, value in entry.notes:
        note = event.debug_annotations.add()
        note.name = name
        if isinstance(value, str):
            note.string_value = value
        else:
            note.int_value = int(value)
    event.flow_ids.extend(entry.flows)
    event.terminating_flow_ids.extend(entry.ends)


def _rank_streams(analysis: Analysis) -> Iterator[Iterator[_Entry]]:
    """Yield the entries of each rank, and of its engine for collectives, in order of time."""
    events = analysis.events
    calls, waits, messages = events.calls, analysis.waits, events.messages
    whole = messages[(messages["sent_ps"] >= 0) & (messages["received_ps"] >= 0)]
    for rank in range(events.ranks):
        mine, track = calls[calls["rank"] == rank], _RANKS + 1 + rank
        yield from (
            _calls(mine, waits[(waits["rank"] == rank) & (waits["call"] >= 0)], track),
            _ends(whole[whole["sender"] == rank], "sent_ps", track, sends=True),
            _ends(whole[whole["receiver"] == rank].sort_values("received_ps"), "received_ps", track, sends=False),
        )
        engine = mine[mine["path"] == "engine"]
        yield _engine(engine, waits, _MPE + 1 + rank)


def _calls(calls: Any, waits: Any, track: int) -> Iterator[_Entry]:
    """Yield calls as slices, with the waits within each as slices of its own."""
    of_call: dict[int, list[dict[str, Any]]] = {}
    for wait in waits.to_dict("records"):
        of_call.setdefault(wait["call"], []).append(wait)
    for row, call in zip(calls.index, calls.to_dict("records"), strict=True):
        notes = (
            ("call", str(call["text"])),
            ("bytes", call["bytes"]),
            ("carried out by", str(call["path"])),
            ("began_ps", call["began_ps"]),
            ("ended_ps", call["ended_ps"]),
        )
        yield _Entry(call["began_ps"], track, "begin", str(call["operation"]), notes=notes)
        for wait in of_call.get(row, []):
            state = max(WAIT_STATES, key=wait.__getitem__)
            cause = (("rank", wait["cause"]),) if wait["cause"] >= 0 else ()
            times = (("began_ps", wait["began_ps"]), ("ended_ps", wait["ended_ps"]))
            yield _Entry(wait["began_ps"], track, "begin", state, notes=(*cause, *times))
            yield _Entry(wait["ended_ps"], track, "end")
        yield _Entry(call["ended_ps"], track, "end")


def _ends(messages: Any, step: str, track: int, *, sends: bool) -> Iterator[_Entry]:
    """Yield one end of each message: its flow is known by its row."""
    for row, message in zip(messages.index, messages.to_dict("records"), strict=True):
        peer = message["receiver"] if sends else message["sender"]
        name = f"{'to' if sends else 'from'} rank {peer}"
        notes = (("bytes", message["bytes"]), ("number", message["number"]), ("time_ps", message[step]))
        flow = (int(row) + 1,)
        yield _Entry(
            message[step], track, "moment", name, notes=notes, flows=flow if sends else (), ends=() if sends else flow
        )


def _engine(calls: Any, waits: Any, track: int) -> Iterator[_Entry]:
    """Yield what an engine for collectives does, from the first to the last time that its rank waits for it."""
    inside = waits[waits["call"].isin(calls.index)].groupby("call").agg({"began_ps": "min", "ended_ps": "max"})
    for row, wait in inside.iterrows():
        call = calls.loc[row]
        notes = (("call", str(call["text"])), ("began_ps", wait["began_ps"]), ("ended_ps", wait["ended_ps"]))
        yield _Entry(int(wait["began_ps"]), track, "begin", str(call["operation"]), notes=notes)
        yield _Entry(int(wait["ended_ps"]), track, "end")


def _rma_stream(events: "Events") -> Iterator[_Entry]:
    """Yield how many messages of each rank are under way."""
    messages = events.messages
    whole = messages[(messages["sent_ps"] >= 0) & (messages["received_ps"] >= 0)]
    sender = whole["sender"].to_numpy(np.int64)
    times = np.concatenate([whole["sent_ps"].to_numpy(np.int64), whole["received_ps"].to_numpy(np.int64)])
    change = np.concatenate([np.ones(len(whole), np.int64), -np.ones(len(whole), np.int64)])
    senders = np.concatenate([sender, sender])
    under_way = [0] * events.ranks
    for place in np.lexsort((-change, times)):
        rank = int(senders[place])
        under_way[rank] += int(change[place])
        yield _Entry(int(times[place]), _RMA + 1 + rank, "count", value=under_way[rank])


def _load_streams(events: "Events") -> Iterator[Iterator[_Entry]]:
    """Yield the load of routers and links at the beginning of each window."""
    flits, cycles, length = events.link_flits, max(events.window_cycles, 1), events.window_ps
    links = events.run["machine"]["network"]["links"]

    def loads() -> Iterator[_Entry]:
        for window in range(flits.shape[0]):
            for router in range(flits.shape[1]):
                value = float(flits[window, router].sum()) / cycles
                yield _Entry(window * length, _ROUTERS + 1 + router, "count", value=value)
            for number, (router, port, _, _) in enumerate(links):
                value = 100.0 * float(flits[window, router, port]) / cycles
                yield _Entry(window * length, _LINKS + 1 + number, "count", value=value)

    yield loads()
