! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! A matrix that is spread by columns is transposed by an exchange of blocks, and by types that do it in the messages.
program transpose_blocks
  use mpi_f08
  implicit none
  integer, parameter :: per = 2
  integer :: rank, ranks, n, i, k, r, wrong
  integer, allocatable :: mine(:, :), turned(:, :), out(:, :, :), in(:, :, :)
  type(MPI_Datatype) :: row, rows
  type(MPI_Request), allocatable :: requests(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  n = per * ranks
  allocate (mine(n, per), turned(n, per), out(per, per, ranks), in(per, per, ranks), requests(2 * ranks))
  do k = 1, per
    do i = 1, n
      mine(i, k) = 100 * i + rank * per + k
    end do
  end do
  do r = 1, ranks
    out(:, :, r) = transpose(mine((r - 1) * per + 1:r * per, :))
  end do
  call MPI_Alltoall(out, per * per, MPI_INTEGER, in, per * per, MPI_INTEGER, MPI_COMM_WORLD)
  do r = 1, ranks
    turned((r - 1) * per + 1:r * per, :) = in(:, :, r)
  end do
  wrong = 0
  do k = 1, per
    do i = 1, n
      if (turned(i, k) /= 100 * (rank * per + k) + i) wrong = wrong + 1
    end do
  end do
  call say_integers('wrong', [wrong], 1)

  ! The same by a type that sends rows of a block as if they were columns.
  turned = 0
  call MPI_Type_vector(per, 1, n, MPI_INTEGER, row)
  call MPI_Type_create_hvector(per, 1, 4_MPI_ADDRESS_KIND, row, rows)
  call MPI_Type_commit(rows)
  do r = 1, ranks
    call MPI_Irecv(in(1, 1, r), per * per, MPI_INTEGER, r - 1, 5, MPI_COMM_WORLD, requests(r))
    call MPI_Isend(mine((r - 1) * per + 1, 1), 1, rows, r - 1, 5, MPI_COMM_WORLD, requests(ranks + r))
  end do
  call MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE)
  do r = 1, ranks
    turned((r - 1) * per + 1:r * per, :) = in(:, :, r)
  end do
  call say_integers('first column', turned(:, 1), min(n, 8))
  call MPI_Type_free(row)
  call MPI_Type_free(rows)
  call say_all()
  deallocate (mine, turned, out, in, requests)
  call MPI_Finalize()
end program
