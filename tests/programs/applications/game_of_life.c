// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The game of life on a torus that is cut into rows, with halos by messages; the board is printed.
#include "program.h"

enum { WIDTH = 24, ROWS = 4, STEPS = 12 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  static unsigned char board[ROWS + 2][WIDTH], next[ROWS + 2][WIDTH];
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  uint64_t state = (uint64_t)rank * 77 + 5;
  for (int i = 1; i <= ROWS; ++i) {
    for (int k = 0; k < WIDTH; ++k) board[i][k] = next_random(&state) % 3 == 0;
  }
  for (int turn = 0; turn < STEPS; ++turn) {
    MPI_Sendrecv(board[1], WIDTH, MPI_UNSIGNED_CHAR, up, 0, board[ROWS + 1], WIDTH, MPI_UNSIGNED_CHAR, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(board[ROWS], WIDTH, MPI_UNSIGNED_CHAR, down, 1, board[0], WIDTH, MPI_UNSIGNED_CHAR, up, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int alive = 0, all;
    for (int i = 1; i <= ROWS; ++i) {
      for (int k = 0; k < WIDTH; ++k) {
        const int l = (k + WIDTH - 1) % WIDTH, r = (k + 1) % WIDTH;
        const int near = board[i - 1][l] + board[i - 1][k] + board[i - 1][r] + board[i][l] + board[i][r] +
                         board[i + 1][l] + board[i + 1][k] + board[i + 1][r];
        next[i][k] = near == 3 || (near == 2 && board[i][k]);
        alive += next[i][k];
      }
    }
    memcpy(board, next, sizeof board);
    MPI_Reduce(&alive, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) say("%d: %d alive\n", turn, all);
  }
  for (int i = 1; i <= ROWS; ++i) {
    for (int k = 0; k < WIDTH; ++k) say("%c", board[i][k] ? '#' : '.');
    say("\n");
  }
  say_all();
  MPI_Finalize();
  return 0;
}
