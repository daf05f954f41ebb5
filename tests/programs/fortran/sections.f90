! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Sections of arrays that are not contiguous, in calls that return at once and in those that last: MPICH's module
! mpi_f08 supports them (MPI_SUBARRAYS_SUPPORTED).
program sections
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 6
  type, bind(C) :: particle
    double precision :: place(2)
    integer(c_int) :: kind
  end type
  integer :: rank, ranks, right, left, i, j
  integer :: grid(n, n), other(n, n), cube(4, 4, 4), line(n), count
  integer, allocatable :: all(:, :)
  integer, pointer :: part(:)
  integer, target :: held(2 * n)
  double precision :: values(n, 3), sums(n, 3)
  character(len=5) :: words(4)
  type(particle) :: particles(6)
  type(MPI_Datatype) :: of_particle
  type(MPI_Request) :: requests(2), persistent
  type(MPI_Status) :: status
  type(MPI_Win) :: window

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  if (.not. MPI_SUBARRAYS_SUPPORTED) call say('sections are not supported')

  ! A row of a matrix, there and back.
  grid = reshape([(100 * rank + i, i=1, n * n)], [n, n])
  call MPI_Sendrecv(grid(2, :), n, MPI_INTEGER, right, 1, other(n:1:-1, 3), n, MPI_INTEGER, left, 1, &
    MPI_COMM_WORLD, status)
  call say_integers('row into a column', other(:, 3), n)
  call MPI_Get_count(status, MPI_INTEGER, count)
  call say_integers('count', [count], 1)

  ! The same in calls that last: as many elements as the section has, and fewer.
  grid = reshape([(100 * rank + i, i=1, n * n)], [n, n])
  call MPI_Irecv(grid(1:n:2, 1:n:3), 6, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(grid(2:n:2, 2:n:3), 6, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  do j = 1, n, 3
    call say_integers('lattice', grid(:, j), n)
  end do
  line = 0
  call MPI_Irecv(line, n, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(grid(2, :), 4, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call say_integers('part of a row', line, n)

  ! Three dimensions, bytes of integers, and a pointer to every other element.
  cube = reshape([(1000 * rank + i, i=1, 64)], [4, 4, 4])
  call MPI_Irecv(cube(2, ::2, ::3), 16, MPI_BYTE, left, 4, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(cube(1, ::2, ::3), 16, MPI_BYTE, right, 4, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call say_integers('cube', reshape(cube(1:2, :, 1), [8]), 8)
  held = [(10 * rank + i, i=1, 2 * n)]
  part => held(2::2)
  call MPI_Send_init(part, n, MPI_INTEGER, right, 5, MPI_COMM_WORLD, persistent)
  do i = 1, 2
    part = part + 1000 * i
    call MPI_Start(persistent)
    call MPI_Recv(held(1::2), n, MPI_INTEGER, left, 5, MPI_COMM_WORLD, status)
    call MPI_Wait(persistent, MPI_STATUS_IGNORE)
    call say_integers('every other one', held, 2 * n)
  end do
  call MPI_Request_free(persistent)

  ! A type of the program's, whose extent is that of an element.
  particles = [(particle([1d0 * i, 0.5d0 * rank], i), i=1, 6)]
  call MPI_Type_create_struct(2, [2, 1], [0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND], &
    [MPI_DOUBLE_PRECISION, MPI_INTEGER], of_particle)
  call MPI_Type_commit(of_particle)
  call MPI_Irecv(particles(1::2), 3, of_particle, left, 6, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(particles(2::2), 3, of_particle, right, 6, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call say_integers('kinds', particles%kind, 6)
  call say_reals('places', particles%place(2), 6)
  call MPI_Type_free(of_particle)

  ! Reductions and gathers of sections.
  values = reshape([(1d0 * rank + i, i=1, 3 * n)], [n, 3])
  sums = 0
  call MPI_Allreduce(values(1:n:2, :), sums(2:n:2, :), 9, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call say_reals('sums', sums(:, 2), n)
  allocate (all(2 * n, ranks))
  all = 0
  call MPI_Allgather(grid(2, :), n, MPI_INTEGER, all(1::2, :), n, MPI_INTEGER, MPI_COMM_WORLD)
  call say_integers('gathered', all(:, ranks), 2 * n)
  call MPI_Allreduce(MPI_IN_PLACE, grid(1, :), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  call say_integers('in place', grid(1, :), n)
  words = ['alpha', 'beta ', 'gamma', 'delta']
  if (rank == 0) words = ['one  ', 'two  ', 'three', 'four ']
  call MPI_Bcast(words(1::2), 10, MPI_CHARACTER, 0, MPI_COMM_WORLD)
  call say(words(1)//words(2)//words(3)//words(4))

  ! One-sided, with sections at the origin.
  line = -1
  call MPI_Win_create(line, storage_size(line) / 8_MPI_ADDRESS_KIND * n, storage_size(line) / 8, MPI_INFO_NULL, &
    MPI_COMM_WORLD, window)
  call MPI_Win_fence(0, window)
  call MPI_Put(grid(3, ::2), 3, MPI_INTEGER, right, 1_MPI_ADDRESS_KIND, 3, MPI_INTEGER, window)
  call MPI_Win_fence(0, window)
  call MPI_Win_free(window)
  call say_integers('put', line, n)
  call say_all()
  call MPI_Finalize()
end program
