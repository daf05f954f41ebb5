# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Synthesis of the RTL."""
