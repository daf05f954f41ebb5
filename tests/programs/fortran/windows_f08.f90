! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! One-sided communication: memory of the library through a C pointer, accumulations, locks, post and start.
program windows
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, ranks, next, before, i, old, value
  integer, pointer :: memory(:)
  integer(MPI_ADDRESS_KIND), parameter :: bytes = 4, three = 3
  integer(MPI_ADDRESS_KIND) :: size, own
  integer :: unit
  type(c_ptr) :: base
  type(MPI_Win) :: win
  type(MPI_Group) :: world, to, from
  type(MPI_Request) :: request
  integer :: results(3)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  call MPI_Win_allocate(8 * bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, memory, [8])
  memory = [(10 * rank + i, i=1, 8)]
  call MPI_Win_fence(0, win)
  call MPI_Put([-rank, rank], 2, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
  call MPI_Get(results, 3, MPI_INTEGER, before, three, 3, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call say_integers('put', memory, 4)
  call say_integers('got', results, 3)

  call MPI_Accumulate(rank + 1, 1, MPI_INTEGER, 0, 6_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win)
  call MPI_Win_fence(0, win)
  if (rank == 0) call say_integers('sum', memory(7:7), 1)

  memory(8) = 0
  call MPI_Win_fence(0, win)
  call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, ranks - 1, 0, win)
  call MPI_Fetch_and_op(1, old, MPI_INTEGER, ranks - 1, 7_MPI_ADDRESS_KIND, MPI_SUM, win)
  call MPI_Win_unlock(ranks - 1, win)
  if (old < 0 .or. old >= ranks) call say('WRONG ticket')
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_lock_all(0, win)
  call MPI_Rget(value, 1, MPI_INTEGER, ranks - 1, 7_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Win_unlock_all(win)
  call say_integers('tickets', [value], 1)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win)
  call MPI_Compare_and_swap(77, value, old, MPI_INTEGER, next, 7_MPI_ADDRESS_KIND, win)
  call MPI_Win_flush(next, win)
  call MPI_Win_unlock(next, win)
  call MPI_Barrier(MPI_COMM_WORLD)
  call say_integers('swapped', [old, memory(8)], 2)
  call MPI_Barrier(MPI_COMM_WORLD)

  call MPI_Comm_group(MPI_COMM_WORLD, world)
  call MPI_Group_incl(world, 1, [next], to)
  call MPI_Group_incl(world, 1, [before], from)
  call MPI_Win_post(from, 0, win)
  call MPI_Win_start(to, 0, win)
  call MPI_Put(rank + 500, 1, MPI_INTEGER, next, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
  call MPI_Win_complete(win)
  call MPI_Win_wait(win)
  call say_integers('posted', memory(2:2), 1)
  call MPI_Win_free(win)
  if (win == MPI_WIN_NULL) call say('window is null')

  call MPI_Win_allocate_shared(bytes * (rank + 1), 4, MPI_INFO_NULL, MPI_COMM_SELF, base, win)
  call MPI_Win_shared_query(win, 0, size, unit, base)
  own = size
  call say_integers('shared', [int(own), unit], 2)
  call MPI_Win_free(win)
  call MPI_Alloc_mem(16 * bytes, MPI_INFO_NULL, base)
  call c_f_pointer(base, memory, [16])
  memory = rank
  call say_integers('memory', [sum(memory)], 1)
  call MPI_Free_mem(memory)
  call say_all()
  call MPI_Finalize()
end program
