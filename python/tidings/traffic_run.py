# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings bench traffic`: checks of what was asked for, the measurements in their order, and the files."""

import importlib.util
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import RenderableType

from tidings import traffic_view
from tidings.errors import UserError
from tidings.traffic import (
    Study,
    Traffic,
    as_json,
    bounds_of,
    exchange,
    find_saturation,
    measure,
    sweep_loads,
    write_links,
    write_points,
)


@dataclass(frozen=True)
class Request:
    """Measurements as a user asks for them."""

    traffic: Traffic
    loads: list[float] | None = None  #: the whole curve without
    saturation: bool | None = None  #: None: unless there is a single load
    exchange: bool = False
    json_file: Path | None = None
    csv_file: Path | None = None
    folder: Path | None = None


def check(request: Request) -> None:
    """Check everything that can be checked before any work is done.

    Raises
    ------
    UserError
        Saying what is wrong and what to do.
    """
    request.traffic.at(max(request.loads or [1.0]))
    if request.exchange:
        if request.loads is not None or request.saturation:
            raise UserError("--exchange sends everything at once: leave --load and --saturation out")
        if request.traffic.pattern not in ("uniform", "alltoall"):
            raise UserError(f"--exchange is from everyone to everyone: leave --pattern {request.traffic.pattern} out")
        if request.csv_file is not None or request.folder is not None:
            raise UserError("--exchange gives three figures and no curve: use --json")
    elif request.loads is None and request.saturation is False:
        raise UserError("the whole curve is drawn up to the saturation load: name loads, as in --load 0.1:0.4:0.1")
    for option, path in (("--json", request.json_file), ("--csv", request.csv_file)):
        if path is not None and not path.parent.is_dir():
            raise UserError(f"{option} {path}: there is no folder {path.parent}")
    if request.folder is not None:
        if importlib.util.find_spec("matplotlib") is None:
            raise UserError("--out draws with matplotlib, which is not installed: pip install 'tidings[plot]'")
        try:
            request.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"--out {request.folder}: {error.strerror}") from error


def execute(request: Request) -> Study:
    """Measure what was asked for, saying on standard error how far it is."""
    traffic = request.traffic
    with traffic_view.reporting() as progress:
        study = Study(traffic, bounds_of(traffic))
        if request.exchange:
            study.exchange = exchange(traffic, progress)
            return study
        many = request.loads is None or len(request.loads) > 1
        if many if request.saturation is None else request.saturation:
            study.saturation = find_saturation(traffic, study.bounds, progress)
        loads = request.loads
        if loads is None:
            loads = sweep_loads(study.saturation) if study.saturation else []
        study.points = [measure(traffic, load, progress) for load in loads]
    return study


def tables(study: Study) -> Iterator[RenderableType]:
    """Yield what is printed."""
    yield traffic_view.facts(study)
    if study.points:
        yield ""
        yield traffic_view.curve(study)


def write(request: Request, study: Study) -> None:
    """Write the files that were asked for."""
    text = json.dumps(as_json(study), indent=2) + "\n"
    if request.json_file is not None:
        request.json_file.write_text(text, encoding="utf-8")
    if request.csv_file is not None:
        with request.csv_file.open("w", encoding="utf-8", newline="") as stream:
            write_points(study, stream)
    if request.folder is None or not study.points:
        return
    # Imported here: it takes a second, and what it needs is not always installed.
    from tidings.traffic_plots import plot_curve, plot_links

    (request.folder / "traffic.json").write_text(text, encoding="utf-8")
    with (request.folder / "curve.csv").open("w", encoding="utf-8", newline="") as stream:
        write_points(study, stream)
    plot_curve(study, request.folder / "curve.svg")
    shown = study.shown()
    if request.traffic.ports and shown is not None:
        with (request.folder / "links.csv").open("w", encoding="utf-8", newline="") as stream:
            write_links(study, stream)
        plot_links(study, shown, request.folder / "links.svg")
