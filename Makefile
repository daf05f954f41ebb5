# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#
# `make` builds; `make help` lists what else there is. Everything can be repeated and does only what is left to do.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory
export PATH := $(CURDIR)/.venv/bin:$(PATH)

PYTHON_STAMP := build/.installed
SOURCES := $(shell find drivers examples/kernels experiments lib sim rtl machines -type f -not -name '*.pyc') CMakeLists.txt pyproject.toml README.md

# An editable install knows each Python module by name: a new one is a reason to install again, an edited one is not.
MODULES := build/.modules
$(shell mkdir -p build && find python/tidings -name __pycache__ -prune -o -type f -print | LC_ALL=C sort > $(MODULES).new && \
  { cmp -s $(MODULES).new $(MODULES) || cp $(MODULES).new $(MODULES); })

.PHONY: build
build: $(PYTHON_STAMP) ## Build everything and install it into .venv (what plain `make` does)

.PHONY: help
help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: ## Install what is missing: system packages, the Python environment in .venv, Verilator
	@scripts/setup.sh

.PHONY: demo
demo: build ## Run the k-means example on 8 FPGA nodes, with hardware and with software collectives
	@python examples/kmeans/run_demo.py

WHEELS ?= build/wheels

.PHONY: wheel
wheel: setup ## Build a wheel into build/wheels (WHEELS=folder: elsewhere)
	@echo "[wheel] $(WHEELS)"
	@flock build/.lock python -m pip wheel --quiet --disable-pip-version-check --no-input --no-deps \
	  --no-build-isolation --wheel-dir $(WHEELS) .

.PHONY: test
test: lint test-native test-sanitized test-python prove ## Lint, then all tests and proofs

.PHONY: configure-sanitized
configure-sanitized: build
	@cmake -S . -B build/test -G Ninja -DCMAKE_BUILD_TYPE=Debug \
	  -DTIDINGS_TESTS=ON -DTIDINGS_SANITIZE=ON -DTIDINGS_WERROR=ON -DTIDINGS_PYTHON=OFF

.PHONY: test-native
test-native: configure-sanitized ## C++ and C unit tests, with the address and undefined-behaviour sanitizers
	@cmake --build build/test --parallel 2
	@ctest --test-dir build/test --output-on-failure --parallel 2 --timeout 600

# One run of each program of an area, of some in Fortran, of the kernels and of random ones takes two to three minutes.
# All tests of tests/programs run so, too.
TESTS ?= tests/programs/test_sanitized.py tests/programs/test_same_as_mpich.py -k "of_an_area and hardware or seen or clean"

.PHONY: test-sanitized
test-sanitized: configure-sanitized ## MPI programs on libraries with sanitizers; TESTS=tests/programs: all tests of these
	@cmake --build build/test --parallel 2 --target tidings_libraries
	@cmake --install build/test --component runtime --prefix build/sanitized >build/sanitized.log
	@TIDINGS_RANK_LIBRARIES=$(CURDIR)/build/sanitized/tidings/lib UBSAN_OPTIONS=print_stacktrace=1 \
	  ASAN_OPTIONS=handle_segv=0:handle_sigfpe=0:handle_abort=0$(if $(ASAN_OPTIONS),:$(ASAN_OPTIONS)) python -m pytest -n 2 --dist worksteal $(TESTS)

.PHONY: test-python
test-python: build rv32-tools mpi4py mpi4py-wheel ## Python, RTL (cocotb) and program tests
	@TIDINGS_QUICK_NODES=1 python -m pytest -n 2 --dist worksteal --durations 20

.PHONY: fuzz
fuzz: build ## Compare random MPI programs with MPICH until Ctrl-C; SEED=7: from that seed on; SECONDS=3600: as long
	@python -m tests.programs.fuzz $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS))

.PHONY: rv32-tools
rv32-tools: setup
	@python -m pip install --quiet --disable-pip-version-check --no-input --no-deps -r requirements-rv32.txt

.PHONY: mpi4py
mpi4py: build/mpi4py/.installed ## Build mpi4py from its sources against the MPI library, into build/mpi4py, for the tests

build/mpi4py/.installed: requirements-mpi4py.txt | build
	@echo "[mpi4py] built from its sources, without optimization: about a minute"
	@rm -rf build/mpi4py
	@source <(tidings env) && CFLAGS=-O0 python -m pip install --quiet --disable-pip-version-check --no-input \
	  --no-cache-dir --no-deps --no-binary mpi4py --constraint $< --build-constraint $< --target build/mpi4py mpi4py
	@touch $@

.PHONY: mpi4py-wheel
mpi4py-wheel: build/mpi4py-wheel/.installed ## Install mpi4py's released wheel, for MPICH's ABI, into build/mpi4py-wheel

build/mpi4py-wheel/.installed: requirements-mpi4py.txt | build
	@echo "[mpi4py] its released wheel"
	@rm -rf build/mpi4py-wheel
	@python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: \
	  --constraint $< --target build/mpi4py-wheel mpi4py
	@touch $@

.PHONY: rv32
rv32: rv32-tools ## Build library and driver for a soft core of RISC-V; print the images' sizes beside their limit
	@cmake -S . -B build/rv32 -G Ninja -DTIDINGS_BOARD=rv32
	@cmake --build build/rv32 --parallel 2 --target tidings_rv32 tidings_rv32_rma
	@python drivers/rv32/image.py build/rv32/drivers/rv32/tidings_rv32
	@python drivers/rv32/image.py build/rv32/drivers/rv32/tidings_rv32_rma

.PHONY: rv32-counted
rv32-counted: rv32-tools ## Build what `tidings bench library --image` counts: the same for speed, with marks
	@cmake -S . -B build/rv32-counted -G Ninja -DTIDINGS_BOARD=rv32 -DTIDINGS_RV32_OPTIMIZE=-O2 -DTIDINGS_EXTRA_ALGORITHMS=ON
	@cmake --build build/rv32-counted --parallel 2 --target tidings_rv32_counted
	@echo "[rv32] tidings bench library --image build/rv32-counted/drivers/rv32/tidings_rv32_counted"

.PHONY: prove
prove: build ## Prove what docs/proofs.md lists; DEPTH=20: further where bounded; LONG=1: long ones too
	@python tests/formal/prove.py $(if $(DEPTH),--depth $(DEPTH)) $(if $(LONG),--long)

.PHONY: prove-planted
prove-planted: build ## Plant faults in copies of the RTL; each must make its proof fail
	@python tests/formal/prove.py --planted $(if $(LONG),--long)

.PHONY: mutants
mutants: build ## Change blocks of the RTL in many places: which mutants do the proofs kill? N=30: of each block
	@python tests/mutation/mutants.py $(if $(N),--count $(N)) $(if $(SEED),--seed $(SEED))

.PHONY: docs
docs: build ## Build the documentation site: build/docs/html/index.html
	@python docs/pictures/draw.py
	@python -m sphinx --quiet --fail-on-warning --builder html --doctree-dir build/docs/doctrees docs build/docs/html
	@echo "[docs] build/docs/html/index.html"

.PHONY: figures
figures: build ## Make the figures of the documentation anew; PAGES=docs/silicon.md: some pages; LONG=1: long ones too
	@python docs/figures.py $(if $(LONG),--long) $(PAGES)

.PHONY: lint
lint: build ## Check style and types: verible, Verilator, clang-format, ruff, mypy
	@scripts/lint.sh

.PHONY: format
format: setup ## Rewrite sources in the project's style
	@scripts/lint.sh --fix

.PHONY: clean
clean: ## Remove what was built (not .venv)
	rm -rf build .pytest_cache .mypy_cache .ruff_cache

$(PYTHON_STAMP): $(SOURCES) $(MODULES) | setup
	@echo "[build] the simulator, the MPI library and the Python package"
	@touch $@.begun  # what is edited during the build is newer than the stamp
	@flock build/.lock python -m pip install --quiet --disable-pip-version-check --no-input --no-deps \
	  --no-build-isolation --editable .
	@mkdir -p build/stubs/tidings/generated  # mypy reads the package from python/ and what the build makes from here
	@cp .venv/lib/python3*/site-packages/tidings/_core.pyi build/stubs/tidings/
	@cp .venv/lib/python3*/site-packages/tidings/generated/*.py build/stubs/tidings/generated/
	@mv $@.begun $@
