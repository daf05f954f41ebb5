// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Types for structures and arrays of C++ are derived at compile time and used in collectives.
#include <array>
#include <complex>
#include <cstddef>
#include <vector>

#include "program.h"

namespace {

struct Cell {
  std::array<double, 3> place;
  int level;
  std::complex<float> phase;
};

MPI_Datatype cell_type() {
  constexpr std::array<int, 3> lengths = {3, 1, 1};
  constexpr std::array<MPI_Aint, 3> places = {offsetof(Cell, place), offsetof(Cell, level), offsetof(Cell, phase)};
  const std::array<MPI_Datatype, 3> parts = {MPI_DOUBLE, MPI_INT, MPI_CXX_FLOAT_COMPLEX};
  MPI_Datatype plain, sized;
  MPI_Type_create_struct(3, lengths.data(), places.data(), parts.data(), &plain);
  MPI_Type_create_resized(plain, 0, sizeof(Cell), &sized);
  MPI_Type_free(&plain);
  MPI_Type_commit(&sized);
  return sized;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Datatype type = cell_type();
  const std::array<Cell, 2> mine = {Cell{{rank + 0.25, 1, 2}, rank, {1, 2}},
                                    Cell{{3, rank + 0.5, 5}, -rank, {static_cast<float>(rank), 0}}};
  std::vector<Cell> all(static_cast<std::size_t>(2 * ranks));
  MPI_Allgather(mine.data(), 2, type, all.data(), 2, type, MPI_COMM_WORLD);
  double sum = 0;
  for (const Cell& cell : all)
    sum += cell.place[0] + cell.place[1] * 2 + cell.level + cell.phase.real() * 4.0 + cell.phase.imag();
  say("%.2f", sum);
  std::complex<double> number(rank, 1), total;
  MPI_Allreduce(&number, &total, 1, MPI_CXX_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  bool odd = rank % 2 == 1, any;
  MPI_Allreduce(&odd, &any, 1, MPI_CXX_BOOL, MPI_LOR, MPI_COMM_WORLD);
  say(", %.0f%+.0fi, %d\n", total.real(), total.imag(), any);
  MPI_Type_free(&type);
  say_all();
  MPI_Finalize();
  return 0;
}
