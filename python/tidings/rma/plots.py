# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""A plot of total exchanges as SVG, the same to the byte for the same figures."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from tidings.report.plot_style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, YELLOW, save
from tidings.rma.measurement import SLOTS, Study

_COLOURS = dict(zip(SLOTS, (BLUE, ORANGE, GREEN, PURPLE, YELLOW), strict=True))


def plot_exchange(study: Study, path: Path) -> None:
    """Draw the cycles per word of total exchanges over their words; floors are lines, the paper's are crosses."""
    found = [result for result in study.results if result.what == "total exchange"]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.6, 3.1), layout="constrained")
        axes = figure.subplots()
        for slots in dict.fromkeys(result.slots for result in found):
            of = [result for result in found if result.slots == slots]
            colour = _COLOURS.get(slots, GREY)
            sizes = [result.words for result in of]
            axes.plot(sizes, [r.value / (slots * r.words) for r in of], "o-", color=colour, label=f"{slots} slots")
            floors = [(r.words, r.floor / (slots * r.words)) for r in of if r.floor is not None]
            axes.plot(*zip(*floors, strict=True), "--", color=colour, lw=0.9)
            known = [(r.words, r.published / (slots * r.words)) for r in of if r.published is not None]
            if known:
                axes.plot(*zip(*known, strict=True), "x", color=BLACK, ms=5, label=f"{slots} slots, Ziavras 2006")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel("words of a block")
        axes.set_ylabel("cycles per word")
        axes.set_title(f"total exchange with barrier on {study.machine.name}; dashed: floor")
        axes.grid(visible=True, lw=0.3, color="#cccccc")
        figure.legend(loc="outside right upper")
        save(figure, path)
