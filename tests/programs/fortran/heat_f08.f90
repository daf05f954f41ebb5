! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Heat in a plane that is cut into columns, whose edges are contiguous; whole numbers, so that it is exact.
program heat
  use mpi_f08
  implicit none
  integer, parameter :: rows = 8, columns = 4, steps = 10
  integer :: rank, ranks, left, right, step, i, k
  integer :: plane(rows, 0:columns + 1), next(rows, columns), total, sums(columns)
  type(MPI_Request) :: requests(4)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  plane = 0
  do k = 1, columns
    do i = 1, rows
      plane(i, k) = mod(i * 331 + (rank * columns + k) * 177, 1000) * 64
    end do
  end do
  do step = 1, steps
    call MPI_Irecv(plane(:, 0), rows, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(plane(:, columns + 1), rows, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(plane(:, columns), rows, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(plane(:, 1), rows, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(4))
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    do k = 1, columns
      do i = 1, rows
        next(i, k) = (4 * plane(i, k) + plane(i, k - 1) + plane(i, k + 1) + plane(max(i - 1, 1), k) &
                      + plane(min(i + 1, rows), k)) / 8
      end do
    end do
    plane(:, 1:columns) = next
    call MPI_Allreduce(sum(next), total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (mod(step, 5) == 0) call say_integers('total', [step, total], 2)
  end do
  sums = sum(next, dim=1)
  call say_integers('columns', sums, columns)
  call say_all()
  call MPI_Finalize()
end program
