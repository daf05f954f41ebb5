# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What all plots share: one look, and SVG that is the same to the byte for the same figures."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

#: Colours that are told apart in print and by the colour-blind (Okabe and Ito).
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#666666"
GREEN, PURPLE, YELLOW, SKY = "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
BLACK = "#000000"
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "tidings",
    "font.size": 8,
    "axes.titlesize": 8,
    "figure.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.edgecolor": "none",
    "legend.framealpha": 1.0,
    "lines.linewidth": 1.2,
    "lines.markersize": 3,
}


def save(figure: Figure, path: Path) -> None:
    """Write a figure as SVG."""
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": "tidings"})
