# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Node memory of a slot in scripts: commands read below, then come queue, regions, and results of collectives."""

CONTRIBUTION = 2048
QUEUE = 4096
REGIONS = 8192
REGION_BYTES = 1024  #: of each
RESULT = 10240
