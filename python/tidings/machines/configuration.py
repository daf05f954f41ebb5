# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machines as the simulator and the hardware count them: kHz, picoseconds, bytes, and numbers for choices."""

from tidings import _core
from tidings.machines import work
from tidings.machines.file import Machine, schema


def configuration(machine: Machine) -> _core.MachineConfig:
    """Translate a machine file for the simulator."""
    config = _core.MachineConfig()
    config.name = machine.name
    config.summary = machine.summary
    config.topology = machine.topology.configuration()
    for section, parameters in schema().items():
        for key, parameter in parameters.items():
            if parameter.counted is not None:
                value = parameter.number(work.cost_ns(parameter.counted, machine.processor))
            elif parameter.fixed:
                continue
            else:
                value = parameter.number(getattr(getattr(machine, section), key))
            if parameter.rtl:
                setattr(config.node, parameter.rtl, value)
            elif parameter.config:
                setattr(getattr(config, section), parameter.config, value)
    return config


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
