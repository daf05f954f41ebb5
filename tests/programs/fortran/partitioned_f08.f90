! Copyright Tidings contributors.
! SPDX-License-Identifier: Apache-2.0

! Partitioned messages, and ranges and lists of partitions that are ready, in Fortran.
program partitioned
  use mpi_f08
  implicit none
  integer, parameter :: parts = 4, each = 5
  integer :: rank, ranks, right, left, turn, p, i
  integer, asynchronous :: out(each, parts), in(each, parts)
  logical :: arrived
  type(MPI_Request) :: requests(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call MPI_Psend_init(out, parts, int(each, MPI_COUNT_KIND), MPI_INTEGER, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &
                      requests(1))
  call MPI_Precv_init(in, parts, int(each, MPI_COUNT_KIND), MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &
                      requests(2))
  do turn = 1, 3
    in = 0
    call MPI_Startall(2, requests)
    out = reshape([(1000 * turn + 100 * rank + i, i=1, each * parts)], [each, parts])
    select case (turn)
    case (1)
      do p = parts - 1, 0, -1
        call MPI_Pready(p, requests(1))
      end do
    case (2)
      call MPI_Pready_range(0, parts - 1, requests(1))
    case default
      call MPI_Pready_list(parts, [2, 0, 3, 1], requests(1))
    end select
    do p = 0, parts - 1
      arrived = .false.
      do while (.not. arrived)
        call MPI_Parrived(requests(2), p, arrived)
      end do
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call say_integers('sums', sum(in, dim=1), parts)
  end do
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))
  call say_all()
  call MPI_Finalize()
end program
