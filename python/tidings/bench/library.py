# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Instructions that calls of the MPI library execute, counted by callgrind."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from tidings.build import compiler
from tidings.errors import UserError
from tidings.machines.file import Machine
from tidings.runtime.capture import captured
from tidings.runtime.run import Job, check, execute

#: What is counted, and how many instructions each call may take.
TARGETS = {"init": 100_000, "barrier": 600, "broadcast": 600, "allreduce": 600, "send": 900, "receive": 900}
_RANKS = 2
#: The platform: on a real machine the processor's own loads, stores and waits.
_PLATFORM = "libtidings_rank"
#: Functions of the C library that allocate memory. What C++ allocates comes from them too.
_ALLOCATORS = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"}
#: Every other part that callgrind writes, beginning with the one after MPI_Init, lies before a call.
_PARTS_BEFORE_FIRST_CALL = 2


@dataclass(frozen=True)
class CallCost:
    """What one call executes.

    Attributes
    ----------
    call : str
        The call, with 8 elements of 64 bits where it has data.
    instructions : int
        x86-64 instructions of `lib`, `drivers` and the C and C++ libraries below them. Bus accesses and waits are not
        among them.
    platform_instructions : int
        Instructions of the simulator's side of the bus boundary, beside those.
    first_instructions : int
        As `instructions` for the first such call of the program, which finds out what later ones know.
    allocations : int
        Blocks of memory that the library and what is below it allocate.
    target : int or None
        Most instructions that the call should execute, if there is such a limit.
    """

    call: str
    instructions: int
    platform_instructions: int
    first_instructions: int
    allocations: int
    target: int | None


def call_costs(machine: Machine) -> Iterator[CallCost]:
    """Count the instructions of calls on two ranks of a machine.

    Parameters
    ----------
    machine : Machine
        Where the program runs; its engines carry out the collectives.

    Raises
    ------
    UserError
        If there is no valgrind or no C compiler, or the program does not run.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        message = "valgrind counts the instructions and is not installed: apt-get install valgrind"
        raise UserError(message)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = _compile(folder)
        options = [
            "--tool=callgrind",
            "--compress-strings=no",
            "--compress-pos=no",
            "--dump-before=PMPI_Init",
            "--dump-after=PMPI_Init",
            "--dump-after=PMPI_Pcontrol",
            f"--callgrind-out-file={folder}/rank.%p",
        ]
        job = Job([valgrind, *options, str(program)], _RANKS, machine)
        check(job)
        with captured() as printed:
            report = execute(job, None)
        if report.exit_status != 0:
            message = f"the program that is counted did not run: {report.error}"
            raise UserError(message)
        calls = printed.stdout.splitlines()
        parts = _parts_of_rank_0(folder, 2 * len(calls) + _PARTS_BEFORE_FIRST_CALL)
        yield _cost("init", parts[1], parts[1])
        counted = dict[str, list[Path]]()
        for index, call in enumerate(calls):
            counted.setdefault(call, []).append(parts[_PARTS_BEFORE_FIRST_CALL + 2 * index + 1])
        for call, (first, later) in counted.items():
            yield _cost(call, later, first)


def _compile(folder: Path) -> Path:
    program = folder / "calls"
    status = compiler.run("c", ["-O2", "-o", str(program), str(Path(__file__).parent / "library_calls.c")])
    if status != 0:
        message = f"the program that is counted was not compiled: the compiler ended with status {status}"
        raise UserError(message)
    return program


def _parts_of_rank_0(folder: Path, number: int) -> list[Path]:
    """Return what callgrind has written of the rank that made more calls of MPI_Pcontrol, in order."""
    by_rank: dict[str, dict[int, Path]] = {}
    for file in folder.glob("rank.*.*"):
        rank, part = file.name.rsplit(".", 1)
        by_rank.setdefault(rank, {})[int(part)] = file
    parts = max(by_rank.values(), key=len, default={})
    if len(parts) < number:
        message = f"callgrind wrote {len(parts)} parts instead of {number}: its version may not fit"
        raise UserError(message)
    return [parts[index] for index in sorted(parts)]


def _cost(call: str, part: Path, first: Path) -> CallCost:
    library, platform = _executed(part)
    return CallCost(call, library, platform, _executed(first)[0], _allocations(part), TARGETS.get(call))


def _executed(part: Path) -> tuple[int, int]:
    """Add up a part of callgrind's output: what each function executes by itself, and what it calls.

    Returns
    -------
    tuple of int
        Instructions of the library, and those of the platform.
    """
    library = platform = 0
    here = callee = ""
    is_call = False
    for line in part.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition("=")
        if key == "ob":
            here = value
        elif key == "cob":
            callee = value
        elif key == "fn":
            callee = ""
        elif key == "calls":
            is_call = True
        elif line[:1].isdigit():
            cost = int(line.split()[1])
            if is_call:
                is_call = False
                callee, callee_now = "", callee or here
                if _PLATFORM in callee_now and _PLATFORM not in here:
                    platform += cost
            elif not here.endswith("/calls"):
                library += cost
    return library - platform, platform


def _allocations(part: Path) -> int:
    """Count the blocks of memory that are allocated in a part of callgrind's output."""
    blocks = 0
    callee = ""
    for line in part.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition("=")
        if key == "cfn":
            callee = value
        elif key == "calls" and callee in _ALLOCATORS:
            blocks += int(value.split()[0])
    return blocks


def as_table(costs: Sequence[CallCost]) -> Table:
    """Return the counts as a table."""
    table = Table(title="Instructions of library calls", title_justify="left", box=None, pad_edge=False)
    table.add_column("call", no_wrap=True)
    for heading in ("instructions", "target", "first call", "of the platform beside", "allocations"):
        table.add_column(heading, justify="right", no_wrap=True)
    for cost in costs:
        counts = (cost.instructions, cost.target, cost.first_instructions, cost.platform_instructions, cost.allocations)
        table.add_row(cost.call, *("" if count is None else f"{count:,}" for count in counts))
    return table
