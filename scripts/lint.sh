#!/usr/bin/env bash
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#
# Style, types and RTL lint of every tracked or new file; with --fix, formats instead. Runs all checks, then fails if one did.
set -uo pipefail
cd "$(dirname "$0")/.."

readonly generated=build/lint/generated
failed=()

# Files of the project that match the given patterns: tracked ones, and new ones that are not ignored.
files() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do [[ -f $file ]] && echo "$file"; done; }

# run NAME COMMAND...: run a check quietly; show what it said if it fails.
run() {
  local name=$1 log
  shift
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    echo "[lint] $name: ok"
  else
    cat "$log"
    echo "[lint] $name: FAILED"
    failed+=("$name")
  fi
  rm -f "$log"
}

mapfile -t verilog < <(files '*.sv' '*.svh')
mapfile -t waivers < <(files 'rtl/*.vlt')
mapfile -t native < <(files '*.c' '*.h' '*.cpp')
mapfile -t scripts < <(files '*.sh' .ci/run)

if [[ ${1-} == --fix ]]; then
  verible-verilog-format --inplace "${verilog[@]}"
  clang-format -i "${native[@]}"
  ruff check --fix --quiet .
  ruff format --quiet .
  exit
fi

# Every module is linted as a top of its own, so that parameters at their defaults and unused ports are seen too.
lint_rtl() {
  local TIDINGS_GENERATED
  TIDINGS_GENERATED=$PWD/$generated
  export TIDINGS_GENERATED
  python rtl/generate.py "$generated" || return
  files 'rtl/*.sv' | xargs grep -l '^module' | xargs -n 1 basename -s .sv |
    xargs -P "$(nproc)" -I TOP verilator --lint-only -Wall --top-module TOP -F rtl/sources.f "${waivers[@]}"
}

# Generated modules are those of the sources as they are now, not of the last build.
lint_types() {
  mkdir -p build/stubs/tidings/generated
  cp "$generated"/*.py build/stubs/tidings/generated/ || return
  MYPYPATH=rtl mypy rtl/generate.py && mypy drivers/rv32/image.py && mypy python/tidings && mypy tests/python experiments && mypy tests/formal &&
    mypy tests/mutation &&
    mypy tests/programs examples/kmeans examples/python && mypy docs/figures.py docs/tables/*.py
}

# What architecture.md promises: the simulator knows nothing of MPI, the library nothing of simulation. Only the
# extension module (sim/python) may know both.
lint_layers() {
  local status=0
  git grep --untracked -nwiE 'mpi|p?mpi_\w+' -- sim ':!sim/python' && status=1
  git grep --untracked -niE 'simulat|virtual time|"sim/' -- lib drivers/'*.c' && status=1
  git grep --untracked -nE '#include "(lib|coll|core|mpi|drivers/driver)[./]' -- sim ':!sim/python' && status=1
  return $status
}

run "layers" lint_layers
run "verible format" verible-verilog-format --verify --inplace "${verilog[@]}"
run "verible lint" verible-verilog-lint --rules_config=.rules.verible_lint "${verilog[@]}"
run "Verilator lint" lint_rtl
run "clang-format" clang-format --dry-run --Werror "${native[@]}"
run "ruff check" ruff check .
run "ruff format" ruff format --check .
run "mypy --strict" lint_types
run "shell syntax" bash -n "${scripts[@]}"

((${#failed[@]} == 0)) && exit
printf '[lint] failed: %s\n' "${failed[*]}"
exit 1
