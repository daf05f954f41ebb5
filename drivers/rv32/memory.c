/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file memory.c
 * Copies in words. Those of the C library go byte by byte on this core.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WORD = sizeof(uint32_t), GROUP = 4 * WORD };
/* May name bytes of any type. */
typedef uint32_t __attribute__((may_alias)) word;

static int words_fit(const void* a, const void* b) { return (((uintptr_t)a | (uintptr_t)b) & (WORD - 1)) == 0; }

/* All of a group is read before it is written, so the pieces may overlap if they lie in this order. */
static inline void* copy_forwards(void* destination, const void* source, size_t bytes) {
  unsigned char* to = destination;
  const unsigned char* from = source;
  if (words_fit(to, from)) {
    for (; bytes >= GROUP; bytes -= GROUP, to += GROUP, from += GROUP) {
      const word a = ((const word*)from)[0], b = ((const word*)from)[1];
      const word c = ((const word*)from)[2], d = ((const word*)from)[3];
      ((word*)to)[0] = a;
      ((word*)to)[1] = b;
      ((word*)to)[2] = c;
      ((word*)to)[3] = d;
    }
    for (; bytes >= WORD; bytes -= WORD, to += WORD, from += WORD) *(word*)to = *(const word*)from;
  }
  for (; bytes > 0; --bytes) *to++ = *from++;
  return destination;
}

__attribute__((used)) void* memcpy(void* restrict destination, const void* restrict source, size_t bytes) {
  return copy_forwards(destination, source, bytes);
}

__attribute__((used)) void* memmove(void* destination, const void* source, size_t bytes) {
  if ((uintptr_t)destination - (uintptr_t)source >= bytes) return copy_forwards(destination, source, bytes);
  unsigned char* to = (unsigned char*)destination + bytes;
  const unsigned char* from = (const unsigned char*)source + bytes;
  if (words_fit(to, from)) {
    for (; bytes >= WORD; bytes -= WORD) {
      to -= WORD;
      from -= WORD;
      *(word*)to = *(const word*)from;
    }
  }
  for (; bytes > 0; --bytes) *--to = *--from;
  return destination;
}
