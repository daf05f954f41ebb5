// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A random MPI program: steps SEED STEPS draws steps from a seed and carries them out. Each uses one
// communicator of a pool, datatypes of random layout, and counts of its own. After each, rank 0 prints what it was and
// a hash of all that ranks have received, which the standard alone determines.
//
// All ranks draw the same numbers, because each step has a generator of its own. A step on a communicator that a rank
// is no member of is nothing to that rank.
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  COMMUNICATORS = 5,
  MOST_RANKS = 64,
  MOST_MESSAGES = 24,
  MOST_COUNT = 160,
  TYPE_DEPTH = 2,
  HOLE = 0xa5,
  MOST_NAME = 256
};

static int world_rank, world_size;
static uint64_t seed, state, received_hash;
static MPI_Comm pool[COMMUNICATORS];

// ---------------------------------------------------------------- random numbers

static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/** A number below `limit`, the same on all ranks of the step. */
static int draw(int limit) {
  state = mix(state);
  return (int)(state % (uint64_t)limit);
}
/** Small numbers are drawn more often than large ones. */
static int draw_count(int most) { return draw(draw(most + 1) + 1); }

/** Bytes that differ from rank to rank and from use to use. */
static void fill(void* to, size_t bytes, uint64_t use) {
  uint64_t value = mix(state ^ mix(use * MOST_RANKS + (uint64_t)world_rank));
  for (size_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) value = mix(value);
    ((unsigned char*)to)[i] = (unsigned char)(value >> (8 * (i % 8)));
  }
}

/** What has been received counts. */
static void take(const void* from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) received_hash = (received_hash ^ ((const unsigned char*)from)[i]) * 0x100000001b3u;
}

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes + 1);
  if (memory == NULL) abort();
  return memory;
}

// ---------------------------------------------------------------- datatypes

/** A datatype, and the predefined one that it consists of: `leaves` of them, or null if there are several. */
struct type {
  MPI_Datatype type;
  MPI_Datatype leaf;
  int leaves;
};

static const struct {
  MPI_Datatype type;
} basics[] = {{MPI_BYTE}, {MPI_CHAR}, {MPI_SHORT}, {MPI_INT}, {MPI_INT64_T}, {MPI_FLOAT}, {MPI_DOUBLE}};

static MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

static MPI_Aint lower_of(MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  return lower;
}

/** A random datatype whose elements do not overlap. */
static struct type draw_type(int depth) {
  struct type made = {.type = basics[draw(sizeof basics / sizeof basics[0])].type, .leaves = 1};
  made.leaf = made.type;
  MPI_Type_dup(made.type, &made.type);
  for (int level = draw(depth + 1); level > 0; --level) {
    struct type inner = made;
    const int count = 1 + draw(4), block = 1 + draw(3), gap = draw(3);
    const MPI_Aint extent = extent_of(inner.type);
    int lengths[4] = {0}, places[4] = {0};
    MPI_Aint displacements[4];
    int at = draw(3), total = 0;
    for (int i = 0; i < count; ++i) {
      lengths[i] = draw(4) + (i == 0 ? 1 : 0);  // MPICH divides by the size of an element
      places[i] = at;
      displacements[i] = at * extent + (i * gap);
      at += lengths[i] + draw(2);
      total += lengths[i];
    }
    switch (draw(9)) {
      case 0:
        MPI_Type_contiguous(count, inner.type, &made.type);
        made.leaves *= count;
        break;
      case 1:
        MPI_Type_vector(count, block, block + gap, inner.type, &made.type);
        made.leaves *= count * block;
        break;
      case 2:
        MPI_Type_create_hvector(count, block, block * extent + gap, inner.type, &made.type);
        made.leaves *= count * block;
        break;
      case 3:
        MPI_Type_indexed(count, lengths, places, inner.type, &made.type);
        made.leaves *= total;
        break;
      case 4:
        MPI_Type_create_hindexed(count, lengths, displacements, inner.type, &made.type);
        made.leaves *= total;
        break;
      case 5: {
        for (int i = 0; i < count; ++i) places[i] = i * (block + gap);
        MPI_Type_create_indexed_block(count, block, places, inner.type, &made.type);
        made.leaves *= count * block;
        break;
      }
      case 6: {
        const int sizes[2] = {count + 1, block + 2}, parts[2] = {count, block}, starts[2] = {draw(2), draw(3)};
        MPI_Type_create_subarray(2, sizes, parts, starts, draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, inner.type,
                                 &made.type);
        made.leaves *= count * block;
        break;
      }
      case 7:
        MPI_Type_dup(inner.type, &made.type);
        break;
      default: {
        const MPI_Datatype other = basics[draw(sizeof basics / sizeof basics[0])].type;
        const MPI_Datatype types[2] = {inner.type, other};
        displacements[0] = 0;
        displacements[1] = lower_of(inner.type) + block * extent + gap;
        lengths[0] = block;
        lengths[1] = 1 + gap;
        MPI_Type_create_struct(2, lengths, displacements, types, &made.type);
        made.leaf = MPI_DATATYPE_NULL;
        break;
      }
    }
    MPI_Type_free(&inner.type);
    // How far an element is padded at its end is the library's choice, unless the program says it.
    MPI_Aint low, length;
    MPI_Datatype bare = made.type;
    MPI_Type_get_true_extent(bare, &low, &length);
    MPI_Type_create_resized(bare, 0, low + length + gap, &made.type);
    MPI_Type_free(&bare);
  }
  MPI_Type_commit(&made.type);
  return made;
}

/** Another way to write the same elements: as `*count` of a datatype. */
static MPI_Datatype draw_equivalent(struct type type, int* count) {
  if (type.leaf == MPI_DATATYPE_NULL || draw(2)) return type.type;
  *count *= type.leaves;
  return type.leaf;
}

/** Memory for `count` elements of a datatype, with all addresses that they have. */
struct buffer {
  char* memory;
  char* base;
  size_t bytes;
};

static struct buffer buffer_of(MPI_Datatype type, int count) {
  MPI_Aint low, length;
  MPI_Type_get_true_extent(type, &low, &length);
  const MPI_Aint extent = extent_of(type);
  const MPI_Aint end = low + length + (count > 0 ? (count - 1) * extent : 0);
  const size_t bytes = (size_t)(end > 0 ? end : 0) + 16;
  struct buffer made = {.memory = allocate(bytes), .bytes = bytes};
  made.base = made.memory;  // displacements are not negative
  return made;
}
static struct buffer full(MPI_Datatype type, int count, uint64_t use) {
  struct buffer made = buffer_of(type, count);
  fill(made.memory, made.bytes, use);
  return made;
}
static struct buffer empty(MPI_Datatype type, int count) {
  struct buffer made = buffer_of(type, count);
  memset(made.memory, HOLE, made.bytes);
  return made;
}
static void forget(struct buffer buffer) { free(buffer.memory); }
/** As forget(), for what has been received. Holes count too: nothing may be written to them. */
static void taken(struct buffer buffer) {
  take(buffer.memory, buffer.bytes);
  forget(buffer);
}

// ---------------------------------------------------------------- requests

static void complete(MPI_Request* request) {
  int done = 0;
  if (draw(2)) {
    while (!done) MPI_Test(request, &done, MPI_STATUS_IGNORE);
  } else {
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
}

/** Call a collective at once, start it, or initialize it and start it once or twice. Ends with its name. */
#define IN_SOME_WAY(Name, name, ...)                                  \
  do {                                                                \
    MPI_Request request_;                                             \
    const int way_ = draw(4);                                         \
    if (way_ < 2) {                                                   \
      MPI_##Name(__VA_ARGS__, comm);                                  \
    } else if (way_ == 2) {                                           \
      MPI_I##name(__VA_ARGS__, comm, &request_);                      \
      complete(&request_);                                            \
    } else {                                                          \
      MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &request_); \
      for (int again_ = draw(2); again_ >= 0; --again_) {             \
        MPI_Start(&request_);                                         \
        complete(&request_);                                          \
      }                                                               \
      MPI_Request_free(&request_);                                    \
    }                                                                 \
  } while (0)

// ---------------------------------------------------------------- steps

static void make_communicator(MPI_Comm comm) {
  const int to = draw(COMMUNICATORS - 1) + 1, kind = draw(5);
  MPI_Comm made = MPI_COMM_NULL;
  if (comm != MPI_COMM_NULL) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const uint64_t own = mix(state ^ (uint64_t)rank);
    if (kind == 0) {
      MPI_Comm_dup(comm, &made);
    } else if (kind == 1) {
      MPI_Comm_split(comm, own % 7 == 0 ? MPI_UNDEFINED : (int)(own % 2), (int)(mix(own) % 5), &made);
    } else if (kind == 2) {
      MPI_Group all, some;
      int chosen[MOST_RANKS], number = 0;
      for (int i = size - 1; i >= 0; --i)
        if (draw(3)) chosen[number++] = i;
      MPI_Comm_group(comm, &all);
      MPI_Group_incl(all, number, chosen, &some);
      MPI_Comm_create(comm, some, &made);
      MPI_Group_free(&all);
      MPI_Group_free(&some);
    } else if (kind == 3) {
      int sizes[2] = {0, 0};
      const int periods[2] = {draw(2), draw(2)};
      MPI_Dims_create(size, 2, sizes);
      MPI_Cart_create(comm, 2, sizes, periods, 0, &made);
    } else {
      MPI_Comm half, both;
      const int side = rank % 2, pivot = draw(1000);
      MPI_Comm_split(comm, side, rank, &half);
      if (size > 1) {
        MPI_Intercomm_create(half, 0, comm, 1 - side, pivot, &both);
        MPI_Intercomm_merge(both, side, &made);
        MPI_Comm_free(&both);
        MPI_Comm_free(&half);
      } else {
        made = half;
      }
    }
  }
  if (pool[to] != MPI_COMM_NULL) MPI_Comm_free(&pool[to]);
  pool[to] = made;
  int members = 0, rank = 0;
  if (made != MPI_COMM_NULL) {
    MPI_Comm_size(made, &members);
    MPI_Comm_rank(made, &rank);
  }
  take(&members, sizeof members);
  take(&rank, sizeof rank);
}

/** Messages between random ranks, each with a tag of its own; some sources are not named. A rank may be here while
 * others are in an earlier step that has messages, too: @param first_tag no other step has tags from this one on. */
static void exchange_messages(MPI_Comm comm, int rank, int size, int first_tag) {
  struct {
    MPI_Request request;
    struct buffer buffer;
  } under_way[2 * MOST_MESSAGES];
  MPI_Request requests[2 * MOST_MESSAGES];
  const int messages = 1 + draw(MOST_MESSAGES);
  int made = 0;
  struct type types[3];
  for (int i = 0; i < 3; ++i) types[i] = draw_type(TYPE_DEPTH);
  for (int i = 0; i < messages; ++i) {
    const int from = draw(size), to = draw(size), count = draw_count(MOST_COUNT), mode = draw(5), any = draw(4) == 0;
    const int tag = first_tag + i;
    const struct type type = types[draw(3)];
    int given = count, got = count;
    const MPI_Datatype given_as = draw_equivalent(type, &given), got_as = draw_equivalent(type, &got);
    if (rank == to) {
      const struct buffer buffer = empty(got_as, got);
      under_way[made].buffer = buffer;
      MPI_Irecv(buffer.base, got, got_as, any ? MPI_ANY_SOURCE : from, tag, comm, &requests[made++]);
    }
    if (rank == from) {
      const struct buffer buffer = full(given_as, given, (uint64_t)i);
      under_way[made].buffer = buffer;
      if (mode == 0) {
        MPI_Issend(buffer.base, given, given_as, to, tag, comm, &requests[made++]);
      } else if (mode == 1) {
        MPI_Send_init(buffer.base, given, given_as, to, tag, comm, &requests[made]);
        MPI_Start(&requests[made++]);
      } else {
        MPI_Isend(buffer.base, given, given_as, to, tag, comm, &requests[made++]);
      }
    }
  }
  const int way = draw(3);
  if (way == 0) {
    MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
  } else if (way == 1) {
    for (int i = made - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  } else {
    for (int index = 0; index != MPI_UNDEFINED;) MPI_Waitany(made, requests, &index, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < made; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
    taken(under_way[i].buffer);
  }
  for (int i = 0; i < 3; ++i) MPI_Type_free(&types[i].type);
}

/** Collectives that move data. */
static void move(MPI_Comm comm, int rank, int size, int kind) {
  const struct type type = draw_type(TYPE_DEPTH - 1);
  const int root = draw(size), count = draw_count(MOST_COUNT / size + 1);
  int counts[MOST_RANKS], places[MOST_RANKS], total = 0, given = count, got = count;
  for (int i = 0; i < size; ++i) {
    counts[i] = draw_count(MOST_COUNT / size + 1);
    places[i] = total;
    total += counts[i] + draw(2);
  }
  const MPI_Datatype given_as = draw_equivalent(type, &given), got_as = draw_equivalent(type, &got);
  struct buffer from, to;
  switch (kind) {
    case 0:
      to = rank == root ? full(got_as, got, 0) : empty(got_as, got);
      IN_SOME_WAY(Bcast, bcast, to.base, got, got_as, root);
      taken(to);
      break;
    case 1:
      from = full(given_as, given, 0);
      to = empty(got_as, got * size);
      IN_SOME_WAY(Gather, gather, from.base, given, given_as, to.base, got, got_as, root);
      taken(to);
      forget(from);
      break;
    case 2:
      from = full(type.type, counts[rank], 0);
      to = empty(type.type, total);
      IN_SOME_WAY(Gatherv, gatherv, from.base, counts[rank], type.type, to.base, counts, places, type.type, root);
      taken(to);
      forget(from);
      break;
    case 3:
      from = full(given_as, given * size, 0);
      to = empty(got_as, got);
      IN_SOME_WAY(Scatter, scatter, from.base, given, given_as, to.base, got, got_as, root);
      taken(to);
      forget(from);
      break;
    case 4:
      from = full(type.type, total, 0);
      to = empty(type.type, counts[rank]);
      IN_SOME_WAY(Scatterv, scatterv, from.base, counts, places, type.type, to.base, counts[rank], type.type, root);
      taken(to);
      forget(from);
      break;
    case 5:
      from = full(given_as, given, 0);
      to = empty(got_as, got * size);
      IN_SOME_WAY(Allgather, allgather, from.base, given, given_as, to.base, got, got_as);
      taken(to);
      forget(from);
      break;
    case 6:
      from = full(type.type, counts[rank], 0);
      to = empty(type.type, total);
      IN_SOME_WAY(Allgatherv, allgatherv, from.base, counts[rank], type.type, to.base, counts, places, type.type);
      taken(to);
      forget(from);
      break;
    case 7:
      from = full(given_as, given * size, 0);
      to = empty(got_as, got * size);
      IN_SOME_WAY(Alltoall, alltoall, from.base, given, given_as, to.base, got, got_as);
      taken(to);
      forget(from);
      break;
    default: {
      // What rank a sends to rank b is (a + b) % size of the counts, on both sides.
      int sizes[MOST_RANKS], at[MOST_RANKS], all = 0;
      for (int i = 0; i < size; ++i) {
        sizes[i] = counts[(rank + i) % size];
        at[i] = all;
        all += sizes[i];
      }
      from = full(type.type, all, 0);
      to = empty(type.type, all);
      IN_SOME_WAY(Alltoallv, alltoallv, from.base, sizes, at, type.type, to.base, sizes, at, type.type);
      taken(to);
      forget(from);
    }
  }
  MPI_Datatype used = type.type;
  MPI_Type_free(&used);
}

/** Collectives that reduce. Sums and products of integers wrap around, and those of doubles are exact. */
static void reduce(MPI_Comm comm, int rank, int size, int kind) {
  static const struct {
    MPI_Datatype type;
    bool real;
  } types[] = {{MPI_UINT32_T, false}, {MPI_INT32_T, false},  {MPI_UINT64_T, false}, {MPI_INT64_T, false},
               {MPI_UINT8_T, false},  {MPI_UINT16_T, false}, {MPI_FLOAT, true},     {MPI_DOUBLE, true}};
  static const MPI_Op operations[] = {MPI_MIN, MPI_MAX, MPI_SUM, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LXOR};
  const int which = draw(sizeof types / sizeof types[0]);
  const MPI_Datatype type = types[which].type;
  const MPI_Op operation = operations[draw(types[which].real ? 3 : (int)(sizeof operations / sizeof operations[0]))];
  const int root = draw(size), count = draw_count(4 * MOST_COUNT / (kind < 4 ? 1 : size));
  const int all = kind < 4 ? count : count * size;
  struct buffer from = full(type, all, 0), to = empty(type, all);
  // Small whole numbers: signed sums stay in range, and floating-point ones are exact.
  for (int i = 0; i < all; ++i) {
    const int value = (int)(mix(mix(state + (uint64_t)rank) + (uint64_t)i) % 1000);
    if (type == MPI_FLOAT) ((float*)from.base)[i] = (float)value;
    if (type == MPI_DOUBLE) ((double*)from.base)[i] = value;
    if (type == MPI_INT32_T) ((int32_t*)from.base)[i] = value - 500;
    if (type == MPI_INT64_T) ((int64_t*)from.base)[i] = value - 500;
  }
  const bool in_place = draw(4) == 0 && (kind == 1 || kind == 2);
  if (in_place) memcpy(to.base, from.base, (size_t)(all * extent_of(type)));
  switch (kind) {
    case 0:
      IN_SOME_WAY(Reduce, reduce, from.base, to.base, count, type, operation, root);
      break;
    case 1:
      if (in_place)
        MPI_Allreduce(MPI_IN_PLACE, to.base, count, type, operation, comm);
      else
        IN_SOME_WAY(Allreduce, allreduce, from.base, to.base, count, type, operation);
      break;
    case 2:
      if (in_place)
        MPI_Scan(MPI_IN_PLACE, to.base, count, type, operation, comm);
      else
        IN_SOME_WAY(Scan, scan, from.base, to.base, count, type, operation);
      break;
    case 3:
      IN_SOME_WAY(Exscan, exscan, from.base, to.base, count, type, operation);
      if (rank == 0) memset(to.base, 0, to.bytes);  // not defined there
      break;
    case 4:
      IN_SOME_WAY(Reduce_scatter_block, reduce_scatter_block, from.base, to.base, count, type, operation);
      break;
    default: {
      int counts[MOST_RANKS];
      for (int i = 0; i < size; ++i) counts[i] = (count + i) / 2 < count ? (count + i) / 2 : count;
      IN_SOME_WAY(Reduce_scatter, reduce_scatter, from.base, to.base, counts, type, operation);
    }
  }
  taken(to);
  forget(from);
}

/** Accesses to windows, in one epoch. What ranks write does not overlap, or is added. */
static void access_windows(MPI_Comm comm, int rank, int size) {
  enum { SLOT = 40, SHARED = 30, ORDER = 4 };
  const int own = size * SLOT, all = own + SHARED + SHARED, epochs = draw(ORDER);
  int64_t* memory;
  MPI_Win window;
  if (draw(2)) {
    MPI_Win_allocate(all * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm, &memory, &window);
  } else {
    memory = allocate((size_t)all * sizeof *memory);
    MPI_Win_create(memory, all * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm, &window);
  }
  int flavor, *flavor_at, found;
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavor_at, &found);
  flavor = *flavor_at;
  fill(memory, (size_t)all * sizeof *memory, 1);
  MPI_Barrier(comm);
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  if (epochs == 0) MPI_Win_fence(0, window);
  if (epochs == 1) MPI_Win_lock_all(0, window);
  if (epochs == 2) MPI_Win_post(group, 0, window);
  if (epochs == 2) MPI_Win_start(group, 0, window);
  int64_t got[MOST_MESSAGES][SHARED], given[SLOT], before[MOST_MESSAGES];
  memset(got, HOLE, sizeof got);
  fill(given, sizeof given, 2);
  const int accesses = 1 + draw(MOST_MESSAGES);
  int used[MOST_RANKS] = {0};
  for (int i = 0; i < accesses; ++i) {
    const int target = (rank + draw(size)) % size, kind = draw(4), count = 1 + draw(8), at = draw(SHARED - 8);
    if (epochs == 3) MPI_Win_lock(draw(2) ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, window);
    if (kind == 0 && used[target] + count <= SLOT) {
      const int place = rank * SLOT + used[target];
      used[target] += count;
      MPI_Put(given, count, MPI_INT64_T, target, place, count, MPI_INT64_T, window);
    } else if (kind == 1) {
      MPI_Get(got[i], count, MPI_INT64_T, target, own + SHARED + at, count, MPI_INT64_T, window);
    } else if (kind == 2) {
      MPI_Accumulate(given, count, MPI_INT64_T, target, own + at, count, MPI_INT64_T, MPI_SUM, window);
    } else {
      MPI_Fetch_and_op(&given[0], &before[i], MPI_INT64_T, target, own + at, MPI_SUM, window);  // in some order
    }
    if (epochs == 3) MPI_Win_unlock(target, window);
    if (epochs == 0) MPI_Win_fence(0, window);
  }
  if (epochs == 0) MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  if (epochs == 1) MPI_Win_unlock_all(window);
  if (epochs == 2) MPI_Win_complete(window);
  if (epochs == 2) MPI_Win_wait(window);
  MPI_Group_free(&group);
  MPI_Barrier(comm);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  take(memory, (size_t)all * sizeof *memory);
  MPI_Win_unlock(rank, window);
  take(got, sizeof got);
  MPI_Win_free(&window);
  if (flavor == MPI_WIN_FLAVOR_CREATE) free(memory);
}

/** A message round a ring, in partitions that become ready in some order; both sides divide it as they like. */
static void pass_partitions(MPI_Comm comm, int rank, int size) {
  const struct type type = draw_type(TYPE_DEPTH - 1);
  const int sent = 1 + draw(6), received = 1 + draw(6), each = 1 + draw_count(8), all = sent * received * each;
  const int shift = draw(size), first = draw(sent), way = draw(3), tag = draw(10), turns = 1 + draw(2);
  MPI_Request requests[2];
  const struct buffer from = full(type.type, all, 0), to = empty(type.type, all);
  MPI_Psend_init(from.base, sent, received * each, type.type, (rank + shift) % size, tag, comm, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init(to.base, received, sent * each, type.type, (rank + size - shift) % size, tag, comm, MPI_INFO_NULL,
                 &requests[1]);
  for (int turn = 0; turn < turns; ++turn) {
    int list[8];
    for (int i = 0; i < sent; ++i) list[i] = (first + i) % sent;
    MPI_Startall(2, requests);
    if (way == 0) {
      for (int i = 0; i < sent; ++i) MPI_Pready(list[i], requests[0]);
    } else if (way == 1) {
      MPI_Pready_list(sent, list, requests[0]);
    } else {
      MPI_Pready_range(first, sent - 1, requests[0]);
      if (first > 0) MPI_Pready_range(0, first - 1, requests[0]);
    }
    for (int flag = 0; !flag;) MPI_Parrived(requests[1], draw(received), &flag);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  taken(to);
  forget(from);
  MPI_Datatype used = type.type;
  MPI_Type_free(&used);
}

/** A file that each rank writes a part of; all is read again, and a part of another rank as other elements. */
static void use_file(MPI_Comm comm, int rank, int size) {
  const struct type type = draw_type(TYPE_DEPTH - 1);
  const int count = draw_count(MOST_COUNT), way = draw(5), other = (rank + draw(size)) % size;
  int given = count, got = count, unit;
  const MPI_Datatype given_as = draw_equivalent(type, &given), got_as = draw_equivalent(type, &got);
  char name[MOST_NAME] = {0};
  if (rank == 0) {
    const char* const folder = getenv("TMPDIR");
    snprintf(name, MOST_NAME, "%s/tidings-fuzz-XXXXXX", folder == NULL ? "/tmp" : folder);
    close(mkstemp(name));
  }
  MPI_Bcast(name, MOST_NAME, MPI_CHAR, 0, comm);
  MPI_File file;
  MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_Type_size(type.type, &unit);
  const int length = count * unit;
  const MPI_Offset mine = (MPI_Offset)rank * length;
  const struct buffer from = full(given_as, given, 0), to = empty(got_as, got);
  if (way == 0) MPI_File_write_at(file, mine, from.base, given, given_as, MPI_STATUS_IGNORE);
  if (way == 1) MPI_File_write_at_all(file, mine, from.base, given, given_as, MPI_STATUS_IGNORE);
  if (way == 2) {
    MPI_Request request;
    MPI_File_iwrite_at(file, mine, from.base, given, given_as, &request);
    complete(&request);
  }
  if (way == 3) {  // the elements of all ranks lie between each other
    MPI_Datatype one, spread;
    MPI_Type_contiguous(unit, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, (MPI_Aint)unit * size, &spread);
    MPI_Type_commit(&spread);
    MPI_File_set_view(file, (MPI_Offset)rank * unit, MPI_BYTE, spread, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, from.base, given, given_as, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_Type_free(&one);
    MPI_Type_free(&spread);
  }
  if (way == 4) MPI_File_write_ordered(file, from.base, given, given_as, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(comm);
  MPI_File_sync(file);
  const struct buffer all = empty(MPI_BYTE, length * size);
  MPI_File_read_at_all(file, 0, all.base, length * size, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, (MPI_Offset)other * length, to.base, got, got_as, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  taken(all);
  taken(to);
  forget(from);
  MPI_Datatype used = type.type;
  MPI_Type_free(&used);
}

// ---------------------------------------------------------------- the program

enum { MOVES = 9, REDUCTIONS = 6 };

static const char* step(int number) {
  state = mix(seed * 1000003u + (uint64_t)number);
  const MPI_Comm comm = pool[draw(COMMUNICATORS)];
  const int kind = draw(12);
  if (kind == 0) {
    make_communicator(comm);
    return "communicator";
  }
  int rank = 0, size = 0;
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  const char* name;
  const int which = draw(kind < 4 ? MOVES : REDUCTIONS);
  static const char* const moves[MOVES] = {"bcast",     "gather",     "gatherv",  "scatter",  "scatterv",
                                           "allgather", "allgatherv", "alltoall", "alltoallv"};
  static const char* const reductions[REDUCTIONS] = {
      "reduce", "allreduce", "scan", "exscan", "reduce_scatter_block", "reduce_scatter"};
  if (kind < 4) {
    name = moves[which];
    if (size > 0) move(comm, rank, size, which);
  } else if (kind < 7) {
    name = reductions[which];
    if (size > 0) reduce(comm, rank, size, which);
  } else if (kind < 9) {
    name = "messages";
    if (size > 0) exchange_messages(comm, rank, size, number * MOST_MESSAGES);
  } else if (kind == 9) {
    name = "window";
    if (size > 0) access_windows(comm, rank, size);
  } else if (kind == 10) {
    name = "partitions";
    if (size > 0) pass_partitions(comm, rank, size);
  } else {
    name = "file";
    if (size > 0) use_file(comm, rank, size);
  }
  return name;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (argc != 3 || world_size > MOST_RANKS) {
    fprintf(stderr, "the arguments are SEED STEPS, and %d ranks are the most\n", (int)MOST_RANKS);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  seed = strtoull(argv[1], NULL, 10);
  pool[0] = MPI_COMM_WORLD;
  for (int i = 1; i < COMMUNICATORS; ++i) pool[i] = MPI_COMM_NULL;
  const int steps = atoi(argv[2]);
  for (int number = 0; number < steps; ++number) {
    received_hash = 0xcbf29ce484222325u;
    const char* const name = step(number);
    uint64_t hashes[MOST_RANKS];
    MPI_Gather(&received_hash, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (world_rank == 0) {
      printf("%d %s", number, name);
      for (int i = 0; i < world_size; ++i) printf(" %08x", (unsigned)(hashes[i] >> 32));
      printf("\n");
      fflush(stdout);
    }
  }
  for (int i = 1; i < COMMUNICATORS; ++i)
    if (pool[i] != MPI_COMM_NULL) MPI_Comm_free(&pool[i]);
  MPI_Finalize();
  return 0;
}
