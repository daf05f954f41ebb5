# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the simulator and of links."""
