# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What the events of a run say: where time went, who waited for whom, and what held the run back."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from tidings.report.events import PATHS, Events
from tidings.report.record import links_between

#: Why a rank was blocked while it could not have gone on.
LATE_SENDER, LATE_RECEIVER, COLLECTIVE, TRANSFER = "late sender", "late receiver", "wait at a collective", "transfer"
WAIT_STATES = (LATE_SENDER, LATE_RECEIVER, COLLECTIVE, TRANSFER)
#: Collectives in which all others wait for their root, and in which the root waits for all others.
_FROM_ROOT = ("MPI_Bcast", "MPI_Scatter", "MPI_Scatterv")
_TO_ROOT = ("MPI_Reduce", "MPI_Gather", "MPI_Gatherv")
#: Calls in which all ranks of the run meet, though they name no group.
_MEETINGS = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
#: A rank that computes longer than the mean by this factor holds others up.
_UNEVEN = 1.2
#: If ranks wait more than this share of their time for one of them, it is what to change first.
_MUCH = 0.3
#: Messages wait for each other on a link that carries words in more than this share of its cycles.
_LOADED = 0.5
Kind = Literal["compute", "call", "transfer", "collective", "blocked"]


@dataclass(frozen=True)
class Cause:
    """What ended a wait.

    Attributes
    ----------
    kind : str
        ``message`` that this rank waited for, ``receiver`` that this rank's message waited for, ``collective`` in the
        engines, or ``unknown``.
    rank : int
        Who had to do something first; -1 if that is not known.
    time_ps : int
        When that rank had done it.
    message : int
        Row of the messages, or -1.
    """

    kind: Literal["message", "receiver", "collective", "unknown"]
    rank: int
    time_ps: int
    message: int = -1


@dataclass(frozen=True)
class PathPart:
    """A part of the critical path. A transfer is on its way to `rank`; `message` is its row among the messages, or -1.

    What was before it is on `origin`: the sender, or the rank itself if it came late for a message that waited.
    """

    kind: Kind
    rank: int
    origin: int
    operation: str
    began_ps: int
    ended_ps: int
    message: int = -1


@dataclass(frozen=True)
class Advice:
    """Something to change.

    Attributes
    ----------
    title, text : str
        What to do, and why.
    picoseconds : int
        How long it held the run up: no more than that can be gained.
    share : float
        Of the run.
    """

    title: str
    text: str
    picoseconds: int
    share: float


class Analysis:
    """Everything that is derived from the events of a run."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self.collectives = _collective_instances(events)
        self.causes = _causes(events, self.collectives)
        self.waits = _wait_states(events, self.causes)
        self.path = _critical_path(events, self.causes)

    def time_per_rank(self) -> pd.DataFrame:
        """Return picoseconds of each rank: compute, work in each operation, and each kind of waiting.

        A row is the rank's time from start to end, so it adds up to when the rank ended.
        """
        events, calls = self.events, self.events.calls
        ranks = range(events.ranks)
        spent = (calls["ended_ps"] - calls["began_ps"]).astype(np.int64)
        inside = spent.groupby([calls["rank"], calls["operation"].astype(str)]).sum().unstack(fill_value=0)
        inside = inside.reindex(ranks, fill_value=0)
        # What was spent waiting in a call is not work.
        waits = self.waits
        known = waits[waits["call"] >= 0]
        operation = calls["operation"].astype(str).to_numpy()[known["call"].to_numpy(np.int64)]
        blocked = (known["ended_ps"] - known["began_ps"]).astype(np.int64)
        waited = blocked.groupby([known["rank"].to_numpy(), operation]).sum().unstack(fill_value=0)
        work = inside.sub(waited.reindex(index=ranks, columns=inside.columns, fill_value=0), fill_value=0)
        table = pd.DataFrame(index=pd.RangeIndex(events.ranks, name="rank"))
        table["compute"] = events.rank_elapsed_ps - inside.sum(axis=1).to_numpy(np.int64)
        for name in work.sum().sort_values(ascending=False).index:
            table[name] = work[name].to_numpy(np.int64)
        for state in WAIT_STATES:
            table[state] = known.groupby("rank")[state].sum().reindex(ranks, fill_value=0).to_numpy(np.int64)
        return table

    def wait_table(self) -> pd.DataFrame:
        """Return picoseconds of each kind of waiting by the rank that waits, the operation and whom it waits for."""
        waits = self.waits[self.waits["call"] >= 0]
        operations = self.events.calls["operation"].astype(str).to_numpy()[waits["call"].to_numpy(np.int64)]
        grouped = waits.assign(operation=operations).groupby(["rank", "operation", "cause"])
        table: pd.DataFrame = grouped[list(WAIT_STATES)].sum().reset_index()
        return table

    def matrix(self) -> pd.DataFrame:
        """Return messages and bytes from each rank to each."""
        messages = self.events.messages
        grouped = messages.groupby(["sender", "receiver"])["bytes"].agg(["size", "sum"]).reset_index()
        return grouped.rename(columns={"size": "messages", "sum": "bytes"})

    def path_table(self) -> pd.DataFrame:
        """Return the critical path's time by what it was spent on."""
        rows: Counter[tuple[str, str, int, int]] = Counter()
        for part in self.path:
            rows[part.kind, part.operation, part.rank, part.origin] += part.ended_ps - part.began_ps
        table = pd.DataFrame(
            [(*key, time) for key, time in rows.most_common()],
            columns=["kind", "operation", "rank", "origin", "picoseconds"],
        )
        table["share"] = table["picoseconds"] / max(self.events.elapsed_ps, 1)
        return table

    @cached_property
    def path_links(self) -> pd.DataFrame:
        """Return the links on the critical path, those that held the run up longest first.

        The time of a message goes to the link on its way that carried most while it was under way: router, port, name,
        picoseconds, share of the run, and load, the mean share of cycles in which the link carried a word meanwhile.
        """
        messages = self.events.messages
        sender, receiver = messages["sender"].to_numpy(np.int64), messages["receiver"].to_numpy(np.int64)
        parts = [part for part in self.path if part.message >= 0 and sender[part.message] != receiver[part.message]]
        pairs = sorted({(int(sender[part.message]), int(receiver[part.message])) for part in parts})
        ways = dict(zip(pairs, links_between(self.events.run, pairs), strict=True))
        spent: Counter[tuple[int, int]] = Counter()
        loaded: dict[tuple[int, int], float] = defaultdict(float)
        for part in parts:
            way = ways[int(sender[part.message]), int(receiver[part.message])]
            time = part.ended_ps - part.began_ps
            if way and time:
                load, link = max((self._load(link, part.began_ps, part.ended_ps), link) for link in way)
                spent[link] += time
                loaded[link] += load * time
        names = self.events.run["machine"]["network"]["links"]
        name_of = {(router, port): self._link_name(router, name) for router, port, _, name in names}
        total = max(self.events.elapsed_ps, 1)
        rows = [(*link, name_of[link], time, time / total, loaded[link] / time) for link, time in spent.most_common()]
        return pd.DataFrame(rows, columns=["router", "port", "name", "picoseconds", "share", "load"])

    def _load(self, link: tuple[int, int], began_ps: int, ended_ps: int) -> float:
        """Return the share of cycles in which a link carried a word, in the windows of a time."""
        flits, length = self.events.link_flits, max(self.events.window_ps, 1)
        first = min(began_ps // length, len(flits) - 1)
        windows = flits[first : max(first, (ended_ps - 1) // length) + 1, link[0], link[1]]
        return float(windows.mean()) / max(self.events.window_cycles, 1)

    def _link_name(self, router: int, name: str) -> str:
        return f"{self.events.run['machine']['network']['names'][router]} {name}".strip()

    def links(self) -> pd.DataFrame:
        """Return each link: where it is, flits, share of cycles in which it carried one, and the busiest window's."""
        network = self.events.run["machine"]["network"]
        flits = self.events.link_flits
        cycles = max(self.events.window_cycles, 1)
        total_cycles = max(self.events.elapsed_ps / max(self.events.window_ps, 1) * cycles, 1)
        rows = []
        for router, port, to, name in network["links"]:
            of_link = flits[:, router, port] if flits.size else np.zeros(1)
            rows.append(
                {
                    "router": router,
                    "port": port,
                    "to": to,
                    "name": self._link_name(router, name),
                    "flits": int(of_link.sum()),
                    "load": float(of_link.sum() / total_cycles),
                    "busiest": float(of_link.max(initial=0) / cycles),
                }
            )
        columns = ["router", "port", "to", "name", "flits", "load", "busiest"]
        return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class _Instance:
    """One collective: the same call of all members of a group."""

    members: "np.ndarray[Any, Any]"
    began_ps: "np.ndarray[Any, Any]"
    root: int
    operation: str

    def awaited(self, rank: int, before_ps: int) -> tuple[int, int] | None:
        """Return who came last of those that a rank had to wait for until `before_ps`, and when."""
        if self.operation in _FROM_ROOT and self.root >= 0:
            number = int(self.members[self.root]) if self.root < len(self.members) else rank
            chosen = self.members == number
        elif (
            self.operation in _TO_ROOT
            and self.root >= 0
            and self.members[min(self.root, len(self.members) - 1)] != rank
        ):
            chosen = self.members == rank
        else:
            chosen = np.ones(len(self.members), bool)
        began = np.where(chosen & (self.began_ps <= before_ps), self.began_ps, -1)
        last = int(began.argmax())
        return (int(self.members[last]), int(began[last])) if began[last] >= 0 else None


def _collective_instances(events: Events) -> dict[int, _Instance]:
    """Return the collective that a call belongs to, by the row of the call. Groups are known by their numbers."""
    calls = events.calls.assign(operation=events.calls["operation"].astype(str))
    meetings = calls["operation"].isin(_MEETINGS) & (calls["group"] == 0)
    calls.loc[meetings, "group"] = calls.loc[meetings, "operation"].map(lambda name: 2**63 + _MEETINGS.index(name))
    grouped = calls[calls["group"] != 0]
    if grouped.empty:
        return {}
    order = grouped.groupby(["group", "rank"]).cumcount()
    operations = grouped["operation"]
    found: dict[int, _Instance] = {}
    for _, rows in grouped.groupby([grouped["group"], order]):
        instance = _Instance(
            rows["rank"].to_numpy(np.int64),
            rows["began_ps"].to_numpy(np.int64),
            int(rows["root"].iloc[0]),
            operations[rows.index[0]],
        )
        for row in rows.index:
            found[int(row)] = instance
    return found


def _causes(events: Events, collectives: dict[int, _Instance]) -> list[Cause]:
    """Return what ended each wait."""
    messages, waits = events.messages, events.waits
    last_step = messages[["arrived_ps", "received_ps"]].max(axis=1).to_numpy(np.int64)
    arrived = messages["arrived_ps"].to_numpy(np.int64)
    sent, matched = messages["sent_ps"].to_numpy(np.int64), messages["matched_ps"].to_numpy(np.int64)
    sender, receiver = messages["sender"].to_numpy(np.int64), messages["receiver"].to_numpy(np.int64)
    announced = messages["announced"].to_numpy(bool)
    incoming = {}
    outgoing = {}
    other = sender != receiver
    for rank in range(events.ranks):
        rows = np.flatnonzero((receiver == rank) & other)
        # A message shows twice if its data comes after word of it.
        twice = rows[announced[rows] & (arrived[rows] >= 0)]
        times = np.concatenate([last_step[rows], arrived[twice]])
        which = np.concatenate([rows, twice])
        by_time = np.argsort(times, kind="stable")
        incoming[rank] = times[by_time], which[by_time]
        rows = np.flatnonzero((sender == rank) & other & announced & (matched >= 0))
        by_time = np.argsort(matched[rows], kind="stable")
        outgoing[rank] = matched[rows][by_time], rows[by_time]
    path, operation = events.calls["path"].astype(str), events.calls["operation"].astype(str)
    in_engine = ((path == "engine") | operation.isin(_MEETINGS)).to_numpy(bool)
    causes = []
    for rank, began, ended, call in zip(
        waits["rank"].to_numpy(np.int64),
        waits["began_ps"].to_numpy(np.int64),
        waits["ended_ps"].to_numpy(np.int64),
        waits["call"].to_numpy(np.int64),
        strict=True,
    ):
        if call >= 0 and in_engine[call] and int(call) in collectives:
            last = collectives[int(call)].awaited(int(rank), int(ended))
            if last is not None:
                causes.append(Cause("collective", *last))
                continue
        times, rows = incoming[int(rank)]
        place = int(np.searchsorted(times, ended, side="right")) - 1
        in_time = times[place] if place >= 0 and times[place] > began else -1
        out_times, out_rows = outgoing[int(rank)]
        out_place = int(np.searchsorted(out_times, ended, side="right")) - 1
        out_time = out_times[out_place] if out_place >= 0 and out_times[out_place] > began else -1
        if in_time < 0 and out_time < 0:
            causes.append(Cause("unknown", -1, int(began)))
        elif in_time >= out_time:
            row = int(rows[place])
            asked = arrived[row] < matched[row] or 0 <= sent[row] <= began
            if announced[row] and asked and matched[row] < ended:
                # The sender was ready when this rank came: its data has left since this rank asked for it.
                causes.append(Cause("message", int(rank), int(matched[row]), row))
            elif sent[row] >= ended or sent[row] < 0:
                causes.append(Cause("unknown", -1, int(began)))
            else:
                causes.append(Cause("message", int(sender[row]), int(sent[row]), row))
        else:
            row = int(out_rows[out_place])
            causes.append(Cause("receiver", int(receiver[row]), int(matched[row]), row))
    return causes


def _wait_states(events: Events, causes: list[Cause]) -> pd.DataFrame:
    """Return the waits: of each the part that is somebody else's fault, by kind, and the rest, which is transfer."""
    waits = events.waits.copy()
    began, ended = waits["began_ps"].to_numpy(np.int64), waits["ended_ps"].to_numpy(np.int64)
    time = np.array([cause.time_ps for cause in causes], np.int64)
    kind = np.array([cause.kind for cause in causes], "U10")
    rank = np.array([cause.rank for cause in causes], np.int64)
    late = np.clip(np.minimum(time, ended) - began, 0, None)
    late[rank == waits["rank"].to_numpy(np.int64)] = 0
    collective = np.zeros(len(waits), bool)
    if len(waits):
        calls = waits["call"].to_numpy(np.int64)
        group = events.calls["group"].to_numpy()
        collective = (calls >= 0) & (group[np.maximum(calls, 0)] != 0) if len(group) else collective
    at_collective = (kind == "collective") | (collective & (kind != "unknown"))
    waits[LATE_SENDER] = np.where((kind == "message") & ~at_collective, late, 0)
    waits[LATE_RECEIVER] = np.where((kind == "receiver") & ~at_collective, late, 0)
    waits[COLLECTIVE] = np.where(at_collective, late, 0)
    waits[TRANSFER] = ended - began - waits[[LATE_SENDER, LATE_RECEIVER, COLLECTIVE]].sum(axis=1)
    waits["cause"] = rank
    return waits


def _critical_path(events: Events, causes: list[Cause]) -> list[PathPart]:
    """Walk back from the end of the last rank: along its own work, and over each wait to who ended it."""
    calls = events.calls
    rows_of: dict[int, tuple[Any, ...]] = {}
    call_rank = calls["rank"].to_numpy(np.int64)
    wait_rank = events.waits["rank"].to_numpy(np.int64)
    operations = calls["operation"].astype(str).to_numpy()
    for rank in range(events.ranks):
        mine, my_waits = np.flatnonzero(call_rank == rank), np.flatnonzero(wait_rank == rank)
        rows_of[rank] = (
            calls["began_ps"].to_numpy(np.int64)[mine],
            calls["ended_ps"].to_numpy(np.int64)[mine],
            operations[mine],
            events.waits["began_ps"].to_numpy(np.int64)[my_waits],
            events.waits["ended_ps"].to_numpy(np.int64)[my_waits],
            my_waits,
        )
    parts: list[PathPart] = []

    def local(rank: int, began: int, ended: int) -> None:
        """Add what a rank did by itself, from its end back."""
        starts, ends, names, *_ = rows_of[rank]
        at = ended
        place = int(np.searchsorted(starts, ended, side="left")) - 1
        while at > began:
            if place < 0 or ends[place] <= began:
                parts.append(PathPart("compute", rank, rank, "", began, at))
                return
            if ends[place] < at:
                parts.append(PathPart("compute", rank, rank, "", int(ends[place]), at))
                at = int(ends[place])
            first = max(int(starts[place]), began)
            if first < at:
                parts.append(PathPart("call", rank, rank, str(names[place]), first, at))
            at = first
            place -= 1

    rank = int(events.rank_elapsed_ps.argmax())
    time = int(events.rank_elapsed_ps[rank])
    while time > 0:
        starts, _, names, wait_began, wait_ended, wait_rows = rows_of[rank]
        place = int(np.searchsorted(wait_ended, time, side="right")) - 1
        if place < 0:
            local(rank, 0, time)
            break
        began, ended, row = int(wait_began[place]), int(wait_ended[place]), int(wait_rows[place])
        local(rank, ended, time)
        cause = causes[row]
        call = int(np.searchsorted(starts, began, side="right")) - 1
        operation = str(names[call]) if call >= 0 else ""
        if cause.kind == "unknown" or not 0 <= cause.time_ps < ended:
            parts.append(PathPart("blocked", rank, rank, operation, began, ended))
            time = began
            continue
        kind: Kind = "collective" if cause.kind == "collective" else "transfer"
        parts.append(PathPart(kind, rank, cause.rank, operation, cause.time_ps, ended, cause.message))
        rank, time = cause.rank, cause.time_ps
    return parts[::-1]


def advice(analysis: Analysis, most: int = 3) -> list[Advice]:
    """Return what to change first: what the critical path was spent on, the longest first."""
    events = analysis.events
    total = max(events.elapsed_ps, 1)
    spent: dict[tuple[str, str], int] = defaultdict(int)
    ranks: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for part in analysis.path:
        key = (part.kind, part.operation)
        spent[key] += part.ended_ps - part.began_ps
        ranks[key][part.rank] += part.ended_ps - part.began_ps
    found = []
    for (kind, operation), time in sorted(spent.items(), key=lambda item: -item[1])[:most]:
        title, text = _advise(analysis, kind, operation, ranks[kind, operation])
        found.append(Advice(title, text, time, time / total))
    busy = _busiest_server(analysis)
    if busy is not None:
        found = [busy, *(one for one in found if not one.title.startswith("Give rank"))]
    return found[:most]


def _busiest_server(analysis: Analysis) -> Advice | None:
    """Return the advice to relieve a rank, if the others spend much of their time waiting for its messages."""
    events, waits = analysis.events, analysis.waits
    late = waits[LATE_SENDER] + waits[LATE_RECEIVER]
    by_cause = late[waits["cause"] >= 0].groupby(waits["cause"]).sum()
    if by_cause.empty or events.ranks <= 2:
        return None
    rank = int(by_cause.index.to_numpy()[by_cause.to_numpy().argmax()])
    others = float(events.rank_elapsed_ps.sum() - events.rank_elapsed_ps[rank])
    share = float(by_cause.max()) / max(others, 1.0)
    if share < _MUCH:
        return None
    spent: Counter[str] = Counter()
    for part in analysis.path:
        if part.rank == rank and part.kind != "collective":
            spent[part.operation or "computation"] += part.ended_ps - part.began_ps
    doing = " and ".join(name for name, _ in spent.most_common(2))
    time = spent.total()
    return Advice(
        f"Relieve rank {rank}: the others wait for it",
        f"They spend {share:.0%} of their time waiting for its messages. It is busy with {doing}: give part of that to "
        "other ranks, or let each message do more.",
        time,
        time / max(events.elapsed_ps, 1),
    )


def _advise(analysis: Analysis, kind: str, operation: str, ranks: "Counter[int]") -> tuple[str, str]:
    rank, _ = ranks.most_common(1)[0]
    table = analysis.time_per_rank()
    waiting = int(table[[LATE_SENDER, LATE_RECEIVER, COLLECTIVE]].sum().sum())
    share = waiting / max(int(analysis.events.rank_elapsed_ps.sum()), 1)
    others = f"All ranks together wait for others {share:.0%} of their time."
    if kind == "compute":
        mean = float(table["compute"].mean())
        most = int(table["compute"].to_numpy().argmax())
        factor = float(table["compute"].max()) / mean if mean else 1.0
        if factor > _UNEVEN:
            return (
                f"Give rank {most} less to compute",
                f"It computes {factor:.1f} times as long as the mean of all ranks, and others wait for it. {others}",
            )
        return (
            "Compute faster, or on more ranks",
            f"The run is held up by computation, most of it on rank {rank}; ranks compute equally long. {others}",
        )
    calls = analysis.events.calls
    of_operation = calls[calls["operation"].astype(str) == operation]
    mean_bytes = float(of_operation["bytes"].mean()) if len(of_operation) else 0.0
    if kind == "call":
        return (
            f"Make fewer calls of {operation}",
            f"What holds the run up is the processor's work in {len(of_operation):,} calls of {mean_bytes:,.0f} bytes "
            f"on average, most of it on rank {rank}: join small messages to larger ones.",
        )
    if kind == "collective":
        return (
            f"Shorten {operation}, or do something else meanwhile",
            f"After the last rank has come, the engines need this long, over {len(of_operation):,} calls of "
            f"{mean_bytes:,.0f} bytes on average. Fewer of them, or of fewer bytes, save it.",
        )
    if kind == "transfer" and len(of_operation) and (of_operation["group"] != 0).any():
        by_messages = of_operation["path"].isin([PATHS[2], PATHS[3]])
        reasons = analysis.events.run["result"]["operations"].get(operation, {}).get("fallback_reasons", {})
        went = f"{int(by_messages.sum()):,} of its {len(of_operation):,} calls went by messages between ranks"
        if not reasons:
            return (
                f"Let the engines carry out {operation}",
                f"{went}, as was asked for (--collectives software). Rank {rank} waits for them longest.",
            )
        return (
            f"Make fewer calls of {operation}, or try other algorithms for it",
            f"{went}, because {'; '.join(reasons)}. Rank {rank} waits for them longest. tidings algorithms lists "
            "other algorithms.",
        )
    if kind == "transfer":
        links = analysis.path_links
        load = ""
        if len(links) and links["load"].iloc[0] > _LOADED:
            first = links.iloc[0]
            load = f" The link {first['name']} holds them up: it is loaded for {first['load']:.0%} of that time."
        return (
            f"Hide or shorten the messages of {operation}",
            f"Ranks wait in {operation} for messages that are under way, rank {rank} longest: start them earlier with "
            f"MPI_Isend and MPI_Irecv, and compute meanwhile.{load}",
        )
    return (
        f"Look at rank {rank} in {operation}",
        "It is blocked there, and no event says what ended that.",
    )
