# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""Readers of SystemRDL and of SystemVerilog packages, and writers of what is made from them."""
