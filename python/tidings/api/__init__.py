# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The functions of the package: what the command line does, for programs and notebooks.

Modules are imported when a function needs them: ``import tidings`` is quick, and works where the simulator does not.
"""
