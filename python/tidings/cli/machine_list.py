# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings machine list``."""

import tidings
from tidings.cli.options import CsvFile, JsonFile
from tidings.cli.output import console_beside, write_csv, write_json
from tidings.machines import view


def machine_list(json_file: JsonFile = None, csv_file: CsvFile = None) -> None:
    """List the machines that come with Tidings.

    For example:

    tidings machine list
    """
    console_beside(json_file, csv_file).print(view.catalogue())
    write_json(json_file, list(view.catalogue_rows()))
    if csv_file is not None:
        write_csv(csv_file, tidings.list_machines().reset_index())
