#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of this folder, anew at every ``make docs``."""

from html import escape
from pathlib import Path

_FONT = "role='img' font-family='sans-serif' font-size='13'"
#: Readable on light and on dark pages: every picture has its own light ground.
_INK, _GROUND, _BOX, _HARD, _SOFT = "#1b2733", "#ffffff", "#eef3f8", "#dcebdc", "#f7ecd9"


class Picture:
    """An SVG picture that grows by boxes, texts and arrows; coordinates are pixels from the upper left corner."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' {_FONT}>",
            f"<title>{escape(title)}</title>",
            "<defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' "
            f"orient='auto-start-reverse'><path d='M0 0 8 4 0 8z' fill='{_INK}'/></marker></defs>",
            f"<rect width='{width}' height='{height}' fill='{_GROUND}'/>",
        ]

    def box(self, x: int, y: int, width: int, height: int, *lines: str, fill: str = _BOX) -> None:
        """Draw a box with centred lines of text."""
        self._parts.append(
            f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='5' fill='{fill}' stroke='{_INK}'/>"
        )
        top = y + height / 2 - 8 * (len(lines) - 1)
        for number, line in enumerate(lines):
            self.text(x + width // 2, round(top + 16 * number + 4), line, bold=number == 0)

    def frame(self, x: int, y: int, width: int, height: int, name: str) -> None:
        """Draw a dashed frame with its name in the upper left corner."""
        self._parts.append(
            f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='8' fill='none' stroke='{_INK}' "
            "stroke-dasharray='5 4'/>"
        )
        self.text(x + 10, y + 18, name, anchor="start", bold=True)

    def text(
        self, x: int, y: int, text: str, *, anchor: str = "middle", bold: bool = False, over: bool = False
    ) -> None:
        """Write one line of text; `over` lines of the picture, which it hides around itself."""
        halo = f" stroke='{_GROUND}' stroke-width='5' paint-order='stroke'" if over else ""
        weight = " font-weight='bold'" if bold else ""
        self._parts.append(
            f"<text x='{x}' y='{y}' text-anchor='{anchor}' fill='{_INK}'{weight}{halo}>{escape(text)}</text>"
        )

    def arrow(self, x1: int, y1: int, x2: int, y2: int, *, both: bool = False, dashed: bool = False) -> None:
        """Draw an arrow to the second point, or to both."""
        start = " marker-start='url(#tip)'" if both else ""
        dashes = " stroke-dasharray='4 4'" if dashed else ""
        self._parts.append(
            f"<path d='M{x1} {y1}L{x2} {y2}' stroke='{_INK}' stroke-width='1.3' fill='none' "
            f"marker-end='url(#tip)'{start}{dashes}/>"
        )

    def line(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draw a thin dashed line."""
        self._parts.append(f"<path d='M{x1} {y1}L{x2} {y2}' stroke='#8a97a3' stroke-dasharray='2 4'/>")

    def svg(self) -> str:
        """Return the picture."""
        return "\n".join([*self._parts, "</svg>", ""])


def node() -> str:
    """Draw a node: one router with its slots and the ends of its links."""
    p = Picture(780, 330, "A node: a router with network ports, slots, taps and the lane")
    p.frame(170, 50, 590, 260, "node")
    p.box(230, 56, 170, 196, "router", "input buffers", "allocation", "crossbar")
    for number, name in enumerate(("port 0: +x", "port 1: -x", "port 2: +y", "port 3: -y")):
        y = 90 + 40 * number
        p.arrow(90, y, 228, y, both=True)
        p.text(84, y + 4, name, anchor="end")
    p.text(82, 270, "links: flits out,")
    p.text(82, 286, "credits back")
    p.box(530, 70, 210, 86, "slot 0", "engines, registers", fill=_HARD)
    p.box(530, 200, 210, 80, "slot 1", "engines, registers", fill=_HARD)
    for y, name in ((140, "slot port"), (230, "slot port")):
        p.arrow(402, y, 528, y, both=True)
        p.text(465, y - 6, name)
    p.arrow(402, 114, 528, 114, dashed=True)
    p.text(465, 108, "taps")
    p.arrow(528, 88, 402, 88, dashed=True)
    p.text(465, 82, "lane")
    p.text(635, 30, "processor: bus, interrupt, memory")
    p.arrow(635, 36, 635, 69, both=True)
    return p.svg()


def slot() -> str:
    """Draw a slot: engines between the router port, the registers and node memory."""
    p = Picture(820, 400, "A slot: receivers, engines, transmitter, registers and memory port")
    p.frame(130, 60, 560, 320, "slot")
    p.box(160, 110, 130, 60, "receivers", "request, reply")
    p.box(160, 290, 130, 60, "transmitter", "request, reply")
    p.box(370, 100, 140, 80, "rma", "PUT, GET, messages,", "own registers", fill=_HARD)
    p.box(370, 210, 140, 60, "mpe", "collectives,", "own registers", fill=_HARD)
    p.box(590, 100, 80, 80, "registers", "of the slot", fill=_SOFT)
    p.box(590, 290, 80, 60, "memory", "port")
    p.box(370, 300, 140, 50, "taps and lane", "slot 0 only")
    p.text(62, 125, "router")
    p.text(62, 141, "slot port")
    p.arrow(95, 135, 158, 135)
    p.arrow(158, 320, 95, 320)
    p.text(62, 316, "router")
    p.text(62, 332, "slot port")
    p.arrow(292, 130, 368, 130)
    p.arrow(292, 150, 368, 225)
    p.arrow(368, 170, 292, 300)
    p.arrow(368, 255, 292, 315)
    p.arrow(512, 140, 588, 140, both=True)
    p.arrow(512, 225, 588, 170, both=True)
    p.arrow(512, 165, 588, 295, both=True)
    p.arrow(512, 250, 588, 310, both=True)
    p.arrow(440, 298, 440, 272, both=True)
    p.arrow(672, 140, 740, 140, both=True)
    p.text(780, 136, "bus,")
    p.text(780, 152, "interrupt")
    p.arrow(672, 320, 740, 320, both=True)
    p.text(780, 316, "node")
    p.text(780, 332, "memory")
    p.text(410, 36, "Packets reach engines by their kind; nothing in the network waits for an engine.")
    return p.svg()


#: Who takes part in an allreduce, and what they are made of.
_ACTORS = (
    ("program", _SOFT),
    ("library", _SOFT),
    ("driver", _SOFT),
    ("registers", _HARD),
    ("mpe", _HARD),
    ("router", _HARD),
    ("neighbour", _HARD),
)
#: From actor, to actor, what happens.
_STEPS = (
    (0, 1, "MPI_Allreduce(in, out, 8, MPI_DOUBLE, MPI_SUM)"),
    (1, 1, "choose: engine or software; pack into node memory"),
    (1, 2, "tidings_collective_start"),
    (2, 3, "bus writes: source, destination, count, descriptor, command"),
    (3, 4, "command"),
    (4, 4, "read own contribution from node memory"),
    (4, 5, "descriptor and partial results, over the lane"),
    (5, 6, "flits on the wire, credits back"),
    (6, 5, "the neighbour's descriptor and words"),
    (5, 4, "tap: compare descriptors, combine word by word"),
    (4, 4, "next round, or pass the result down the tree"),
    (4, 4, "write the result to node memory"),
    (4, 3, "complete"),
    (3, 2, "interrupt: done"),
    (2, 1, "collective is done"),
    (1, 0, "unpack into the caller's buffer, return"),
)


def allreduce() -> str:
    """Draw one MPI_Allreduce in the engine as a sequence, from call to wire and back."""
    gap, top, row = 128, 64, 34
    height = top + row * (len(_STEPS) + 1)
    p = Picture(gap * len(_ACTORS) + 40, height, "One MPI_Allreduce from call to wire and back")

    def middle(actor: int) -> int:
        return 20 + gap // 2 + gap * actor

    for number, (name, fill) in enumerate(_ACTORS):
        p.line(middle(number), top - 10, middle(number), height - 10)
        p.box(middle(number) - 50, 14, 100, 36, name, fill=fill)
    for number, (start, end, text) in enumerate(_STEPS):
        y = top + row * (number + 1) - 6
        if start == end:
            # What an actor does by itself stands beside its line, on the side with more room.
            side = 1 if start < len(_ACTORS) // 2 else -1
            p.arrow(middle(start) + side * 18, y, middle(start) + side * 2, y)
            p.text(middle(start) + side * 22, y + 4, text, anchor="start" if side > 0 else "end", over=True)
            continue
        p.arrow(middle(start), y, middle(end), y)
        centre = (middle(start) + middle(end)) // 2
        width = 7 * len(text) // 2
        centre = max(width + 8, min(centre, gap * len(_ACTORS) + 32 - width))
        p.text(centre, y - 5, text, over=True)
    return p.svg()


PICTURES = {"node": node, "slot": slot, "allreduce": allreduce}


def main() -> None:
    """Write all pictures beside this script."""
    for name, draw in PICTURES.items():
        (Path(__file__).parent / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
