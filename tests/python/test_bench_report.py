# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench report``: a page that is opened as a user opens it. No test asserts a time."""

from pathlib import Path

import pytest

import tidings
from cli_support import ROOT
from tidings.bench import browser

pytestmark = pytest.mark.skipif(browser.find() is None, reason="no browser: install chromium")


def test_every_figure_of_a_page_is_measured() -> None:
    rows = {row.figure: row for row in tidings.bench_report(steps=2, repeat=1)}
    assert all(row.value > 0 for row in rows.values())
    assert rows["calls, messages and waits"].value > 64 * 2 * 9
    assert rows["the page is opened and painted"].target == 2.0
    assert "a step in the timeline with all messages" in rows


def test_a_page_opens_without_what_only_its_plots_need(tmp_path: Path) -> None:
    program = tidings.compile_program(ROOT / "tests" / "programs" / "heat.c", tmp_path / "heat")
    tidings.run(program, machine="spirit", ranks=64, event_file=tmp_path / "run.events", capture=True)
    tidings.write_report(tmp_path / "run.events", tmp_path / "page.html")
    _, found = browser.opened(
        tmp_path / "page.html",
        """
        const ready = document.documentElement.dataset.ready, before = typeof Plotly;
        const bars = document.querySelector(".bars");
        bars.scrollIntoView();
        while (!bars.querySelector(".main-svg")) await new Promise((done) => setTimeout(done, 50));
        return { ready, before, after: typeof Plotly };
        """,
    )
    assert found == {"ready": "yes", "before": "undefined", "after": "object"}
