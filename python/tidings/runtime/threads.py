# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""How many threads simulate a machine, and why they may be fewer than were asked for."""

import os

from tidings import _core
from tidings.machines.file import Machine

_DIFFERENT_LINKS = "links that differ in latency are simulated together"
#: With fewer routers, a thread gains less than it costs to meet the others.
_LEAST_ROUTERS = 32


def that_pay(config: _core.MachineConfig, routers: int) -> int:
    """Return the threads that simulate a machine with its engines if the user does not say how many.

    Parameters
    ----------
    config : _core.MachineConfig
        The machine.
    routers : int
        That take part.
    """
    return config.usable_threads(max(1, min(len(os.sched_getaffinity(0)), routers // _LEAST_ROUTERS)))


def of_machine(machine: Machine, config: _core.MachineConfig, routers: int, asked: int) -> tuple[int, str]:
    """Return the threads that simulate a machine with its engines, and what keeps them from being more.

    Parameters
    ----------
    machine, config : Machine, _core.MachineConfig
        The same machine.
    routers : int
        That take part: a run with few ranks does not need all.
    asked : int
        Threads that a user asks for.

    Returns
    -------
    threads : int
    reason : str
        Empty where they are as many as were asked for.
    """
    used = min(config.usable_threads(asked), routers)
    if used == asked:
        return used, ""
    if machine.link.reliable:
        return used, "links that lose nothing are simulated together"
    if machine.link_cycles[0] < machine.link_cycles[1]:
        return used, _DIFFERENT_LINKS
    if machine.link.latency_cycles > 1 and config.look_ahead_cycles == 1:
        return used, "processors that react to interrupts within 2 cycles leave no time to look ahead"
    return used, _of_network(machine, routers)


def of_traffic(machine: Machine, config: _core.TrafficConfig) -> tuple[int, str]:
    """Return the threads that simulate synthetic traffic, and what keeps them from being more; see `of_machine`."""
    used = config.usable_threads
    if used < config.threads and machine.link_cycles[0] < machine.link_cycles[1]:
        return used, _DIFFERENT_LINKS
    return used, "" if used == config.threads else _of_network(machine, machine.routers)


def _of_network(machine: Machine, routers: int) -> str:
    if routers > 1 and machine.link.latency_cycles == 1:
        return "links of 1 cycle leave no time to look ahead"
    return f"there {'is' if routers == 1 else 'are'} only {routers} router{'s' * (routers > 1)}"
