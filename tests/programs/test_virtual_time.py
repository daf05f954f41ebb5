# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Clocks and sleeping are virtual in programs that were not built for us and do not even use MPI.

The times are so long that a run on real clocks would not end within the patience of the harness.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.programs import harness

_PICOSECONDS = 10**12


def test_sleep_of_the_system_takes_virtual_time(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    outcome = harness.run_tidings(["/bin/sleep", "5000"], 2, "spirit", ["--json", str(file)])
    assert outcome.status == 0, outcome.stderr
    elapsed = json.loads(file.read_text())["elapsed_ps"]
    assert 5000 * _PICOSECONDS <= elapsed < 5001 * _PICOSECONDS


def test_clocks_of_the_system_show_what_was_slept() -> None:
    binary = harness.build(harness.HERE / "plain" / "virtual_clocks.c")
    outcome = harness.run_tidings([binary], 1, "mesh8x8")
    assert outcome.status == 0, outcome.stderr
    slept = 1000_000 + 250 + 2 * 2750
    assert outcome.stdout == f"monotonic {slept} ms, real {slept} ms, day {slept} ms\n"


def test_processor_time_is_virtual() -> None:
    binary = harness.build(harness.HERE / "plain" / "processor_time.c")
    outcome = harness.run_tidings([binary], 1, "mesh8x8")
    assert outcome.status == 0, outcome.stderr
    times = "times 1000000 ms, of it user 1000000 ms, getrusage 1000000 ms, clock 1000000 ms"
    assert outcome.stdout == times + "\n"


def test_what_threads_sleep_passes_for_the_one_that_joins_them() -> None:
    binary = harness.build(harness.HERE / "plain" / "thread_sleeps.cpp")
    outcome = harness.run_tidings([binary], 1, "mesh8x8")
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.splitlines() == [
        "one thread: 100 ms",
        "two threads at once: 80 ms",
        "the main thread meanwhile: 1000 ms",
        "a thread of a thread: 30 ms",
        "one that exits: 30 ms",
        "one that nobody joins: 0 ms",
    ]


_THREAD = """
#include <mpi.h>
#include <cstdio>
#include <thread>
int main() {
  int provided;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  std::thread([] {
    const double before = MPI_Wtime();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double after = MPI_Wtime();
    std::printf("%d ms\\n", static_cast<int>((after - before) * 1000));
  }).join();
  MPI_Finalize();
}
"""


def test_clock_of_mpi_is_never_before_the_end_of_what_a_thread_has_slept(tmp_path: Path) -> None:
    source = tmp_path / "thread_clock.cpp"
    source.write_text(_THREAD)
    outcome = harness.run_tidings([harness.build(source)], 1, "mesh8x8")
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == "50 ms\n"


def test_alarms_come_in_virtual_time() -> None:
    binary = harness.build(harness.HERE / "plain" / "alarms.c")
    outcome = harness.run_tidings([binary], 1, "mesh8x8")
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.splitlines() == [
        "pause -1 EINTR, 1 alarm after 5000000 ms",
        "sleep has 2000 s left, 2 alarms, 1000000 ms",
        "4 interruptions, 6 alarms, 9500 ms",
        "5000 s were left, 6 alarms, 2000000 ms",
        "ignored: sleep has 0 s left, 2000000 ms",
        "7 alarms, 20 ms",
    ]


def test_timers_come_in_virtual_time() -> None:
    binary = harness.build(harness.HERE / "plain" / "timers.c")
    outcome = harness.run_tidings([binary], 1, "mesh8x8")
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.splitlines() == [
        "pause -1 EINTR, told 7 after 5000000 ms",
        "11 signals in 10001000 ms, next in 1000 s of 1000",
        "1 signal and 2 more, 3500000 ms",
        "deleted 0, again -1; 1 signal, 5000000 ms",
        "60 s left, told 9 at once, 40000 ms",
    ]
