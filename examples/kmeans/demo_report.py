# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page that the demonstration leaves: one self-contained HTML file with a plot drawn as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

_STYLE = """
:root { color-scheme: light dark; --text: #1d2733; --dim: #5c6b7a; --page: #ffffff; --line: #d5dce3;
  --hardware: #0b7a75; --software: #d9822b; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e9ee; --dim: #9aa8b5; --page: #14191f; --line: #34404c;
  --hardware: #3fb8b1; --software: #eda35a; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
svg { width: 100%; height: auto; margin: 1rem 0; }
svg text { fill: var(--text); font-size: 14px; }
svg .dim { fill: var(--dim); }
.hardware { fill: var(--hardware); } .software { fill: var(--software); }
p.note { color: var(--dim); }
"""

_ROW, _BAR, _LABELS, _WIDTH = 64, 22, 150, 860


def page(title: str, hardware: Mapping[str, Any], software: Mapping[str, Any]) -> str:
    """Return the page.

    Parameters
    ----------
    title : str
        What was run.
    hardware, software : mapping
        The fields of ``Run`` in ``run_demo.py``.
    """
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{_STYLE}</style></head><body>
<h1>{escape(title)}</h1>
<p>The same binary with collectives carried out by the engines in the network (hardware) and by messages between
the ranks (software). All times are of virtual time, the machine's own; the centroids are equal.</p>
<h2>Mean time of an operation</h2>
{_plot(hardware["operation_us"], software["operation_us"])}
<h2>Figures</h2>
{_table(hardware, software)}
<p class="note">Operations and the first elapsed time are without compute time, so they are the same on every computer
and, to the picosecond, at both fidelities: the cycle model and the SystemVerilog itself.
The compute time of the second is the CPU time measured here, scaled to the machine's processor.</p>
</body></html>
"""


def _plot(hardware: Mapping[str, float], software: Mapping[str, float]) -> str:
    """Draw two bars for each operation, on one linear scale."""
    longest = max([*hardware.values(), *software.values()])
    scale = (_WIDTH - _LABELS - 120) / longest
    height = _ROW * len(hardware) + 40
    parts = [f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Mean time of each operation">']
    for turn, name in enumerate(("hardware", "software")):
        x = _LABELS + 120 * turn
        parts.append(f'<rect class="{name}" x="{x}" y="4" width="14" height="14" rx="3"/>')
        parts.append(f'<text x="{x + 20}" y="16">{name}</text>')
    for index, operation in enumerate(hardware):
        top = 36 + _ROW * index
        parts.append(f'<text x="{_LABELS - 12}" y="{top + _BAR + 5}" text-anchor="end">{escape(operation)}</text>')
        for turn, (kind, times) in enumerate((("hardware", hardware), ("software", software))):
            y, width = top + turn * (_BAR + 2), max(times[operation] * scale, 1)
            parts.append(f'<rect class="{kind}" x="{_LABELS}" y="{y}" width="{width:.1f}" height="{_BAR}" rx="3"/>')
            text = f"{times[operation]:,.1f} us"
            parts.append(f'<text class="dim" x="{_LABELS + width + 8:.1f}" y="{y + 16}">{text}</text>')
    return "\n".join([*parts, "</svg>"])


def _table(hardware: Mapping[str, Any], software: Mapping[str, Any]) -> str:
    times = [
        (name, hardware["operation_us"][name], software["operation_us"][name]) for name in hardware["operation_us"]
    ]
    times.append(("elapsed, communication only", hardware["elapsed_us"], software["elapsed_us"]))
    times.append(("elapsed, with measured compute", hardware["with_compute_us"], software["with_compute_us"]))
    rows = [(name, f"{mine:,.1f} us", f"{theirs:,.1f} us", f"{theirs / mine:.2f} x") for name, mine, theirs in times]
    for name, key, form in (
        ("share of communication", "communication_share", "{:.1%}"),
        ("cycles simulated", "simulated_cycles", "{:,}"),
    ):
        rows.append((name, form.format(hardware[key]), form.format(software[key]), ""))
    for fidelity, elapsed in hardware["elapsed_ps"].items():
        cells = (f"{elapsed:,}", f"{software['elapsed_ps'][fidelity]:,}")
        rows.append((f"elapsed at fidelity {fidelity}, ps", *cells, ""))
    head = "<tr><th></th><th>hardware</th><th>software</th><th>speed-up</th></tr>"
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{head}{body}</table>"
