# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""``tidings doctor``."""

import typer

from tidings import doctor
from tidings.cli.options import CsvFile, JsonFile
from tidings.cli.output import console_beside, write_results
from tidings.report.frames import Rows


def doctor_command(json_file: JsonFile = None, csv_file: CsvFile = None) -> None:
    """Look for everything that Tidings needs and say what is missing. The exit status is 0 if nothing is.

    For example:

    tidings doctor
    """
    findings = Rows(doctor.examine())
    console_beside(json_file, csv_file).print(doctor.table(findings))
    write_results(json_file, findings.as_json(), csv_file, findings)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)
