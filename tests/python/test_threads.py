# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How many threads simulate a machine, and what is said where they are fewer than were asked for."""

import dataclasses
import os
from typing import Any

import pytest

from tidings.machines.configuration import configuration
from tidings.machines.file import Machine, find_machine, load_machine
from tidings.runtime import run, threads
from tidings.traffic import measurement

SPIRIT = load_machine(find_machine("spirit"))
MESH = load_machine(find_machine("mesh8x8"))
QUICK = dataclasses.replace(SPIRIT, processor=SPIRIT.processor.replaced(interrupt_ns=15.0))
RELIABLE = dataclasses.replace(SPIRIT, link=SPIRIT.link.replaced(reliable=True))


@pytest.mark.parametrize(
    ("machine", "routers", "asked", "used", "reason"),
    [
        (SPIRIT, 64, 3, 3, ""),
        (SPIRIT, 2, 3, 2, "there are only 2 routers"),
        (SPIRIT, 1, 2, 1, "there is only 1 router"),
        (MESH, 64, 2, 1, "links of 1 cycle leave no time to look ahead"),
        (MESH, 64, 1, 1, ""),
        (QUICK, 64, 2, 1, "processors that react to interrupts within 2 cycles leave no time to look ahead"),
        (RELIABLE, 64, 2, 1, "links that lose nothing are simulated together"),
    ],
)
def test_machines_have_as_many_threads_as_pay(
    machine: Machine, routers: int, asked: int, used: int, reason: str
) -> None:
    assert threads.of_machine(machine, configuration(machine), routers, asked) == (used, reason)


@pytest.mark.parametrize(
    ("machine", "asked", "used", "reason"),
    [
        (SPIRIT, 4, 4, ""),
        (QUICK, 2, 2, ""),
        (SPIRIT, 100, 64, "there are only 64 routers"),
        (MESH, 2, 1, "links of 1 cycle leave no time to look ahead"),
        (load_machine(find_machine("crossbar")), 2, 1, "there is only 1 router"),
    ],
)
def test_traffic_has_as_many_threads_as_pay(machine: Machine, asked: int, used: int, reason: str) -> None:
    config = measurement.Traffic(machine, threads=asked).at(0.1)
    assert threads.of_traffic(machine, config) == (used, reason)


@pytest.mark.parametrize(
    ("machine", "routers", "cores", "used"),
    [
        (SPIRIT, 64, 2, 2),
        (SPIRIT, 64, 8, 2),
        (SPIRIT, 64, 1, 1),
        (SPIRIT, 63, 2, 1),
        (SPIRIT, 1, 2, 1),
        (MESH, 64, 2, 1),
        (QUICK, 64, 2, 1),
        (RELIABLE, 64, 2, 1),
    ],
)
def test_without_a_number_there_is_a_thread_for_every_32_routers(
    machine: Machine, routers: int, cores: int, used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    assert threads.that_pay(configuration(machine), routers) == used


@pytest.mark.parametrize(
    ("options", "used"),
    [
        ({}, 2),
        ({"threads": 1}, 1),
        ({"threads": 3}, 3),
        ({"ranks": 32}, 1),
        ({"rtl_nodes": (0,)}, 1),
        ({"fidelity": "rtl"}, 1),
    ],
)
def test_runs_without_a_number_have_threads_where_they_may(
    options: dict[str, Any], used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    job = dataclasses.replace(run.Job(["true"], 64, SPIRIT), **options)
    assert run.threads_of(job) == (used, "")
