# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings experiment``: published values beside ours."""

import csv
import io
from pathlib import Path

import pytest

import tidings as api
from cli_support import Tidings
from tidings.errors import UserError
from tidings.experiment import paper as papers


def test_what_follows_from_the_algorithms_is_reproduced_or_explained() -> None:
    rows = api.compare_with_paper("yagna2013", kind="computed")
    verdicts = {row.what: row.verdict for row in rows}
    assert len(rows) == 11
    assert papers.DIFFERS not in verdicts.values()
    assert sorted(what for what, verdict in verdicts.items() if verdict == papers.EXPLAINED) == [
        "OperaMPI all-to-all of 49 tasks above 1 Kword: N - 1 stages",
        "all-to-all on 7x7: rounds",
        "reduce: steps with messages that share a link on 7x7 (tree mapped onto the NoC in contention-free manner)",
    ]
    (rounds,) = (row for row in rows if row.what == "all-to-all on 7x7: rounds")
    assert (rounds.published, rounds.ours, rounds.bound) == (84, 200, 84)


def test_every_value_has_a_verdict_and_a_reason_unless_it_is_reproduced(tidings: Tidings, tmp_path: Path) -> None:
    done = tidings("experiment", "yagna2013", "--table", "4.1", "--csv", "41.csv", "--html", "41.html")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO((tmp_path / "41.csv").read_text())))
    assert len(rows) == 5 * 6
    assert {row["verdict"] for row in rows} == {papers.NOT_YET}
    assert all(row["reason"] for row in rows)
    assert "30 not yet" in done.stdout
    assert (tmp_path / "41.html").read_text().count("<tr style") == 30
    lost = tidings("experiment", "yagna2013", "--figure", "4.7")
    assert "1 lost" in lost.stdout
    assert "yagna2013" in tidings("experiment", "list").stdout


def test_verdicts_follow_from_the_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.setattr(papers, "_folder", lambda: tmp_path)
    entry = '[[value]]\nplace = "Table 1"\nwhat = "{}"\nvalue = 10\nunit = "us"\nclass = "measured"\n{}\n'
    (folder / "runner.py").write_text("def twelve():\n    return 12\n")
    (folder / "published.toml").write_text(
        'name = "mine"\ntitle = "Mine"\n'
        + entry.format("near", 'ours = "twelve"\nwithin = 2')
        + entry.format("far", 'ours = "twelve"\nwithin = 1')
        + entry.format("told", 'ours = "twelve"\nexplanation = "two more"')
        + entry.format("later", 'ours = "twelve"\nwhy = "no machine"')
        + entry.format("nothing", "")
    )
    rows = api.compare_with_paper("mine")
    assert [(row.what, row.verdict, row.ours) for row in rows] == [
        ("near", papers.REPRODUCED, 12),
        ("far", papers.DIFFERS, 12),
        ("told", papers.EXPLAINED, 12),
        ("later", papers.NOT_YET, 12),
        ("nothing", papers.NOT_YET, None),
    ]
    (folder / "published.toml").write_text('name = "mine"\ntitle = "Mine"\n' + entry.format("odd", 'hours = "x"'))
    with pytest.raises(UserError, match="hours"):
        papers.paper("mine")


def test_long_values_are_computed_on_request_and_lost_ones_can_have_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.setattr(papers, "_folder", lambda: tmp_path)
    (folder / "runner.py").write_text("def product(a, b):\n    return int(a) * int(b)\n")
    (folder / "published.toml").write_text(
        'name = "mine"\ntitle = "Mine"\n'
        '[[lost]]\nplace = "Figure 1"\nwhat = "curves"\nunit = "ms"\n'
        'columns = ["2", "3"]\nrows = ["5"]\nours = "product({row}, {column})"\nlong = true\n'
        '[[lost]]\nplace = "Figure 2"\nwhat = "more"\n'
        '[[value]]\nplace = "Table 1"\nwhat = "all"\nvalue = 6\nunit = "ms"\nclass = "measured"\n'
        'ours = "product(2, 3)"\nlong = true\n'
    )
    said = io.StringIO()
    rows = api.compare_with_paper("mine", long=True, progress=said)
    assert [(row.what, row.ours, row.unit, row.verdict) for row in rows] == [
        ("all", 6, "ms", papers.REPRODUCED),
        ("curves: 5, 2", 10, "ms", papers.LOST),
        ("curves: 5, 3", 15, "ms", papers.LOST),
        ("more", None, "", papers.LOST),
    ]
    assert said.getvalue().splitlines() == [
        "tidings: Table 1: all",
        "tidings: Figure 1: curves: 5, 2",
        "tidings: Figure 1: curves: 5, 3",
    ]
    short = api.compare_with_paper("mine", progress=said)
    assert [row.ours for row in short] == [None] * 4
    assert [("--long" in row.reason) for row in short] == [True, True, True, False]
    assert short[0].verdict == papers.NOT_YET


@pytest.mark.parametrize("kernel", ["mg", "is", "cg", "ft", "lu"])
def test_kernels_verify_with_the_parameters_of_the_experiment(kernel: str) -> None:
    ours = papers._runner(papers.paper("yagna2013").folder / "runner.py")
    assert 0.1 < ours(f"milliseconds({kernel}, hardware, 2 tasks)") < 1000


def test_mistakes_are_said(tidings: Tidings) -> None:
    for arguments, said in (
        (("none2000",), "no paper 'none2000'; there are yagna2013"),
        (("yagna2013", "--table", "9.9"), "yagna2013 has no Table 9.9"),
        (("yagna2013", "--table", "4.1", "--all"), "exclude one another"),
    ):
        done = tidings("experiment", *arguments)
        assert done.returncode == 2
        assert said in done.stderr.replace("\n", " "), done.stderr
