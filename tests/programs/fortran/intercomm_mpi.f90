! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Two groups with an intercommunicator: messages and collectives across, and the two merged.
program intercomm
  use mpi
  implicit none
  integer :: rank, ranks, ierror, side, part, across, merged, others, total, place, all(16), got
  logical :: inter

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  if (ranks > 1) then
    side = mod(rank, 2)
    call MPI_Comm_split(MPI_COMM_WORLD, side, rank, part, ierror)
    call MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - side, 8, across, ierror)
    call MPI_Comm_test_inter(across, inter, ierror)
    call MPI_Comm_remote_size(across, others, ierror)
    call MPI_Comm_rank(across, place, ierror)
    call say_integers('others, place', [others, place, merge(1, 0, inter)], 3)
    call MPI_Allreduce(rank + 1, total, 1, MPI_INTEGER, MPI_SUM, across, ierror)
    call say_integers('sum of the others', [total], 1)
    got = rank
    if (side == 0) then
      call MPI_Bcast(got, 1, MPI_INTEGER, merge(MPI_ROOT, MPI_PROC_NULL, place == 0), across, ierror)
    else
      call MPI_Bcast(got, 1, MPI_INTEGER, 0, across, ierror)
    end if
    call say_integers('broadcast', [got], 1)
    call MPI_Intercomm_merge(across, side == 0, merged, ierror)
    call MPI_Allgather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, merged, ierror)
    call say_integers('merged', all, ranks)
    call MPI_Comm_free(merged, ierror)
    call MPI_Comm_free(across, ierror)
    call MPI_Comm_free(part, ierror)
  else
    call say_integers('alone', [rank], 1)
  end if
  call say_all()
  call MPI_Finalize(ierror)
end program
