# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Runs of programs on machines."""
