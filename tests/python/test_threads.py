# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How many threads simulate a machine, and what is said where they are fewer than were asked for."""

import dataclasses

import pytest

from tidings.machines.configuration import configuration
from tidings.machines.file import Machine, find_machine, load_machine
from tidings.runtime import threads
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
