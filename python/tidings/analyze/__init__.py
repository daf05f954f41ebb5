# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What follows from a machine without running it."""
