! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Groups, communicators and intercommunicators with module mpi.
program groups
  use mpi
  implicit none
  integer :: rank, ranks, ierror, world, evens, others, comm, half, inter, merged, n, i, result, ranges(3, 1)
  integer, allocatable :: list(:), there(:)
  logical :: flag
  character(len=MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Comm_group(MPI_COMM_WORLD, world, ierror)
  ranges(:, 1) = [0, ranks - 1, 2]
  call MPI_Group_range_incl(world, 1, ranges, evens, ierror)
  call MPI_Group_difference(world, evens, others, ierror)
  call MPI_Group_size(evens, n, ierror)
  call MPI_Group_size(others, i, ierror)
  call say_integers('sizes', [n, i], 2)
  allocate (list(n), there(n))
  list = [(i, i=0, n - 1)]
  call MPI_Group_translate_ranks(evens, n, list, world, there, ierror)
  call say_integers('evens', there, min(n, 8))
  call MPI_Group_compare(evens, world, result, ierror)
  if (result == merge(MPI_IDENT, MPI_UNEQUAL, n == ranks)) call say('compared')
  call MPI_Group_rank(evens, i, ierror)
  if (i /= MPI_UNDEFINED) call say_integers('rank of evens', [i], 1)
  call MPI_Comm_create(MPI_COMM_WORLD, evens, comm, ierror)
  if (comm /= MPI_COMM_NULL) then
    call MPI_Allreduce(rank, i, 1, MPI_INTEGER, MPI_SUM, comm, ierror)
    call say_integers('sum of evens', [i], 1)
    call MPI_Comm_free(comm, ierror)
    if (comm == MPI_COMM_NULL) call say('freed')
  end if

  ! Two halves, a bridge between them, and all in one again.
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierror)
  call MPI_Comm_rank(half, i, ierror)
  call MPI_Comm_size(half, n, ierror)
  call say_integers('half', [i, n], 2)
  call MPI_Comm_set_name(half, 'one of two   ', ierror)
  call MPI_Comm_get_name(half, name, i, ierror)
  call say('name "' // name(1:i) // '"' // name(i + 1:i + 1) // '.')
  if (ranks > 1) then
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, ranks - 1 - merge(0, 1, mod(rank, 2) /= mod(ranks - 1, 2)), &
                              17, inter, ierror)
    call MPI_Comm_test_inter(inter, flag, ierror)
    call MPI_Comm_remote_size(inter, n, ierror)
    if (flag) call say_integers('remote size', [n], 1)
    call MPI_Intercomm_merge(inter, mod(rank, 2) == 1, merged, ierror)
    call MPI_Comm_rank(merged, i, ierror)
    call say_integers('merged', [i], 1)
    call MPI_Comm_compare(merged, MPI_COMM_WORLD, result, ierror)
    if (result == MPI_SIMILAR .or. result == MPI_CONGRUENT) call say('the same processes')
    call MPI_Comm_free(merged, ierror)
    call MPI_Comm_free(inter, ierror)
  end if
  call MPI_Comm_dup(half, comm, ierror)
  call MPI_Comm_compare(half, comm, result, ierror)
  if (result == MPI_CONGRUENT) call say('congruent')
  call MPI_Comm_free(comm, ierror)
  call MPI_Comm_free(half, ierror)
  call MPI_Group_free(evens, ierror)
  call MPI_Group_free(others, ierror)
  call MPI_Group_free(world, ierror)
  deallocate (list, there)
  if (world == MPI_GROUP_NULL) call say('group is null')
  call say_all()
  call MPI_Finalize(ierror)
end program
