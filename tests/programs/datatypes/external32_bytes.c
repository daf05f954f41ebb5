// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The canonical representation is the same bytes everywhere: big-endian, of the sizes that the standard says.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  char buffer[200];
  MPI_Aint position = 0, size;
  const int number = 0x01020304 + rank;
  const short small = -2;
  const double real = 1.5;
  const float single = -0.25F;
  const long long wide = 0x0102030405060708LL;
  const char letters[4] = "abc";
  const bool truth = true;
  MPI_Pack_external("external32", &number, 1, MPI_INT, buffer, 200, &position);
  MPI_Pack_external("external32", &small, 1, MPI_SHORT, buffer, 200, &position);
  MPI_Pack_external("external32", &real, 1, MPI_DOUBLE, buffer, 200, &position);
  MPI_Pack_external("external32", &single, 1, MPI_FLOAT, buffer, 200, &position);
  MPI_Pack_external("external32", &wide, 1, MPI_LONG_LONG, buffer, 200, &position);
  MPI_Pack_external("external32", letters, 4, MPI_CHAR, buffer, 200, &position);
  MPI_Pack_external("external32", &truth, 1, MPI_C_BOOL, buffer, 200, &position);
  for (MPI_Aint i = 0; i < position; ++i) say("%02x", (unsigned char)buffer[i]);
  say("\n");
  const MPI_Datatype types[6] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE};
  for (int i = 0; i < 6; ++i) {
    MPI_Pack_external_size("external32", 10, types[i], &size);
    say(" %ld", (long)size);
  }
  int got = 0;
  double back = 0;
  short short_back = 0;
  const MPI_Aint length = position;
  position = 0;
  MPI_Unpack_external("external32", buffer, length, &position, &got, 1, MPI_INT);
  MPI_Unpack_external("external32", buffer, length, &position, &short_back, 1, MPI_SHORT);
  MPI_Unpack_external("external32", buffer, length, &position, &back, 1, MPI_DOUBLE);
  say(", %d %d %.1f, at %ld\n", got == number, short_back, back, (long)position);
  say_all();
  MPI_Finalize();
  return 0;
}
