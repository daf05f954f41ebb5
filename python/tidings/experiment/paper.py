# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""A paper's folder: its published values as data, and the module that computes ours."""

import importlib.util
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from tidings.errors import UserError
from tidings.layout import share_folder
from tidings.report.frames import Rows

#: What can be said of a published value.
REPRODUCED, EXPLAINED, DIFFERS, LOST, NOT_YET = "reproduced", "explained", "differs", "lost", "not yet"
#: What a published value can be.
CLASSES = ("computed", "measured", "resource", "lost")


@dataclass(frozen=True)
class Published:
    """A value as its paper prints it."""

    place: str  #: table, figure or section
    what: str
    value: float | None  #: nothing if the text that is at hand has lost it
    unit: str
    kind: str  #: one of `CLASSES`
    ours: str = ""  #: function of the runner, with arguments in brackets if it has any: ``time(PUT, 8)``
    bound: str = ""  #: likewise
    within: float = 0.0  #: how far ours may be from it, in its unit
    within_percent: float = 0.0  #: likewise, in per cent of it; the larger of the two counts
    why: str = ""  #: what is missing for a comparison
    explanation: str = ""  #: why ours differs
    long: bool = False  #: ours takes long


@dataclass(frozen=True)
class Compared:
    """A published value beside ours."""

    place: str
    what: str
    published: float | None
    unit: str
    kind: str
    ours: float | None
    bound: float | None
    verdict: str
    reason: str


@dataclass(frozen=True)
class Paper:
    """A paper and its published values."""

    name: str
    title: str
    folder: Path
    values: tuple[Published, ...]


def _folder() -> Path:
    return share_folder() / "experiments"


def papers() -> list[Paper]:
    """Return all papers, by name."""
    return [_read(file) for file in sorted(_folder().glob("*/published.toml"))]


def paper(name: str) -> Paper:
    """Return a paper.

    Raises
    ------
    UserError
        If there is none of that name, or its file is not as it should be.
    """
    found = {one.name: one for one in papers()}
    if name not in found:
        raise UserError(f"no paper {name!r}; there are {', '.join(found)}")
    return found[name]


def _read(file: Path) -> Paper:
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    values: list[Published] = []
    for entry in data.get("value", ()):
        values.append(_published(file, entry))
    for table in data.get("table", ()):
        values.extend(_cells(file, table))
    for entry in data.get("lost", ()):
        lost = {"unit": "", "class": "lost"} | entry
        if "rows" in entry:
            nothing = [None] * len(entry["columns"])
            values.extend(_cells(file, lost | {"rows": dict.fromkeys(entry["rows"], nothing)}))
        else:
            values.append(_published(file, lost | {"value": None}))
    return Paper(data["name"], data["title"], file.parent, tuple(values))


def _cells(file: Path, table: Mapping[str, Any]) -> Iterator[Published]:
    common = {key: value for key, value in table.items() if key not in ("rows", "columns", "what")}
    for row, cells in table["rows"].items():
        if len(cells) != len(table["columns"]):
            raise UserError(f"{file}: {table['place']}: row {row} has {len(cells)} values")
        for column, cell in zip(table["columns"], cells, strict=True):
            named: dict[str, Any] = {
                key: common[key].replace("{row}", row).replace("{column}", column)
                for key in ("ours", "bound")
                if key in common
            }
            named["what"] = f"{table['what']}: {row}, {column}"
            yield _published(file, common | named | {"value": cell})


def _published(file: Path, entry: Mapping[str, Any]) -> Published:
    renamed = {("kind" if key == "class" else key): value for key, value in entry.items()}
    try:
        made = Published(**renamed)
    except TypeError as problem:
        raise UserError(f"{file}: {entry.get('what', entry)}: {problem}") from problem
    if made.kind not in CLASSES:
        raise UserError(f"{file}: {made.what}: no class {made.kind!r}; there are {', '.join(CLASSES)}")
    return made


def compare(
    chosen: Paper,
    place: str | None = None,
    kind: str | None = None,
    *,
    long: bool = False,
    progress: TextIO | None = None,
) -> Rows[Compared]:
    """Return the published values of a paper beside ours.

    Parameters
    ----------
    chosen : Paper
        The paper.
    place, kind : str, optional
        Only one table, figure or section, and one of `CLASSES`.
    long : bool
        Compute also those values of ours that take long.
    progress : text stream, optional
        Where to name each of these when it is begun.

    Raises
    ------
    UserError
        If the paper has no such values.
    """
    values = [one for one in chosen.values if place in (None, one.place) and kind in (None, one.kind)]
    if not values:
        raise UserError(f"{chosen.name} has no {place or 'values'}{'' if kind is None else f' of class {kind}'}")
    return Rows(_compared(values, _runner(chosen.folder / "runner.py"), long, progress))


def _compared(
    values: Sequence[Published], runner: Callable[[str], float], long: bool, progress: TextIO | None
) -> Iterator[Compared]:
    for one in values:
        if one.long and long and progress is not None:
            print(f"tidings: {one.place}: {one.what}", file=progress, flush=True)
        ours = runner(one.ours) if one.ours and (long or not one.long) else None
        bound = runner(one.bound) if one.bound else None
        verdict, reason = _verdict(one, ours)
        if one.long and not long:
            reason += "; --long computes ours"
        yield Compared(one.place, one.what, one.value, one.unit, one.kind, ours, bound, verdict, reason)


def _verdict(one: Published, ours: float | None) -> tuple[str, str]:
    if one.value is None:
        return LOST, "the text that is at hand has the caption alone"
    if ours is None or one.why:
        return NOT_YET, one.why or ("ours takes long" if one.long else "nothing computes it")
    if abs(ours - one.value) <= max(one.within, one.within_percent / 100 * abs(one.value)):
        return REPRODUCED, ""
    return (EXPLAINED, one.explanation) if one.explanation else (DIFFERS, "nobody knows why")


def _runner(file: Path) -> Callable[[str], float]:
    """Return what calls a function of a paper's runner by its name, with the words in brackets behind it."""
    spec = importlib.util.spec_from_file_location(f"tidings_experiment_{file.parent.name}", file)
    if spec is None or spec.loader is None:
        raise UserError(f"{file} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def call(wanted: str) -> float:
        name, _, words = wanted.removesuffix(")").partition("(")
        function = getattr(module, name, None)
        if function is None:
            raise UserError(f"{file} has no function {name}")
        return float(function(*(word.strip() for word in words.split(",") if word)))

    return call
