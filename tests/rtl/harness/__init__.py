# Copyright Tidings contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the cocotb tests share: building and running, sources and sinks of flits, packets."""
