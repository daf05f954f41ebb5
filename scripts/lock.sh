#!/usr/bin/env bash
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#
# Makes requirements.txt anew from requirements.in, in an environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${PYTHON:-python3}" -m venv "$scratch"
"$scratch/bin/pip" install --quiet --upgrade pip
"$scratch/bin/pip" install --quiet --only-binary=:all: -r requirements.in
{
  sed -n '/^#/p' requirements.txt
  "$scratch/bin/pip" freeze --all | grep -vE '^(pip|setuptools)='
} >"$scratch/lock"
cp "$scratch/lock" requirements.txt
echo "requirements.txt: $(grep -c == requirements.txt) packages"
