// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file os_text.h
/// Texts of the operating system, which are bytes: arguments, paths, the environment.
#include <nanobind/nanobind.h>

#include <string>

namespace tidings {

/// A text that Python decodes as os.fsdecode does, so that bytes that are not UTF-8 pass through it unchanged.
struct OsText : std::string {
  using std::string::string;
  OsText(std::string text) : std::string(std::move(text)) {}  // NOLINT(google-explicit-constructor)
};

}  // namespace tidings

template <>
struct nanobind::detail::type_caster<tidings::OsText> {
  NB_TYPE_CASTER(tidings::OsText, const_name("str"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    if (!PyUnicode_Check(source.ptr())) return false;
    const object bytes = steal(PyUnicode_EncodeFSDefault(source.ptr()));
    if (!bytes) {
      PyErr_Clear();
      return false;
    }
    value.assign(PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
    return true;
  }

  static handle from_cpp(const tidings::OsText& text, rv_policy /*policy*/, cleanup_list* /*cleanup*/) noexcept {
    return PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  }
};
