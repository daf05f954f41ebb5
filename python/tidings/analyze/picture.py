# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The links of a machine in an animated picture, step by step."""

import math
from collections.abc import Iterator, Sequence
from html import escape

from tidings import _core
from tidings.analyze.contention import Analysis

_INK, _GROUND, _BOX, _IDLE = "#1b2733", "#ffffff", "#eef3f8", "#d5dce3"
#: Of a link with one message, two, and more.
_COLOURS = ("#0072B2", "#E69F00", "#D55E00")
_PITCH, _SIDE, _MARGIN, _HEAD, _LEGEND = 64, 30, 50, 54, 40
_APART = 5  #: pixels of a link's line from the middle between two routers; the other direction is on the other side
_STUB = 26  #: length of what is drawn of a link that wraps around
_SECONDS = 0.6  #: of a step


def svg(analysis: Analysis) -> str:
    """Return the picture: routers, and links in the colour of the messages that they carry in each step."""
    topology = _core.Topology(analysis.machine.topology.configuration(), analysis.ranks)
    places = _places(topology)
    width = max(x for x, _ in places) + _SIDE + _MARGIN
    height = max(y for _, y in places) + _SIDE + _MARGIN + _LEGEND
    title = (
        f"{analysis.collective} by {analysis.algorithm}, {analysis.ranks} ranks of {analysis.machine.name}: "
        f"{analysis.cycles:,} cycles, bound {analysis.bound:,}"
    )
    width = max(width, 8 * len(title) + 2 * _MARGIN)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' width='{width:g}' "
        f"height='{height:g}' role='img' font-family='sans-serif' font-size='13'>",
        f"<title>{escape(title)}</title>",
        f"<rect width='{width:g}' height='{height:g}' fill='{_GROUND}'/>",
        f"<text x='{_MARGIN - _SIDE}' y='20' fill='{_INK}' font-weight='bold'>{escape(title)}</text>",
        *_captions(analysis),
        *_links(analysis, topology, places),
    ]
    for router, (x, y) in enumerate(places):
        parts.append(
            f"<rect x='{x - _SIDE / 2:g}' y='{y - _SIDE / 2:g}' width='{_SIDE}' height='{_SIDE}' rx='4' fill='{_BOX}' "
            f"stroke='{_INK}'/><text x='{x:g}' y='{y + 4:g}' text-anchor='middle' font-size='11' "
            f"fill='{_INK}'>{router}</text>"
        )
    meanings = ("one message", "two share the link", "more")
    for number, (colour, meaning) in enumerate(zip(_COLOURS, meanings, strict=True)):
        x = _MARGIN - _SIDE + 150 * number
        parts.append(
            f"<path d='M{x} {height - 20:g}h24' stroke='{colour}' stroke-width='4'/>"
            f"<text x='{x + 30}' y='{height - 16:g}' fill='{_INK}'>{meaning}</text>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _places(topology: _core.Topology) -> list[tuple[float, float]]:
    """Return where routers are drawn: planes of a grid side by side, the routers of a graph in a circle."""
    size = list(topology.size)
    if not size:
        radius = 0 if topology.routers == 1 else _PITCH * topology.routers / (2 * math.pi) + _SIDE
        centre = radius + _MARGIN
        turns = (2 * math.pi * router / topology.routers for router in range(topology.routers))
        return [(centre + radius * math.sin(turn), _HEAD + centre - radius * math.cos(turn)) for turn in turns]
    places: list[tuple[float, float]] = []
    for router in range(topology.routers):
        x, y, *planes = [*topology.coordinates(router), 0]
        plane = sum(place * math.prod(size[2 : 2 + d]) for d, place in enumerate(planes))
        places.append((_MARGIN + _PITCH * (x + plane * (size[0] + 0.8)), _HEAD + _MARGIN + _PITCH * y))
    return places


def _captions(analysis: Analysis) -> Iterator[str]:
    total = len(analysis.steps)
    for number, step in enumerate(analysis.steps):
        shared = f"{step.conflicts} links shared" if step.conflicts else "no link shared"
        text = f"step {step.step + 1} of {total}: {step.messages} messages, {shared}"
        shown = _animated("visibility", [(0, "hidden"), (number, "visible"), (number + 1, "hidden")], total)
        yield (
            f"<text x='{_MARGIN - _SIDE}' y='40' fill='{_INK}' "
            f"visibility='{'hidden' if number else 'visible'}'>{text}{shown}</text>"
        )


def _links(analysis: Analysis, topology: _core.Topology, places: Sequence[tuple[float, float]]) -> Iterator[str]:
    total = len(analysis.links)
    carried: dict[tuple[int, int], dict[int, int]] = {}
    for number, links in enumerate(analysis.links):
        for link in links:
            carried.setdefault((link.router, link.port), {})[number] = link.messages
    for router in range(topology.routers):
        for port in range(topology.ports):
            behind = topology.neighbour(router, port)
            if behind is None:
                continue
            messages = carried.get((router, port), {})
            colours = [_colour(messages.get(number, 0)) for number in range(total)]
            changes = [(n, colour) for n, colour in enumerate(colours) if n == 0 or colours[n - 1] != colour]
            first = colours[0] if colours else _IDLE
            yield (
                f"<path d='{_line(topology, places, router, port, behind[0])}' stroke='{first}' stroke-width='4'>"
                f"<title>{topology.name(router)} {topology.port_name(router, port)}: {sum(messages.values())} "
                f"messages</title>{_animated('stroke', changes, total)}</path>"
            )


def _line(topology: _core.Topology, places: Sequence[tuple[float, float]], router: int, port: int, behind: int) -> str:
    """Return the line of a link beside that of the other direction; of one that wraps around, both ends."""
    (x, y), (to_x, to_y) = places[router], places[behind]
    here, there = topology.coordinates(router), topology.coordinates(behind)
    wraps = bool(topology.size) and sum(abs(a - b) for a, b in zip(here, there, strict=True)) > 1
    planes = bool(topology.size) and port // 2 >= 2
    sign = 1 if port % 2 == 0 else -1
    if wraps and not planes:
        dx, dy = (sign, 0) if port // 2 == 0 else (0, sign)
        return f"M{x - dy * _APART:g} {y + dx * _APART:g}l{dx * (_STUB + 8):g} {dy * (_STUB + 8):g}"
    if planes:  # a mark at the corner of the router: upwards or downwards through the planes
        corner = sign * (_SIDE / 2)
        return f"M{x + corner:g} {y - _SIDE / 2 + 6:g}l{sign * 10} {-10 * sign:g}"
    length = math.hypot(to_x - x, to_y - y) or 1.0
    aside_x, aside_y = -(to_y - y) / length * _APART, (to_x - x) / length * _APART
    return f"M{x + aside_x:g} {y + aside_y:g}L{to_x + aside_x:g} {to_y + aside_y:g}"


def _colour(messages: int) -> str:
    return _IDLE if messages == 0 else _COLOURS[min(messages, len(_COLOURS)) - 1]


def _animated(attribute: str, changes: Sequence[tuple[int, str]], total: int) -> str:
    """Let an attribute change at the beginnings of steps, again and again."""
    last: dict[int, str] = {number: value for number, value in changes if number < total}
    if len(last) < 2:
        return ""
    times = ";".join(f"{number / total:.6g}" for number in last)
    return (
        f"<animate attributeName='{attribute}' calcMode='discrete' dur='{total * _SECONDS:g}s' "
        f"repeatCount='indefinite' keyTimes='{times}' values='{';'.join(last.values())}'/>"
    )
