# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings bench programs``: what it measures, and what it says of wrong requests. No test asserts a time."""

import dataclasses
from pathlib import Path

import pytest

import tidings
from tidings.bench import programs
from tidings.errors import UserError
from tidings.machines.file import find_machine


@pytest.mark.parametrize("name", sorted({pattern.name for pattern in programs.PATTERNS}))
def test_every_pattern_runs_and_has_a_value(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"allreduce": 1, "sort": 1, "clustering": 1, "round-trip": 10, "alltoall": 1, "barrier": 2}
    pattern = next(one for one in programs.PATTERNS if one.name == name)
    ranks = 2 if name == "round-trip" else 4
    times = 0 if name == "allgather" else small.get(name, 1)  # 177 MB are for those who want to know
    monkeypatch.setattr(programs, "PATTERNS", (dataclasses.replace(pattern, ranks=ranks, times=times),))
    (row,) = tidings.bench_programs([name], repeat=1)
    assert row.pattern == name
    assert row.value > 0
    assert row.other is None
    assert row.ratio is None


def test_patterns_of_many_ranks_can_be_left_out() -> None:
    assert list(tidings.bench_programs(["alltoall"], most_ranks=63)) == []


def test_ratio_says_how_much_better_this_build_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of times the shorter is better, of rates the higher; of each build its best measurement counts."""
    values = {"here": iter([5.0, 4.0]), "other": iter([8.0, 9.0])}
    machines = {}

    def begin(build: programs._Build, _command: object, spirit: Path, folder: Path, **_: object) -> None:
        build.__dict__["name"] = folder.name
        machines[folder.name] = spirit

    monkeypatch.setattr(programs._Build, "__init__", begin)
    monkeypatch.setattr(programs._Build, "value", lambda build, _pattern, **_: next(values[build.name]))
    monkeypatch.setattr(programs, "command_of", str)
    (row,) = tidings.bench_programs(["start"], against="there", repeat=2)
    assert (row.value, row.other, row.ratio) == (4.0, 8.0, 2.0)
    assert row.target_ratio == pytest.approx(0.4 / 0.15), "a shorter time is better"
    assert machines["other"] == Path("there/machines/spirit.toml"), "keys of machine files change"
    assert machines["here"] == find_machine("spirit")
    values = {"here": iter([30.0, 40.0]), "other": iter([10.0, 5.0])}
    (row,) = tidings.bench_programs(["alltoall"], against="there", repeat=2)
    assert (row.value, row.other, row.ratio) == (40.0, 10.0, 4.0)
    assert row.target_ratio == pytest.approx(100 / 24), "a higher rate is"


def test_what_the_other_build_cannot_run_stands_without_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Measurements take minutes: they are not lost for one that an older build has no function for."""
    checkout = tmp_path / "old"
    for folder in (".venv/bin", "machines"):
        (checkout / folder).mkdir(parents=True)
    (checkout / "machines" / "spirit.toml").write_text(find_machine("spirit").read_text())
    old = checkout / ".venv" / "bin" / "tidings"
    old.write_text("#!/bin/sh\n[ $1 = cc ] && exit 0\necho 'tidings: error: no MPI_Barrier here' >&2\nexit 1\n")
    old.chmod(0o755)
    pattern = next(one for one in programs.PATTERNS if one.name == "barrier")
    monkeypatch.setattr(programs, "PATTERNS", (dataclasses.replace(pattern, ranks=4, times=2),))
    rows = tidings.bench_programs(["barrier"], against=checkout, repeat=2)
    assert rows[0].value > 0
    assert (rows[0].other, rows[0].ratio, rows[0].note) == (None, None, "no MPI_Barrier here")
    assert (
        programs.as_table(rows).caption
        == f"{pattern.meaning}: the other build has no value, as it said: {rows[0].note}"
    )


def test_wrong_requests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no pattern 'gossip'; there are allgather, "):
        tidings.bench_programs(["gossip"])
    with pytest.raises(UserError, match=r"run make in that checkout"):
        tidings.bench_programs(["start"], against=tmp_path)
