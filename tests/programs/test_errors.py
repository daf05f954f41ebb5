# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""A mistaken program ends with a message that names rank, operation and cause, and with a status that is not 0."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.programs import harness

from tidings.layout import library_folder

_ERRORS = harness.HERE / "errors"
_SIGNALLED = 128


def _run(
    mistake: str, ranks: int = 3, machine: str = "crossbar", collectives: str = "hardware", source: str = "erroneous"
) -> harness.Outcome:
    binary = harness.build(_ERRORS / f"{source}.c")
    return harness.run_tidings([binary, mistake], ranks, machine, ["--collectives", collectives])


def _assert_says(outcome: harness.Outcome, patterns: Sequence[str]) -> None:
    """Check that the message has all patterns, in whatever order."""
    assert outcome.status != 0
    for pattern in patterns:
        assert re.search(pattern, outcome.stderr, re.IGNORECASE), f"no {pattern!r} in:\n{outcome.stderr}"


@pytest.mark.parametrize("machine", harness.MACHINES)
@pytest.mark.parametrize(
    ("mistake", "ranks", "words"),
    [
        ("receive_cycle", 3, ["deadlock", r"rank 0.*MPI_Recv", "source 1", "tag 7", "rank 2.*waits for rank 0"]),
        ("missing_in_barrier", 3, ["deadlock", r"ranks 0 and 1: in MPI_Barrier", r"rank 2: in MPI_Recv", "tag 3"]),
        ("sender_finished", 2, ["deadlock", r"rank 0: in MPI_Recv", "rank 1.*MPI_Finalize|rank 1.*finished"]),
        ("wrong_tag", 2, ["deadlock", "MPI_Waitall", "rank 1", "tag 2"]),
        ("send_cycle", 2, ["deadlock", r"MPI_Send\(destination 1", r"MPI_Send\(destination 0"]),
    ],
)
def test_deadlock_says_who_waits_for_whom(mistake: str, ranks: int, words: list[str], machine: str) -> None:
    _assert_says(_run(mistake, ranks, machine), words)


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("forever", ["livelock", "rank 0: in MPI_Test", "ranks 1 and 2: in MPI_Barrier, waiting"]),
        ("probe", ["livelock", "rank 0: in MPI_Test", r"rank 1: in MPI_Iprobe\(source 0, tag 6\)"]),
        ("sleep", ["livelock", "rank 0: in MPI_Test", "look at a clock"]),
        ("idle_thread", ["livelock", "rank 0: in MPI_Test", "ranks 1 and 2: in MPI_Barrier, waiting"]),
        ("asking_thread", ["livelock", "rank 0: in MPI_Test", "ranks 1 and 2: in MPI_Barrier, waiting"]),
    ],
)
def test_ranks_that_ask_for_ever_are_told_from_those_that_wait(why: str, words: list[str]) -> None:
    _assert_says(_run(why, source="livelock"), words)


@pytest.mark.parametrize(
    ("why", "words"),
    [
        (
            "deadlock",
            [
                "deadlock: every rank waits",
                r"rank 0: in MPI_Recv\(source 1, tag (?P<one>[24])\), waiting for: .*; another thread in "
                r"MPI_Recv\(source 1, tag (?!(?P=one))[24]\), waiting for: ",
                r"rank 1: in MPI_Recv\(source 0, tag 3\)",
                "rank 0 waits for rank 1, which waits for rank 0",
            ],
        ),
        (
            "livelock",
            ["livelock", r"rank 0: in MPI_Test.*; another thread in MPI_Recv\(source 1, tag 4\), waiting for: "],
        ),
    ],
)
def test_threads_of_a_rank_that_cannot_go_on_are_all_named(why: str, words: list[str]) -> None:
    _assert_says(_run(why, 2, source="threads"), words)


@pytest.mark.parametrize("why", ["sleep", "compute"])
def test_a_rank_waits_for_as_long_as_one_of_its_threads_may_still_come(why: str) -> None:
    outcome = _run(why, 2, source="threads")
    assert (outcome.status, outcome.stdout) == (0, "rank 0 has 7\n"), outcome.stderr


def test_a_process_that_a_rank_has_started_may_ask_for_ever() -> None:
    binary = harness.build(_ERRORS / "livelock.c")
    outcome = harness.run_tidings(["sh", "-c", f"{binary} forever; exit 3"], 3)
    _assert_says(outcome, ["livelock", "rank 0: in MPI_Test", "ranks 1 and 2: in MPI_Barrier, waiting"])


@pytest.mark.parametrize("why", ["clock", "alarm", "late", "thread", "child"])
def test_a_rank_may_ask_for_long_if_something_can_come_of_it(why: str) -> None:
    outcome = _run(why, source="livelock")
    assert (outcome.status, outcome.stdout) == (0, "rank 0 goes on\n"), outcome.stderr


def test_deadlock_in_a_communicator_names_its_ranks_and_those_of_the_world() -> None:
    call = r"MPI_Recv\(source 1, tag 7, communicator 2 \(from MPI_Comm_split\)\)"
    waiting = rf"{call}, waiting for: receive from rank 1 \(rank {{}} of MPI_COMM_WORLD\), tag 7"
    words = [
        f"rank 0: in {waiting.format(2)}",
        f"rank 1: in {waiting.format(3)}",
        "rank 0 waits for rank 2, which waits",
    ]
    _assert_says(_run("split_receive_cycle", 4), words)


def test_collectives_of_ranks_without_a_common_communicator_are_no_mismatch() -> None:
    outcome = _run("disjoint_collectives", 4)
    _assert_says(outcome, ["rank 0: in MPI_Barrier", r"rank 1: in MPI_Bcast\(root 1", "rank 2 waits for rank 3"])
    assert "mismatch" not in outcome.stderr


@pytest.mark.parametrize("collectives", harness.COLLECTIVES)
@pytest.mark.parametrize("machine", harness.MACHINES)
@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("root_mismatch", [r"rank \d", r"MPI_Bcast\(root \d", "match"]),
        ("count_mismatch", [r"rank \d", "MPI_Allreduce", "4 x MPI_INT,", "3 x MPI_INT,", "match"]),
        ("bcast_count_mismatch", [r"rank \d", "MPI_Bcast", r"(count 4|4 \w+)", r"(count 8|8 \w+)", "match"]),
        ("kind_mismatch", [r"rank \d", "MPI_Bcast", "MPI_Barrier", "match"]),
        ("operation_mismatch", [r"rank \d", "MPI_Allreduce", "MPI_SUM", "MPI_MAX", "match"]),
    ],
)
def test_collective_mismatch_says_what_each_side_called(
    mistake: str, words: list[str], machine: str, collectives: str
) -> None:
    _assert_says(_run(mistake, 3, machine, collectives), words)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (
            "waits_for_the_other_side",
            ["deadlock", r"ranks 1 and 2: in MPI_Recv\(source 0.*MPI_Intercomm_create", "rank 0 waits"],
        ),
        ("different_collectives", [r"MPI_Barrier|MPI_Allgather", "MPI_Intercomm_create", "match"]),
        ("different_lengths", ["MPI_Alltoall", "of the remote group sent 4 bytes where 8 are expected"]),
        (
            "different_totals",
            [r"MPI_Reduce_scatter_block\(3 x MPI_INT, to each of 1 ranks", "3 x MPI_INT, to each of 2 ranks", "match"],
        ),
        ("no_remote_side", ["MPI_Comm_remote_size", "not an intercommunicator"]),
        ("leader_of_its_own", ["MPI_Intercomm_create", "remote leader, rank 1, is in the local group"]),
        ("no_such_root", ["MPI_Bcast", "root 5 is not in", "1 ranks"]),
        ("neighbours_that_differ", ["MPI_Neighbor_allgather", "rank 0 sent 8 bytes where 4 are expected"]),
        (
            "neighbour_that_stays_away",
            ["deadlock", r"MPI_Neighbor_alltoall.*communicator \d+ \(from MPI_Cart_create", "rank 2"],
        ),
    ],
)
def test_mistake_between_groups_and_among_neighbours_is_explained(mistake: str, words: list[str]) -> None:
    _assert_says(_run(mistake, source="groups"), words)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("never_ready", ["deadlock", "rank 0: in MPI_Wait", "MPI_Pready of 1 of 4 partitions of a send to rank 1"]),
        ("ready_twice", ["rank 0", "MPI_Pready", "partition 1 is ready already"]),
        ("no_such_partition", ["rank 0", "MPI_Pready", "no partition 4: there are 4"]),
        ("other_length", ["rank 1", "4 partitions of 32 bytes, 128 altogether, where 80 are expected"]),
        ("not_partitioned", ["MPI_Pready", "not a partitioned message"]),
    ],
)
def test_mistake_with_partitioned_messages_is_explained(mistake: str, words: list[str]) -> None:
    _assert_says(_run(mistake, source="partitioned"), words)


def test_partitioned_message_to_nobody_completes() -> None:
    assert _run("nobody", source="partitioned").status == 0


@pytest.mark.parametrize("mistake", ["truncated_short", "truncated_long"])
def test_truncated_message_says_both_lengths(mistake: str) -> None:
    sent = {"truncated_short": "16", "truncated_long": "80,?000"}[mistake]
    _assert_says(_run(mistake), ["rank 0", "MPI_Recv", "truncat", "rank 1", rf"\b{sent}\b", r"\b8\b"])


def test_invalid_rank_is_named() -> None:
    _assert_says(_run("invalid_rank"), ["rank 1", "MPI_Send", r"\b6\b", "rank"])


@pytest.mark.parametrize("collectives", harness.COLLECTIVES)
@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("unregistered", ["no region is registered"]),
        ("outside", ["outside the registered region"]),
        ("read_only", ["rights"]),
    ],
)
def test_write_outside_a_registered_window_is_refused(
    mistake: str, words: list[str], collectives: str, tmp_path: Path
) -> None:
    library = library_folder()
    generator = [sys.executable, str(harness.ROOT / "rtl" / "generate.py"), str(tmp_path / "generated")]
    subprocess.run(generator, check=True)
    flags = [f"-I{harness.ROOT / 'drivers'}", f"-I{tmp_path}", f"-L{library}", "-l:libtidings_rank.so"]
    binary = harness.build(_ERRORS / "stray_put.c", flags)
    outcome = harness.run_tidings([binary, mistake], 2, "spirit", ["--collectives", collectives])
    _assert_says(outcome, ["rank 0", "MPI_Recv", "refused by rank 1", *words, "leave the engine's registers alone"])


def test_rank_that_overwrites_what_it_shares_with_the_simulator_is_named() -> None:
    outcome = _run("scribble")
    words = [
        "rank 1 has overwritten",
        r"byte 0 \(settings of the run\) holds a5 a5",
        "-fsanitize=address",
        "--debug-rank 1",
    ]
    _assert_says(outcome, words)
    assert outcome.status == 1
    assert "rank 0 has begun" in outcome.stdout
    assert r"\xa5" not in outcome.stderr


@pytest.mark.parametrize(
    ("mistake", "status", "words"),
    [
        ("crash", _SIGNALLED + signal.SIGSEGV, ["rank 1", "SIGSEGV", "outside any MPI call"]),
        ("crash_in_call", _SIGNALLED + signal.SIGSEGV, ["rank 1", "SIGSEGV", "MPI_Send"]),
        ("killed", _SIGNALLED + signal.SIGKILL, ["rank 1", "SIGKILL"]),
        ("no_finalize", 1, ["rank 1", "without .*MPI_Finalize|before MPI_Finalize"]),
        ("exit_status", 7, ["rank 1", r"status 7"]),
        ("status_after_finalize", 9, ["rank 1", r"status 9"]),
        ("abort_with_code", 42, ["rank 1", "MPI_Abort", r"\b42\b"]),
    ],
)
def test_rank_that_ends_early_ends_the_run(mistake: str, status: int, words: list[str]) -> None:
    outcome = _run(mistake)
    _assert_says(outcome, words)
    assert outcome.status == status


def test_crash_before_init_is_reported() -> None:
    outcome = _run("now", source="crash_before_init")
    _assert_says(outcome, [r"rank \d", "SIGFPE", "outside any MPI call"])


def test_function_that_is_not_implemented_is_named() -> None:
    _assert_says(_run("not_implemented"), [r"rank \d", "MPI_Unpublish_name", "left out of Tidings", "processes"])


@pytest.mark.parametrize(
    "call",
    [
        *["MPI_Allreduce", "MPI_Reduce", "MPI_Scan", "MPI_Allgather", "MPI_Gather", "MPI_Scatter", "MPI_Alltoall"],
        *["MPI_Reduce_scatter_block", "MPI_Iallreduce"],
    ],
)
def test_one_buffer_to_send_and_to_receive_is_refused(call: str) -> None:
    words = [rf"rank \d: {call}: send and receive buffer are the same memory. Give MPI_IN_PLACE"]
    _assert_says(_run(call, source="shared_buffers"), words)


def test_parts_of_one_array_are_no_shared_buffers() -> None:
    outcome = _run("none", source="shared_buffers")
    assert (outcome.status, outcome.stdout) == (0, "200 300\n"), outcome.stderr


@pytest.mark.parametrize("call", ["MPI_Wait", "MPI_Test", "MPI_Waitall", "MPI_Start", "MPI_Startall"])
def test_null_pointer_to_a_request_is_named(call: str) -> None:
    _assert_says(_run(call, source="null_request"), [rf"rank \d: {call}: the pointer to the requests? is null"])


def test_call_after_finalize_is_named() -> None:
    _assert_says(_run("after_finalize"), [r"rank \d", "MPI_Barrier", "MPI_Finalize"])


def test_missing_program_is_named() -> None:
    outcome = harness.run_tidings(["./no-such-program"], 2)
    _assert_says(outcome, ["no-such-program", "does not exist"])


def test_too_many_ranks_says_how_many_fit() -> None:
    binary = harness.build(harness.source_of("hello"))
    outcome = harness.run_tidings([binary], 17, "crossbar")
    _assert_says(outcome, ["17 ranks", "crossbar", "16"])


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_leaves_no_process(stop: signal.Signals) -> None:
    binary = harness.build(_ERRORS / "erroneous.c")
    command = harness.tidings_command([binary, "endless"], 4)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        assert len(_children(process.pid)) >= 4
        ranks = _children(process.pid)
        process.send_signal(stop)
        process.communicate(timeout=60)
    assert process.returncode == _SIGNALLED + stop
    assert [rank for rank in ranks if _is_running(rank, binary)] == []


def _children(parent: int) -> list[int]:
    """Find the processes that a process started, theirs included."""
    children: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended since
            continue
        if int(fields[1]) == parent:
            children += [int(entry.name), *_children(int(entry.name))]
    return children


def _is_running(process: int, binary: Path) -> bool:
    """Whether a process lives and still runs this program."""
    try:
        return Path(f"/proc/{process}/exe").readlink() == binary
    except OSError:
        return False


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("missing", ["MPI_File_open", "rank 0, .*tidings-file-.*No such file"]),
        ("other_mode", ["MPI_File_open", r"rank \d opens the file with mode \d+ and this rank with"]),
        ("other_call", [r"MPI_File_sync", r"MPI_File_set_size", "do not match"]),
        ("other_size", ["the size is 8 at rank 0 and 16 at rank 1 of the file"]),
        ("split_left", ["MPI_File_close", "MPI_File_write_at_all_end has not been called"]),
        ("wrong_end", ["the access that has begun ends with MPI_File_write_at_all_end"]),
        ("half_an_element", ["4 bytes are no whole number of elements of the view, which have 8"]),
        (
            "representation",
            ['no data representation "extrenal32": there are native, internal and external32. Give one of them'],
        ),
        ("no_extent", ["the extent of the filetype is 0"]),
        ("closed", ["MPI_File_sync: invalid file"]),
    ],
)
def test_mistake_with_a_file_says_what_is_wrong(mistake: str, words: list[str]) -> None:
    _assert_says(_run(mistake, source="files"), words)


_TRUNCATES = """
#include <mpi.h>
static int rank, data[4];
static void exchange(void) {
  if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(data, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  exchange();
  return MPI_Finalize();
}
"""


@pytest.mark.parametrize("compiler", ["tidings cc", "mpicc"])
@pytest.mark.parametrize("check", ["off", "warn"])
def test_call_that_ends_a_run_is_shown_with_its_line(compiler: str, check: str, tmp_path: Path) -> None:
    source = tmp_path / "truncates.c"
    source.write_text(_TRUNCATES)
    report = tmp_path / "run.json"
    binary = harness.build(source, ["-g"], compiler.split())
    outcome = harness.run_tidings([binary], 2, options=["--check", check, "--json", str(report)])
    _assert_says(outcome, ["rank 1: MPI_Recv", "truncated", "\n  called at truncates.c:6\n"])
    assert json.loads(report.read_text())["error"].endswith("\n  called at truncates.c:6")
    unknown = harness.run_tidings([harness.build(source, [], compiler.split())], 2)
    assert "truncated" in unknown.stderr
    assert "called at" not in unknown.stderr


_STAYS = """
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
static int rank, value, part;
static void receive(int from) {
  MPI_Recv(&value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void ask(int from) {
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &request);
  for (int flag = 0; flag == 0;)
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}
static void differ(void) {
  if (rank == 0)
    MPI_Scatter(&value, 1, MPI_INT, &part, 1, MPI_INT, 1, MPI_COMM_WORLD);
  else
    MPI_Scatter(&value, 1, MPI_INT, &part, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(argv[1], "differ") == 0) differ();
  if (rank == 0 && strcmp(argv[1], "ask") == 0) ask(1);
  receive(1 - rank);
  return MPI_Finalize();
}
"""


@pytest.mark.parametrize("compiler", ["tidings cc", "mpicc"])
@pytest.mark.parametrize("check", ["off", "warn"])
@pytest.mark.parametrize(
    ("why", "words"),
    [
        (
            "wait",
            [r"deadlock", r"rank 0: in MPI_Recv\(source 1, tag 0\) at stays.c:7, waiting for: receive from rank 1"],
        ),
        ("ask", [r"livelock", r"rank 0: in MPI_Test at stays.c:13\n", r"rank 1: in MPI_Recv\(.*\) at stays.c:7, wait"]),
        (
            "differ",
            [
                r"rank 0: in MPI_Scatter\(root 1.*\) at stays.c:17, waiting",
                r"rank 1: in MPI_Scatter\(root 0.*\) at stays.c:19, waiting",
                r"mismatch: rank 0 is in MPI_Scatter\(.*\) at stays.c:17, rank 1 is in MPI_Scatter\(.*\) at stays.c:19",
            ],
        ),
    ],
)
def test_calls_of_ranks_that_cannot_go_on_are_shown_with_their_lines(
    why: str, words: list[str], check: str, compiler: str, tmp_path: Path
) -> None:
    source = tmp_path / "stays.c"
    source.write_text(_STAYS)
    binary = harness.build(source, ["-g"], compiler.split())
    _assert_says(harness.run_tidings([binary, why], 2, options=["--check", check]), words)
    unknown = harness.run_tidings([harness.build(source, [], compiler.split()), why], 2)
    assert "in MPI_Recv(" in unknown.stderr or "in MPI_Scatter(" in unknown.stderr
    assert "stays.c" not in unknown.stderr


def test_threads_of_a_rank_that_cannot_go_on_are_shown_with_their_lines() -> None:
    source = _ERRORS / "threads.c"
    lines = source.read_text().splitlines()
    outcome = harness.run_tidings([harness.build(source, ["-g"]), "deadlock"], 2)
    places = dict(re.findall(r"MPI_Recv\(source 1, tag ([24])\) at threads.c:(\d+), waiting", outcome.stderr))
    assert set(places) == {"2", "4"}, outcome.stderr
    for tag, line in places.items():
        assert f"MPI_INT, 1, {tag}," in lines[int(line) - 1]


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("err_buffer", "the buffer is a null pointer. Give memory that holds as many elements"),
        ("err_buffer_in_place", "are the same memory. Give MPI_IN_PLACE for one of them."),
        ("err_buffer_none", "no buffer is attached. Call MPI_Buffer_attach before a buffered send."),
        ("err_count", "the count is -1. Give a count that is not negative."),
        ("err_type", "the datatype is MPI_DATATYPE_NULL. Give a datatype that has been made"),
        ("err_type_uncommitted", "has not been committed. Call MPI_Type_commit before it is used."),
        ("err_tag", "the tag is -5. Give a tag from 0 to the value of MPI_TAG_UB;"),
        ("err_comm", "the communicator is MPI_COMM_NULL. Give a communicator that has been made"),
        ("err_comm_predefined", "cannot be freed. Free what the program itself has made."),
        ("err_rank", "rank 99 is not in MPI_COMM_WORLD, which has 2 ranks. Give a rank of the communicator"),
        ("err_request", "the request is MPI_REQUEST_NULL. Give a request that has been made"),
        ("err_request_started", "the request is not persistent. Start requests that functions with _init"),
        ("err_root", "root 99 is not in MPI_COMM_WORLD, which has 2 ranks. Give the same rank of the communicator"),
        ("err_group", "the group is MPI_GROUP_NULL. Give a group that has been made and not freed."),
        ("err_op", "MPI_BAND is not defined on MPI_FLOAT. Give an operation that the standard defines"),
        ("err_topology", "has no Cartesian topology. Give a communicator of MPI_Cart_create"),
        ("err_dims", "do not divide by the dimensions that are set. Give sizes whose product"),
        ("err_arg", "the color is -77. Give a color that is not negative, or MPI_UNDEFINED."),
        ("err_truncate", "16 bytes sent, buffer holds 4. Receive with a buffer as large as the message"),
        ("err_truncate_in_waitall", "16 bytes sent, buffer holds 4. Receive with a buffer as large as the message"),
        ("err_other", "MPI has been initialized before. Call MPI_Init once"),
        ("err_amode", "cannot be for reading only. Give MPI_File_open one mode of access"),
        ("err_no_such_file", ". Look at its name, or open it with MPI_MODE_CREATE."),
        ("err_assert", "the assertion is 1073741824. Give a sum of constants that this call knows"),
        ("err_disp", "the displacement unit is 0. Give a displacement that is not negative"),
        ("err_info", "the info is MPI_INFO_NULL. Give an info object that has been made"),
        ("err_info_key", "and must have 1 to 255. Give a key of fewer than MPI_MAX_INFO_KEY characters."),
        ("err_keyval", "the keyval is MPI_KEYVAL_INVALID. Give a keyval that has been created"),
        ("err_locktype", "the type of the lock is 12345. Give MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE."),
        ("err_rma_range", ", which has 4. Access no more than the target has given to the window."),
        (
            "err_rma_sync",
            "nothing allows an access to rank 0. Call MPI_Win_fence, MPI_Win_start or MPI_Win_lock before.",
        ),
        ("err_size", "the size is -1. Give a size that is not negative."),
        ("err_win", "the window is MPI_WIN_NULL. Give a window that has been made and not freed."),
        ("err_rma_flavor", "is not a dynamic one. Make it with MPI_Win_create_dynamic."),
        ("err_session", "the session is MPI_SESSION_NULL. Give a session that has been initialized"),
        ("err_errhandler", "is MPI_ERRHANDLER_NULL. Give an error handler that has been created"),
        ("err_value_too_large", "bytes are too many. Call the function whose name ends in _c"),
        ("after_finalize", "MPI has been finalized. Make the call before MPI_Finalize."),
    ],
)
def test_error_says_what_to_do(mistake: str, words: str) -> None:
    _assert_says(_run(mistake, 2, source="remedies"), [re.escape(words)])


def _errors(text: str) -> list[tuple[str, str, bool]]:
    """Return class and text of each error that a source of the library throws, and whether it says what to do."""
    found = []
    for match in re.finditer(r"\bError\((MPI_ERR_\w+),", text):
        depth = commas = 0
        for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[(){},]', text[match.start() :]):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token[0], 0)
            commas += token[0] == "," and depth == 1
            if depth == 0:
                break
        found.append((match[1], text[match.start() : match.start() + token.end()], commas >= 2))
    return found


def test_every_error_of_the_library_says_what_to_do() -> None:
    library = harness.HERE.parents[1] / "lib"
    table = (library / "core" / "error.cpp").read_text().partition("kClassRemedies[] = {")[2].partition("};")[0]
    classes = set(re.findall(r"\{(MPI_ERR_\w+), \"", table))
    thrown = [
        error for pattern in ("*.cpp", "*.h") for file in library.rglob(pattern) for error in _errors(file.read_text())
    ]
    assert len(thrown) > 200
    assert [text for error_class, text, says in thrown if not says and error_class not in classes] == []


_EPOCHS = """
#include <mpi.h>
static MPI_Win window;
static int datum;
int main(int argc, char** argv) {{
  MPI_Group group;
  int* base;
  MPI_Init(&argc, &argv);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  {opens};
  MPI_Group_size(group, &datum);
  {conflicts};
  return MPI_Finalize();
}}
"""
_OPENS, _CONFLICTS = (1 + _EPOCHS[: _EPOCHS.index(call)].count("\n") for call in ("{opens}", "{conflicts}"))


@pytest.mark.parametrize(
    ("opens", "conflicts", "says"),
    [
        ("MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window)", "MPI_Win_fence(0, window)", "Call MPI_Win_unlock before."),
        ("MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window)", "MPI_Win_lock_all(0, window)", "Call MPI_Win_unlock before."),
        (
            "MPI_Win_lock_all(0, window)",
            "MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window)",
            "Call MPI_Win_unlock_all before.",
        ),
        (
            "MPI_Win_post(group, 0, window), MPI_Win_start(group, 0, window)",
            "MPI_Win_fence(0, window)",
            "Call MPI_Win_complete before.",
        ),
        (
            "MPI_Win_post(group, 0, window), MPI_Win_start(group, 0, window)",
            "MPI_Win_start(group, 0, window)",
            "Call MPI_Win_complete before.",
        ),
        ("MPI_Win_post(group, 0, window)", "MPI_Win_post(group, 0, window)", "Call MPI_Win_wait before."),
        ("MPI_Win_post(group, 0, window)", "MPI_Win_free(&window)", "Call MPI_Win_wait before."),
        (
            "MPI_Win_fence(MPI_MODE_NOSUCCEED, window)",
            "MPI_Put(&datum, 1, MPI_INT, 0, 0, 1, MPI_INT, window)",
            "nothing allows an access to rank 0",
        ),
        ("MPI_Win_lock_all(0, window), MPI_Win_unlock_all(window)", "MPI_Win_flush(0, window)", "no lock is held"),
        ("MPI_Win_fence(0, window)", "MPI_Win_complete(window)", "no epoch of MPI_Win_start is open"),
    ],
)
def test_misuse_of_epochs_is_shown_with_both_calls(opens: str, conflicts: str, says: str, tmp_path: Path) -> None:
    source = tmp_path / "epochs.c"
    source.write_text(_EPOCHS.format(opens=opens, conflicts=conflicts))
    outcome = harness.run_tidings([harness.build(source, ["-g"])], 1)
    opener = re.findall(r"MPI_Win_\w+", opens)[-1]
    _assert_says(
        outcome, [re.escape(says), rf"\n  called at epochs\.c:{_CONFLICTS}\n  after {opener} at epochs\.c:{_OPENS}\n"]
    )
    unknown = harness.run_tidings([harness.build(source, [])], 1)
    assert says in unknown.stderr
    assert "  after" not in unknown.stderr
