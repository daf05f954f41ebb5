# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""`tidings run`: what it refuses before it starts, what it passes on, what it reports."""

import json
import os
from pathlib import Path

import pytest

from cli_support import ROOT, Tidings
from tidings.cli.options import written_file
from tidings.errors import UserError

RUN = ["run", "-n", "2", "-m", "crossbar"]
SHARED_KEYS = {
    "algorithms",
    "profile",
    "ranks",
    "machine",
    "fidelity",
    "rtl_nodes",
    "threads",
    "collectives",
    "compute",
    "map",
    "program",
    "other_programs",
    "exit_status",
    "error",
    "elapsed_ps",
    "communication_share",
    "compute_share",
    "operations",
    "per_rank",
    "simulated_cycles",
    "skipped_cycles",
    "node_evaluations",
    "flit_hops",
    "wall_seconds",
}


def refusal(tidings: Tidings, *arguments: str | Path) -> str:
    result = tidings("run", *arguments)
    assert result.returncode in (2, 126, 127)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.split())


@pytest.fixture
def hello(tidings: Tidings, tmp_path: Path) -> Path:
    program = tmp_path / "hello"
    assert tidings("cc", ROOT / "tests" / "programs" / "hello.c", "-o", program).returncode == 0
    return program


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-n", "0", "-m", "spirit", "true"], "0 ranks: a run needs at least one"),
        (["-n", "-3", "-m", "spirit", "true"], "-3 ranks: a run needs at least one"),
        (["-n", "65", "-m", "spirit", "true"], "65 ranks do not fit on spirit, which has 64 slots: use -n 64 or less"),
        (["-n", "2", "-m", "spirti", "true"], "no machine 'spirti'. Did you mean spirit?"),
        (["-n", "2", "-m", "spirit", "no-such-program"], "'no-such-program' is not on PATH and not in this folder"),
        (["-n", "2", "-m", "spirit", "./no-such-program"], "'./no-such-program' does not exist"),
        (["-n", "2", "-m", "spirit", "/tmp"], "'/tmp' is a folder"),  # noqa: S108 (never written to)
        (["-n", "2", "-m", "spirit", "--fidelity", "magic", "true"], "'magic' is not one of 'cycle', 'rtl'"),
        (["-n", "2", "-m", "spirit", "--rtl-nodes", "0,x", "true"], "--rtl-nodes 0,x: give numbers with commas"),
        (
            ["-n", "2", "-m", "spirit", "--rtl-nodes", "0,2", "true"],
            "--rtl-nodes 2: a run of 2 ranks on spirit uses routers 0 to 1",
        ),
        (
            ["-n", "9", "-m", "crossbar", "--rtl-nodes", "-1", "true"],
            "--rtl-nodes -1: a run of 9 ranks on crossbar uses router 0 only",
        ),
        (
            ["-n", "2", "-m", "spirit", "--fidelity", "rtl", "--rtl-nodes", "0", "true"],
            "--rtl-nodes chooses nodes at --fidelity cycle; at --fidelity rtl all are",
        ),
        (
            ["-n", "2", "-m", "spirit", "--wave", "x.fst", "true"],
            "at --fidelity cycle there are none: add --fidelity rtl, or --rtl-nodes 0",
        ),
        (
            ["-n", "2", "-m", "spirit", "--rtl-nodes", "0", "--wave", "x.fst", "--wave-node", "1", "true"],
            "--wave-node 1 is not among --rtl-nodes",
        ),
        (["-n", "2", "-m", "spirit", "--json", "no/such/x.json", "true"], "the folder no/such does not exist"),
        (["-n", "2", "-m", "spirit", "--json", ".", "true"], "--json .: is a folder"),
        (["-n", "2", "-m", "spirit", "--wave", "no/x.fst", "true"], "--wave no/x.fst: the folder no does not exist"),
        (["-n", "2", "-m", "spirit", "--wave-node", "1", "true"], "--wave-node chooses what --wave writes"),
        (
            ["-n", "2", "-m", "spirit", "--fidelity", "rtl", "--wave", "x.fst", "--wave-node", "2", "true"],
            "--wave-node 2: a run of 2 ranks on spirit uses routers 0 to 1",
        ),
        (["-n", "2", "-m", "spirit", "--time-limit", "0", "true"], "--time-limit 0 must be more than 0"),
        (["-n", "2", "-m", "spirit", "--wall-limit", "-1", "true"], "--wall-limit -1 must be more than 0"),
        (["-n", "2", "-m", "spirit", "--collectives", "magic", "true"], "'magic' is not one of"),
        (["-n", "two", "-m", "spirit", "true"], "Input should be a valid integer"),
        (["-m", "spirit", "true"], "Missing option"),
    ],
)
def test_impossible_request_is_refused_with_the_reason(tidings: Tidings, arguments: list[str], expected: str) -> None:
    assert expected in refusal(tidings, *arguments)


def test_program_beside_the_user_is_suggested_by_its_path(tidings: Tidings, tmp_path: Path) -> None:
    (tmp_path / "solver").write_text("")
    assert "did you mean ./solver?" in refusal(tidings, "-n", "1", "-m", "spirit", "solver")
    assert "is not executable: chmod +x ./solver" in refusal(tidings, "-n", "1", "-m", "spirit", "./solver")


def test_json_file_that_cannot_be_written_is_refused_before_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "locked.json"
    file.touch()
    # Asked in this way, because root may write everywhere.
    monkeypatch.setattr("tidings.files.os.access", lambda path, mode: not (path == file and mode == os.W_OK))
    with pytest.raises(UserError, match=r"--json .*locked\.json: cannot be written \(permission denied\)"):
        written_file("--json", text="Write.").parser(str(file))


def test_arguments_of_the_program_are_passed_on_untouched(tidings: Tidings) -> None:
    words = ["-n", "--help", "-m", "x y", "--", "--json"]
    assert tidings(*RUN, "printf", "<%s>", *words).stdout == "<-n><--help><-m><x y><--><--json>" * 2
    assert tidings(*RUN, "--", "printf", "<%s>", *words).stdout == "<-n><--help><-m><x y><--><--json>" * 2


def test_exit_status_of_the_program_is_that_of_the_command(tidings: Tidings) -> None:
    result = tidings(*RUN, "sh", "-c", "exit 37")
    assert result.returncode == 37
    assert "tidings: error: rank 0 exited with status 37" in result.stderr


def test_table_goes_to_standard_error_and_can_be_left_out(tidings: Tidings, hello: Path) -> None:
    loud = tidings(*RUN, hello)
    assert loud.returncode == 0
    assert loud.stdout.startswith("rank 0 of 2: ")
    assert "2 ranks on crossbar, fidelity cycle, hardware collectives" in loud.stderr
    assert "MPI_Recv" in loud.stderr
    assert "cycles simulated" in loud.stderr
    quiet = tidings(*RUN, "--quiet", hello)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, loud.stdout, "")


def test_json_has_the_promised_keys_and_agrees_with_itself(tidings: Tidings, hello: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert tidings(*RUN, "--quiet", "--json", file, hello, "an argument").returncode == 0
    found = json.loads(file.read_text())
    assert set(found) == SHARED_KEYS
    assert (found["ranks"], found["machine"], found["fidelity"], found["rtl_nodes"]) == (2, "crossbar", "cycle", [])
    assert found["threads"] == 1
    assert found["program"] == [str(hello), "an argument"]
    assert (found["exit_status"], found["error"]) == (0, "")
    assert found["elapsed_ps"] == max(rank["elapsed_ps"] for rank in found["per_rank"]) > 0
    assert found["communication_share"] + found["compute_share"] == pytest.approx(1)
    receive = found["operations"]["MPI_Recv"]
    assert receive["calls"] == 1
    # What arrived, not what the buffer could hold.
    assert receive["bytes"] == found["operations"]["MPI_Send"]["bytes"] > 0
    assert 0 < receive["min_ps"] <= receive["mean_ps"] <= receive["max_ps"] <= receive["total_ps"]


def test_json_is_written_for_a_failed_run_too(tidings: Tidings, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert tidings(*RUN, "--json", file, "false").returncode == 1
    found = json.loads(file.read_text())
    assert found["exit_status"] == 1
    assert "rank 0 exited with status 1" in found["error"]


def test_two_runs_give_the_same_json_but_for_wall_time(tidings: Tidings, hello: Path, tmp_path: Path) -> None:
    texts = []
    for name in ("a.json", "b.json"):
        assert tidings(*RUN, "--quiet", "--json", tmp_path / name, hello).returncode == 0
        lines = (tmp_path / name).read_text().splitlines(keepends=True)
        texts.append([line for line in lines if "wall_seconds" not in line])
        assert len(texts[-1]) == len(lines) - 1
    assert texts[0] == texts[1]


def test_own_machine_file_is_run(tidings: Tidings, tmp_path: Path, hello: Path) -> None:
    text = (ROOT / "machines" / "crossbar.toml").read_text().replace("clock_MHz = 50.0", "clock_MHz = 100.0", 1)
    (tmp_path / "fast.toml").write_text(text.replace('name = "crossbar"', 'name = "fast"'))
    file = tmp_path / "run.json"
    assert tidings("run", "-n", "2", "-m", "fast.toml", "-q", "--json", file, hello).returncode == 0
    fast = json.loads(file.read_text())
    assert fast["machine"] == "fast"
    assert tidings(*RUN, "-q", "--json", file, hello).returncode == 0
    assert fast["elapsed_ps"] < json.loads(file.read_text())["elapsed_ps"]


def test_time_limit_ends_a_run_that_does_not(tidings: Tidings) -> None:
    result = tidings(*RUN, "--time-limit", "0.5", "sleep", "10")
    assert result.returncode != 0
    assert "limit" in result.stderr


@pytest.mark.parametrize(
    ("forever", "place"),
    [
        ("for (;;) __asm__ volatile(\"\");", "rank 1: outside any MPI call"),
        ("MPI_Irecv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request); for (done = 0; !done;) "
         "{ MPI_Test(&request, &done, MPI_STATUS_IGNORE); MPI_Wtime(); }", "rank 1: "),
    ],
    ids=["computes", "polls"],
)  # fmt: skip
def test_wall_limit_says_what_each_rank_does(tidings: Tidings, tmp_path: Path, forever: str, place: str) -> None:
    (tmp_path / "forever.c").write_text(
        "#include <mpi.h>\nint main(int count, char **words) {\n  int rank, number = 0, done = 0;\n"
        "  MPI_Request request = MPI_REQUEST_NULL;\n  MPI_Init(&count, &words);\n"
        f"  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  if (rank == 1) {{ {forever} }}\n"
        "  MPI_Barrier(MPI_COMM_WORLD);\n  (void)number; (void)done; (void)request;\n  return MPI_Finalize();\n}\n"
    )
    assert tidings("cc", "forever.c", "-o", "forever").returncode == 0
    result = tidings(*RUN, "--wall-limit", "2", "./forever")
    assert result.returncode == 1
    assert "wall limit: the run has taken 2 s of wall time" in result.stderr
    assert "rank 0: in MPI_Barrier" in result.stderr
    assert place in result.stderr


def test_engine_without_wide_elements_leaves_doubles_to_software(tidings: Tidings, tmp_path: Path) -> None:
    machine = tmp_path / "narrow.toml"
    spirit = (ROOT / "machines" / "spirit.toml").read_text()
    machine.write_text(spirit.replace("[mpe]\n", "[mpe]\nwide_elements = false\n"))
    program = tmp_path / "allreduce"
    assert tidings("cc", ROOT / "tests" / "programs" / "allreduce.c", "-o", program).returncode == 0
    outputs, fallbacks = [], []
    for name in ("spirit", str(machine)):
        result = tidings("run", "-n", "4", "-m", name, "--json", tmp_path / "run.json", program)
        assert result.returncode == 0, result.stderr
        outputs.append([line for line in result.stdout.splitlines() if line])
        operations = json.loads((tmp_path / "run.json").read_text())["operations"]
        fallbacks.append(operations["MPI_Allreduce"]["fallback_reasons"])
    reason = "the engine combines elements of 32 bits only"
    assert reason not in fallbacks[0]
    assert fallbacks[1][reason] > 0
    assert outputs[0] == outputs[1]


def test_a_named_algorithm_that_is_not_used_is_told_with_the_reason(tidings: Tidings, tmp_path: Path) -> None:
    program = tmp_path / "allreduce"
    assert tidings("cc", ROOT / "tests" / "programs" / "allreduce.c", "-o", program).returncode == 0
    file = tmp_path / "run.json"
    notes = []
    for algorithm in ("ring", "chain"):
        result = tidings(
            "run", "-n", "4", "-m", "spirit", "--algorithm", f"allreduce={algorithm}", "--json", file, program
        )
        assert result.returncode == 0, result.stderr
        notes.append(json.loads(file.read_text())["operations"]["MPI_Allreduce"]["notes"])
    told = "ring was named but not used, because the vector has fewer elements than there are ranks"
    assert notes[0][told] > 0
    assert notes[1] == {}
    table = tidings("run", "-n", "4", "-m", "spirit", "--algorithm", "allreduce=ring", program).stderr
    assert f"MPI_Allreduce: {notes[0][told]} calls: {told}" in " ".join(table.split())
