# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings machine list``."""

import tidings
from tidings.cli.options import CsvFile, JsonFile
from tidings.cli.output import console_beside, write_results
from tidings.machines import view


def machine_list(json_file: JsonFile = None, csv_file: CsvFile = None) -> None:
    """List the machines that come with Tidings.

    For example:

    tidings machine list
    """
    console_beside(json_file, csv_file).print(view.catalogue())
    write_results(json_file, list(view.catalogue_rows()), csv_file, lambda: tidings.list_machines().reset_index())
