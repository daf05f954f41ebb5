# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Collectives in the engines: trees, measurements, bounds and published figures."""
