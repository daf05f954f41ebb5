#!/usr/bin/env bash
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#
# check_spdx.sh FILE...: each file names its licence in one of its first lines.
set -euo pipefail
status=0
for file in "$@"; do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' && continue
  echo "$file: no SPDX line"
  status=1
done
exit $status
