# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Compilers and other tools: they end with us, and one that was killed is named."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_support import ROOT
from tidings.build import verilated_node
from tidings.build.tools import errors_of, killed_tool, run_tool
from tidings.build.verilated_node import NodeBuildError, Variant, library, node_model
from tidings.errors import UserError
from tidings.machines.configuration import node_parameters
from tidings.machines.file import find_machine, load_machine

PARAMETERS = node_parameters(load_machine(find_machine("crossbar")))
#: A tool that starts a process in a session of its own, writes its number and waits.
STAYS = "setsid sleep 1000 & echo $! >pid; wait"


def running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(condition: object, seconds: float = 30) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_build_leaves_nothing_running(tmp_path: Path, stop: signal.Signals) -> None:
    # A shell that starts the tests in the background has them ignore SIGINT.
    code = f"""
import os, signal
from pathlib import Path
from tidings.build.tools import run_tool
signal.signal(signal.SIGINT, signal.default_int_handler)
here = Path({str(tmp_path)!r})
run_tool(["sh", "-c", {STAYS!r}], folder=here, environment=os.environ, log=here / "log")
"""
    user = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    number = tmp_path / "pid"
    wait_until(lambda: number.is_file() and number.read_text().endswith("\n"))
    child = int(number.read_text())
    assert running(child)
    user.send_signal(stop)
    assert user.wait(timeout=60) != 0
    wait_until(lambda: not running(child))


def test_tool_that_ends_leaves_nothing_running(tmp_path: Path) -> None:
    script = STAYS.replace("wait", "echo said; exit 3")
    log = tmp_path / "log"
    assert run_tool(["sh", "-c", script], folder=tmp_path, environment=os.environ, log=log) == 3
    assert log.read_text() == "said\n"
    assert not running(int((tmp_path / "pid").read_text()))


def test_tool_that_a_signal_ended_has_a_negative_status(tmp_path: Path) -> None:
    command = ["sh", "-c", "kill -KILL $$"]
    assert run_tool(command, folder=tmp_path, environment=os.environ, log=tmp_path / "log") == -signal.SIGKILL


def test_only_errors_of_a_log_are_shown(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("ccache g++ -O3 " + "x" * 5000 + "\nfile.cpp:1: error: no such thing\nmake: *** [all] Error 1\n")
    assert errors_of(log) == "file.cpp:1: error: no such thing\nmake: *** [all] Error 1"
    log.write_text("first\nlast\n")
    assert errors_of(log).endswith("last")


def test_what_was_killed_is_named_by_compiler_or_by_make(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for text, name in (
        ("g++: fatal error: Killed signal terminated program cc1plus\n", "cc1plus"),
        ("make: *** [Vnode.mk:66: node_library.o] Killed\n", "the compiler of node_library.o"),
        ("make: *** [Vnode.mk:66: node_library.o] Error 137\n", "the compiler of node_library.o"),
        ("Killed\n", "a compiler"),
        ("node_library.cpp: error: expected ';'\n", None),
    ):
        log.write_text(text)
        assert killed_tool(2, log) == name


class Compiler:
    """Stands in for the tools: killed while it runs more jobs than it can."""

    def __init__(self, most_jobs: int) -> None:
        self.most_jobs = most_jobs

    def __call__(self, command: list[str], *, folder: Path, environment: dict[str, str], log: Path) -> int:
        """Take the place of `run_tool`."""
        if "-j" not in command:
            return 0
        jobs = int(command[command.index("-j") + 1]) or 64
        if jobs > self.most_jobs:
            log.write_text("g++ -O3 -Wall\ng++: fatal error: Killed signal terminated program cc1plus\n")
            return 2
        (folder / "model").mkdir()
        (folder / "model" / "library.so").touch()
        log.write_text("all is well\n")
        return 0


def test_compiler_that_was_killed_is_started_again_with_one_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    monkeypatch.setattr(verilated_node, "run_tool", Compiler(1))
    said: list[str] = []
    assert library(node_model(PARAMETERS, Variant(), ROOT), "node", sources=ROOT, say=said.append).is_file()
    assert said[1] == "cc1plus was killed, probably for lack of memory; building again with one job"
    assert not list(tmp_path.glob("*.log"))


def test_compiler_that_is_killed_again_is_named_and_its_log_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path))
    monkeypatch.setattr(verilated_node, "run_tool", Compiler(0))
    with pytest.raises(NodeBuildError, match=r"^cc1plus was killed, .* GiB\).*the log is .*\.log$") as problem:
        library(node_model(PARAMETERS, Variant(), ROOT), "node", sources=ROOT, say=lambda _text: None)
    log = Path(str(problem.value).rpartition(" ")[2])
    assert "terminated program cc1plus" in log.read_text()


def test_cache_folder_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TIDINGS_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match=r"cache folder .*/file/cache cannot be used: Not a directory; TIDINGS_CACHE"):
        library(node_model(PARAMETERS, Variant(), ROOT), "node", sources=ROOT, say=lambda _text: None)
