// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file ft.c
 * FT: the heat equation on a periodic box, solved by Fourier transforms in three dimensions.
 *
 * Every rank holds slabs of `z` planes. A transform works along x and y, then an all-to-all (MPI_Alltoall) turns slabs
 * of z into slabs of y, and it works along z. The inverse goes the same way back. A round multiplies the spectrum of
 * random values by exp(-4 pi^2 DIFFUSION t k^2), transforms it back, and sums 64 points of the result (MPI_Reduce).
 *
 * Ranks: divisors of y and of z; lengths need not be powers of two. Verification: the real part of the last sum, to 10
 * digits. It is verified that the inverse transform gives the random values back, and that the spectrum has their sum
 * of squares (Parseval).
 */
#define _POSIX_C_SOURCE 200809L  // as in kernel.h, which comes later
#include <complex.h>

#include "kernel.h"

enum { X, Y, Z, ROUNDS, PARAMETERS };

static const struct parameter parameters[PARAMETERS] = {
    {"x", "points along x", 8, 32, 1, 4096},
    {"y", "points along y, which the ranks divide", 36, 64, 1, 4096},
    {"z", "points along z, which the ranks divide", 36, 64, 1, 4096},
    {"rounds", "steps of time", 2, 4, 1, 1000},
};

static const double DIFFUSION = 1e-4;
static const double TOLERANCE = 1e-12;
enum { PROBES = 64 };

/** The roots of unity of a length, and memory for one transform of it. */
struct transform {
  int length;
  double complex* roots;
  double complex* in;
  double complex* out;
  double complex* sums;
};

/** The box and this rank's part of it. */
struct box {
  int x, y, z;
  int ranks;
  int first_y, own_y;
  int first_z, own_z;
  size_t points;  // of this rank, in either kind of slab
  struct transform along[3];
  double complex* sending;
  double complex* receiving;
};

static struct transform make_transform(int length) {
  struct transform made = {.length = length};
  const double turn = 2 * acos(-1.0);
  const size_t size = sizeof(double complex);
  made.roots = kernel_allocate((size_t)length, size);
  made.in = kernel_allocate((size_t)length, size);
  made.out = kernel_allocate((size_t)length, size);
  made.sums = kernel_allocate((size_t)length, size);
  for (int i = 0; i < length; ++i) made.roots[i] = cos(turn * i / length) - I * sin(turn * i / length);
  return made;
}

static double complex root_of(const struct transform* transform, int64_t numerator, int length, bool inverse) {
  const int64_t index = numerator % length * (transform->length / length);
  return inverse ? conj(transform->roots[index]) : transform->roots[index];
}

/** Transform `length` numbers that are `stride` apart: as many interleaved transforms as the least prime factor. */
static void transform_part(const struct transform* transform, int length, int stride, const double complex* in,
                           double complex* out, bool inverse) {
  if (length == 1) {
    out[0] = in[0];
    return;
  }
  int factor = 2;
  while (length % factor != 0) factor = factor * factor > length ? length : factor + 1;
  const int part = length / factor;
  for (int q = 0; q < factor; ++q) {
    transform_part(transform, part, stride * factor, in + q * stride, out + q * part, inverse);
  }
  double complex* sums = transform->sums;
  for (int k = 0; k < part; ++k) {
    for (int j = 0; j < factor; ++j) {
      sums[j] = 0;
      for (int q = 0; q < factor; ++q) {
        sums[j] += out[q * part + k] * root_of(transform, (int64_t)q * (k + j * part), length, inverse);
      }
    }
    for (int j = 0; j < factor; ++j) out[k + j * part] = sums[j];
  }
}

/** Transform a line of numbers in place. The inverse divides by the length. */
static void transform_line(const struct transform* transform, double complex* first, size_t stride, bool inverse) {
  for (int i = 0; i < transform->length; ++i) transform->in[i] = first[(size_t)i * stride];
  transform_part(transform, transform->length, 1, transform->in, transform->out, inverse);
  const double scale = inverse ? 1.0 / transform->length : 1.0;
  for (int i = 0; i < transform->length; ++i) first[(size_t)i * stride] = scale * transform->out[i];
}

/** Operations of transforms along a dimension: 5 n log2 n each, as people count them. */
static double operations(const struct box* box, int length) { return 5.0 * (double)box->points * log2(length); }

/** Transform a slab of z along x and y. */
static void transform_planes(const struct kernel* kernel, const struct box* box, double complex* slab, bool inverse) {
  const size_t x = (size_t)box->x, plane = x * (size_t)box->y;
  for (int k = 0; k < box->own_z; ++k) {
    double complex* here = slab + (size_t)k * plane;
    for (int j = 0; j < box->y; ++j) transform_line(&box->along[0], here + (size_t)j * x, 1, inverse);
    for (int i = 0; i < box->x; ++i) transform_line(&box->along[1], here + i, x, inverse);
  }
  kernel_work(kernel, operations(box, box->x) + operations(box, box->y));
}

/** Transform a slab of y, whose lines along z are whole and contiguous. */
static void transform_lines(const struct kernel* kernel, const struct box* box, double complex* slab, bool inverse) {
  for (size_t line = 0; line < box->points / (size_t)box->z; ++line) {
    transform_line(&box->along[2], slab + line * (size_t)box->z, 1, inverse);
  }
  kernel_work(kernel, operations(box, box->z));
}

/** Turn slabs of z into slabs of y, or back. Blocks between two ranks are ordered by z, y, x. */
static void transpose(const struct box* box, double complex* slab_of_z, double complex* slab_of_y, bool back) {
  const size_t x = (size_t)box->x, own_y = (size_t)box->own_y, own_z = (size_t)box->own_z;
  const size_t block = x * own_y * own_z;
  for (int way = 0; way < 2; ++way) {
    const bool of_z = (way == 0) != back;
    double complex* blocks = way == 0 ? box->sending : box->receiving;
    for (size_t r = 0; r < (size_t)box->ranks; ++r) {
      for (size_t k = 0; k < own_z; ++k) {
        for (size_t j = 0; j < own_y; ++j) {
          for (size_t i = 0; i < x; ++i) {
            double complex* there = blocks + r * block + (k * own_y + j) * x + i;
            double complex* here = of_z ? slab_of_z + (k * (size_t)box->y + r * own_y + j) * x + i
                                        : slab_of_y + (j * x + i) * (size_t)box->z + r * own_z + k;
            *(way == 0 ? there : here) = *(way == 0 ? here : there);
          }
        }
      }
    }
    if (way == 0) {
      MPI_Alltoall(box->sending, (int)block, MPI_C_DOUBLE_COMPLEX, box->receiving, (int)block, MPI_C_DOUBLE_COMPLEX,
                   MPI_COMM_WORLD);
    }
  }
}

static struct box make_box(const struct kernel* kernel, const int* values) {
  struct box box = {.x = values[X], .y = values[Y], .z = values[Z], .ranks = kernel->ranks};
  if (box.y % box.ranks != 0 || box.z % box.ranks != 0) {
    kernel_refuse(kernel, "%d ranks do not divide %d x %d lines: other y=N z=N", box.ranks, box.y, box.z);
  }
  box.own_y = box.y / box.ranks;
  box.own_z = box.z / box.ranks;
  box.first_y = kernel->rank * box.own_y;
  box.first_z = kernel->rank * box.own_z;
  box.points = (size_t)box.x * (size_t)box.y * (size_t)box.own_z;
  const int lengths[3] = {box.x, box.y, box.z};
  for (int d = 0; d < 3; ++d) box.along[d] = make_transform(lengths[d]);
  box.sending = kernel_allocate(box.points, sizeof *box.sending);
  box.receiving = kernel_allocate(box.points, sizeof *box.receiving);
  return box;
}

static void free_box(struct box* box) {
  free(box->receiving);
  free(box->sending);
  for (int d = 0; d < 3; ++d) {
    free(box->along[d].sums);
    free(box->along[d].out);
    free(box->along[d].in);
    free(box->along[d].roots);
  }
}

/** The value that a point begins with; `index` counts points of the whole box. */
static double complex begin_with(uint64_t index) {
  return random_unit(1, 2 * index) + I * random_unit(1, 2 * index + 1);
}

/** Square of the wave number behind index i of a length. */
static double wave_square(int i, int length) {
  const double wave = i > length / 2 ? i - length : i;
  return wave * wave;
}

/** damped = spectrum at a time; both are slabs of y. */
static void damp(const struct kernel* kernel, const struct box* box, int time, const double complex* spectrum,
                 double complex* damped) {
  const double turn = 2 * acos(-1.0), rate = turn * turn * DIFFUSION * time;
  size_t at = 0;
  for (int j = 0; j < box->own_y; ++j) {
    for (int i = 0; i < box->x; ++i) {
      const double beside = wave_square(box->first_y + j, box->y) + wave_square(i, box->x);
      for (int k = 0; k < box->z; ++k, ++at) {
        damped[at] = spectrum[at] * exp(-rate * (beside + wave_square(k, box->z)));
      }
    }
  }
  kernel_work(kernel, 10.0 * (double)box->points);
}

/** Sum of some points of a slab of z, over all ranks; known to rank 0. */
static double complex probe(const struct box* box, const double complex* slab) {
  const uint64_t plane = (uint64_t)box->x * (uint64_t)box->y, first = plane * (uint64_t)box->first_z;
  double complex sum = 0;
  for (uint64_t p = 0; p < PROBES; ++p) {
    const uint64_t index = random_bits(2, p) % (plane * (uint64_t)box->z);
    if (index >= first && index - first < box->points) sum += slab[index - first];
  }
  const double parts[2] = {creal(sum), cimag(sum)};
  double sums[2] = {0, 0};
  MPI_Reduce(parts, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return sums[0] + I * sums[1];
}

int main(int argc, char** argv) {
  int values[PARAMETERS];
  struct kernel kernel = kernel_start("ft", argc, argv, parameters, PARAMETERS, values);
  struct box box = make_box(&kernel, values);
  double complex* field = kernel_allocate(box.points, sizeof *field);
  double complex* spectrum = kernel_allocate(box.points, sizeof *spectrum);
  double complex* damped = kernel_allocate(box.points, sizeof *damped);
  const uint64_t first = (uint64_t)box.x * (uint64_t)box.y * (uint64_t)box.first_z;
  for (size_t p = 0; p < box.points; ++p) field[p] = begin_with(first + p);

  double complex sum = 0;
  double worst = 0, squares[2] = {0, 0};
  kernel_begin(&kernel);
  transform_planes(&kernel, &box, field, false);
  transpose(&box, field, spectrum, false);
  transform_lines(&kernel, &box, spectrum, false);
  for (int time = 0; time <= values[ROUNDS]; ++time) {
    damp(&kernel, &box, time, spectrum, damped);
    transform_lines(&kernel, &box, damped, true);
    transpose(&box, field, damped, true);
    transform_planes(&kernel, &box, field, true);
    sum = probe(&box, field);
    for (size_t p = 0; p < box.points && time == 0; ++p) {  // the inverse alone
      const double complex given = begin_with(first + p);
      worst = fmax(worst, cabs(field[p] - given));
      squares[0] += creal(given * conj(given));
      squares[1] += creal(spectrum[p] * conj(spectrum[p]));
    }
  }
  kernel_end(&kernel);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, squares, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double ratio = squares[1] / squares[0] / box.x / box.y / box.z;
  char value[32];
  snprintf(value, sizeof value, "%.10f", creal(sum));
  free(damped);
  free(spectrum);
  free(field);
  free_box(&box);
  return kernel_report(&kernel, value, worst <= TOLERANCE && fabs(ratio - 1) <= TOLERANCE);
}
