# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Synthetic traffic on machines."""
