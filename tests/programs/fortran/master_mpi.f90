! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! A master deals out columns of a matrix to workers as they ask, and puts the products together.
program master
  use mpi
  implicit none
  integer, parameter :: n = 9
  integer :: rank, ranks, ierror, column, next, working, status(MPI_STATUS_SIZE), answer(n + 1), products(n)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  products = 0
  if (ranks == 1) then
    do column = 1, n
      call multiply(column, answer)
      products(column) = sum(answer(2:))
    end do
  else if (rank == 0) then
    next = 1
    working = ranks - 1
    do while (working > 0)
      call MPI_Recv(answer, n + 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, status, ierror)
      if (answer(1) > 0) products(answer(1)) = sum(answer(2:))
      column = 0
      if (next <= n) column = next
      next = next + 1
      if (column == 0) working = working - 1
      call MPI_Send(column, 1, MPI_INTEGER, status(MPI_SOURCE), 2, MPI_COMM_WORLD, ierror)
    end do
  else
    answer = 0
    do
      call MPI_Sendrecv(answer, n + 1, MPI_INTEGER, 0, 1, column, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, &
                        MPI_STATUS_IGNORE, ierror)
      if (column == 0) exit
      call multiply(column, answer)
    end do
  end if
  if (rank == 0) call say_integers('products', products, n)
  call MPI_Bcast(products, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call say_integers('sum', [sum(products)], 1)
  call say_all()
  call MPI_Finalize(ierror)

contains

  ! A column of a matrix by a matrix.
  subroutine multiply(which, result)
    integer, intent(in) :: which
    integer, intent(out) :: result(n + 1)
    integer :: row, j
    result(1) = which
    do row = 1, n
      result(row + 1) = 0
      do j = 1, n
        result(row + 1) = result(row + 1) + mod(row * j, 7) * mod(j + which, 5)
      end do
    end do
  end subroutine
end program
