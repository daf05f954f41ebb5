# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Plots of collectives as SVG, the same to the byte for the same figures."""

import math
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tidings import _core
from tidings.collectives.measurement import Result, Study
from tidings.report.plot_style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, STYLE, YELLOW, save

_COLOURS = {
    "gray": BLUE,
    "dimension": ORANGE,
    "binomial": GREEN,
    "binary": PURPLE,
    "chain": YELLOW,
    "star": SKY,
    "exchange": BLACK,
}

#: Picks the abscissa of a result.
_Abscissa = Callable[[Result], int]


def plot_operation(study: Study, operation: str, path: Path) -> None:
    """Draw the cycles of an operation over the words of a vector, and over the nodes; the bound is a line."""
    results = [result for result in study.results if result.operation == operation and result.vectors == 1]
    nodes = max(result.nodes for result in results)
    sizes = sorted({result.words for result in results})
    # The thesis of Gao has 4,096 words at most, so this size has figures to compare with.
    words = max((size for size in sizes if size <= 4096), default=sizes[0])
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.8 if len(sizes) == 1 else 7.6, 2.9), layout="constrained")
        if len(sizes) == 1:
            right = figure.subplots()
        else:
            left, right = figure.subplots(1, 2, sharey=True)
            _draw(left, [r for r in results if r.nodes == nodes], study, "words of a vector", lambda r: r.words)
            left.set_title(f"{nodes} nodes")
            right.set_title(f"{words:,} words")
        _draw(right, [r for r in results if r.words == words], study, "nodes", lambda r: r.nodes)
        figure.axes[0].set_ylabel("cycles")
        entries = {
            name: handle for axes in figure.axes for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(list(entries.values()), list(entries), loc="outside right upper")
        title = f"{operation} on {study.machine.name}, hops of {study.machine.hop_cycles} cycles"
        figure.axes[0].set_title(title) if len(sizes) == 1 else figure.suptitle(title)
        save(figure, path)


def _draw(axes: Axes, results: list[Result], study: Study, label: str, abscissa: _Abscissa) -> None:
    """Draw a curve a tree, published figures as crosses in its colour."""
    places = sorted({abscissa(result) for result in results})
    for label_of_bound, style, exchanges in (("bound", "--", False), ("bound, exchange", ":", True)):
        bounds = {abscissa(r): r.bound for r in results if _exchanges(r) == exchanges}
        if bounds:
            axes.plot(*zip(*sorted(bounds.items()), strict=True), color="black", lw=0.9, ls=style, label=label_of_bound)
    clock = study.machine.fabric.clock_MHz
    for number, tree in enumerate(dict.fromkeys(result.tree for result in results)):
        found = sorted((result for result in results if result.tree == tree), key=abscissa)
        colour = _COLOURS.get(tree, GREY)
        width = max(2.8 - 0.8 * number, 1.2)  # curves that are the same are seen beside each other
        axes.plot([abscissa(r) for r in found], [r.cycles for r in found], "o-", color=colour, lw=width, label=tree)
        known = [(abscissa(r), r.published * clock) for r in found if r.published is not None]
        if known:
            axes.plot(*zip(*known, strict=True), "x", color=colour, ms=5, label=f"{tree}, Gao 2013")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(places[:: math.ceil(len(places) / 6)])
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.minorticks_off()
    axes.set_xlabel(label)
    axes.grid(visible=True, lw=0.3, color="#cccccc")


def _exchanges(result: Result) -> bool:
    """Return whether vectors went in rounds of exchange, whose bound is another one."""
    return result.words > 0 and not _core.shape(result.tree).is_tree
