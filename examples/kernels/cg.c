// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file cg.c
 * CG: the least eigenvalue of a sparse matrix, by inverse iteration with conjugate gradients.
 *
 * The matrix is SHIFT times the identity plus a term w (e_i +- e_j)(e_i +- e_j)^T for each random pair of rows i, j, so
 * it is symmetric and no eigenvalue is below SHIFT. Ranks form a grid of p rows and f p columns, and each has a block
 * of the matrix. A product adds its parts along the rows of the grid (MPI_Allreduce on a communicator per row). Then
 * each rank exchanges a part of the sum with the rank across the diagonal (MPI_Sendrecv), so that vectors are as they
 * were: a part per column. A scalar product is a sum of one number along a row.
 *
 * Ranks: p * p or 2 * p * p (1, 2, 4, 8, 9, 16, 18, 25, 32, 36, 49, 50, 64 ...), with at most a column per row of the
 * matrix. Verification: the eigenvalue, to 10 digits. It is verified that all systems are solved to TOLERANCE and that
 * the eigenvalue is not below SHIFT.
 */

#include "kernel.h"

enum { ROWS, PAIRS, STEPS, ROUNDS, PARAMETERS };

static const struct parameter parameters[PARAMETERS] = {
    {"rows", "rows of the matrix", 120, 1024, 2, 1 << 22},
    {"pairs", "random pairs per row", 3, 6, 1, 64},
    {"steps", "steps of conjugate gradients per system", 30, 40, 1, 1000},
    {"rounds", "systems that are solved", 2, 4, 1, 1000},
};

static const double SHIFT = 2.0;
static const double TOLERANCE = 1e-6;  // of a system's residual, relative to its right-hand side

/** A rank's place in the grid, and its block of the matrix in compressed rows. */
struct block {
  int down, across;    // ranks along a column and along a row of the grid
  int row, column;     // of this rank
  MPI_Comm along_row;  // the ranks of this row
  int partner;         // the rank across the diagonal
  int rows, first_row;
  int columns, first_column;
  int partner_columns, partner_first;
  int* start;  // of each row, and the end
  int* at;     // column of an entry, from this block's first
  double* entry;
  double* sums;  // of a product
};

/** Whether a row is in a part of a block, and as which. */
static bool inside(int index, int first, int count, int* place) {
  *place = index - first;
  return *place >= 0 && *place < count;
}

/** Hand an entry of the whole matrix to a block: count it, or store it if there is room already. */
static void put(struct block* block, int* used, int row, int column, double value) {
  int r, c;
  if (!inside(row, block->first_row, block->rows, &r)) return;
  if (!inside(column, block->first_column, block->columns, &c)) return;
  if (block->entry != NULL) {
    block->at[block->start[r] + used[r]] = c;
    block->entry[block->start[r] + used[r]] = value;
  }
  used[r] += 1;
}

static void put_all(struct block* block, int* used, const int* values) {
  for (int r = 0; r < values[ROWS]; ++r) put(block, used, r, r, SHIFT);
  for (int64_t pair = 0; pair < (int64_t)values[ROWS] * values[PAIRS]; ++pair) {
    const uint64_t bits = random_bits(1, (uint64_t)pair);
    const int i = (int)(pair % values[ROWS]);
    const int j = (i + 1 + (int)((bits >> 1) % (uint64_t)(values[ROWS] - 1))) % values[ROWS];
    const double weight = random_unit(2, (uint64_t)pair);
    const double beside = (bits & 1) != 0 ? weight : -weight;
    put(block, used, i, i, weight);
    put(block, used, j, j, weight);
    put(block, used, i, j, beside);
    put(block, used, j, i, beside);
  }
}

static void make_matrix(struct block* block, const int* values) {
  int* used = kernel_allocate((size_t)block->rows, sizeof *used);
  put_all(block, used, values);
  block->start = kernel_allocate((size_t)block->rows + 1, sizeof *block->start);
  for (int r = 0; r < block->rows; ++r) block->start[r + 1] = block->start[r] + used[r];
  block->at = kernel_allocate((size_t)block->start[block->rows], sizeof *block->at);
  block->entry = kernel_allocate((size_t)block->start[block->rows], sizeof *block->entry);
  memset(used, 0, (size_t)block->rows * sizeof *used);
  put_all(block, used, values);
  free(used);
}

static struct block make_block(const struct kernel* kernel, const int* values) {
  struct block block = {0};
  for (int p = 1; p <= kernel->ranks / p; ++p) {
    if (p * p == kernel->ranks || 2 * p * p == kernel->ranks) block.down = p;
  }
  if (block.down == 0) kernel_refuse(kernel, "%d ranks are neither p * p nor 2 * p * p", kernel->ranks);
  block.across = kernel->ranks / block.down;
  const int rows = values[ROWS];
  if (block.across > rows) kernel_refuse(kernel, "%d rows are less than the grid's columns: more rows=N", rows);
  block.row = kernel->rank / block.across;
  block.column = kernel->rank % block.across;
  MPI_Comm_split(MPI_COMM_WORLD, block.row, block.column, &block.along_row);

  const int factor = block.across / block.down;  // columns of the grid that one of its rows is cut into
  const int partner_row = block.column / factor, partner_column = factor * block.row + block.column % factor;
  block.partner = partner_row * block.across + partner_column;
  block.first_row = first_of(rows, factor * block.row, block.across);
  block.rows = first_of(rows, factor * (block.row + 1), block.across) - block.first_row;
  block.first_column = first_of(rows, block.column, block.across);
  block.columns = first_of(rows, block.column + 1, block.across) - block.first_column;
  block.partner_first = first_of(rows, partner_column, block.across);
  block.partner_columns = first_of(rows, partner_column + 1, block.across) - block.partner_first;
  block.sums = kernel_allocate((size_t)block.rows, sizeof *block.sums);
  make_matrix(&block, values);
  return block;
}

static void free_block(struct block* block) {
  free(block->sums);
  free(block->entry);
  free(block->at);
  free(block->start);
  MPI_Comm_free(&block->along_row);
}

/** product = matrix * vector; both are a part per column of the grid. */
static void multiply(const struct kernel* kernel, const struct block* block, const double* vector, double* product) {
  for (int r = 0; r < block->rows; ++r) {
    double sum = 0;
    for (int e = block->start[r]; e < block->start[r + 1]; ++e) sum += block->entry[e] * vector[block->at[e]];
    block->sums[r] = sum;
  }
  kernel_work(kernel, 2.0 * block->start[block->rows]);
  MPI_Allreduce(MPI_IN_PLACE, block->sums, block->rows, MPI_DOUBLE, MPI_SUM, block->along_row);
  const double* part = block->sums + (block->partner_first - block->first_row);
  MPI_Sendrecv(part, block->partner_columns, MPI_DOUBLE, block->partner, 0, product, block->columns, MPI_DOUBLE,
               block->partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/** This rank's part of a scalar product. */
static double part_of_product(const struct kernel* kernel, const struct block* block, const double* a,
                              const double* b) {
  double sum = 0;
  for (int c = 0; c < block->columns; ++c) sum += a[c] * b[c];
  kernel_work(kernel, 2.0 * block->columns);
  return sum;
}

static double scalar_product(const struct kernel* kernel, const struct block* block, const double* a, const double* b) {
  double sum = part_of_product(kernel, block, a, b);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, block->along_row);
  return sum;
}

/** Solve matrix * z = x. @return the residual, relative to x */
static double solve(const struct kernel* kernel, const struct block* block, int steps, const double* x, double* z,
                    double* memory) {
  const size_t bytes = (size_t)block->columns * sizeof *x;
  double *r = memory, *p = memory + block->columns, *q = memory + 2 * block->columns;
  memset(z, 0, bytes);
  memcpy(r, x, bytes);
  memcpy(p, x, bytes);
  const double length = scalar_product(kernel, block, x, x);
  double rho = length;
  for (int step = 0; step < steps && rho > 0; ++step) {
    multiply(kernel, block, p, q);
    const double alpha = rho / scalar_product(kernel, block, p, q);
    for (int c = 0; c < block->columns; ++c) {
      z[c] += alpha * p[c];
      r[c] -= alpha * q[c];
    }
    const double before = rho;
    rho = scalar_product(kernel, block, r, r);
    for (int c = 0; c < block->columns; ++c) p[c] = r[c] + rho / before * p[c];
    kernel_work(kernel, 6.0 * block->columns);
  }
  multiply(kernel, block, z, q);
  for (int c = 0; c < block->columns; ++c) r[c] = x[c] - q[c];
  return sqrt(scalar_product(kernel, block, r, r) / length);
}

int main(int argc, char** argv) {
  int values[PARAMETERS];
  struct kernel kernel = kernel_start("cg", argc, argv, parameters, PARAMETERS, values);
  struct block block = make_block(&kernel, values);
  double* memory = kernel_allocate(5 * (size_t)block.columns, sizeof *memory);
  double *x = memory, *z = memory + block.columns;
  for (int c = 0; c < block.columns; ++c) x[c] = random_unit(3, (uint64_t)(block.first_column + c)) - 0.5;

  double worst = 0, eigenvalue = 0;
  kernel_begin(&kernel);
  for (int round = 0; round < values[ROUNDS]; ++round) {
    const double residual = solve(&kernel, &block, values[STEPS], x, z, memory + 2 * block.columns);
    worst = fmax(worst, residual);
    double sums[3] = {part_of_product(&kernel, &block, x, x), part_of_product(&kernel, &block, x, z),
                      part_of_product(&kernel, &block, z, z)};
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, block.along_row);
    eigenvalue = sums[0] / sums[1];
    for (int c = 0; c < block.columns; ++c) x[c] = z[c] / sqrt(sums[2]);
    kernel_work(&kernel, block.columns);
  }
  kernel_end(&kernel);
  char value[32];
  snprintf(value, sizeof value, "%.10f", eigenvalue);
  free(memory);
  free_block(&block);
  return kernel_report(&kernel, value, worst <= TOLERANCE && eigenvalue >= SHIFT * (1 - TOLERANCE));
}
