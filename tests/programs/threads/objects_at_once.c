// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Threads make and free datatypes, groups, operations, attributes and info objects at once.
#include "threads.h"

enum { THREADS = 4, ROUNDS = 40 };

static void add(void* from, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)into)[i] += 2 * ((const int*)from)[i];
}

static void* body(void* argument) {
  struct worker* worker = argument;
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Datatype pairs, spaced;
    MPI_Type_contiguous(2, MPI_INT, &pairs);
    MPI_Type_vector(round % 5 + 1, 1, 2, pairs, &spaced);
    MPI_Type_commit(&spaced);
    int size = 0;
    MPI_Type_size(spaced, &size);
    MPI_Group all, some;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    const int first = 0;
    MPI_Group_incl(all, 1, &first, &some);
    int members = 0;
    MPI_Group_size(some, &members);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    const int a = worker->number + round;
    int b = 1;
    MPI_Reduce_local(&a, &b, 1, MPI_INT, op);
    int key = MPI_KEYVAL_INVALID, flag = 0;
    void* value = NULL;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(worker->comm, key, &worker->sum);
    MPI_Comm_get_attr(worker->comm, key, &value, &flag);
    if (flag == 0 || value != &worker->sum) abort();
    MPI_Comm_delete_attr(worker->comm, key);
    MPI_Comm_free_keyval(&key);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread", "own");
    int keys = 0;
    MPI_Info_get_nkeys(info, &keys);
    worker->sum = worker->sum * 31 + (uint32_t)(size + members + b + keys);
    MPI_Info_free(&info);
    MPI_Op_free(&op);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    MPI_Type_free(&spaced);
    MPI_Type_free(&pairs);
  }
  return NULL;
}

int main(void) {
  init_for_threads();
  struct worker workers[THREADS] = {0};
  for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
  run_threads(workers, THREADS, body);
  for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&workers[i].comm);
  say_sums(workers, THREADS);
  say_all();
  MPI_Finalize();
  return 0;
}
