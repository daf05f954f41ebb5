// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file lu.c
 * LU: symmetric successive over-relaxation, as a wave that runs through the ranks.
 *
 * UNKNOWNS values per point of a cube obey Poisson's equation with zeros around the cube, and a term COUPLING ties the
 * values of a point together. The right-hand side belongs to a solution that is scattered in [0, 1). Ranks form a grid
 * in x and y, and each has all planes of z. The forward sweep updates points in order of z, y, x: for each plane a rank
 * waits for the new values of its lower neighbours in x and y (MPI_Recv), updates its part, and sends its upper edges
 * on (MPI_Send). So a wave of short messages runs diagonally through the grid, and a rank works on one plane while its
 * successors work on earlier ones. The backward sweep runs the other way. The norm of the residual is a sum over all
 * ranks (MPI_Allreduce), after an exchange of edges with all neighbours (MPI_Sendrecv).
 *
 * Ranks: any number whose factors, as MPI_Dims_create finds them, are at most `points`. Every order of updates is that
 * of one rank, so all values are the same to the last bit. Verification: the last norm, to 9 digits. It is verified
 * that the norm falls in each round.
 */

#include "kernel.h"

enum { POINTS, ROUNDS, PARAMETERS };

static const struct parameter parameters[PARAMETERS] = {
    {"points", "points along an edge of the cube", 12, 33, 1, 1024},
    {"rounds", "rounds of a forward and a backward sweep", 3, 10, 1, 1000},
};

enum { UNKNOWNS = 5 };
static const double COUPLING = 0.5;
static const double RELAXATION = 1.2;

/** A rank's columns of points, with one more on each side: z is slowest, then y, x, and the unknowns. */
struct columns {
  MPI_Comm ranks;
  int neighbours[2][2];  // below and above in x and y
  int points;
  int own[2];
  int first[2];
  double* solution;
  double* right;
  double* edge;
};

/** The first unknown of a point; -1 and `own` are the neighbours' points, or zeros. */
static size_t place(const struct columns* columns, int x, int y, int z) {
  const size_t row = (size_t)(columns->own[0] + 2), plane = row * (size_t)(columns->own[1] + 2);
  return ((size_t)(z + 1) * plane + (size_t)(y + 1) * row + (size_t)(x + 1)) * UNKNOWNS;
}

/** Copy an edge of a plane (x or y is `index`) to the buffer, or back. @return how many numbers */
static int copy_edge(const struct columns* columns, int dimension, int index, int z, double* buffer, bool back) {
  const int length = columns->own[1 - dimension];
  for (int along = 0; along < length; ++along) {
    double* there =
        columns->solution + (dimension == 0 ? place(columns, index, along, z) : place(columns, along, index, z));
    double* here = buffer + (size_t)along * UNKNOWNS;
    memcpy(back ? there : here, back ? here : there, UNKNOWNS * sizeof *here);
  }
  return length * UNKNOWNS;
}

/** Get the new values of a plane from the neighbours that a wave comes from: the lower ones if it runs forward. */
static void receive_edges(const struct columns* columns, int z, bool forward) {
  for (int d = 0; d < 2; ++d) {
    const int from = columns->neighbours[d][forward ? 0 : 1];
    if (from == MPI_PROC_NULL) continue;
    const int count = columns->own[1 - d] * UNKNOWNS;
    MPI_Recv(columns->edge, count, MPI_DOUBLE, from, d, columns->ranks, MPI_STATUS_IGNORE);
    copy_edge(columns, d, forward ? -1 : columns->own[d], z, columns->edge, true);
  }
}

static void send_edges(const struct columns* columns, int z, bool forward) {
  for (int d = 0; d < 2; ++d) {
    const int to = columns->neighbours[d][forward ? 1 : 0];
    if (to == MPI_PROC_NULL) continue;
    const int count = copy_edge(columns, d, forward ? columns->own[d] - 1 : 0, z, columns->edge, false);
    MPI_Send(columns->edge, count, MPI_DOUBLE, to, d, columns->ranks);
  }
}

/** The residual of a point. */
static void find_residual(const struct columns* columns, int x, int y, int z, double* residual) {
  const double* u = columns->solution;
  const size_t p = place(columns, x, y, z);
  const size_t beside[6] = {place(columns, x - 1, y, z), place(columns, x + 1, y, z), place(columns, x, y - 1, z),
                            place(columns, x, y + 1, z), place(columns, x, y, z - 1), place(columns, x, y, z + 1)};
  double sum = 0;
  for (size_t m = 0; m < UNKNOWNS; ++m) sum += u[p + m];
  for (size_t m = 0; m < UNKNOWNS; ++m) {
    residual[m] = columns->right[p + m] - 6 * u[p + m] - COUPLING * sum;
    for (int b = 0; b < 6; ++b) residual[m] += u[beside[b] + m];
  }
}

/** Update a point: what a point's own equations, 6 times the identity plus COUPLING everywhere, make of its residual.
 */
static void update(const struct columns* columns, int x, int y, int z) {
  double residual[UNKNOWNS], sum = 0;
  find_residual(columns, x, y, z, residual);
  for (int m = 0; m < UNKNOWNS; ++m) sum += residual[m];
  double* u = columns->solution + place(columns, x, y, z);
  for (int m = 0; m < UNKNOWNS; ++m) {
    u[m] += RELAXATION / 6 * (residual[m] - COUPLING / (6 + UNKNOWNS * COUPLING) * sum);
  }
}

static void sweep(const struct kernel* kernel, const struct columns* columns, bool forward) {
  for (int step = 0; step < columns->points; ++step) {
    const int z = forward ? step : columns->points - 1 - step;
    receive_edges(columns, z, forward);
    for (int j = 0; j < columns->own[1]; ++j) {
      for (int i = 0; i < columns->own[0]; ++i) {
        update(columns, forward ? i : columns->own[0] - 1 - i, forward ? j : columns->own[1] - 1 - j, z);
      }
    }
    kernel_work(kernel, 15.0 * UNKNOWNS * columns->own[0] * columns->own[1]);
    send_edges(columns, z, forward);
  }
}

/** Get the edges of all planes from all neighbours. */
static void exchange(const struct columns* columns) {
  for (int d = 0; d < 2; ++d) {
    const size_t stride = (size_t)columns->own[1 - d] * UNKNOWNS;
    const int count = (int)stride * columns->points;
    double *sent = columns->edge, *received = columns->edge + count;
    for (int up = 0; up < 2; ++up) {
      const int to = columns->neighbours[d][up], from = columns->neighbours[d][1 - up];
      for (int z = 0; z < columns->points; ++z) {
        copy_edge(columns, d, up ? columns->own[d] - 1 : 0, z, sent + (size_t)z * stride, false);
      }
      MPI_Sendrecv(sent, count, MPI_DOUBLE, to, 2, received, count, MPI_DOUBLE, from, 2, columns->ranks,
                   MPI_STATUS_IGNORE);
      for (int z = 0; z < columns->points && from != MPI_PROC_NULL; ++z) {
        copy_edge(columns, d, up ? -1 : columns->own[d], z, received + (size_t)z * stride, true);
      }
    }
  }
}

static double norm(const struct kernel* kernel, const struct columns* columns) {
  exchange(columns);
  double sum = 0, residual[UNKNOWNS];
  for (int z = 0; z < columns->points; ++z) {
    for (int y = 0; y < columns->own[1]; ++y) {
      for (int x = 0; x < columns->own[0]; ++x) {
        find_residual(columns, x, y, z, residual);
        for (int m = 0; m < UNKNOWNS; ++m) sum += residual[m] * residual[m];
      }
    }
  }
  kernel_work(kernel, 12.0 * UNKNOWNS * columns->own[0] * columns->own[1] * columns->points);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, columns->ranks);
  return sqrt(sum);
}

/** The solution that the right-hand side belongs to, at a point of the whole cube. */
static double wanted(const struct columns* columns, int x, int y, int z, int unknown) {
  const int edge = columns->points;
  if (x < 0 || y < 0 || z < 0 || x == edge || y == edge || z == edge) return 0;
  const int64_t prime = 2147483647, point = ((int64_t)z * edge + y) * edge + x;
  const int64_t scattered = (point * UNKNOWNS + unknown + 1) % prime * 48271 % prime;
  return (double)(scattered * scattered % prime) / (double)prime;  // as random as it need be, and easy in Fortran
}

static void make_right_hand_side(const struct columns* columns) {
  for (int z = 0; z < columns->points; ++z) {
    for (int y = 0; y < columns->own[1]; ++y) {
      for (int x = 0; x < columns->own[0]; ++x) {
        const int i = columns->first[0] + x, j = columns->first[1] + y;
        double sum = 0;
        for (int m = 0; m < UNKNOWNS; ++m) sum += wanted(columns, i, j, z, m);
        for (int m = 0; m < UNKNOWNS; ++m) {
          const double beside = wanted(columns, i - 1, j, z, m) + wanted(columns, i + 1, j, z, m) +
                                wanted(columns, i, j - 1, z, m) + wanted(columns, i, j + 1, z, m) +
                                wanted(columns, i, j, z - 1, m) + wanted(columns, i, j, z + 1, m);
          columns->right[place(columns, x, y, z) + (size_t)m] =
              6 * wanted(columns, i, j, z, m) - beside + COUPLING * sum;
        }
      }
    }
  }
}

static struct columns make_columns(const struct kernel* kernel, const int* values) {
  struct columns columns = {.points = values[POINTS]};
  int ranks[2] = {0, 0};
  const int bounded[2] = {0, 0};
  MPI_Dims_create(kernel->ranks, 2, ranks);
  if (ranks[0] > columns.points || ranks[1] > columns.points) {
    kernel_refuse(kernel, "%d ranks are %d x %d, more than %d points along an edge: more points=N", kernel->ranks,
                  ranks[0], ranks[1], columns.points);
  }
  MPI_Cart_create(MPI_COMM_WORLD, 2, ranks, bounded, 0, &columns.ranks);
  int rank, here[2];
  MPI_Comm_rank(columns.ranks, &rank);
  MPI_Cart_coords(columns.ranks, rank, 2, here);
  for (int d = 0; d < 2; ++d) {
    MPI_Cart_shift(columns.ranks, d, 1, &columns.neighbours[d][0], &columns.neighbours[d][1]);
    columns.first[d] = first_of(columns.points, here[d], ranks[d]);
    columns.own[d] = first_of(columns.points, here[d] + 1, ranks[d]) - columns.first[d];
  }
  const size_t size = place(&columns, -1, -1, columns.points + 1);
  const int longest = columns.own[0] > columns.own[1] ? columns.own[0] : columns.own[1];
  columns.solution = kernel_allocate(size, sizeof(double));
  columns.right = kernel_allocate(size, sizeof(double));
  columns.edge = kernel_allocate(2 * (size_t)longest * (size_t)columns.points * UNKNOWNS, sizeof(double));
  make_right_hand_side(&columns);
  return columns;
}

static void free_columns(struct columns* columns) {
  free(columns->edge);
  free(columns->right);
  free(columns->solution);
  MPI_Comm_free(&columns->ranks);
}

int main(int argc, char** argv) {
  int values[PARAMETERS];
  struct kernel kernel = kernel_start("lu", argc, argv, parameters, PARAMETERS, values);
  struct columns columns = make_columns(&kernel, values);
  bool falls = true;
  kernel_begin(&kernel);
  double last = norm(&kernel, &columns);
  for (int round = 0; round < values[ROUNDS]; ++round) {
    sweep(&kernel, &columns, true);
    sweep(&kernel, &columns, false);
    const double now = norm(&kernel, &columns);
    falls = falls && now < last;
    last = now;
  }
  kernel_end(&kernel);
  char value[32];
  snprintf(value, sizeof value, "%.8e", last);
  free_columns(&columns);
  return kernel_report(&kernel, value, falls);
}
