# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Traces for Perfetto, read with its own schema."""

import io
import shutil
from collections import Counter, defaultdict
from typing import Any

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

import tidings
from cli_support import ROOT
from tidings.report.events import Events


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Events]:
    """Return the trace of a run, and its events."""
    folder = tmp_path_factory.mktemp("trace")
    program = tidings.compile_program(ROOT / "tests" / "programs" / "mixed_collectives.c", folder / "mixed")
    tidings.run(program, machine="spirit", ranks=8, event_file=folder / "run.events", capture=True)
    tidings.write_perfetto(folder / "run.events", folder / "run.pftrace")
    trace = Trace()
    trace.ParseFromString((folder / "run.pftrace").read_bytes())
    return trace, tidings.load_events(folder / "run.events")


def events_of(trace: Any) -> list[Any]:
    return [packet for packet in trace.packet if packet.HasField("track_event")]


def notes_of(event: Any) -> dict[str, Any]:
    return {
        note.name: note.int_value if note.HasField("int_value") else note.string_value
        for note in event.debug_annotations
    }


def tracks_of(trace: Any) -> dict[int, Any]:
    return {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")}


def test_tracks_are_those_of_the_machine(traced: tuple[Any, Events]) -> None:
    trace, events = traced
    tracks = tracks_of(trace)
    groups = Counter(tracks[track.parent_uuid].name for track in tracks.values() if track.parent_uuid)
    network = events.run["machine"]["network"]
    assert groups == {
        "Ranks": 8,
        "Engines for collectives (mpe)": 8,
        "Engines for messages (rma)": 8,
        "Routers": len(network["names"]),
        "Links": len(network["links"]),
    }
    assert {packet.track_event.track_uuid for packet in events_of(trace)} <= set(tracks)


def test_every_flow_has_both_ends_in_order(traced: tuple[Any, Events]) -> None:
    trace, events = traced
    begins: dict[int, int] = {}
    ends: dict[int, int] = {}
    for packet in events_of(trace):
        for flow in packet.track_event.flow_ids:
            assert flow not in begins
            begins[flow] = packet.timestamp
        for flow in packet.track_event.terminating_flow_ids:
            assert flow not in ends
            ends[flow] = packet.timestamp
    assert set(begins) == set(ends)
    assert len(begins) == len(events.messages)
    assert all(begins[flow] <= ends[flow] for flow in begins)


_TRACE_PROCESSOR = shutil.which("trace_processor_shell")


@pytest.mark.skipif(_TRACE_PROCESSOR is None, reason="trace_processor_shell, which no package brings, is not in PATH")
def test_trace_processor_finds_every_message_and_no_mistake(traced: tuple[Any, Events]) -> None:
    trace, events = traced
    config = TraceProcessorConfig(bin_path=_TRACE_PROCESSOR)
    with TraceProcessor(trace=io.BytesIO(trace.SerializeToString()), config=config) as processor:
        (flows,) = processor.query("select count(*) as number from flow")
        assert flows.number == len(events.messages)
        mistakes = processor.query("select name from stats where severity = 'error' and value > 0")
        assert [row.name for row in mistakes] == []


def test_slices_nest_and_times_rise(traced: tuple[Any, Events]) -> None:
    trace, _ = traced
    open_slices: dict[int, list[dict[str, Any]]] = defaultdict(list)
    last = 0
    for packet in events_of(trace):
        assert packet.timestamp >= last
        last = packet.timestamp
        event, stack = packet.track_event, open_slices[packet.track_event.track_uuid]
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            notes = notes_of(event)
            assert notes["began_ps"] // 1000 == packet.timestamp
            if stack:
                assert stack[-1]["began_ps"] <= notes["began_ps"] <= notes["ended_ps"] <= stack[-1]["ended_ps"]
            stack.append(notes)
        elif event.type == TrackEvent.TYPE_SLICE_END:
            assert stack.pop()["ended_ps"] // 1000 == packet.timestamp
    assert not any(open_slices.values())


def test_times_agree_with_the_figures_of_the_run(traced: tuple[Any, Events]) -> None:
    trace, events = traced
    ranks = {uuid for uuid, track in tracks_of(trace).items() if track.name.startswith("rank ")}
    spent: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for packet in events_of(trace):
        event = packet.track_event
        if event.type == TrackEvent.TYPE_SLICE_BEGIN and event.track_uuid in ranks:
            notes = notes_of(event)
            if "call" in notes:
                spent[event.name] += notes["ended_ps"] - notes["began_ps"]
                calls[event.name] += 1
    operations = events.run["result"]["operations"]
    assert dict(spent) == {name: values["total_ps"] for name, values in operations.items()}
    assert dict(calls) == {name: values["calls"] for name, values in operations.items()}


def test_counters_of_links_are_the_flits_of_the_run(traced: tuple[Any, Events]) -> None:
    trace, events = traced
    routers = {uuid for uuid, track in tracks_of(trace).items() if track.name.startswith("router ")}
    flits = sum(
        packet.track_event.double_counter_value * events.window_cycles
        for packet in events_of(trace)
        if packet.track_event.track_uuid in routers
    )
    assert round(flits) == events.run["result"]["flit_hops"]
    under_way = {uuid for uuid, track in tracks_of(trace).items() if track.name.startswith("messages under way")}
    last = {
        p.track_event.track_uuid: p.track_event.double_counter_value
        for p in events_of(trace)
        if p.track_event.track_uuid in under_way
    }
    assert set(last.values()) == {0.0}
