/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file call_text.c
 * A call as people read it.
 */
#include "trace.h"

/** Where characters go; those that do not fit are dropped. */
struct output {
  char* next;
  char* last; /**< place of the zero */
};

static void put(struct output* to, char character) {
  if (to->next != to->last) *to->next++ = character;
}

static void put_text(struct output* to, const char* text) {
  while (*text != '\0') put(to, *text++);
}

static void put_number(struct output* to, int64_t value) {
  char digits[20];
  uint32_t count = 0;
  uint64_t rest = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
  if (value < 0) put(to, '-');
  do digits[count++] = (char)('0' + rest % 10);
  while ((rest /= 10) != 0);
  while (count != 0) put(to, digits[--count]);
}

size_t tidings_call_text(const char* name, const struct tidings_argument* arguments, uint32_t count, char* text,
                         size_t bytes) {
  struct output to = {text, text + bytes - 1};
  put_text(&to, name);
  for (uint32_t i = 0; i < count; ++i) {
    put_text(&to, i == 0 ? "(" : ", ");
    for (const char* c = arguments[i].text; *c != '\0'; ++c) {
      if (*c == '%')
        put_number(&to, arguments[i].value);
      else
        put(&to, *c);
    }
  }
  if (count != 0) put(&to, ')');
  *to.next = '\0';
  return (size_t)(to.next - text);
}
