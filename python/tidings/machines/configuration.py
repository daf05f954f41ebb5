# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machines as the simulator and the hardware count them: kHz, picoseconds, bytes, and numbers for choices."""

from collections.abc import Mapping

from tidings import _core
from tidings.machines import work
from tidings.machines.file import Machine
from tidings.machines.schema import schema


def configuration(machine: Machine, profile: str | None = None) -> _core.MachineConfig:
    """Translate a machine file for the simulator.

    Parameters
    ----------
    machine : Machine
        The machine.
    profile : str, optional
        Which of its profiles says what the library's work costs; without one, its counted instructions do.
    """
    costs = None if profile is None else machine.profile(profile).costs
    config = _core.MachineConfig()
    config.name = machine.name
    config.summary = machine.summary
    config.topology = machine.topology.configuration()
    for section, parameters in schema().items():
        for key, parameter in parameters.items():
            if parameter.counted is not None:
                value = parameter.number(_cost_ns(machine, key, parameter.counted, costs))
            elif parameter.fixed:
                continue
            else:
                value = parameter.number(getattr(getattr(machine, section), key))
            if parameter.rtl:
                setattr(config.node, parameter.rtl, value)
            elif parameter.config:
                setattr(getattr(config, section), parameter.config, value)
    return config


def _cost_ns(machine: Machine, key: str, counted: str, costs: Mapping[str, float] | None) -> float:
    if costs is None or (key not in costs and counted in work.OF_ANY_LIBRARY):
        return work.cost_ns(counted, machine.processor)
    return costs.get(key, 0.0)


def node_parameters(machine: Machine) -> dict[str, int]:
    """Return the configuration of the node that a machine is made of, by the names of ``node_cfg_t``."""
    node = configuration(machine).node_parameters
    return {name: getattr(node, name) for name in hardware_parameters()}


def default_node_parameters() -> dict[str, int]:
    """Return the configuration of a node of which nothing is said."""
    node = _core.MachineConfig().node
    return {name: getattr(node, name) for name in hardware_parameters()}


def hardware_parameters() -> list[str]:
    """Return the names of ``node_cfg_t``."""
    return [parameter.rtl for parameters in schema().values() for parameter in parameters.values() if parameter.rtl]
