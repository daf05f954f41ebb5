# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""With --check, mistakes that MPI lets pass are told with ranks, calls and places; right programs hear nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.programs import harness

_SOURCE = harness.HERE / "errors" / "misuse.c"
_RANKS = 3


def _run(mistake: str, *options: str, machine: str = "crossbar", flags: tuple[str, ...] = ("-g",)) -> harness.Outcome:
    binary = harness.build(_SOURCE, flags)
    return harness.run_tidings([binary, mistake], _RANKS, machine, options or ("--check", "warn"))


@pytest.mark.parametrize("mistake", ["communicator", "changed_buffer", "nothing"])
def test_binary_of_mpich_is_told_the_same(mistake: str) -> None:
    binary = harness.build(_SOURCE, ("-g",), ("mpicc",))
    of_mpich = harness.run_tidings([binary, mistake], _RANKS, options=("--check", "warn"))
    assert of_mpich.status == 0, of_mpich.stderr
    assert _warnings(of_mpich) == _warnings(_run(mistake))


def _line_of(text: str) -> int:
    """Return the number of the only line of the program that has a text."""
    numbers = [number for number, line in enumerate(_SOURCE.read_text().splitlines(), 1) if text in line]
    assert len(numbers) == 1, f"{text!r} stands in lines {numbers}"
    return numbers[0]


def _warnings(outcome: harness.Outcome) -> list[str]:
    return re.findall(r"^tidings: warning: (.*)$", outcome.stderr, re.MULTILINE)


@pytest.mark.parametrize(
    ("mistake", "line", "words"),
    [
        (
            "communicator",
            "MPI_Comm_dup(MPI_COMM_WORLD, &copy)",
            ["ranks 0 to 2: MPI_Comm_dup at misuse.c:{}: the communicator is never freed. Call MPI_Comm_free"],
        ),
        (
            "objects",
            "MPI_Win_create(&memory",
            ["MPI_Win_create at misuse.c:{}: the window", "MPI_Type_contiguous at", "MPI_Comm_group at"],
        ),
        (
            "pending_receive",
            "MPI_Irecv(&value, 1, MPI_INT, (rank + 1)",
            ["ranks 0 to 2: MPI_Irecv at misuse.c:{}: the receive is still pending .* no message has come"],
        ),
        (
            "forgotten_wait",
            "MPI_Isend(&value, 1, MPI_INT, rank, 8",
            ["ranks 0 to 2: MPI_Isend at misuse.c:{}: the request is complete, but nobody has waited for it"],
        ),
        (
            "persistent",
            "MPI_Send_init(&value, 1, MPI_INT, rank, 8",
            ["MPI_Send_init at misuse.c:{}: the persistent request is never freed. Call MPI_Request_free"],
        ),
        (
            "unreceived",
            "    MPI_Send(&value, 1, MPI_INT, 1, 9, pair);",
            [
                r"rank 0: MPI_Send\(destination 1, tag 9, communicator \d+ \(from MPI_Comm_split\)\) at misuse.c:{}: "
                "nobody receives the message of 4 bytes",
                "rank 0: MPI_Send.*: nobody receives",
            ],
        ),
        (
            "changed_buffer",
            "MPI_Isend(data, COUNT, MPI_INT, 1, 1",
            [
                r"rank 0: MPI_Isend\(destination 1, tag 1\) at misuse.c:{}: its buffer was changed before MPI_Wait at "
                r"misuse.c:\d+ completed it"
            ],
        ),
        (
            "shared_buffer",
            "MPI_Irecv(&data[4]",
            [
                r"ranks 0 to 2: MPI_Irecv at misuse.c:{}: it uses a buffer in which the library still reads or writes "
                r"for MPI_Irecv at misuse.c:\d+"
            ],
        ),
        (
            "blocking_receive",
            "MPI_Recv(&data[2]",
            [
                r"ranks 0 to 2: MPI_Recv at misuse.c:{}: it uses a buffer in which the library still reads or writes "
                r"for MPI_Irecv at misuse.c:\d+"
            ],
        ),
        (
            "early_sum",
            "MPI_Allreduce(&number, &sum",
            [
                r"ranks 0 to 2: MPI_Allreduce at misuse.c:{}: it uses a buffer in which the library still writes for "
                r"MPI_Irecv at misuse.c:\d+"
            ],
        ),
        (
            "other_type",
            "MPI_Irecv(&all[0]",
            [
                r"rank 0: MPI_Irecv\(any source, tag 1\) at misuse.c:\d+: it receives MPI_INT, but "
                r"MPI_Send\(destination 0, tag 1\) at misuse.c:\d+ of rank 2 sends MPI_FLOAT. Use datatypes"
            ],
        ),
        (
            "other_element",
            "MPI_Sendrecv(sent, COUNT, made[0]",
            [
                "ranks 0 to 2: MPI_Sendrecv at misuse.c:{}: it receives MPI_DOUBLE, MPI_INT, MPI_UNSIGNED, but "
                "MPI_Sendrecv at misuse.c:{} of ranks 0 to 2 sends MPI_DOUBLE, 2 MPI_INT"
            ],
        ),
        (
            "bytes",
            "MPI_Recv(&value, sizeof value, MPI_BYTE",
            ["rank 1: MPI_Recv.* at misuse.c:{}: it receives MPI_BYTE, but MPI_Send.* of rank 0 sends MPI_INT"],
        ),
        (
            "other_broadcast",
            "MPI_Bcast(&number, 1, MPI_INT64_T",
            [
                r"ranks 1 and 2: MPI_Bcast at misuse.c:{}: its datatype is MPI_INT64_T, but that of MPI_Bcast at "
                r"misuse.c:\d+ of rank 0 is MPI_DOUBLE. Use datatypes of the same elements at all ranks"
            ],
        ),
        (
            "other_gather",
            "MPI_Gather(&mine, 1,",
            ["rank 2: MPI_Gather at misuse.c:{}: its datatype is MPI_FLOAT, but .* of rank 0 is MPI_INT"],
        ),
        (
            "other_reduction",
            "MPI_Scan(&fraction",
            [
                "rank 1: MPI_Scan at misuse.c:{}: its datatype is MPI_FLOAT, but that of MPI_Scan at "
                r"misuse.c:\d+ of rank 0 is MPI_INT. Use datatypes of the same elements at all ranks"
            ],
        ),
        (
            "other_gatherv",
            "MPI_Gatherv(data, 1, type",
            ["rank 0: MPI_Gatherv at misuse.c:{}: it receives MPI_INT, but MPI_Gatherv .* of rank 1 sends MPI_FLOAT"],
        ),
        (
            "other_scatterv",
            "MPI_Scatterv(data, counts",
            ["rank 1: MPI_Scatterv at misuse.c:{}: it receives MPI_FLOAT, but MPI_Scatterv .* of rank 0 sends MPI_INT"],
        ),
        (
            "other_allgatherv",
            "MPI_Allgatherv(data, 1, type",
            ["ranks 0 to 2: MPI_Allgatherv at misuse.c:{}: it receives MPI_INT, but .* of rank 1 sends MPI_FLOAT"],
        ),
        (
            "other_alltoallv",
            "MPI_Alltoallv(data, counts",
            ["ranks 0 to 2: MPI_Alltoallv at misuse.c:{}: it receives MPI_INT, but .* of rank 1 sends MPI_FLOAT"],
        ),
        (
            "other_alltoallw",
            "MPI_Alltoallw(data, counts",
            ["rank 1: MPI_Alltoallw at misuse.c:{}: it receives MPI_UNSIGNED, but .* of rank 2 sends MPI_INT"],
        ),
        (
            "other_neighbours",
            "MPI_Neighbor_alltoall(data, 1, type",
            ["ranks 0 and 2: MPI_Neighbor_alltoall at misuse.c:{}: it receives MPI_INT, but .* 1 sends MPI_FLOAT"],
        ),
        (
            "other_neighbours_at_once",
            "MPI_Ineighbor_alltoallv(data, counts",
            ["ranks 0 and 2: MPI_Ineighbor_alltoallv at misuse.c:{}: it receives MPI_INT, but .* 1 sends MPI_FLOAT"],
        ),
        (
            "other_neighbour_of_graph",
            "MPI_Neighbor_allgather(data, 1, type",
            ["rank 2: MPI_Neighbor_allgather at misuse.c:{}: it receives MPI_INT, but .* of rank 1 sends MPI_FLOAT"],
        ),
        (
            "other_ialltoallv",
            "MPI_Ialltoallv(data, counts",
            ["rank 1: MPI_Ialltoallv at misuse.c:{}: it receives MPI_FLOAT, but .* of ranks 0 to 2 sends MPI_INT"],
        ),
        (
            "other_match",
            "MPI_Mrecv(&number, 1, MPI_INT, &message",
            [
                r"rank 1: MPI_Mrecv\(any source, tag 3\) at misuse.c:{}: it receives MPI_INT, but "
                r"MPI_Send\(destination 1, tag 3\) at misuse.c:\d+ of rank 0 sends MPI_FLOAT"
            ],
        ),
        (
            "other_partitions",
            "MPI_Precv_init(got",
            [
                r"rank 1: MPI_Precv_init\(source 0, tag 4\) at misuse.c:{}: it receives MPI_INT, but "
                r"MPI_Psend_init\(destination 1, tag 4\) at misuse.c:\d+ of rank 0 sends MPI_FLOAT"
            ],
        ),
        (
            "other_group",
            "MPI_Bcast(&fraction, 1",
            ["ranks 1 and 2: MPI_Bcast at misuse.c:{}: it receives MPI_FLOAT, but .* of rank 0 sends MPI_INT"],
        ),
        (
            "reduction_between",
            "MPI_Reduce_scatter(rank == 0 ?",
            [
                r"rank 0: MPI_Reduce_scatter at misuse.c:{}: it receives MPI_INT, but .* of ranks 1 and 2 sends",
                r"rank 1: MPI_Reduce_scatter at misuse.c:{}: it receives MPI_FLOAT, but .* of rank 0 sends MPI_INT",
                r"rank 0: MPI_Reduce_scatter_block at misuse.c:\d+: it receives MPI_INT, but .* sends MPI_FLOAT",
                r"rank 1: MPI_Reduce_scatter_block at misuse.c:\d+: it receives MPI_FLOAT, but .* sends MPI_INT",
            ],
        ),
        (
            "other_target",
            "MPI_Put(data, 2, MPI_INT, 1, 0, 2, MPI_FLOAT",
            [
                r"rank 0: MPI_Put\(target 1\) at misuse.c:{}: at its target it names 2 elements of MPI_FLOAT, but its "
                "origin has 2 elements of MPI_INT. Name the same elements on both sides"
            ],
        ),
        (
            "unmapped",
            "MPI_Isend(data, 8, MPI_BYTE",
            [r"rank 0: MPI_Isend.* at misuse.c:{}: its buffer was unmapped before MPI_Wait at misuse.c:\d+ completed"],
        ),
        (
            "changed_put",
            "MPI_Put(data, COUNT",
            [
                r"rank 0: MPI_Put\(target 1\) at misuse.c:{}: its buffer was changed before MPI_Win_fence at "
                r"misuse.c:\d+ completed it"
            ],
        ),
        (
            "early_send",
            "MPI_Sendrecv(data, 1, MPI_INT, 0, 1, other",
            [
                r"rank 0: MPI_Sendrecv.* at misuse.c:{}: it uses a buffer in which the library still writes for "
                r"MPI_Get\(target 1\) at misuse.c:\d+"
            ],
        ),
        (
            "two_results",
            "MPI_Fetch_and_op(&other[0], &data[0], MPI_INT, 1, 1",
            [
                r"rank 0: MPI_Fetch_and_op\(target 1\) at misuse.c:{}: it uses a buffer in which the library still "
                r"reads or writes for MPI_Fetch_and_op\(target 1\) at misuse.c:\d+"
            ],
        ),
        (
            "changed_request",
            "MPI_Raccumulate(data",
            [r"rank 0: MPI_Raccumulate\(target 1\) at misuse.c:{}: its buffer was changed before MPI_Wait at misuse.c"],
        ),
    ],
)
def test_mistake_is_told_with_its_ranks_and_place(mistake: str, line: str, words: list[str]) -> None:
    outcome = _run(mistake)
    assert outcome.status == 0, outcome.stderr
    found = _warnings(outcome)
    number = _line_of(line)
    assert len(found) == {"objects": 3, "unreceived": 2, "reduction_between": 4}.get(mistake, 1), found
    for pattern in words:
        text = pattern.replace("{}", str(number))
        assert any(re.search(text, warning) for warning in found), f"no {text!r} in {found}"


@pytest.mark.parametrize("collectives", harness.COLLECTIVES)
@pytest.mark.parametrize("compiler", ["tidings cc", "mpicc"])
def test_different_roots_are_told_at_the_collective_itself(compiler: str, collectives: str) -> None:
    binary = harness.build(_SOURCE, ("-g",), compiler.split())
    outcome = harness.run_tidings(
        [binary, "other_root"], _RANKS, options=("--check", "warn", "--collectives", collectives)
    )
    found = [warning for warning in _warnings(outcome) if "root" in warning]
    number = _line_of("MPI_Bcast(&value, 1, MPI_INT, rank == 1 ?")
    call = f"MPI_Bcast at misuse.c:{number}"
    # Whoever calls first is the one that the others are compared with.
    assert len(found) == 1, outcome.stderr
    assert re.fullmatch(
        rf"rank 1: {call}: its root is 1, but that of {call} of rank 0 is 0. Name one root at all ranks.|"
        rf"ranks 0 and 2: {call}: its root is 0, but that of {call} of rank 1 is 1. Name one root at all ranks.",
        found[0],
    )
    # The run ends when something else meets what the second root has sent.
    assert outcome.status != 0
    assert outcome.stderr.count("collectives do not match") == 1


@pytest.mark.parametrize("collectives", harness.COLLECTIVES)
def test_a_reduction_in_the_place_of_a_broadcast_is_told_with_both_calls(collectives: str) -> None:
    outcome = _run("other_rooted", "--check", "warn", "--collectives", collectives)
    broadcast = f"MPI_Bcast at misuse.c:{_line_of('MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD)')}"
    reduction = f"MPI_Reduce at misuse.c:{_line_of('MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0')}"
    text = "its place in the order of collectives is that of {} of rank {}. Make the same calls in the same order"
    assert any(
        one in outcome.stderr
        for one in [f"{reduction}: {text.format(broadcast, 0)}", f"{broadcast}: {text.format(reduction, 1)}"]
    ), outcome.stderr
    assert outcome.status != 0


#: With static switches, which do not compare what ranks call, and by the engine or messages.
@pytest.mark.parametrize(
    ("machine", "collectives"), [("mesh8x8", "hardware"), *(("crossbar", way) for way in harness.COLLECTIVES)]
)
def test_other_counts_and_collectives_are_told_before_anything_is_sent(machine: str, collectives: str) -> None:
    for mistake, patterns in {
        "other_count": [
            r"(rank 1): {gather}: its number of bytes is 8, but that of {gather} of ranks? 0( and 2)? is 4. {advice}",
            r"(ranks? 0( and 2)?): {gather}: its number of bytes is 4, but that of {gather} of rank 1 is 8. {advice}",
        ],
        "other_counts": [
            r"rank 1: {gatherv}: its number of bytes is 16, but that of {gatherv} of ranks? 0( and 2)? is 12. {advice}",
            r"ranks? 0( and 2)?: {gatherv}: its number of bytes is 12, but that of {gatherv} of rank 1 is 16. {advice}",
        ],
        "other_collective": [
            r"rank 1: {barrier}: its place in the order of collectives is that of {gather} of ranks? [02]",
            r"ranks? [02]( and 2)?: {gather}: its place in the order of collectives is that of {barrier} of rank 1",
        ],
    }.items():
        outcome = _run(mistake, "--check", "warn", "--collectives", collectives, machine=machine)
        counts = "rank == 1 ? 2 : 1, MPI_INT, all" if mistake == "other_count" else "&rank, 1, MPI_INT, all, 1"
        names = {
            "gatherv": f"MPI_Allgatherv at misuse.c:{_line_of('MPI_Allgatherv(mine, counts[rank]')}",
            "gather": f"MPI_Allgather at misuse.c:{_line_of(counts)}",
            "barrier": f"MPI_Barrier at misuse.c:{_line_of('    MPI_Barrier(MPI_COMM_WORLD);')}",
            "advice": "Name the same number of elements at all ranks.",
        }
        found = [line for line in _warnings(outcome) if "never freed" not in line]
        assert len(found) == 1, outcome.stderr
        assert any(re.match(pattern.format(**names), found[0]) for pattern in patterns), found
        # The run ends all the same: by the library, or because the ranks wait for each other.
        assert outcome.status != 0


@pytest.mark.parametrize("collectives", harness.COLLECTIVES)
def test_rank_at_the_end_is_shown_there_and_not_in_a_call_of_the_check(collectives: str) -> None:
    error = _run("early_end", "--check", "warn", "--collectives", collectives).stderr
    # The engine's barrier carries no call, so ranks only wait for each other.
    assert "collectives do not match" in error or "deadlock" in error
    assert "MPI_Finalize" in error
    assert re.search(r"MPI_(Comm_dup|Alltoall)", error) is None


@pytest.mark.parametrize("machine", harness.MACHINES)
@pytest.mark.parametrize("collectives", harness.COLLECTIVES)
@pytest.mark.parametrize("what", ["nothing", "right_collectives", "right_accesses"])
def test_right_program_hears_nothing(what: str, machine: str, collectives: str) -> None:
    outcome = _run(what, "--check", "error", "--collectives", collectives, machine=machine)
    assert outcome.status == 0, outcome.stderr
    assert "tidings: " not in outcome.stderr


@pytest.mark.parametrize(
    ("mistake", "reason"), [("full_disk", "No space left on device"), ("no_file", "Is a directory")]
)
def test_what_cannot_be_written_down_ends_the_run(mistake: str, reason: str) -> None:
    outcome = _run(mistake)
    assert outcome.status == 1
    assert f"tidings: error: rank 0 cannot write down what --check has found: {reason}" in outcome.stderr


@pytest.mark.parametrize(
    "program",
    [
        *["alltoallv", "buffered_sends", "comm_idup", "gatherv_scatterv", "in_place", "large_collectives"],
        *["matched_probe", "mixed_collectives", "more_collectives", "nonblocking_collectives", "partitioned"],
        *[
            "neighbourhoods",
            "persistent_collectives",
            "proc_null",
            "session_communicators",
            "sessions",
            "user_operations",
            "waitany",
        ],
        *["wildcards", "window_fence", "window_lock", "window_passive", "window_post_start", "with_info"],
    ],
)
def test_programs_of_these_tests_are_right(program: str) -> None:
    outcome = harness.run_tidings([harness.build(harness.HERE / f"{program}.c")], 4, "crossbar", ("--check", "error"))
    assert outcome.status == 0, outcome.stderr


def test_mistakes_pass_unless_they_are_looked_for() -> None:
    outcome = _run("communicator", "--quiet")
    assert (outcome.status, outcome.stderr) == (0, "")


def test_error_fails_the_run_and_json_has_the_mistakes(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    outcome = _run("changed_buffer", "--check", "error", "--json", str(file))
    assert outcome.status == 1
    assert "tidings: error: rank 0: MPI_Isend" in outcome.stderr
    found: dict[str, Any] = json.loads(file.read_text())
    assert found["exit_status"] == 1
    (mistake,) = found["mistakes"]
    assert mistake["ranks"] == [0]
    assert mistake["call"]["line"] == _line_of("MPI_Isend(data, COUNT, MPI_INT, 1, 1")
    assert mistake["other"]["function"] == "MPI_Wait"
    assert mistake["message"] in outcome.stderr


def test_without_debug_information_the_function_is_named() -> None:
    (warning,) = _warnings(_run("communicator", flags=()))
    assert warning.startswith("ranks 0 to 2: MPI_Comm_dup in communicator: the communicator is never freed.")


def test_checks_do_not_change_the_time_before_finalize(tmp_path: Path) -> None:
    times = []
    for check in ("off", "warn"):
        file = tmp_path / f"{check}.json"
        assert _run("nothing", "--check", check, "--json", str(file)).status == 0
        operations = json.loads(file.read_text())["operations"]
        times.append({name: values for name, values in operations.items() if "Finalize" not in name})
    assert times[0] == times[1]
