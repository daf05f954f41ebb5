# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""A binary that was built once prints the same under MPICH and on every machine, in the virtual time on record."""

from __future__ import annotations

import itertools
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.programs import harness, virtual_times

import tidings
from tidings.runtime.result import Run

#: Every program runs with these numbers of ranks, and with one more that goes round.
_ALWAYS = (1, 4, 16)
_ROUND = tuple(ranks for ranks in range(1, 17) if ranks not in _ALWAYS)
#: Programs of an area run with one number of ranks of each: MPICH's ranks spin while they wait, so few have many.
_AREA_FEW = tuple(range(1, 9))
_AREA_MANY = tuple(range(5, 18))
#: Each of their threads spins, too.
_THREADS_FEW, _THREADS_MANY = (1, 2, 3), (2, 4, 5)
#: Machines of 16 slots.
_SMALL = ("crossbar", "fat-tree", "star")


@dataclass(frozen=True)
class Case:
    """One program on one machine."""

    program: str
    ranks: int
    machine: str
    collectives: str

    def __str__(self) -> str:
        return f"{self.program}-{self.ranks}-{self.machine}-{self.collectives}"


def _draw(program: str) -> int:
    """Return a number that depends on the program's name alone, so that a new program changes no other's runs."""
    return zlib.crc32(program.encode())


def _cases() -> list[Case]:
    cases = []
    for program in harness.PROGRAMS:
        index = _draw(program)
        for turn, ranks in enumerate((*_ALWAYS, _ROUND[index % len(_ROUND)])):
            machine = harness.MACHINES[(index + turn) % len(harness.MACHINES)]
            collectives = harness.COLLECTIVES[(index // len(harness.MACHINES) + turn) % len(harness.COLLECTIVES)]
            cases.append(Case(program, ranks, machine, collectives))
        graph = harness.GRAPHS[index % len(harness.GRAPHS)]
        collectives = harness.COLLECTIVES[(index // len(harness.GRAPHS)) % len(harness.COLLECTIVES)]
        cases.append(Case(program, _ALWAYS[-1] if index % 2 else _ROUND[index % len(_ROUND)], graph, collectives))
    return cases


CASES = _cases()


def _area_cases() -> list[Case]:
    """Return two cases per program, which go round the numbers of ranks, all machines and both kinds of collectives."""
    machines = (*harness.MACHINES, *harness.GRAPHS)
    cases = []
    for program in harness.AREA_PROGRAMS:
        index = _draw(program)
        fewer, more = (_THREADS_FEW, _THREADS_MANY) if program.startswith("threads/") else (_AREA_FEW, _AREA_MANY)
        few, many = fewer[index // 7 % len(fewer)], more[index // 61 % len(more)]
        for turn, ranks in enumerate((few, many if many != few else more[-1])):
            machine = machines[(index + 3 * turn) % len(machines)]
            if ranks > 16 and machine in _SMALL:
                machine = harness.MACHINES[index % 2]
            collectives = harness.COLLECTIVES[(index // len(machines) + turn) % len(harness.COLLECTIVES)]
            cases.append(Case(program, ranks, machine, collectives))
    return cases


AREA_CASES = _area_cases()


def _run(case: Case, binary: Path, mistakes: str) -> Run:
    """Run a case in this process: a command takes longer to start than the program to run."""
    run = tidings.run(
        [binary],
        machine=case.machine,
        ranks=case.ranks,
        collectives=case.collectives,
        mistakes=mistakes,
        wall_limit=harness.PATIENCE_SECONDS,
        capture=True,
        check=False,
    )
    assert run.exit_status == 0, f"{run.error or run.mistakes}\n{run.stderr}"
    return run


@pytest.mark.parametrize("case", CASES, ids=str)
def test_program_prints_the_same(case: Case) -> None:
    binary = harness.build(harness.source_of(case.program))
    expected = harness.run_mpich(binary, case.ranks)
    assert expected.status == 0, expected.stderr
    run = _run(case, binary, "off")
    assert run.stdout == expected.stdout
    virtual_times.check(str(case), run.elapsed_ps)


@pytest.mark.parametrize("case", AREA_CASES, ids=str)
def test_program_of_an_area_prints_the_same(case: Case) -> None:
    binary = harness.build(harness.source_of(case.program))
    expected = harness.run_mpich(binary, case.ranks)
    assert expected.status == 0, expected.stderr
    assert _run(case, binary, "error").stdout == expected.stdout


@pytest.mark.parametrize("program", harness.PROGRAMS)
def test_program_prints_the_same_at_fidelity_rtl(program: str) -> None:
    index = _draw(program)
    ranks, machine = _ROUND[index % len(_ROUND)] % 5 + 2, harness.MACHINES[index % len(harness.MACHINES)]
    binary = harness.build(harness.source_of(program))
    expected = harness.run_mpich(binary, ranks)
    outcome = harness.run_tidings([binary], ranks, machine, ["--fidelity", "rtl"])
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == expected.stdout


@pytest.mark.parametrize(
    ("ranks", "machine", "collectives"),
    [(1, "mesh8x8", "hardware"), (5, "crossbar", "software"), (8, "spirit", "hardware"), (16, "mesh8x8", "software")],
)
def test_kmeans_example_prints_the_same(ranks: int, machine: str, collectives: str) -> None:
    binary = harness.build(harness.KMEANS)
    arguments = [str(harness.DIGITS), "--iterations", "4", "--seed", "3"]
    expected = harness.run_mpich(binary, ranks, arguments)
    outcome = harness.run_tidings([binary, *arguments], ranks, machine, ["--collectives", collectives])
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == expected.stdout


def test_binary_from_the_compiler_wrapper_of_mpich_runs_on_a_machine() -> None:
    binary = harness.build(harness.source_of("comm_split"), compiler=("mpicc_abi",))
    expected = harness.run_mpich(binary, 6)
    outcome = harness.run_tidings([binary], 6, "mesh8x8")
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == expected.stdout


def test_message_of_64_mebibytes_arrives_whole() -> None:
    binary = harness.build(harness.source_of("large_message"))
    arguments = [str(64 << 20)]
    expected = harness.run_mpich(binary, 2, arguments)
    outcome = harness.run_tidings([binary, *arguments], 2, "mesh8x8")
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == expected.stdout


@pytest.mark.parametrize(("program", "rounds"), [("many_communicators", 5500), ("many_copies", 8200)])
def test_contexts_of_freed_communicators_are_used_again(program: str, rounds: int) -> None:
    binary = harness.build(harness.source_of(f"communicators/{program}"))
    arguments = [str(rounds)]
    expected = harness.run_mpich(binary, 2, arguments)
    outcome = harness.run_tidings([binary, *arguments], 2, "spirit")
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == expected.stdout


def test_cases_cover_all_numbers_of_ranks_on_all_machines_with_both_kinds_of_collectives() -> None:
    assert {case.ranks for case in CASES} == {*_ALWAYS, *_ROUND}
    everywhere = {(machine, mode) for machine in harness.MACHINES for mode in harness.COLLECTIVES}
    for ranks in _ALWAYS:
        assert {(case.machine, case.collectives) for case in CASES if case.ranks == ranks} >= everywhere
    on_graphs = {(case.machine, case.collectives) for case in CASES if case.machine in harness.GRAPHS}
    assert on_graphs == {(machine, mode) for machine in harness.GRAPHS for mode in harness.COLLECTIVES}


def test_cases_of_areas_cover_numbers_of_ranks_machines_and_both_kinds_of_collectives_many_times() -> None:
    by_ranks = Counter(case.ranks for case in AREA_CASES)
    assert set(by_ranks) == set(range(1, 18))
    assert min(by_ranks.values()) >= 6
    assert len({(case.program, case.ranks) for case in AREA_CASES}) == len(AREA_CASES)
    by_machine = Counter((case.machine, case.collectives) for case in AREA_CASES)
    assert set(by_machine) == set(itertools.product((*harness.MACHINES, *harness.GRAPHS), harness.COLLECTIVES))
    assert min(by_machine.values()) >= 10


def test_more_than_250_programs_are_compared() -> None:
    assert len({case.program for case in (*CASES, *AREA_CASES)}) > 250
