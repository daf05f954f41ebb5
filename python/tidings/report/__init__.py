# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What runs and measurements report."""
