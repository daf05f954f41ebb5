#!/usr/bin/env python3
# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Run random MPI programs on MPICH and on Tidings, and compare what they print.

A seed draws everything: the steps (communicators, datatypes, messages, partitioned ones too, collectives in all their
ways, one-sided accesses, files: ``fuzz/steps.c``), the ranks, the machine, who carries out collectives, and algorithms
by name. The programs are right, so ``--check error`` has to be silent.

``python -m tests.programs.fuzz --seed 7`` goes on from seed 7 until Ctrl-C, or for ``--seconds``. It prints each seed,
and ends with status 1 and the first step that differs if there is one.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tests.programs import harness

import tidings

_SOURCE = harness.HERE / "fuzz" / "steps.c"
#: Ranks of MPICH spin while they wait, so few are quick.
_MOST_RANKS = 6
_STEPS = 40
#: Collectives that are given an algorithm by name in one run, at most.
_MOST_NAMED = 3


@dataclass(frozen=True)
class Case:
    """What a seed draws beside the steps."""

    seed: int
    ranks: int
    machine: str
    collectives: str
    algorithms: tuple[str, ...]
    steps: int = _STEPS

    def __str__(self) -> str:
        named = f", {', '.join(self.algorithms)}" if self.algorithms else ""
        return f"seed {self.seed}: {self.ranks} ranks on {self.machine}, {self.collectives}{named}"


def draw(seed: int) -> Case:
    """Draw a case from a seed."""
    source = random.Random(seed)
    collectives = source.choice(harness.COLLECTIVES)
    names = tidings.list_algorithms()
    by_collective: dict[str, list[str]] = {}
    for collective, algorithm in zip(names["collective"], names["algorithm"], strict=True):
        by_collective.setdefault(collective, []).append(algorithm)
    chosen = source.sample(sorted(by_collective), source.randint(0, _MOST_NAMED))
    return Case(
        seed=seed,
        ranks=source.randint(1, _MOST_RANKS),
        machine=source.choice(harness.MACHINES + harness.GRAPHS),
        collectives=collectives,
        algorithms=tuple(f"{name}={source.choice(by_collective[name])}" for name in chosen),
    )


def whole_steps(lines: Sequence[str], ranks: int) -> list[str]:
    """Return the lines of steps that are whole: a launcher that ends a run cuts lines, and writes its own."""
    whole = re.compile(rf"\d+ \S+( [0-9a-f]{{8}}){{{ranks}}}")
    return [line for line in lines if whole.fullmatch(line)]


def difference(case: Case) -> str | None:
    """Run a case on both, and say how they differ; nothing if they do not."""
    binary = harness.build(_SOURCE)
    arguments = [str(case.seed), str(case.steps)]
    theirs = harness.run_mpich(binary, case.ranks, arguments)
    # In this process: a command takes longer to start than the program to run.
    ours = tidings.run(
        [binary, *arguments],
        machine=case.machine,
        ranks=case.ranks,
        collectives=case.collectives,
        algorithms=dict(algorithm.split("=", 1) for algorithm in case.algorithms),
        mistakes="error",
        wall_limit=harness.PATIENCE_SECONDS,
        capture=True,
        check=False,
    )
    stdout = ours.stdout or ""
    if ours.exit_status != 0 or ours.mistakes:
        done = stdout.strip().splitlines()[-1:]
        found = [str(mistake) for mistake in ours.mistakes]
        return f"status {ours.exit_status} after {done or 'no step'}: {ours.error or ours.stderr} {found}"
    expected_lines, lines = theirs.stdout.splitlines(), stdout.splitlines()
    if theirs.status != 0:
        # MPICH has mistakes of its own: what it has printed before is compared.
        expected_lines = whole_steps(expected_lines, case.ranks)
        lines = lines[: len(expected_lines)]
    for expected, got in zip_longest(expected_lines, lines, fillvalue="nothing"):
        if expected != got:
            return f"step, name and hash of each rank are\n  {expected} on MPICH,\n  {got} on Tidings"
    return None


def _cases(first: int, count: int | None, seconds: float) -> Iterator[Case]:
    end = time.monotonic() + seconds
    seeds = itertools.count(first) if count is None else range(first, first + count)
    for seed in seeds:
        if time.monotonic() > end:
            return
        yield draw(seed)


def main() -> int:
    """Run as a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="the first seed; the clock's if there is none")
    parser.add_argument("--count", type=int, help="how many seeds; without, as many as there is time for")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no seed begins after this time")
    parsed = parser.parse_args()
    first = int(time.time()) if parsed.seed is None else parsed.seed
    done = 0
    try:
        for case in _cases(first, parsed.count, parsed.seconds):
            print(case, flush=True)
            if found := difference(case):
                again = f"python -m tests.programs.fuzz --seed {case.seed} --count 1"
                print(f"{found}\nrun it again: {again}", file=sys.stderr)
                return 1
            done += 1
    except KeyboardInterrupt:
        pass
    print(f"{done} programs printed the same on MPICH and on Tidings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
