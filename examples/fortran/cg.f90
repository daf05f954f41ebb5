! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Conjugate gradients for Poisson's equation on the unit square, the kernel of many codes of science: each step
! exchanges the edges of a process's block with its neighbours, and sums two scalar products over all processes.
!
! The right-hand side is made for a solution that is known, a polynomial for which the formula of five points is exact.
! So the program can say how wrong its own is.
! Its argument is the number of points along an edge (48 unless given).
program conjugate_gradients
  use mpi_f08
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: tolerance = 1e-10_dp
  integer :: n = 48, rank, ranks, dims(2) = 0, coords(2), first(2), last(2), west, east, south, north, i, j, steps
  real(dp) :: h, rho, rho_before, alpha, worst
  real(dp), allocatable :: x(:, :), r(:, :), p(:, :), q(:, :)
  type(MPI_Comm) :: grid
  type(MPI_Datatype) :: row
  character(len=20) :: argument

  call MPI_Init()
  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) n
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Dims_create(ranks, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., grid)
  call MPI_Comm_rank(grid, rank)
  call MPI_Cart_coords(grid, rank, 2, coords)
  call MPI_Cart_shift(grid, 0, 1, west, east)
  call MPI_Cart_shift(grid, 1, 1, south, north)

  ! This process has the points first to last, and one more on each side: the neighbour's, or zeros at the border.
  first = n * coords / dims + 1
  last = n * (coords + 1) / dims
  h = 1.0_dp / (n + 1)
  allocate (x(first(1) - 1:last(1) + 1, first(2) - 1:last(2) + 1))
  allocate (r, p, q, mold=x)
  call MPI_Type_vector(last(2) - first(2) + 1, 1, size(x, 1), MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)

  x = 0
  r = 0
  p = 0
  do j = first(2), last(2)
    do i = first(1), last(1)
      r(i, j) = 32 * h**2 * (h * i * (1 - h * i) + h * j * (1 - h * j))
    end do
  end do
  p = r
  rho = scalar_product(r, r)
  steps = 0
  do while (sqrt(rho) > tolerance .and. steps < 10 * n)
    call exchange_edges(p)
    do j = first(2), last(2)
      do i = first(1), last(1)
        q(i, j) = 4 * p(i, j) - p(i - 1, j) - p(i + 1, j) - p(i, j - 1) - p(i, j + 1)
      end do
    end do
    alpha = rho / scalar_product(p, q)
    x = x + alpha * p
    r = r - alpha * inner(q)
    rho_before = rho
    rho = scalar_product(r, r)
    p = r + rho / rho_before * p
    steps = steps + 1
  end do

  worst = 0
  do j = first(2), last(2)
    do i = first(1), last(1)
      worst = max(worst, abs(x(i, j) - exact(i, j)))
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
  if (rank == 0) then
    print '(i0, a, i0, a, i0, a, i0)', n, ' x ', n, ' points on ', dims(1), ' x ', dims(2)
    print '(a, i0, a, es8.1)', 'solved in ', steps, ' steps, largest error ', worst
    print '(a, l1)', 'verified: ', worst < 100 * tolerance .and. sqrt(rho) <= tolerance
  end if
  call MPI_Type_free(row)
  call MPI_Comm_free(grid)
  call MPI_Finalize()

contains

  ! The solution at a point.
  real(dp) function exact(i, j)
    integer, intent(in) :: i, j
    exact = 16 * (h * i * (1 - h * i)) * (h * j * (1 - h * j))
  end function

  ! The points of this process, without those of its neighbours.
  function inner(field)
    real(dp), intent(in) :: field(first(1) - 1:, first(2) - 1:)
    real(dp) :: inner(size(field, 1), size(field, 2))
    inner = 0
    inner(2:size(field, 1) - 1, 2:size(field, 2) - 1) = field(first(1):last(1), first(2):last(2))
  end function

  real(dp) function scalar_product(a, b)
    real(dp), intent(in) :: a(first(1) - 1:, first(2) - 1:), b(first(1) - 1:, first(2) - 1:)
    scalar_product = sum(a(first(1):last(1), first(2):last(2)) * b(first(1):last(1), first(2):last(2)))
    call MPI_Allreduce(MPI_IN_PLACE, scalar_product, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid)
  end function

  ! Get the neighbours' points. A neighbour beyond the border is MPI_PROC_NULL, and leaves zeros as they are.
  subroutine exchange_edges(field)
    real(dp), intent(inout), asynchronous :: field(first(1) - 1:, first(2) - 1:)
    integer :: columns
    type(MPI_Request) :: requests(8)
    columns = last(1) - first(1) + 1
    call MPI_Irecv(field(first(1) - 1, first(2)), 1, row, west, 0, grid, requests(1))
    call MPI_Irecv(field(last(1) + 1, first(2)), 1, row, east, 1, grid, requests(2))
    call MPI_Irecv(field(first(1), first(2) - 1), columns, MPI_DOUBLE_PRECISION, south, 2, grid, requests(3))
    call MPI_Irecv(field(first(1), last(2) + 1), columns, MPI_DOUBLE_PRECISION, north, 3, grid, requests(4))
    call MPI_Isend(field(last(1), first(2)), 1, row, east, 0, grid, requests(5))
    call MPI_Isend(field(first(1), first(2)), 1, row, west, 1, grid, requests(6))
    call MPI_Isend(field(first(1), last(2)), columns, MPI_DOUBLE_PRECISION, north, 2, grid, requests(7))
    call MPI_Isend(field(first(1), first(2)), columns, MPI_DOUBLE_PRECISION, south, 3, grid, requests(8))
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
    if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(field)
  end subroutine
end program
