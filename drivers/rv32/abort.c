/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file abort.c
 * In place of what the C++ library has for exceptions that nobody catches: their types are not told by name, which
 * would take an eighth of the image.
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
