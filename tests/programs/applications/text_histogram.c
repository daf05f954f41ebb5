// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Words of a text are counted: parts are scattered, words go to the rank of their first letter.
#include "program.h"

static const char text[] =
    "the quick brown fox jumps over the lazy dog while the other dog sleeps and the fox runs over hill and dale and "
    "brook until the lazy dog wakes and barks at the quick fox who jumps back over the brook and hides ";

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int length = (int)strlen(text), per = (length + ranks - 1) / ranks;
  char* padded = allocate((size_t)(per * ranks) + 1);
  if (rank == 0) {
    memset(padded, ' ', (size_t)(per * ranks));
    memcpy(padded, text, (size_t)length);
  }
  char* mine = allocate((size_t)per);
  MPI_Scatter(padded, per, MPI_CHAR, mine, per, MPI_CHAR, 0, MPI_COMM_WORLD);
  // A word belongs to the rank in whose part it begins: what others have of it comes from the whole.
  MPI_Allgather(mine, per, MPI_CHAR, padded, per, MPI_CHAR, MPI_COMM_WORLD);
  int letters[26] = {0}, all[26], words = 0;
  for (int i = rank * per; i < (rank + 1) * per; ++i) {
    const bool begins = padded[i] != ' ' && (i == 0 || padded[i - 1] == ' ');
    if (begins) ++letters[padded[i] - 'a'], ++words;
  }
  MPI_Allreduce(letters, all, 26, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int before = 0;
  MPI_Exscan(&words, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("%d words after %d:", words, rank == 0 ? 0 : before);
  if (rank == ranks - 1) {
    for (int i = 0; i < 26; ++i) say(" %c%d", 'a' + i, all[i]);
  }
  say("\n");
  free(padded);
  free(mine);
  say_all();
  MPI_Finalize();
  return 0;
}
