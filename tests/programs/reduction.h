// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file reduction.h
 * Contributions of every type for the reduction programs: small integers, so that every result is exact in
 * every type and does not depend on the order of the operations.
 */
#ifndef TIDINGS_TESTS_REDUCTION_H
#define TIDINGS_TESTS_REDUCTION_H

#include "program.h"

struct element_type {
  const char* name;
  MPI_Datatype type;
  size_t bytes;
  void (*store)(void* to, size_t index, int value);
  long long (*load)(const void* from, size_t index);
  bool integer;
};

#define DEFINE_ELEMENT(type, id)                                                                         \
  static inline void store_##id(void* to, size_t index, int value) { ((type*)to)[index] = (type)value; } \
  static inline long long load_##id(const void* from, size_t index) { return (long long)((const type*)from)[index]; }
DEFINE_ELEMENT(int8_t, int8)
DEFINE_ELEMENT(uint8_t, uint8)
DEFINE_ELEMENT(int16_t, int16)
DEFINE_ELEMENT(uint16_t, uint16)
DEFINE_ELEMENT(int32_t, int32)
DEFINE_ELEMENT(uint32_t, uint32)
DEFINE_ELEMENT(int64_t, int64)
DEFINE_ELEMENT(uint64_t, uint64)
DEFINE_ELEMENT(float, float)
DEFINE_ELEMENT(double, double)
#undef DEFINE_ELEMENT

enum { ELEMENT_TYPES = 16, OPERATIONS = 10 };

/** All types that the programs reduce; a macro's value is no constant expression everywhere, so a function. */
static inline void element_types(struct element_type types[ELEMENT_TYPES]) {
  const struct element_type all[ELEMENT_TYPES] = {
      {"int", MPI_INT, sizeof(int), store_int32, load_int32, true},
      {"int32", MPI_INT32_T, 4, store_int32, load_int32, true},
      {"int64", MPI_INT64_T, 8, store_int64, load_int64, true},
      {"float", MPI_FLOAT, 4, store_float, load_float, false},
      {"double", MPI_DOUBLE, 8, store_double, load_double, false},
      {"long", MPI_LONG, sizeof(long), store_int64, load_int64, true},
      {"long long", MPI_LONG_LONG, 8, store_int64, load_int64, true},
      {"unsigned", MPI_UNSIGNED, 4, store_uint32, load_uint32, true},
      {"unsigned long", MPI_UNSIGNED_LONG, sizeof(unsigned long), store_uint64, load_uint64, true},
      {"uint32", MPI_UINT32_T, 4, store_uint32, load_uint32, true},
      {"uint64", MPI_UINT64_T, 8, store_uint64, load_uint64, true},
      {"short", MPI_SHORT, sizeof(short), store_int16, load_int16, true},
      {"unsigned short", MPI_UNSIGNED_SHORT, 2, store_uint16, load_uint16, true},
      {"int8", MPI_INT8_T, 1, store_int8, load_int8, true},
      {"uint8", MPI_UINT8_T, 1, store_uint8, load_uint8, true},
      {"signed char", MPI_SIGNED_CHAR, 1, store_int8, load_int8, true},
  };
  memcpy(types, all, sizeof all);
}

struct operation {
  const char* name;
  MPI_Op op;
  bool integers_only;
};

static inline void operations(struct operation list[OPERATIONS]) {
  const struct operation all[OPERATIONS] = {
      {"sum", MPI_SUM, false},  {"min", MPI_MIN, false},  {"max", MPI_MAX, false},  {"prod", MPI_PROD, false},
      {"band", MPI_BAND, true}, {"bor", MPI_BOR, true},   {"bxor", MPI_BXOR, true}, {"land", MPI_LAND, true},
      {"lor", MPI_LOR, true},   {"lxor", MPI_LXOR, true},
  };
  memcpy(list, all, sizeof all);
}

/** What `rank` contributes: signed for sums and extremes, sparse twos for products, so that no type overflows. */
static inline int contribution(const struct element_type* type, const struct operation* operation, int rank,
                               int index) {
  const bool is_unsigned = type->name[0] == 'u';
  if (operation->op == MPI_PROD) return (rank + index) % 4 == 0 ? 2 : 1;
  if (operation->op == MPI_LAND || operation->op == MPI_LOR || operation->op == MPI_LXOR) {
    return (rank * 3 + index) % 5 == 0 ? 0 : rank + 1;
  }
  const int value = (rank * 5 + index * 3) % 15;
  return is_unsigned ? value : value - 7;
}

#endif
