// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// What a program can ask of its surroundings: how it was started, its threads, its resources, the ABI.
#include "program.h"

static bool has(MPI_Info info, const char* key) {
  int length = 0, flag = 0;
  MPI_Info_get_string(info, key, &length, NULL, &flag);
  return flag != 0;
}

int main(int argc, char** argv) {
  MPI_Info before;
  MPI_Info_create(&before);
  MPI_Info_set(before, "key", "value");
  MPI_Info env;
  MPI_Info_create_env(argc, argv, &env);
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int rank = my_rank();
  int flag = -1, keys = -1;
  MPI_Is_thread_main(&flag);
  say("rank %d: main thread %d\n", rank, flag);
  MPI_Info_get_nkeys(before, &keys);
  say("rank %d: infos before MPI_Init %d, key %d\n", rank, keys, has(before, "key"));
  MPI_Info_free(&before);
  must("an info tells the command", has(env, "command") && has(env, "maxprocs") && has(env, "wdir"));
  must("MPI_INFO_ENV tells the command", has(MPI_INFO_ENV, "command") && has(MPI_INFO_ENV, "arch"));
  MPI_Info_free(&env);
  MPI_Info hardware;
  MPI_Get_hw_resource_info(&hardware);
  MPI_Info_get_nkeys(hardware, &keys);
  say("rank %d: resources %d\n", rank, keys >= 0);
  MPI_Info_free(&hardware);
  MPI_Comm parent, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_disconnect(&copy);
  say("rank %d: disconnected %d\n", rank, copy == MPI_COMM_NULL);
  MPI_Comm_get_parent(&parent);
  say("rank %d: no parent %d\n", rank, parent == MPI_COMM_NULL);

  MPI_Info abi;
  char text[16] = "";
  int length = sizeof text;
  MPI_Abi_get_info(&abi);
  MPI_Info_get_string(abi, "mpi_aint_size", &length, text, &flag);
  say("rank %d: addresses of %d bytes\n", rank, flag && atoi(text) == (int)sizeof(MPI_Aint));
  MPI_Info_free(&abi);
  if (!on_mpich()) {
    int yes = 1, no = 0, yes_back = -1, no_back = -1, is_set = -1;
    MPI_Abi_get_fortran_booleans(sizeof yes, &yes_back, &no_back, &is_set);
    must("no booleans at first", !is_set);
    must("booleans are set once", MPI_Abi_set_fortran_booleans(sizeof yes, &yes, &no) == MPI_SUCCESS &&
                                      MPI_Abi_set_fortran_booleans(sizeof yes, &yes, &no) == MPI_ERR_ABI);
    MPI_Abi_get_fortran_booleans(sizeof yes, &yes_back, &no_back, &is_set);
    must("booleans come back", is_set && yes_back == 1 && no_back == 0);
    MPI_Info sizes;
    MPI_Abi_get_fortran_info(&sizes);
    must("no sizes at first", sizes == MPI_INFO_NULL);
    MPI_Info_create(&sizes);
    MPI_Info_set(sizes, "mpi_integer_size", "4");
    must("sizes are set once",
         MPI_Abi_set_fortran_info(sizes) == MPI_SUCCESS && MPI_Abi_set_fortran_info(sizes) == MPI_ERR_ABI);
    MPI_Info_free(&sizes);
    MPI_Abi_get_fortran_info(&sizes);
    must("sizes come back", has(sizes, "mpi_integer_size"));
    MPI_Info_free(&sizes);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
