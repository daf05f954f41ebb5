// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A game of life writes its board to a file, is started again from it, and comes to the same board.
#include "program.h"
#include "scratch_file.h"

enum { WIDTH = 16, ROWS = 3 };

static void step(unsigned char (*board)[WIDTH]) {
  const int rank = my_rank(), ranks = all_ranks(), up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  MPI_Sendrecv(board[1], WIDTH, MPI_BYTE, up, 0, board[ROWS + 1], WIDTH, MPI_BYTE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(board[ROWS], WIDTH, MPI_BYTE, down, 1, board[0], WIDTH, MPI_BYTE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  unsigned char next[ROWS + 2][WIDTH];
  memset(next, 0, sizeof next);
  for (int i = 1; i <= ROWS; ++i) {
    for (int k = 0; k < WIDTH; ++k) {
      int near = -board[i][k];
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) near += board[i + y][(k + x + WIDTH) % WIDTH];
      }
      next[i][k] = near == 3 || (near == 2 && board[i][k]);
    }
  }
  memcpy(board, next, sizeof next);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char name[SCRATCH_NAME];
  scratch_name(name);
  unsigned char board[ROWS + 2][WIDTH], again[ROWS + 2][WIDTH];
  uint64_t state = (uint64_t)rank + 9;
  for (int i = 0; i < (ROWS + 2) * WIDTH; ++i) board[i / WIDTH][i % WIDTH] = next_random(&state) % 5 < 2;
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  for (int turn = 0; turn < 8; ++turn) {
    if (turn == 4)
      MPI_File_write_at_all(file, rank * ROWS * WIDTH, board[1], ROWS * WIDTH, MPI_BYTE, MPI_STATUS_IGNORE);
    step(board);
  }
  memset(again, 0, sizeof again);
  MPI_File_read_at_all(file, rank * ROWS * WIDTH, again[1], ROWS * WIDTH, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int turn = 4; turn < 8; ++turn) step(again);
  MPI_File_close(&file);
  say("same %d, %08x, of %d\n", memcmp(board[1], again[1], ROWS * WIDTH) == 0,
      (unsigned)checksum(board[1], ROWS * WIDTH), ranks);
  say_all();
  MPI_Finalize();
  return 0;
}
