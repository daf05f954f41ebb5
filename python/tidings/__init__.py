# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Message passing in hardware: run unmodified MPI programs on simulated networks and engines."""

from importlib.metadata import version

__version__ = version("tidings")
