# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The report of one or several runs: an HTML file that needs nothing else."""

import base64
import html
import json
import mimetypes
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tidings.errors import UserError
from tidings.report import check_plotly
from tidings.report.analysis import WAIT_STATES, Analysis, advice
from tidings.report.events import Events
from tidings.report.record import router_of
from tidings.report.summary import format_time

_HERE = Path(__file__).parent
#: Calls and messages of a timeline: more are left out, the shortest first.
_MOST_EVENTS = 200_000
#: Of computation, and of the kinds of waiting: told apart by the colour-blind.
_COMPUTE_COLOUR, _WAIT_COLOURS = "#888888", ("#D55E00", "#E8C500", "#882255", "#C8C8C8")


def write(runs: Sequence[tuple[str, Events]], output: Path, title: str, pictures: Sequence[tuple[str, Path]]) -> None:
    """Write the report.

    Parameters
    ----------
    runs : sequence of (str, Events)
        Runs and what they are called on the page.
    output : Path
        The HTML file.
    title : str
        What the page is called; empty: what the first run says of itself.
    pictures : sequence of (str, Path)
        Pictures to show with the summary, and what is on them.

    Raises
    ------
    UserError
        If a picture cannot be read, or the file not written.
    """
    analyses = [Analysis(events) for _, events in runs]
    title = title or _title(runs[0][1])
    values = [_values(label, analysis) for (label, _), analysis in zip(runs, analyses, strict=True)]
    sections = [_section(number, analysis) for number, analysis in enumerate(analyses)]
    body = [
        f"<h1>{_text(title)}</h1>",
        _pictures(pictures),
        _comparison([label for label, _ in runs], analyses) if len(runs) > 1 else "",
        *sections,
    ]
    page = "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(title)}</title><style>{(_HERE / 'report.css').read_text()}</style></head><body>",
            *body,
            f'<script type="application/json" id="data">{_json({"runs": values, "colours": _colours()})}</script>',
            f"<script>{(_HERE / 'report.js').read_text()}</script>",
            # As text: the first plot that is seen has it executed.
            f'<script type="text/plain" id="plotly">{_plotly()}</script></body></html>',
        ]
    )
    try:
        output.write_text(page, encoding="utf-8", errors="backslashreplace")  # names of files may not be UTF-8
    except OSError as error:
        message = f"{output} cannot be written: {error.strerror}"
        raise UserError(message) from error


def _colours() -> dict[str, Any]:
    return {"compute": _COMPUTE_COLOUR, "states": dict(zip(WAIT_STATES, _WAIT_COLOURS, strict=True))}


def _title(events: Events) -> str:
    result = events.run["result"]
    ranks = f"{events.ranks} rank{'s' * (events.ranks != 1)}"
    return f"{Path(result['program'][0]).name}: {format_time(events.elapsed_ps)} on {ranks} of {result['machine']}"


def _plotly() -> str:
    check_plotly()
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def _text(text: object) -> str:
    return html.escape(str(text))


def _json(values: object) -> str:
    """Return JSON that can stand within a script element."""
    return json.dumps(values, separators=(",", ":")).replace("<", "\\u003c")


def _packed(values: Any, kind: str) -> dict[str, str]:
    array = np.ascontiguousarray(values, dtype=f"<{kind}")
    return {"type": kind, "base64": base64.b64encode(array.tobytes()).decode()}


# ---------------------------------------------------------------- what the plots are made of


def _values(label: str, analysis: Analysis) -> dict[str, Any]:
    events = analysis.events
    calls, messages, waits = events.calls, events.messages, analysis.waits
    calls = _longest(calls, calls["ended_ps"] - calls["began_ps"])
    waits = _longest(waits, waits["ended_ps"] - waits["began_ps"])
    messages = _longest(messages, messages["received_ps"] - messages["sent_ps"])
    table = analysis.time_per_rank()
    spent = (events.calls["ended_ps"] - events.calls["began_ps"]).astype(np.int64)
    by_time = spent.groupby(events.calls["operation"].astype(str)).sum().sort_values(ascending=False)
    states = waits[list(WAIT_STATES)].to_numpy(np.int64)
    cause = waits["cause"].to_numpy(np.int64)
    return {
        "label": label,
        "ranks": events.ranks,
        "elapsed": events.elapsed_ps,
        "rankElapsed": [int(time) for time in events.rank_elapsed_ps],
        "operations": list(calls["operation"].cat.categories),
        "colours": {name: place for place, name in enumerate(by_time.index)},
        "texts": list(calls["text"].cat.categories),
        "calls": {
            "start": _packed(_starts(calls["rank"], events.ranks), "u4"),
            "began": _packed(calls["began_ps"], "f8"),
            "ended": _packed(calls["ended_ps"], "f8"),
            "operation": _packed(calls["operation"].cat.codes, "u2"),
            "text": _packed(calls["text"].cat.codes, "u4"),
            "bytes": _packed(calls["bytes"], "f8"),
        },
        "waits": {
            "start": _packed(_starts(waits["rank"], events.ranks), "u4"),
            "began": _packed(waits["began_ps"], "f8"),
            "ended": _packed(waits["ended_ps"], "f8"),
            "state": _packed(states.argmax(axis=1) if len(states) else [], "u1"),
            "cause": _packed(np.where(cause < 0, 2**32 - 1, cause), "u4"),
        },
        "messages": {
            "sender": _packed(messages["sender"], "u4"),
            "receiver": _packed(messages["receiver"], "u4"),
            "bytes": _packed(messages["bytes"], "f8"),
            "collective": _packed(messages["collective"], "u1"),
            "sent": _packed(messages["sent_ps"], "f8"),
            "received": _packed(messages["received_ps"], "f8"),
        },
        "path": {
            "began": _packed([part.began_ps for part in analysis.path], "f8"),
            "ended": _packed([part.ended_ps for part in analysis.path], "f8"),
            "rank": _packed([part.rank for part in analysis.path], "u4"),
            "origin": _packed([part.origin for part in analysis.path], "u4"),
        },
        "pathTable": [
            [_path_name(row["kind"], row["operation"]), int(row["picoseconds"]), row["kind"]]
            for row in _path_by_operation(analysis).to_dict("records")
        ],
        "table": {"columns": list(table), "values": [[int(time) for time in table[name]] for name in table]},
        "matrix": [[int(value) for value in row] for row in analysis.matrix().itertuples(index=False)],
        "network": events.run["machine"]["network"],
        "links": _link_values(analysis),
    }


def _longest(frame: pd.DataFrame, length: "pd.Series[Any]") -> pd.DataFrame:
    """Return the rows of the longest events, in their order, if there are too many for a page."""
    if len(frame) <= _MOST_EVENTS:
        return frame
    return frame.loc[length.astype(np.int64).nlargest(_MOST_EVENTS).index.sort_values()]


def _starts(rank: "pd.Series[Any]", ranks: int) -> "np.ndarray[Any, Any]":
    """Return where the rows of each rank begin, and where the last one's end."""
    return np.searchsorted(rank.to_numpy(np.int64), np.arange(ranks + 1))


def _link_values(analysis: Analysis) -> dict[str, Any]:
    events, table = analysis.events, analysis.links()
    flits = events.link_flits
    picked = (
        flits[:, table["router"].to_numpy(np.int64), table["port"].to_numpy(np.int64)] if len(table) else flits[:, :, 0]
    )
    return {
        "table": table.to_dict("records"),
        "counts": _packed(picked, "u4"),
        "windows": int(flits.shape[0]),
        "windowCycles": events.window_cycles,
        "windowPs": events.window_ps,
    }


def _path_by_operation(analysis: Analysis) -> pd.DataFrame:
    table = analysis.path_table()
    grouped = table.groupby(["kind", "operation"])["picoseconds"].sum().reset_index()
    return grouped.sort_values("picoseconds", ascending=False)


def _path_name(kind: str, operation: str) -> str:
    return {
        "compute": "computation",
        "call": f"work in {operation}",
        "transfer": f"messages of {operation} under way",
        "collective": f"{operation} in the engines",
        "blocked": f"blocked in {operation}",
    }[kind]


# ---------------------------------------------------------------- what is read


def _table(head: Sequence[str], rows: Iterable[Sequence[object]], texts: int = 1, name: str = "") -> str:
    """Return a table whose first `texts` columns are texts."""

    def cell(tag: str, column: int, value: object) -> str:
        shown = f"{value:,}" if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else str(value)
        return f"<{tag}{' class=text' if column < texts else ''}>{_text(shown)}</{tag}>"

    lines = ["".join(cell("td", column, value) for column, value in enumerate(row)) for row in rows]
    titles = "".join(cell("th", column, title) for column, title in enumerate(head))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    table = f'<table data-table="{name}"><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="scroll">{table}</div>'


def _card(what: str, shown: str, figure: str = "", value: object = None) -> str:
    mark = f' data-figure="{figure}" data-value="{_text(value)}"' if figure else ""
    return f'<div class="card"><b{mark}>{_text(shown)}</b>{_text(what)}</div>'


def _details(summary: str, content: str) -> str:
    return f"<details><summary>{_text(summary)}</summary>{content}</details>"


def _pictures(pictures: Sequence[tuple[str, Path]]) -> str:
    figures = []
    for caption, path in pictures:
        kind = mimetypes.guess_type(path.name)[0]
        if kind is None or not kind.startswith("image/"):
            message = f"{path} is not a picture by its name: give PNG, JPEG, SVG or GIF"
            raise UserError(message)
        try:
            content = base64.b64encode(path.read_bytes()).decode()
        except OSError as error:
            message = f"{path} cannot be read: {error.strerror}"
            raise UserError(message) from error
        figures.append(
            f'<figure><img alt="{_text(caption)}" src="data:{kind};base64,{content}">'
            f"<figcaption>{_text(caption)}</figcaption></figure>"
        )
    return f'<div class="images">{"".join(figures)}</div>' if figures else ""


def _comparison(labels: Sequence[str], analyses: Sequence[Analysis]) -> str:
    """Return all runs side by side, and the choice of the one that is shown below."""
    first = analyses[0].events.elapsed_ps
    rows = []
    for label, analysis in zip(labels, analyses, strict=True):
        events = analysis.events
        result = events.run["result"]
        path = _path_by_operation(analysis)
        most = _path_name(path.iloc[0]["kind"], path.iloc[0]["operation"]) if len(path) else ""
        rows.append(
            (
                label,
                most,
                format_time(events.elapsed_ps),
                f"{first / max(events.elapsed_ps, 1):.2f}",
                f"{result['communication_share']:.1%}",
                result["flit_hops"],
            )
        )
    head = (
        "run",
        "most of the critical path",
        "virtual time",
        "times as fast as the first",
        "in MPI",
        "flits over links",
    )
    options = "".join(f'<option value="{i}">{_text(label)}</option>' for i, label in enumerate(labels))
    return (
        "<h2>Runs side by side</h2>"
        + _table(head, rows, texts=2, name="comparison")
        + '<div class="plot" id="comparison"></div>'
        + f'<p><label>Shown below: <select id="run">{options}</select></label></p>'
    )


def _section(number: int, analysis: Analysis) -> str:
    """Return all that is said of one run."""
    events = analysis.events
    run, result = events.run, events.run["result"]
    parts = [
        ("What to change first", _summary(analysis)),
        ("Ranks in time", _timeline(events)),
        ("Where each rank's time went", _bars(analysis)),
        ("What held the run back", _path(analysis)),
        ("Who waited for whom", _waits(analysis)),
        ("Who sends to whom", _messages(analysis)),
        ("The machine and its links", _machine(analysis)),
        ("Operations", _operations(result["operations"])),
        (
            "To repeat it",
            f"<pre>{_text(run['command'])}</pre><p>Tidings {_text(run['version'])}, {_text(run['date'])}.</p>",
        ),
    ]
    lost = f"<p>{events.lost:,} events could not be written, and are missing here.</p>" if events.lost else ""
    failed = f"<pre>{_text(result['error'])}</pre>" if result["error"] else ""
    links = "".join(f'<a href="#r{number}-{i}">{_text(title)}</a>' for i, (title, _) in enumerate(parts))
    body = "".join(f'<h2 id="r{number}-{i}">{_text(title)}</h2>{content}' for i, (title, content) in enumerate(parts))
    hidden = " hidden" if number else ""
    return (
        f'<section data-run="{number}"{hidden}><p class="dim">{_text(run["headline"])}</p>'
        f"{failed}{lost}<nav>{links}</nav>{body}</section>"
    )


def _summary(analysis: Analysis) -> str:
    events = analysis.events
    result = events.run["result"]
    table = analysis.time_per_rank()
    waiting = int(table[list(WAIT_STATES[:3])].sum().sum()) / max(int(events.rank_elapsed_ps.sum()), 1)
    cards = [
        _card("virtual time", format_time(events.elapsed_ps), "elapsed_ps", events.elapsed_ps),
        _card("ranks", f"{events.ranks:,}", "ranks", events.ranks),
        _card(
            "of the ranks' time in MPI",
            f"{result['communication_share']:.1%}",
            "communication_share",
            result["communication_share"],
        ),
        _card("of it waiting for other ranks", f"{waiting:.1%}"),
        _card("messages between ranks", f"{len(events.messages):,}", "messages", len(events.messages)),
        _card("flits over links", f"{result['flit_hops']:,}", "flit_hops", result["flit_hops"]),
    ]
    advised = "".join(
        f"<li><h3>{_text(one.title)}</h3><p>{_text(one.text)}</p>"
        f"<p><b>{format_time(one.picoseconds)}</b>, {one.share:.0%} of the run: no more can be gained.</p></li>"
        for one in advice(analysis)
    )
    return f'<ol class="advice">{advised}</ol><div class="cards">{"".join(cards)}</div>'


def _timeline(events: Events) -> str:
    most = max(len(events.calls), len(events.messages))
    left_out = (
        f"<p>Of {most:,} events, the timeline has the {_MOST_EVENTS:,} longest.</p>" if most > _MOST_EVENTS else ""
    )
    buttons = "".join(
        f'<button type="button" data-key="{key}" aria-label="{name}">{shown}</button>'
        for key, name, shown in (
            ("+", "zoom in", "+"),
            ("-", "zoom out", "&minus;"),
            ("ArrowLeft", "earlier", "&larr;"),
            ("ArrowRight", "later", "&rarr;"),
            ("Home", "whole run", "all"),
        )
    )
    states = _colours()["states"].items()
    legend = "".join(f'<li><i style="background:{colour}"></i>{name}</li>' for name, colour in states)
    return (
        f'{left_out}<div class="tools">{buttons}'
        '<label><input type="checkbox" class="arrows"> messages</label>'
        '<label><input type="checkbox" class="show-path"> critical path</label>'
        '<span class="span-said dim"></span></div>'
        '<canvas class="timeline" tabindex="0" role="application" aria-label="Timeline of the ranks. Arrow keys move, '
        "plus and minus zoom, Home shows the whole run, N and P go through the calls of a rank, Enter zooms on one."
        '"></canvas>'
        '<p class="said timeline-said" aria-live="polite">Point at a call, or press N. Drag to move; Ctrl and '
        "the wheel, or two fingers, zoom.</p>"
        '<ul class="legend"><li><i style="background:' + _COMPUTE_COLOUR + ';opacity:.5"></i>computation</li>'
        f"{legend}<li>(the lower half of a call that waits)</li></ul>"
    )


def _bars(analysis: Analysis) -> str:
    table = analysis.time_per_rank()
    rows = [(f"rank {rank}", *(format_time(time) if time else "" for time in table.loc[rank])) for rank in table.index]
    return '<div class="plot bars"></div>' + _details(
        "The figures", _table(("", *table.columns), rows, name="time_per_rank")
    )


def _path(analysis: Analysis) -> str:
    table = analysis.path_table().head(15)
    rows = []
    for row in table.to_dict("records"):
        over = ""
        if row["kind"] == "transfer" and row["origin"] != row["rank"]:
            over = _way(analysis.events, row["origin"], row["rank"])
        elif row["kind"] == "collective":
            over = f"last to come: rank {row['origin']}"
        what = _path_name(row["kind"], row["operation"])
        rows.append((f"rank {row['rank']}", what, over, format_time(row["picoseconds"]), f"{row['share']:.1%}"))
    return (
        "<p>The critical path is the chain of work, messages and collectives that ends with the last rank. Only what "
        "is on it makes the run longer.</p>"
        '<div class="plot path"></div>'
        + _table(("rank", "what", "from", "time", "of the run"), rows, texts=3, name="path")
        + _path_links(analysis)
    )


def _path_links(analysis: Analysis) -> str:
    rows = [
        (row["name"], format_time(row["picoseconds"]), f"{row['share']:.1%}", f"{row['load']:.1%}")
        for row in analysis.path_links.head(10).to_dict("records")
    ]
    if not rows:
        return ""
    return (
        "<h3>Links that held the run back</h3><p>The time of each message on the path stands at the link on its way "
        "that carried most meanwhile.</p>"
        + _table(("link", "messages on the path", "of the run", "loaded meanwhile"), rows, name="path-links")
    )


def _way(events: Events, origin: int, rank: int) -> str:
    network = events.run["machine"]["network"]
    names = [network["names"][router_of(one, network)] for one in (origin, rank)]
    routers = f", router {names[0]} to {names[1]}" if names[0] != names[1] else ""
    return f"rank {origin}{routers}"


def _waits(analysis: Analysis) -> str:
    table = analysis.wait_table()
    states = list(WAIT_STATES[:3])
    table["late"] = table[states].sum(axis=1)
    rows = [
        (
            f"rank {row['rank']}",
            row["operation"],
            f"rank {row['cause']}",
            *(format_time(row[state]) if row[state] else "" for state in states),
        )
        for row in table[table["late"] > 0].nlargest(20, "late").to_dict("records")
    ]
    if not rows:
        return "<p>No rank waited for another.</p>"
    return (
        "<p>Late sender: a receive waits for a message that has not left. Late receiver: a large message waits for its "
        "receive. Wait at a collective: others have not come yet.</p>"
        + _table(("who waits", "in", "for", *states), rows, texts=3, name="waits")
    )


def _messages(analysis: Analysis) -> str:
    messages = analysis.events.messages
    if messages.empty:
        return "<p>No rank sent a message to another. Collectives in the engines send none: see the links.</p>"
    matrix = analysis.matrix().nlargest(20, "bytes")
    rows = [
        (f"rank {row['sender']}", f"rank {row['receiver']}", row["messages"], row["bytes"])
        for row in matrix.to_dict("records")
    ]
    took = messages["received_ps"] - messages["sent_ps"]
    known = messages[(messages["received_ps"] >= 0) & (messages["sent_ps"] >= 0)]
    sizes = known.assign(took=took).groupby("bytes")["took"].agg(["size", "min", "median", "max"]).reset_index()
    size_rows = [
        (f"{int(r['bytes']):,}", int(r["size"]), *(format_time(float(r[key])) for key in ("min", "median", "max")))
        for r in sizes.nlargest(20, "size").sort_values("bytes").to_dict("records")
    ]
    return (
        '<p><label>Shown: <select class="matrix-what"><option value="bytes">bytes</option>'
        '<option value="messages">messages</option></select></label></p><div class="plot matrix"></div>'
        + _details(
            "The pairs with most bytes", _table(("from", "to", "messages", "bytes"), rows, texts=2, name="matrix")
        )
        + '<h3>Sizes and times of messages</h3><div class="plot messages"></div>'
        + _details(
            "The most frequent sizes",
            _table(("bytes", "messages", "shortest", "median", "longest"), size_rows, name="sizes"),
        )
    )


def _machine(analysis: Analysis) -> str:
    events = analysis.events
    machine = events.run["machine"]
    links = analysis.links().sort_values("flits", ascending=False, kind="stable").head(12)
    rows = [
        (
            row["name"],
            machine["network"]["names"][row["to"]],
            row["flits"],
            f"{row['load']:.2%}",
            f"{row['busiest']:.2%}",
        )
        for row in links.to_dict("records")
    ]
    values = [(v["key"], v["value"], v["unit"], v["meaning"]) for v in machine["values"]]
    derived = [(v["meaning"], v["value"], v["unit"]) for v in machine["derived"]]
    plots = ""
    if rows:
        plots = '<h3>Load of links in time</h3><div class="plot link-times"></div>' + _table(
            ("link", "to router", "flits", "of its time", "in its busiest window"), rows, texts=2, name="links"
        )
    return (
        f"<p>{_text(machine['name'])}: {_text(machine['summary'])}</p>"
        '<div class="tools"><label>Time: <input type="range" class="window" min="0" value="0"></label>'
        '<span class="window-said" aria-live="polite"></span></div><div class="picture"></div>'
        "<p class=dim>Numbers are ranks. Each half of a line is one direction of a link: what leaves the router at its "
        "end.</p>"
        + plots
        + _details("Parameters of the machine", _table(("key", "value", "unit", "meaning"), values))
        + _details("What follows from them", _table(("quantity", "value", "unit"), derived))
    )


def _operations(operations: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        (
            name,
            values["calls"],
            values["bytes"],
            *(format_time(values[key]) for key in ("min_ps", "mean_ps", "max_ps", "total_ps")),
            values["hardware"],
            values["software"] + values["fallback"],
        )
        for name, values in sorted(operations.items(), key=lambda item: -item[1]["total_ps"])
    ]
    head = ("operation", "calls", "bytes", "shortest", "mean", "longest", "all ranks", "in engines", "by messages")
    return _table(head, rows, name="operations")
