// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A class of C++ that gathers vectors of any length and any arithmetic type, with counts found by itself.
#include <numeric>
#include <type_traits>
#include <vector>

#include "program.h"

namespace {

template <typename T>
MPI_Datatype type_of() {
  if constexpr (std::is_same_v<T, int>) return MPI_INT;
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  if constexpr (std::is_same_v<T, char>) return MPI_CHAR;
  return MPI_UNSIGNED_LONG_LONG;
}

template <typename T>
std::vector<std::vector<T>> gather_all(const std::vector<T>& mine, MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks)), places(lengths.size(), 0);
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
  std::partial_sum(lengths.begin(), lengths.end() - 1, places.begin() + 1);
  std::vector<T> all(static_cast<std::size_t>(places.back() + lengths.back()));
  MPI_Allgatherv(mine.data(), length, type_of<T>(), all.data(), lengths.data(), places.data(), type_of<T>(), comm);
  std::vector<std::vector<T>> result;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    result.emplace_back(all.begin() + places[r], all.begin() + places[r] + lengths[r]);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  std::vector<int> integers(static_cast<std::size_t>(rank % 4));
  std::iota(integers.begin(), integers.end(), rank * 10);
  for (const auto& part : gather_all(integers, MPI_COMM_WORLD))
    say(" %d", std::accumulate(part.begin(), part.end(), 0));
  const std::vector<double> reals(static_cast<std::size_t>(ranks - rank), rank + 0.5);
  for (const auto& part : gather_all(reals, MPI_COMM_WORLD))
    say(" %.1f", part.front() + static_cast<double>(part.size()));
  const std::vector<char> letters(2, static_cast<char>('a' + rank));
  for (const auto& part : gather_all(letters, MPI_COMM_WORLD)) say(" %c%c", part[0], part[1]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
