// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Questions whose answer needs no communication: versions, levels of threads, sizes, relations of groups.
#include "program.h"

static const char* relation(int result) {
  return result == MPI_IDENT       ? "identical"
         : result == MPI_CONGRUENT ? "congruent"
         : result == MPI_SIMILAR   ? "similar"
         : result == MPI_UNEQUAL   ? "unequal"
                                   : "OTHER";
}

int main(int argc, char** argv) {
  int version, subversion, major, minor, length = -1;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_version(&version, &subversion);
  MPI_Abi_get_version(&major, &minor);
  MPI_Get_library_version(text, &length);
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  say("rank %d: version %d.%d, ABI %d.%d, text of the library %d\n", rank, version, subversion, major, minor,
      length > 0 && (size_t)length == strlen(text));
  int provided = -1;
  MPI_Query_thread(&provided);
  say("rank %d: level of threads is one %d\n", rank,
      provided == MPI_THREAD_SINGLE || provided == MPI_THREAD_FUNNELED || provided == MPI_THREAD_SERIALIZED ||
          provided == MPI_THREAD_MULTIPLE);
  say("rank %d: profiling control %d\n", rank, MPI_Pcontrol(2, text));

  int commutes = -1;
  MPI_Op_commutative(MPI_SUM, &commutes);
  say("rank %d: sums commute %d\n", rank, commutes != 0);
  MPI_Count size, lower, extent;
  MPI_Type_size_x(MPI_DOUBLE_INT, &size);
  MPI_Type_get_extent_x(MPI_DOUBLE_INT, &lower, &extent);
  say("rank %d: MPI_DOUBLE_INT %lld %lld %lld\n", rank, (long long)size, (long long)lower, (long long)extent);
  int values[3];
  MPI_Aint first, last;
  MPI_Get_address(&values[0], &first);
  MPI_Get_address(&values[2], &last);
  say("rank %d: addresses are %d apart\n", rank, (int)(last - first));

  MPI_Comm copy, reversed, half;
  int result = -1, inter = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  say("rank %d: itself %s", rank, relation(result));
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
  say(", copy %s", relation(result));
  MPI_Comm_compare(MPI_COMM_WORLD, reversed, &result);
  say(", reversed %s", relation(result));
  MPI_Comm_compare(MPI_COMM_WORLD, half, &result);
  say(", half %s\n", relation(result));
  MPI_Comm_test_inter(copy, &inter);
  say("rank %d: intercommunicator %d\n", rank, inter);

  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_group(half, &some);
  const int asked[3] = {0, MPI_PROC_NULL, ranks - 1};
  int told[3];
  MPI_Group_translate_ranks(all, 3, asked, some, told);
  for (int i = 0; i < 3; ++i) {
    if (told[i] == MPI_UNDEFINED) {
      say("undefined ");
    } else if (told[i] == MPI_PROC_NULL) {
      say("none ");
    } else {
      say("%d ", told[i]);
    }
  }
  say("in the half of rank %d\n", rank);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&copy);
  say_all();
  MPI_Finalize();
  return 0;
}
