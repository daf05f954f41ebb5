// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Pack and MPI_Unpack: mixed data in one message, and the representation external32.
#include "program.h"

struct record {
  int number;
  double value;
};

static void tell_bytes(const char* what, const unsigned char* bytes, long size) {
  say("rank %d: %s", my_rank(), what);
  for (long i = 0; i < size; ++i) say(" %02x", bytes[i]);
  say("\n");
}

static void external_pair(void) {
  unsigned char bytes[16];
  MPI_Aint position, size;
  struct {
    double value;
    int index;
  } pair = {2.5, 7}, same = {0, 0};
  position = 0;
  MPI_Pack_external_size("external32", 1, MPI_DOUBLE_INT, &size);
  must("a pair has 12 bytes in external32", size == 12);
  MPI_Pack_external("external32", &pair, 1, MPI_DOUBLE_INT, bytes, sizeof bytes, &position);
  must("a pair is packed", position == 12 && bytes[0] == 0x40 && bytes[1] == 0x04 && bytes[11] == 7);
  position = 0;
  MPI_Unpack_external("external32", bytes, 12, &position, &same, 1, MPI_DOUBLE_INT);
  must("a pair comes back", same.value == pair.value && same.index == pair.index);
}

static void external(void) {
  unsigned char bytes[512];
  MPI_Aint position = 0, size = 0;
  const int numbers[] = {1, -2, 0x01020304};
  const short shorts[] = {-300, 5};
  const double values[] = {1.5, -0.1, 1e300};
  const float singles[] = {3.25f};
  const long longs[] = {-5, 70000};
  const long long wide[] = {-5, 1LL << 40};
  const long double extended[] = {1.5L, -1.0L / 3, 0.0L, 3.6e-4951L};
  const double complex_[] = {1, -2};
#define PACK(array, type)                                                                                       \
  MPI_Pack_external("external32", array, sizeof array / sizeof array[0], type, bytes, sizeof bytes, &position); \
  MPI_Pack_external_size("external32", sizeof array / sizeof array[0], type, &size);                            \
  say("rank %d: " #type " %ld at %ld\n", my_rank(), (long)size, (long)position)
  PACK(numbers, MPI_INT);
  PACK(shorts, MPI_SHORT);
  PACK(values, MPI_DOUBLE);
  PACK(singles, MPI_FLOAT);
  PACK(longs, MPI_LONG);
  PACK(wide, MPI_LONG_LONG);
  PACK(extended, MPI_LONG_DOUBLE);
  MPI_Pack_external("external32", complex_, 1, MPI_C_DOUBLE_COMPLEX, bytes, sizeof bytes, &position);
  MPI_Pack_external("external32", "abc", 3, MPI_CHAR, bytes, sizeof bytes, &position);
  tell_bytes("external32", bytes, position);
  const MPI_Aint end = position;
  int n[3];
  short s[2];
  double v[3];
  float f[1];
  long l[2];
  long long w[2];
  long double e[4];
  double c[2];
  char text[3];
  position = 0;
  MPI_Unpack_external("external32", bytes, end, &position, n, 3, MPI_INT);
  MPI_Unpack_external("external32", bytes, end, &position, s, 2, MPI_SHORT);
  MPI_Unpack_external("external32", bytes, end, &position, v, 3, MPI_DOUBLE);
  MPI_Unpack_external("external32", bytes, end, &position, f, 1, MPI_FLOAT);
  MPI_Unpack_external("external32", bytes, end, &position, l, 2, MPI_LONG);
  MPI_Unpack_external("external32", bytes, end, &position, w, 2, MPI_LONG_LONG);
  MPI_Unpack_external("external32", bytes, end, &position, e, 4, MPI_LONG_DOUBLE);
  MPI_Unpack_external("external32", bytes, end, &position, c, 1, MPI_C_DOUBLE_COMPLEX);
  MPI_Unpack_external("external32", bytes, end, &position, text, 3, MPI_CHAR);
  say("rank %d: all back %d %d %d %d %d %d %d %d %d, at %ld of %ld\n", my_rank(), !memcmp(n, numbers, sizeof n),
      !memcmp(s, shorts, sizeof s), !memcmp(v, values, sizeof v), !memcmp(f, singles, sizeof f),
      !memcmp(l, longs, sizeof l), !memcmp(w, wide, sizeof w),
      e[0] == extended[0] && e[1] == extended[1] && e[2] == extended[2] && e[3] == extended[3],
      !memcmp(c, complex_, sizeof c), !memcmp(text, "abc", 3), (long)position, (long)end);
  // Every second number.
  MPI_Datatype comb;
  MPI_Type_vector(2, 1, 2, MPI_INT, &comb);
  MPI_Type_commit(&comb);
  position = 0;
  MPI_Count wide_position = 0, wide_size = 0;
  MPI_Pack_external_c("external32", numbers, 1, comb, bytes, sizeof bytes, &wide_position);
  MPI_Pack_external_size_c("external32", 1, comb, &wide_size);
  tell_bytes("comb", bytes, (long)wide_position);
  say("rank %d: size %ld\n", my_rank(), (long)wide_size);
  int teeth[3] = {9, 9, 9};
  wide_position = 0;
  MPI_Unpack_external_c("external32", bytes, wide_size, &wide_position, teeth, 1, comb);
  say("rank %d: %d %d %d\n", my_rank(), teeth[0], teeth[1], teeth[2]);
  MPI_Type_free(&comb);
  if (!on_mpich()) external_pair();
  must("another representation is refused",
       on_mpich() || MPI_Pack_external("native32", numbers, 1, MPI_INT, bytes, 4, &position) != MPI_SUCCESS);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int matrix[4][4], column[4] = {0}, size, sum = 0;
  for (int i = 0; i < 16; ++i) matrix[i / 4][i % 4] = rank * 100 + i;
  MPI_Datatype of_column;
  MPI_Type_vector(4, 1, 4, MPI_INT, &of_column);
  MPI_Type_commit(&of_column);
  const struct record mine = {rank, rank / 4.0};
  char buffer[256], received[256];
  MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &size);
  sum += size;
  MPI_Pack_size(1, MPI_DOUBLE, MPI_COMM_WORLD, &size);
  sum += size;
  MPI_Pack_size(1, of_column, MPI_COMM_WORLD, &size);
  sum += size;
  int position = 0;
  MPI_Pack(&mine.number, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Pack(&mine.value, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Pack(&matrix[0][1], 1, of_column, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  say("rank %d: packed %d, sizes hold it %d\n", rank, position, position <= sum);
  MPI_Status status;
  MPI_Sendrecv(buffer, position, MPI_PACKED, to, 0, received, sizeof received, MPI_PACKED, from, 0, MPI_COMM_WORLD,
               &status);
  MPI_Get_count(&status, MPI_PACKED, &size);
  struct record theirs;
  position = 0;
  MPI_Unpack(received, size, &position, &theirs.number, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(received, size, &position, &theirs.value, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Unpack(received, size, &position, column, 4, MPI_INT, MPI_COMM_WORLD);
  say("rank %d: %d %g %d %d %d %d at %d of %d\n", rank, theirs.number, theirs.value, column[0], column[1], column[2],
      column[3], position, size);
  // What was packed can be received as its types, and the other way round.
  MPI_Count large = 0;
  MPI_Pack_c(matrix, 16, MPI_INT, buffer, sizeof buffer, &large, MPI_COMM_WORLD);
  int again[16];
  MPI_Sendrecv(buffer, (int)large, MPI_PACKED, to, 1, again, 16, MPI_INT, from, 1, MPI_COMM_WORLD, &status);
  say("rank %d: %08x\n", rank, (unsigned)checksum(again, sizeof again));
  MPI_Count at = 0, wide_size = 0;
  MPI_Unpack_c(buffer, large, &at, again, 1, of_column, MPI_COMM_WORLD);
  MPI_Pack_size_c(3, of_column, MPI_COMM_WORLD, &wide_size);
  say("rank %d: %ld %ld %d\n", rank, (long)at, (long)wide_size, again[12]);
  position = 0;
  must("what does not fit is an error",
       MPI_Pack(matrix, 16, MPI_INT, buffer, 60, &position, MPI_COMM_WORLD) != MPI_SUCCESS && position == 0);
  must("what is not there is an error",
       MPI_Unpack(buffer, 60, &position, again, 16, MPI_INT, MPI_COMM_WORLD) != MPI_SUCCESS && position == 0);
  MPI_Type_free(&of_column);
  external();
  say_all();
  MPI_Finalize();
  return 0;
}
