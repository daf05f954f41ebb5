// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file mg.c
 * MG: Poisson's equation on a periodic cube, by V-cycles of multigrid.
 *
 * The right-hand side is +1 and -1 at ten random points each. Ranks form a grid in three dimensions, and each has a
 * block of every level. A cycle smooths by Jacobi's method, restricts the residual (a mean of 27 points), solves the
 * coarser level likewise, adds the interpolated correction and smooths again. Before each step, blocks exchange their
 * faces with two neighbours per dimension (MPI_Sendrecv), one dimension after the other, so that edges and corners come
 * along. After each cycle, the norm of the residual is a sum over all ranks (MPI_Allreduce). Messages go to neighbours
 * on each level, and they are long on fine levels and a few words on coarse ones.
 *
 * Ranks: numbers whose factors share out the points: with MPI_Dims_create's a x b x c, each of a, b, c times
 * 2^(levels - 1) divides `points`. Verification: the last norm, to 9 digits. It is verified that each cycle leaves less
 * than FALL of the norm.
 */

#include "kernel.h"

enum { POINTS, LEVELS, CYCLES, PARAMETERS };

static const struct parameter parameters[PARAMETERS] = {
    {"points", "points along an edge of the cube", 24, 32, 2, 1024},
    {"levels", "levels, each with half as many points along an edge", 3, 4, 1, 10},
    {"cycles", "V-cycles", 2, 4, 1, 1000},
};

enum { SWEEPS = 2, COARSEST_SWEEPS = 16, CHARGES = 10, MAX_LEVELS = 10 };
static const double RELAXATION = 6.0 / 7;
static const double FALL = 0.5;

/** A rank's block of a level, with one more point on each side. */
struct level {
  int own[3];
  size_t stride[3];
  double* solution;
  double* right;
  double* scratch;
};

struct grid {
  MPI_Comm ranks;
  int neighbours[3][2];  // below and above along each dimension
  int count;
  struct level levels[MAX_LEVELS];
  int first[3];  // of this rank's points, on the finest level
  double* faces[4];
};

/** The place of a point of a block, from 0 to own - 1; -1 and own are the neighbours' points. */
static size_t place(const struct level* level, int x, int y, int z) {
  return (size_t)(x + 1) * level->stride[0] + (size_t)(y + 1) * level->stride[1] + (size_t)(z + 1);
}

static size_t size_of(const struct level* level) { return level->stride[0] * (size_t)(level->own[0] + 2); }

static double points_of(const struct level* level) {
  return (double)level->own[0] * (double)level->own[1] * (double)level->own[2];
}

/** Copy the face of a block at an index along a dimension to a buffer, or back. @return how many numbers */
static int copy_face(const struct level* level, double* field, int dimension, int index, double* face, bool back) {
  // Along the dimensions that have been exchanged, the neighbours' points come along.
  const int first = dimension == 0 ? 1 : 0, second = dimension == 2 ? 1 : 2;
  const int first_margin = first < dimension, second_margin = second < dimension;
  int count = 0;
  for (int a = -first_margin; a < level->own[first] + first_margin; ++a) {
    for (int b = -second_margin; b < level->own[second] + second_margin; ++b) {
      double* there = field + (size_t)(index + 1) * level->stride[dimension] + (size_t)(a + 1) * level->stride[first] +
                      (size_t)(b + 1) * level->stride[second];
      *(back ? there : &face[count]) = *(back ? &face[count] : there);
      ++count;
    }
  }
  return count;
}

/** Get the neighbours' points. */
static void exchange(const struct grid* grid, const struct level* level, double* field) {
  for (int d = 0; d < 3; ++d) {
    const int* beside = grid->neighbours[d];
    const int count = copy_face(level, field, d, 0, grid->faces[0], false);
    copy_face(level, field, d, level->own[d] - 1, grid->faces[1], false);
    MPI_Sendrecv(grid->faces[0], count, MPI_DOUBLE, beside[0], 0, grid->faces[2], count, MPI_DOUBLE, beside[1], 0,
                 grid->ranks, MPI_STATUS_IGNORE);
    MPI_Sendrecv(grid->faces[1], count, MPI_DOUBLE, beside[1], 1, grid->faces[3], count, MPI_DOUBLE, beside[0], 1,
                 grid->ranks, MPI_STATUS_IGNORE);
    copy_face(level, field, d, level->own[d], grid->faces[2], true);
    copy_face(level, field, d, -1, grid->faces[3], true);
  }
}

/** residual = right - A solution, where A is six times a point less its neighbours. */
static void find_residual(const struct kernel* kernel, const struct grid* grid, const struct level* level,
                          double* residual) {
  exchange(grid, level, level->solution);
  const double* u = level->solution;
  const size_t sx = level->stride[0], sy = level->stride[1];
  for (int x = 0; x < level->own[0]; ++x) {
    for (int y = 0; y < level->own[1]; ++y) {
      for (int z = 0; z < level->own[2]; ++z) {
        const size_t p = place(level, x, y, z);
        const double beside = u[p - sx] + u[p + sx] + u[p - sy] + u[p + sy] + u[p - 1] + u[p + 1];
        residual[p] = level->right[p] - (6 * u[p] - beside);
      }
    }
  }
  kernel_work(kernel, 8 * points_of(level));
}

static void smooth(const struct kernel* kernel, const struct grid* grid, const struct level* level, int sweeps) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    find_residual(kernel, grid, level, level->scratch);
    for (int x = 0; x < level->own[0]; ++x) {
      for (int y = 0; y < level->own[1]; ++y) {
        for (int z = 0; z < level->own[2]; ++z) {
          const size_t p = place(level, x, y, z);
          level->solution[p] += RELAXATION / 6 * level->scratch[p];
        }
      }
    }
    kernel_work(kernel, 2 * points_of(level));
  }
}

/** The right-hand side of the coarser level: means of 27 points of the residual, times 4 for its wider spacing. */
static void restrict_residual(const struct kernel* kernel, const struct grid* grid, const struct level* fine,
                              const struct level* coarse) {
  find_residual(kernel, grid, fine, fine->scratch);
  exchange(grid, fine, fine->scratch);
  for (int x = 0; x < coarse->own[0]; ++x) {
    for (int y = 0; y < coarse->own[1]; ++y) {
      for (int z = 0; z < coarse->own[2]; ++z) {
        double sum = 0;
        for (int i = -1; i <= 1; ++i) {
          for (int j = -1; j <= 1; ++j) {
            for (int k = -1; k <= 1; ++k) {
              const int weight = (2 - abs(i)) * (2 - abs(j)) * (2 - abs(k));
              sum += weight * fine->scratch[place(fine, 2 * x + i, 2 * y + j, 2 * z + k)];
            }
          }
        }
        coarse->right[place(coarse, x, y, z)] = 4 * sum / 64;
      }
    }
  }
  kernel_work(kernel, 54 * points_of(coarse));
}

/** Add the coarser level's solution: each point of the finer one gets the mean of the 1, 2, 4 or 8 nearest. */
static void add_correction(const struct kernel* kernel, const struct grid* grid, const struct level* fine,
                           const struct level* coarse) {
  exchange(grid, coarse, coarse->solution);
  for (int x = 0; x < fine->own[0]; ++x) {
    for (int y = 0; y < fine->own[1]; ++y) {
      for (int z = 0; z < fine->own[2]; ++z) {
        double sum = 0;
        for (int corner = 0; corner < 8; ++corner) {  // an even index counts the same point twice
          const int i = (x + (corner & 1)) / 2, j = (y + (corner >> 1 & 1)) / 2, k = (z + (corner >> 2)) / 2;
          sum += coarse->solution[place(coarse, i, j, k)];
        }
        fine->solution[place(fine, x, y, z)] += sum / 8;
      }
    }
  }
  kernel_work(kernel, 9 * points_of(fine));
}

static void cycle(const struct kernel* kernel, const struct grid* grid, int number) {
  const struct level* level = &grid->levels[number];
  if (number + 1 == grid->count) {
    smooth(kernel, grid, level, COARSEST_SWEEPS);
    return;
  }
  const struct level* coarse = level + 1;
  smooth(kernel, grid, level, SWEEPS);
  restrict_residual(kernel, grid, level, coarse);
  memset(coarse->solution, 0, size_of(coarse) * sizeof *coarse->solution);
  cycle(kernel, grid, number + 1);
  add_correction(kernel, grid, level, coarse);
  smooth(kernel, grid, level, SWEEPS);
}

static double norm(const struct kernel* kernel, const struct grid* grid) {
  const struct level* level = &grid->levels[0];
  find_residual(kernel, grid, level, level->scratch);
  double sum = 0;
  for (int x = 0; x < level->own[0]; ++x) {
    for (int y = 0; y < level->own[1]; ++y) {
      for (int z = 0; z < level->own[2]; ++z) {
        const double residual = level->scratch[place(level, x, y, z)];
        sum += residual * residual;
      }
    }
  }
  kernel_work(kernel, 2 * points_of(level));
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, grid->ranks);
  return sqrt(sum);
}

/** Put charges of both signs on the finest level; they add up to nothing, as a periodic cube demands. */
static void put_charges(const struct grid* grid, int points) {
  const struct level* level = &grid->levels[0];
  for (uint64_t charge = 0; charge < 2 * CHARGES; ++charge) {
    int at[3];
    bool mine = true;
    for (int d = 0; d < 3; ++d) {
      at[d] = (int)(random_bits(1, 3 * charge + (uint64_t)d) % (uint64_t)points) - grid->first[d];
      mine = mine && at[d] >= 0 && at[d] < level->own[d];
    }
    if (mine) level->right[place(level, at[0], at[1], at[2])] += charge % 2 == 0 ? 1 : -1;
  }
}

static struct grid make_grid(const struct kernel* kernel, const int* values) {
  struct grid grid = {.count = values[LEVELS]};
  int ranks[3] = {0, 0, 0};
  const int periodic[3] = {1, 1, 1};
  MPI_Dims_create(kernel->ranks, 3, ranks);
  for (int d = 0; d < 3; ++d) {
    if (values[POINTS] % (ranks[d] << (grid.count - 1)) == 0) continue;
    kernel_refuse(kernel, "%d ranks are %d x %d x %d, and %d points have no %d levels there: other points=N levels=N",
                  kernel->ranks, ranks[0], ranks[1], ranks[2], values[POINTS], grid.count);
  }
  MPI_Cart_create(MPI_COMM_WORLD, 3, ranks, periodic, 0, &grid.ranks);
  int rank, here[3];
  MPI_Comm_rank(grid.ranks, &rank);
  MPI_Cart_coords(grid.ranks, rank, 3, here);
  size_t longest = 0;
  for (int l = 0; l < grid.count; ++l) {
    struct level* level = &grid.levels[l];
    for (int d = 0; d < 3; ++d) level->own[d] = (values[POINTS] / ranks[d]) >> l;
    level->stride[2] = 1;
    level->stride[1] = (size_t)(level->own[2] + 2);
    level->stride[0] = level->stride[1] * (size_t)(level->own[1] + 2);
    level->solution = kernel_allocate(size_of(level), sizeof(double));
    level->right = kernel_allocate(size_of(level), sizeof(double));
    level->scratch = kernel_allocate(size_of(level), sizeof(double));
  }
  for (int d = 0; d < 3; ++d) {
    MPI_Cart_shift(grid.ranks, d, 1, &grid.neighbours[d][0], &grid.neighbours[d][1]);
    grid.first[d] = here[d] * grid.levels[0].own[d];
    const size_t face = size_of(&grid.levels[0]) / (size_t)(grid.levels[0].own[d] + 2);
    longest = face > longest ? face : longest;
  }
  for (int f = 0; f < 4; ++f) grid.faces[f] = kernel_allocate(longest, sizeof(double));
  put_charges(&grid, values[POINTS]);
  return grid;
}

static void free_grid(struct grid* grid) {
  for (int f = 0; f < 4; ++f) free(grid->faces[f]);
  for (int l = 0; l < grid->count; ++l) {
    free(grid->levels[l].scratch);
    free(grid->levels[l].right);
    free(grid->levels[l].solution);
  }
  MPI_Comm_free(&grid->ranks);
}

int main(int argc, char** argv) {
  int values[PARAMETERS];
  struct kernel kernel = kernel_start("mg", argc, argv, parameters, PARAMETERS, values);
  struct grid grid = make_grid(&kernel, values);
  bool falls = true;
  kernel_begin(&kernel);
  double last = norm(&kernel, &grid);
  for (int turn = 0; turn < values[CYCLES]; ++turn) {
    cycle(&kernel, &grid, 0);
    const double now = norm(&kernel, &grid);
    falls = falls && now < FALL * last;
    last = now;
  }
  kernel_end(&kernel);
  char value[32];
  snprintf(value, sizeof value, "%.8e", last);
  free_grid(&grid);
  return kernel_report(&kernel, value, falls);
}
