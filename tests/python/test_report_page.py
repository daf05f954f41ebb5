# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""A report in a real browser: its figures are those of the run, and it can be used."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tidings
from cli_support import ROOT
from tidings.bench import browser
from tidings.report.analysis import Analysis
from tidings.report.events import Events
from tidings.report.summary import format_time

pytestmark = pytest.mark.skipif(browser.find() is None, reason="no browser: install chromium")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Events]:
    """Return a page of two runs, and the events of the first."""
    folder = tmp_path_factory.mktemp("page")
    program = tidings.compile_program(ROOT / "tests" / "programs" / "mixed_collectives.c", folder / "mixed")
    files = [folder / "hardware.events", folder / "software.events"]
    for file in files:
        tidings.run(program, machine="spirit", ranks=8, collectives=file.stem, event_file=file, capture=True)
    tidings.write_report(files, folder / "page.html")
    return folder / "page.html", tidings.load_events(files[0])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390], ids=["desktop", "phone"])
def test_a_page_shows_the_figures_of_its_run(made: tuple[Path, Events], tmp_path: Path, width: int, dark: bool) -> None:
    page, events = made
    found = browser.look(
        page,
        tmp_path,
        """
        const shown = page.querySelector("section:not([hidden])");
        const undrawn = () => [...page.querySelectorAll(".plot")].some(
          (plot) => plot.offsetParent && !plot.querySelector(".main-svg"));
        await until(() => !undrawn());
        const text = (selector) => [...shown.querySelectorAll(selector)].map((element) => element.textContent);
        return {
          problems: view.problems,
          ready: page.documentElement.dataset.ready,
          cards: text(".card b"),
          advice: text("ol.advice h3"),
          bars: shown.querySelectorAll(".bars .trace.bars").length,
          operations: text("[data-table=operations] tbody td:first-child"),
          calls: text("[data-table=operations] tbody td:nth-child(2)"),
          links: shown.querySelectorAll(".picture line").length,
          plots: [...page.querySelectorAll(".plot")].filter((plot) => plot.offsetParent).map(
            (plot) => plot.querySelectorAll(".main-svg").length > 0),
          wider: page.documentElement.scrollWidth - view.innerWidth,
          background: view.getComputedStyle(page.body).backgroundColor,
        };
        """,
        width=width,
        height=9000,
        dark=dark,
    )
    result = events.run["result"]
    assert found["problems"] == []
    assert found["ready"] == "yes"
    assert found["cards"][0] == format_time(result["elapsed_ps"])
    assert found["cards"][1] == "8"
    assert found["cards"][2] == f"{result['communication_share']:.1%}"
    assert found["cards"][4] == f"{len(events.messages):,}"
    assert found["cards"][5] == f"{result['flit_hops']:,}"
    assert len(found["advice"]) == 3
    assert found["bars"] == len(Analysis(events).time_per_rank().columns)
    shown = dict(zip(found["operations"], found["calls"], strict=True))
    assert shown == {name: f"{values['calls']:,}" for name, values in result["operations"].items()}
    assert found["links"] == len(events.run["machine"]["network"]["links"])
    assert all(found["plots"])
    assert found["wider"] <= 0
    red, *_ = (int(part) for part in found["background"].strip("rgb()").split(","))
    assert (red < 64) == dark


def test_the_timeline_is_used_by_keyboard(made: tuple[Path, Events], tmp_path: Path) -> None:
    page, events = made
    found = browser.look(
        page,
        tmp_path,
        """
        const section = page.querySelector("section:not([hidden])"), canvas = section.querySelector(".timeline");
        const said = section.querySelector(".timeline-said");
        const press = async (key) => {
          canvas.dispatchEvent(new view.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
          await pause();
          return [Number(canvas.dataset.from), Number(canvas.dataset.to), said.textContent];
        };
        canvas.focus();
        const steps = {};
        for (const [name, key] of [["all", "Home"], ["in", "+"], ["later", "ArrowRight"], ["back", "Home"],
          ["call", "n"], ["next", "n"], ["zoomed", "Enter"], ["rank", "ArrowDown"]]) steps[name] = await press(key);
        return { focused: page.activeElement === canvas, steps };
        """,
    )
    assert found["focused"]
    steps: dict[str, Any] = found["steps"]
    whole = events.elapsed_ps
    assert steps["all"][:2] == [0, whole]
    assert steps["in"][:2] == [whole / 4, whole * 3 / 4]
    assert steps["later"][0] > steps["in"][0]
    assert steps["back"][:2] == [0, whole]
    first, second = (events.calls[events.calls["rank"] == 0].iloc[i] for i in (0, 1))
    assert steps["call"][2].startswith(f"Rank 0: {first['text']}, ")
    assert steps["next"][2].startswith(f"Rank 0: {second['text']}, ")
    assert format_time(float(second["ended_ps"] - second["began_ps"])) in steps["next"][2]
    assert steps["zoomed"][0] <= second["began_ps"] <= second["ended_ps"] <= steps["zoomed"][1]
    assert steps["zoomed"][1] - steps["zoomed"][0] < whole / 4
    assert steps["rank"][2].startswith("Rank 1: ")


#: How colours look to those who lack one kind of cones (Machado, Oliveira, Fernandes 2009, severity 1), in linear RGB.
SIGHTS = {
    "all cones": np.eye(3),
    "no long": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no middle": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no short": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]


def seen(colour: str, sight: Any) -> Any:
    """Return a colour as it is seen, in CIELAB."""
    values = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    xyz = np.array(TO_XYZ) @ np.clip(np.array(sight) @ linear, 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_colour_blind_tell_colours_apart(made: tuple[Path, Events], sight: str) -> None:
    """Colours that differ by less than 15 are hard to tell apart in a legend."""
    text = made[0].read_text(encoding="utf-8")
    data = json.loads(re.findall(r'id="data">(.*?)</script>', text, re.DOTALL)[0])["colours"]
    operations = re.findall(r"#[0-9A-F]{6}", re.findall(r"operationColours = \[(.*?)\]", text)[0])
    assert len(operations) >= 7
    for colours in ([data["compute"], *data["states"].values()], operations):
        for one, other in itertools.combinations(colours, 2):
            difference = np.linalg.norm(seen(one, SIGHTS[sight]) - seen(other, SIGHTS[sight]))
            assert difference > 15, (one, other)


def test_another_run_of_a_page_is_chosen(made: tuple[Path, Events], tmp_path: Path) -> None:
    page, _ = made
    found = browser.look(
        page,
        tmp_path,
        """
        const select = page.getElementById("run");
        select.value = "1";
        select.dispatchEvent(new view.Event("change"));
        await until(() => !page.querySelector("section[data-run='1']").hidden);
        const shown = page.querySelectorAll("section:not([hidden])");
        return { problems: view.problems, shown: shown.length, run: shown[0].dataset.run,
          command: shown[0].querySelector("pre").textContent,
          compared: [...page.querySelectorAll("[data-table=comparison] tbody td:first-child")].map(
            (cell) => cell.textContent) };
        """,
    )
    assert found["problems"] == []
    assert (found["shown"], found["run"]) == (1, "1")
    assert "--collectives software" in found["command"]
    assert found["compared"] == ["hardware", "software"]
