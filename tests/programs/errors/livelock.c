// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Ranks that ask again and again for what never comes, or that have a reason to. The first argument says which.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int told, questions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

/** A thread that waits for ever for another one. */
static void* idle(void* unused) {
  pthread_mutex_lock(&lock);
  for (;;) pthread_cond_wait(&never, &lock);
  return unused;
}

/** A thread that asks for ever. */
static void* ask(void* request) {
  for (int done = 0; !done;) MPI_Test(request, &done, MPI_STATUS_IGNORE);
  return request;
}

/** A process that comes to its end when its parent has asked often. */
static pid_t start_child(atomic_int* asked) {
  const pid_t child = fork();
  if (child != 0) return child;
  while (atomic_load(asked) < 250000) sched_yield();
  _exit(0);
}

static void* tell(void* unused) {
  while (atomic_load(&questions) < 250000) sched_yield();
  atomic_store(&told, 1);
  return unused;
}

static void alarm_came(int signal) {
  (void)signal;
  atomic_store(&told, 1);
}

int main(int argc, char** argv) {
  const char* const why = argc > 1 ? argv[1] : "";
  int rank = 0, done = 0, value = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    pthread_t thread;
    const double began = MPI_Wtime();
    const struct itimerval once = {{0, 0}, {4, 0}};
    pid_t child = 0;
    atomic_int* const asked = mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (strcmp(why, "child") == 0) child = start_child(asked);
    if (strcmp(why, "idle_thread") == 0) pthread_create(&thread, NULL, idle, NULL);
    if (strcmp(why, "thread") == 0) pthread_create(&thread, NULL, tell, NULL);
    if (strcmp(why, "alarm") == 0) {
      signal(SIGALRM, alarm_came);
      setitimer(ITIMER_REAL, &once, NULL);
    }
    MPI_Irecv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    if (strcmp(why, "asking_thread") == 0) {
      pthread_create(&thread, NULL, ask, &request);
      pthread_join(thread, NULL);
    }
    while (!done && !atomic_load(&told)) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      atomic_fetch_add(&questions, 1);
      atomic_fetch_add(asked, 1);
      if (child != 0 && waitpid(child, NULL, WNOHANG) == child) break;
      if (strcmp(why, "clock") == 0 && MPI_Wtime() - began > 4) break;
      if (strcmp(why, "sleep") == 0) nanosleep(&(struct timespec){0, 1000}, NULL);
    }
    if (strcmp(why, "thread") == 0) pthread_join(thread, NULL);
    printf("rank 0 goes on\n");
    if (!done) MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    if (strcmp(why, "late") == 0) {
      nanosleep(&(struct timespec){4, 0}, NULL);
      MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    } else if (strcmp(why, "probe") == 0) {
      while (!done) MPI_Iprobe(0, 6, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
