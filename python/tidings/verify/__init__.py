# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The RTL and the cycle model, given the same, compared in every cycle."""
