# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The option of benches that says how a machine is simulated: apart from others, for it needs the simulator."""

from typing import Annotated

import typer

from tidings.cli.options import choice
from tidings.runtime.run import FIDELITIES

Fidelity = Annotated[
    str,
    typer.Option(
        "--fidelity",
        **choice(FIDELITIES),
        help="How the machine is simulated: by the cycle model or by the SystemVerilog itself.",
    ),
]
