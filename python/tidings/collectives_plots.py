# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Plots of collectives as SVG, the same to the byte for the same figures."""

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tidings.collectives import Result, Study
from tidings.plot_style import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, STYLE, YELLOW, save

_COLOURS = {
    "gray": BLUE,
    "dimension": ORANGE,
    "binomial": GREEN,
    "binary": PURPLE,
    "chain": YELLOW,
    "star": SKY,
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
        machine = study.machine
        figure.suptitle(f"{operation} on {machine.name}, links of {machine.link.latency_cycles} cycles")
        save(figure, path)


def _draw(axes: Axes, results: list[Result], study: Study, label: str, abscissa: _Abscissa) -> None:
    """Draw a curve a tree, published figures as crosses in its colour."""
    places = sorted({abscissa(result) for result in results})
    bounds = {abscissa(result): result.bound for result in results}
    axes.plot(places, [bounds[place] for place in places], color="black", lw=0.9, ls="--", label="bound")
    clock = study.machine.fabric.clock_MHz
    for tree in dict.fromkeys(result.tree for result in results):
        found = sorted((result for result in results if result.tree == tree), key=abscissa)
        colour = _COLOURS.get(tree, GREY)
        axes.plot([abscissa(r) for r in found], [r.cycles for r in found], "o-", color=colour, label=tree)
        known = [(abscissa(r), r.published * clock) for r in found if r.published is not None]
        if known:
            axes.plot(*zip(*known, strict=True), "x", color=colour, ms=5, label=f"{tree}, Gao 2013")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(places[:: max(1, len(places) // 6)])
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.minorticks_off()
    axes.set_xlabel(label)
    axes.grid(visible=True, lw=0.3, color="#cccccc")
