// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Each basic type of C is sent and received, and has the size and extent of its C type.
#include <complex.h>
#include <wchar.h>

#include "program.h"

#define TYPE(name, type) {#name, name, sizeof(type)}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const struct {
    const char* name;
    MPI_Datatype type;
    size_t size;
  } types[] = {TYPE(MPI_CHAR, char),
               TYPE(MPI_SIGNED_CHAR, signed char),
               TYPE(MPI_UNSIGNED_CHAR, unsigned char),
               TYPE(MPI_SHORT, short),
               TYPE(MPI_UNSIGNED_SHORT, unsigned short),
               TYPE(MPI_INT, int),
               TYPE(MPI_UNSIGNED, unsigned),
               TYPE(MPI_LONG, long),
               TYPE(MPI_UNSIGNED_LONG, unsigned long),
               TYPE(MPI_LONG_LONG, long long),
               TYPE(MPI_UNSIGNED_LONG_LONG, unsigned long long),
               TYPE(MPI_FLOAT, float),
               TYPE(MPI_DOUBLE, double),
               TYPE(MPI_LONG_DOUBLE, long double),
               TYPE(MPI_WCHAR, wchar_t),
               TYPE(MPI_C_BOOL, bool),
               TYPE(MPI_INT8_T, int8_t),
               TYPE(MPI_INT16_T, int16_t),
               TYPE(MPI_INT32_T, int32_t),
               TYPE(MPI_INT64_T, int64_t),
               TYPE(MPI_UINT8_T, uint8_t),
               TYPE(MPI_UINT16_T, uint16_t),
               TYPE(MPI_UINT32_T, uint32_t),
               TYPE(MPI_UINT64_T, uint64_t),
               TYPE(MPI_AINT, MPI_Aint),
               TYPE(MPI_COUNT, MPI_Count),
               TYPE(MPI_OFFSET, MPI_Offset),
               TYPE(MPI_C_FLOAT_COMPLEX, float complex),
               TYPE(MPI_C_DOUBLE_COMPLEX, double complex),
               TYPE(MPI_C_LONG_DOUBLE_COMPLEX, long double complex),
               TYPE(MPI_BYTE, char)};
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    unsigned char out[7 * 32], in[7 * 32] = {0};
    fill(out, sizeof out, (uint64_t)rank * 100 + i);
    MPI_Status status;
    int size, count;
    MPI_Aint lower, extent;
    MPI_Type_size(types[i].type, &size);
    MPI_Type_get_extent(types[i].type, &lower, &extent);
    MPI_Sendrecv(out, 7, types[i].type, right, (int)i, in, 7, types[i].type, left, (int)i, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, types[i].type, &count);
    // Padding of a long double need not be sent.
    const bool padded = types[i].type == MPI_LONG_DOUBLE || types[i].type == MPI_C_LONG_DOUBLE_COMPLEX;
    say("%s: %d %d, %d, %08x\n", types[i].name, (size_t)size == types[i].size, (size_t)extent == types[i].size, count,
        padded ? 0 : (unsigned)checksum(in, 7 * (size_t)size));
  }
  say_all();
  MPI_Finalize();
  return 0;
}
