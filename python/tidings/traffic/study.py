# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench traffic`: checks of what was asked for, the measurements in their order, and a folder of files."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rich.console import RenderableType

from tidings.errors import UserError
from tidings.report.progress import reporting
from tidings.traffic import view
from tidings.traffic.measurement import (
    Study,
    Traffic,
    as_json,
    bounds_of,
    exchange,
    find_saturation,
    measure,
    sweep_loads,
)


@dataclass(frozen=True)
class Plan:
    """Measurements as a user asks for them."""

    traffic: Traffic
    loads: list[float] | None = None  #: the whole curve without
    saturation: bool | None = None  #: None: unless there is a single load
    exchange: bool = False


def check(plan: Plan) -> None:
    """Check everything that can be checked before any work is done.

    Raises
    ------
    UserError
        Saying what is wrong and what to do.
    """
    plan.traffic.at(max(plan.loads or [1.0]))
    if plan.exchange:
        if plan.loads is not None or plan.saturation:
            raise UserError("--exchange sends everything at once: leave --load and --saturation out")
        if plan.traffic.pattern not in ("uniform", "alltoall"):
            raise UserError(f"--exchange is from everyone to everyone: leave --pattern {plan.traffic.pattern} out")
    elif plan.loads is None and plan.saturation is False:
        raise UserError("the whole curve is drawn up to the saturation load: name loads, as in --load 0.1:0.4:0.1")


def execute(plan: Plan, stream: TextIO | None) -> Study:
    """Measure what was asked for, saying how far it is."""
    traffic = plan.traffic
    with reporting(stream) as progress:
        study = Study(traffic, bounds_of(traffic))
        if plan.exchange:
            study.exchange = exchange(traffic, progress)
            return study
        many = plan.loads is None or len(plan.loads) > 1
        if many if plan.saturation is None else plan.saturation:
            study.saturation = find_saturation(traffic, study.bounds, progress)
        loads = plan.loads
        if loads is None:
            loads = sweep_loads(study.saturation) if study.saturation else []
        study.points = [measure(traffic, load, progress) for load in loads]
    return study


def tables(study: Study) -> Iterator[RenderableType]:
    """Yield what is printed."""
    yield view.facts(study)
    if study.points:
        yield ""
        yield view.curve(study)


def write_folder(study: Study, folder: Path) -> None:
    """Write everything into a folder: JSON, the curve and the links as CSV and as pictures."""
    # Imported here: it takes a second, and what it needs is not always installed.
    from tidings.traffic.plots import plot_curve, plot_links

    (folder / "traffic.json").write_text(json.dumps(as_json(study), indent=2) + "\n", encoding="utf-8")
    (folder / "curve.csv").write_text(study.curve.to_csv(index=False), encoding="utf-8")
    plot_curve(study, folder / "curve.svg")
    shown = study.shown()
    if study.traffic.ports and shown is not None:
        (folder / "links.csv").write_text(study.links.to_csv(index=False), encoding="utf-8")
        plot_links(study, shown, folder / "links.svg")
