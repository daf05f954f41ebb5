# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Plots of synthetic traffic as SVG, the same to the byte for the same figures."""

import math
from pathlib import Path
from typing import Protocol

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from tidings.errors import UserError
from tidings.report.plot_style import BLUE, GREY, ORANGE, STYLE, save
from tidings.traffic.measurement import Point, Study, Traffic, coordinates, links

#: The curve is cut at this many times the zero-load latency: beyond, it is as good as vertical.
_HIGHEST = 8.0
#: Width of a link's bar, and how far it lies off the middle of the link, in distances between routers.
_BAR, _SHIFT = 0.13, 0.085

Place = tuple[float, float]


def plot_curve(study: Study, path: Path) -> None:
    """Draw latency and accepted load over the offered load."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.8, 2.7), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_latency(left, study)
        _draw_throughput(right, study)
        figure.suptitle(_title(study.traffic))
        save(figure, path)


def plot_links(study: Study, point: Point, path: Path) -> None:
    """Draw how busy each link is, on the topology; the machine must have links."""
    traffic = study.traffic
    if traffic.machine.topology.kind == "graph":
        raise UserError(f"{traffic.machine.name} is a graph, and links are drawn on grids: use --csv or --json")
    size = traffic.machine.topology.size
    layout: _Layout = _Ring(size[0]) if len(size) == 1 and traffic.machine.layers > 1 else _Grid(traffic)
    segments = [layout.segment(node, port) for node, port in links(traffic)]
    values = [point.link_utilisation[node * traffic.ports + port] for node, port in links(traffic)]
    width, height = layout.extent
    inches = min(6.0 / width, 6.0 / height, 0.6)  # between routers
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(max(3.4, width * inches + 1.2), max(1.4, height * inches + 0.6)), layout="constrained")
        axes = figure.subplots()
        lines = LineCollection(
            segments, cmap="viridis_r", norm=Normalize(0, _round_up(max(values))), linewidths=_BAR * 72 * inches
        )
        lines.set_array(values)
        lines.set_capstyle("butt")
        axes.add_collection(lines)
        routers = [layout.place(node) for node in range(traffic.machine.routers)]
        axes.scatter(
            [x for x, _ in routers],
            [y for _, y in routers],
            s=(0.36 * 72 * inches) ** 2,
            marker="s",
            color="white",
            edgecolors=GREY,
            linewidths=min(0.5, 1.5 * inches),
            zorder=3,
        )
        for (x, y), name in layout.names():
            axes.text(x, y, name, ha="center", va="top", fontsize=7, color=GREY)
        axes.set_aspect("equal")
        axes.autoscale_view()
        axes.set_axis_off()
        bar = figure.colorbar(lines, ax=axes, shrink=min(1.0, 2.4 / (height * inches)), aspect=18, pad=0.02)
        bar.set_label("link utilisation (flits/cycle)")
        axes.set_title(f"{_title(traffic)}\noffered load {point.load:.4g}")
        save(figure, path)


def _draw_latency(axes: Axes, study: Study) -> None:
    zero = study.bounds.zero_load_latency
    carried = [(point, point.latency) for point in study.points if point.latency is not None]
    loads = [point.load for point, _ in carried]
    errors = [latency.half_width_95 or 0 for _, latency in carried]
    tails = [latency.p99 for _, latency in carried]
    axes.errorbar(
        loads,
        [latency.mean for _, latency in carried],
        yerr=errors,
        fmt="o-",
        color=BLUE,
        capsize=1.5,
        elinewidth=0.7,
        label="mean",
    )
    axes.plot(loads, tails, "^--", color=ORANGE, label="99 %", lw=0.9)
    axes.axhline(zero, color=GREY, ls=":", lw=0.8, label="zero load")
    _mark_loads(axes, study)
    axes.set_ylim(0, min(_HIGHEST * zero, 1.1 * max([zero, *tails])))
    axes.set_ylabel("latency (cycles)")
    order = ("99 %", "mean", "zero load", "saturation")
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    names = [name for name in order if name in handles]
    axes.legend([handles[name] for name in names], names, loc="upper left")


def _draw_throughput(axes: Axes, study: Study) -> None:
    loads = [point.load for point in study.points]
    axes.plot(loads, [point.accepted for point in study.points], "o-", color=BLUE, label="accepted")
    axes.axhline(study.bounds.capacity, color=GREY, lw=0.8, label="capacity")
    axes.axline((0, 0), slope=1, color=GREY, ls=":", lw=0.8, label="offered")
    _mark_loads(axes, study)
    axes.set_ylim(0, 1.08 * max(study.bounds.capacity, *(point.accepted for point in study.points)))
    axes.set_ylabel("accepted load (flits/endpoint/cycle)")
    axes.legend(loc="lower right")


def _mark_loads(axes: Axes, study: Study) -> None:
    """Give both panels one axis of loads, with the saturation load on it."""
    saturation = study.saturation
    highest = max(point.load for point in study.points)
    axes.set_xlim(0, 1.04 * max(highest, saturation.load if saturation else 0))
    axes.set_xlabel("offered load (flits/endpoint/cycle)")
    if saturation is not None and saturation.above is not None:
        axes.axvline(saturation.load, color="black", ls="-.", lw=0.7, label="saturation")


def _title(traffic: Traffic) -> str:
    machine = traffic.machine
    vcs = traffic.classes * machine.layers
    return (
        f"{machine.shape}, {vcs} VC{'s' * (vcs > 1)} of {machine.router.buffer_flits} flits, "
        f"{traffic.pattern}, {traffic.packet_flits}-flit packets"
    )


class _Layout(Protocol):
    """Where routers and links are drawn, in distances between neighbouring routers."""

    @property
    def extent(self) -> Place:
        """Width and height."""

    def place(self, node: int) -> Place:
        """Return the middle of a router."""

    def segment(self, node: int, port: int) -> list[Place]:
        """Return the bar of a link: on the right of who walks along it, so that both directions are seen."""

    def names(self) -> list[tuple[Place, str]]:
        """Return what is written where."""


class _Grid:
    """Two dimensions as a grid, each coordinate of the third and fourth as a panel of its own.

    Links that leave the panel, by wrapping around or in a higher dimension, are stubs at the router that they leave.
    """

    _DIRECTIONS = ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (-0.5, 0.5))
    _STUB = 0.45

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._dims = len(traffic.machine.topology.size)
        self._size = (*traffic.machine.topology.size, 1, 1, 1)[:4]
        self._step = (self._size[0] + 0.9, self._size[1] + 1.3)
        panels = self._size[2] * self._size[3]
        self._columns = self._size[2] if self._dims == 4 else math.ceil(math.sqrt(panels))
        self._rows = math.ceil(panels / self._columns)

    @property
    def extent(self) -> Place:
        return self._step[0] * self._columns, self._step[1] * self._rows

    def place(self, node: int) -> Place:
        x, y, z, w = (*coordinates(self._traffic, node), 0, 0, 0)[:4]
        left, bottom = self._panel(z + w * self._size[2])
        return left + x, bottom + y

    def segment(self, node: int, port: int) -> list[Place]:
        dimension, back = divmod(port, 2)
        here = coordinates(self._traffic, node)[dimension]
        stub = dimension > 1 or here == (0 if back else self._size[dimension] - 1)
        dx, dy = self._DIRECTIONS[dimension]
        if back:
            dx, dy = -dx, -dy
        length = math.hypot(dx, dy)
        x, y = self.place(node)
        x, y = x + dy / length * _SHIFT, y - dx / length * _SHIFT
        reach = self._STUB / length if stub else 1.0
        return [(x, y), (x + dx * reach, y + dy * reach)]

    def names(self) -> list[tuple[Place, str]]:
        result = []
        for panel in range(self._size[2] * self._size[3] if self._dims > 2 else 0):
            w, z = divmod(panel, self._size[2])
            left, bottom = self._panel(panel)
            name = f"z = {z}" + (f", w = {w}" if self._dims > 3 else "")
            result.append(((left + (self._size[0] - 1) / 2, bottom - 0.55), name))
        return result

    def _panel(self, number: int) -> Place:
        row, column = divmod(number, self._columns)
        return column * self._step[0], -row * self._step[1]


class _Ring:
    """A ring as a circle, its + direction clockwise and outside."""

    _PIECES = 8  # of an arc

    def __init__(self, routers: int) -> None:
        self._routers = routers
        self._radius = max(routers / (2 * math.pi), 0.5)

    @property
    def extent(self) -> Place:
        return 2 * self._radius + 0.5, 2 * self._radius + 0.5

    def place(self, node: int) -> Place:
        return self._at(node, self._radius)

    def segment(self, node: int, port: int) -> list[Place]:
        way, shift = (-1, -_SHIFT) if port else (1, _SHIFT)
        return [self._at(node + way * i / self._PIECES, self._radius + shift) for i in range(self._PIECES + 1)]

    def names(self) -> list[tuple[Place, str]]:
        return []

    def _at(self, position: float, radius: float) -> Place:
        angle = math.pi / 2 - 2 * math.pi * position / self._routers
        return radius * math.cos(angle), radius * math.sin(angle)


def _round_up(value: float) -> float:
    """Return the next round number, for the end of a scale."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    return next(
        step * unit for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10) if step * unit >= value * (1 - 1e-9)
    )
