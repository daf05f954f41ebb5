# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""The kernels (``examples/kernels``) verify themselves, and find the same on any number of ranks, here and on MPICH."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.programs import harness, test_fortran

#: What each finds for its class ``tiny``.
FOUND = {
    "cg": "3.8614537540",
    "ft": "32.5924953348",
    "is": "1018997850",
    "lu": "1.17974949e+00",
    "mg": "5.53385352e-02",
}


def build(kernel: str) -> Path:
    """Compile a kernel, in plain C11 and without a warning."""
    return harness.build(harness.KERNELS / f"{kernel}.c", flags=("-std=c11", "-Wconversion"))


def seconds(outcome: harness.Outcome) -> float:
    """Return the time that a kernel prints."""
    found = re.search(r"^time +([\d.]+) s$", outcome.stdout, re.MULTILINE)
    assert found is not None, outcome
    return float(found[1])


def assert_verified(outcome: harness.Outcome, value: str) -> None:
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.splitlines()[:2] == [f"verification  {value}", "verified      yes"]
    assert seconds(outcome) > 0


def test_every_kernel_is_tested() -> None:
    assert {path.stem for path in harness.KERNELS.glob("*.c")} == set(FOUND)


@pytest.mark.parametrize("kernel", FOUND)
@pytest.mark.parametrize(("ranks", "machine", "collectives"), [(4, "spirit", "hardware"), (9, "mesh8x8", "software")])
def test_kernel_finds_the_same_as_under_mpich(kernel: str, ranks: int, machine: str, collectives: str) -> None:
    binary = build(kernel)
    assert_verified(harness.run_mpich(binary, ranks), FOUND[kernel])
    options = ["--collectives", collectives, "--check", "error"]
    assert_verified(harness.run_tidings([binary], ranks, machine, options), FOUND[kernel])


def test_page_of_the_kernels_shows_what_the_first_one_prints() -> None:
    page = (harness.KERNELS / "README.md").read_text(encoding="utf-8")
    outcome = harness.run_tidings([build("is"), "small"], 16, "mesh8x8")
    assert f"```\n{outcome.stdout}```\n" in page, outcome.stdout


@test_fortran.needs_compiler
@pytest.mark.parametrize(
    ("kernel", "words", "said"),
    [
        ("ft", ["8", "6", "8"], "ft: 4 ranks do not divide 6 x 8 lines: another y and z"),
        ("lu", ["1"], "lu: the ranks are 2 x 2, more than 1 points along an edge: more points"),
    ],
)
def test_kernel_in_fortran_finds_what_it_finds_in_c(kernel: str, words: list[str], said: str) -> None:
    flags = ("-std=f2018", "-O1", "-fcheck=bounds")
    binary = test_fortran.build(harness.KERNELS / f"{kernel}.f90", flags=flags)
    outcome = harness.run_tidings([binary], 6, "mesh8x8", ["--check", "error"])
    assert_verified(harness.Outcome(outcome.status, outcome.stdout.lower(), outcome.stderr), FOUND[kernel])
    refused = harness.run_mpich(binary, 4, words)
    assert refused.status != 0
    assert refused.stderr.count(said) == 1


@pytest.mark.parametrize(
    ("words", "ranks", "said"),
    [
        (("cg",), 3, "cg: 3 ranks are neither p * p nor 2 * p * p"),
        (("cg", "rows=2"), 9, "cg: 2 rows are less than the grid's columns: more rows=N"),
        (("ft", "y=35"), 4, "ft: 4 ranks do not divide 35 x 36 lines: other y=N z=N"),
        (("lu", "points=1"), 2, "lu: 2 ranks are 2 x 1, more than 1 points along an edge: more points=N"),
        (
            ("mg", "small"),
            3,
            "mg: 3 ranks are 3 x 1 x 1, and 32 points have no 4 levels there: other points=N levels=N",
        ),
        (("is", "keys=0"), 2, "is: keys=0 is no parameter with a value in its limits"),
        (("is", "key=9"), 2, "is: key=9 is no parameter with a value in its limits"),
    ],
)
def test_kernel_says_once_what_it_cannot_take(words: tuple[str, ...], ranks: int, said: str) -> None:
    outcome = harness.run_mpich(build(words[0]), ranks, words[1:])
    assert outcome.status != 0
    assert outcome.stdout == ""
    assert outcome.stderr.count(said) == 1


def test_kernel_that_does_not_verify_fails() -> None:
    outcome = harness.run_mpich(build("cg"), 2, ["steps=2"])
    assert "verified      no" in outcome.stdout
    assert outcome.status != 0


def test_operations_take_the_time_that_is_asked_for() -> None:
    binary = build("is")
    operations = 2 * (4 * 2048 + 64 + 512)  # two rounds: four per key, one per bucket, one per value
    free, charged = (seconds(harness.run_tidings([binary, f"op_ns={cost}"], 1, "mesh8x8")) for cost in (0, 1000))
    assert charged - free == pytest.approx(operations * 1e-6, rel=1e-6)
