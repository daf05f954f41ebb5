// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file bindings.h
/// The parts of the Python module `tidings._core`. Its stub, `_core.pyi`, is generated from these bindings and their
/// docstrings.
#include <nanobind/nanobind.h>

namespace tidings {

void bind_algorithms(nanobind::module_& module);
void bind_analysis(nanobind::module_& module);
void bind_machine(nanobind::module_& module);
void bind_run(nanobind::module_& module);
void bind_benchmark(nanobind::module_& module);
void bind_traffic(nanobind::module_& module);
void bind_verify(nanobind::module_& module);

}  // namespace tidings
