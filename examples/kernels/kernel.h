// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file kernel.h
 * What the kernels share: parameters, refusals, random numbers, work that takes virtual time, and the report.
 *
 * Every kernel is called as `KERNEL [tiny|small] [NAME=N ...]`: a class, and parameters that differ from it. Its
 * arithmetic takes no virtual time unless `op_ns=N` says how many nanoseconds one operation takes: the kernel then
 * sleeps as long as its work would take, which is the same in every run.
 *
 * The report is three lines. The value behind `verification` depends on the parameters, and not on the number of ranks
 * beyond the digits that are printed.
 */
#ifndef KERNEL_H
#define KERNEL_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L  // for nanosleep
#endif

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** A parameter of a kernel. */
struct parameter {
  const char* name;
  const char* meaning;
  int tiny;   // its value in each class
  int small;  //
  int least;
  int most;
};

/** The ranks that run a kernel, and the clock that its time is taken with. */
struct kernel {
  const char* name;
  int rank;
  int ranks;
  int op_ns;
  double start;
  double seconds;
};

/** End all ranks because one of them cannot go on. */
static inline _Noreturn void kernel_fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  exit(EXIT_FAILURE);  // MPI_Abort does not return; the compiler cannot know
}

/** End a kernel that cannot run like this. All ranks call it, and rank 0 says why. */
static inline _Noreturn void kernel_refuse(const struct kernel* kernel, const char* format, ...) {
  if (kernel->rank == 0) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", kernel->name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
  }
  MPI_Finalize();
  exit(EXIT_FAILURE);
}

/** Memory of zeros that is there. */
static inline void* kernel_allocate(size_t count, size_t size) {
  void* memory = calloc(count == 0 ? 1 : count, size);
  if (memory == NULL) kernel_fail("out of memory");
  return memory;
}

/** The value that a word `NAME=N` gives to a parameter. */
static inline bool kernel_assignment(const char* word, const struct parameter* parameter, int* value) {
  const size_t length = strlen(parameter->name);
  if (strncmp(word, parameter->name, length) != 0 || word[length] != '=') return false;
  char* end = NULL;
  errno = 0;
  const long parsed = strtol(word + length + 1, &end, 10);
  if (errno != 0 || *end != '\0' || end == word + length + 1) return false;
  if (parsed < parameter->least || parsed > parameter->most) return false;
  *value = (int)parsed;
  return true;
}

/**
 * Start MPI and read the command line.
 * @param[out] values  of the parameters, in their order
 */
static inline struct kernel kernel_start(const char* name, int argc, char** argv, const struct parameter* parameters,
                                         int count, int* values) {
  struct kernel kernel = {.name = name};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &kernel.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &kernel.ranks);
  const struct parameter op_ns = {"op_ns", "nanoseconds of virtual time per operation", 0, 0, 0, 1000000};
  const bool small = argc > 1 && strcmp(argv[1], "small") == 0;
  const bool named = small || (argc > 1 && strcmp(argv[1], "tiny") == 0);
  for (int p = 0; p < count; ++p) values[p] = small ? parameters[p].small : parameters[p].tiny;
  for (int a = named ? 2 : 1; a < argc; ++a) {
    bool known = kernel_assignment(argv[a], &op_ns, &kernel.op_ns);
    for (int p = 0; p < count && !known; ++p) known = kernel_assignment(argv[a], &parameters[p], &values[p]);
    if (known) continue;
    if (kernel.rank == 0) {
      fprintf(stderr, "%s: %s is no parameter with a value in its limits\n", name, argv[a]);
      fprintf(stderr, "usage: %s [tiny|small] [NAME=N ...]\n  %-8s %8s %8s\n", name, "NAME", "tiny", "small");
      for (int p = 0; p <= count; ++p) {
        const struct parameter* one = p < count ? &parameters[p] : &op_ns;
        fprintf(stderr, "  %-8s %8d %8d  %s, %d to %d\n", one->name, one->tiny, one->small, one->meaning, one->least,
                one->most);
      }
    }
    MPI_Finalize();
    exit(EXIT_FAILURE);
  }
  return kernel;
}

/** Begin what is timed, at all ranks together. */
static inline void kernel_begin(struct kernel* kernel) {
  MPI_Barrier(MPI_COMM_WORLD);
  kernel->start = MPI_Wtime();
}

/** End what is timed: when the last rank has come. */
static inline void kernel_end(struct kernel* kernel) {
  MPI_Barrier(MPI_COMM_WORLD);
  kernel->seconds = MPI_Wtime() - kernel->start;
}

/** Let the time pass that this rank's operations take. */
static inline void kernel_work(const struct kernel* kernel, double operations) {
  if (kernel->op_ns == 0) return;
  const int64_t duration = (int64_t)(operations * kernel->op_ns);
  const struct timespec pause = {.tv_sec = (time_t)(duration / 1000000000), .tv_nsec = (long)(duration % 1000000000)};
  nanosleep(&pause, NULL);
}

/**
 * Print the report and end MPI.
 * @param value  what is printed behind `verification`; known to rank 0
 * @param verified  known to rank 0
 * @return the exit status of the program
 */
static inline int kernel_report(const struct kernel* kernel, const char* value, bool verified) {
  if (kernel->rank == 0) {
    printf("verification  %s\nverified      %s\ntime          %.9f s\n", value, verified ? "yes" : "no",
           kernel->seconds);
  }
  MPI_Finalize();
  return kernel->rank != 0 || verified ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** The number `index` of a random sequence, the same on every rank (SplitMix64). */
static inline uint64_t random_bits(uint64_t seed, uint64_t index) {
  uint64_t z = (seed << 48) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/** Likewise, in [0, 1). */
static inline double random_unit(uint64_t seed, uint64_t index) {
  return (double)(random_bits(seed, index) >> 11) / 9007199254740992.0;
}

/** First of `count` items that belong to `part` of `parts`, which are as equal as can be. */
static inline int first_of(int count, int part, int parts) { return (int)((int64_t)count * part / parts); }

#endif
