# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Programs in Python run with mpi4py, built from its released sources (`make mpi4py`) or as its released wheel."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli_support import ROOT

EXAMPLES = ROOT / "examples" / "mpi4py"

#: Runs Python with mpi4py: ranks, and arguments of Python.
Run = Callable[..., "subprocess.CompletedProcess[str]"]

#: Handles go through the integers of Fortran, and a copy has an error handler before it is there.
HANDLES = """
from mpi4py import MPI
for _ in range(3000):
    request = MPI.COMM_SELF.Irecv([bytearray(1), MPI.BYTE])
    assert MPI.Request.fromint(request.toint()) == request
    request.Cancel()
    request.Wait()
copy, request = MPI.COMM_WORLD.Idup()
request.Wait()
print(copy.allreduce(1))
copy.Free()
"""
#: A function that is left out is an exception in Python.
LEFT_OUT = """
from mpi4py import MPI
try:
    MPI.Open_port()
except MPI.Exception as error:
    print("left out:", error)
"""
#: What a free function answers is what completing the request answers.
REQUESTS = """
from mpi4py import MPI
def refuse(*_):
    raise MPI.Exception(MPI.ERR_BUFFER)
calls = []
request = MPI.Grequest.Start(lambda status: None, lambda: None, calls.append)
request.Cancel()
request.Complete()
request.Cancel()
request.Wait()
print(calls)
request = MPI.Grequest.Start(lambda status: None, refuse, lambda done: None)
request.Complete()
try:
    request.Wait()
except MPI.Exception as error:
    print(error.Get_error_class() == MPI.ERR_BUFFER)
"""


#: Constants come back as they went in, and codes that a program adds are behind the last one.
CONSTANTS = """
from mpi4py import MPI
assert MPI.Get_error_class(MPI.ERR_LASTCODE) == MPI.ERR_LASTCODE == MPI.COMM_WORLD.Get_attr(MPI.LASTUSEDCODE)
code = MPI.Add_error_code(MPI.Add_error_class())
assert MPI.ERR_LASTCODE < MPI.Get_error_class(code) < code == MPI.COMM_WORLD.Get_attr(MPI.LASTUSEDCODE)
distribution = ([MPI.DISTRIBUTE_BLOCK, MPI.DISTRIBUTE_CYCLIC], [MPI.DISTRIBUTE_DFLT_DARG, 2])
array = MPI.INT.Create_darray(2, 0, [8, 6], *distribution, [1, 2], MPI.ORDER_F)
made = array.decode()[2]
print(made["order"] == MPI.ORDER_F, (made["distribs"], made["dargs"]) == distribution)
"""


#: A communicator is never freed, and a message is received with another datatype.
MISTAKES = """
from mpi4py import MPI
copy = MPI.COMM_WORLD.Dup()
if copy.rank == 0:
    copy.Send([bytearray(16), MPI.INT], dest=1)
else:
    copy.Recv([bytearray(16), MPI.FLOAT], source=0)
"""

#: Each thread has a communicator, and hears from its own kind.
THREADS = """
import threading
from mpi4py import MPI
comms = [MPI.COMM_WORLD.Dup() for _ in range(3)]
sums = [0] * 3
def add(number):
    comm = comms[number]
    for step in range(5):
        sums[number] = comm.allreduce(comm.rank + number)
        comm.barrier()
threads = [threading.Thread(target=add, args=(number,)) for number in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for comm in comms:
    comm.Free()
print(MPI.COMM_WORLD.rank, MPI.Query_thread() == MPI.THREAD_MULTIPLE, sums[1])
"""


@pytest.fixture(scope="module", params=["mpi4py", "mpi4py-wheel"])
def run(request: pytest.FixtureRequest) -> Run:
    """Return what runs Python with mpi4py, as the target of that name has installed it."""
    target = str(request.param)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    made = subprocess.run(["make", target], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr

    def command(ranks: int, *arguments: str | Path, check: str = "off") -> "subprocess.CompletedProcess[str]":
        tidings = str(Path(sys.executable).with_name("tidings"))
        command = [tidings, "run", "-m", "spirit", "-n", str(ranks), "--check", check, sys.executable]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "build" / target)}
        return subprocess.run(
            [*command, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=300
        )

    return command


def test_objects_and_arrays(run: Run) -> None:
    lines = run(4, EXAMPLES / "pi.py").stdout.splitlines()
    assert lines[0] == "pi is 3.14159265"
    assert lines[2] == "rank 1 has 0.785401, the rank before it 0.785406"


def test_pool_of_workers(run: Run) -> None:
    result = run(3, "-m", "mpi4py.futures", EXAMPLES / "squares.py")
    assert result.stdout == "the sum of the first 100 squares is 328350\n", result.stderr


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        (HANDLES, ["2", "2"]),
        (LEFT_OUT, ["left out: operation is not supported"] * 2),
        (REQUESTS, ["[False, True]", "True"] * 2),
        (CONSTANTS, ["True True"] * 2),
    ],
    ids=["handles", "left-out", "requests", "constants"],
)
def test_what_mpi4py_asks_of_a_library(run: Run, program: str, printed: list[str]) -> None:
    result = run(2, "-c", program)
    assert sorted(result.stdout.splitlines()) == sorted(printed), result.stderr


def test_mistakes_of_a_script_are_found(run: Run) -> None:
    result = run(2, "-c", MISTAKES, check="warn")
    assert result.returncode == 0, result.stderr
    assert "the communicator is never freed. Call MPI_Comm_free" in result.stderr
    assert re.search(r"rank 1: MPI_Recv.* it receives MPI_FLOAT, but MPI_Send.* of rank 0 sends MPI_INT", result.stderr)


def test_threads_call_mpi_at_once(run: Run) -> None:
    result = run(3, "-c", THREADS)
    assert sorted(result.stdout.splitlines()) == ["0 True 6", "1 True 6", "2 True 6"], result.stderr
