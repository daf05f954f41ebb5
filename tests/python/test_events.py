# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The event store, what follows from it, and the report that shows it."""

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tidings as package
from cli_support import ROOT, Tidings
from tidings.errors import UserError
from tidings.report.analysis import Analysis, advice
from tidings.report.events import EventFileError, Events, load

#: What a run's events are as data frames.
TABLES = ("calls", "messages", "waits", "links")
#: Ranks meet; then rank 0 comes late to a receive, to a barrier, and late with a message.
LATE = r"""
#include <mpi.h>
#include <time.h>
static void pause_us(long us) { struct timespec t = {0, us * 1000}; nanosleep(&t, 0); }
int main(int argc, char** argv) {
  static char large[20000];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) { pause_us(100); MPI_Send(large, 8, MPI_CHAR, 1, 3, MPI_COMM_WORLD); }
  if (rank == 1) MPI_Recv(large, 8, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) { pause_us(200); MPI_Recv(large, 20000, MPI_CHAR, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
  if (rank == 1) MPI_Send(large, 20000, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) pause_us(300);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the program in which rank 0 is late, and a folder."""
    folder = tmp_path_factory.mktemp("late")
    (folder / "late.c").write_text(LATE)
    return package.compile_program(folder / "late.c", folder / "late"), folder


def events_of(program: Path, folder: Path, *, ranks: int = 4, machine: str = "spirit", **options: object) -> Events:
    file = folder / "run.events"
    package.run(program, machine=machine, ranks=ranks, event_file=file, capture=True, **options)  # type: ignore[arg-type]
    return load(file)


@pytest.fixture(scope="module")
def late_events(late: tuple[Path, Path]) -> Events:
    return events_of(*late)


@pytest.mark.parametrize("program", ["mixed_collectives", "nonblocking_storm", "self_messages"])
@pytest.mark.parametrize("collectives", ["hardware", "software"])
def test_storing_events_changes_no_figure_of_a_run(tmp_path: Path, program: str, collectives: str) -> None:
    binary = package.compile_program(ROOT / "tests" / "programs" / f"{program}.c", tmp_path / program)
    how = {"machine": "spirit", "ranks": 8, "capture": True, "collectives": collectives}
    plain = package.run(binary, **how)  # type: ignore[arg-type]
    stored = package.run(binary, event_file=tmp_path / "run.events", **how)  # type: ignore[arg-type]
    assert stored.stdout == plain.stdout
    assert stored.as_json() | {"wall_seconds": 0} == plain.as_json() | {"wall_seconds": 0}


@pytest.mark.parametrize("program", ["mixed_collectives", "rendezvous_storm"])
def test_events_add_up_to_the_figures_of_the_run(tmp_path: Path, program: str) -> None:
    binary = package.compile_program(ROOT / "tests" / "programs" / f"{program}.c", tmp_path / program)
    events = events_of(binary, tmp_path, ranks=8)
    result = events.run["result"]
    calls = events.calls.assign(took=events.calls["ended_ps"] - events.calls["began_ps"])
    found = calls.groupby("operation", observed=True).agg(
        calls=("took", "size"), bytes=("bytes", "sum"), total_ps=("took", "sum")
    )
    for name, values in result["operations"].items():
        assert found.loc[name].to_dict() == {key: values[key] for key in ("calls", "bytes", "total_ps")}
    assert events.link_flits.sum() == result["flit_hops"]
    assert events.lost == 0
    messages = events.messages
    assert (messages["sent_ps"] >= 0).all()
    assert (messages["received_ps"] >= messages["matched_ps"]).all()
    assert (messages["matched_ps"] >= messages["arrived_ps"]).all()
    apart = messages[messages["sender"] != messages["receiver"]]
    assert (apart["arrived_ps"] > apart["sent_ps"]).all()


def test_more_events_than_fit_in_memory_are_all_stored(tmp_path: Path) -> None:
    source = tmp_path / "many.c"
    source.write_text(
        "#include <mpi.h>\nint main(int c, char** v) { int r, x = 0; MPI_Init(&c, &v);"
        "MPI_Comm_rank(MPI_COMM_WORLD, &r);"
        "for (int i = 0; i < 2000; ++i) if (r) MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        "else MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); MPI_Finalize(); return x != (r ? 1999 : 0); }\n"
    )
    events = events_of(package.compile_program(source, tmp_path / "many"), tmp_path, ranks=2)
    calls = events.calls
    assert (calls["operation"] == "MPI_Recv").sum() == 2000
    assert list(events.messages["number"]) == list(range(2000))
    for _, rows in calls.groupby("rank"):
        assert (rows["began_ps"].to_numpy()[1:] >= rows["ended_ps"].to_numpy()[:-1]).all()


def test_waits_are_told_by_who_was_late(late_events: Events) -> None:
    analysis = Analysis(late_events)
    table = analysis.wait_table()

    def waited_us(state: str, rank: int, operation: str = "") -> float:
        mine = table[(table["rank"] == rank) & (table["operation"].isin([operation]) | (operation == ""))]
        return float(mine[state].sum()) / 1e6

    assert waited_us("late sender", 1, "MPI_Recv") == pytest.approx(100, abs=12)
    assert waited_us("late receiver", 1, "MPI_Send") == pytest.approx(200, abs=12)
    last = analysis.waits[(analysis.waits["rank"] == 1) & (analysis.waits["cause"] == 0)].iloc[-2:]
    assert last["wait at a collective"].max() / 1e6 == pytest.approx(300, abs=15)
    # Ranks 2 and 3 wait for all of it.
    assert waited_us("wait at a collective", 2, "MPI_Barrier") > 600
    assert waited_us("late sender", 0) + waited_us("late receiver", 0) == pytest.approx(0, abs=12)


def test_the_time_of_a_rank_adds_up_to_its_end(late_events: Events) -> None:
    table = Analysis(late_events).time_per_rank()
    assert (table >= 0).all().all()
    assert list(table.sum(axis=1)) == list(late_events.rank_elapsed_ps)


def test_the_critical_path_is_a_chain_from_start_to_end(late_events: Events) -> None:
    analysis = Analysis(late_events)
    parts = analysis.path
    assert parts[0].began_ps == 0
    assert parts[-1].ended_ps == late_events.elapsed_ps
    for before, after in itertools.pairwise(parts):
        assert before.ended_ps == after.began_ps
        assert before.rank == after.origin
    # Rank 0 pauses 100 us before its send, 200 us before its receive and 300 us before the barrier.
    computed = sum(part.ended_ps - part.began_ps for part in parts if part.kind == "compute" and part.rank == 0)
    assert computed / 1e6 == pytest.approx(600, abs=12)
    assert "Give rank 0 less to compute" in [item.title for item in advice(analysis)]
    assert len(advice(analysis)) == 3


def test_links_on_the_critical_path_are_those_of_its_messages(late_events: Events) -> None:
    analysis = Analysis(late_events)
    messages = late_events.messages
    links = analysis.path_links.set_index("name")
    # One message goes from router 0 to its neighbour 1, then a large one back.
    assert set(links.index) == {"(0,0,0) +x", "(1,0,0) -x"}
    for name, receiver in (("(0,0,0) +x", 1), ("(1,0,0) -x", 0)):
        parts = [part for part in analysis.path if part.message >= 0 and part.rank == receiver]
        assert [messages["receiver"][part.message] for part in parts] == [receiver]
        assert links["picoseconds"][name] == sum(part.ended_ps - part.began_ps for part in parts)
    large = messages[messages["bytes"] == 20000].iloc[0]
    window = late_events.links
    carried = window[(window["router"] == 1) & (window["began_ps"].between(large["matched_ps"], large["received_ps"]))]
    cycles = (large["received_ps"] - large["matched_ps"]) / late_events.window_ps * late_events.window_cycles
    assert links["load"]["(1,0,0) -x"] == pytest.approx(carried["flits"].sum() / cycles, rel=0.1)


def test_a_rank_that_serves_all_others_is_to_be_relieved(tmp_path: Path) -> None:
    binary = package.compile_program(ROOT / "tests" / "programs" / "master_worker.c", tmp_path / "master_worker")
    first = advice(Analysis(events_of(binary, tmp_path, ranks=8)))[0]
    assert first.title == "Relieve rank 0: the others wait for it"
    assert "busy with MPI_Recv and MPI_Send" in first.text


def test_links_of_both_fidelities_and_of_threads_carry_the_same(late: tuple[Path, Path]) -> None:
    cycle = events_of(*late, ranks=16)
    threads = events_of(*late, ranks=16, threads=2)
    assert np.array_equal(cycle.link_flits.sum(axis=0), threads.link_flits.sum(axis=0))
    assert cycle.messages.equals(threads.messages)


@pytest.mark.parametrize(("kind", "read"), [("parquet", pd.read_parquet), ("arrow", pd.read_feather)])
def test_tables_are_read_back_as_they_were(
    late: tuple[Path, Path], tmp_path: Path, tidings: Tidings, kind: str, read: Callable[[Path], pd.DataFrame]
) -> None:
    events, folder = events_of(late[0], tmp_path), tmp_path / "tables"
    made = tidings("report", tmp_path / "run.events", "--tables", folder, "--format", kind)
    assert made.returncode == 0, made.stderr
    assert {file.name for file in folder.iterdir()} == {f"{name}.{kind}" for name in TABLES}
    for name in TABLES:
        pd.testing.assert_frame_equal(read(folder / f"{name}.{kind}"), getattr(events, name))


def test_what_writes_parquet_is_asked_for_by_name(
    late_events: Events, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(UserError, match=r"pip install 'tidings\[arrow\]'"):
        late_events.write_tables(tmp_path / "tables", "parquet")
    late_events.write_tables(tmp_path / "tables")
    assert pd.read_csv(tmp_path / "tables" / "calls.csv")["ended_ps"].max() > 0


def test_a_run_that_failed_keeps_its_events(tmp_path: Path, tidings: Tidings) -> None:
    source = tmp_path / "crash.c"
    source.write_text(
        "#include <mpi.h>\n#include <stdlib.h>\nint main(int c, char** v) { MPI_Init(&c, &v);"
        "MPI_Barrier(MPI_COMM_WORLD); abort(); }\n"
    )
    assert tidings("cc", "crash.c", "-o", "crash").returncode == 0
    ended = tidings("run", "-n", "2", "-m", "spirit", "--events", "run.events", "--report", "run.html", "./crash")
    assert ended.returncode == 134
    assert (load(tmp_path / "run.events").calls["operation"] == "MPI_Barrier").sum() >= 1
    assert "was killed by SIGABRT" in (tmp_path / "run.html").read_text()


def test_a_file_that_holds_no_events_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("a file of some other kind, long enough")
    with pytest.raises(EventFileError, match="is not a file of events"):
        load(tmp_path / "other")
    (tmp_path / "empty").write_text("")
    with pytest.raises(EventFileError, match="did not come to its end"):
        load(tmp_path / "empty")
    with pytest.raises(EventFileError, match="cannot be read"):
        load(tmp_path / "missing")


def test_a_file_that_does_not_say_where_ranks_sit_has_them_in_order(late: tuple[Path, Path], tmp_path: Path) -> None:
    events_of(late[0], tmp_path, map="reverse")
    file = tmp_path / "run.events"
    data = file.read_bytes()
    said = b', "places": [63, 62, 61, 60]'
    assert said in data
    file.write_bytes(data.replace(said, b" " * len(said)))
    assert load(file).run["machine"]["network"]["places"] == [0, 1, 2, 3]


def test_a_page_has_the_figures_of_its_runs_and_needs_nothing_else(late: tuple[Path, Path], tidings: Tidings) -> None:
    program, folder = late
    page, record = folder / "late.html", folder / "late.json"
    ended = tidings("run", "-n", "4", "-m", "spirit", "--report", page, "--json", record, program)
    assert ended.returncode == 0, ended.stderr
    text, result = page.read_text(), json.loads(record.read_text())
    figures = dict(re.findall(r'data-figure="(\w+)" data-value="([^"]+)"', text))
    assert int(figures["elapsed_ps"]) == result["elapsed_ps"]
    assert int(figures["flit_hops"]) == result["flit_hops"]
    assert float(figures["communication_share"]) == result["communication_share"]
    outside = re.sub(r"<script[^>]*>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r'(src|href)="?(https?:)?//', outside)
    assert f"tidings run -n 4 -m spirit {program}" in text


def test_a_page_of_two_runs_puts_them_side_by_side(late: tuple[Path, Path], tidings: Tidings) -> None:
    program, folder = late
    for name in ("hardware", "software"):
        events = folder / f"{name}.events"
        command = ("run", "-n", "4", "-m", "spirit", "--collectives", name, "--events", events, program)
        assert tidings(*command).returncode == 0
    page = folder / "both.html"
    both = [folder / "hardware.events", folder / "software.events"]
    assert tidings("report", *both, "--out", page).returncode == 0
    rows = re.findall(r"<td class=text>(hardware|software)</td>", page.read_text())
    assert rows == ["hardware", "software"]
