// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include <exception>
#include <system_error>

#include "sim/python/bindings.h"

namespace nb = nanobind;

namespace {

/// Errors of system calls become OSError with their number, from which Python chooses FileNotFoundError and the like.
void raise_os_error(const std::exception_ptr& error, void* /*unused*/) {
  try {
    std::rethrow_exception(error);
  } catch (const std::system_error& failure) {
    nb::object arguments = nb::make_tuple(failure.code().value(), failure.what());
    PyErr_SetObject(PyExc_OSError, arguments.ptr());
  }
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The simulator: machines described by plain values, and runs of programs on them.";
  nb::register_exception_translator(raise_os_error);
  tidings::bind_machine(module);
  tidings::bind_algorithms(module);
  tidings::bind_analysis(module);
  tidings::bind_run(module);
  tidings::bind_benchmark(module);
  tidings::bind_traffic(module);
  tidings::bind_verify(module);
}
