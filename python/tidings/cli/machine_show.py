# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings machine show``."""

import tidings
from tidings.cli.options import CsvFile, JsonFile, MachineArgument
from tidings.cli.output import console_beside, write_results
from tidings.machines import view
from tidings.report.frames import Rows


def machine_show(machine: MachineArgument, json_file: JsonFile = None, csv_file: CsvFile = None) -> None:
    """Print everything about a machine: its file's values with their units, and what follows from them.

    For example:

    tidings machine show spirit

    tidings machine show ./mine.toml
    """
    chosen = tidings.machine(machine)
    out = console_beside(json_file, csv_file)
    for part in view.details(chosen):
        out.print(part)
    values, derived = Rows(view.values_of(chosen)), Rows(view.derived_of(chosen))
    write_results(
        json_file,
        {"machine": chosen.name, "values": values.as_json(), "derived": derived.as_json()},
        csv_file,
        Rows([*values, *derived]),
    )
