! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! LU in Fortran: the problem, the waves of messages and the verification of lu.c, to the last printed digit.
!
! Its arguments are the points along an edge of the cube (12) and the rounds (3). Arithmetic takes no virtual time.
program lu
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: dp = kind(1d0), unknowns = 5
  real(dp), parameter :: coupling = 0.5_dp, relaxation = 1.2_dp
  integer :: points = 12, rounds = 3, rank, ranks, dims(2) = 0, coords(2), first(2), last(2), low(2), high(2), d, turn
  real(dp) :: start, now, before
  real(dp), allocatable :: u(:, :, :, :), right(:, :, :, :)
  logical :: falls = .true.
  type(MPI_Comm) :: grid
  character(len=20) :: argument

  call MPI_Init()
  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) points
  call get_command_argument(2, argument)
  if (argument /= '') read (argument, *) rounds
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Dims_create(ranks, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .false., grid)
  call MPI_Comm_rank(grid, rank)
  if (any(dims > points)) then
    if (rank == 0) write (error_unit, '(a, 2(i0, a), i0, a)') 'lu: the ranks are ', dims(1), ' x ', dims(2), &
      ', more than ', points, ' points along an edge: more points'
    call MPI_Finalize()
    stop 1, quiet=.true.
  end if
  call MPI_Cart_coords(grid, rank, 2, coords)
  do d = 1, 2
    call MPI_Cart_shift(grid, d - 1, 1, low(d), high(d))
  end do

  ! This rank has the columns first to last in x and y with all planes of z, and one more point on each side.
  first = points * coords / dims + 1
  last = points * (coords + 1) / dims
  allocate (u(unknowns, first(1) - 1:last(1) + 1, first(2) - 1:last(2) + 1, 0:points + 1))
  allocate (right, mold=u)
  u = 0
  call make_right_hand_side()

  call MPI_Barrier(MPI_COMM_WORLD)
  start = MPI_Wtime()
  before = norm()
  do turn = 1, rounds
    call sweep(.true.)
    call sweep(.false.)
    now = norm()
    falls = falls .and. now < before
    before = now
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  start = MPI_Wtime() - start
  if (rank == 0) then
    print '(a, es14.8e2)', 'verification  ', before
    print '(a)', 'verified      '//merge('yes', 'no ', falls)
    print '(a, f14.9, a)', 'time     ', start, ' s'
  end if
  call MPI_Comm_free(grid)
  call MPI_Finalize()
  if (rank == 0 .and. .not. falls) stop 1, quiet=.true.

contains

  ! The solution that the right-hand side belongs to, at a point of the whole cube.
  function wanted(x, y, z)
    use, intrinsic :: iso_fortran_env, only: int64
    integer, intent(in) :: x, y, z
    real(dp) :: wanted(unknowns)
    integer(int64), parameter :: prime = 2147483647
    integer(int64) :: first_index, scattered(unknowns)
    integer :: m
    wanted = 0
    if (min(x, y, z) < 1 .or. max(x, y, z) > points) return
    first_index = ((int(z - 1, int64) * points + (y - 1)) * points + (x - 1)) * unknowns
    scattered = modulo(modulo([(first_index + m, m=1, unknowns)], prime) * 48271, prime)
    wanted = real(modulo(scattered**2, prime), dp) / real(prime, dp)
  end function

  subroutine make_right_hand_side()
    integer :: x, y, z
    real(dp) :: beside(unknowns)
    right = 0
    do z = 1, points
      do y = first(2), last(2)
        do x = first(1), last(1)
          beside = wanted(x - 1, y, z) + wanted(x + 1, y, z) + wanted(x, y - 1, z) + wanted(x, y + 1, z) &
                   + wanted(x, y, z - 1) + wanted(x, y, z + 1)
          right(:, x, y, z) = 6 * wanted(x, y, z) - beside + coupling * sum(wanted(x, y, z))
        end do
      end do
    end do
  end subroutine

  function residual(x, y, z)
    integer, intent(in) :: x, y, z
    real(dp) :: residual(unknowns)
    residual = right(:, x, y, z) - 6 * u(:, x, y, z) - coupling * sum(u(:, x, y, z)) &
               + u(:, x - 1, y, z) + u(:, x + 1, y, z) + u(:, x, y - 1, z) + u(:, x, y + 1, z) &
               + u(:, x, y, z - 1) + u(:, x, y, z + 1)
  end function

  ! Update all points, in order of z, y, x or backward: a plane waits for those that the wave comes from.
  subroutine sweep(forward)
    logical, intent(in) :: forward
    integer :: step, x, y, z, from(2), to(2), ahead
    integer :: enter(2), leave(2)  ! the first and the last columns of the wave
    real(dp) :: r(unknowns)
    ahead = merge(1, -1, forward)
    from = merge(low, high, forward)
    to = merge(high, low, forward)
    enter = merge(first, last, forward)
    leave = merge(last, first, forward)
    do step = 1, points
      z = merge(step, points + 1 - step, forward)
      call receive_edges(z, enter - ahead, from)
      do y = enter(2), leave(2), ahead
        do x = enter(1), leave(1), ahead
          r = residual(x, y, z)
          u(:, x, y, z) = u(:, x, y, z) + relaxation / 6 * (r - coupling / (6 + unknowns * coupling) * sum(r))
        end do
      end do
      call send_edges(z, leave, to)
    end do
  end subroutine

  subroutine receive_edges(z, at, from)
    integer, intent(in) :: z, at(2), from(2)
    real(dp) :: x_edge(unknowns, first(2):last(2)), y_edge(unknowns, first(1):last(1))
    if (from(1) /= MPI_PROC_NULL) then
      call MPI_Recv(x_edge, size(x_edge), MPI_DOUBLE_PRECISION, from(1), 0, grid, MPI_STATUS_IGNORE)
      u(:, at(1), first(2):last(2), z) = x_edge
    end if
    if (from(2) /= MPI_PROC_NULL) then
      call MPI_Recv(y_edge, size(y_edge), MPI_DOUBLE_PRECISION, from(2), 1, grid, MPI_STATUS_IGNORE)
      u(:, first(1):last(1), at(2), z) = y_edge
    end if
  end subroutine

  subroutine send_edges(z, at, to)
    integer, intent(in) :: z, at(2), to(2)
    real(dp) :: x_edge(unknowns, first(2):last(2)), y_edge(unknowns, first(1):last(1))
    x_edge = u(:, at(1), first(2):last(2), z)
    y_edge = u(:, first(1):last(1), at(2), z)
    call MPI_Send(x_edge, size(x_edge), MPI_DOUBLE_PRECISION, to(1), 0, grid)
    call MPI_Send(y_edge, size(y_edge), MPI_DOUBLE_PRECISION, to(2), 1, grid)
  end subroutine

  ! Get the edges of all planes from all neighbours. One beyond the cube is MPI_PROC_NULL, and leaves zeros as they are.
  subroutine exchange()
    call exchange_x(last(1), high(1), first(1) - 1, low(1))
    call exchange_x(first(1), low(1), last(1) + 1, high(1))
    call exchange_y(last(2), high(2), first(2) - 1, low(2))
    call exchange_y(first(2), low(2), last(2) + 1, high(2))
  end subroutine

  subroutine exchange_x(mine, to, theirs, from)
    integer, intent(in) :: mine, to, theirs, from
    real(dp), dimension(unknowns, last(2) - first(2) + 1, points) :: sent, received
    sent = u(:, mine, first(2):last(2), 1:points)
    received = u(:, theirs, first(2):last(2), 1:points)
    call MPI_Sendrecv(sent, size(sent), MPI_DOUBLE_PRECISION, to, 2, &
                      received, size(received), MPI_DOUBLE_PRECISION, from, 2, grid, MPI_STATUS_IGNORE)
    u(:, theirs, first(2):last(2), 1:points) = received
  end subroutine

  subroutine exchange_y(mine, to, theirs, from)
    integer, intent(in) :: mine, to, theirs, from
    real(dp), dimension(unknowns, last(1) - first(1) + 1, points) :: sent, received
    sent = u(:, first(1):last(1), mine, 1:points)
    received = u(:, first(1):last(1), theirs, 1:points)
    call MPI_Sendrecv(sent, size(sent), MPI_DOUBLE_PRECISION, to, 2, &
                      received, size(received), MPI_DOUBLE_PRECISION, from, 2, grid, MPI_STATUS_IGNORE)
    u(:, first(1):last(1), theirs, 1:points) = received
  end subroutine

  real(dp) function norm()
    integer :: x, y, z
    call exchange()
    norm = 0
    do z = 1, points
      do y = first(2), last(2)
        do x = first(1), last(1)
          norm = norm + sum(residual(x, y, z)**2)
        end do
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid)
    norm = sqrt(norm)
  end function
end program
