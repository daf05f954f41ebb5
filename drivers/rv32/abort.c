/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file abort.c
 * Replaces two functions of the C++ library that run after an exception that nobody catches. Without the name of its
 * type, the image is an eighth smaller.
 */
#include <stddef.h>
#include <stdlib.h>

char* __cxa_demangle(const char* name, char* buffer, size_t* bytes, int* status) {
  (void)name;
  (void)buffer;
  (void)bytes;
  if (status != NULL) *status = -2; /* not a name */
  return NULL;
}

_Noreturn void __abort_message(const char* format, ...) {
  (void)format;
  abort();
}
